"""The account tells what the record says, knows nothing of the future, and takes event text for data."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from proactmem.core.labels import Label
from proactmem.core.records import Unusable
from proactmem.errors import StoreError
from proactmem.explore.account import Account, Section, account, when
from proactmem.explore.explorer import Explorer
from proactmem.explore.jumps import jump, repeated
from proactmem.explore.source import Source
from proactmem.run.explain import explain
from tests.explore.making import SCRIPT, built, code_events, home_events
from tests.run.making import FIRST, do


def lines(found: Account, title: str) -> list[tuple[str, str]]:
    (section,) = [section for section in found.sections if section.title == title]
    return list(section.lines)


class Page(HTMLParser):
    """Tags, attributes and texts of a page, and whether every tag that opens closes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_an_intervention_on_a_regularity_is_told_whole(sports):
    place = next(one.index for one in sports.records if one.decision.verdict == "intervene" and one.context.regularities)
    record, found = sports.records[place], account(sports, place)
    seen = lines(found, "What the method saw")
    assert [name for name, _ in seen[:6]] == [
        "state Q_t", "event memory S_t", "trajectories W_t", "cycle", "regularities", "matches R_t",
    ]  # fmt: skip
    assert dict(seen)["event memory S_t"].startswith(f"{record.context.recent} events, since ")
    assert dict(seen)["event memory S_t"].endswith("(at most 99 within 72 h)")
    first = record.context.regularities[0]
    assert dict(seen)[f"R{sports.numbers[first.regularity_id]}"].endswith(first.text)
    proposed = dict(lines(found, "What it proposed"))
    assert proposed["decision"] == "intervene"
    assert proposed["message"] == record.proposal.message
    decided = dict(lines(found, "What was decided"))
    assert decided == {
        "decision": "intervene", "why": "proposed, and no earlier intervention holds its key", "key": record.decision.key,
    }  # fmt: skip
    assert found.told == explain(sports.run, record.event_id, stream_id=sports.stream_id)
    assert found.told in found.plain()


def test_a_suppression_names_what_it_repeats_and_its_key(sports):
    place = jump(sports, -1, "suppression")
    record, decided = sports.records[place], dict(lines(account(sports, place), "What was decided"))
    assert decided["decision"] == "abstain"
    assert decided["key"] == record.decision.suppression.key
    assert decided["repeats"].startswith(f"event {repeated(sports, place)}, ")
    assert decided["repeats"].endswith(record.decision.suppression.earlier_event_id)


def test_the_verdict_is_the_outcome_and_can_be_left_away(sports, explorer):
    for mark in ("label", "mistake"):
        place = jump(sports, -1, mark)
        told = dict(lines(account(sports, place), "The reference, joined afterwards"))
        assert told["verdict"] == sports.moments[place].outcome
        assert told["label"].startswith(f"y = {int(sports.moments[place].opportunity)} ")
        assert "reference" not in account(sports, place, labelled=False).plain().casefold()
    desktop = explorer.replay(scope="desktop")
    assert lines(account(desktop, 0), "The reference, joined afterwards") == [("label", "none: this event is not scored")]


def test_the_account_of_an_event_is_the_same_when_the_future_is_cut_off(tmp_path, root, folders):
    events = home_events(9)
    cut = 8 * 29 + 20
    whole = Explorer.of(Source.of_folder(built(tmp_path / "whole", events), tmp_path)).replay()
    past = Explorer.of(Source.of_folder(built(tmp_path / "past", events[: cut + 1]), tmp_path)).replay()
    for place in (0, 30, cut - 9, cut):
        here, there = (account(one, place, labelled=False) for one in (whole, past))
        assert (here.sections, here.public) == (there.sections, there.public)
        assert "to 260" in here.title
    assert any(one.context.regularities for one in past.records), "no regularity was applied: the test shows nothing"


def test_event_text_is_data_in_every_scope_and_rendering(explorer):
    code = explorer.replay(scope="code")
    for prompt in (False, True):
        page = Page(account(code, 1, prompt=prompt).html())
        assert page.open == []
        assert set(page.tags) <= {"h3", "h4", "section", "table", "tr", "th", "td", "pre", "bdi"}
        assert {name for name, _ in page.attributes} <= {"style", "scope", "tabindex", "aria-label"}
    assert "<script>alert('x')</script>" in page.text


def test_text_of_a_run_is_data_too():
    found = Account(SCRIPT, (Section(SCRIPT, ((SCRIPT, f"two\nlines {SCRIPT}"),)),), SCRIPT, SCRIPT)
    page = Page(found.html())
    assert not {"script", "img"} & set(page.tags)
    assert page.text.count("<script>") == 6
    plain = found.plain()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", plain)
    assert "two lines <script>" in plain
    assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e]", page.text)
    assert "\\u202e\\u001b[31m 寝" in plain
    assert "\\u202e\\u001b[31m 寝" in page.text


def test_a_method_without_context_or_control_says_so(explorer):
    always = account(explorer.replay(method="always", scope="sports"), 3)
    assert lines(always, "What the method saw") == [("context", "nothing: the method looks at no context")]
    assert dict(lines(always, "What was decided"))["why"] == "as proposed, without control"
    never = account(explorer.replay(method="never", scope="sports"), 3)
    assert dict(lines(never, "What was decided")) == {"decision": "abstain", "why": "a constant policy"}


def test_an_unusable_reply_is_told_with_its_reason(sports):
    place = next(moment.index for moment in sports.moments if moment.decision == "abstain")
    unusable = Unusable(reason="not_json", detail="no object", attempts=2)
    record = sports.records[place]
    decision = record.decision.model_copy(update={"reason": "not_json"})
    broken = record.model_copy(update={"unusable": unusable, "proposal": None, "decision": decision, "dropped_evidence": 2})
    records = (*sports.records[:place], broken, *sports.records[place + 1 :])
    found = account(replace(sports, records=records), place, explained=False)
    assert lines(found, "What it proposed") == [("reply", "unusable (not_json, 2 attempts): no object")]
    assert dict(lines(found, "What was decided"))["why"] == "the reply could not be used (not_json)"


def test_labels_tell_a_b_n_and_the_service_where_they_are_known(sports):
    event = sports.events[0]
    label = Label(event_id=event.event_id, y=True, a=True, b=None, n=True, service="a <b>walk</b>")
    found = account(replace(sports, labels={event.event_id: label}), 0)
    told = dict(lines(found, "The reference, joined afterwards"))
    assert told["label"] == "y = 1 (intervene); A 1, B unknown, N 1"
    assert told["useful service"] == "a <b>walk</b>"
    assert "<b>" not in found.html()


def test_the_exact_prompt_needs_the_recording(folders, root, tmp_path):
    run = do("event-only", folders["sports"], tmp_path / "run")
    replayed = Explorer.of(Source.of_folder(folders["sports"], root, [run])).replay(FIRST)
    assert replayed.run == run
    shown = account(replayed, 2, prompt=True)
    assert replayed.events[1].json in shown.told
    assert "--- decision, reply" in shown.told
    assert account(replayed, 2, explained=False).told == ""
    (run / "replies.sqlite").unlink()
    with pytest.raises(StoreError, match="holds no recording"):
        account(replayed, 2, prompt=True)


def test_times_are_local_and_a_home_s_segment_is_told_by_its_ends(explorer, sports):
    local = sports.events[0].public.observable_payload.source_local_decision_time
    assert when(sports.events[0]) == f"{local:%a %Y-%m-%d %H:%M}"
    home = explorer.replay(scope="home")
    assert when(home.events[28]) == "Fri 2012-07-20 23:20-24:00"


def test_long_evidence_is_counted(sports):
    place = jump(sports, -1, "intervention")
    record = sports.records[place]
    cited = tuple(event.event_id for event in sports.events[:12])
    proposal = record.proposal.model_copy(update={"evidence": cited})
    records = (*sports.records[:place], record.model_copy(update={"proposal": proposal}), *sports.records[place + 1 :])
    told = lines(account(replace(sports, records=records), place, explained=False), "What it proposed")
    assert [text for name, text in told if name == "cites"][-1] == "and 4 more"
    assert sum(name == "cites" for name, _ in told) == 9


def test_a_code_event_keeps_its_whole_text(tmp_path):
    long = "x" * 3_000
    events = code_events(1)
    events[0] = events[0].model_copy(update={"content": {"title": "t", "body": long}})
    replayed = Explorer.of(Source.of_folder(built(tmp_path, events), tmp_path)).replay()
    assert long in account(replayed, 0).public
