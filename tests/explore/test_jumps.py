"""A jump lands on the nearest event that shows the mark, and passes none."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proactmem.explore.jumps import MARKS, jump, marked, repeated


@given(data=st.data(), mark=st.sampled_from(MARKS), step=st.sampled_from([1, -1]))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_jump_lands_on_the_nearest_mark(sports, data, mark, step):
    index = data.draw(st.integers(-1, len(sports.events)))
    found = jump(sports, index, mark, step)
    ahead = [place for place in range(len(sports.events)) if (place - index) * step > 0 and marked(sports, place, mark)]
    assert found == (min(ahead, key=lambda place: abs(place - index)) if ahead else None)


def test_marks_are_what_the_moments_say(sports):
    def places(mark):
        return [moment.index for moment in sports.moments if marked(sports, moment.index, mark)]

    def where(holds):
        return [moment.index for moment in sports.moments if holds(moment)]

    assert places("event") == list(range(len(sports.events)))
    assert places("intervention") == where(lambda moment: moment.decision == "intervene")
    assert places("suppression") == where(lambda moment: moment.decision == "suppressed")
    assert places("match") == where(lambda moment: moment.regularities)
    assert places("label") == where(lambda moment: moment.opportunity)
    assert places("mistake") == where(lambda moment: moment.outcome in ("missed", "false alarm"))
    assert all(places(mark) for mark in MARKS)


def test_without_labels_or_context_there_is_nothing_to_jump_to(explorer):
    desktop = explorer.replay(method="always", scope="desktop")
    assert [jump(desktop, -1, mark) for mark in MARKS] == [0, 0, None, None, None, None]
    assert [jump(desktop, len(desktop.events), mark, -1) for mark in ("label", "suppression")] == [None, None]


def test_a_suppressed_proposal_leads_to_the_intervention_it_repeats(sports):
    place = jump(sports, -1, "suppression")
    earlier = repeated(sports, place)
    assert earlier < place
    assert sports.records[earlier].decision.verdict == "intervene"
    assert sports.records[earlier].decision.key == sports.records[place].decision.suppression.key
    assert repeated(sports, earlier) is None
