"""How memory and time grow with the number of simulated streams: simulate and build many short lives of each scope.

    python benchmarks/streams.py [--few 100] [--many 1000] [--days 2] [--scopes sports,home,code]

Prints, for few and for many streams of each scope, seconds and peak memory of simulating and of building, each in a process of
its own. Builders stream, so that the peak of many should be that of few.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path

from proactmem.core.events import Scope
from proactmem.datasets.raw import SIMULATED, build_raw, simulate_raw


def work(step: str, scope: Scope, count: int, days: int, folder: Path, answer: multiprocessing.SimpleQueue) -> None:
    start = time.perf_counter()
    events = 0
    if step == "simulate":
        simulate_raw(scope, folder / "raw", seed=1, streams=count, days=days)
    else:
        events = build_raw(scope, folder / "raw", folder / "built").events
    answer.put((time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, events))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--few", type=int, default=100, help="streams of the small case")
    parser.add_argument("--many", type=int, default=1_000, help="streams of the large case")
    parser.add_argument("--days", type=int, default=2, help="days of each life")
    parser.add_argument("--scopes", default=",".join(SIMULATED), help="scopes with commas")
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    for scope in [scope for scope in SIMULATED if scope in options.scopes.split(",")]:
        for count in (options.few, options.many):
            with tempfile.TemporaryDirectory() as name:
                for step in ("simulate", "build"):
                    answer = context.SimpleQueue()
                    process = context.Process(target=work, args=(step, scope, count, options.days, Path(name), answer))
                    process.start()
                    seconds, peak, events = answer.get()
                    process.join()
                    told = f", {events} events" if step == "build" else ""
                    print(f"{scope}, {count} streams, {step}: {seconds:.1f} s, peak {peak:.0f} MB{told}", flush=True)


if __name__ == "__main__":
    main()
