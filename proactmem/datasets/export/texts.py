"""Code events without what users wrote: the metadata of their content is kept, the texts are not (for distribution)."""

from __future__ import annotations

from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, SportsEvent
from proactmem.datasets.card import Card

__all__ = ["card_without_texts", "without_texts"]

Scalar = str | bool | int | float | None


def without_texts(
    event: SportsEvent | HomeEvent | CodeEvent | DesktopEvent,
) -> SportsEvent | HomeEvent | CodeEvent | DesktopEvent:
    """The event with every text in `content` null; names, numbers, truths and the lengths of lists stay.

    Attributes (state, the repository's own labels, actor, branch) are metadata and stay. Events of other scopes are as
    they were.
    """
    if not isinstance(event, CodeEvent):
        return event
    content = {
        name: tuple(map(_no_text, value)) if isinstance(value, tuple) else _no_text(value)
        for name, value in event.content.items()
    }
    return event.model_copy(update={"content": content})


def card_without_texts(card: Card) -> Card:
    """The card of such events: it quotes no record, names no files of the build with texts, and says what was done."""
    options = {**card.options, "texts": "drop"}
    return card.model_copy(update={"problems": (), "outputs": {}, "options": options})


def _no_text(value: Scalar) -> Scalar:
    return None if isinstance(value, str) else value
