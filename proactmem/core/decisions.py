"""What a model proposes and what the controller makes of it (Equations 2 and 8, SPEC 6-7)."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

__all__ = [
    "AbstainReason",
    "CodeOperation",
    "Decision",
    "Proposal",
    "Service",
    "Suppression",
    "Verdict",
]

Verdict = Literal["intervene", "abstain"]
"""y-hat_t of Equation 2."""

CodeOperation = Literal["create", "update", "close"]
"""Operation on an assistance episode of a repository object; only a repeated create is suppressed (Appendix B.3)."""

AbstainReason = Literal[
    "proposed",
    "empty",
    "not_json",
    "wrong_schema",
    "out_of_scope",
    "too_long",
    "truncated",
    "refused",
    "suppressed",
    "constant",
]
"""Why a decision is abstain: proposed by the model, an unusable reply of a kind, a suppressed duplicate, a constant policy."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Service(_Frozen):
    """The concrete, low-risk assistance a proposal offers."""

    action: str = Field(min_length=1, max_length=64)
    """One of the scope's service actions."""
    target: str = Field(min_length=1, max_length=400, pattern=r"\S")
    """What or whom it is about."""
    mode: Literal["immediate", "scheduled"] = "immediate"
    """Both count as *intervene* at this event."""
    delay_minutes: float = Field(default=0, ge=0, le=10_080, allow_inf_nan=False)
    """Minutes until a scheduled service; an immediate one has no delay, whatever is written (Appendix D.2)."""

    @field_validator("delay_minutes")
    @classmethod
    def _immediate_is_now(cls, delay: float, info: ValidationInfo) -> float:
        return delay if info.data.get("mode") == "scheduled" else 0.0


class Proposal(_Frozen):
    """(y-tilde, m-tilde) = pi_theta(C_t): what the model proposes before control (Equation 8)."""

    decision: Verdict
    service: Service | None = None
    """Set exactly when decision is intervene."""
    message: str | None = Field(default=None, max_length=4_000)
    """m-tilde_t, the evidence-grounded message."""
    evidence: tuple[str, ...] = ()
    """Cited ids of events, segments and regularities in context."""
    operation: CodeOperation | None = None
    """Code only."""
    recipient: str | None = Field(default=None, max_length=400)
    """Code only: who is addressed."""
    content: str | None = Field(default=None, max_length=4_000)
    """Code only: what is to be done, apart from the free message."""
    firing_condition: str | None = Field(default=None, max_length=1_000)
    """Code only: when a scheduled service fires."""

    @model_validator(mode="after")
    def _service_with_intervene(self) -> Self:
        if (self.decision == "intervene") != (self.service is not None):
            raise ValueError("service is given exactly when decision is 'intervene'")
        return self


class Suppression(_Frozen):
    """Why the controller turned a proposal into abstain: the key it repeats and the event that used it (SPEC 7)."""

    key: str
    """The intervention key or object signature, readable."""
    earlier_event_id: str
    """The event whose allowed intervention had the same key."""


class Decision(_Frozen):
    """(y-hat_t, m-hat_t): the finalized output at one event (Equation 2)."""

    verdict: Verdict
    reason: AbstainReason | None = None
    """Why abstain; None for intervene."""
    service: Service | None = None
    message: str | None = None
    key: str | None = None
    """The intervention key under which an intervention was allowed."""
    suppression: Suppression | None = None
    """Set exactly when reason is suppressed."""
