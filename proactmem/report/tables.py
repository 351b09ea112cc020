"""The tables of the paper from run scores: main comparison, ablation, paired differences; as .md, .tex and .csv."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from proactmem.errors import InputError
from proactmem.paths import write_atomic
from proactmem.report.names import DIRECTIONS, SCOPE_ORDER, backbone_label, method_name, method_rank, scope_name
from proactmem.report.numbers import count
from proactmem.report.published import (
    PUBLISHED_LABEL,
    PublishedRow,
    published_ablation,
    published_layers,
    published_main,
)
from proactmem.report.table import Cell, Column, Row, Table
from proactmem.score.intervals import DRAWS, Interval, NoInterval
from proactmem.score.metrics import METRICS, Metric
from proactmem.score.scoring import RunScore, compare

__all__ = [
    "Cell",
    "Column",
    "Row",
    "Table",
    "ablation_table",
    "main_table",
    "paired_table",
    "shown_name",
    "write_table",
]

PUBLISHED_SCOPES = ("sports", "home", "code", "overall")
"""Scopes with published rows."""
_Published = Callable[[str], tuple[PublishedRow, ...]]


@dataclass(frozen=True, slots=True)
class _Line:
    """A row with what it is sorted by."""

    scope: str
    name: str
    row: Row


def write_table(table: Table, folder: Path, name: str) -> tuple[Path, Path, Path]:
    """The table as `name.md`, `name.tex` and `name.csv` in the folder: the same table, the same bytes.

    Raises:
        StoreError: A file cannot be written.
    """
    texts = {".md": table.markdown(), ".tex": table.latex(label=name), ".csv": table.csv()}
    paths = {suffix: folder / f"{name}{suffix}" for suffix in texts}
    for suffix, text in texts.items():
        write_atomic(paths[suffix], text)
    return paths[".md"], paths[".tex"], paths[".csv"]


def shown_name(score: RunScore) -> str:
    """The row's name: the paper's name of the method, or *before suppression* where proposals are scored (Table 4)."""
    name = method_name(score.method)
    if score.decisions == "final":
        return name
    return "before suppression" if name == "ProactMem" else f"{name} before suppression"


def main_table(
    scores: Sequence[RunScore], published: bool = True, *, data: str | None = None, title: str = "Full-scope comparison"
) -> Table:
    """Table 2: methods by the six metrics, per scope, with intervals; the authors' rows stand beside ours.

    Args:
        scores: One score a method and scope; pooled ones under the scope 'overall'.
        published: Whether to add the published rows of the scopes shown.
        data: The data label of the caption; the names of the scored data folders by default.
        title: The table's title.

    Raises:
        InputError: No score.
    """
    return _score_table(scores, METRICS, published_main if published else None, data, title)


def ablation_table(
    scores: Sequence[RunScore],
    published: bool = True,
    *,
    data: str | None = None,
    title: str = "Memory, validation and control",
) -> Table:
    """Table 4 and Figure 4 in one: each variant that drops a layer or a check, per scope, beside the full method.

    Args:
        scores: One score a variant and scope.
        published: Whether to add the published rows of the scopes shown.
        data: The data label of the caption; the names of the scored data folders by default.
        title: The table's title.

    Raises:
        InputError: No score.
    """
    metrics: tuple[Metric, ...] = ("frequency", "relevance", "coverage", "effectiveness", "intrusion")
    return _score_table(scores, metrics, _published_variants if published else None, data, title)


def paired_table(
    pairs: Sequence[tuple[RunScore, RunScore]],
    *,
    metrics: Sequence[Metric] = ("effectiveness", "relevance", "coverage", "intrusion", "balance"),
    data: str | None = None,
    title: str = "Paired differences",
    seed: int = 0,
    draws: int = DRAWS,
) -> Table:
    """First minus second of each pair on the same streams and events, with interval and share of draws above zero.

    Args:
        pairs: Scores to compare, each pair of one scope.
        metrics: Metrics to show, all of them shares; `compare` gives the difference in frequency.
        data: The data label of the caption; the names of the scored data folders by default.
        title: The table's title.
        seed: Seed of the bootstrap.
        draws: Resamples of the bootstrap.

    Raises:
        InputError: No pair, a pair scored on different events, or frequency among the metrics.
    """
    if "frequency" in metrics:
        raise InputError(
            "frequency is a multiple and has no difference in points", field="metrics", found=tuple(metrics),
            expected="shares", remedy="Take it from score.scoring.compare.",
        )  # fmt: skip
    columns = (
        Column("Scope"),
        Column("Comparison"),
        Column("Metric"),
        Column("Difference", "points"),
        Column("Draws above zero", "percent"),
    )
    rows = []
    for first, second in sorted(pairs, key=lambda pair: _scope_rank(pair[0].scope)):
        found = {difference.metric: difference for difference in compare(first, second, seed=seed, draws=draws)}
        name = f"{shown_name(first)} − {shown_name(second)}"
        if backbone_label(first) != backbone_label(second):
            name += f" ({backbone_label(first)} − {backbone_label(second)})"
        for metric in metrics:
            item = found[metric]
            ends, note = _interval(item.interval)
            cells = (
                Cell(scope_name(first.scope)),
                Cell(name),
                Cell(metric),
                Cell(item.estimate, ends, note=note),
                Cell(item.share_above, missing="undefined" if item.estimate is None else "not run"),
            )
            rows.append(Row(cells, group=f"{first.scope}\n{name}"))
    flat = [score for pair in pairs for score in pair]
    return Table(
        title=title,
        caption="First method minus second, percentage points, on the same streams, events and resamples",
        columns=columns,
        rows=tuple(rows),
        backbone=_backbones(flat),
        data=_data(flat, data),
    )


def _score_table(
    scores: Sequence[RunScore], metrics: Sequence[Metric], published: _Published | None, data: str | None, title: str
) -> Table:
    several = len({backbone_label(score) for score in scores}) > 1
    lines = [_ours(score, metrics, several=several) for score in scores]
    scopes = sorted({score.scope for score in scores}, key=_scope_rank)
    if published is not None:
        known = [row for scope in scopes if scope in PUBLISHED_SCOPES for row in published(scope)]
        lines += [_theirs(row, metrics, several=several) for row in known]
    lines.sort(key=lambda line: (_scope_rank(line.scope), line.row.published, method_rank(line.name)))
    remarks = [_composition(scores, scopes)]
    remarks += [PUBLISHED_LABEL] if any(line.row.published for line in lines) else []
    named = (Column("Scope"), Column("Method"), *((Column("Backbone"),) if several else ()))
    return Table(
        title=title,
        caption="Scores in percent, frequency in multiples of the reference interventions",
        columns=named + tuple(_column(metric) for metric in metrics),
        rows=tuple(line.row for line in lines),
        backbone=_backbones(scores),
        data=_data(scores, data),
        remarks=tuple(remarks),
    ).ranked()


def _column(metric: Metric) -> Column:
    return Column(scope_name(metric), "multiple" if metric == "frequency" else "percent", DIRECTIONS.get(metric))


def _ours(score: RunScore, metrics: Sequence[Metric], *, several: bool) -> _Line:
    found = {metric: _interval(score.intervals.get(metric)) for metric in metrics}
    notes = ["partial: finished streams only"] if score.partial else []
    notes += [f"{count(score.unscored)} events without a label not scored"] if score.unscored else []
    notes += [f"{count(score.labels_without_event)} labels without an event"] if score.labels_without_event else []
    notes += ["no interval: one stream"] if any(note == "no interval: one stream" for _, note in found.values()) else []
    name = shown_name(score)
    named = [Cell(scope_name(score.scope)), Cell(name, note="; ".join(notes) or None)]
    named += [Cell(backbone_label(score))] if several else []
    cells = [Cell(score.scores.of(metric), found[metric][0]) for metric in metrics]
    return _Line(score.scope, name, Row((*named, *cells), group=score.scope))


def _theirs(row: PublishedRow, metrics: Sequence[Metric], *, several: bool) -> _Line:
    named = [Cell(scope_name(row.scope)), Cell(f"{row.method} (published)")]
    named += [Cell(row.model)] if several else []
    cells = [
        Cell(
            row.scores[metric],
            missing="not published",
            note="derived from printed cells, not printed itself" if metric in row.derived else None,
        )
        for metric in metrics
    ]
    return _Line(row.scope, row.method, Row((*named, *cells), group=row.scope, published=True))


def _published_variants(scope: str) -> tuple[PublishedRow, ...]:
    """Figure 4's variants before Table 4's; ProactMem once, with all its metrics."""
    if scope == "overall":
        return ()
    rows = published_ablation(scope)
    named = {row.method for row in rows}
    return tuple(row for row in published_layers(scope) if row.method not in named) + rows


def _interval(found: Interval | NoInterval | None) -> tuple[tuple[float, float] | None, str | None]:
    if isinstance(found, Interval):
        return (found.low, found.high), None
    return None, f"no interval: {found.reason}" if found is not None else None


def _scope_rank(scope: str) -> tuple[int, str]:
    return (SCOPE_ORDER.index(scope) if scope in SCOPE_ORDER else len(SCOPE_ORDER), scope)


def _composition(scores: Sequence[RunScore], scopes: Sequence[str]) -> str:
    """What was scored in each scope; a range of events where methods differ."""
    parts = []
    for scope in scopes:
        own = [score for score in scores if score.scope == scope]
        streams, events, positives = (
            _span(numbers)
            for numbers in (
                [len(score.streams) for score in own],
                [score.labelled for score in own],
                [score.positives for score in own],
            )
        )
        parts.append(f"{scope_name(scope)} {events} ({positives} reference interventions, streams: {streams})")
    return "Scored events: " + "; ".join(parts)


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def _backbones(scores: Iterable[RunScore]) -> str:
    labels = sorted({backbone_label(score) for score in scores})
    if not labels:
        raise InputError("a table needs scores", expected="at least one scored run", remedy="Score a run first.")
    return ", ".join(labels)


def _data(scores: Iterable[RunScore], label: str | None) -> str:
    """The label given, or the names of the data folders: no path of one machine enters a table."""
    return label or ", ".join(sorted({PurePath(folder).name for score in scores for folder in score.data.split(", ")}))
