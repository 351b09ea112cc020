"""What was planted in a repository: habits, decoys and reference episodes, in the words of the public events."""

from pydantic import BaseModel, ConfigDict

from proactmem.datasets.simulate.truth import Decoy, Habit

__all__ = ["CodeEpisode", "RepositoryTruth"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CodeEpisode(_Frozen):
    """A reference episode: one opportunity, from its onset to its closure (Appendix D.2)."""

    id: str
    kind: str
    """The planted cause: details_arrived, clear_report, duplicate, review_needed, review_answered, stale_review, ..."""
    service: str
    object: str
    """What it is about, such as `issue 12`."""
    onset: str
    """event_id of the first event at which help is actionable: the only one with y = 1."""
    valid: tuple[str, ...]
    """event_ids at which the service still fits, onset included."""
    deadline: str
    """Instant from which on it is too late."""
    closure: str
    """Why it ended: closed, merged, answered, released or stale."""
    a: bool
    b: bool
    """Support at the onset (Equation 9)."""


class RepositoryTruth(_Frozen):
    """Everything planted in one repository."""

    repo_id: int
    name: str
    """Its newest name."""
    earlier_name: str | None
    """The name before it was renamed, if it was."""
    first_date: str
    days: int
    habits: tuple[Habit, ...]
    decoys: tuple[Decoy, ...]
    episodes: tuple[CodeEpisode, ...]
    misjudged: tuple[str, ...]
    """event_ids where the annotator's judgement was turned by label noise."""
