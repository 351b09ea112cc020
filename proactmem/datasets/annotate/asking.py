"""The annotation prompts: the current event, its complete prior history, and the scope's guideline (Appendix A.2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proactmem.core.events import public_json
from proactmem.core.streams import Event
from proactmem.llm.asking import Fault
from proactmem.llm.backbone import Message, Request
from proactmem.llm.schema import ReplyFault, parse_json_reply, reply_schema
from proactmem.prompts import fill, prompt

__all__ = [
    "HISTORY_CHARACTERS",
    "Judged",
    "Shown",
    "annotation_request",
    "check_judged",
    "check_triaged",
    "shown",
    "triage_request",
]

HISTORY_CHARACTERS = 160_000
"""Characters of history that a request holds at most (ours); what was cut is said in the prompt and in the provenance."""
T = TypeVar("T", bound=BaseModel)
_TRIAGE_EVENTS = 30
_MAX_TOKENS = 300


class Judged(BaseModel):
    """An annotator's reply."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    A: bool
    B: bool
    N: bool
    service: str | None = Field(max_length=120)
    note: str = Field(max_length=400)


class _Triaged(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    score: float = Field(ge=0, le=1)


class Shown(NamedTuple):
    """What of a history fits."""

    events: tuple[Event, ...]
    left_out: int
    """Earliest events that did not fit."""


def shown(history: Sequence[Event], characters: int = HISTORY_CHARACTERS) -> Shown:
    """The most recent events of a history that fit into so many characters."""
    room, first = characters, len(history)
    while first > 0 and room >= (size := len(public_json(history[first - 1].public)) + 1):
        room -= size
        first -= 1
    return Shown(tuple(history[first:]), first)


def annotation_request(
    event: Event,
    history: Sequence[Event],
    *,
    model: str,
    annotator: int,
    of: int,
    temperature: float,
    characters: int = HISTORY_CHARACTERS,
) -> tuple[Request, int]:
    """What one annotator of a panel is asked about one event, and how many early events were left out of it.

    The request shows nothing of other annotators' votes and nothing of any system's decision.

    Args:
        event: The current event.
        history: All events of the stream before it, in order.
        model: Model name.
        annotator: 1-based number within the panel.
        of: Annotators of the panel.
        temperature: Of the sampling; the annotator's number is the sample.
        characters: Of the history at most.
    """
    fits = shown(history, characters)
    head = {"number": annotator, "of": of}
    blocks = [
        _block("annotator", [json.dumps(head)]),
        _block("history_cut", [json.dumps({"left_out": fits.left_out, "shown": len(fits.events)})]),
        _block("recent_events", [public_json(one.public) for one in fits.events]),
        _block("current_event", [public_json(event.public)]),
    ]
    request = _request("annotate", event, "\n".join(blocks), Judged, model, temperature=temperature, sample=annotator - 1)
    return request, fits.left_out


def triage_request(event: Event, history: Sequence[Event], *, model: str) -> Request:
    """What is asked to order the queue: how much an event looks like an opportunity; no label is made of it."""
    blocks = [
        _block("recent_events", [public_json(one.public) for one in history[-_TRIAGE_EVENTS:]]),
        _block("current_event", [public_json(event.public)]),
    ]
    return _request("triage", event, "\n".join(blocks), _Triaged, model, temperature=0.0, sample=0)


def check_judged(text: str) -> Judged | Fault:
    """A judgement, or why the reply is none."""
    return _checked(text, Judged)


def check_triaged(text: str) -> float | Fault:
    """A score between 0 and 1, or why the reply is none."""
    found = _checked(text, _Triaged)
    return found if isinstance(found, Fault) else found.score


def _checked(text: str, kind: type[T]) -> T | Fault:
    parsed = parse_json_reply(text)
    if isinstance(parsed, ReplyFault):
        return Fault(parsed.kind, parsed.detail)
    try:
        return kind.model_validate(parsed)
    except ValidationError as error:
        first = error.errors()[0]
        return Fault("wrong_schema", f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:300])


def _block(name: str, lines: Sequence[str]) -> str:
    return f"<{name}>\n" + "".join(f"{line}\n" for line in lines) + f"</{name}>"


def _request(
    task: Literal["annotate", "triage"],
    event: Event,
    blocks: str,
    kind: type[BaseModel],
    model: str,
    *,
    temperature: float,
    sample: int,
) -> Request:
    system = fill(f"annotation/{task}", guideline=prompt(f"annotation/{event.scope}"))
    user = f"Scope: {event.scope}. Entity: {json.dumps(event.stream_id)}.\n{blocks}"
    return Request(
        model=model,
        messages=(Message(role="system", content=system), Message(role="user", content=user)),
        reply_schema=reply_schema(kind, task),
        temperature=temperature,
        max_tokens=_MAX_TOKENS,
        sample=sample,
        role="annotation",
    )
