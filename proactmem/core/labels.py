"""Reference labels, joined to decisions by the scorer alone (Equation 9, SPEC 10).

No method, memory, model, runner or live module may import this module, even through a third one; import-linter
checks it.
"""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

__all__ = ["Label", "breaks_equation_9"]


def breaks_equation_9(y: bool, a: bool | None, b: bool | None, n: bool | None) -> bool:
    """Whether y is not (A or B) and N, whatever the unknown ones of A, B and N may be.

    >>> breaks_equation_9(True, None, None, False), breaks_equation_9(False, True, None, None)
    (True, False)
    """
    supported = True if a or b else None if a is None or b is None else False
    if y:
        return supported is False or n is False
    return supported is True and n is True


class Label(BaseModel):
    """The reference decision y_t of one event, with A, B and N of Equation 9 where they are known.

    >>> Label(event_id="e1", y=True, a=False, b=True, n=True).y
    True
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    event_id: str
    """The public event this judges."""
    y: bool
    """Intervene (True) or abstain (False)."""
    a: bool | None = None
    """A: the event alone supports a concrete, timely, feasible, low-risk service; None where not annotated."""
    b: bool | None = None
    """B: earlier events of the stream support it; None where not annotated."""
    n: bool | None = None
    """N: first reliable actionable window of its episode; None where not annotated."""
    service: str | None = None
    """The useful service, in the source's words."""

    @model_validator(mode="after")
    def _equation_9(self) -> Self:
        if breaks_equation_9(self.y, self.a, self.b, self.n):
            raise ValueError("y must equal (a or b) and n (Equation 9)")
        return self
