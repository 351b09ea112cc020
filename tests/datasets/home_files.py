"""Small CASAS and UCI ADL files for tests."""

from __future__ import annotations

from pathlib import Path

from proactmem.core.events import HomeEvent
from proactmem.datasets.homes import DROPS, NOTICES, find_homes, home_streams
from proactmem.datasets.tally import Tally


def line(
    time: str, sensor: str = "MA016", room: str = "Kitchen", message: str = "ON", sort: str = "Control4-MotionArea"
) -> str:
    return f"{time}\t{sensor}\t{room}\t{room}\t{message}\t{sort}\n"


def full_day(day: str) -> list[str]:
    """Six records: the first in the first segment, the last in the last one, so that the day is complete."""
    return [
        line(f"{day} 00:10:00.5", "M001", "Bedroom", "ON", "Control4-Motion"),
        line(f"{day} 00:10:01.75", "M001", "Bedroom", "OFF", "Control4-Motion"),
        line(f"{day} 07:31:00", "D001", "Entry", "OPEN", "Control4-Door"),
        line(f"{day} 07:32:10.25", "D001", "Entry", "CLOSE", "Control4-Door"),
        line(f"{day} 12:00:00", "T001", "Ignore", "21.5", "Control4-Temperature"),
        line(f"{day} 23:59:59.999999"),
    ]


def write(file: Path, *lines: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes("".join(lines).encode())
    return file


def built(
    raw: Path, tally: Tally | None = None, *, homes: list[str] | None = None, **options: object
) -> dict[str, list[HomeEvent]]:
    streams = home_streams(find_homes(raw, homes), tally=tally or counted(), **options)  # type: ignore[arg-type]
    return {stream.stream_id: [item.public for item in stream.events] for stream in streams}  # type: ignore[misc]


def counted() -> Tally:
    return Tally.of(DROPS, NOTICES)


def records(events: list[HomeEvent]) -> int:
    """Sensor records that events hold: states from before are none."""
    return sum(
        event.motion.raw_event_count
        + len(event.door_actions)
        + sum(sensor.count for sensor in event.numeric_sensors)
        + sum(action.time is not None for action in event.other_actions)
        for event in events
    )
