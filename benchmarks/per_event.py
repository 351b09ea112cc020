"""Package work per event: everything but the backbone, on a stream dense enough to fill S_t (K = 100), as it grows.

    python benchmarks/per_event.py [--events 100000] [--method proactmem]

Prints, for a 1,000-event stream and for the long one, mean milliseconds an event of package work (contexts, request keys,
control, durable records, consolidations), the backbone's own time beside it, and the growth of resident memory.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from proactmem.config import MemoryConfig
from proactmem.core.events import SportsEvent, parse_event
from proactmem.core.streams import Event, arrive
from proactmem.llm.backbone import Reply, Request
from proactmem.llm.offline.backbone import OfflineBackbone
from proactmem.llm.recording import Recording, RecordingBackbone
from proactmem.run.catalog import method_spec
from proactmem.run.replay import replay
from proactmem.run.store import StreamWriter

MINUTES = 30
"""Between events: 144 an event horizon of 72 h, so that S_t is full."""


def stream(count: int, seed: int = 1) -> Iterator[SportsEvent]:
    """A life at half-hour steps: work on weekdays, a walk most evenings after work, still otherwise."""
    draw = random.Random(seed)
    start = datetime(2015, 1, 5, tzinfo=UTC)
    for index in range(count):
        moment = start + timedelta(minutes=MINUTES * index)
        hour, weekday = moment.hour + moment.minute / 60, moment.weekday()
        work = weekday < 5 and 9 <= hour < 17
        walking = hour == 18.5 and weekday < 5 and draw.random() < 0.8
        steps = draw.randint(1500, 3000) if walking else draw.choice([0, 0, 20, 60, 150, 400])
        yield parse_event(  # type: ignore[misc]  # of scope sports
            {
                "event_id": f"e{index:07d}",
                "timestamp": moment.isoformat(),
                "stream_id": "bench",
                "observable_payload": {
                    "source_local_decision_time": moment.replace(tzinfo=None).isoformat(),
                    "source_utc_offset_seconds": 0,
                    "decision_slot": min(int(hour / 4), 5),
                    "available": draw.random() < 0.9,
                    "recognized_activity": draw.choice(["STILL"] * 8 + ["IN_VEHICLE", "ON_FOOT"]),
                    "google_fit_steps_pre30": None,
                    "google_fit_steps_pre60": steps,
                    "jawbone_steps_pre30": steps // 2,
                    "jawbone_steps_pre60": steps,
                    "location_category": "work" if work else "home",
                    "weather_condition": draw.choice(["Clear", "Overcast", "Rain"]),
                    "temperature_c": round(draw.gauss(15, 8), 1),
                },
            },
            scope="sports",
        )


class Timed:
    """The offline backbone with its own time counted apart."""

    name, model = "offline", OfflineBackbone.model

    def __init__(self) -> None:
        self.inner, self.seconds, self.calls = OfflineBackbone(), 0.0, 0

    def complete(self, request: Request) -> Reply:
        begun = time.perf_counter()
        reply = self.inner.complete(request)
        self.seconds += time.perf_counter() - begun
        self.calls += 1
        return reply


def resident_mb() -> float:
    """Resident memory now, in MB (Linux), else its peak."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def measure(count: int, method: str, *, synced: bool = False) -> tuple[float, float, float, float]:
    """Mean package and backbone milliseconds an event, calls an event, and growth of resident memory in MB."""
    spec = method_spec(method)
    backbone = Timed()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        events: Iterator[Event] = arrive(stream(count))
        with Recording.open(place / "replies.sqlite", durable=synced) as recording:
            state = spec.build(RecordingBackbone(backbone, recording), spec.config(MemoryConfig()))
            writer = StreamWriter(place, "bench")
            before = resident_mb()
            reading, begun = 0.0, time.perf_counter()

            def timed() -> Iterator[Event]:
                nonlocal reading
                while True:
                    started = time.perf_counter()
                    event = next(events, None)
                    reading += time.perf_counter() - started
                    if event is None:
                        return
                    yield event

            for record in replay(timed(), state):
                writer.record(record)
                for entry in state.audit():
                    writer.audit(entry)
            writer.finish()
            total = time.perf_counter() - begun - reading
            grown = resident_mb() - before
    own = (total - backbone.seconds) / count * 1e3
    return own, backbone.seconds / count * 1e3, backbone.calls / count, grown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--method", default="proactmem")
    options = parser.parse_args()
    measure(500, options.method)  # warm up
    short = measure(1_000, options.method)
    synced = measure(1_000, options.method, synced=True)
    long = measure(options.events, options.method)
    print(f"{options.method}, offline backbone, K = 100, {1440 // MINUTES} events a day, replies recorded before use")
    rows = ((1_000, "as run offline", short), (1_000, "each reply synced to disk, as for a service", synced))
    for count, how, (own, model, calls, grown) in (*rows, (options.events, "as run offline", long)):
        spent = f"package {own:.3f} ms/event, backbone {model:.3f} ms/event, {calls:.3f} calls/event"
        print(f"{count:>8} events, {how}: {spent}, resident +{grown:.0f} MB")
    print(f"package time per event, long over short: {long[0] / short[0]:.2f}")


if __name__ == "__main__":
    main()
