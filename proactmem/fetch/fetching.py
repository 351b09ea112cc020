"""`proactmem fetch`: a public source into a folder, its terms accepted first, or a copy that one was given."""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import time
import zipfile
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath

import httpx

from proactmem.errors import ConfigError, FetchError
from proactmem.fetch.download import Downloader
from proactmem.fetch.manifest import Entry, Manifest, read_manifest, sha256_of, write_manifest, write_terms
from proactmem.fetch.sources import (
    PERMISSION_HOMES,
    PROACTIVEBENCH_LISTING,
    PROACTIVEBENCH_RAW,
    SOURCES,
    Name,
    RemoteFile,
    Source,
    gharchive_hour,
)
from proactmem.paths import atomic_write, storage_error

__all__ = ["FetchReport", "fetch"]

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_LOCK = ".fetching"
_TIMEOUT = httpx.Timeout(30.0, connect=15.0)
_LONGEST_RANGE = timedelta(days=3700)
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class FetchReport:
    """What a fetch did; `str` is a readable line or two."""

    folder: Path
    fetched: tuple[str, ...]
    resumed: tuple[str, ...]
    """Those of the fetched that an earlier call had begun."""
    already: tuple[str, ...]
    """Files that were there and are as they were."""
    missing: tuple[str, ...]
    """Files that the source does not have, such as hours that the archive lost."""

    def __str__(self) -> str:
        text = (
            f"{self.folder}: {len(self.fetched)} files fetched ({len(self.resumed)} resumed), {len(self.already)} there already"
        )
        if self.missing:
            shown = ", ".join(self.missing[:5]) + (", ..." if len(self.missing) > 5 else "")
            text += f"; the source has no {shown} ({len(self.missing)} in all)"
        return text


def fetch(
    name: Name,
    out: Path,
    *,
    accept: bool,
    since: datetime | None = None,
    until: datetime | None = None,
    homes: Collection[str] | None = None,
    from_path: Path | None = None,
    mirror: str | None = None,
    progress: Progress | None = None,
    client: httpx.Client | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> FetchReport:
    """Download a source into a folder, or put a copy there that one was given. What is there and right is not fetched again.

    Args:
        name: heartsteps, proactivebench, gharchive or casas.
        out: The folder; its manifest `fetched.json` and its terms `SOURCE.txt` lie beside the data.
        accept: Whether the source's terms are accepted; without it nothing is fetched.
        since: First hour of gharchive (UTC).
        until: First hour left out.
        homes: CASAS homes to keep, such as hh101; None keeps all.
        from_path: A copy of one's own, a file or folder, instead of a download.
        mirror: Address that takes the place of the source's scheme and host.
        progress: Called with files done and files in all; with bytes where the source is one file.
        client: HTTP client; made here when None, with the proxies of the environment.
        sleep: Waits between attempts.

    Raises:
        ConfigError: The terms are not accepted, or an option is missing or does not fit the source.
        FetchError: Something cannot be had, or another call writes into the folder.
        StoreError: Something cannot be written.
    """
    source = SOURCES[name]
    _check(source, accept=accept, since=since, until=until, homes=homes, from_path=from_path, mirror=mirror)
    with _alone(out), ExitStack() as stack:
        manifest = read_manifest(out, source)
        if from_path is not None:
            return _taken_over(source, out, from_path, manifest)
        http = client or stack.enter_context(httpx.Client(timeout=_TIMEOUT, follow_redirects=True))
        single = len(source.files) == 1
        downloader = Downloader(http, sleep, mirror=mirror, told=_in_bytes(progress) if single else None)
        files = list(_files(source, downloader, since, until))
        report = _download(source, out, files, downloader, manifest, None if single else progress)
    if name == "casas":
        _unpack(out, homes)
    return report


def _check(
    source: Source,
    *,
    accept: bool,
    since: datetime | None,
    until: datetime | None,
    homes: Collection[str] | None,
    from_path: Path | None,
    mirror: str | None,
) -> None:
    if not accept:
        raise ConfigError(
            f"{source.title}; licence: {source.licence}. {source.notice}",
            remedy="If you accept this, give --accept-licence.",
        )
    if mirror is not None and not mirror.startswith(("http://", "https://")):
        raise ConfigError(f"mirror {mirror!r}; expected an http or https address.")
    if homes is not None and source.name != "casas":
        raise ConfigError(f"{source.name} has no homes to choose.", remedy="Leave --homes out.")
    asked = sorted(PERMISSION_HOMES & {home.casefold() for home in homes or ()})
    if asked and from_path is None:
        raise ConfigError(
            f"homes {asked} are had by permission of the CASAS research group only and are not downloaded.",
            remedy="Ask casas.wsu.edu; then hand over your copy with --from.",
        )
    ranged = since is not None or until is not None
    if ranged and source.name != "gharchive":
        raise ConfigError(f"{source.name} has no hours to choose.", remedy="Leave --since and --until out.")
    if source.name == "gharchive" and from_path is None:
        if since is None or until is None or not since < until:
            raise ConfigError(
                "gharchive needs a range of hours: since, and until after it.",
                remedy="For example --since 2025-06-30T00 --until 2025-06-30T06.",
            )
        if until - since > _LONGEST_RANGE:
            raise ConfigError(f"{until - since} of hours is more than ten years.", remedy="Fetch a shorter range.")


def _in_bytes(progress: Progress | None) -> Callable[[int, int | None], None] | None:
    return None if progress is None else lambda done, of: progress(done, of or done)


def _files(source: Source, downloader: Downloader, since: datetime | None, until: datetime | None) -> Iterator[RemoteFile]:
    yield from source.files
    if source.name == "gharchive" and since is not None and until is not None:
        hour = since.replace(minute=0, second=0, microsecond=0)
        while hour < until:
            yield gharchive_hour(f"{hour:%Y-%m-%d}", hour.hour)
            hour += timedelta(hours=1)
    if source.name == "proactivebench":
        yield from _listed(downloader.text(PROACTIVEBENCH_LISTING))


def _listed(text: str) -> Iterator[RemoteFile]:
    """The traces of a GitHub listing: names are checked, contents are known by Git's hash."""
    try:
        found = [(str(one["name"]), str(one["sha"]), int(one["size"])) for one in json.loads(text) if one["type"] == "file"]
    except (ValueError, TypeError, KeyError) as error:
        raise FetchError(
            "the listing of ProactiveBench is not GitHub's.", remedy="Try again later, or name a mirror."
        ) from error
    for name, blob, size in sorted(found):
        if name.endswith(".json") and _SAFE.fullmatch(name):
            refs = ("86383616", "main")
            yield RemoteFile(
                name, tuple(f"{PROACTIVEBENCH_RAW}/{ref}/dataset/test_data/{name}" for ref in refs), None, size, blob
            )


def _download(
    source: Source, out: Path, files: list[RemoteFile], downloader: Downloader, manifest: Manifest, progress: Progress | None
) -> FetchReport:
    fetched, resumed, already, missing = [], [], [], []
    entries = dict(manifest.files)
    for done, file in enumerate(files, start=1):
        if _is_here(out / file.path, entries.get(file.path), file):
            already.append(file.path)
        elif (found := downloader.fetch(file, out / file.path)) is None:
            missing.append(file.path)
            entries[file.path] = Entry(url=file.urls[0], state="missing")
        else:
            fetched.append(file.path)
            resumed.extend([file.path] if found.resumed else [])
            entries[file.path] = Entry(url=file.urls[0], state="here", sha256=found.sha256, size=found.size)
        if entries != manifest.files:
            manifest = Manifest(source=source.name, files=dict(entries))
            write_manifest(out, manifest)
        if progress is not None:
            progress(done, len(files))
    write_terms(out, source, manifest)
    return FetchReport(out, tuple(fetched), tuple(resumed), tuple(already), tuple(missing))


def _is_here(target: Path, entry: Entry | None, file: RemoteFile) -> bool:
    """Whether a file lies in place as it was fetched: size first, then its hash; a changed one is fetched anew."""
    if not target.is_file():
        return False
    known = entry.sha256 if entry is not None and entry.state == "here" else file.sha256
    return known is not None and sha256_of(target) == known


def _taken_over(source: Source, out: Path, copy: Path, manifest: Manifest) -> FetchReport:
    """Put a copy of one's own in place; the terms under which it was given stay with it."""
    if not copy.exists():
        raise ConfigError(f"{copy}: no such file or folder.", remedy="Name the copy that you were given.")
    if out.resolve() == copy.resolve() or out.resolve() in copy.resolve().parents or copy.resolve() in out.resolve().parents:
        raise ConfigError(f"{out}: lies in the copy, or the copy in it.", remedy="Name another folder.")
    files = sorted(path for path in copy.rglob("*") if path.is_file()) if copy.is_dir() else [copy]
    base = copy if copy.is_dir() else copy.parent
    wanted = [path for path in files if not any(part.startswith(".") for part in path.relative_to(base).parts)]
    if not wanted:
        raise ConfigError(f"{copy}: holds no file.", remedy="Name the copy that you were given.")
    fetched, already = [], []
    entries = dict(manifest.files)
    for path in wanted:
        name = path.relative_to(base).as_posix()
        digest = sha256_of(path)
        if (out / name).is_file() and sha256_of(out / name) == digest:
            already.append(name)
        else:
            with path.open("rb") as opened, atomic_write(out / name) as file:
                shutil.copyfileobj(opened, file, 1 << 20)
            fetched.append(name)
        entries[name] = Entry(url="a copy of one's own", state="here", sha256=digest, size=path.stat().st_size)
    found = Manifest(source=source.name, files=entries)
    write_manifest(out, found)
    note = "Files marked as a copy of one's own are under the terms on which they were given, which may be stricter."
    write_terms(out, source, found, note)
    return FetchReport(out, tuple(fetched), (), tuple(already), ())


def _unpack(out: Path, homes: Collection[str] | None) -> None:
    """The homes' files out of the archive; names in it never lead elsewhere."""
    wanted = None if homes is None else {home.casefold() for home in homes}
    archive = out / "casas.zip"
    try:
        with zipfile.ZipFile(archive) as opened:
            for member in opened.infolist():
                place = PurePosixPath(member.filename)
                if (
                    member.is_dir()
                    or place.suffix.lower() not in (".txt", ".csv")
                    or not all(map(_SAFE.fullmatch, place.parts))
                ):
                    continue
                if wanted is not None and not any(part.casefold().split(".")[0] in wanted for part in place.parts):
                    continue
                target = out.joinpath(*place.parts)
                if target.is_file() and target.stat().st_size == member.file_size:
                    continue
                with opened.open(member) as inside, atomic_write(target) as file:
                    shutil.copyfileobj(inside, file, 1 << 20)
    except zipfile.BadZipFile as error:
        raise FetchError(
            f"{archive}: is no archive ({error}).", remedy="Delete it and fetch again, or name a mirror."
        ) from error


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """One writer a folder; the lock goes with the process, however it ends."""
    if out.exists() and not out.is_dir():
        raise ConfigError(f"{out}: is a file; a folder is needed.", remedy="Name another folder.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock = (out / _LOCK).open("ab")
    except OSError as error:
        raise storage_error(out, error) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FetchError(
                f"{out}: another fetch writes here.", remedy="Wait for it, then give the command again."
            ) from error
        yield
