"""A failing service stops a run at a named event and decides nothing; a bad reply is an outcome (ARCHITECTURE, idea 2)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from proactmem.core.records import EventRecord
from proactmem.errors import BackboneError, ConfigError, ProactmemError, ReplayMissError
from proactmem.llm import service_errors
from proactmem.llm.backbone import Request
from proactmem.llm.choose import choose_backbone
from proactmem.llm.faulty_service import Fault, FaultKind, FaultyService, faulty_service
from proactmem.llm.offline.backbone import OfflineBackbone
from proactmem.llm.openai_compat import OpenAIBackbone
from proactmem.llm.recording import Recording, RecordingBackbone
from tests.run.making import FIRST, SECOND, Failing, do, down, files


def finished(out: Path) -> list[str]:
    return [done["stream_id"] for done in json.loads((out / "manifest.json").read_bytes())["finished"]]


def kinds() -> Iterator[ProactmemError]:
    """One error of every kind a backbone raises, the kinds of `service_errors` found by looking."""
    for name in ("KeyRejectedError", "QuotaError"):
        assert name in service_errors.__all__
    for name in sorted(service_errors.__all__):
        kind = getattr(service_errors, name)
        if kind is service_errors.GaveUpError:
            yield kind("no reply.", attempts=6, cause="status 500", remedy="Check the service.")
        elif isinstance(kind, type) and issubclass(kind, BackboneError):
            yield kind("no reply.", remedy="Check the service.")
    yield BackboneError("no reply.")
    yield ReplayMissError("no reply.", remedy="Record it.")


@pytest.mark.parametrize("error", list(kinds()), ids=lambda error: type(error).__name__)
def test_every_kind_of_failure_keeps_its_kind_and_says_where(error: ProactmemError, built: Path, tmp_path: Path) -> None:
    failing = Failing(lambda _, request: error if request.role == "daily" else None)
    with pytest.raises(type(error)) as raised:
        do("trajectory", built, tmp_path / "run", failing, only=[SECOND])
    found = raised.value
    assert type(found) is type(error)
    assert re.fullmatch(rf"stream {SECOND}, event [1-9]: no reply\.", found.message)
    assert str(found) == " ".join(filter(None, (found.message, found.remedy)))
    assert ("The same command resumes here" in str(found)) is isinstance(error, BackboneError)
    assert str(error).startswith("no reply.")  # the original is as it was
    if isinstance(error, service_errors.GaveUpError):
        assert isinstance(found, service_errors.GaveUpError)
        assert (found.attempts, found.cause) == (6, "status 500")


@pytest.mark.parametrize("jobs", [1, 2])
def test_finished_streams_are_kept_and_the_run_goes_on(jobs: int, built: Path, tmp_path: Path) -> None:
    expected = files(do("proactmem", built, tmp_path / "whole"))
    second = Failing(lambda _, request: down(0, request) if _asks_for(request, SECOND, event=5) else None)
    with pytest.raises(BackboneError, match=rf"stream {SECOND}, event 5: the service is down\. Start it\. The same command"):
        do("proactmem", built, tmp_path / "run", second, jobs=jobs)
    if jobs == 1:
        assert finished(tmp_path / "run") == [FIRST]
    mended = Failing()
    assert files(do("proactmem", built, tmp_path / "run", mended, jobs=jobs)) == expected
    whole = Failing()
    do("proactmem", built, tmp_path / "counted", whole)
    assert mended.calls + second.calls == whole.calls + 1  # the one that failed


def _asks_for(request: Request, stream: str, *, event: int) -> bool:
    """Whether it is the decision on a stream's event, by the number of recent events it shows (all within 72 hours)."""
    text = request.messages[-1].content
    recent = text.partition("<recent_events>\n")[2].partition("</recent_events>")[0]
    return request.role == "decision" and f'Entity: "{stream}".' in text and len(recent.splitlines()) == event


def test_a_failure_at_the_last_close_is_placed_there(built: Path, tmp_path: Path) -> None:
    whole = Failing()
    do("trajectory", built, tmp_path / "whole", whole, only=[FIRST])
    last = Failing(lambda number, request: down(number, request) if number == whole.calls - 1 else None)
    with pytest.raises(BackboneError, match=rf"stream {FIRST}, closing the last day: the service is down"):
        do("trajectory", built, tmp_path / "run", last, only=[FIRST])
    assert finished(tmp_path / "run") == []


def test_replaying_a_recording_that_is_not_of_this_run_names_the_event(built: Path, tmp_path: Path) -> None:
    with Recording.open(tmp_path / "r.sqlite"):
        pass
    with Recording.open(tmp_path / "r.sqlite", mode="replay") as recording:
        empty = RecordingBackbone(None, recording, model=OfflineBackbone.model, name="offline")
        with pytest.raises(ReplayMissError, match=rf"stream {FIRST}, event 0: .*no decision request at all is recorded"):
            do("proactmem", built, tmp_path / "run", empty)


def client(service: FaultyService) -> OpenAIBackbone:
    return OpenAIBackbone(OfflineBackbone.model, service.base_url, attempts=2, sleep=lambda _: None, name="offline")


def through(script: list[Fault], built: Path, out: Path, method: str = "event-only") -> list[EventRecord]:
    """The first stream's records of a run through a service that plays the script and then is well."""
    with faulty_service(OfflineBackbone(), script) as service:
        backbone = client(service)
        try:
            do(method, built, out, backbone, only=[FIRST])
        finally:
            backbone.close()
    return [EventRecord.model_validate_json(line) for line in (out / "records" / f"{FIRST}.jsonl").read_bytes().splitlines()]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("prose", "not_json"),
        ("wrong_schema", "wrong_schema"),
        ("huge", "too_long"),
        ("nul", "wrong_schema"),
        ("empty", "empty"),
        ("surrogate", "wrong_schema"),
        ("null_content", "empty"),
        ("refusal", "refused"),
        ("length", "truncated"),
        ("no_choices", "empty"),
    ],
)
def test_a_model_that_answers_nonsense_is_silent_with_a_reason(
    kind: FaultKind, reason: str, built: Path, tmp_path: Path
) -> None:
    """Two events' requests and repairs are answered badly, the rest well: the run ends and says why it was silent."""
    attempts = 1 if reason == "refused" else 2
    found = through([Fault(kind)] * 2 * attempts, built, tmp_path / "run")
    for record in found[:2]:
        assert (record.decision.verdict, record.decision.reason) == ("abstain", reason)
        assert record.unusable is not None
        assert (record.unusable.reason, record.unusable.attempts) == (reason, attempts)
    expected = do("event-only", built, tmp_path / "well", only=[FIRST])
    lines = (expected / "records" / f"{FIRST}.jsonl").read_bytes().splitlines()
    assert [record.proposal for record in found[2:]] == [EventRecord.model_validate_json(line).proposal for line in lines[2:]]


@pytest.mark.parametrize("kind", ["prose", "wrong_schema", "nul", "empty", "length"])
def test_a_model_that_never_answers_well_is_always_silent(kind: FaultKind, built: Path, tmp_path: Path) -> None:
    found = through([Fault(kind)] * 500, built, tmp_path / "run", "proactmem")
    assert len(found) > 33
    assert {record.decision.verdict for record in found} == {"abstain"}
    assert all(record.unusable is not None for record in found)
    with (tmp_path / "run" / "audit" / f"{FIRST}.jsonl").open() as lines:
        outcomes = {entry["record"]["outcome"] for entry in map(json.loads, lines) if entry["kind"] == "day"}
    assert outcomes == {"unusable"}


@pytest.mark.parametrize(
    "fault",
    [
        Fault("status", status=429),
        Fault("status", status=500),
        Fault("reset"),
        Fault("cut_off"),
        Fault("malformed"),
    ],
    ids=lambda fault: f"{fault.kind}{fault.status if fault.kind == 'status' else ''}",
)
def test_a_service_that_stumbles_is_asked_again_and_one_that_fails_names_the_event(
    fault: Fault, built: Path, tmp_path: Path
) -> None:
    expected = do("event-only", built, tmp_path / "well", only=[FIRST])
    through([fault], built, tmp_path / "once")
    assert files(tmp_path / "once", "records") == files(expected, "records")
    with pytest.raises(BackboneError, match=rf"stream {FIRST}, event 0: http://127\.0\.0\.1:\d+/v1 .*The same command resumes"):
        through([fault] * 9, built, tmp_path / "twice")
    assert finished(tmp_path / "twice") == []


def test_the_share_of_fabricated_replies_is_a_share() -> None:
    for share in (-0.1, 1.5, float("nan")):
        with pytest.raises(ConfigError, match="expected 0 to 1"):
            choose_backbone("offline", fabricate=share)
