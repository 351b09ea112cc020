"""Chosen repositories' events out of GH Archive hours, in one pass and constant memory, as Code streams.

A repository is its id: a rename keeps the stream, and what happened under an older name belongs to it. Which hours hold an id
that was learned later under another name is noted on disk during the pass (8 bytes a repository and hour), and only those
hours are read once more. Events go to a spill file and are read back stream by stream, by time, then event id. Ids repeat
across eras of the archive: identity is id, type and time; the earliest of one id keeps it, another one is built as
`ghe_<id>@<type>@<time>` (SPEC 1).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from proactmem.core.events import CodeEvent, public_json
from proactmem.datasets import gharchive_hours, gharchive_lines
from proactmem.datasets.gharchive_events import public_event
from proactmem.datasets.gharchive_hours import HourFile
from proactmem.datasets.gharchive_lines import Candidate, HourReading
from proactmem.datasets.tally import Tally
from proactmem.datasets.textfile import unique_keys
from proactmem.datasets.writing import KeyColumns, Sourced, SourceStream
from proactmem.errors import ConfigError, InputError

__all__ = ["DROPS", "KEYS", "NOTICES", "ArchiveStreams", "repository_streams"]

KEYS: KeyColumns = {"repo_id": "int", "source_event_id": "text", "github_type": "text", "created_at": "text", "file": "text"}
"""The source key of a Code event: identity is id, type and time."""
DROPS = (*gharchive_lines.DROPS, "duplicate_event", "other_event_type")
"""Reasons for which a line of a chosen repository gives no event."""
NOTICES = (
    *gharchive_hours.NOTICES,
    *gharchive_lines.NOTICES,
    "event_ids_told_apart",
    "events_by_bots",
    "repositories_not_found",
    "repositories_renamed",
    "names_of_several_repositories",
    "hours_read_again_for_renames",
)
"""Peculiarities that drop nothing."""
_TABLE = """
CREATE TABLE events (
    repo INTEGER NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, built TEXT NOT NULL, name TEXT NOT NULL,
    file TEXT NOT NULL, public BLOB NOT NULL, PRIMARY KEY (repo, id, kind, at)
) WITHOUT ROWID
"""
_INSERT = "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class ArchiveStreams:
    """What a pass over the hours found: the streams, to be read from the spill, and the SHA-256 of every hour's file."""

    streams: Sequence[SourceStream]
    sha256s: Mapping[Path, str]


@dataclass
class _Chosen:
    """The repositories wanted: names until their id is known, ids from then on."""

    names: set[bytes]
    ids: set[int]
    learned: dict[int, bytes] = field(default_factory=dict)
    """Ids met under a wanted name, with that name."""

    def wants(self, identity: int, name: bytes) -> bool:
        if identity in self.ids:
            return True
        if name not in self.names:
            return False
        self.ids.add(identity)
        self.learned[identity] = name
        return True


def repository_streams(
    hours: Sequence[HourFile],
    repos: Collection[str],
    *,
    spill: Path,
    types: Collection[str] | None = None,
    tally: Tally,
    progress: Callable[[int, int], None] | None = None,
) -> ArchiveStreams:
    """Read the hours once and give one stream a repository that occurs, in the order of their stream ids.

    Args:
        hours: What `find_hours` found.
        repos: `owner/name` (letter case does not matter) or numeric repository ids.
        spill: Folder for temporary files; it must stay until the streams have been read.
        types: GitHub event types wanted; None takes all.
        tally: Counts what is left out and noticed.
        progress: Called with hours done and hours in all.

    Raises:
        ConfigError: No repository is named, a name is none, or none of them occurs.
        InputError: A file cannot be read, or every line is of the schema before 2015.
    """
    chosen = _chosen(repos)
    asked = (frozenset(chosen.names), frozenset(chosen.ids))
    database = spill / "events.sqlite"
    sha256s: dict[Path, str] = {}
    with closing(sqlite3.connect(database)) as store, (spill / "ids.int64").open("w+b") as ids:
        store.execute("PRAGMA journal_mode = OFF")
        store.execute("PRAGMA synchronous = OFF")
        store.execute(_TABLE)
        places: list[tuple[int, int]] = []
        before: dict[int, int] = {}
        for number, hour in enumerate(hours):
            reading = HourReading(hour.file, chosen.wants, tally, keep_ids=bool(asked[0]))
            known = set(chosen.ids)
            _take(store, reading, types, tally)
            before.update((one, number + reading.is_early(one)) for one in chosen.ids - known)
            held = np.unique(np.frombuffer(reading.ids, np.int64)) if reading.ids else np.empty(0, np.int64)
            places.append((ids.tell() // 8, len(held)))
            ids.write(held.tobytes())
            sha256s[hour.file] = reading.sha256
            if progress is not None:
                progress(number + 1, len(hours))
        ids.flush()
        again = _held_earlier(spill / "ids.int64", places, before)
        for number in again:
            rest = Tally()
            _take(store, HourReading(hours[number].file, lambda one, _: one in before, rest), types, rest)
            tally.noticed["events_by_bots"] += rest.noticed["events_by_bots"]
        tally.noticed["hours_read_again_for_renames"] += len(again)
        _settle(store, chosen, asked, tally)
        counts = store.execute("SELECT repo, count(*) FROM events GROUP BY repo").fetchall()
        store.commit()
    streams = sorted((f"github_repo_{repo}", repo) for repo, _ in counts)
    return ArchiveStreams([SourceStream(name, "time", _Stored(database, repo)) for name, repo in streams], sha256s)


def _chosen(repos: Collection[str]) -> _Chosen:
    names, ids = set(), set()
    for repo in repos:
        text = repo.strip().removeprefix("github_repo_")
        if text.isascii() and text.isdigit():
            ids.add(int(text))
        elif text.count("/") == 1 and all(text.split("/")) and not any(sign.isspace() for sign in text):
            names.add(text.lower().encode())
        else:
            raise ConfigError(f"repository {repo!r}; expected owner/name, or a numeric id.", remedy="Correct the name.")
    if not names and not ids:
        raise ConfigError("no repository was named.", remedy="Name some: owner/name with commas between.")
    return _Chosen(names, ids)


def _take(store: sqlite3.Connection, reading: HourReading, types: Collection[str] | None, tally: Tally) -> None:
    """Put an hour's wanted lines into the spill, each event once."""
    for candidate in reading.candidates():
        try:
            repo, event = _parsed(candidate, reading)
        except InputError as error:
            tally.refuse("malformed_line", error)
            continue
        if event is None:
            continue
        if types is not None and event.event.github_type not in types:
            tally.dropped["other_event_type"] += 1
            continue
        identity, at = event.event_id.removeprefix("ghe_"), (event.event_time - _EPOCH) // timedelta(microseconds=1)
        head = (repo, identity, event.event.github_type, at, event.event_id, event.repository.full_name, reading.file.name)
        added = store.execute(_INSERT, (*head, public_json(event).encode())).rowcount
        tally.dropped["duplicate_event"] += not added
        tally.noticed["events_by_bots"] += bool(added) and event.attributes.get("actor_type") == "bot"
    store.commit()


def _parsed(candidate: Candidate, reading: HourReading) -> tuple[int, CodeEvent | None]:
    """A line's repository and event; no event where the wanted name stands elsewhere in the line than in its envelope."""
    try:
        native = json.loads(candidate.line, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, a key given twice, or nested without end
        raise InputError(
            f"is no JSON object ({error})", file=reading.file, row=candidate.row, field="line", expected="one event a line",
            remedy="Fetch the hour again; the rest of the file counts.",
        ) from error  # fmt: skip
    repo = native.get("repo") if isinstance(native, dict) else None
    identity = repo.get("id") if isinstance(repo, dict) else None
    if isinstance(identity, str) and identity.isdigit():
        identity = int(identity)
    if not isinstance(repo, dict) or not isinstance(identity, int) or isinstance(identity, bool):
        raise InputError(
            "names no repository", file=reading.file, row=candidate.row, field="repo.id", found=identity,
            expected="a whole number", remedy="Fetch the hour again; the rest of the file counts.",
        )  # fmt: skip
    if not reading.wanted(identity, str(repo.get("name", "")).lower().encode("utf-8", "replace")):
        return identity, None
    return identity, public_event(native, f"github_repo_{identity}", reading.file, candidate.row)


def _held_earlier(file: Path, places: Sequence[tuple[int, int]], before: Mapping[int, int]) -> list[int]:
    """Hours that mention an id before it was known, hence under another name; ids are known from an hour on."""
    found = []
    for number, (start, count) in enumerate(places[: max(before.values(), default=0)]):
        late = [identity for identity, hour in before.items() if hour > number]
        if count and np.isin(late, np.memmap(file, np.int64, "r", start * 8, (count,))).any():
            found.append(number)
    return found


def _settle(store: sqlite3.Connection, chosen: _Chosen, asked: tuple[frozenset[bytes], frozenset[int]], tally: Tally) -> None:
    """Tell repeated ids apart, and count what is noticed over all hours."""
    repeated = "SELECT repo, id FROM events GROUP BY repo, id HAVING count(*) > 1"
    for repo, identity in store.execute(repeated).fetchall():
        rows = store.execute("SELECT kind, at FROM events WHERE repo = ? AND id = ? ORDER BY at, kind", (repo, identity))
        for kind, at in rows.fetchall()[1:]:
            built = f"ghe_{identity}@{kind}@{_stamp(_EPOCH + timedelta(microseconds=at))}"
            store.execute(
                "UPDATE events SET built = ? WHERE repo = ? AND id = ? AND kind = ? AND at = ?",
                (built, repo, identity, kind, at),
            )
            tally.noticed["event_ids_told_apart"] += 1
    found = {repo for (repo,) in store.execute("SELECT DISTINCT repo FROM events")}
    met = {name for repo, name in chosen.learned.items() if repo in found}
    missing = sorted(name.decode() for name in asked[0] - met) + sorted(map(str, asked[1] - found))
    if missing:
        said = f"no event of {', '.join(missing)} in the hours read"
        if not found and tally.dropped["schema_before_2015"]:
            raise InputError(
                f"{said}: {tally.dropped['schema_before_2015']} lines are of the schema before 2015", found='"repository"',
                expected='"repo"', remedy="Choose hours from 2015 on.",
            )  # fmt: skip
        if not found:
            raise ConfigError(f"{said}.", remedy="Check the spelling (owner/name) and the range of hours.")
        tally.noticed["repositories_not_found"] += len(missing)
        tally.remark(InputError(said, remedy="Check the spelling (owner/name) and the range of hours."))
    names = store.execute("SELECT repo, count(DISTINCT lower(name)) FROM events GROUP BY repo").fetchall()
    tally.noticed["repositories_renamed"] += sum(count > 1 for _, count in names)
    by_name = [name for repo, name in chosen.learned.items() if repo in found]
    tally.noticed["names_of_several_repositories"] += len(by_name) - len(set(by_name))


def _stamp(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


@dataclass(frozen=True)
class _Stored:
    """A stream's events, read from the spill anew each time they are asked for."""

    database: Path
    repo: int

    def __iter__(self) -> Iterator[Sourced]:
        with closing(sqlite3.connect(self.database)) as store:
            rows = store.execute(
                "SELECT id, kind, built, file, public FROM events WHERE repo = ? ORDER BY at, built", (self.repo,)
            )
            for identity, kind, built, file, public in rows:
                event = CodeEvent.model_validate_json(public)
                if event.event_id != built:
                    event = event.model_copy(update={"event_id": built})
                yield Sourced(event, (self.repo, identity, kind, _stamp(event.event_time), file))
