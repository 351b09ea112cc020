"""How observations are written into a prompt: one JSON object a line inside named blocks that their text cannot leave."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["block"]


def block(name: str, lines: Iterable[str]) -> str:
    """A named block, one line an item; empty blocks are shown empty."""
    return "\n".join([f"<{name}>", *lines, f"</{name}>"])
