"""C_t = (e_t, S_t, W_t, R_t, Q_t): everything a decision may rest on (Equation 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proactmem.core.opportunity import OpportunityState
from proactmem.core.regularities import Match
from proactmem.core.streams import Event
from proactmem.core.trajectories import Segment

__all__ = ["DecisionContext"]


@dataclass(frozen=True)
class DecisionContext:
    """The decision context of one event; a memory layer that a method lacks is empty."""

    event: Event
    """e_t, the current event."""
    recent: Sequence[Event]
    """S_t, at most K - 1 prior events within Delta, oldest first."""
    trajectories: Sequence[Segment]
    """W_t, accepted segments of the current cycle, oldest first."""
    regularities: Sequence[Match]
    """R_t, at most three, best first."""
    opportunity: OpportunityState
    """Q_t, the observable state."""
