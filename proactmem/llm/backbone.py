"""The one narrow door to a model: a whole request in, one reply out (ARCHITECTURE, ideas 2 to 4)."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from typing import Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Backbone", "Message", "Reply", "ReplySchema", "Request", "Role", "Usage"]

Role = Literal["daily", "weekly", "decision", "repair", "annotation"]
"""What a call is for; part of the record, not of what the model sees."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(_Frozen):
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


class ReplySchema(_Frozen):
    """The JSON schema a reply must meet, under a name the service shows."""

    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")
    json_schema: dict[str, object]

    @cached_property
    def text(self) -> str:
        """Name and schema as one line of canonical JSON."""
        return json.dumps([self.name, self.json_schema], sort_keys=True, separators=(",", ":"))


class Usage(_Frozen):
    """Tokens of one call as the service counted them; None where it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    """Part of prompt_tokens that the service read from its prefix cache."""


class Request(_Frozen):
    """Everything that determines a reply; its `key` addresses the recording store."""

    model: str
    messages: tuple[Message, ...]
    reply_schema: ReplySchema | None = None
    temperature: float = 0.0
    max_tokens: int
    """Output limit, in tokens."""
    seed: int | None = None
    sample: int = 0
    """Index of a repeated sample of the same request."""
    role: Role
    """Call role; its construction limits and counts are reported apart (Appendix B.4)."""

    @cached_property
    def key(self) -> str:
        """SHA-256 of the whole request, hex: its settings in canonical JSON, then each message by role, length and text."""
        schema = None if self.reply_schema is None else self.reply_schema.text
        roles = [message.role for message in self.messages]
        texts = [message.content.encode("utf-8", "surrogatepass") for message in self.messages]
        settings = ["proactmem-request-1", self.model, self.temperature, self.max_tokens, self.seed, self.sample, schema]
        head = json.dumps([*settings, roles, [len(text) for text in texts]], sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(head.encode())
        for text in texts:
            digest.update(text)
        return digest.hexdigest()


class Reply(_Frozen):
    """What came back; a bad text is a reply like any other, judged by who asked."""

    text: str
    """The message content, surrogates replaced; empty where the model said nothing."""
    finish_reason: Literal["stop", "length", "refused", "other"] = "stop"
    """`length` when the output limit cut the reply, `refused` when the service declined the content."""
    usage: Usage = Usage()
    model: str | None = None
    """The model name the service reports."""
    seconds: float | None = None
    """Wall time of the call that produced it; None for replies computed offline."""


@runtime_checkable
class Backbone(Protocol):
    """Anything that answers requests: a service, a recording, the offline rules. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """Short name for manifests and captions, for example `offline` or `openai`."""
        ...

    @property
    def model(self) -> str:
        """The model name that requests carry."""
        ...

    def complete(self, request: Request) -> Reply:
        """Answer one request.

        Raises:
            BackboneError: The service could not answer after its retries; nothing was decided.
        """
        ...
