"""Triage orders the queue and a panel of models judges every event; unusable replies are missing votes."""

from __future__ import annotations

import json

import pytest

from proactmem.core.events import public_json
from proactmem.datasets.annotate.asking import annotation_request, check_judged, check_triaged, shown
from proactmem.datasets.annotate.panel import panel
from proactmem.datasets.annotate.queue import read_queue, triage, write_queue
from proactmem.datasets.annotate.votes import read_votes, vote_file
from proactmem.datasets.built import BuiltStreams
from proactmem.errors import BackboneError, ConfigError, InputError
from proactmem.llm.asking import Fault
from proactmem.llm.backbone import Reply, Request
from proactmem.llm.offline.backbone import OfflineBackbone


class Scripted:
    name, model = "scripted", "m"

    def __init__(self, *texts: str, fail_after: int = 10**9) -> None:
        self.texts, self.asked, self.fail_after = texts, [], fail_after

    def complete(self, request: Request) -> Reply:
        if len(self.asked) >= self.fail_after:
            raise BackboneError("down")
        self.asked.append(request)
        return Reply(text=self.texts[(len(self.asked) - 1) % len(self.texts)])


GOOD = json.dumps({"A": True, "B": False, "N": True, "service": "walk", "note": "still"})


def test_a_request_shows_the_history_and_no_vote_or_label(built):
    events = tuple(BuiltStreams.open(built).events("heartsteps_participant_01"))
    request, left_out = annotation_request(events[9], events[:9], model="m", annotator=2, of=3, temperature=0.7)
    user = request.messages[1].content
    assert left_out == 0
    assert all(public_json(event.public) in user for event in events[:10])
    assert public_json(events[10].public) not in user
    assert (request.sample, request.temperature, request.role) == (1, 0.7, "annotation")
    assert "Services: a walk or a stretch" in request.messages[0].content
    assert "reference" not in user
    tight, cut = annotation_request(events[9], events[:9], model="m", annotator=1, of=1, temperature=0, characters=1500)
    assert cut > 0
    assert f'"left_out": {cut}' in tight.messages[1].content
    assert shown(events[:9], 10**9).left_out == 0
    assert shown(events[:9], 1).events == ()


@pytest.mark.parametrize(
    "text",
    ["", "no json", '{"A": true}', "[]", '{"A": "yes"}'],
)
def test_a_reply_that_is_none_is_a_fault(text):
    assert isinstance(check_judged(text), Fault)
    assert isinstance(check_triaged(text), Fault)
    assert isinstance(check_triaged('{"score": 2}'), Fault)
    assert check_triaged('{"score": 0.25}') == 0.25


def test_the_queue_holds_every_event_once_and_gives_no_hindsight(built, tmp_path):
    streams = BuiltStreams.open(built)
    order = triage(streams, OfflineBackbone())
    for name in streams.stream_ids:
        assert [one.item[1] for one in order if one.item[0] == name] == [event.event_id for event in streams.events(name)]
    queue = triage(streams, OfflineBackbone(), hindsight=True)
    assert sorted(queue) == sorted(order)
    assert sorted(one.item for one in queue) == sorted((s, e.event_id) for s in streams.stream_ids for e in streams.events(s))
    assert [one.score for one in queue] == sorted((one.score for one in queue), reverse=True)
    assert len({one.score for one in queue}) > 1
    write_queue(tmp_path / "queue.jsonl", queue)
    assert read_queue(tmp_path / "queue.jsonl") == queue
    assert {one.score for one in triage(streams, Scripted("?"))} == {0.5}
    (tmp_path / "queue.jsonl").write_text("x\n")
    with pytest.raises(InputError, match="row 1: is no line of a queue"):
        read_queue(tmp_path / "queue.jsonl")


def test_a_panel_judges_every_event_and_is_not_asked_twice(built, tmp_path):
    backbone = Scripted(GOOD)
    total = sum(BuiltStreams.open(built).counts.values())
    seen = []
    report = panel(built, tmp_path, backbone, annotators=2, progress=lambda done, of: seen.append((done, of)))
    assert (report.votes, report.missing, report.cut) == (2 * total, 0, 0)
    assert seen[-1] == (2 * total, 2 * total)
    assert all(vote.y and vote.service == "walk" for vote in read_votes(vote_file(tmp_path, "panel-2")).values())
    asked = len(backbone.asked)
    assert panel(built, tmp_path, backbone, annotators=2, jobs=2).votes == 2 * total
    assert len(backbone.asked) == asked
    with pytest.raises(ConfigError, match="expected at least 1"):
        panel(built, tmp_path, backbone, annotators=0)


def test_an_unusable_reply_is_a_missing_vote_and_an_outage_loses_nothing(built, tmp_path):
    assert panel(built, tmp_path / "a", Scripted("?"), annotators=1).votes == 0
    missing = read_votes(vote_file(tmp_path / "a", "panel-1")).values()
    assert {(vote.y, vote.a, vote.note) for vote in missing} == {(None, None, "no usable reply: not_json")}
    with pytest.raises(BackboneError):
        panel(built, tmp_path / "b", Scripted(GOOD, fail_after=10), annotators=1)
    kept = len(read_votes(vote_file(tmp_path / "b", "panel-1")))
    assert 0 < kept <= 10
    total = sum(BuiltStreams.open(built).counts.values())
    backbone = Scripted(GOOD)
    assert panel(built, tmp_path / "b", backbone, annotators=1).votes == total
    assert len(backbone.asked) == total - kept
