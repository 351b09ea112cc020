"""proactmem.llm.store: every kind of damage is a StoreError, and none gives a wrong reply."""

from __future__ import annotations

import os
import random
import sqlite3
import sys
from pathlib import Path

import pytest

from proactmem.errors import StoreError
from proactmem.llm.backbone import Reply, Request
from proactmem.llm.store import Recording
from proactmem.llm.store_file import APPLICATION_ID, STORE_VERSION
from tests.llm.doubles import ask, run


def test_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    Recording.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version={STORE_VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    for mode in ("record", "replay"):
        with pytest.raises(StoreError, match=f"version {STORE_VERSION + 1}, expected {STORE_VERSION}.*new file"):
            Recording.open(path, mode=mode)  # type: ignore[arg-type]
    assert path.read_bytes() == before


@pytest.mark.parametrize("statement", ["CREATE TABLE theirs (x)", "PRAGMA application_id=7", "PRAGMA user_version=1"])
def test_a_foreign_database_is_refused_and_left_alone(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "theirs.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
    before = path.read_bytes()
    for mode in ("record", "replay"):
        with pytest.raises(StoreError, match=f"no recording store .*expected {APPLICATION_ID:#x}"):
            Recording.open(path, mode=mode)  # type: ignore[arg-type]
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"not a database, just text\n" * 200, random.Random(1).randbytes(40_000), b"short"])
def test_random_bytes_are_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(content)
    for mode in ("record", "replay"):
        with pytest.raises(StoreError, match=r"a\.sqlite: not a readable recording store"):
            Recording.open(path, mode=mode)  # type: ignore[arg-type]
    assert path.read_bytes() == content


def filled(path: Path, count: int = 400) -> list[Request]:
    asked = [ask(f"question {position} " + "x" * 300) for position in range(count)]
    with Recording.open(path, durable=False) as recording:
        for request in asked:
            recording.put(request, Reply(text=f"answer to {request.messages[0].content}"))
    return asked


def read_all(path: Path, asked: list[Request]) -> list[Reply | None]:
    with Recording.open(path, mode="replay") as recording:
        replies = [recording.get(request.key) for request in asked]
        for request in asked:
            recording.request(request.key)
        return replies


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_store_is_refused(tmp_path: Path, share: float) -> None:
    path = tmp_path / "a.sqlite"
    asked = filled(path)
    os.truncate(path, int(path.stat().st_size * share))
    with pytest.raises(StoreError, match="not a readable recording store"):
        read_all(path, asked)


def test_an_empty_file_is_new_to_record_and_nothing_to_replay(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.touch()
    with pytest.raises(StoreError, match="no recording store"):
        Recording.open(path, mode="replay")
    with Recording.open(path) as recording:
        recording.put(ask(), Reply(text="x"))
    assert read_all(path, [ask()]) == [Reply(text="x")]


def test_damage_never_gives_a_wrong_reply(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    asked = filled(path)
    whole = path.read_bytes()
    refused = 0
    for seed in range(40):
        rng = random.Random(seed)
        damaged = bytearray(whole)
        start = rng.randrange(100, len(whole) - 600)
        damaged[start : start + 500] = rng.randbytes(500)
        path.write_bytes(damaged)
        try:
            replies = read_all(path, asked)
        except StoreError:
            refused += 1
            continue
        right = [f"answer to {request.messages[0].content}" for request in asked]
        assert all(reply is None or reply.text == text for reply, text in zip(replies, right, strict=True))
    assert refused > 20


def test_a_changed_letter_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Recording.open(path) as recording:
        recording.put(ask("the question"), Reply(text="the answer"))
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"the answer", b"the anzwer"))
    with Recording.open(path) as recording, pytest.raises(StoreError, match="differs from its checksum"):
        recording.get(ask("the question").key)
    path.write_bytes(whole.replace(b"the question", b"the guestion"))
    with Recording.open(path) as recording, pytest.raises(StoreError, match="differs from its hash"):
        recording.request(ask("the question").key)


def test_a_full_disk_is_named_and_nothing_is_half_stored(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Recording.open(path, durable=False) as recording:
        recording.put(ask("a"), Reply(text="x"))
        pages = recording._file._writer.execute("PRAGMA page_count").fetchone()[0]
        recording._file._writer.execute(f"PRAGMA max_page_count={pages + 8}")
        big = [ask(f"{position} " + "y" * 9_000) for position in range(20)]
        with pytest.raises(StoreError, match=r"the disk is full.*Free some space"):
            _ = [recording.put(request, Reply(text="z")) for request in big]
        recording._file._writer.execute("PRAGMA max_page_count=1000000")
        stored = len(recording)
        for request in big:  # the same command again, with space
            recording.put(request, Reply(text="z"))
        assert 1 <= stored < 21 == len(recording)
        assert [recording.request(request.key) for request in big] == big


LIMITED = """
import resource, signal, sys
from proactmem.errors import StoreError
from proactmem.llm.backbone import Message, Reply, Request
from proactmem.llm.store import Recording
recording = Recording.open(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
count = 0
try:
    for position in range(1000):
        message = Message(role="user", content=f"{position} " + "x" * 2000)
        recording.put(Request(model="m", messages=(message,), max_tokens=1, role="daily"), Reply(text="{}"))
        count += 1
except StoreError as error:
    print(count, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs RLIMIT_FSIZE")
def test_a_file_that_may_not_grow_is_a_store_error(tmp_path: Path) -> None:
    child = run(LIMITED, tmp_path / "a.sqlite")
    out, err = child.communicate(timeout=60)
    count, _, message = out.partition(" ")
    assert "cannot be written" in message or "disk is full" in message, (out, err)
    assert 0 < int(count) < 1000
    with Recording.open(tmp_path / "a.sqlite") as recording:
        assert len(recording) == int(count)
