"""What happens in a repository: one act an event, and the causes that acts bring about."""

from dataclasses import dataclass, field
from datetime import datetime

__all__ = ["SERVICES", "Act", "Cause"]

SERVICES = {
    "clear_report": "triage",
    "details_arrived": "triage",
    "duplicate": "triage",
    "regression": "triage",
    "question_solved": "triage",
    "review_needed": "review",
    "review_answered": "review",
    "stale_review": "review",
    "build_broken": "maintenance",
    "release_due": "maintenance",
}
"""The low-risk service that each kind of cause makes useful."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why help is actionable at an act."""

    kind: str
    a: bool
    """Whether the event says so by itself."""
    b: bool
    """Whether what happened before in this repository says so."""


@dataclass(frozen=True, slots=True)
class Act:
    """One event of a repository's life before it is written in GitHub's form."""

    at: datetime
    kind: str
    """GitHub's event type."""
    actor: str
    action: str | None = None
    number: int | None = None
    """Of the issue or pull request."""
    pull: bool = False
    title: str = ""
    body: str = ""
    """Text of the comment, review, issue, pull request or release; by kind and action."""
    author: str = ""
    """Who opened the issue or pull request."""
    state: str = "open"
    labels: tuple[str, ...] = ()
    review_state: str = ""
    merged: bool = False
    ref: str = ""
    """Branch or tag."""
    ref_type: str = ""
    commits: tuple[str, ...] = ()
    comments: int = 0
    cause: Cause | None = None
    ends: str = ""
    """How this act ends what was open on its object: closed, merged, answered or released."""
    extra: dict[str, str] = field(default_factory=dict)
    """Anything else GitHub adds."""
