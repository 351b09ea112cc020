"""What a model service can answer instead of a reply: one named error a cause, one readable line each, never a key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import quote

from proactmem.errors import BackboneError

__all__ = [
    "AccessRefusedError",
    "ContextLengthError",
    "GaveUpError",
    "KeyRejectedError",
    "MalformedAnswerError",
    "NoSuchApiError",
    "QuotaError",
    "RequestRejectedError",
    "UnknownModelError",
    "content_refused",
    "context_exceeded",
    "explain_status",
    "masked",
    "model_unknown",
    "one_line",
    "quota_used_up",
]


class KeyRejectedError(BackboneError):
    """The service does not accept the API key (401)."""


class AccessRefusedError(BackboneError):
    """The key is known but may not do this (403)."""


class UnknownModelError(BackboneError):
    """The service has no model of this name (404)."""


class NoSuchApiError(BackboneError):
    """There is no chat completions API at the base URL."""


class ContextLengthError(BackboneError):
    """Prompt and output limit together exceed the model's context window."""


class QuotaError(BackboneError):
    """The account's quota or credit is used up; waiting does not help."""


class RequestRejectedError(BackboneError):
    """The service rejects the request for another stated reason (other 4xx)."""


class MalformedAnswerError(BackboneError):
    """A 200 answer that is no chat completion: not JSON, cut off, too large, or of another shape."""


class GaveUpError(BackboneError):
    """Every attempt failed in a way that may pass; holds how many there were and the last cause."""

    def __init__(self, message: str, *, attempts: int, cause: str, remedy: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.attempts = attempts
        """Attempts made, the first included."""
        self.cause = cause
        """The last failure, one line."""


_CONTEXT = re.compile(
    r"context_length_exceeded|maximum context length|context (length|window|size)|prompt is too long"
    r"|too many (input )?tokens",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model_not_found|\bmodel\b.*\b(not exist|not found|unknown|no such)|\b(unknown|no such) model\b", re.IGNORECASE
)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance", re.IGNORECASE)
_REFUSED = frozenset({"content_filter", "content_policy_violation", "invalid_prompt"})
_KEY_LIKE = re.compile(r"\bsk-[\w*.\-]{4,}|(?<=Bearer )[^\s'\"]+")


def masked(text: str, secrets: tuple[str, ...]) -> str:
    """The text without any of the secrets, also where a service echoes the beginning or end of one.

    >>> masked("Incorrect API key provided: sk-abcdefgh12345678.", ("sk-abcdefgh12345678",))
    'Incorrect API key provided: ***.'
    """
    for secret in filter(None, secrets):
        for form in sorted({secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}, key=len, reverse=True):
            text = text.replace(form, "***")
        if len(secret) >= 16:
            begin, end = re.escape(secret[:8]), re.escape(secret[-8:])
            text = re.sub(rf"{begin}[\w*.\-]*\w|[\w*.\-]*{end}", "***", text)
            text = re.sub(begin, "***", text)
    return _KEY_LIKE.sub("***", text)


def one_line(text: str, limit: int = 300) -> str:
    r"""The text on one printable line of at most `limit` characters.

    >>> one_line("a\n  b")
    'a b'
    """
    flat = " ".join("".join(character if character.isprintable() else " " for character in text[: 20 * limit]).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def quota_used_up(code: str, said: str) -> bool:
    """Whether a 429 means that waiting does not help."""
    return bool(_QUOTA.search(f"{code} {said}"))


def context_exceeded(code: str, said: str) -> bool:
    """Whether an error says that the prompt does not fit the model."""
    return bool(_CONTEXT.search(f"{code} {said}"))


def model_unknown(code: str, said: str) -> bool:
    """Whether an error says that there is no such model."""
    return bool(_MODEL.search(f"{code} {said}"))


def content_refused(code: str) -> bool:
    """Whether an error code says that the content was declined, which is an answer and no outage."""
    return code in _REFUSED


def explain_status(status: int, code: str, said: str, *, url: str, model: str) -> BackboneError:
    """The named error of an answer that no retry can change.

    Args:
        status: HTTP status.
        code: The service's error code, "" where it gave none.
        said: Its message, one masked line.
        url: The base URL without credentials.
        model: The model asked for.
    """
    quoted = f" ({said})" if said else ""
    kind: Callable[..., BackboneError]
    if status == 401:
        kind, problem, remedy = KeyRejectedError, "does not accept the API key", "Set OPENAI_API_KEY to a valid key."
    elif status in (402, 429):
        kind, problem = QuotaError, "says that the quota is used up"
        remedy = "Add credit or use another key, then run the same command again: replies so far are kept."
    elif status == 403:
        kind, problem = AccessRefusedError, "refuses access"
        remedy = "Check that the key may use this model and that this place may use the service."
    elif status != 404 and context_exceeded(code, said):
        kind, problem = ContextLengthError, f"says that the prompt is too long for {model!r}"
        remedy = "Use a model with a larger context window, or a smaller capacity or horizon."
    elif model_unknown(code, said):
        kind, problem = UnknownModelError, f"has no model {model!r}"
        remedy = "Give a model name that the service lists under /models."
    elif status in (404, 405):
        kind, problem = NoSuchApiError, "has no chat completions API there"
        remedy = "Check the base URL; it usually ends in /v1."
    else:
        kind, problem = RequestRejectedError, f"rejects the request with status {status}"
        remedy = "Correct what it names, then run the same command again."
    return kind(f"{url} {problem}{quoted}.", remedy=remedy)
