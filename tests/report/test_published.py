from __future__ import annotations

from fractions import Fraction
from importlib.resources import files

import pytest

from proactmem.errors import InputError
from proactmem.report.published import (
    published_ablation,
    published_composition,
    published_layers,
    published_main,
    published_scaling,
)
from proactmem.score.metrics import METRICS


def test_the_data_is_about_proactmem_alone():
    text = files("proactmem.report").joinpath("reported.toml").read_text(encoding="utf-8")
    assert text.startswith("# Published figures")
    assert "[memopro" not in text


def test_main_rows():
    row = published_main("sports")[-1]
    assert (row.method, row.scope, row.source, row.model) == ("ProactMem", "sports", "Table 2", "gpt-5.6-luna")
    shown = [row.scores[metric] for metric in METRICS]
    assert shown == [Fraction(text) for text in ("2.15", "0.358", "0.767", "0.488", "0.461", "0.653")]
    assert not row.derived


def test_overall_is_printed_for_proactmem_alone():
    rows = {row.method: row for row in published_main("overall")}
    assert rows["ProactMem"].scores["effectiveness"] == Fraction("0.526")
    assert not rows["ProactMem"].derived
    assert rows["A-MEM"].derived == {"effectiveness"}
    assert rows["A-MEM"].scores["relevance"] is None


def test_ablation_rows_join_tables_4_and_7():
    rows = {row.method: row for row in published_ablation("code")}
    assert list(rows) == ["w/o replay gate", "w/o trajectory validation", "before suppression", "ProactMem"]
    before = rows["before suppression"]
    assert (before.scores["frequency"], before.scores["coverage"]) == (Fraction("2.71"), Fraction("0.994"))
    assert before.derived == {"frequency", "coverage"}
    assert before.scores["intrusion"] is None
    assert rows["ProactMem"] == published_main("code")[-1]
    assert "before suppression" not in {row.method for row in published_ablation("home")}
    assert published_ablation("sports")[0].scores["coverage"] is None


def test_the_ablation_and_the_main_table_agree_on_proactmem():
    for scope in ("sports", "home", "code"):
        full = published_main(scope)[-1].scores
        for row in (*published_layers(scope), *published_scaling(scope)):
            if row.method == "ProactMem" and row.model == "gpt-5.6-luna":
                assert all(value in (None, full[metric]) for metric, value in row.scores.items())


def test_layers_and_scaling():
    assert [row.method for row in published_layers("code")] == [
        "event-only",
        "event and trajectory memory",
        "ProactMem",
    ]
    assert published_layers("code")[1].scores["effectiveness"] == Fraction("0.485")
    assert [row.model for row in published_scaling("home")] == ["gpt-5.6-luna", "gpt-5.6-terra", "gpt-5.6-sol"]


def test_composition():
    rows = published_composition()
    assert rows["Total"] == tuple(sum(rows[scope][i] for scope in ("Sports", "Home", "Code")) for i in range(3))


def test_a_scope_that_was_not_published():
    for find in (published_main, published_ablation, published_layers, published_scaling):
        with pytest.raises(InputError, match="'desktop'"):
            find("desktop")
