"""What was planted: the habits, decoys and reference episodes of ``planted.json`` as frozen types.

Predicates speak of public paths only, so that a planted habit can be compared with a proposed regularity.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["Decoy", "Episode", "Habit", "PersonTruth", "Predicate", "Public", "Window"]

Scalar = bool | int | float | str
Public = Mapping[str, Scalar | None]
"""The public payload of an event by field name; None is not measured."""
Op = Literal["==", "!=", "<", "<=", ">", ">=", "in"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Predicate(_Frozen):
    """One comparison over one public path (Equation 6)."""

    path: str
    """Full public path, for example ``observable_payload.location_category``."""
    op: Op
    """Comparison."""
    value: Scalar | tuple[Scalar, ...]
    """What the field is compared with; several values for ``in``."""

    def holds(self, public: Public) -> bool | None:
        """Whether the predicate is true of an event; None when the field was not measured.

        Example:
            >>> walked = Predicate(path="observable_payload.jawbone_steps_pre60", op=">=", value=1500)
            >>> walked.holds({"jawbone_steps_pre60": 1501}), walked.holds({"jawbone_steps_pre60": None})
            (True, None)
        """
        found = public.get(self.path.rpartition(".")[2])
        if found is None:
            return None
        if self.op == "in":
            return isinstance(self.value, tuple) and found in self.value
        if self.op == "==":
            return found == self.value
        if self.op == "!=":
            return found != self.value
        if isinstance(found, str) or isinstance(self.value, (str, tuple)):
            return False
        if self.op == "<":
            return found < self.value
        if self.op == "<=":
            return found <= self.value
        return found > self.value if self.op == ">" else found >= self.value


class Window(_Frozen):
    """A window of local time [start, end) inside one day."""

    start: str
    """HH:MM."""
    end: str
    """HH:MM, excluded."""

    def holds(self, second: int) -> bool:
        """Whether a local second of the day lies in the window."""
        return self.first_minute * 60 <= second < self.end_minute * 60

    @property
    def first_minute(self) -> int:
        """The first minute of the window."""
        return int(self.start[:2]) * 60 + int(self.start[3:])

    @property
    def end_minute(self) -> int:
        """The first minute after the window."""
        return int(self.end[:2]) * 60 + int(self.end[3:])


class Habit(_Frozen):
    """A planted regularity: after the trigger the behavior follows inside the window, on most days."""

    id: str
    kind: str
    trigger: Predicate
    behavior: Predicate
    window: Window
    weekdays: tuple[int, ...] | None
    """Days of the week it applies to (0 = Monday); None for every day."""
    start_date: str
    end_date: str | None
    """Last local date of the habit; None when it lasts to the end of the simulated days."""
    follows: str | None
    """The habit that drifted into this one, if any."""
    kept: tuple[str, ...]
    """Local dates on which it was done and could be seen."""
    skipped: tuple[str, ...]
    """Local dates on which it applied, could be seen and was not done: the deviations."""
    inapplicable: tuple[str, ...]
    """Local dates on which it did not apply in this life (weekday, time away, no work, weather, not begun, ended)."""
    unobservable: tuple[str, ...]
    """Local dates on which it applied but trigger or behavior could not be seen (not connected, device off)."""


class Decoy(_Frozen):
    """A pair of trigger and behavior that looks like a regularity and is none."""

    id: str
    reason: Literal["one_week_only", "common_without_trigger", "trigger_rarely_followed"]
    trigger: Predicate
    behavior: Predicate
    window: Window
    weekdays: tuple[int, ...] | None
    dates: tuple[str, ...]
    """For a coincidence: the local dates on which it happened."""


class Episode(_Frozen):
    """A reference episode: one opportunity, from its onset to its closure (Appendix D.2)."""

    id: str
    participant: int
    kind: str
    """``sedentary`` or the kind of historical support."""
    service: Literal["walk", "stretch"]
    cause: str
    """The habit's id, or the situation in words."""
    onset: int
    """decision_index of the first reliable actionable window: the only one with y = 1."""
    valid: tuple[int, ...]
    """decision_index of every window at which the service fits, onset included."""
    deadline: int
    """decision_index of the last of them: afterwards it is too late."""
    closure: str
    """Why it ended: moved, busy, situation_changed, need_met, replaced or day_ended."""
    a: bool
    b: bool
    """Support at the onset (Equation 9)."""


class PersonTruth(_Frozen):
    """Everything planted in one participant's life."""

    participant: int
    first_date: str
    days: int
    habits: tuple[Habit, ...]
    decoys: tuple[Decoy, ...]
    episodes: tuple[Episode, ...]
    misjudged: tuple[int, ...]
    """decision_index where the annotator's judgement of A, B or N was turned by label noise."""
