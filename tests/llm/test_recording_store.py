"""proactmem.llm.store: durable, shared, exact, and honest about every kind of damage."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proactmem.errors import StoreError
from proactmem.llm import store as store_module
from proactmem.llm.backbone import Message, Reply, ReplySchema, Request, Usage
from proactmem.llm.store import Recording
from tests.llm.doubles import ask, run


@pytest.fixture
def recording(tmp_path: Path) -> Iterator[Recording]:
    with Recording.open(tmp_path / "replies.sqlite", durable=False) as opened:
        yield opened


ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.text("a\n\r\x00\x0b\x0c\x1c\x85\u2028\u2029\ud800\U0001f600")
SCHEMAS = st.none() | st.builds(
    ReplySchema,
    name=st.from_regex(r"[a-zA-Z0-9_-]{1,64}", fullmatch=True),
    json_schema=st.dictionaries(st.text(max_size=5), st.lists(st.integers()) | st.booleans() | st.text(max_size=5), max_size=3),
)
REQUESTS = st.builds(
    Request,
    model=ANY_TEXT,
    messages=st.lists(
        st.builds(Message, role=st.sampled_from(["system", "user", "assistant"]), content=ANY_TEXT), max_size=4
    ).map(tuple),
    reply_schema=SCHEMAS,
    temperature=st.floats(0, 2),
    max_tokens=st.integers(1, 10**6),
    seed=st.none() | st.integers(-(2**63), 2**63),
    sample=st.integers(0, 100),
    role=st.sampled_from(["daily", "weekly", "decision", "repair"]),
)
COUNT = st.none() | st.integers(0, 10**9)
REPLIES = st.builds(
    Reply,
    text=ANY_TEXT,
    finish_reason=st.sampled_from(["stop", "length", "refused", "other"]),
    usage=st.builds(Usage, prompt_tokens=COUNT, completion_tokens=COUNT, cached_tokens=COUNT),
    model=st.none() | ANY_TEXT,
    seconds=st.none() | st.floats(0, 1e6),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(request=REQUESTS, reply=REPLIES)
def test_any_request_and_reply_come_back_exactly(recording: Recording, request: Request, reply: Reply) -> None:
    before = recording.get(request.key)
    stored = recording.put(request, reply)
    assert stored == (before or reply)
    assert recording.get(request.key) == stored
    found = recording.request(request.key)
    assert [message.content for message in found.messages] == [message.content for message in request.messages]
    assert found.key == request.key
    assert found == request or before is not None  # equal keys may differ in role, which no model sees


def test_the_first_reply_stays(recording: Recording) -> None:
    first = recording.put(ask("a"), Reply(text="first"))
    assert recording.put(ask("a"), Reply(text="second")) == first
    assert recording.put(ask("a", sample=1), Reply(text="second")).text == "second"
    assert recording.get(ask("b").key) is None
    assert len(recording) == 2


def test_role_is_no_part_of_the_key_and_the_first_one_is_kept(recording: Recording) -> None:
    recording.put(ask("a", role="daily"), Reply(text="x"))
    assert recording.put(ask("a", role="decision"), Reply(text="y")).text == "x"
    assert recording.request(ask("a").key).role == "daily"


def test_lines_are_stored_once(recording: Recording) -> None:
    window = [f'{{"event_id": "e{i}", "pad": "{i:0400d}"}}' for i in range(300)]
    for start in range(200):
        recording.put(ask("\n".join(window[start : start + 100])), Reply(text="{}"))
    recording.close()
    assert recording.path.stat().st_size < 600_000  # the texts alone are 200 x 43 KB


def test_memo_stays_small_and_exact(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_lines", store_module._Memo(1_000))
    asked = [ask("\n".join(f"line {random.Random(i).randrange(40)} {j}" for j in range(20))) for i in range(60)]
    for request in asked:
        recording.put(request, Reply(text="{}"))
    memo = recording._lines
    assert len(memo._young) + len(memo._old) < 60
    assert [recording.request(request.key) for request in asked] == asked


def test_totals_keys_replies_and_sources(recording: Recording) -> None:
    for position in range(600):
        usage = Usage(prompt_tokens=10, completion_tokens=2, cached_tokens=5) if position % 3 else Usage()
        role = "daily" if position % 2 else "decision"
        recording.put(ask(str(position), role=role), Reply(text=str(position), usage=usage), source="offline")  # type: ignore[arg-type]
    totals = recording.totals()
    assert list(totals) == ["daily", "decision"]
    assert totals["daily"] == (300, 2000, 400, 1000, 100)
    assert [found.reply.text for found in recording.iter_replies()] == [str(position) for position in range(600)]
    assert [found.key for found in recording.iter_replies()] == list(recording.keys())
    assert recording.sources() == (("offline", "m"),)


def test_reopening_finds_everything_and_leaves_one_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "replies #1?.sqlite"
    with Recording.open(path) as recording:
        recording.put(ask("a"), Reply(text="x"))
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    with Recording.open(path) as recording:
        assert recording.get(ask("a").key) == Reply(text="x")
        recording.put(ask("b"), Reply(text="y"))
    before = path.read_bytes()
    with Recording.open(path, mode="replay") as recording:
        assert recording.get(ask("b").key) == Reply(text="y")
        assert recording.request(ask("a").key) == ask("a")
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_durable_means_synchronous_full(tmp_path: Path) -> None:
    for durable, level in ((True, 2), (False, 1)):
        with Recording.open(tmp_path / "a.sqlite", durable=durable) as recording:
            assert recording._file._writer.execute("PRAGMA synchronous").fetchone() == (level,)
            assert recording._file._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_replay_never_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with pytest.raises(StoreError, match="no recording store is there"):
        Recording.open(path, mode="replay")
    assert not path.exists()
    Recording.open(path).close()
    with Recording.open(path, mode="replay") as recording, pytest.raises(StoreError, match="opened for replay"):
        recording.put(ask(), Reply(text="x"))


def test_replay_from_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.sqlite"
    with Recording.open(path) as recording:
        recording.put(ask("a"), Reply(text="x"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    with Recording.open(path, mode="replay") as recording:
        assert recording.get(ask("a").key) == Reply(text="x")


def test_a_closed_store_says_so(recording: Recording) -> None:
    recording.close()
    recording.close()
    with pytest.raises(StoreError, match="closed"):
        recording.get(ask().key)
    with pytest.raises(StoreError, match="closed"):
        recording.put(ask(), Reply(text="x"))


def test_no_key_no_request(recording: Recording) -> None:
    with pytest.raises(StoreError, match="'nonsense' is no request key"):
        recording.get("nonsense")
    with pytest.raises(StoreError, match="no request '00' is recorded"):
        recording.request("00")


# --- processes and threads

WRITER = """
import sys
from proactmem.llm.backbone import Message, Reply, Request
from proactmem.llm.store import Recording
recording = Recording.open(sys.argv[1])
first, last = int(sys.argv[2]), int(sys.argv[3])
for position in range(first, last):
    message = Message(role="user", content="shared line\\n" + str(position))
    request = Request(model="m", messages=(message,), max_tokens=64, role="decision")
    recording.put(request, Reply(text=sys.argv[4]))
    print(position, flush=True)
recording.close()
"""


def test_nothing_stored_is_lost_when_the_writer_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    child = run(WRITER, path, 0, 1_000_000, "x")
    assert child.stdout is not None
    for _ in range(120):
        last = int(child.stdout.readline())
    child.send_signal(signal.SIGKILL)
    rest, _ = child.communicate(timeout=60)
    whole = [line for line in rest.split("\n")[:-1] if line]
    last = int(whole[-1]) if whole else last
    for mode in ("replay", "record"):
        with Recording.open(path, mode=mode) as recording:  # type: ignore[arg-type]
            assert all(recording.get(ask(f"shared line\n{n}").key) == Reply(text="x") for n in range(last + 1))
            assert len(recording) in (last + 1, last + 2)
            assert recording.request(ask("shared line\n7").key) == ask("shared line\n7")


def test_two_processes_write_one_store(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    children = [run(WRITER, path, 0, 150, "one"), run(WRITER, path, 100, 250, "two")]
    for child in children:
        _, err = child.communicate(timeout=60)
        assert child.returncode == 0, err
    with Recording.open(path) as recording:
        assert len(recording) == 250
        assert {found.reply.text for found in recording.iter_replies()} == {"one", "two"}
        assert all(recording.request(ask(f"shared line\n{n}").key).max_tokens == 64 for n in range(250))
    assert [file.name for file in tmp_path.iterdir()] == ["a.sqlite"]


def test_many_threads_write_and_read_one_store(recording: Recording) -> None:
    failures: list[BaseException] = []

    def work(worker: int) -> None:
        try:
            for position in range(60):
                request = ask(f"common\nline {position % 50}\n{worker % 2}")
                stored = recording.put(request, Reply(text=f"{worker} {position}"))
                assert recording.get(request.key) == stored
                assert recording.request(request.key) == request
        except BaseException as error:  # noqa: BLE001 - carried to the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(recording) == 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_is_told_to_open_its_own(recording: Recording) -> None:
    recording._file._pid += 1  # as a child sees it
    with pytest.raises(StoreError, match=r"another process.*after a fork"):
        recording.get(ask().key)
    recording._file._pid -= 1
