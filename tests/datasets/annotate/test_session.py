"""A session shows an event with its whole history, keeps each vote at once, and sees nobody else's."""

from __future__ import annotations

import pytest

from proactmem.datasets.annotate.session import LabellingSession
from proactmem.datasets.annotate.view import LabellingView, look_text
from proactmem.datasets.annotate.votes import Vote, append_vote, read_votes, vote_file
from proactmem.datasets.built import BuiltStreams
from proactmem.errors import ConfigError, InputError


@pytest.fixture
def order(built):
    streams = BuiltStreams.open(built)
    return [(name, event.event_id) for name in streams.stream_ids for event in streams.events(name)]


def test_an_event_is_shown_with_everything_before_it_and_nothing_after(built, order, tmp_path):
    session = LabellingSession(built, tmp_path, "one")
    session.go(20)
    look = session.look
    assert (look.place, look.total, look.done, look.vote) == (20, len(order), 0, None)
    assert [event.index for event in look.history] == list(range(look.event.index))
    second = next(place for place, item in enumerate(order) if item[0] != order[0][0])
    session.go(second)
    assert session.look.history == ()


def test_votes_are_kept_at_once_and_a_new_session_goes_on(built, order, tmp_path):
    session = LabellingSession(built, tmp_path, "one")
    assert session.command("0") == "y = 0"
    assert session.command("bn evening walk [after work as on other days]") == "y = 1"
    assert session.command("a") == "y = 0"
    again = LabellingSession(built, tmp_path, "one")
    assert again.place == 3
    votes = read_votes(vote_file(tmp_path, "one"))
    assert [votes[item].y for item in order[:3]] == [False, True, False]
    assert votes[order[1]].service == "evening walk"
    assert votes[order[1]].note == "after work as on other days"
    assert (votes[order[2]].a, votes[order[2]].n) == (True, False)


def test_nobody_sees_another_s_votes(built, order, tmp_path):
    append_vote(vote_file(tmp_path, "two"), Vote.of(order[0], a=True, b=False, n=True, service="walk"))
    session = LabellingSession(built, tmp_path, "one")
    assert session.look.vote is None
    assert session.votes == {}


def test_moves_stay_within_the_queue(built, order, tmp_path):
    session = LabellingSession(built, tmp_path, "one", order=order[:4][::-1])
    assert session.look.event.event_id == order[3][1]
    for text, place in ((">", 1), ("<", 0), ("<", 0), ("4", 3), (">", 3), ("99", 3), ("u", 0)):
        session.command(text)
        assert session.place == place
    for _ in range(4):
        session.command("0")
    assert session.command("u") == "every event has a vote"
    assert session.command("") == ""
    with pytest.raises(ConfigError, match="is not among the built streams"):
        LabellingSession(built, tmp_path, "one", order=[("x", "y")])
    with pytest.raises(ConfigError, match="no event to label"):
        LabellingSession(built, tmp_path, "one", order=[])


@pytest.mark.parametrize(
    ("text", "said"), [("abn", "names no service"), ("help", "is no command"), ("x walk", "is no command")]
)
def test_what_cannot_be_done_is_said_and_keeps_nothing(text, said, built, tmp_path):
    session = LabellingSession(built, tmp_path, "one")
    with pytest.raises(InputError, match=said):
        session.command(text)
    assert not vote_file(tmp_path, "one").exists()


def test_a_revision_needs_a_note_and_keeps_the_first_judgement(built, order, tmp_path):
    LabellingSession(built, tmp_path, "one").command("an walk")
    review = LabellingSession(built, tmp_path, "one", order=order[:1], review=True)
    with pytest.raises(InputError, match="has no note"):
        review.command("0")
    review.command("0 [was in a meeting]")
    lines = vote_file(tmp_path, "one").read_text().splitlines()
    assert len(lines) == 2
    assert read_votes(vote_file(tmp_path, "one"))[order[0]].step == "review"


def test_the_view_types_shows_and_escapes(built, order, tmp_path):
    session = LabellingSession(built, tmp_path, "one")
    view = LabellingView(session)
    assert "1 of" in view.status.value
    view.line.value = "an <b>walk</b>"
    assert session.votes[order[0]].service == "<b>walk</b>"
    assert view.line.value == ""
    assert "y = 1" in view.said.value
    view.buttons["<"].click()
    assert "&lt;b&gt;walk" in view.status.value
    assert "<b>walk" not in view.status.value
    view.line.value = "nonsense"
    assert "is no command" in view.said.value
    view.buttons["0"].click()
    view.buttons["u"].click()
    shown = session.look
    assert shown.event.event_id.split("_")[-1] in view.event.value
    assert f"&quot;decision_slot&quot;: {shown.history[-1].public.observable_payload.decision_slot}" in view.history.value


def test_what_is_shown_is_what_is_judged_whatever_else_moves_the_session(built, order, tmp_path):
    session = LabellingSession(built, tmp_path, "one")
    view = LabellingView(session)
    session.go(12)
    view.line.value = "an walk"
    assert list(session.votes) == [order[0]]
    assert look_text(session.look).startswith(f"2 of {len(order)}, 1 judged; ")
