"""Raw files to built folders: find the raw file, build its streams, join the labels beside it, write the card."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from proactmem.core.events import Scope
from proactmem.datasets import desktop, gharchive, heartsteps, homes, own
from proactmem.datasets.built import Order
from proactmem.datasets.card import Card, sha256_file
from proactmem.datasets.gharchive_hours import find_hours
from proactmem.datasets.job import Job, Option, Origin, Progress
from proactmem.datasets.suggestions import scan_suggestions
from proactmem.datasets.tally import Tally
from proactmem.datasets.textfile import text_lines
from proactmem.errors import ConfigError, InputError

__all__ = ["build_code", "build_desktop", "build_home", "build_own", "build_sports"]

_RAW_SPORTS = "suggestions.csv"
_PLANTED = "planted.json"
_REPOSITORIES = "repositories.txt"
_HEARTSTEPS = {
    "60ee7896183d7084a084f9a6e8ef2d0afea2e7fecdb41d6b15382ce1745c5ddb",
    "61d9b974a081d9ef2062bdb56350a1325ad13fdd6f971c8a7e88434c972e8a88",
}
"""SHA-256 of HeartSteps V1's suggestions.csv: as released, and put back into that format from a spreadsheet's copy."""


_HEARTSTEPS_V1 = Origin(
    "HeartSteps V1",
    "CC-BY-4.0 (attribution, and a note of changes).",
    "Klasnja et al. (2019), doi:10.1093/abm/kay067; github.com/klasnja/HeartStepsV1. Changed: decision points as "
    "public events, columns known at the decision only.",
)
_SIMULATED = Origin(
    "simulated participants in HeartSteps format",
    "As the package that simulated them.",
    "The package's seeded simulator; no person's data.",
)
_HEARTSTEPS_FORMAT = Origin(
    "a file in HeartSteps format",
    "Not stated by the file; data derived from HeartSteps V1 are CC-BY-4.0.",
    "Of HeartSteps V1: Klasnja et al. (2019), doi:10.1093/abm/kay067.",
)
_PROACTIVEBENCH = Origin(
    "ProactiveBench desktop traces",
    "Apache-2.0.",
    "github.com/thunlp/ProactiveAgent. Changed: the observations only, as public events.",
)
_OWN = Origin("own data", "As its owner states.", "Its owner.")
_CASAS = Origin(
    "CASAS smart homes",
    "CC-BY-4.0 for the homes of the public CSH collection; other homes as their owner permits.",
    "Cook et al. (2013), CASAS: A Smart Home in a Box, doi:10.1109/MC.2012.328. Changed: sensor records summed over "
    "50-minute segments, activity labels left out.",
)
_UCI_ADL = Origin(
    "UCI ADL binary sensors",
    "Its README asks for the citation and prohibits commercial use, its page states CC-BY-4.0; not for passing on.",
    "Ordonez, de Toledo, Sanchis (2013), Sensors 13, 5460-5477, doi:10.24432/C5J02M. Changed: sensor intervals summed over "
    "50-minute segments, activities left out.",
)
_SIMULATED_HOMES = Origin(
    "simulated homes in CASAS format",
    "As the package that simulated them.",
    "The package's seeded simulator; no person's data.",
)

_GH_ARCHIVE = Origin(
    "GH Archive",
    "Public events of GitHub's API; texts keep the rights of those who wrote them.",
    "gharchive.org, github.com. Changed: events of the chosen repositories only, as public events.",
)
_SIMULATED_REPOSITORIES = Origin(
    "simulated repositories in GH Archive format",
    "As the package that simulated them.",
    "The package's seeded simulator; no person's data.",
)


def build_sports(
    raw: Path,
    out: Path,
    *,
    participants: Collection[int] | None = None,
    points: heartsteps.Points = "connected",
    progress: Progress | None = None,
) -> Card:
    """Build Sports streams from a HeartSteps `suggestions.csv`, real or simulated.

    Args:
        raw: The file, or a folder with it or with `raw/suggestions.csv`; a label file beside it is joined.
        out: The built folder; replaced file by file when it is one already.
        participants: Participants to build, by number; None builds all.
        points: Connected decision points (default), available ones only, or the available ones of the trial's 42 days.
        progress: Called after each stream.

    Raises:
        ConfigError: An option is unknown, or `out` is no place for a built folder.
        InputError: The raw or the label file cannot be read as it stands.
        StoreError: The built folder cannot be written.
    """
    file = _suggestions_in(raw)
    scanned = scan_suggestions(file)
    tally = Tally.of(heartsteps.DROPS, heartsteps.NOTICES)
    streams = heartsteps.participant_streams(scanned, participants=participants, points=points, tally=tally)
    chosen = sorted(scanned.rows if participants is None else set(participants))
    digest = sha256_file(file)
    planted = (file.parent / _PLANTED).is_file()
    origin = _HEARTSTEPS_V1 if digest in _HEARTSTEPS else _SIMULATED if planted else _HEARTSTEPS_FORMAT
    job = Job("sports", (file,), file.parent, out, origin, heartsteps.KEYS, tally)
    options = {"points": points, "participants": None if participants is None else tuple(chosen)}
    return job.run(streams, len(chosen), options, progress)


def build_home(
    raw: Path,
    out: Path,
    *,
    chosen: Collection[str] | None = None,
    start: date | None = None,
    days: int | None = None,
    partial: bool = False,
    progress: Progress | None = None,
) -> Card:
    """Build Home streams from smart homes' sensor files: CASAS raw or annotated, or UCI ADL binary sensors.

    Args:
        raw: A sensor file, or a folder with homes; a label file in it is joined.
        out: The built folder; replaced file by file when it is one already.
        chosen: Homes to build, by name (`hh101`, `A`); None builds all.
        start: First local day; None begins with the first complete one.
        days: Local days of each home; None takes all from there on.
        partial: Keep the incomplete first and last day too.
        progress: Called with bytes read and bytes in all.

    Raises:
        ConfigError: No such home or day, or `out` is no place for a built folder.
        InputError: No sensor file, or the label file cannot be read as it stands.
        StoreError: The built folder cannot be written.
    """
    found = homes.find_homes(raw, chosen)
    tally = Tally.of(homes.DROPS, homes.NOTICES)
    streams = homes.home_streams(found, days=days, start=start, partial=partial, tally=tally, progress=progress)
    folder = raw if raw.is_dir() else raw.parent
    planted = (folder / _PLANTED).is_file()
    origin = _home_origin({home.format for home in found}, planted=planted)
    job = Job("home", [home.file for home in found], folder, out, origin, homes.KEYS, tally)
    options: dict[str, Option] = {
        "homes": None if chosen is None else tuple(home.name for home in found),
        "start": None if start is None else start.isoformat(),
        "days": days,
        "partial": partial,
    }
    return job.run(streams, len(found), options, None)


def build_code(
    raw: Path,
    out: Path,
    *,
    repos: Sequence[str] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    types: Collection[str] | None = None,
    progress: Progress | None = None,
) -> Card:
    """Build Code streams of chosen repositories from GH Archive hours, in one pass.

    Args:
        raw: A folder of `YYYY-MM-DD-H.json.gz` or `.json` hours, or one of them; a label file in it is joined.
        out: The built folder; replaced file by file when it is one already.
        repos: `owner/name` or numeric ids; None takes those that `repositories.txt` in the folder names.
        since: First hour (UTC); None begins with the first there is.
        until: First hour that is left out; None ends with the last there is.
        types: GitHub event types, such as `IssuesEvent`; None takes all.
        progress: Called after each hour, then after each stream.

    Raises:
        ConfigError: No repository is named or none occurs, or `out` is no place for a built folder.
        InputError: No archive hour, or the label file cannot be read as it stands.
        StoreError: The built folder cannot be written.
    """
    tally = Tally.of(gharchive.DROPS, gharchive.NOTICES)
    hours = find_hours(raw, since=since, until=until, tally=tally)
    folder = raw if raw.is_dir() else raw.parent
    names = _repositories_in(folder) if repos is None else tuple(repos)
    planted = (folder / _PLANTED).is_file()
    origin = _SIMULATED_REPOSITORIES if planted else _GH_ARCHIVE
    job = Job("code", [hour.file for hour in hours], folder, out, origin, gharchive.KEYS, tally)
    options: dict[str, Option] = {
        "repos": tuple(names),
        "since": None if since is None else since.isoformat(),
        "until": None if until is None else until.isoformat(),
        "types": None if types is None else tuple(sorted(types)),
    }
    with job.staged() as staged, TemporaryDirectory(prefix=".spill.", dir=staged) as spill:
        found = gharchive.repository_streams(hours, names, spill=Path(spill), types=types, tally=tally, progress=progress)
        return job.write(staged, found.streams, len(found.streams), options, progress, hashes=found.sha256s)


def build_desktop(raw: Path, out: Path, *, progress: Progress | None = None) -> Card:
    """Build Desktop streams from ProactiveBench traces, a folder of `*.json` or one of them.

    Raises:
        ConfigError: `out` is no place for a built folder.
        InputError: A trace or the label file cannot be read as it stands.
        StoreError: The built folder cannot be written.
    """
    files = desktop.trace_files(raw)
    traces = [desktop.read_trace(file) for file in files]
    tally = Tally()
    tally.dropped["traces_without_observations"] = sum(not trace.observations for trace in traces)
    job = Job("desktop", files, files[0].parent, out, _PROACTIVEBENCH, desktop.KEYS, tally)
    return job.run((desktop.trace_stream(trace) for trace in traces), len(traces), {}, progress)


def build_own(
    raw: Path,
    out: Path,
    *,
    scope: Scope | None = None,
    zone: str | None = None,
    order: Order = "time",
    progress: Progress | None = None,
) -> Card:
    """Build streams from own JSON Lines, a file or a folder of them (form: `proactmem.datasets.own`).

    Args:
        raw: The file or folder; a label file beside the events is joined.
        out: The built folder.
        scope: The scope of all events; None takes it from the lines.
        zone: The zone that decides local days, Code and Desktop only; None is UTC.
        order: By time then event id (default), or the order of the lines.
        progress: Called after each stream.

    Raises:
        ConfigError: Zone or order is unknown, or `out` is no place for a built folder.
        InputError: An event or the label file cannot be read as it stands.
        StoreError: The built folder cannot be written.
    """
    files = own.event_files(raw)
    data = own.scan_own(files, scope)
    streams = own.own_streams(data, order=order, zone=zone)
    tally = Tally()
    if data.scope == "code":
        tally.noticed["event_ids_told_apart"] = data.told_apart
    job = Job(data.scope, files, files[0].parent, out, _OWN, own.KEYS, tally)
    return job.run(streams, len(data.streams), {"order": order, "zone": zone}, progress)


def _home_origin(formats: Collection[str], *, planted: bool) -> Origin:
    """Where homes come from; those of two sources are named by both."""
    if planted:
        return _SIMULATED_HOMES
    origins = [_CASAS] * ("casas" in formats) + [_UCI_ADL] * ("uci_adl" in formats)
    joined = [" ".join(dict.fromkeys(parts)) for parts in zip(*(origin[1:] for origin in origins), strict=True)]
    return Origin(" and ".join(origin.source for origin in origins), *joined)


def _repositories_in(folder: Path) -> tuple[str, ...]:
    """The repositories that a simulation names beside its hours."""
    file = folder / _REPOSITORIES
    if not file.is_file():
        raise ConfigError("no repository was named.", remedy=f"Name some (owner/name with commas), or list them in {file}.")
    return tuple(line.text.strip() for line in text_lines(file) if line.text.strip())


def _suggestions_in(raw: Path) -> Path:
    if raw.is_file():
        return raw
    found = [path for path in (raw / _RAW_SPORTS, raw / "raw" / _RAW_SPORTS) if path.is_file()]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            "several raw files", file=raw, found=[path.relative_to(raw).as_posix() for path in found], expected="one",
            remedy="Name the file you mean.",
        )  # fmt: skip
    raise InputError(
        f"no {_RAW_SPORTS} in the folder" if raw.is_dir() else "no such file or folder",
        file=raw,
        found=sorted(path.name for path in raw.glob("*.csv")) or None,
        expected=f"{_RAW_SPORTS}, or raw/{_RAW_SPORTS}",
        remedy="Name the HeartSteps file, or simulate one.",
    )
