"""Chat completion bodies on the service's side: a request out of what a client sent, a completion out of a reply."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from pydantic import ValidationError

from proactmem.errors import BackboneError, ProactmemError
from proactmem.llm.backbone import Backbone, Message, Reply, ReplySchema, Request

__all__ = ["RejectedRequestError", "approximate_tokens", "chat", "completion", "read_request"]

_DEFAULT_TOKENS = 1_024
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_FINISH = {"stop": "stop", "other": "stop", "length": "length", "refused": "content_filter"}


class RejectedRequestError(ProactmemError):
    """A request that is answered with an error status."""

    def __init__(self, status: int, message: str, *, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        kind = "server_error" if status >= 500 else "invalid_request_error"
        self.status = status
        """HTTP status."""
        self.body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
        """The JSON body, in the form of OpenAI's errors."""


def approximate_tokens(text: str) -> int:
    """Characters / 4, rounded up: what usage says where the backbone does not count (ours; no tokenizer is loaded).

    >>> approximate_tokens(""), approximate_tokens("abcde")
    (0, 2)
    """
    return -(-len(text) // 4)


def read_request(body: bytes, model: str) -> Request:
    """The request in a chat completion body; its role is `decision`, which no model sees.

    A missing temperature is 0 and a missing output limit 1,024 tokens. Settings this service does not know are ignored,
    but those that would change the shape of the answer (stream, several choices, tools) are rejected.

    Args:
        body: The HTTP body.
        model: The one model this service has.

    Raises:
        RejectedRequestError: 400 for a body that is no valid request, 404 for another model.
    """
    try:
        data = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise RejectedRequestError(400, "The body is not JSON; send one JSON object.") from None
    if not isinstance(data, dict):
        raise RejectedRequestError(400, f"The body is a JSON {type(data).__name__}; send one JSON object.")
    if not isinstance(data.get("model"), str):
        raise RejectedRequestError(400, "'model' is missing or no string.", param="model")
    if data["model"] != model:
        raise RejectedRequestError(
            404, f"The model {data['model']!r} does not exist; this service has {model!r}.", code="model_not_found"
        )
    for name, allowed in (
        ("stream", (None, False)),
        ("n", (None, 1)),
        ("tools", (None, [])),
        ("functions", (None, [])),
    ):
        if data.get(name) not in allowed:
            raise RejectedRequestError(
                400, f"{name!r} is not supported here; leave it out.", param=name, code="unsupported_parameter"
            )
    messages = data.get("messages")
    if not isinstance(messages, list) or not messages:
        raise RejectedRequestError(400, "'messages' is missing or empty; send a list of messages.", param="messages")
    limit = data.get("max_completion_tokens")
    limit = data.get("max_tokens") if limit is None else limit
    temperature = data.get("temperature")
    try:
        return Request(
            model=model,
            messages=tuple(_message(item, index) for index, item in enumerate(messages)),
            reply_schema=_schema(data.get("response_format")),
            temperature=0.0 if temperature is None else _number(temperature, "temperature", 0, 2),
            max_tokens=_DEFAULT_TOKENS if limit is None else int(_number(limit, "max_tokens", 1, 10**7, whole=True)),
            seed=None if data.get("seed") is None else int(_number(data["seed"], "seed", -(2**63), 2**63, whole=True)),
            role="decision",
        )
    except ValidationError as error:
        raise RejectedRequestError(400, error.errors(include_url=False, include_input=False)[0]["msg"]) from None


def _number(value: object, name: str, low: float, high: float, *, whole: bool = False) -> float:
    right = isinstance(value, int) or (isinstance(value, float) and not whole and math.isfinite(value))
    if not right or isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise RejectedRequestError(400, f"{name!r} is {str(value)[:40]!r}, expected {kind} from {low} to {high}.", param=name)
    return value


def _message(item: object, index: int) -> Message:
    where = f"messages[{index}]"
    role = item.get("role") if isinstance(item, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(role, str) or role not in _ROLES:
        raise RejectedRequestError(
            400, f"{where} has the role {role!r}, expected one of {', '.join(_ROLES)}.", param=f"{where}.role"
        )
    content = item.get("content")
    if isinstance(content, list):
        parts = [part if isinstance(part, Mapping) else {} for part in content]
        if any(part.get("type") != "text" or not isinstance(part.get("text"), str) for part in parts):
            raise RejectedRequestError(400, f"{where} has a content part that is no text.", param=f"{where}.content")
        content = "".join(part["text"] for part in parts)
    if not isinstance(content, str):
        raise RejectedRequestError(400, f"{where} has no text content.", param=f"{where}.content")
    return Message.model_validate({"role": _ROLES[role], "content": content})


def _schema(asked: object) -> ReplySchema | None:
    if asked is None:
        return None
    kind = asked.get("type") if isinstance(asked, Mapping) else None
    name: object = "json_object"
    schema: object = None
    if kind == "text":
        return None
    if kind == "json_object" and isinstance(asked, Mapping):
        schema = asked.get("schema", {"type": "object"})
    if kind == "json_schema" and isinstance(asked, Mapping) and isinstance(inner := asked.get("json_schema"), Mapping):
        name, schema = inner.get("name"), inner.get("schema")
    if not isinstance(schema, dict) or not isinstance(name, str):
        expected = "type text, json_object, or json_schema with a name and a schema"
        raise RejectedRequestError(400, f"'response_format' cannot be read; expected {expected}.", param="response_format")
    return ReplySchema(name=name, json_schema=schema)


def chat(backbone: Backbone, body: bytes) -> dict[str, object]:
    """The chat completion a backbone gives to an HTTP body; no clock and no uuid, so equal replies give equal bytes.

    Raises:
        RejectedRequestError: 400 and 404 as in `read_request`; 503 where the backbone could not answer, 500 for other
            named errors.
    """
    request = read_request(body, backbone.model)
    try:
        reply = backbone.complete(request)
    except BackboneError as error:
        raise RejectedRequestError(503, str(error), code="backbone") from None
    except ProactmemError as error:
        raise RejectedRequestError(500, str(error), code="backbone") from None
    return completion(request, reply)


def completion(request: Request, reply: Reply) -> dict[str, object]:
    """A reply in the form of a chat completion, usage filled in by `approximate_tokens` where it was not counted."""
    counted = reply.usage
    prompt = counted.prompt_tokens
    if prompt is None:
        prompt = sum(approximate_tokens(message.content) for message in request.messages)
    written = approximate_tokens(reply.text) if counted.completion_tokens is None else counted.completion_tokens
    usage: dict[str, object] = {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}
    if counted.cached_tokens is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": counted.cached_tokens}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": reply.text, "refusal": None},
        "finish_reason": _FINISH[reply.finish_reason],
    }
    return {
        "id": f"chatcmpl-{request.key[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": reply.model or request.model,
        "choices": [choice],
        "usage": usage,
    }
