"""What belongs to a scope: its schema paths, the kinds of their values, its services and its token limits (SPEC 1, 6)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from proactmem.core.events import Scope

__all__ = ["OPEN_CONTAINERS", "SCOPES", "ScopeSpec", "ValueKind", "path_kind", "schema_paths"]

ValueKind = Literal["text", "number", "boolean", "instant", "local", "any"]
"""The kind of scalar a path holds; `any` where the source decides."""

_P = "observable_payload."
_PATHS: dict[Scope, dict[str, ValueKind]] = {
    "sports": {
        "event_id": "text",
        "timestamp": "instant",
        "stream_id": "text",
        _P + "source_local_decision_time": "local",
        _P + "source_utc_offset_seconds": "number",
        _P + "decision_slot": "number",
        _P + "available": "boolean",
        _P + "recognized_activity": "text",
        _P + "google_fit_steps_pre30": "number",
        _P + "google_fit_steps_pre60": "number",
        _P + "jawbone_steps_pre30": "number",
        _P + "jawbone_steps_pre60": "number",
        _P + "location_category": "text",
        _P + "weather_condition": "text",
        _P + "temperature_c": "number",
    },
    "home": {
        "event_id": "text",
        "stream_id": "text",
        "window_start": "local",
        "window_end": "local",
        "decision_time": "local",
        "duration_minutes": "number",
        "motion.raw_event_count": "number",
        "motion.activation_count": "number",
        "motion.deactivation_count": "number",
        "motion.location_sequence": "text",
        "door_actions.location": "text",
        "door_actions.action": "text",
        "door_actions.time": "text",
        "numeric_sensors.sensor": "text",
        "numeric_sensors.location": "text",
        "numeric_sensors.kind": "text",
        "numeric_sensors.count": "number",
        "numeric_sensors.minimum": "number",
        "numeric_sensors.maximum": "number",
        "numeric_sensors.mean": "number",
        "numeric_sensors.last": "number",
        "other_actions.sensor": "text",
        "other_actions.location": "text",
        "other_actions.action": "text",
        "other_actions.time": "text",
        "other_actions.since": "text",
    },
    "code": {
        "event_id": "text",
        "event_time": "instant",
        "stream_id": "text",
        "repository.full_name": "text",
        "event.action": "text",
        "event.github_type": "text",
        "object.number": "any",
        "object.type": "text",
    },
    "desktop": {"event_id": "text", "time": "instant", "stream_id": "text", "event": "text"},
}

OPEN_CONTAINERS: dict[Scope, tuple[str, ...]] = {
    "sports": (),
    "home": ("motion.location_counts", "motion.location_sequence", "door_actions", "numeric_sensors", "other_actions"),
    "code": (),
    "desktop": (),
}
"""Maps and lists whose absence of a member is an observation of absence (SPEC 4).

Code has none: GitHub leaves out what an event type does not carry, so an absent field of `content` or `attributes` says
nothing; an empty list there is an observation (ours).
"""

_OPEN_KINDS: dict[Scope, dict[str, ValueKind]] = {
    "sports": {},
    "home": {"motion.location_counts.": "number"},
    "code": {"content.": "any", "attributes.": "any"},
    "desktop": {},
}


@cache
def schema_paths(scope: Scope) -> frozenset[str]:
    """The closed leaf paths of a scope's public schema (members of open containers are known once seen)."""
    return frozenset(_PATHS[scope])


def path_kind(path: str, scope: Scope) -> ValueKind | None:
    """The kind of scalar at a schema path; None for a path outside the schema."""
    kind = _PATHS[scope].get(path)
    if kind is not None:
        return kind
    for prefix, member_kind in _OPEN_KINDS[scope].items():
        if path.startswith(prefix) and len(path) > len(prefix):
            return member_kind
    return None


@dataclass(frozen=True)
class ScopeSpec:
    """A scope's services and limits: everything that differs between scopes outside the event schema."""

    name: Scope
    title: str
    """As in the paper's tables."""
    actions: tuple[str, ...]
    """Service actions a proposal may name; anything else is out of scope (SPEC 6)."""
    decision_tokens: int
    """Output limit of a decision reply, in tokens (Appendix B.4)."""
    object_control: bool
    """True where duplicates are judged by repository object (Code), False where by episode key (Appendix B.3)."""


SCOPES: dict[Scope, ScopeSpec] = {
    "sports": ScopeSpec("sports", "Sports", ("walk", "stretch", "everyday_activity"), 256, False),
    "home": ScopeSpec(
        "home",
        "Home",
        (
            "check_in",
            "routine_prompt",
            "comfort_setting",
            "meal_reminder",
            "movement_break",
            "wind_down",
            "device_notice",
        ),
        256,
        False,
    ),
    "code": ScopeSpec("code", "Code", ("triage", "review", "maintenance"), 512, True),
    "desktop": ScopeSpec("desktop", "Desktop", ("offer_help",), 256, False),
}
"""Services per scope: optional activity, gentle check-ins, low-risk repository work, a concrete offer of help."""
