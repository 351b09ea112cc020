"""Annotation by rule: what the decision rules would say, split into A, B and N, and how near they are to saying it.

The rules are one opinion, not a person's: a panel of them differs only in how far each member looks back before it calls an
opportunity new, which its number says. Labels that come of it are labelled by their backbone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from proactmem.llm.offline.reading import Object, Prompt, text

__all__ = ["annotate_event", "triage_event"]

Decide = Callable[[Prompt], dict[str, object]]
_SEEN, _NEAR, _QUIET = 0.9, 0.4, 0.1


def annotate_event(prompt: Prompt, decide: Decide) -> dict[str, object]:
    """A, B and N of the current event by the rules of its scope.

    B where the rules cite an earlier event, else A; N where they would not have offered the same on the events just before: one
    event back for the first annotator of a panel, two for the second, and so on.
    """
    found = decide(prompt)
    if found.get("decision") != "intervene":
        return {"A": False, "B": False, "N": False, "service": None, "note": "nothing to offer"}
    service = _service(found)
    current = text(prompt.current.get("event_id"))
    cited = found.get("evidence")
    earlier = isinstance(cited, list) and any(one != current for one in cited)
    new = not any(_service(decide(past)) == service for past in _before(prompt, _number(prompt)))
    return {"A": not earlier, "B": earlier, "N": new, "service": service, "note": "by rule"}


def triage_event(prompt: Prompt, decide: Decide) -> dict[str, object]:
    """High where the rules would offer something, low where nothing has happened."""
    if decide(prompt).get("decision") == "intervene":
        return {"score": _SEEN}
    return {"score": _NEAR if any(decide(past).get("decision") == "intervene" for past in _before(prompt, 1)) else _QUIET}


def _before(prompt: Prompt, count: int) -> list[Prompt]:
    """The prompts that the last events would have been, the latest first."""
    history = prompt["recent_events"]
    found = []
    for back in range(1, min(count, len(history)) + 1):
        blocks: Mapping[str, tuple[Object, ...]] = {
            **prompt.blocks,
            "recent_events": history[: len(history) - back],
            "current_event": (history[len(history) - back],),
        }
        found.append(replace(prompt, blocks=blocks))
    return found


def _number(prompt: Prompt) -> int:
    head = prompt["annotator"]
    number = head[0].get("number") if head else 1
    return number if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= 9 else 1


def _service(found: Mapping[str, object]) -> str | None:
    service = found.get("service")
    if not isinstance(service, dict):
        return None
    return (
        " ".join(part for part in (text(service.get("action")).replace("_", " "), text(service.get("target"))) if part)[:120]
        or None
    )
