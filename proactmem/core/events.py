"""The public-input contract: one frozen record type a scope, label-like fields refused at the door (SPEC 1)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NaiveDatetime,
    StrictBool,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from proactmem.core.leaks import refuse_leaks
from proactmem.errors import InputError

__all__ = [
    "CodeEvent",
    "DesktopEvent",
    "HomeEvent",
    "PublicEvent",
    "Scope",
    "SportsEvent",
    "SportsPayload",
    "parse_event",
    "public_json",
]

Scope = Literal["sports", "home", "code", "desktop"]
"""The application scopes; desktop (ProactiveBench) is ours."""


def _number(value: object) -> object:
    """A number as it is; a text or a boolean is none, and where a whole number is asked for 23.0 is one."""
    if isinstance(value, bool | str):
        raise ValueError("a number is expected, neither text nor true or false")
    return value


Finite = Annotated[float, BeforeValidator(_number), Field(allow_inf_nan=False)]
Scalar = str | StrictBool | int | Annotated[float, Field(allow_inf_nan=False)] | None
Identifier = Annotated[str, Field(min_length=1, max_length=512, pattern=r"^[^\x00-\x1f]+$")]
Whole = Annotated[int, BeforeValidator(_number)]
Count = Annotated[Whole, Field(ge=0)]


def _utc(value: datetime) -> datetime:
    try:
        moment = value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("an instant outside the calendar in UTC") from error
    if not 1900 <= moment.year <= 2200:
        raise ValueError("an instant outside the years 1900 to 2200")
    return moment


def _epoch(value: object) -> object:
    """Epoch seconds, as ProactiveBench writes them (a number or its text), become an aware instant."""
    number: float
    if (isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]+(\.[0-9]+)?\s*", value)) or (
        isinstance(value, int | float) and not isinstance(value, bool)
    ):
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
    else:
        return value
    if not -6e10 < number < 2.5e11:
        raise ValueError("epoch seconds outside the years 69 to 9892")
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=number)


def _end_of_day(value: object) -> object:
    """A wall clock of 24:00 is 00:00 of the next day (ISO 8601, SPEC 4)."""
    if isinstance(value, str) and (found := re.fullmatch(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]24:00(:00(\.0+)?)?", value)):
        try:
            return datetime.fromisoformat(found[1]) + timedelta(days=1)
        except (ValueError, OverflowError):
            return value
    return value


Instant = Annotated[AwareDatetime, AfterValidator(_utc)]
EpochInstant = Annotated[AwareDatetime, BeforeValidator(_epoch), AfterValidator(_utc)]
SegmentEnd = Annotated[NaiveDatetime, BeforeValidator(_end_of_day)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SportsPayload(_Record):
    """What the phone observed at a HeartSteps decision point (Figure 5); a missing value is null, never 0."""

    source_local_decision_time: NaiveDatetime
    """Wall-clock time of the decision at the participant's place."""
    source_utc_offset_seconds: Annotated[Whole, Field(ge=-64800, le=64800)]
    """Seconds east of UTC."""
    decision_slot: Annotated[Whole, Field(ge=0, le=6)] | None
    """Slot the local time falls in: 1 morning to 5 dinner; 0 before the first, 6 after the last."""
    available: StrictBool
    """Connected, not snoozed and not in transit."""
    recognized_activity: (
        Literal[
            "STILL",
            "IN_VEHICLE",
            "AUGMENTED_VEHICLE",
            "ON_FOOT",
            "WALKING",
            "RUNNING",
            "ON_BICYCLE",
            "TILTING",
            "UNKNOWN",
        ]
        | None
    )
    """Android activity recognition; UNKNOWN is a value, null is not observed."""
    google_fit_steps_pre30: Count | None
    """Google Fit steps in the 30 minutes before the decision."""
    google_fit_steps_pre60: Count | None
    """Google Fit steps in the 60 minutes before."""
    jawbone_steps_pre30: Count | None
    """Jawbone steps in the 30 minutes before."""
    jawbone_steps_pre60: Count | None
    """Jawbone steps in the 60 minutes before."""
    location_category: str | None
    """The source's own string: home, work or comma-joined place types."""
    weather_condition: str | None
    """Weather text of the source."""
    temperature_c: Annotated[Finite, Field(ge=-90, le=65)] | None
    """Degrees Celsius; the sentinel -1024 is refused."""


class SportsEvent(_Record):
    """One decision point of a participant (scope Sports)."""

    scope: Literal["sports"] = "sports"
    event_id: Identifier
    timestamp: Instant
    """Decision time, UTC."""
    stream_id: Identifier
    observable_payload: SportsPayload

    @model_validator(mode="after")
    def _local_time_agrees(self) -> Self:
        payload = self.observable_payload
        expected = self.timestamp.replace(tzinfo=None) + timedelta(seconds=payload.source_utc_offset_seconds)
        if abs((expected - payload.source_local_decision_time).total_seconds()) >= 1:
            raise ValueError(
                f"source_local_decision_time {payload.source_local_decision_time.isoformat()} is not timestamp plus "
                f"source_utc_offset_seconds, which is {expected.isoformat()}"
            )
        return self


class Motion(_Record):
    """Motion sensors of one segment; location_counts counts activations (Figure 5)."""

    raw_event_count: Count
    activation_count: Count
    deactivation_count: Count
    location_counts: dict[str, Count]
    location_sequence: tuple[str, ...]
    """Locations in order of activation, consecutive repeats collapsed."""

    @model_validator(mode="after")
    def _counts_agree(self) -> Self:
        changes, located = self.activation_count + self.deactivation_count, sum(self.location_counts.values())
        if self.raw_event_count < changes:
            raise ValueError(f"raw_event_count is {self.raw_event_count}, below {changes} activations and deactivations")
        if located > self.activation_count:
            raise ValueError(f"location_counts hold {located} activations, activation_count is {self.activation_count}")
        return self


class DoorAction(_Record):
    """A door sensor that changed within the segment."""

    location: str
    action: str
    time: str | None = None
    """Local wall-clock time HH:MM:SS."""


class NumericSensor(_Record):
    """Compact summary of one numeric sensor within the segment."""

    sensor: str
    location: str | None = None
    kind: str | None = None
    count: Count
    minimum: Finite | None = None
    maximum: Finite | None = None
    mean: Finite | None = None
    last: Finite | None = None


class OtherAction(_Record):
    """Any other sensor action, a device still on from before included."""

    sensor: str
    location: str | None = None
    action: str
    time: str | None = None
    since: str | None = None
    """Local time since which the device has been on, where it was on before the segment."""


class HomeEvent(_Record):
    """One 50-minute (or 40-minute tail) segment of a home, available at its close (scope Home)."""

    scope: Literal["home"] = "home"
    event_id: Identifier
    stream_id: Identifier
    window_start: NaiveDatetime
    window_end: SegmentEnd
    decision_time: SegmentEnd
    """Equal to window_end: a segment is not visible before it closes."""
    duration_minutes: Annotated[Whole, Field(gt=0, le=1440)]
    motion: Motion
    door_actions: tuple[DoorAction, ...]
    numeric_sensors: tuple[NumericSensor, ...]
    other_actions: tuple[OtherAction, ...]

    @model_validator(mode="after")
    def _window_is_an_interval(self) -> Self:
        if not self.window_start < self.window_end == self.decision_time:
            raise ValueError("expected window_start < window_end, and decision_time at the window's end")
        if (self.window_end - self.window_start).total_seconds() != self.duration_minutes * 60:
            raise ValueError(f"duration_minutes is {self.duration_minutes}, the window is not as long")
        if self.window_end - datetime.combine(self.window_start.date(), datetime.min.time()) > timedelta(days=1):
            raise ValueError("a segment lies within one local day (an end of 24:00 included)")
        return self


class Repository(_Record):
    """The repository of a Code event."""

    full_name: str


class CodeAction(_Record):
    """What happened, in GitHub's own words."""

    action: str | None
    github_type: Annotated[str, Field(pattern=r"^[A-Za-z]+Event$")]


def _number_or_ref(value: object) -> object:
    if isinstance(value, bool | float):
        raise ValueError("an object's number is a whole number or a ref")
    return value


class CodeObject(_Record):
    """The object acted on; a push has its ref as number (SPEC 7)."""

    number: Annotated[int | str | None, BeforeValidator(_number_or_ref)]
    type: str


OpenFields = dict[str, Scalar | tuple[Scalar, ...]]
"""Fields whose names the source decides: scalars, or lists of scalars."""


class CodeEvent(_Record):
    """One repository event at GitHub's native granularity (scope Code)."""

    scope: Literal["code"] = "code"
    event_id: Identifier
    event_time: Instant
    stream_id: Identifier
    repository: Repository
    event: CodeAction
    object: CodeObject
    content: OpenFields
    """title, body, comment_body, review_body, commit_messages, ... as the source has them."""
    attributes: OpenFields
    """state, labels (the repository's own), actor, ... as the source has them."""


class DesktopEvent(_Record):
    """One sentence on what the user did (scope Desktop, ProactiveBench)."""

    scope: Literal["desktop"] = "desktop"
    event_id: Identifier
    time: EpochInstant
    """Epoch seconds or an ISO instant with a zone; kept as an instant."""
    stream_id: Identifier
    event: Annotated[str, Field(min_length=1)]


PublicEvent = Annotated[SportsEvent | HomeEvent | CodeEvent | DesktopEvent, Field(discriminator="scope")]
"""x_t of Equation 1: the public fields of one event, tagged by scope."""

_ADAPTER: TypeAdapter[SportsEvent | HomeEvent | CodeEvent | DesktopEvent] = TypeAdapter(PublicEvent)


def parse_event(
    data: Mapping[str, object] | str | bytes,
    *,
    scope: Scope | None = None,
    file: str | Path | None = None,
    row: int | None = None,
) -> SportsEvent | HomeEvent | CodeEvent | DesktopEvent:
    """A public event from JSON text or a mapping, or an error that names file, row, field and remedy.

    Args:
        data: The event; its tag `scope` may be left out where `scope` is given.
        scope: The scope expected; an event tagged otherwise is refused.
        file: Named in errors.
        row: 1-based row, named in errors.

    Raises:
        LabelLeakError: A field names a reference label, candidate flag, annotation or mask.
        InputError: Not JSON, an unknown or missing field, a naive time, a value out of range.

    >>> parse_event({"event_id": "e", "time": "1717377997.0", "stream_id": "s", "event": "x"}, scope="desktop").scope
    'desktop'
    """
    if isinstance(data, str | bytes):
        try:
            loaded = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"not a JSON object ({error})", file=file, row=row, remedy="Write one JSON object a line."
            ) from error
    else:
        loaded = data
    if not isinstance(loaded, Mapping):
        raise InputError("an event is a JSON object", file=file, row=row, found=loaded, remedy="Write one JSON object a line.")
    refuse_leaks(loaded, file=file, row=row)
    tagged = dict(loaded)
    if scope is not None and tagged.setdefault("scope", scope) != scope:
        raise InputError(
            "event of another scope", file=file, row=row, field="scope", found=tagged["scope"], expected=repr(scope),
            remedy="Build one scope at a time.",
        )  # fmt: skip
    try:
        return _ADAPTER.validate_python(tagged)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in first["loc"][1:] or first["loc"])
        raise InputError(
            first["msg"], file=file, row=row, field=path or None,
            found=None if first["type"] == "missing" else first["input"],
            remedy=_remedy(first["type"]),
        ) from error  # fmt: skip


def _remedy(kind: str) -> str:
    match kind:
        case "extra_forbidden":
            return "Remove the field: public events hold the scope's schema and nothing else."
        case "missing":
            return "Add the field; null where it was not observed, if the schema allows null."
        case "timezone_aware":
            return "Write the instant with its zone, for example 2015-07-22T21:31:48Z."
        case "timezone_naive":
            return "Write local wall-clock time without a zone."
        case "union_tag_not_found" | "union_tag_invalid":
            return "Give the scope: sports, home, code or desktop."
        case _:
            return "Correct the value at its source."


def public_json(event: SportsEvent | HomeEvent | CodeEvent | DesktopEvent) -> str:
    """The event's original public form as one line of JSON, the scope tag left out; what every method is shown."""
    return event.model_dump_json(exclude={"scope"})
