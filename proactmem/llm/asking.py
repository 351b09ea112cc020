"""Ask, check, repair once: the model proposes, code disposes (ARCHITECTURE, idea 2; SPEC 6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from proactmem.core.records import CallRecord, Unusable
from proactmem.llm.backbone import Backbone, Message, Reply, Request

__all__ = ["Answer", "Fault", "ask"]

T = TypeVar("T")

_SHOWN = 2_000
"""Characters of an unusable reply that the repair request shows the model."""


@dataclass(frozen=True)
class Fault:
    """Why a reply cannot be used; `detail` goes to the record and to the repair request, never with event text."""

    reason: Literal["empty", "not_json", "wrong_schema", "out_of_scope", "too_long"]
    detail: str


@dataclass(frozen=True)
class Answer(Generic[T]):
    """The checked value, or why there is none, and the calls it took."""

    value: T | None
    unusable: Unusable | None
    calls: tuple[CallRecord, ...]


def ask(backbone: Backbone, request: Request, check: Callable[[str], T | Fault]) -> Answer[T]:
    """One request and at most one repair; an unusable reply is an outcome, a failing service is an error.

    Args:
        backbone: The door to the model.
        request: What to ask.
        check: Turns the reply's text into a value, or says what is wrong with it.

    Raises:
        BackboneError: The service could not answer; nothing was decided.
    """
    reply = backbone.complete(request)
    calls = [_call(request, reply)]
    if reply.finish_reason == "refused":
        return Answer(None, Unusable(reason="refused", detail="the service declined the content", attempts=1), tuple(calls))
    checked = check(reply.text)
    if not isinstance(checked, Fault):
        return Answer(checked, None, tuple(calls))
    repair = _repair(request, reply, checked)
    second = backbone.complete(repair)
    calls.append(_call(repair, second))
    fault, last = checked, second
    if second.finish_reason != "refused":
        repaired = check(second.text)
        if not isinstance(repaired, Fault):
            return Answer(repaired, None, tuple(calls))
        fault = repaired
    cut = last.finish_reason == "length" and fault.reason in ("not_json", "empty")
    reason = "refused" if last.finish_reason == "refused" else "truncated" if cut else fault.reason
    return Answer(None, Unusable(reason=reason, detail=fault.detail[:300], attempts=2), tuple(calls))


def _call(request: Request, reply: Reply) -> CallRecord:
    return CallRecord(
        role=request.role, key=request.key,
        prompt_tokens=reply.usage.prompt_tokens, completion_tokens=reply.usage.completion_tokens,
    )  # fmt: skip


def _repair(request: Request, reply: Reply, fault: Fault) -> Request:
    shown = reply.text[:_SHOWN] or "(nothing)"
    ask_again = (
        f"That reply could not be used: {fault.detail}. "
        "Answer the same task again with one JSON object in the format described, and nothing else."
    )
    messages = (*request.messages, Message(role="assistant", content=shown), Message(role="user", content=ask_again))
    # Built anew: a copy would carry the cached key of the original.
    return Request(
        model=request.model, messages=messages, reply_schema=request.reply_schema, temperature=request.temperature,
        max_tokens=request.max_tokens, seed=request.seed, sample=request.sample, role="repair",
    )  # fmt: skip
