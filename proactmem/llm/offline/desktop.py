"""Desktop: does what the user just did show a need that can be met now?

What a careful person would ask. A need shows when somebody asks (a search, results looked through), meets an error, or
writes text or code. Moving about (switching, opening, idling) shows none. An offer cites what raised the need: the first
event of the same question, or the writing before; whether it repeats an earlier offer is the controller's to say.
"""

from __future__ import annotations

import re

from proactmem.llm.offline.reading import Object, Prompt, abstain, intervene, text

__all__ = ["decide_desktop"]

_ASK = re.compile(r"\b(search\w*|googles|googling|quer(?:y|ies)|asks?|asked|looks? up|looked up)\b", re.IGNORECASE)
_HOME = re.compile(r"\b(home ?page|new tab)\b", re.IGNORECASE)
_ERROR = re.compile(r"\b(errors?|exceptions?|fail(?:s|ed|ure)?|crash\w*|traceback|not found|broken|stuck)\b", re.IGNORECASE)
_MAKE = re.compile(
    r"\b(starts? working on|writ(?:es?|ing|ten)|wrote|drafts?|drafting|composes?|composing|implement\w*|edits?|editing|"
    r"types?|typed|typing|records?|completes?|updates?)\b", re.IGNORECASE,
)  # fmt: skip
_THING = re.compile(
    r"\b(code|function|method|class|script|program|notes?|markdown|essay|e-?mail|letter|report|article|document|entry|"
    r"draft|paragraph|text|reflection|insights?|slides?|presentation|file|[\w-]+\.[a-z]{1,5})\b", re.IGNORECASE,
)  # fmt: skip
_QUOTED = re.compile(r"(?:(?<=\s)|^)['\"‘“](.+?)['\"’”](?=\W|$)")
_WORD = re.compile(r"[^\W\d_][\w+#.]{1,}")
_COMMON = frozenset(
    {
        *("user", "users", "the", "with", "from", "into", "that", "this", "then", "google", "chrome", "search", "searches"),
        *("visual", "studio", "code", "microsoft", "file", "page", "browser", "edge", "results", "types", "typing"),
    }
)


def _need(event: Object) -> str | None:
    said = text(event.get("event"))
    bare = _QUOTED.sub("''", said)
    if _ERROR.search(bare):
        return "problem"
    if _ASK.search(bare) and not _HOME.search(bare):
        return "question"
    if _MAKE.search(bare) and _THING.search(said):
        return "draft"
    return None


def _topic(event: Object) -> frozenset[str]:
    said = text(event.get("event"))
    quoted = " ".join(_QUOTED.findall(said)) or said
    return frozenset(word.casefold() for word in _WORD.findall(quoted)) - _COMMON


def decide_desktop(prompt: Prompt) -> dict[str, object]:
    """Intervene or abstain after what the user just did."""
    event = prompt.current
    need = _need(event)
    if need is None:
        return abstain()
    topic = _topic(event)
    same = [past for past in prompt["recent_events"] if _need(past) == need]
    if need == "draft":
        cited = same[-1:]
    else:
        cited = [past for past in same if topic and len(topic & _topic(past)) * 2 > len(topic)][:1]
    target = " ".join(sorted(topic)[:8]) or need
    message = {
        "problem": "That looks like a problem I can help with. Shall I have a look?",
        "question": "I can answer that right here and fit it to what you are working on. Interested?",
        "draft": "I can prepare a first version for you to change. Shall I?",
    }[need]
    return intervene(
        "offer_help",
        f"{need}: {target}"[:200],
        message,
        [text(event.get("event_id")), *(past.get("event_id") for past in cited)],
    )
