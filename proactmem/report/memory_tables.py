"""What became of what a model proposed for memory: counts of records, refusals and regularities, and the planted truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from proactmem.core.regularities import Transition
from proactmem.core.trajectories import DailyRecord, RejectionReason
from proactmem.datasets.planted import AGREEMENT, MIN_DATES, Recovery
from proactmem.report.names import method_rank
from proactmem.report.table import Cell, Column, Row, Table

__all__ = ["MemoryTally", "recovery_table", "tally_table"]


@dataclass(frozen=True, slots=True)
class MemoryTally:
    """Counts of one run's memory construction, all streams together."""

    method: str
    """The paper's name."""
    fabricate: float
    """Share of construction replies made to err; 0 for the backbone as it is."""
    daily_records: int
    accepted: int
    """Segments that the validator let stand."""
    refused: Mapping[RejectionReason, int]
    """Segments it refused, by reason (SPEC 3)."""
    proposals: int
    """Well-formed regularity proposals, reproposals included."""
    malformed: int
    """Malformed regularity proposals, refused at once."""
    candidates: int
    """Regularities that were ever a candidate, each once a stream."""
    active: int
    """Those of them that were ever active."""
    suspended: int
    """Those that were ever dormant."""

    @classmethod
    def of(
        cls,
        method: str,
        *,
        fabricate: float,
        days: Sequence[DailyRecord],
        proposals: int,
        malformed: int,
        changes: Iterable[tuple[str, Transition]],
    ) -> MemoryTally:
        """The counts of one run's daily records, proposals and lifecycle transitions, each of these with its stream."""
        reached: dict[str, set[tuple[str, str]]] = {}
        for stream_id, change in changes:
            reached.setdefault(change.after, set()).add((stream_id, change.regularity_id))
        refused = Counter(rejection.reason for day in days for rejection in day.rejections)
        return cls(
            method=method,
            fabricate=fabricate,
            daily_records=len(days),
            accepted=sum(len(day.segments) for day in days),
            refused=dict(sorted(refused.items())),
            proposals=proposals,
            malformed=malformed,
            candidates=len(reached.get("candidate", ())),
            active=len(reached.get("active", ())),
            suspended=len(reached.get("dormant", ())),
        )


def tally_table(tallies: Sequence[MemoryTally], *, backbone: str, data: str) -> Table:
    """Equations 5 and 6 as counts: segments accepted and refused, regularities proposed, admitted and suspended.

    Args:
        tallies: One a run; the same method may come with several fault rates.
        backbone: For the caption.
        data: For the caption.
    """
    reasons = sorted({reason for tally in tallies for reason in tally.refused})
    heads = ("Daily records", "Accepted segments", *(f"Refused: {reason.replace('_', ' ')}" for reason in reasons))
    heads += ("Proposals", "Malformed", "Candidates", "Ever active", "Ever dormant")
    rows = []
    for tally in _ordered(tallies):
        counts = [tally.daily_records, tally.accepted, *(tally.refused.get(reason, 0) for reason in reasons)]
        counts += [tally.proposals, tally.malformed, tally.candidates, tally.active, tally.suspended]
        rows.append(_row(tally, map(Cell, counts)))
    return Table(
        title="What memory let in",
        caption="Counts over all streams; from candidates on a regularity counts once a stream, however often it was proposed",
        columns=(*_NAMED, *(Column(head, "count") for head in heads)),
        rows=tuple(rows),
        backbone=backbone,
        data=data,
    )


def recovery_table(rows: Sequence[tuple[MemoryTally, Recovery]], *, backbone: str, data: str) -> Table:
    """Recall of planted habits, precision of admitted regularities and decoys admitted, by the rule of `datasets.planted`.

    Args:
        rows: A run's counts, for its name and fault rate, and its comparison with what was planted.
        backbone: For the caption.
        data: For the caption.
    """
    heads = (
        Column("Habits", "count"),
        Column("Recall", "percent", "higher"),
        Column("Recall with trigger", "percent", "higher"),
        Column("Admitted", "count"),
        Column("Precision", "percent", "higher"),
        Column("Precision with trigger", "percent", "higher"),
        Column("Decoys", "count"),
        Column("Decoys admitted", "count", "lower"),
    )
    found = {id(tally): recovery for tally, recovery in rows}
    lines = []
    for tally in _ordered([tally for tally, _ in rows]):
        item = found[id(tally)]
        recall = (Cell(item.habits), _share(item.found, item.habits), _share(item.found_with_trigger, item.habits))
        precision = (Cell(item.admitted), _share(item.true, item.admitted), _share(item.true_with_trigger, item.admitted))
        lines.append(_row(tally, (*recall, *precision, Cell(item.decoys), Cell(item.decoys_admitted))))
    return Table(
        title="Regularities against the planted truth",
        caption=(
            "A regularity describes a habit when their windows overlap by half of the shorter one and its behavior is seen on "
            f"{AGREEMENT:.0%} of the dates on which the habit was kept, {MIN_DATES} at least; with trigger: both triggers also "
            f"agree on {AGREEMENT:.0%} of the dates. Habits kept on fewer than {MIN_DATES} dates are not asked for"
        ),
        columns=(*_NAMED, *heads),
        rows=tuple(lines),
        backbone=backbone,
        data=data,
    ).ranked()


_NAMED = (Column("Method"), Column("Fabricated", "percent"))


def _row(tally: MemoryTally, cells: Iterable[Cell]) -> Row:
    return Row((Cell(tally.method), Cell(tally.fabricate), *cells), group=str(tally.fabricate))


def _share(part: int, whole: int) -> Cell:
    return Cell(Fraction(part, whole) if whole else None)


def _ordered(tallies: Sequence[MemoryTally]) -> list[MemoryTally]:
    return sorted(tallies, key=lambda tally: (tally.fabricate, method_rank(tally.method), tally.method))
