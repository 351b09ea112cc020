"""Streams and targets are chosen by public hashes as B.5 and D.1 say, and what is published comes out again."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.core.streams import arrive
from proactmem.datasets import selection
from proactmem.datasets.heartsteps import participant_streams
from proactmem.datasets.selection import (
    DIAGNOSTIC_SEED,
    NINE_PARTICIPANTS,
    PUBLISHED_DIAGNOSTICS,
    SEED,
    TABLE_6,
    Diagnostic,
    StreamSize,
    diagnostic_targets,
    fitting_streams,
    rank_streams,
    select_diagnostic,
    select_streams,
)
from proactmem.datasets.suggestions import records, scan_suggestions
from proactmem.datasets.tally import Tally
from proactmem.errors import ConfigError, InputError
from tests.datasets.suggestion_files import real

PARTICIPANTS = [f"heartsteps_participant_{number:02d}" for number in range(1, 38)]
HOMES = [f"casas_home_{number:04d}" for number in range(1, 5)]
NINE = [f"heartsteps_participant_{number:02d}" for number in NINE_PARTICIPANTS]
DAY = date(2025, 1, 1)


@cache
def available(path: Path) -> MappingProxyType[str, list[tuple[int, date]]]:
    """Decision index and local day of each available point, by stream."""
    found = {}
    for stream in participant_streams(scan_suggestions(path), points="available", tally=Tally()):
        items = list(stream.events)
        events = arrive(item.public for item in items)
        found[stream.stream_id] = [(int(item.key[1]), event.day) for item, event in zip(items, events, strict=True)]
    return MappingProxyType(found)


@cache
def trial(path: Path) -> MappingProxyType[str, list[date]]:
    """Local day of each available point of the trial's 42 days, by stream."""
    within = set()
    for cells in records(path):
        point = cells.integer("decision.index.nogap", 0, 10**6)
        if point is not None and point < selection.TRIAL_POINTS:
            within.add(
                (
                    f"heartsteps_participant_{cells.required('user.index', 1, 99):02d}",
                    cells.required("decision.index", 0, 10**6),
                )
            )
    return MappingProxyType(
        {
            stream_id: [day for index, day in points if (stream_id, index) in within]
            for stream_id, points in available(path).items()
        }
    )


def suggestions() -> Path:
    return real("heartsteps") / "suggestions.csv"


def test_table_6_homes_come_out_of_all_four() -> None:
    assert [one.stream_id for one in select_streams("home", HOMES)] == list(TABLE_6["home"])


def test_table_6_participants_come_out_once_22_is_not_among_them() -> None:
    ranked = [one.stream_id for one in rank_streams("sports", PARTICIPANTS)]
    assert ranked[:3] == ["heartsteps_participant_22", *TABLE_6["sports"]]
    without = [stream_id for stream_id in PARTICIPANTS if not stream_id.endswith("_22")]
    assert [one.stream_id for one in select_streams("sports", without)] == list(TABLE_6["sports"])
    assert [one.stream_id for one in select_streams("sports", NINE)] == list(TABLE_6["sports"])


def test_a_hash_is_that_of_seed_domain_and_public_id() -> None:
    [first, _] = select_streams("code", ["github_repo_169435703", "github_repo_7000001"])
    assert first.sha256 == sha256(f"{SEED}|github_archive|{first.stream_id}".encode()).hexdigest()
    assert first.sha256 == min(
        sha256(f"{SEED}|github_archive|github_repo_{number}".encode()).hexdigest() for number in (169435703, 7000001)
    )


@given(st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=12, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_the_streams_changes_nothing_and_more_streams_only_push_down(
    ids: list[str], chance: random.Random
) -> None:
    shuffled = list(ids)
    chance.shuffle(shuffled)
    assert rank_streams("code", ids) == rank_streams("code", shuffled)
    fewer = rank_streams("code", ids[:-1])
    assert [one for one in rank_streams("code", ids) if one.stream_id != ids[-1]] == list(fewer)


def test_another_seed_or_scope_ranks_otherwise() -> None:
    orders = {
        tuple(one.stream_id for one in rank_streams(scope, HOMES, seed=seed))
        for scope in ("home", "code")
        for seed in (SEED, "x")
    }
    assert len(orders) > 1


@pytest.mark.parametrize(("ids", "count"), [(["a"], 2), (["a", "b"], 0), ([], 1)])
def test_more_than_there_are_or_none_is_refused(ids: list[str], count: int) -> None:
    with pytest.raises(ConfigError, match=f"{count} streams cannot be selected of {len(ids)}"):
        select_streams("home", ids, count=count)


def test_a_stream_named_twice_is_refused() -> None:
    with pytest.raises(ConfigError, match="'a' is named twice"):
        select_streams("home", ["a", "b", "a"])


def test_the_trial_of_participants_05_and_35_has_the_published_events() -> None:
    days = trial(suggestions())
    assert {stream_id: len(days[stream_id]) for stream_id in TABLE_6["sports"]} == TABLE_6["sports"]
    every = available(suggestions())
    assert [len(every[stream_id]) for stream_id in TABLE_6["sports"]] == [190, 192]


def test_nine_participants_have_the_published_events_and_days_and_follow_from_the_rule() -> None:
    sizes = {stream_id: StreamSize(len(days), len(set(days))) for stream_id, days in trial(suggestions()).items()}
    total = StreamSize(selection.SPORTS_EVENTS, selection.SPORTS_DAYS)
    assert StreamSize(*map(sum, zip(*(sizes[stream_id] for stream_id in NINE), strict=True))) == total
    known = [f"heartsteps_participant_{number:02d}" for number in (1, 5, 35)]
    unknown = ["heartsteps_participant_22"]
    assert fitting_streams(sizes, scope="sports", count=9, total=total, among=known, without=unknown) == tuple(NINE)
    every = [available(suggestions())[stream_id] for stream_id in NINE]
    assert (sum(map(len, every)), sum(len({day for _, day in points}) for points in every)) == (1_592, 400)


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.builds(StreamSize, st.integers(0, 4), st.integers(0, 3)), min_size=3),
    st.integers(1, 4),
    st.builds(StreamSize, st.integers(0, 9), st.integers(0, 7)),
)
def test_fitting_streams_are_the_first_that_fit(sizes: dict[str, StreamSize], count: int, total: StreamSize) -> None:
    from itertools import combinations

    order = [one.stream_id for one in rank_streams("home", sizes)]
    fits = [
        tuple(sorted(chosen))
        for chosen in combinations(order, count)
        if (sum(sizes[one].events for one in chosen), sum(sizes[one].days for one in chosen)) == total
    ]
    assert fitting_streams(sizes, scope="home", count=count, total=total) == (fits[0] if fits else None)


def test_a_stream_without_a_size_cannot_be_among_them() -> None:
    with pytest.raises(ConfigError, match="no stream 'x' among 1"):
        fitting_streams({"a": StreamSize(1, 1)}, scope="home", count=1, total=StreamSize(1, 1), among=["x"])


def test_participant_35_has_the_published_targets_and_preceding_events() -> None:
    diagnostic = PUBLISHED_DIAGNOSTICS["sports"]
    every = [day for _, day in available(suggestions())[diagnostic.stream_id]]
    for days in (every, trial(suggestions())[diagnostic.stream_id]):
        targets = diagnostic_targets(days, diagnostic)
        assert (targets, len(targets)) == (range(37, 187), 150)
        assert (days[targets[0]], days[targets[-1]]) == (date(2015, 12, 16), date(2016, 1, 18))
        assert days[36] < days[37]


def test_a_home_of_29_events_a_day_has_the_published_targets() -> None:
    days = [date(2011, 6, 16) + timedelta(days=number // 29) for number in range(406)]
    assert diagnostic_targets(days, PUBLISHED_DIAGNOSTICS["home"]) == range(203, 353)


def test_the_published_diagnostics_give_context_to_450_targets() -> None:
    assert sum(one.targets for one in PUBLISHED_DIAGNOSTICS.values()) == 450
    assert sum(one.targets + (one.preceding or 0) for one in PUBLISHED_DIAGNOSTICS.values()) == 842


@pytest.mark.parametrize(
    ("days", "problem"),
    [
        ([DAY] * 9, "found '0 events from no day on'"),
        ([DAY, DAY + timedelta(days=9), DAY + timedelta(days=9)], "found '2 events from 2025-01-10 on'"),
        ([DAY, *[DAY + timedelta(days=7)] * 2], "found '2 events from 2025-01-08 on'"),
        ([DAY, *[DAY + timedelta(days=7)] * 3], "a last target on 2025-01-08"),
        ([DAY, DAY, *[DAY + timedelta(days=7 + more) for more in (0, 1, 1)]], "2 preceding events"),
    ],
)  # fmt: skip
def test_a_stream_that_is_not_the_diagnostics_is_refused(days: list[date], problem: str) -> None:
    diagnostic = Diagnostic("s", DAY + timedelta(days=7), DAY + timedelta(days=8), 3, preceding=1)
    with pytest.raises(InputError, match=problem):
        diagnostic_targets(days, diagnostic)


def days_of(chance: random.Random, length: int) -> list[date]:
    return sorted(DAY + timedelta(days=chance.randrange(20)) for _ in range(length))


@given(st.randoms(use_true_random=False))
def test_a_selected_diagnostic_is_eligible_and_its_targets_are_found_again(chance: random.Random) -> None:
    days = {f"s{number}": days_of(chance, chance.randrange(12, 60)) for number in range(4)}
    days["long"] = [DAY + timedelta(days=number // 3) for number in range(60)]
    chosen = select_diagnostic("home", days, targets=10)
    listed = days[chosen.stream_id]
    targets = diagnostic_targets(listed, chosen)
    assert len(targets) == 10
    assert targets[0] == chosen.preceding
    assert listed[targets[0]] - listed[0] >= timedelta(days=7)
    assert listed[targets[0] - 1] < listed[targets[0]]
    assert select_diagnostic("home", dict(reversed(days.items())), targets=10) == chosen


def test_the_start_is_the_lowest_hash_and_not_simply_the_first() -> None:
    days = [DAY + timedelta(days=number // 2) for number in range(80)]
    starts = [DAY + timedelta(days=number) for number in range(7, 36)]
    lowest = min(starts, key=lambda day: sha256(f"{DIAGNOSTIC_SEED}|casas|s|{day}".encode()).hexdigest())
    assert select_diagnostic("home", {"s": days}, targets=10).first == lowest
    assert len(Counter(select_diagnostic("home", {"s": days}, seed=str(seed), targets=10).first for seed in range(20))) > 5


def test_without_history_or_targets_no_stream_is_eligible() -> None:
    with pytest.raises(ConfigError, match="none of 2 streams has 5 events after 7 days"):
        select_diagnostic("home", {"short": [DAY] * 50, "late": [DAY, *[DAY + timedelta(days=8)] * 4]}, targets=5)
    with pytest.raises(ConfigError, match="0 targets"):
        select_diagnostic("home", {}, targets=0)
