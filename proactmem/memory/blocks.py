"""How observations are written into a prompt: one JSON object a line inside named blocks that their text cannot leave."""

from __future__ import annotations

import json
from collections.abc import Iterable

from proactmem.core.facts import Fact
from proactmem.core.trajectories import Segment, clock_text

__all__ = ["block", "json_line", "segment_object"]


def json_line(value: object) -> str:
    """One line of JSON in which no text can open or close a block: `<` is written as its escape."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def block(name: str, lines: Iterable[str]) -> str:
    """A named block, one line an item; empty blocks are shown empty."""
    return "\n".join([f"<{name}>", *lines, f"</{name}>"])


def _facts(facts: tuple[Fact, ...]) -> list[dict[str, object]]:
    return [{"path": fact.path, "value": fact.value} for fact in facts]


def segment_object(segment: Segment) -> dict[str, object]:
    """A segment as a model is shown it; empty parts left out."""
    shown: dict[str, object] = {
        "id": segment.segment_id,
        "day": segment.day.isoformat(),
        "start": clock_text(segment.start),
        "end": clock_text(segment.end),
    }
    for name, facts in (
        ("observed", segment.observed),
        ("context_before", segment.context_before),
        ("outcome", segment.outcome),
    ):
        if facts:
            shown[name] = _facts(facts)
    return shown | {"sources": list(segment.sources)}
