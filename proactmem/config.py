"""Every setting of the method with its published default, its unit and its source."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["MOST", "MemoryConfig"]

MOST = 1_000_000
"""No memory setting needs more: hours, minutes, events and days beyond every stream."""


class MemoryConfig(BaseModel):
    """The bounds and thresholds of ProactMem (Sections 3.1-3.2, Appendix B); frozen, part of every run manifest.

    >>> MemoryConfig().capacity
    100
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    horizon_hours: float = Field(default=72.0, gt=0, le=MOST, allow_inf_nan=False)
    """Delta of Equation 4, in hours, inclusive."""
    capacity: int = Field(default=100, ge=1, le=MOST)
    """K of Equation 4: events in context, the current one included."""
    cycle_records: int = Field(default=7, ge=1, le=MOST)
    """Completed daily records that close a construction cycle (Section 3.1)."""
    min_support: int = Field(default=3, ge=1, le=MOST)
    """n_f needed for admission: fulfilled days in replay (Section 3.1)."""
    min_confidence: float = Field(default=0.5, ge=0, le=1, allow_inf_nan=False)
    """conf_replay needed for admission (Equation 6)."""
    min_lift: float = Field(default=1.0, ge=0, le=MOST, allow_inf_nan=False)
    """lift needed for admission (Equation 6)."""
    lead_minutes: float = Field(default=30.0, ge=0, le=MOST, allow_inf_nan=False)
    """How long before its window an occurrence is *upcoming* (Section 3.2)."""
    grace_minutes: float = Field(default=30.0, ge=0, le=MOST, allow_inf_nan=False)
    """How long after its window an occurrence is *deviated* (Section 3.2)."""
    top: int = Field(default=3, ge=0, le=MOST)
    """Regularities retrieved at one event (Equation 7)."""
    weakening_after: int = Field(default=2, ge=1, le=MOST)
    """Consecutive violations that move an active regularity to weakening (Appendix B.2)."""
    dormant_after: int = Field(default=4, ge=1, le=MOST)
    """Consecutive violations that move a regularity to dormant (Appendix B.2)."""
    retire_cycles: int = Field(default=8, ge=1, le=MOST)
    """Cycles without a trigger after which a candidate or dormant regularity is retired (ours)."""
    replay_gate: bool = True
    """False: the ablation *w/o replay gate*; well-formed candidates enter as active (Table 4)."""
    validate_trajectories: bool = True
    """False: the ablation *w/o trajectory validation*; schema-valid segments are kept unchecked (Table 4)."""
