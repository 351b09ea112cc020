"""Small built streams of every scope, for the tests of the explorer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from pathlib import Path

from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, SportsEvent, public_json
from proactmem.datasets.build import build_own
from tests import samples

SCRIPT = "<script>alert('x')</script> & <img src=x onerror=alert(1)> $x_{$ \u202e\x1b[31m 寝"
"""Event text that would do harm, or break a picture, where it is taken for anything but data."""
Public = SportsEvent | HomeEvent | CodeEvent | DesktopEvent


def built(folder: Path, events: Iterable[Public], labels: Iterable[tuple[str, bool]] = ()) -> Path:
    """Own events, built: the folder `built` in `folder`; labels by event id beside them."""
    raw = folder / "raw"
    raw.mkdir(parents=True)
    listed = list(events)
    lines = [json.dumps({"scope": event.scope} | json.loads(public_json(event)), ensure_ascii=False) for event in listed]
    (raw / "events.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    stated = [json.dumps({"event_id": event_id, "y": y}) for event_id, y in labels]
    if stated:
        (raw / "labels.jsonl").write_text("".join(line + "\n" for line in stated), encoding="utf-8")
    build_own(raw, folder / "built")
    return folder / "built"


def home_events(days: int = 10, stream: str = "casas_home_0001") -> list[Public]:
    """A home that cooks in the morning and in the evening, 29 segments a day, on most days."""
    events: list[Public] = []
    for day in range(days):
        start = datetime.fromisoformat("2012-07-20T00:00") + timedelta(days=day)
        for number in range(29):
            minutes = 50 if number < 28 else 40
            hour, rooms = number * 50 // 60, {"bedroom": 3}
            if 7 <= hour < 9 or (17 <= hour < 19 and day % 4 != 3):
                rooms = {"kitchen": 20 + day, "hall": 2}
            elif 9 <= hour < 22:
                rooms = {"living $x_{$": 9}
            begin = start + timedelta(minutes=50 * number)
            events.append(samples.home(f"h{day:02d}-{number:02d}", begin.isoformat(), minutes, stream=stream, **rooms))
    return events


def code_events(days: int = 10) -> list[Public]:
    """A repository with an issue opened each morning and a comment in the afternoon, one of them with harmful text."""
    events: list[Public] = []
    for day in range(days):
        stamp = date(2024, 5, 6) + timedelta(days=day)
        issue = samples.code(f"ghe_{day}a", f"{stamp}T09:0{day % 10}:00Z", 100 + day, title=f"Crash {day}", body=SCRIPT)
        events.append(issue)
        events += [
            samples.code(
                f"ghe_{day}{name}", f"{stamp}T1{hour}:00:00Z", 100 + day, kind="IssueCommentEvent", comment_body=SCRIPT
            )
            for hour, name in ((4, "b"), (6, "c"))
        ]
    return events


def desktop_events() -> list[Public]:
    """Half an hour at a desk: one local day."""
    return [samples.desktop(f"d{number}", 1717377997 + 90 * number, f"The user edits file {number}.") for number in range(20)]
