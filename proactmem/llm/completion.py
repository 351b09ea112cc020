"""One chat completion as JSON: the body a request becomes in a service's manners, the reply an answer's bytes hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from proactmem.llm.backbone import Reply, Request, Usage
from proactmem.llm.schema import without_surrogates

__all__ = ["MAX_TEXT", "STRUCTURES", "Manners", "NotACompletion", "Structure", "chat_body", "read_completion"]

MAX_TEXT = 1_000_000
"""Characters of a reply that are kept."""

Structure = Literal["json_schema", "json_object_schema", "json_object", "text"]
"""How a reply's schema is asked for: strictly, as a schema beside json_object, in words beside it, in words alone."""
STRUCTURES: tuple[Structure, ...] = ("json_schema", "json_object_schema", "json_object", "text")
"""From the strictest form to the one that every service understands."""

_FINISH: dict[object, Literal["stop", "length", "refused"]] = {
    "stop": "stop", "eos": "stop", "length": "length", "max_tokens": "length", "content_filter": "refused",
    "refusal": "refused",
}  # fmt: skip


@dataclass(frozen=True)
class Manners:
    """What was learnt about a service from the errors it named."""

    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """How the output limit is called; max_tokens first, since servers that do not know the other name ignore it."""
    temperature: bool = True
    """False for models that accept their own default only."""
    seed: bool = True
    """False for services that refuse a seed."""


@dataclass(frozen=True)
class NotACompletion:
    """A 200 answer without a chat completion in it."""

    kind: Literal["html", "not_json", "error", "shape"]
    detail: str
    """One line; may repeat what the service said."""


def chat_body(request: Request, manners: Manners, structure: Structure) -> dict[str, object]:
    """The JSON body of a chat completion request; lone surrogates become U+FFFD, since JSON over HTTP is UTF-8."""
    messages = [{"role": item.role, "content": without_surrogates(item.content)} for item in request.messages]
    body: dict[str, object] = {"model": request.model, "messages": messages, manners.limit_field: request.max_tokens}
    if manners.temperature:
        body["temperature"] = request.temperature
    if manners.seed and request.seed is not None:
        body["seed"] = request.seed
    if request.reply_schema is None:
        return body
    name, schema = request.reply_schema.name, request.reply_schema.json_schema
    if structure in ("json_object", "text"):
        said = "Answer with one JSON object and nothing else, valid under this JSON schema: " + json.dumps(schema)
        if messages and messages[0]["role"] == "system":
            messages[0]["content"] += "\n\n" + said
        else:
            messages.insert(0, {"role": "system", "content": said})
    match structure:
        case "json_schema":
            strict = {"name": name, "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": strict}
        case "json_object_schema":
            body["response_format"] = {"type": "json_object", "schema": schema}
        case "json_object":
            body["response_format"] = {"type": "json_object"}
        case "text":
            pass
    return body


def read_completion(raw: bytes) -> Reply | NotACompletion:
    """The reply in an answer's bytes; no choices, null content or a refusal are replies, anything else is not.

    >>> read_completion(b'{"choices": [{"message": {"content": null}, "finish_reason": "length"}]}').finish_reason
    'length'
    """
    if raw.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html")):
        return NotACompletion("html", "an HTML page")
    try:
        answer = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return NotACompletion("not_json", f"{len(raw)} bytes that are no JSON, or cut off")
    if not isinstance(answer, dict):
        return NotACompletion("shape", f"a JSON {type(answer).__name__}")
    if answer.get("error") and not answer.get("choices"):
        error = answer["error"]
        return NotACompletion("error", str(error.get("message", error) if isinstance(error, dict) else error))
    choices = answer.get("choices")
    if not isinstance(choices, list):
        return NotACompletion("shape", "a JSON object without choices")
    first = choices[0] if choices else {}
    message = first.get("message") if isinstance(first, dict) else None
    if choices and not isinstance(message, dict):
        return NotACompletion("shape", "a choice without a message")
    message = message if isinstance(message, dict) else {}
    reason = _FINISH.get(first.get("finish_reason") if isinstance(first.get("finish_reason"), str) else None, "other")
    model = answer.get("model")
    return Reply(
        text=without_surrogates(_text(message.get("content")))[:MAX_TEXT],
        finish_reason="refused" if message.get("refusal") else reason,
        usage=_usage(answer.get("usage")),
        model=without_surrogates(model)[:200] if isinstance(model, str) else None,
    )


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return ""


def _usage(usage: object) -> Usage:
    if not isinstance(usage, Mapping):
        return Usage()
    details = usage.get("prompt_tokens_details")
    return Usage(
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")) if isinstance(details, Mapping) else None,
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None
