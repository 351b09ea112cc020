"""What the data are: composition beside Table 1, the builder's drops, reference labels by A, B and N, planted lives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from proactmem.core.labels import Label
from proactmem.datasets.card import Card
from proactmem.datasets.planted import Planted
from proactmem.datasets.simulate.truth import Decoy, Habit, Predicate
from proactmem.report.names import SCOPE_ORDER, scope_name
from proactmem.report.published import PUBLISHED_LABEL, published_composition
from proactmem.report.table import Cell, Column, Row, Table

__all__ = ["card_table", "composition_table", "label_table", "planted_table"]

Labels = Mapping[tuple[str, str], Label]
"""Reference labels by stream and event."""
_INPUT = "none, input data"


def composition_table(built: Sequence[tuple[Card, Labels]], *, data: str) -> Table:
    """Table 1: streams, events and reference interventions of each scope, the authors' beside ours.

    Args:
        built: The card of each scope's built streams and their reference labels; a scope once.
        data: For the caption.
    """
    ours: dict[str, tuple[Card, Labels]] = {card.scope: (card, labels) for card, labels in built}
    published = {name.casefold(): counts for name, counts in published_composition().items()}
    scopes = [name for name in SCOPE_ORDER if name in published or name in ours]
    rows = [Row((Cell(scope_name(scope)), *_built(ours.get(scope)), *_published(published.get(scope)))) for scope in scopes]
    whole = set(ours) == set(published) - {"total"}
    if whole and all(labels for _, labels in ours.values()):
        sums = [sum(counts) for counts in zip(*(_counted(card, labels) for card, labels in built), strict=True)]
        rows.append(Row((Cell("Total"), *map(Cell, sums), *_published(published.get("total")))))
    names = ("streams", "events", "reference interventions")
    heads = [Column(name.capitalize(), "count") for name in names] + [Column(f"Published {name}", "count") for name in names]
    return Table(
        title="Composition",
        caption="Reference interventions mark service opportunities",
        columns=(Column("Scope"), *heads),
        rows=tuple(rows),
        backbone=_INPUT,
        data=data,
        remarks=(PUBLISHED_LABEL.replace("gpt-5.6-luna on ", "") + " (Table 1)",),
    )


def _counted(card: Card, labels: Labels) -> tuple[int, int, int]:
    return len(card.streams), card.events, sum(label.y for label in labels.values())


def _built(found: tuple[Card, Labels] | None) -> tuple[Cell, ...]:
    if found is None:
        return (Cell(missing="not run", note="not built"),) * 3
    streams, events, positives = _counted(*found)
    return Cell(streams), Cell(events), Cell(positives) if found[1] else Cell(None, note="not labelled")


def _published(counts: Sequence[int] | None) -> tuple[Cell, ...]:
    return tuple(map(Cell, counts)) if counts else (Cell(missing="not published"),) * 3


def card_table(card: Card) -> Table:
    """The builder's account: what became of every record of the source, each reason that was looked for listed, 0 included."""
    rows = [("became an event", card.events)]
    rows += [(f"dropped: {reason.replace('_', ' ')}", number) for reason, number in card.dropped.items()]
    rows += [(f"noticed, kept: {thing.replace('_', ' ')}", number) for thing, number in card.noticed.items()]
    if card.labels is not None:
        rows.append(("events with a reference label", card.labels.joined))
        rows.append(("label rows without an event", card.labels.unmatched))
    caption = f"{card.source}; licence: {card.licence.rstrip('.')}"
    lines = tuple(Row((Cell(what), Cell(number))) for what, number in rows)
    return Table("What was built", caption, (Column("What"), Column("Count", "count")), lines, _INPUT, card.source)


def label_table(labels: Labels, *, data: str) -> Table:
    """Equation 9 by stream: y = 1 where the event (A) or history (B) supports a service and it is new (N)."""
    names = ("A only", "B only", "A and B", "covered", "neither")
    groups: dict[str, Counter[str]] = {}
    for (stream_id, _), label in labels.items():
        groups.setdefault(stream_id, Counter())[_support(label)] += 1
    heads = ("y = 1: A only", "y = 1: B only", "y = 1: A and B", "y = 0: supported, covered", "y = 0: no support", "Unknown")
    rows = [
        Row((Cell(stream_id), *(Cell(counts[name]) for name in (*names, "unknown")), _positive(counts, names[:3])))
        for stream_id, counts in groups.items()
    ]
    return Table(
        title="Reference labels",
        caption="A: the event alone supports a service; B: earlier events do; covered: an earlier window of the episode has it",
        columns=(Column("Stream"), *(Column(head, "count") for head in heads), Column("Share y = 1", "percent")),
        rows=tuple(rows),
        backbone=_INPUT,
        data=data,
    )


def _support(label: Label) -> str:
    if label.a is None or label.b is None or label.n is None:
        return "unknown"
    if not (label.a or label.b):
        return "neither"
    if not label.n:
        return "covered"
    return "A and B" if label.a and label.b else "A only" if label.a else "B only"


def _positive(counts: Counter[str], names: Iterable[str]) -> Cell:
    known = counts.total() - counts["unknown"]
    return Cell(sum(counts[name] for name in names) / known if known else None)


def planted_table(planted: Mapping[str, Planted], *, data: str) -> Table:
    """What the simulator planted: habits that memory can learn, and decoys that only look like one.

    Kept and skipped are dates on which the habit applied and could be seen; the other dates are censored or inapplicable.
    """
    rows: list[Row] = []
    for stream_id, life in planted.items():
        for habit in life.habits:
            until = habit.end_date or "the end"
            counts = (Cell(len(habit.kept)), Cell(len(habit.skipped)))
            kind, dates = habit.kind.replace("_", " "), f"{habit.start_date} to {until}"
            rows.append(Row((*_pair(habit, kind, dates), *counts), group=f"{stream_id} habits"))
        for decoy in life.decoys:
            kind, dates = f"decoy: {decoy.reason.replace('_', ' ')}", ""
            rows.append(Row((*_pair(decoy, kind, dates), *(Cell(missing="not run"),) * 2), group=f"{stream_id} decoys"))
    heads = (Column("Id"), Column("Kind"), Column("Trigger"), Column("Behavior"), Column("Window"), Column("Dates"))
    return Table(
        title="Planted lives",
        caption="After the trigger the behavior follows inside the window, on most days",
        columns=(*heads, Column("Kept", "count"), Column("Skipped", "count")),
        rows=tuple(rows),
        backbone=_INPUT,
        data=data,
    )


def _pair(planted: Habit | Decoy, kind: str, dates: str) -> tuple[Cell, ...]:
    window = _when(planted.window.start, planted.window.end, planted.weekdays)
    return tuple(map(Cell, (planted.id, kind, _condition(planted.trigger), _condition(planted.behavior), window, dates)))


def _condition(predicate: Predicate) -> str:
    value = " or ".join(map(str, predicate.value)) if isinstance(predicate.value, tuple) else str(predicate.value)
    return f"{predicate.path.rpartition('.')[2]} {'=' if predicate.op in ('==', 'in') else predicate.op} {value}"


def _when(start: str, end: str, weekdays: Sequence[int] | None) -> str:
    names = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    return f"{start}–{end}" + ("" if weekdays is None else " " + " ".join(names[day] for day in weekdays))
