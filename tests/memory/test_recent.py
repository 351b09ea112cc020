"""S_t: capacity and horizon (Equation 4)."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from proactmem.config import MemoryConfig
from proactmem.core.streams import Event, arrive, causal_order
from proactmem.memory.recent import RecentEvents
from tests.samples import desktop


@given(
    st.lists(st.integers(0, 400_000), min_size=1, max_size=60),
    st.integers(1, 8),
    st.sampled_from([0.5, 24.0, 72.0]),
)
def test_tail_of_the_horizon(seconds: list[int], capacity: int, hours: float) -> None:
    events = list(arrive(causal_order([desktop(f"e{i:03d}", float(s)) for i, s in enumerate(seconds)])))
    memory = RecentEvents(MemoryConfig(capacity=capacity, horizon_hours=hours))
    for now, event in enumerate(events):
        within = [past for past in events[:now] if timedelta() <= event.tau - past.tau <= timedelta(hours=hours)]
        expected = within[len(within) - min(len(within), capacity - 1) :]
        assert list(memory.before(event)) == expected
        memory.commit(event)


def test_the_horizon_is_inclusive() -> None:
    first, second, third = arrive([desktop("a", 0.0), desktop("b", 72 * 3600.0), desktop("c", 72 * 3600.0 + 1)])
    memory = RecentEvents(MemoryConfig())

    def seen(event: Event) -> list[str]:
        return [past.event_id for past in memory.before(event)]

    memory.commit(first)
    assert seen(second) == ["a"]
    memory.commit(second)
    assert seen(third) == ["b"]


def test_99_events_beside_the_current_one() -> None:
    events = list(arrive([desktop(f"e{i:03d}", float(i)) for i in range(150)]))
    memory = RecentEvents(MemoryConfig())
    for event in events[:-1]:
        memory.commit(event)
    assert [past.event_id for past in memory.before(events[-1])] == [f"e{i:03d}" for i in range(50, 149)]
