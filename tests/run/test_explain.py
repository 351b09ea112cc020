"""proactmem.run.explain: what was seen, proposed and decided at one event, and the exact messages on request."""

from __future__ import annotations

from pathlib import Path

import pytest

from proactmem.core.records import EventRecord
from proactmem.errors import ConfigError, StoreError
from proactmem.llm.recording import Recording
from proactmem.run.explain import explain, find_record
from tests.run.making import FIRST, SECOND, do


@pytest.fixture(scope="module")
def run(smoke: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with admitted regularities and suppressed proposals."""
    return do("proactmem", smoke, tmp_path_factory.mktemp("explained") / "run")


def records(run: Path) -> list[EventRecord]:
    lines = (run / "records" / f"{FIRST}.jsonl").read_bytes().splitlines()
    return [EventRecord.model_validate_json(line) for line in lines]


def test_every_event_can_be_explained(run: Path) -> None:
    for record in records(run):
        assert find_record(run, record.event_id) == record
        text = explain(run, record.event_id)
        assert text.startswith(f"{FIRST}, event {record.index}: {record.event_id}\n")
        for heading in ("What the method saw", "What it proposed", "What the controller decided", "Model calls"):
            assert f"\n{heading}\n" in text
        assert ("  abstain: " if record.decision.verdict == "abstain" else "  intervene: ") in text


def test_a_suppressed_proposal_names_the_earlier_event_and_the_key(run: Path) -> None:
    record = next(record for record in records(run) if record.decision.suppression)
    assert record.decision.suppression is not None
    text = explain(run, record.event_id)
    assert f"abstain: suppressed, repeats the intervention at event {record.decision.suppression.earlier_event_id}\n" in text
    assert f"  key  {record.decision.suppression.key}\n" in text


def test_regularities_and_trajectories_are_shown_as_they_were_seen(run: Path) -> None:
    record = next(record for record in records(run) if record.context and record.context.regularities)
    assert record.context is not None
    text = explain(run, record.event_id)
    assert f"  recent events  {record.context.recent}, from {record.context.first_recent}\n" in text
    for match in record.context.regularities:
        assert f"    {match.regularity_id}  {match.state}, {match.lifecycle}, confidence {match.confidence:.2f}\n" in text
    remembered = next(record for record in records(run) if record.context and record.context.trajectories)
    assert remembered.context is not None
    assert f"\n    {remembered.context.trajectories[-1]}  2015-" in explain(run, remembered.event_id)


def test_the_prompt_shows_the_stored_messages_and_replies(run: Path) -> None:
    record = records(run)[40]
    text = explain(run, record.event_id, prompt=True)
    assert explain(run, record.event_id) in text
    with Recording.open(run / "replies.sqlite", mode="replay") as recording:
        for call in record.calls:
            reply = recording.get(call.key)
            assert reply is not None
            assert f"\n--- {call.role}, reply\n{reply.text}\n" in text
            for message in recording.request(call.key).messages:
                assert f"\n--- {call.role}, {message.role}\n{message.content}" in text


def test_constants_have_nothing_to_show(built: Path, tmp_path: Path) -> None:
    out = do("always", built, tmp_path / "run")
    text = explain(out, records(out)[0].event_id, prompt=True)
    assert "nothing: the method looks at no context" in text
    assert "Model calls" not in text


def test_unknown_and_ambiguous_events_are_named(built: Path, tmp_path: Path) -> None:
    out = do("never", built, tmp_path / "run")
    event = records(out)[0].event_id
    with pytest.raises(ConfigError, match="no finished stream holds an event 'nothing'"):
        explain(out, "nothing")
    with pytest.raises(ConfigError, match="holds no finished stream 'nobody'"):
        explain(out, event, stream_id="nobody")
    first, second = (out / "records" / f"{stream}.jsonl" for stream in (FIRST, SECOND))
    line = first.read_bytes().splitlines()[0].replace(FIRST.encode(), SECOND.encode())
    second.write_bytes(second.read_bytes() + line + b"\n")
    with pytest.raises(ConfigError, match=rf"occurs in several streams \({FIRST}, {SECOND}\)") as raised:
        explain(out, event)
    assert raised.value.remedy == "Name one with --stream."
    assert explain(out, event, stream_id=FIRST).startswith(FIRST)


def test_damaged_files_are_named_with_their_row(built: Path, tmp_path: Path) -> None:
    out = do("proactmem", built, tmp_path / "run")
    record = next(record for record in records(out) if record.context and record.context.trajectories)
    with pytest.raises(StoreError, match="is no run directory"):
        explain(tmp_path / "nowhere", record.event_id)
    audit = out / "audit" / f"{FIRST}.jsonl"
    for damage in (b"\xff\n", b"[]\n", b'{"kind": "day"}\n', b"{\n"):
        before = audit.read_bytes()
        audit.write_bytes(damage + before)
        with pytest.raises(StoreError, match=rf"audit/{FIRST}\.jsonl, row 1: is no audit entry") as raised:
            explain(out, record.event_id)
        assert "Delete the stream's file under records/" in str(raised.value)
        audit.write_bytes(before)
    (out / "replies.sqlite").unlink()
    with pytest.raises(StoreError, match="holds no recording"):
        explain(out, record.event_id, prompt=True)
    file = out / "records" / f"{FIRST}.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    lines[record.index] = b'{"event_id":"' + record.event_id.encode() + b'"}\n'
    file.write_bytes(b"".join(lines))
    with pytest.raises(StoreError, match=rf"row {record.index + 1}: is no event record"):
        explain(out, record.event_id)
