from __future__ import annotations

from dataclasses import replace

import pytest

from proactmem.errors import InputError
from proactmem.report.names import method_name
from proactmem.report.tables import ablation_table, main_table, paired_table
from proactmem.score.metrics import Counts
from proactmem.score.scoring import overall
from tests.score.making import INTEGERS, score, spread

STREAMS = {"sports": 9, "home": 4, "code": 4}


def table_2(**changes):
    return [
        score(spread(Counts(*by_scope[scope]), STREAMS[scope]), method=method, scope=scope, **changes)
        for method, by_scope in INTEGERS.items()
        for scope in STREAMS
    ]


def shown(table):
    return [
        (table.rows[i].published, [cell.text for cell in row], [cell.mark for cell in row])
        for i, row in enumerate(table.sheet().rows)
    ]


def test_our_rows_from_the_published_counts_equal_the_published_rows():
    rows = shown(main_table(table_2()))
    assert len(rows) == 36
    ours = {(text[0], text[1]): (text[2:], mark) for published, text, mark in rows if not published}
    theirs = {(text[0], text[1]): (text[2:], mark) for published, text, mark in rows if published}
    assert {(scope, f"{name} (published)"): found for (scope, name), found in ours.items()} == theirs


def test_marks_of_table_2():
    """Bold and underline as the paper describes them: Mem0 covers most on Sports, ProactMem is most effective."""
    rows = {(text[0], text[1]): mark for published, text, mark in shown(main_table(table_2(), published=False))}
    assert not any("(published)" in name for _, name in rows)
    #                                   frequency, relevance, coverage, effectiveness, intrusion, balance
    assert rows["Sports", "Mem0"][2:] == [None, None, "best", "second", None, None]
    assert rows["Sports", "ProactMem"][2:] == [None, "best", None, "best", "best", "best"]
    assert rows["Code", "ProactMem"][2:] == [None, "best", "best", "best", "second", "best"]


def test_caption_labels():
    table = main_table(table_2())
    assert table.backbone == "offline backbone"
    assert "Data: sports." in table.full_caption
    assert "gpt-5.6-luna on ProactiveStream" in table.full_caption
    assert "Sports 1\u202f456 (365 reference interventions, streams: 9)" in table.full_caption
    assert "95 % intervals" in table.full_caption
    assert "Backbone: some-model." in main_table(table_2(backbone="openai", model="some-model")).full_caption
    assert "gpt" not in main_table(table_2(), published=False).full_caption


def test_no_path_of_a_machine_enters_a_table():
    found = main_table(table_2(data="/home/someone/data/built/sports"), published=False)
    assert found.data == "sports"
    assert "someone" not in found.markdown() + found.csv()
    assert main_table(table_2(), data="Simulated streams").data == "Simulated streams"


def test_several_backbones_have_a_column():
    mixed = table_2()[:3] + table_2(backbone="openai", model="m-1")[:3]
    table = main_table(mixed)
    assert [column.name for column in table.columns][:3] == ["Scope", "Method", "Backbone"]
    assert table.backbone == "m-1, offline backbone"
    assert {row.cells[2].value for row in table.rows} == {"offline backbone", "m-1", "gpt-5.6-luna"}


def test_overall_rows():
    scores = table_2()
    pooled = [overall([s for s in scores if s.method == method]) for method in INTEGERS]
    rows = shown(main_table(pooled))
    assert [text[5] for _, text, _ in rows] == ["36.7", "39.5", "39.2", "43.3", "39.6", "52.6"] * 2
    assert rows[-1][1][2] == "not published here"


def test_a_scope_that_was_not_published_has_our_rows_alone():
    table = main_table([score({"t": Counts(1, 1, 1, 1)}, scope="desktop")])
    assert [row.published for row in table.rows] == [False]
    assert "ProactiveStream" not in table.full_caption


def test_what_was_not_scored_is_in_a_footnote():
    found = replace(score({"t": Counts(1, 1, 1, 1)}), partial=True, unscored=1234, labels_without_event=2)
    (note,) = main_table([found], published=False).sheet().notes
    text = (
        "partial: finished streams only; 1\u202f234 events without a label not scored; 2 labels without an event; "
        "no interval: one stream"
    )
    assert note == ("a", text)


def test_undefined_scores():
    table = main_table([score({"t": Counts(fn=2, tn=3)})], published=False)
    assert [cell.text for cell in table.sheet().rows[0]][2:] == ["0.00×", "undefined", "0.0", "0.0", "0.0", "50.0"]


def test_ablation():
    full = table_2()[-1]
    before = replace(full, decisions="proposed")
    gateless = replace(full, method="no_replay_gate")
    rows = shown(ablation_table([full, before, gateless]))
    assert [text[1] for _, text, _ in rows] == [
        "w/o replay gate",
        "before suppression",
        "ProactMem",
        "event-only (published)",
        "event and trajectory memory (published)",
        "w/o replay gate (published)",
        "w/o trajectory validation (published)",
        "before suppression (published)",
        "ProactMem (published)",
    ]
    assert rows[4][1][2:] == ["not published here", "not published here", "not published here", "48.5", "19.1"]
    assert rows[7][1][2:] == ["2.71×", "36.7", "99.4", "53.6", "not published here"]


def test_paired():
    pairs = []
    for scope in ("code", "sports"):
        first, second = (
            score({"a": Counts(*INTEGERS[m][scope]), "b": Counts(*INTEGERS[m][scope])}, method=m, scope=scope)
            for m in ("ProactMem", "A-MEM")
        )
        pairs.append((first, second))
    table = paired_table(pairs, metrics=("effectiveness", "intrusion"))
    rows = [[f"{cell.text} {cell.interval}".strip() for cell in row] for row in table.sheet().rows]
    assert rows == [
        ["Sports", "ProactMem − A-MEM", "effectiveness", "+5.4 [+5.4, +5.4]", "100.0"],
        ["Sports", "ProactMem − A-MEM", "intrusion", "−9.9 [−9.9, −9.9]", "0.0"],
        ["Code", "ProactMem − A-MEM", "effectiveness", "+11.7 [+11.7, +11.7]", "100.0"],
        ["Code", "ProactMem − A-MEM", "intrusion", "−5.9 [−5.9, −5.9]", "0.0"],
    ]
    with pytest.raises(InputError, match="frequency"):
        paired_table(pairs, metrics=("frequency",))


def test_paired_with_one_stream_has_no_share():
    pair = (score({"a": Counts(1, 1, 1, 1)}), score({"a": Counts(0, 0, 2, 2)}))
    table = paired_table([pair], metrics=("coverage",))
    assert [cell.text for cell in table.sheet().rows[0]] == [
        "Sports",
        "ProactMem − ProactMem",
        "coverage",
        "+50.0",
        "—",
    ]
    assert table.sheet().notes == (("a", "no interval: one stream"),)


@pytest.mark.parametrize("build", [main_table, ablation_table, paired_table])
def test_a_table_needs_scores(build):
    with pytest.raises(InputError, match="needs scores"):
        build([])


@pytest.mark.parametrize(
    ("slug", "name"),
    [("proactmem", "ProactMem"), ("event_only", "event-only"), ("a-mem", "A-MEM"), ("ProactiveAgent", "ProactiveAgent"),
     ("event-and-trajectory-memory", "event and trajectory memory"), ("mine_2", "mine_2")],
)  # fmt: skip
def test_method_names(slug, name):
    assert method_name(slug) == name
