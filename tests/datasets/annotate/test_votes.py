"""A vote file keeps every judgement, the last of an event counts, and a cut line costs nothing but itself."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from proactmem.datasets.annotate.votes import Vote, append_vote, read_history, read_votes, vote_file
from proactmem.errors import InputError, StoreError

ITEM = ("s", "e1")


@pytest.mark.parametrize(
    ("a", "b", "n", "y"), [(1, 0, 1, True), (0, 1, 1, True), (1, 1, 0, False), (0, 0, 1, False), (0, 0, 0, False)]
)
def test_y_follows_from_a_b_and_n(a, b, n, y):
    made = Vote.of(ITEM, a=bool(a), b=bool(b), n=bool(n), service="walk")
    assert made.y is y
    assert made.service == ("walk" if y else None)


def test_a_vote_that_breaks_equation_9_or_a_revision_without_a_reason_is_none():
    with pytest.raises(ValidationError, match="Equation 9"):
        Vote(stream_id="s", event_id="e", y=True, a=False, b=False, n=True)
    with pytest.raises(ValidationError, match="needs a note"):
        Vote.of(ITEM, a=True, b=False, n=True, service="walk", review=True)


def test_revisions_are_added_and_the_last_line_counts(tmp_path):
    file = vote_file(tmp_path, "ann-1")
    append_vote(file, Vote.of(ITEM, a=True, b=False, n=True, service="walk"))
    append_vote(file, Vote.of(("s", "e2"), a=False, b=False, n=False))
    append_vote(file, Vote.of(ITEM, a=False, b=False, n=False, note="slept", review=True))
    assert [vote.y for vote in read_history(file)] == [True, False, False]
    assert read_votes(file)[ITEM].note == "slept"
    assert list(read_votes(file)) == [ITEM, ("s", "e2")]


def test_a_line_that_was_cut_off_is_left_out_and_taken_away_at_the_next_vote(tmp_path):
    file = vote_file(tmp_path, "x")
    append_vote(file, Vote.of(ITEM, a=False, b=False, n=False))
    with file.open("ab") as opened:
        opened.write(b'{"stream_id": "s", "ev')
    assert list(read_votes(file)) == [ITEM]
    append_vote(file, Vote.of(("s", "e2"), a=False, b=False, n=False))
    assert list(read_votes(file)) == [ITEM, ("s", "e2")]


def test_what_is_no_vote_or_no_pseudonym_is_named(tmp_path):
    file = vote_file(tmp_path, "x")
    assert read_votes(file) == {}
    file.write_text('{"stream_id": "s", "event_id": "e", "y": 2}\n')
    with pytest.raises(InputError, match=r"x\.votes\.jsonl, row 1: is no vote"):
        read_votes(file)
    for wrong in ("", "../x", "a b", "é"):
        with pytest.raises(InputError, match="is no pseudonym"):
            vote_file(tmp_path, wrong)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError):
        append_vote(tmp_path / "file" / "x.votes.jsonl", Vote.of(ITEM, a=False, b=False, n=False))
