"""Agreement is the libraries', labels come of votes by the protocol, and versions never lose what they rest on."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.datasets.annotate.adjudicate import adjudicate, disagreements
from proactmem.datasets.annotate.agreement import agreement
from proactmem.datasets.annotate.protocol import agree, annotators_in, import_labels, make_labels, make_queue, review, run_panel
from proactmem.datasets.annotate.session import LabellingSession
from proactmem.datasets.annotate.versions import read_version
from proactmem.datasets.annotate.votes import Vote, append_vote, read_votes, vote_file
from proactmem.datasets.build import build_home
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.join import read_labels
from proactmem.datasets.raw import build_raw, simulate_raw
from proactmem.errors import ConfigError, InputError
from proactmem.llm.offline.backbone import OfflineBackbone
from tests.datasets.suggestion_files import real


def votes(*columns: str, streams: int = 2) -> dict[str, dict[tuple[str, str], Vote]]:
    """Annotators' votes on y as strings of 0, 1 and blanks for a missing one; events alternate between streams."""
    found = {}
    for number, column in enumerate(columns, start=1):
        given = {}
        for place, sign in enumerate(column):
            item = (f"s{place % streams}", f"e{place:03d}")
            given[item] = Vote(stream_id=item[0], event_id=item[1], y=None if sign == " " else sign == "1")
        found[f"ann-{number}"] = given
    return found


def test_kappa_and_alpha_are_those_of_the_literature():
    # Three raters, four items, worked by hand: p_e = 0.5, P = (1 + 1 + 1/3 + 1/3) / 4.
    found = agreement(votes("1100", "1100", "1010"), draws=50)
    assert found.fleiss.value == pytest.approx((2 / 3 - 0.5) / 0.5)
    assert found.observed == pytest.approx(2 / 3)
    assert (found.prevalence, found.events, found.complete) == (0.5, 4, 4)
    # Krippendorff's alpha of the same: 1 - (n - 1) * o / (2 * n0 * n1), with 12 values, 4 of them in disagreeing pairs.
    assert found.krippendorff.value == pytest.approx(1 - 11 * 4 / (2 * 6 * 6))


def test_missing_votes_leave_kappa_s_events_and_stay_out_of_alpha():
    found = agreement(votes("110 0", "1100 ", "10100"), draws=20)
    assert (found.events, found.complete) == (5, 3)
    assert found.over == "streams"
    assert agreement(votes("1100", "1010", streams=1), draws=20).over == "events"


def test_where_nobody_says_1_the_coefficients_are_undefined():
    found = agreement(votes("000", "000"), draws=5)
    assert (found.fleiss.value, found.krippendorff.value, found.observed) == (None, None, 1.0)
    assert "undefined" in str(found)
    with pytest.raises(ConfigError, match="expected at least two"):
        agreement(votes("01"))
    with pytest.raises(ConfigError, match="no event has two votes"):
        agreement(votes("1 ", " 0"))


def test_disagreements_show_votes_without_names():
    found = disagreements(votes("1100", "1010", "10 0"), [(f"s{place % 2}", f"e{place:03d}") for place in range(4)])
    assert [one.item[1] for one in found] == ["e001", "e002"]
    assert {letter for one in found for letter, _ in one.votes} == {"A", "B", "C"}


def test_the_majority_decides_unless_the_adjudicator_does():
    order = [(f"s{place % 2}", f"e{place:03d}") for place in range(4)]
    given_ = votes("1100", "1010", "1 01")
    settled, open_ = adjudicate(given_, order)
    assert [(one.item[1], one.y, one.how) for one in settled] == [
        ("e000", True, "unanimous"),
        ("e002", False, "majority"),
        ("e003", False, "majority"),
    ]
    assert open_ == [order[1]]
    word = {order[1]: Vote.of(order[1], a=False, b=True, n=True, service="walk")}
    settled, open_ = adjudicate(given_, order, decisions=word)
    assert open_ == []
    assert [(one.y, one.b, one.service, one.how) for one in settled if one.item == order[1]] == [
        (True, True, "walk", "adjudicated")
    ]


@given(st.lists(st.tuples(*[st.booleans()] * 9), min_size=1, max_size=8))
def test_labels_never_break_equation_9(marks):
    given_ = {
        f"ann-{number}": {
            ("s", f"e{place}"): Vote.of(("s", f"e{place}"), a=row[number], b=row[3 + number], n=row[6 + number], service="walk")
            for place, row in enumerate(marks)
        }
        for number in range(3)
    }
    settled, open_ = adjudicate(given_, [("s", f"e{place}") for place in range(len(marks))])
    assert open_ == []
    for one, row in zip(settled, marks, strict=True):
        assert one.y == (sum((row[k] or row[3 + k]) and row[6 + k] for k in range(3)) >= 2)
        if None not in (one.a, one.b, one.n):
            assert one.y == ((one.a or one.b) and one.n)


@pytest.mark.parametrize("scope", ["sports", "home", "code"])
def test_the_whole_protocol_gives_labels_that_the_scorer_reads(scope, tmp_path):
    simulate_raw(scope, tmp_path / "raw", seed=7, streams=2, days=6)
    build_raw(scope, tmp_path / "raw", tmp_path / "built")
    built, folder = tmp_path / "built", tmp_path / "votes"
    make_queue(built, folder, OfflineBackbone())
    report = run_panel(built, folder, OfflineBackbone(), annotators=3)
    total = sum(BuiltStreams.open(built).counts.values())
    assert report.votes == 3 * total
    assert annotators_in(folder) == ["panel-1", "panel-2", "panel-3"]
    version = make_labels(built, folder, tmp_path / "labels")
    found = read_labels(version.file, built)
    assert len(found.labels) == total
    assert found.unmatched == 0
    assert version.provenance.protocol[0] == "triage of the queue"
    assert version.provenance.events_sha256 == BuiltStreams.open(built).sha256
    assert len(version.provenance.agreement) == 4


def test_a_new_version_names_the_old_one_and_other_events_are_refused(built, tmp_path):
    folder, out = tmp_path / "votes", tmp_path / "labels"
    run_panel(built, folder, OfflineBackbone(), annotators=3)
    first = make_labels(built, folder, out)
    assert make_labels(built, folder, out) == first
    item = next(iter(read_labels(first.file, built).labels))
    append_vote(vote_file(folder, "adjudicator"), Vote.of(item, a=True, b=False, n=True, service="walk"))
    second = make_labels(built, folder, out)
    assert (second.provenance.version, second.provenance.parent_sha256) == (2, first.provenance.labels_sha256)
    assert second.provenance.protocol[-1] == "adjudication"
    assert read_labels(second.file, built).labels[item].y
    assert read_version(out, 1) == first
    assert read_version(out) == second
    simulate_raw("sports", tmp_path / "raw", seed=8, streams=1, days=5)
    build_raw("sports", tmp_path / "raw", tmp_path / "other")
    run_panel(tmp_path / "other", tmp_path / "more", OfflineBackbone(), annotators=1)
    with pytest.raises(ConfigError, match="holds labels of other events"):
        make_labels(tmp_path / "other", tmp_path / "more", out)
    second.file.write_text(second.file.read_text() + "\n")
    with pytest.raises(InputError, match="is not the file that its provenance names"):
        read_version(out)
    with pytest.raises(ConfigError, match="no version 9"):
        read_version(out, 9)


def test_without_votes_nothing_is_made(built, tmp_path):
    with pytest.raises(ConfigError, match="holds no votes"):
        make_labels(built, tmp_path, tmp_path / "out")
    with pytest.raises(ConfigError, match="no vote of nobody"):
        make_labels(built, tmp_path, tmp_path / "out", annotators=["nobody"])
    assert read_version(tmp_path / "out") is None


def test_the_reference_labels_that_come_with_the_data_are_taken_over_with_their_votes(tmp_path):
    raw = real("uci_adl")
    build_home(raw, tmp_path / "built")
    version = import_labels(
        raw / "reference_labels.csv", tmp_path / "built", tmp_path / "labels", guideline=raw / "ANNOTATION.md"
    )
    assert (version.provenance.labels, version.provenance.positive) == (377, 12)
    assert version.provenance.annotators == ("vote-1", "vote-2", "vote-3")
    [told] = version.provenance.agreement
    assert "Fleiss' kappa 0.2" in told
    assert (
        read_labels(version.file, tmp_path / "built").labels
        == read_labels(raw / "reference_labels.csv", tmp_path / "built").labels
    )
    line = json.loads(version.file.read_text().splitlines()[0])
    assert (line["y"], line["votes"], line["service"]) == (1, [1, 1, 1], "wind-down offer")


def test_people_and_models_are_not_mixed_unless_named_and_labels_say_who_judged(built, tmp_path):
    run_panel(built, tmp_path, OfflineBackbone(), annotators=2)
    item = next(iter(read_votes(vote_file(tmp_path, "panel-1"))))
    append_vote(vote_file(tmp_path, "ann"), Vote.of(item, a=True, b=False, n=True, service="walk"))
    with pytest.raises(ConfigError, match="votes of people and of models"):
        agree(tmp_path)
    version = make_labels(built, tmp_path, tmp_path / "labels", annotators=["ann", "panel-1"])
    assert version.provenance.judged_by == {"ann": ("person",), "panel-1": ("offline",)}
    assert version.provenance.prompts_sha256 is not None


def test_cross_review_shows_notes_under_letters_and_revisions_settle_it(built, tmp_path):
    streams = BuiltStreams.open(built)
    items = [(name, event.event_id) for name in streams.stream_ids for event in streams.events(name)]
    for number, name in enumerate(("zoe", "ann", "kim")):
        for place, item in enumerate(items):
            yes = place == 0 and number > 0
            append_vote(vote_file(tmp_path, name), Vote.of(item, a=yes, b=False, n=yes, service="walk", note=f"note {number}"))
    [found] = review(tmp_path, built)
    assert found.item == items[0]
    [line] = [json.loads(text) for text in (tmp_path / "review.jsonl").read_text().splitlines()]
    assert sorted(vote["note"] for vote in line["votes"].values()) == ["note 0", "note 1", "note 2"]
    assert not {"zoe", "ann", "kim"} & set(json.dumps(line).split('"'))
    settled = Vote.of(items[0], a=True, b=False, n=True, service="walk", note="agreed", review=True)
    append_vote(vote_file(tmp_path, "zoe"), settled)
    assert review(tmp_path, built) == []
    assert "cross-review" in make_labels(built, tmp_path, tmp_path / "labels").provenance.protocol


def test_votes_are_tied_to_their_events(built, tmp_path):
    votes = tmp_path / "votes"
    run_panel(built, votes, OfflineBackbone(), annotators=1)
    simulate_raw("sports", tmp_path / "raw", seed=8, streams=1, days=5)
    build_raw("sports", tmp_path / "raw", tmp_path / "other")
    for call in (
        lambda: run_panel(tmp_path / "other", votes, OfflineBackbone()),
        lambda: LabellingSession(tmp_path / "other", votes, "ann"),
        lambda: make_labels(tmp_path / "other", votes, tmp_path / "labels"),
        lambda: review(votes, tmp_path / "other"),
    ):
        with pytest.raises(ConfigError, match="holds votes on other events"):
            call()


def test_agreement_of_named_annotators_only(built, tmp_path):
    run_panel(built, tmp_path, OfflineBackbone(), annotators=3)
    assert [one.mark for one in agree(tmp_path)] == ["y", "a", "b", "n"]
    assert agree(tmp_path, annotators=["panel-1", "panel-2"])[0].annotators == ("panel-1", "panel-2")
