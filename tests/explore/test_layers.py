"""What the explorer says memory held is what the method itself held when it staged the event."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from proactmem.explore.layers import applied, cycle_days, layers_at, most_applied, stretches
from proactmem.llm.offline.backbone import OfflineBackbone
from proactmem.run.catalog import METHODS


@pytest.mark.parametrize("method", ["event-only", "trajectory", "proactmem", "no-replay-gate"])
@pytest.mark.parametrize("scope", ["sports", "home", "code", "desktop"])
def test_layers_are_those_of_the_method_at_the_event(explorer, scope, method):
    replayed = explorer.replay(method=method, scope=scope)
    live = METHODS[method].build(OfflineBackbone(), replayed.manifest.config)
    length, cycles = replayed.manifest.config.cycle_records, Counter()
    for event in replayed.events:
        staged = live.stage(event)
        layers = layers_at(replayed, event.index)
        assert [one.index for one in staged.context.recent] == list(layers.recent)
        assert tuple(staged.context.trajectories) == layers.segments
        states = {one.regularity.regularity_id: one.status for one in live.regularities}
        assert states == {name: status for name, (status, _) in layers.statuses.items()}
        assert layers.counts == Counter(states.values())
        assert 0 <= len(layers.open_cycle) < length
        assert all(record.day < event.day for record in layers.open_cycle)
        assert {one.segment_id for record in layers.open_cycle for one in record.segments} == {
            one.segment_id for one in layers.segments
        }
        cycles[layers.cycles] += 1
        live.commit(event)
    if method != "event-only" and scope != "desktop":
        assert len(cycles) > 1, "no cycle closed: the test shows nothing"


def test_a_stretch_is_the_days_on_which_a_regularity_could_be_applied(sports):
    found = stretches(sports)
    assert {one.status for one in found} == {"active", "weakening"}
    for event in sports.events:
        usable = {
            name: status for name, (status, _) in layers_at(sports, event.index).statuses.items() if name in sports.numbers
        }
        on_the_day = {one.regularity.regularity_id: one.status for one in found if one.first <= event.day <= one.last}
        assert on_the_day == {name: status for name, status in usable.items() if status in ("active", "weakening")}
        for number, match in applied(sports, event.index):
            (one,) = [one for one in found if one.number == number and one.applies(event.day)]
            assert one.status == match.lifecycle
            low, high = one.hours
            assert low - 0.5 <= event.span[1] / 3600 <= high + 0.5


def test_a_stretch_applies_on_its_weekdays_alone(sports):
    restricted = [one for one in stretches(sports) if one.regularity.weekdays is not None]
    assert restricted
    for one in restricted:
        days = [one.first + timedelta(days=number) for number in range((one.last - one.first).days + 1)]
        assert [one.applies(day) for day in days] == [day.weekday() in one.regularity.weekdays for day in days]
        assert not one.applies(one.first - timedelta(days=1))
        assert not one.applies(one.last + timedelta(days=1))


def test_cycles_close_with_every_seventh_daily_record(sports):
    assert cycle_days(sports) == [sports.days[6].day, sports.days[13].day]


def test_the_regularities_drawn_are_those_applied_here_then_the_most_applied(sports):
    everywhere = range(len(sports.events))
    counts = Counter(number for place in everywhere for number, _ in applied(sports, place))
    here = next(place for place in everywhere if sum(1 for _ in applied(sports, place)) == 2)
    now = {number for number, _ in applied(sports, here)}
    assert set(most_applied(sports, here, everywhere, sports.numbers.values(), 2)) == now
    nowhere = next(place for place in everywhere if not any(applied(sports, place)))
    top = sorted(counts, key=lambda number: (-counts[number], number))[:3]
    assert most_applied(sports, nowhere, everywhere, (), 3) == sorted(top)
    assert most_applied(sports, nowhere, (), [4, 2, 2], 9) == [2, 4]
