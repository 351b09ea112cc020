"""The label of one event as a simulated annotator of Home or Code gives it (Equation 9)."""

from typing import NamedTuple

__all__ = ["Judgement"]


class Judgement(NamedTuple):
    """A, B and N of an event, and the service that is useful; the default is nothing to offer.

    Example:
        >>> Judgement().y, Judgement(a=False, b=True, n=True, service="walk").y
        (False, True)
    """

    a: bool = False
    b: bool = False
    n: bool = False
    service: str = "none"

    @property
    def y(self) -> bool:
        """Equation 9."""
        return (self.a or self.b) and self.n
