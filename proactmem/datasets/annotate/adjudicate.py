"""From votes to reference labels: disagreements, cross-review, majority, and the adjudicator's word (Appendix A.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from proactmem.core.labels import breaks_equation_9
from proactmem.datasets.annotate.votes import Item, Vote

__all__ = ["Disagreement", "Reference", "adjudicate", "disagreements"]


class Disagreement(NamedTuple):
    """An event on which votes differ, each annotator's vote beside the others' in an order that tells nothing."""

    item: Item
    votes: tuple[tuple[str, Vote], ...]
    """Letters in place of pseudonyms: who is A differs from event to event."""


class Reference(NamedTuple):
    """The label of one event and how it came about."""

    item: Item
    y: bool
    a: bool | None
    b: bool | None
    n: bool | None
    service: str | None
    votes: tuple[bool | None, ...]
    """y of each annotator, in the order of their pseudonyms."""
    how: str
    """unanimous, majority, adjudicated or as stated."""


def disagreements(votes: Mapping[str, Mapping[Item, Vote]], order: Sequence[Item], *, seed: int = 0) -> list[Disagreement]:
    """Events on which votes on y differ or one is missing, in the order given; for cross-review and adjudication."""
    found = []
    for item in order:
        given = [(name, vote) for name in sorted(votes) if (vote := votes[name].get(item)) is not None]
        if len({vote.y for _, vote in given}) > 1 or len(given) < len(votes) or given[0][1].y is None:
            mixed = sorted(given, key=lambda one: sha256(f"{seed}|{item[0]}|{item[1]}|{one[0]}".encode()).digest())
            found.append(Disagreement(item, tuple((chr(ord("A") + place), vote) for place, (_, vote) in enumerate(mixed))))
    return found


def adjudicate(
    votes: Mapping[str, Mapping[Item, Vote]], order: Sequence[Item], *, decisions: Mapping[Item, Vote] | None = None
) -> tuple[list[Reference], list[Item]]:
    """Reference labels by the adjudicator's decision where there is one, else by majority of the votes on y.

    A, B and N follow the majority of those who voted as y says; where they break Equation 9 they become unknown. The service
    is the one that most of them named.

    Args:
        votes: Votes by event, by annotator.
        order: The events, in the order of the labels.
        decisions: The adjudicator's votes, by event.

    Returns:
        The labels, and the events that have none: a tie, or no vote, and no decision.
    """
    settled, open_ = [], []
    names = sorted(votes)
    for item in order:
        given = [vote for name in names if (vote := votes[name].get(item)) is not None and vote.y is not None]
        said = tuple(vote.y if (vote := votes[name].get(item)) is not None else None for name in names)
        decision = None if decisions is None else decisions.get(item)
        if decision is not None and decision.y is not None:
            marks = (decision.a, decision.b, decision.n)
            settled.append(Reference(item, decision.y, *marks, decision.service, said, "adjudicated"))
            continue
        ones = sum(bool(vote.y) for vote in given)
        if not given or 2 * ones == len(given):
            open_.append(item)
            continue
        y = 2 * ones > len(given)
        alike = [vote for vote in given if vote.y == y]
        a, b, n = (_majority([getattr(vote, mark) for vote in alike]) for mark in ("a", "b", "n"))
        if breaks_equation_9(y, a, b, n):
            a = b = n = None
        named = Counter(vote.service for vote in alike if y and vote.service)
        service = min(named, key=lambda one: (-named[one], one)) if named else None
        how = "unanimous" if len(alike) == len(names) else "majority"
        settled.append(Reference(item, y, a, b, n, service, said, how))
    return settled, open_


def _majority(marks: Sequence[bool | None]) -> bool | None:
    known = [mark for mark in marks if mark is not None]
    ones = sum(known)
    return None if not known or 2 * ones == len(known) else 2 * ones > len(known)
