"""A model that is absent: no weights, no network, no key; the same door, the same prompts, transparent rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from proactmem.llm.backbone import Reply, Request, Usage
from proactmem.llm.offline.annotate import annotate_event, triage_event
from proactmem.llm.offline.code import decide_code
from proactmem.llm.offline.daily import segment_day
from proactmem.llm.offline.desktop import decide_desktop
from proactmem.llm.offline.home import decide_home
from proactmem.llm.offline.reading import Prompt, read_prompt
from proactmem.llm.offline.sports import decide_sports
from proactmem.llm.offline.weekly import mine_week

__all__ = ["OfflineBackbone", "approximate_tokens"]

_DECIDE: Mapping[str, Callable[[Prompt], dict[str, object]]] = {
    "sports": decide_sports,
    "home": decide_home,
    "code": decide_code,
    "desktop": decide_desktop,
}


def approximate_tokens(characters: int) -> int:
    """Tokens of a text by the rule of four characters a token, rounded up; an approximation, said where it is shown."""
    return -(-characters // 4)


class OfflineBackbone:
    """Answers by rules a careful person would follow; deterministic, and blind to all but the messages.

    It knows the task by the prompt's first line and the facts by the prompt's blocks, exactly what a model is sent; it
    behaves the same behind an HTTP server. A prompt of a task it does not know gets an apology in prose, which callers
    record as an unusable reply.

    >>> OfflineBackbone().name
    'offline'
    """

    name = "offline"
    model = "offline-rules-1"

    def complete(self, request: Request) -> Reply:
        """The reply to one request; its usage is approximate (four characters a token)."""
        text = answer([(message.role, message.content) for message in request.messages])
        prompt = sum(len(message.content) for message in request.messages)
        usage = Usage(prompt_tokens=approximate_tokens(prompt), completion_tokens=approximate_tokens(len(text)))
        return Reply(text=text, usage=usage, model=self.model)


def answer(messages: list[tuple[str, str]]) -> str:
    """The reply text to (role, content) messages: all that the rules may know."""
    prompt = read_prompt(messages)
    if prompt is None:
        return "I am a set of rules and do not know this task."
    match prompt.task:
        case "daily":
            found: dict[str, object] = {"segments": segment_day(prompt)}
        case "weekly":
            found = {"regularities": mine_week(prompt)}
        case "decision" if prompt.scope in _DECIDE:
            found = _DECIDE[prompt.scope](prompt)
        case "annotate" if prompt.scope in _DECIDE:
            found = annotate_event(prompt, _DECIDE[prompt.scope])
        case "triage" if prompt.scope in _DECIDE:
            found = triage_event(prompt, _DECIDE[prompt.scope])
        case _:
            return "I am a set of rules and do not know this task."
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))
