"""proactmem.llm.recording: each distinct request is asked once, and a replay says what it misses."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from proactmem.errors import BackboneError, ConfigError, ReplayMissError
from proactmem.llm.backbone import Backbone, Reply, Request
from proactmem.llm.recording import Recording, RecordingBackbone, difference
from tests.llm.doubles import Answering, ask


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Recording]:
    with Recording.open(tmp_path / "replies.sqlite", durable=False) as opened:
        yield opened


def test_a_request_is_asked_once(store: Recording) -> None:
    inner = Answering(lambda request: f"to {request.messages[0].content}")
    recorded = RecordingBackbone(inner, store)
    assert isinstance(recorded, Backbone)
    assert (recorded.name, recorded.model) == ("double", "m")
    assert [recorded.complete(ask(text)).text for text in "abab"] == ["to a", "to b", "to a", "to b"]
    assert (recorded.calls, recorded.hits, len(inner.asked)) == (2, 2, 2)


def test_the_reply_is_stored_before_it_is_returned(store: Recording) -> None:
    RecordingBackbone(Answering("x"), store).complete(ask("a"))
    assert store.get(ask("a").key) == Reply(text="x")


def test_identical_concurrent_requests_make_one_call(store: Recording) -> None:
    def slow(request: Request) -> str:
        time.sleep(0.05)
        return request.messages[0].content

    inner = Answering(slow)
    recorded = RecordingBackbone(inner, store)
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda text=text: found.append(recorded.complete(ask(text)).text)) for text in "aabbaabb"
    ]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list("aaaabbbb")
    assert sorted(request.messages[0].content for request in inner.asked) == ["a", "b"]
    assert (recorded.calls, recorded.hits) == (2, 6)
    assert time.perf_counter() - started < 0.4  # a and b did not wait for each other eight times
    assert not recorded._asking


def test_a_failure_is_not_stored_and_the_next_one_asks_again(store: Recording) -> None:
    outcomes = iter([BackboneError("down"), "up"])

    def flaky(_: Request) -> str:
        outcome = next(outcomes)
        if isinstance(outcome, BackboneError):
            raise outcome
        return outcome

    recorded = RecordingBackbone(Answering(flaky), store)
    with pytest.raises(BackboneError, match="down"):
        recorded.complete(ask())
    assert len(store) == 0
    assert recorded.complete(ask()).text == "up"
    assert recorded.calls == 2


def test_replay_answers_and_names_itself_after_the_recorded_backbone(store: Recording) -> None:
    original = RecordingBackbone(Answering("x"), store).complete(ask())
    with Recording.open(store.path, mode="replay") as again:
        replay = RecordingBackbone(None, again)
        assert (replay.name, replay.model) == ("double", "m")
        assert replay.complete(ask()) == original
        assert (replay.calls, replay.hits) == (0, 1)


def test_replay_of_several_models_asks_which(store: Recording) -> None:
    with pytest.raises(ConfigError, match="replies of 0 models"):
        _ = RecordingBackbone(None, store).model
    assert RecordingBackbone(None, store).name == "replay"
    for model in ("m", "n"):
        store.put(ask().model_copy(update={"model": model}), Reply(text="x"))
    with pytest.raises(ConfigError, match=r"'m', 'n'.*`model=`"):
        _ = RecordingBackbone(None, store).model
    assert RecordingBackbone(None, store, model="n", name="mine").model == "n"


def test_a_model_beside_a_store_for_replay_is_a_mistake(store: Recording) -> None:
    with Recording.open(store.path, mode="replay") as again, pytest.raises(ConfigError, match="opened for replay"):
        RecordingBackbone(Answering(), again)


def test_a_miss_names_the_nearest_request_and_the_difference(store: Recording) -> None:
    lines = [f"event {number}" for number in range(30)]
    near = ask("\n".join(lines))
    for request in (ask("other"), near, ask("\n".join(lines[:10])), ask("\n".join(lines), role="daily", sample=7)):
        store.put(request, Reply(text="{}"))
    changed = ask("\n".join([*lines[:20], "event twenty", *lines[21:]]))
    with pytest.raises(ReplayMissError) as caught:
        RecordingBackbone(None, store).complete(changed)
    text = str(caught.value)
    assert near.key[:12] in text
    assert "shares 29 lines" in text
    assert "line 21 of message 1 (user): recorded 'event 20', asked 'event twenty'" in text
    with pytest.raises(ReplayMissError, match="no weekly request at all is recorded"):
        RecordingBackbone(None, store).complete(ask("other", role="weekly", sample=1))


def test_differences_are_spelled_out() -> None:
    base = ask("one\ntwo", system="rules")
    assert difference(base, base) == "nothing"
    assert "sample: recorded 0, asked 2" in difference(base, base.model_copy(update={"sample": 2}))
    assert difference(base, ask("one\ntwo", system="rules", schema=True)) == "the reply schema"
    assert difference(base, ask("one\ntwo\n", system="rules")).endswith(
        "line 3 of message 2 (user): recorded nothing, asked ''"
    )
    assert "the role of message 1" in difference(base, ask("one\ntwo"))
    shorter = base.model_copy(update={"messages": base.messages[:1]})
    assert difference(base, shorter) == "messages: recorded 2, asked 1"
