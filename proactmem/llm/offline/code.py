"""Code: does this event make a small piece of repository work useful now?

What a careful person would ask. Never for bots and never for stars, forks and routine pushes. An open issue or pull
request is worth a word when something that was waited for has arrived (the asker had asked for steps, a log, a version;
now somebody else gives it), when a problem report comes in that gives details to work with, when a pull request is opened
for review, or when an object that has been silent for five days moves again (seen only where event memory reaches back that
far). Thanks, merges, closings and labels need no help. It reads recent events alone: trajectories and regularities change
nothing here but the controller's key.
"""

from __future__ import annotations

import re
from datetime import datetime

from proactmem.llm.offline.reading import Object, Prompt, abstain, intervene, text

__all__ = ["decide_code"]

_ASKED = re.compile(
    r"\b(reproduc\w+|repro|steps|log|logs|stack ?trace|version|minimal example|can you (share|provide|confirm))\b",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"(```|\b(steps|reproduc\w+|here (is|are)|version|traceback|exception|stack ?trace|able to)\b)", re.IGNORECASE
)
_PROBLEM = re.compile(r"\b(bug|crash\w*|error|exception|fail\w*|broken|regression|does ?n.t work|not working)\b", re.IGNORECASE)
_THANKS = re.compile(r"^\W*(thanks?|thank you|thx|great|lgtm|\+1|nice)\b.{0,60}$", re.IGNORECASE | re.DOTALL)
_SILENT_DAYS = 5.0


def _part(event: Object, name: str) -> Object:
    part = event.get(name)
    return part if isinstance(part, dict) else {}


def _kind(event: Object) -> tuple[str, str]:
    part = _part(event, "event")
    return text(part.get("github_type")), text(part.get("action"))


def _object(event: Object) -> tuple[str, str]:
    part = _part(event, "object")
    return text(part.get("type")), str(part.get("number"))


def _said(event: Object) -> str:
    content = _part(event, "content")
    return " ".join(text(content.get(name)) for name in ("comment_body", "review_body", "body", "title"))


def _actor(event: Object) -> str:
    attributes = _part(event, "attributes")
    return text(attributes.get("actor") or attributes.get("author") or attributes.get("user"))


def _moment(event: Object) -> datetime | None:
    try:
        return datetime.fromisoformat(text(event.get("event_time")))
    except ValueError:
        return None


def _offer(action: str, event: Object, what: str, evidence: list[object]) -> dict[str, object]:
    kind, name = _object(event)
    target = f"{kind} {name}"
    return intervene(
        action, target, f"{what[0].upper()}{what[1:]} for {target}; I can prepare that for the maintainers.", evidence,
        operation="create", recipient="maintainers", content=what, firing_condition=None,
    )  # fmt: skip


def decide_code(prompt: Prompt) -> dict[str, object]:
    """Intervene or abstain after one repository event."""
    event = prompt.current
    (kind, action), said, actor = _kind(event), _said(event), _actor(event)
    event_id = text(event.get("event_id"))
    closed = text(_part(event, "attributes").get("state")) == "closed"
    if actor.endswith("[bot]") or closed or _THANKS.match(text(_part(event, "content").get("comment_body"))):
        return abstain()
    mine = [past for past in prompt["recent_events"] if _object(past) == _object(event)]
    if kind == "IssuesEvent" and action in ("opened", "reopened") and _PROBLEM.search(said) and _GIVEN.search(said):
        return _offer("triage", event, "check the reported problem", [event_id])
    if kind == "IssueCommentEvent" and _GIVEN.search(said):
        asked = [past for past in mine if _actor(past) != actor and _ASKED.search(_said(past))]
        if asked or (not actor and mine and _PROBLEM.search(said)):
            return _offer(
                "triage",
                event,
                "validate the details that have arrived",
                [event_id, *(p.get("event_id") for p in asked[-2:])],
            )
    if kind == "PullRequestEvent" and action in ("opened", "reopened", "ready_for_review"):
        return _offer("review", event, "summarise the change for review", [event_id])
    if kind in ("PullRequestReviewCommentEvent", "IssueCommentEvent", "PullRequestReviewEvent") and mine:
        now, before = _moment(event), _moment(mine[-1])
        if now and before and (now - before).total_seconds() > _SILENT_DAYS * 86_400:
            return _offer("triage", event, "sum up where this stands", [event_id, mine[-1].get("event_id")])
    return abstain()
