"""What was planted in a home: habits, decoys and reference episodes as frozen types, in the words of the public events."""

from pydantic import BaseModel, ConfigDict

from proactmem.datasets.simulate.truth import Decoy, Habit

__all__ = ["HomeEpisode", "HomeTruth"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class HomeEpisode(_Frozen):
    """A reference episode: one opportunity, from its onset to its closure (Appendix D.2)."""

    id: str
    kind: str
    """The planted cause: late_wake, night_up, meal_missed, long_sitting, door_open, lamp_on, return_due, dark_return, ..."""
    service: str
    onset: str
    """window_start of the first segment at whose end the service is in place: the first label 1."""
    again: tuple[str, ...]
    """Later segments with label 1: support that clearly strengthened."""
    valid: tuple[str, ...]
    """Every segment at whose end the service fits, onset included."""
    deadline: str
    """End of the last valid segment."""
    closure: str
    """Why it ended: ended, asleep, away or day_ended."""
    a: bool
    b: bool
    """Support at the onset (Equation 9)."""


class HomeTruth(_Frozen):
    """Everything planted in one home."""

    home: str
    first_date: str
    days: int
    habits: tuple[Habit, ...]
    decoys: tuple[Decoy, ...]
    episodes: tuple[HomeEpisode, ...]
    misjudged: tuple[str, ...]
    """window_start of segments where the annotator's judgement was turned by label noise."""
