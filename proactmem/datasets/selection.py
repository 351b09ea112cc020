"""Which streams, participants and targets a comparison is made on: chosen by SHA-256 of public ids alone (B.5, D.1).

No label is looked at here. What the paper publishes is kept as constants; what it leaves open is marked (ours):

- the domain of Code is unpublished, `github_archive` stands in for it; Desktop is ours altogether;
- the nine Sports participants are unpublished but for 01 (Figure 5), 05 and 35 (Table 6); 22 is none of them, for its
  hash is below both of Table 6's;
- Table 6's 184 and 191 events of participants 05 and 35 are exactly the available decision points among the first
  `TRIAL_POINTS` of each, travel days left out (`decision.index.nogap` below 210: 42 days of five slots, the trial's
  length). All available points are 190 and 192, since both went on answering after day 42: seven and three points more,
  of which six and one were available.
- D.1's ranking has an unpublished seed, so that its streams and dates are named; `select_diagnostic` ranks other data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from proactmem.core.events import Scope
from proactmem.errors import ConfigError, InputError

__all__ = [
    "DIAGNOSTIC_SEED",
    "DOMAINS",
    "NINE_PARTICIPANTS",
    "PUBLISHED_DIAGNOSTICS",
    "SEED",
    "SPORTS_DAYS",
    "SPORTS_EVENTS",
    "TABLE_6",
    "TRIAL_POINTS",
    "Diagnostic",
    "Ranked",
    "StreamSize",
    "diagnostic_targets",
    "fitting_streams",
    "rank_streams",
    "select_diagnostic",
    "select_streams",
]

SEED = "proactivestream-event-only-nine-streams-20260925-v1"
"""The fixed seed of Appendix B.5."""
DOMAINS: Mapping[Scope, str] = MappingProxyType(
    {"sports": "heartsteps", "home": "casas", "code": "github_archive", "desktop": "proactivebench"}
)
"""Domain of each scope; heartsteps and casas reproduce Table 6, the other two are ours."""
TABLE_6: Mapping[Scope, Mapping[str, int]] = MappingProxyType(
    {
        "sports": MappingProxyType({"heartsteps_participant_05": 184, "heartsteps_participant_35": 191}),
        "home": MappingProxyType({"casas_home_0004": 406, "casas_home_0003": 406}),
        "code": MappingProxyType({"Unitech/pm2": 365, "thephpleague/commonmark": 347}),
    }
)
"""The published streams of the cross-family comparison and their events; Code's by repository, as Table 6 names them."""
TRIAL_POINTS = 210
"""Decision points of a participant's 42 trial days, five a day; those of travel days are not counted (ours)."""
SPORTS_EVENTS, SPORTS_DAYS = 1_456, 367
"""Events and observed participant-days of the nine published Sports streams (Appendix A.1)."""
NINE_PARTICIPANTS = (1, 5, 13, 15, 17, 28, 30, 35, 36)
"""Nine HeartSteps participants whose trial's available points are 1,456 events on 367 days, as published (ours).

289 sets of nine have these sums, hold 01, 05 and 35 and lack 22: of these the first in the order of B.5's hashes
(`fitting_streams`). Which nine the paper took is not published; no label was looked at. All their available points, those
after the trial and on travel days included, are 1,592 events on 400 days.
"""
DIAGNOSTIC_SEED = "proactmem-diagnostic-v1"
"""Seed of the ranking in D.1 for data of one's own (ours; the paper's is unpublished)."""


class Ranked(NamedTuple):
    """A stream and the hash that ranks it."""

    stream_id: str
    sha256: str
    """SHA-256 in hex of `seed|domain|stream_id`."""


def rank_streams(scope: Scope, stream_ids: Iterable[str], *, seed: str = SEED) -> tuple[Ranked, ...]:
    """Streams by ascending SHA-256 of `seed|domain|public_stream_id` (B.5).

    Raises:
        ConfigError: A stream is named twice.

    >>> [ranked.stream_id[-1] for ranked in rank_streams("home", [f"casas_home_000{number}" for number in range(1, 5)])]
    ['4', '3', '1', '2']
    """
    listed = list(stream_ids)
    if len(set(listed)) != len(listed):
        twice = next(one for one in listed if listed.count(one) > 1)
        raise ConfigError(f"stream {twice!r} is named twice; expected each stream once.", remedy="Name it once.")
    ranked = (Ranked(stream_id, _digest(seed, DOMAINS[scope], stream_id)) for stream_id in listed)
    return tuple(sorted(ranked, key=lambda one: one.sha256))


def select_streams(scope: Scope, stream_ids: Iterable[str], *, seed: str = SEED, count: int = 2) -> tuple[Ranked, ...]:
    """The streams with the lowest hashes, two a scope as in Table 6.

    Args:
        scope: Decides the domain.
        stream_ids: Public ids of all streams of the scope, in any order.
        seed: The fixed seed.
        count: How many to select.

    Raises:
        ConfigError: A stream is named twice, or there are fewer than `count`.

    >>> [ranked.stream_id for ranked in select_streams("home", [f"casas_home_000{number}" for number in range(1, 5)])]
    ['casas_home_0004', 'casas_home_0003']
    """
    ranked = rank_streams(scope, stream_ids, seed=seed)
    if not 1 <= count <= len(ranked):
        raise ConfigError(
            f"{count} streams cannot be selected of {len(ranked)}; expected at least 1 and at most as many as there are.",
            remedy="Build more streams, or select fewer.",
        )
    return ranked[:count]


class StreamSize(NamedTuple):
    """How large a stream is: public metadata, no label."""

    events: int
    days: int
    """Local days with an event."""


def fitting_streams(
    sizes: Mapping[str, StreamSize],
    *,
    scope: Scope,
    count: int,
    total: StreamSize,
    among: Collection[str] = (),
    without: Collection[str] = (),
    seed: str = SEED,
) -> tuple[str, ...] | None:
    """`count` streams whose sizes sum to `total`: the first such set in the order of B.5's hashes, or None.

    Args:
        sizes: Size of every stream.
        scope: Decides the domain of the hashes.
        count: How many streams.
        total: Events and days of them all.
        among: Streams that are among them.
        without: Streams that are not.
        seed: The fixed seed.

    Raises:
        ConfigError: A stream of `among` has no size.
    """
    if unknown := sorted(set(among) - set(sizes)):
        raise ConfigError(f"no stream {unknown[0]!r} among {len(sizes)} streams.", remedy="Name streams that exist.")
    rest = [one.stream_id for one in rank_streams(scope, set(sizes) - set(among) - set(without), seed=seed)]
    barren: set[tuple[int, int, int, int]] = set()

    def first(start: int, left: int, events: int, days: int) -> tuple[str, ...] | None:
        if left == 0:
            return () if events == days == 0 else None
        if len(rest) - start < left or min(events, days) < 0 or (start, left, events, days) in barren:
            return None
        size = sizes[rest[start]]
        with_it = first(start + 1, left - 1, events - size.events, days - size.days)
        found = (rest[start], *with_it) if with_it is not None else first(start + 1, left, events, days)
        if found is None:
            barren.add((start, left, events, days))
        return found

    events = total.events - sum(sizes[stream_id].events for stream_id in among)
    days = total.days - sum(sizes[stream_id].days for stream_id in among)
    chosen = first(0, count - len(among), events, days) if count >= len(among) else None
    return None if chosen is None else tuple(sorted({*among, *chosen}))


@dataclass(frozen=True)
class Diagnostic:
    """Consecutive targets of one stream, told by their dates and by what comes before them (D.1)."""

    stream_id: str
    first: date
    """Local day of the first target; the first target is that day's first event (ours)."""
    last: date
    """Local day of the last target."""
    targets: int = 150
    preceding: int | None = None
    """Events of the stream before the targets, where that is known."""
    sha256: str | None = None
    """Hash that ranked the stream, where one did."""


PUBLISHED_DIAGNOSTICS: Mapping[Scope, Diagnostic] = MappingProxyType(
    {
        "sports": Diagnostic("heartsteps_participant_35", date(2015, 12, 16), date(2016, 1, 18), preceding=37),
        "home": Diagnostic("casas_home_0004", date(2011, 6, 23), date(2011, 6, 28), preceding=203),
        "code": Diagnostic("github_repo_169435703", date(2025, 6, 21), date(2025, 11, 4), preceding=152),
    }
)
"""The three published diagnostics; Code's is callstack/react-native-pager-view, by its stream id of Figure 5."""


def diagnostic_targets(days: Sequence[date], diagnostic: Diagnostic) -> range:
    """Positions of the consecutive targets in their stream; what lies before them is processed and not scored (D.1).

    Args:
        days: Local day of each event of the stream, in causal order.
        diagnostic: The dates, and where known the number of preceding events.

    Raises:
        InputError: The stream has no event on the first date, too few events, or other dates or preceding events.
    """
    start = next((position for position, day in enumerate(days) if day >= diagnostic.first), len(days))
    end = start + diagnostic.targets
    if diagnostic.targets < 1 or end > len(days) or days[start] != diagnostic.first:
        raise _other(
            diagnostic,
            f"{len(days) - start} events from {days[start] if start < len(days) else 'no day'} on",
            f"{diagnostic.targets} consecutive targets from {diagnostic.first} on",
        )
    if days[end - 1] != diagnostic.last:
        raise _other(diagnostic, f"a last target on {days[end - 1]}", f"the last of {diagnostic.targets} on {diagnostic.last}")
    if diagnostic.preceding not in (None, start):
        raise _other(diagnostic, f"{start} preceding events", f"{diagnostic.preceding}")
    return range(start, end)


def select_diagnostic(
    scope: Scope,
    days: Mapping[str, Sequence[date]],
    *,
    seed: str = DIAGNOSTIC_SEED,
    targets: int = 150,
    history_days: int = 7,
) -> Diagnostic:
    """One stream and one contiguous start by SHA-256 of public metadata, with enough history before it (D.1).

    Eligible starts are the first events of a local day at least `history_days` after the stream's first day, with
    `targets` events from there on; a stream is eligible that has one (ours). The lowest hash of `seed|domain|stream_id`
    gives the stream, the lowest of `seed|domain|stream_id|date` the start.

    Args:
        scope: Decides the domain.
        days: Local day of each event in causal order, by stream.
        seed: Of the ranking.
        targets: Consecutive events that are scored.
        history_days: Days from the stream's first day to the start's, at least.

    Raises:
        ConfigError: No stream is eligible, or a number is below what makes sense.
    """
    if targets < 1 or history_days < 0:
        raise ConfigError(
            f"{targets} targets after {history_days} days; expected at least 1 target and no negative history.",
            remedy="Correct the two numbers.",
        )
    starts = {stream_id: _starts(listed, targets, history_days) for stream_id, listed in days.items()}
    eligible = rank_streams(scope, (stream_id for stream_id, found in starts.items() if found), seed=seed)
    if not eligible:
        raise ConfigError(
            f"none of {len(days)} streams has {targets} events after {history_days} days of history.",
            remedy="Build longer streams, or ask for fewer targets or days.",
        )
    best = eligible[0]
    start = min(
        starts[best.stream_id], key=lambda at: _digest(seed, DOMAINS[scope], best.stream_id, str(days[best.stream_id][at]))
    )
    listed = days[best.stream_id]
    return Diagnostic(best.stream_id, listed[start], listed[start + targets - 1], targets, start, best.sha256)


def _starts(days: Sequence[date], targets: int, history_days: int) -> list[int]:
    firsts = [0, *(position for position, (before, day) in enumerate(pairwise(days), start=1) if day != before)]
    enough = timedelta(days=history_days)
    return [at for at in firsts if at + targets <= len(days) and days[at] - days[0] >= enough]


def _digest(*parts: str) -> str:
    return sha256("|".join(parts).encode()).hexdigest()


def _other(diagnostic: Diagnostic, found: str, expected: str) -> InputError:
    return InputError(
        f"stream {diagnostic.stream_id!r} is not the one the diagnostic was set on", found=found, expected=expected,
        remedy="Build the stream with the points and days of the paper, or choose other dates.",
    )  # fmt: skip
