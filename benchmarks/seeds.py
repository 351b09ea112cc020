"""What memory is worth on simulated lives the rules were not written on: fresh seeds, paired intervals over participants.

    python benchmarks/seeds.py [--seeds 20] [--first 1000] [--size paper] [--fabricate 0.3]

For each seed it simulates, builds and runs the methods on the offline backbone, and for the two ablations of memory's
checks also with a share of construction replies made to err. It prints scores pooled over all participants and the paired
differences with 95 % intervals (bootstrap over participants). Offline backbone on simulated data throughout.
"""

from __future__ import annotations

import argparse
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Literal

from proactmem.datasets.build import build_sports
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.join import read_labels
from proactmem.datasets.simulate import simulate_sports
from proactmem.llm.choose import choose_backbone
from proactmem.run.catalog import method_spec
from proactmem.run.replay import run
from proactmem.score.intervals import Interval, bootstrap, paired_differences
from proactmem.score.metrics import Counts, pool, scores
from proactmem.score.runs import load_run
from proactmem.score.scoring import score_run

CLEAN = ("always", "event-only", "trajectory", "proactmem", "no-replay-gate", "no-validation")
ERRING = ("proactmem", "no-replay-gate", "no-validation")
PAIRS = (
    ("trajectory", "event-only"),
    ("proactmem", "trajectory"),
    ("proactmem", "event-only"),
    ("proactmem, erring", "no-replay-gate, erring"),
    ("proactmem, erring", "no-validation, erring"),
)
Size = Literal["smoke", "paper"]
Found = dict[str, dict[str, Counts]]


def one_seed(seed: int, size: Size, fabricate: float) -> Found:
    """Counts by method and participant of one seed."""
    found: Found = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        simulate_sports(place / "raw", seed=seed, size=size)
        build_sports(place / "raw", place / "built")
        streams = BuiltStreams.open(place / "built")
        labels = read_labels(place / "built", place / "built")
        jobs = [(name, 0.0) for name in CLEAN] + [(name, fabricate) for name in ERRING]
        for name, rate in jobs:
            title = f"{name}, erring" if rate else name
            backbone = choose_backbone("offline", fabricate=rate, fabricate_seed=seed)
            run(method_spec(name), streams, place / title, backbone)
            score = score_run(load_run(place / title), labels, intervals=False)
            found[title] = {f"{seed}/{stream}": part.counts for stream, part in score.streams.items()}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--size", choices=("smoke", "paper"), default="paper")
    parser.add_argument("--fabricate", type=float, default=0.3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.seeds)
    pooled: Found = {}
    with ProcessPoolExecutor(options.jobs) as workers:
        args = ([options.size] * options.seeds, [options.fabricate] * options.seeds)
        for found in workers.map(one_seed, numbers, *args):
            for name, streams in found.items():
                pooled.setdefault(name, {}).update(streams)
    print(f"offline backbone, simulated Sports, {options.seeds} seeds of size {options.size}, fabricated {options.fabricate:g}")
    for name, streams in pooled.items():
        shown, intervals = scores(pool(streams.values())), bootstrap(streams)
        cells = []
        for metric in ("relevance", "coverage", "effectiveness", "intrusion", "frequency"):
            value, interval = shown.of(metric), intervals[metric]
            ends = f" [{interval.low:.3f}, {interval.high:.3f}]" if isinstance(interval, Interval) else ""
            cells.append(f"{metric} {'undefined' if value is None else f'{float(value):.3f}'}{ends}")
        print(f"{name:<24} {'  '.join(cells)}")
    for first, second in PAIRS:
        for difference in paired_differences(pooled[first], pooled[second]):
            if difference.metric in ("relevance", "effectiveness", "intrusion") and isinstance(difference.interval, Interval):
                low, high = difference.interval.low, difference.interval.high
                value = f"{float(difference.estimate or 0):+.3f} [{low:+.3f}, {high:+.3f}]"
                print(f"{first} minus {second}: {difference.metric} {value}")


if __name__ == "__main__":
    main()
