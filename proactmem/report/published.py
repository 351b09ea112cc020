"""The authors' published figures of ProactMem, for display beside ours; what is not known is None, never zero."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import cast

from proactmem.errors import InputError
from proactmem.score.metrics import METRICS, Metric

__all__ = [
    "PUBLISHED_LABEL",
    "PUBLISHED_MODEL",
    "PublishedRow",
    "published_ablation",
    "published_composition",
    "published_layers",
    "published_main",
    "published_scaling",
]

PUBLISHED_MODEL = "gpt-5.6-luna"
"""The backbone of Tables 1, 2 and 4 and Figure 4."""
PUBLISHED_LABEL = "Published rows: gpt-5.6-luna on ProactiveStream, as the authors print them"
"""What a caption says about published rows."""
_SCOPES = ("Sports", "Home", "Code")


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One method's published scores in one scope."""

    method: str
    """The method's name in the paper."""
    scope: str
    """sports, home or code."""
    source: str
    """The table or figure, such as 'Table 2'."""
    model: str
    """The backbone."""
    scores: Mapping[Metric, Fraction | None]
    """Every metric as a fraction of the printed digits; None where it is not published."""
    derived: frozenset[Metric] = frozenset()
    """Metrics that follow uniquely from printed cells but are not themselves printed."""


@cache
def _document() -> Mapping[str, object]:
    text = files("proactmem.report").joinpath("reported.toml").read_text(encoding="utf-8")
    return _table(tomllib.loads(text, parse_float=Decimal), "proactmem")


def _table(parent: Mapping[str, object], key: str) -> Mapping[str, object]:
    return cast("Mapping[str, object]", parent[key])


def _fractions(columns: object, cells: object) -> dict[Metric, Fraction | None]:
    """Printed cells by metric: percent become shares, frequency stays a multiple."""
    printed = dict(zip(cast("list[Metric]", columns), cast("list[Decimal | int]", cells), strict=True))
    found: dict[Metric, Fraction | None] = dict.fromkeys(METRICS)
    for metric, cell in printed.items():
        found[metric] = Fraction(cell) if metric == "frequency" else Fraction(cell) / 100
    return found


def _title(scope: str) -> str:
    if scope.title() not in _SCOPES:
        raise InputError(
            "no published figures for this scope", field="scope", found=scope, expected="sports, home or code",
            remedy="Leave published rows out for other scopes.",
        )  # fmt: skip
    return scope.title()


def _row(name: str, scope: str, source: str, cells: Mapping[Metric, Fraction | None], model: str) -> PublishedRow:
    return PublishedRow(name, scope.lower(), source, model, MappingProxyType(dict(cells)))


def published_main(scope: str) -> tuple[PublishedRow, ...]:
    """The six rows of Table 2 for one scope, in the table's order; for overall, the pooled effectiveness.

    Overall the authors print ProactMem's effectiveness alone; the others follow from the printed cells of the scopes.

    Args:
        scope: sports, home, code or overall.

    Raises:
        InputError: Another scope.

    >>> published_main("home")[-1].scores["effectiveness"]
    Fraction(293, 500)
    """
    if scope == "overall":
        return _overall()
    table = _table(_document(), "table2")
    rows = _table(table, _title(scope))
    return tuple(
        _row(name, scope, "Table 2", _fractions(table["columns"], cells), PUBLISHED_MODEL) for name, cells in rows.items()
    )


def _overall() -> tuple[PublishedRow, ...]:
    pooled = _table(_table(_document(), "table7_derived"), "pooled_effectiveness")
    printed = _table(_table(_document(), "table2"), "overall")["ProactMem_effectiveness"]
    only: frozenset[Metric] = frozenset({"effectiveness"})
    rows = []
    for name, cell in pooled.items():
        ours = name == "ProactMem"
        values = MappingProxyType(_fractions(["effectiveness"], [printed if ours else cell]))
        rows.append(PublishedRow(name, "overall", "Section 5.2", PUBLISHED_MODEL, values, frozenset() if ours else only))
    return tuple(rows)


def _by_method(key: str, scope: str, source: str) -> tuple[PublishedRow, ...]:
    table, title = _table(_document(), key), _title(scope)
    found = []
    for name, cells in table.items():
        if name != "columns" and title in cast("Mapping[str, object]", cells):
            values = _fractions(table["columns"], _table(table, name)[title])
            found.append(_row(name, scope, source, values, PUBLISHED_MODEL))
    return tuple(found)


def published_layers(scope: str) -> tuple[PublishedRow, ...]:
    """Figure 4: event-only, event and trajectory memory, ProactMem; effectiveness and intrusion of one scope."""
    return _by_method("figure4", scope, "Figure 4")


def published_ablation(scope: str) -> tuple[PublishedRow, ...]:
    """Table 4 for one scope, with the frequency and coverage of Table 7 as far as they follow from printed cells.

    The ProactMem row takes its other metrics from Table 2, where it is printed in full. Cells of Table 7 that are
    known only as unique integer solutions are named in `derived`.
    """
    title = _title(scope)
    derived = _table(_document(), "table7_derived")
    known: dict[str, dict[Metric, object]] = {}
    for key, name in (
        ("coverage_without_replay_gate", "w/o replay gate"),
        ("coverage_without_trajectory_validation", "w/o trajectory validation"),
    ):
        if title in _table(derived, key):
            known[name] = {"coverage": _table(derived, key)[title]}
    if title == "Code":
        known["before suppression"] = cast("dict[Metric, object]", dict(_table(derived, "code_before_suppression")))
    full = next(row for row in published_main(scope) if row.method == "ProactMem")
    rows = []
    for row in _by_method("table4", scope, "Table 4"):
        if row.method == full.method:
            rows.append(full)
            continue
        extra = known.get(row.method, {})
        cells = dict(row.scores)
        cells.update({m: v for m, v in _fractions(list(extra), list(extra.values())).items() if v is not None})
        rows.append(PublishedRow(row.method, row.scope, row.source, row.model, MappingProxyType(cells), frozenset(extra)))
    return tuple(rows)


def published_scaling(scope: str) -> tuple[PublishedRow, ...]:
    """Table 3 for one scope: ProactMem with Luna, Terra and Sol; effectiveness and intrusion."""
    table, title = _table(_document(), "table3"), _title(scope)
    return tuple(
        _row("ProactMem", scope, "Table 3", _fractions(table["columns"], _table(table, model)[title]), model)
        for model in table
        if model != "columns"
    )


def published_composition() -> Mapping[str, tuple[int, int, int]]:
    """Table 1: streams, events and reference interventions of each scope and in total.

    >>> published_composition()["Total"]
    (17, 4539, 729)
    """
    rows = _table(_document(), "table1")
    return MappingProxyType(
        {name: cast("tuple[int, int, int]", tuple(cast("list[int]", rows[name]))) for name in rows if name != "columns"}
    )
