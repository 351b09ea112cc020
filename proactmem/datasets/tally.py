"""What a build left out and what it noticed, counted by reason, the first bad records named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from proactmem.errors import InputError

__all__ = ["MAX_PROBLEMS", "Tally"]

MAX_PROBLEMS = 20
"""Bad records that are named; all of them are counted."""


@dataclass
class Tally:
    """Counts by reason; a reason that was looked for is listed with 0 too."""

    dropped: Counter[str] = field(default_factory=Counter)
    """Source records that gave no event."""
    noticed: Counter[str] = field(default_factory=Counter)
    """Peculiarities that dropped nothing."""
    problems: list[str] = field(default_factory=list)
    """The first `MAX_PROBLEMS` bad records, each with file, row, field and remedy."""

    @classmethod
    def of(cls, dropped: Iterable[str] = (), noticed: Iterable[str] = ()) -> Tally:
        """A tally in which these reasons are looked for, each at 0."""
        return cls(Counter(dict.fromkeys(dropped, 0)), Counter(dict.fromkeys(noticed, 0)))

    def refuse(self, reason: str, error: InputError) -> None:
        """Count a record that cannot be read as it stands, and name it while there is room."""
        self.dropped[reason] += 1
        self.remark(error)

    def remark(self, error: InputError) -> None:
        """Name a problem that is counted elsewhere or dropped nothing."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(str(error))
