"""How fast the Code builder reads GH Archive hours, against decompression alone, and how its memory grows.

    python benchmarks/build_code.py [--megabytes 250] [--times 8]

Writes an hour of simulated GitHub events of many repositories (in the archive's own form, random hashes and ids), then reads
it, and the same hour eight times over, for three of the repositories. Prints MB/s and events/s of decompressed text, the ratio
to `gzip -dc` on the same file, and peak memory of each reading.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import random
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from proactmem.datasets.gharchive import repository_streams
from proactmem.datasets.gharchive_hours import find_hours
from proactmem.datasets.tally import Tally

REPOS = ("org-1/project-1", "org-2/project-2", "org-3/project-3")
WORDS = ("the list", "scroll", "crash", "when opening", "page", "build fails", "release notes", "typo", "parser", "keyboard")


def text(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(WORDS, k=words))


def sha(draw: random.Random) -> str:
    return f"{draw.getrandbits(160):040x}"


def line(draw: random.Random, number: int) -> str:
    """One event: a push with commits or an issue comment with its issue, a few kilobytes as in the archive."""
    repo = draw.randrange(1, 200_000)
    login = f"dev-{draw.randrange(10**6)}"
    user = {"id": draw.randrange(10**8), "login": login, "url": f"https://api.github.com/users/{login}"}
    issue = {
        "url": f"https://api.github.com/repos/org-{repo}/project-{repo}/issues/7", "id": draw.randrange(10**10), "number": 7,
        "title": text(draw, 8), "user": user, "labels": [], "state": "open", "comments": 3, "body": text(draw, 120),
    }  # fmt: skip
    author = {"email": f"{sha(draw)}@example.org", "name": login}
    commits = [{"sha": sha(draw), "author": author, "message": text(draw, 15)} for _ in range(12)]
    push = draw.random() < 0.6
    return json.dumps(
        {
            "id": str(40_000_000_000 + number), "type": "PushEvent" if push else "IssueCommentEvent", "actor": user,
            "repo": {"id": repo, "name": f"org-{repo}/project-{repo}", "url": f"https://api.github.com/repos/org-{repo}"},
            "payload": {"push_id": number, "size": 9, "ref": "refs/heads/main", "head": sha(draw), "commits": commits}
            if push
            else {"action": "created", "issue": issue, "comment": {"id": number, "user": user, "body": text(draw, 80)}},
            "public": True, "created_at": f"2024-01-01T00:{number // 60 % 60:02d}:{number % 60:02d}Z",
        },
        separators=(",", ":"),
    )  # fmt: skip


def read(folder: Path, answer: multiprocessing.SimpleQueue) -> None:
    tally = Tally()
    with tempfile.TemporaryDirectory() as spill:
        start = time.perf_counter()
        found = repository_streams(find_hours(folder, tally=tally), REPOS, spill=Path(spill), tally=tally)
        events = sum(1 for stream in found.streams for _ in stream.events)
        seconds = time.perf_counter() - start
    answer.put((seconds, events, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def measured(folder: Path) -> tuple[float, int, float]:
    """Seconds, events kept and peak MB of one reading, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    answer = context.SimpleQueue()
    process = context.Process(target=read, args=(folder, answer))
    process.start()
    found = answer.get()
    process.join()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=250, help="decompressed size of the hour")
    parser.add_argument("--times", type=int, default=8, help="how often the hour stands in the long reading")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        once, many = Path(name) / "once", Path(name) / "many"
        once.mkdir()
        many.mkdir()
        hour = once / "2024-01-01-0.json.gz"
        draw, size, lines = random.Random(1), 0, 0
        with gzip.open(hour, "wt", compresslevel=6, encoding="utf-8") as file:
            while size < options.megabytes * 1e6:
                size += file.write(line(draw, lines) + "\n")
                lines += 1
        for number in range(options.times):
            shutil.copy(hour, many / f"2024-01-01-{number}.json.gz")
        start = time.perf_counter()
        subprocess.run(["gzip", "-dc", hour], stdout=subprocess.DEVNULL, check=True)
        alone = time.perf_counter() - start
        print(f"hour: {size / 1e6:.0f} MB of text in {hour.stat().st_size / 1e6:.0f} MB, {lines} events")
        print(f"gzip -dc alone: {alone:.2f} s, {size / 1e6 / alone:.0f} MB/s")
        for folder, times in ((once, 1), (many, options.times)):
            seconds, kept, peak = measured(folder)
            print(
                f"{times} x: {seconds:.2f} s, {times * size / 1e6 / seconds:.0f} MB/s, {times * lines / seconds:.0f} events/s, "
                f"{times * alone / seconds:.2f} of gzip's speed, {kept} events kept, peak {peak:.0f} MB"
            )


if __name__ == "__main__":
    main()
