"""What each source allows: which parts may be passed on, under which licence, and what must be acknowledged first.

Decided by the card's source and licence (ours, from the sources' own terms):

- simulated data are the package's own and free; HeartSteps V1 is CC-BY-4.0; ProactiveBench is Apache-2.0;
- CASAS homes are passed on where their card says CC BY 4.0 of all of them; older homes ask for the permission of the
  CASAS group, so that a card that speaks of several kinds is passed on knowingly;
- UCI ADL asks for a citation and prohibits commercial use, so that it is passed on knowingly or not at all;
- GH Archive's events are public metadata, but what users wrote keeps its owners' rights: without texts they are passed
  on, with texts knowingly or not at all;
- own data, and files whose terms are not known, are passed on by whoever says that they may.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from proactmem.datasets.card import Card
from proactmem.datasets.export.layout import Texts
from proactmem.errors import ConfigError

__all__ = ["Terms", "clear_terms", "common_licence", "drops_texts", "terms_of"]

_OWN = "own data"


class Terms(NamedTuple):
    """What a source's terms ask of whoever passes it on."""

    licence: str | None
    """Licence identifier in lower case; None where there is no single one."""
    reason: str | None = None
    """Why it is not passed on unless acknowledged; None where it is free to go."""


def drops_texts(card: Card, texts: Texts) -> bool:
    """Whether this part goes without its content texts."""
    if card.scope != "code" or texts == "keep":
        return False
    return texts == "drop" or not (_simulated(card) or card.source == _OWN)


def terms_of(card: Card, *, texts_dropped: bool) -> Terms:
    """The terms of one built source."""
    source = card.source.casefold()
    if _simulated(card):
        return Terms("apache-2.0")
    if card.source == "HeartSteps V1":
        return Terms("cc-by-4.0")
    if source.startswith("proactivebench"):
        return Terms("apache-2.0")
    if "uci adl" in source:
        return Terms(None, "its terms ask for a citation, prohibit commercial use, and we do not ship it")
    if source.startswith("casas"):
        licence = card.licence.casefold().replace(" ", "-")
        if licence.startswith("cc-by-4.0") and "other" not in licence and "permi" not in licence:
            return Terms("cc-by-4.0")
        return Terms(None, "of CASAS homes only some are under CC BY 4.0, the others need the permission of the CASAS group")
    if "gh archive" in source or "gharchive" in source:
        return Terms(None, None if texts_dropped else "what users wrote on GitHub keeps its owners' rights")
    if card.source == _OWN:
        return Terms(None, "own data are passed on by who may give them away")
    return Terms(None, "its terms are not known")


def _simulated(card: Card) -> bool:
    return card.source.casefold().startswith("simulated")


def clear_terms(cards: Sequence[Card], terms: Sequence[Terms], acknowledge: Collection[str]) -> tuple[str, ...]:
    """The acknowledged sources that needed it, or a refusal that says which source needs it and why.

    Raises:
        ConfigError: A source may not be passed on without acknowledgement, or an acknowledgement names no source here.
    """
    needed = {card.source: one.reason for card, one in zip(cards, terms, strict=True) if one.reason is not None}
    for source, reason in needed.items():
        if source not in acknowledge:
            raise ConfigError(
                f"{source!r} is not exported as it stands: {reason}.",
                remedy=f"Leave it out, or acknowledge {source!r} if you may pass it on"
                + (", or drop its texts." if "wrote on GitHub" in str(reason) else "."),
            )
    if strangers := sorted(set(acknowledge) - {card.source for card in cards}):
        raise ConfigError(
            f"acknowledged is {strangers[0]!r}, which is no source here; expected among {[card.source for card in cards]}.",
            remedy="Correct the name or leave it out.",
        )
    return tuple(source for source in sorted(needed) if source in acknowledge)


def common_licence(terms: Sequence[Terms]) -> str:
    """The one licence of all parts, `other` where they have several or none that is known.

    >>> common_licence([Terms("cc-by-4.0"), Terms("cc-by-4.0")]), common_licence([Terms("cc-by-4.0"), Terms(None)])
    ('cc-by-4.0', 'other')
    """
    found = {one.licence for one in terms}
    return next(iter(found)) or "other" if len(found) == 1 else "other"
