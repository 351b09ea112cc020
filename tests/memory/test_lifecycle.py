"""The lifecycle table of Appendix B.2, complete."""

from __future__ import annotations

import itertools
from datetime import date, timedelta
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.config import MemoryConfig
from proactmem.core.facts import canonical
from proactmem.core.predicates import Predicate
from proactmem.core.regularities import Regularity, RegularityStatus, Transition, Window
from proactmem.memory.lifecycle import RegularityState, close_day, consolidate
from proactmem.memory.replay import DayEvidence, ReplayCounts, judge_day

RULE = Regularity(
    trigger=Predicate(path="observable_payload.location_category", op="==", value="work"),
    behavior=Predicate(path="observable_payload.jawbone_steps_pre60", op=">=", value=1000),
    window=Window(start="17:00", end="20:00"),
    weekdays=None,
)
CONFIG = MemoryConfig()
Outcome = Literal["F", "V", "C", "U"]


def day(outcome: Outcome, number: int = 0) -> DayEvidence:
    """A fulfilled, violated, censored or untriggered day."""
    span, walk = (36_000.0, 36_000.0), (64_800.0, 64_800.0)
    place, steps = canonical("work"), canonical(1500 if outcome == "F" else 0)
    assert place is not None
    assert steps is not None
    facts = {} if outcome == "U" else {RULE.trigger.path: ((span, place),)}
    if outcome in "FV":
        facts[RULE.behavior.path] = ((walk, steps),)
    observed = {RULE.behavior.path: (walk,)} if outcome in "FV" else {}
    return DayEvidence(date(2015, 7, 20) + timedelta(days=number), "sports", facts, observed, {})


def feed(state: RegularityState, outcomes: str, config: MemoryConfig = CONFIG) -> tuple[RegularityState, list[Transition]]:
    moves: list[Transition] = []
    for number, outcome in enumerate(outcomes):
        (state,), moved = close_day([state], day(outcome, number), 1, config)  # type: ignore[arg-type]
        moves += moved
    return state, moves


def admitted(status: RegularityStatus = "active", replay: ReplayCounts | None = None) -> RegularityState:
    counts = replay or ReplayCounts(3, 0, 0, 3, 3)
    return RegularityState(RULE, status, ("day_1",), replay=counts, whole=counts)


@pytest.mark.parametrize(
    ("start", "outcomes", "after"),
    [
        ("candidate", "FF", "candidate"),
        ("candidate", "FFF", "active"),
        ("candidate", "FFFVVV", "weakening"),
        ("candidate", "VVVVVF", "candidate"),
        ("candidate", "VVVFFF", "active"),
        ("candidate", "VVVVFFF", "candidate"),
        ("candidate", "CCCCCUUU", "candidate"),
        ("active", "V", "active"),
        ("active", "VV", "weakening"),
        ("active", "VCUV", "weakening"),
        ("active", "VFV", "active"),
        ("active", "VVV", "weakening"),
        ("active", "VVVV", "dormant"),
        ("active", "VVF", "active"),
        ("weakening", "F", "active"),
        ("weakening", "C", "weakening"),
        ("dormant", "FFFF", "dormant"),
        ("dormant", "VVVV", "dormant"),
    ],
)
def test_table(start: RegularityStatus, outcomes: str, after: RegularityStatus) -> None:
    replay = ReplayCounts() if start == "candidate" else None
    state, moves = feed(admitted(start, replay), outcomes)
    assert state.status == after
    assert all(move.cause for move in moves)


def test_weakening_returns_only_at_confidence_one_half() -> None:
    weak = admitted("weakening", ReplayCounts(3, 8, 0, 11, 3))
    state, moves = feed(weak, "F")
    assert (state.status, moves) == ("weakening", [])
    assert state.confidence == pytest.approx(5 / 14)


def test_confidence_is_smoothed_over_replay_and_online_counts() -> None:
    state, _ = feed(admitted(), "FVC")
    assert state.confidence == pytest.approx((4 + 1) / (4 + 1 + 2))


def test_admission_needs_support_confidence_and_lift() -> None:
    # behaviour as common without the trigger as after it, or more: lift below 1
    history = [day("F", n) for n in range(3)] + [day("V", n) for n in range(3, 6)]
    common = [
        DayEvidence(item.day, item.scope, {k: v for k, v in item.facts.items() if k == RULE.behavior.path}, item.observed, {})
        for item in (day("F", n) for n in range(6, 30))
    ]
    states, _ = consolidate([], [(RULE, ("d",))], history, 1, CONFIG)
    assert states[0].status == "active"
    states, _ = consolidate([], [(RULE, ("d",))], history + common, 1, CONFIG)
    assert states[0].status == "candidate"
    assert states[0].replay.lift < 1


def test_reproposal_merges_sources_and_keeps_counts() -> None:
    state, _ = feed(admitted(), "FV")
    (after,), moves = consolidate([state], [(RULE, ("day_2", "day_1"))], [day("F")], 2, CONFIG)
    assert after.sources == ("day_1", "day_2")
    assert (after.online_fulfilled, after.online_violated, after.status) == (1, 1, "active")
    assert moves == []


def test_dormant_returns_as_candidate_with_replays_counts_afresh() -> None:
    state, _ = feed(admitted(replay=ReplayCounts(5, 0, 0, 5, 5)), "VVVV")
    (after,), moves = consolidate([state], [], [day("V", 9)], 2, CONFIG)
    assert [(move.before, move.after) for move in moves] == [("dormant", "candidate"), ("candidate", "active")]
    assert (after.fulfilled, after.violated, after.streak) == (5, 4, 0)


def test_idle_candidates_are_retired_after_eight_cycles() -> None:
    state = RegularityState(RULE, "candidate", ("d",), last_trigger_cycle=1)
    kept, moves = consolidate([state], [], [day("U")], 8, CONFIG)
    assert (len(kept), moves) == (1, [])
    kept, moves = consolidate([state], [], [day("U")], 9, CONFIG)
    assert (kept, [move.after for move in moves]) == ([], ["retired"])


def test_without_the_replay_gate_candidates_enter_as_active() -> None:
    (state,), _ = consolidate([], [(RULE, ("d",))], [day("V")], 1, MemoryConfig(replay_gate=False))
    assert state.status == "active"


@given(st.text(alphabet="FVCU", max_size=30), st.text(alphabet="FVCU", min_size=1, max_size=8))
def test_incremental_counts_equal_a_full_replay_whatever_the_status(before: str, after: str) -> None:
    history = [day(outcome, number) for number, outcome in enumerate(before + after)]  # type: ignore[arg-type]
    (state,), _ = consolidate([], [(RULE, ("d",))], history[: max(1, len(before))], 1, CONFIG)
    for evidence in history[max(1, len(before)) :]:
        (state,), _ = close_day([state], evidence, 1, CONFIG)
    assert state.whole == ReplayCounts.of(judge_day(RULE, evidence) for evidence in history)
    if state.status == "candidate":
        assert state.replay == state.whole


@given(st.text(alphabet="FVCU", max_size=40))
def test_invariants(outcomes: str) -> None:
    state, moves = feed(RegularityState(RULE, "candidate", ("d",)), outcomes)
    assert state.fulfilled + state.violated <= len(outcomes)
    assert min(state.fulfilled, state.violated, state.streak, state.replay.censored) >= 0
    chain = ["candidate", *(move.after for move in moves)]
    assert [move.before for move in moves] == chain[:-1]
    allowed = {
        ("candidate", "active"),
        ("active", "weakening"),
        ("weakening", "active"),
        ("weakening", "dormant"),
        ("active", "dormant"),
    }
    assert set(itertools.pairwise(chain)) <= allowed
