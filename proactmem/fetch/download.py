"""One file from one address to one place: resumed, retried, verified, and put in place whole or not at all.

The partial file `<name>.part` stays when a download is interrupted, with the server's validator beside it; the next attempt
asks for the rest only if the file is still the same (`If-Range`).
"""

from __future__ import annotations

import email.utils
import gzip
import hashlib
import json
import random
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

from proactmem.errors import FetchError
from proactmem.fetch.sources import RemoteFile
from proactmem.paths import storage_error, write_atomic

__all__ = ["ATTEMPTS", "Downloaded", "Downloader"]

ATTEMPTS = 6
"""How often one file is asked for before it is given up."""
_LONGEST = 300.0
"""Longest wait between two attempts, seconds, whatever a server asks for."""
_PASSING = {408, 425, 429, 500, 502, 503, 504}
"""Answers after which the same question may succeed."""


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A file that is in place."""

    sha256: str
    size: int
    resumed: bool
    """Whether a part of it had been there from an earlier attempt."""


class _PassingError(Exception):
    """Something that may go better at the next attempt."""

    def __init__(self, what: str, wait: float | None = None) -> None:
        super().__init__(what)
        self.wait = wait


class _AbsentError(Exception):
    """The file is not there (404, 410)."""


class Downloader:
    """Downloads files one after the other.

    Args:
        client: The HTTP client; its timeouts hold for every read.
        sleep: Waits between attempts, seconds.
        mirror: Takes the place of scheme and host of every address.
        told: Called with bytes that have arrived of the file under way, and its size where known.
        jitter: A number between two others, so that clients which fail together do not come back together.
    """

    def __init__(
        self,
        client: httpx.Client,
        sleep: Callable[[float], None],
        *,
        mirror: str | None = None,
        told: Callable[[int, int | None], None] | None = None,
        jitter: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._client, self._sleep, self._mirror, self._told = client, sleep, mirror, told
        self._jitter = jitter

    def fetch(self, file: RemoteFile, target: Path) -> Downloaded | None:
        """Bring a file to its place; None where it may be missing and is.

        Raises:
            FetchError: It cannot be had: the message says what the server answered and what to do.
            StoreError: It cannot be written.
        """
        for url in file.urls:
            try:
                return self._persist(file, self._address(url), target)
            except _AbsentError:
                continue
        if file.may_be_missing:
            return None
        raise FetchError(
            f"{file.urls[0]}: is not there (404).", remedy="It may have moved: name a mirror, or hand over a copy of your own."
        )

    def text(self, urls: tuple[str, ...]) -> str:
        """A small text, such as a listing; addresses are tried in order.

        Raises:
            FetchError: No address gives it.
        """
        last = ""
        for url in urls:
            for attempt in range(ATTEMPTS):
                try:
                    answer = self._client.get(self._address(url))
                    if answer.status_code == 200:
                        return answer.text
                    self._judge(answer)
                except (_PassingError, httpx.TransportError) as error:
                    last = str(error) or type(error).__name__
                    self._wait(attempt, getattr(error, "wait", None))
                except _AbsentError:
                    last = "is not there (404)"
                    break
        raise FetchError(f"{urls[0]}: {last}.", remedy="Try again later, or name a mirror.")

    def _address(self, url: str) -> str:
        if self._mirror is None:
            return url
        return self._mirror.rstrip("/") + "/" + url.split("://", 1)[1].partition("/")[2]

    def _persist(self, file: RemoteFile, url: str, target: Path) -> Downloaded:
        """Attempts until the file is whole and right."""
        part, resumed, wrong, last = target.with_name(f"{target.name}.part"), False, 0, ""
        for attempt in range(ATTEMPTS):
            resumed |= part.is_file() and part.stat().st_size > 0
            try:
                self._receive(file, url, part)
                found = _verified(file, part)
            except httpx.TransportError as error:
                last = f"{type(error).__name__}: {error}"
                self._wait(attempt, None)
            except _PassingError as error:
                last = str(error)
                self._wait(attempt, error.wait)
            except OSError as error:
                raise storage_error(part, error) from error
            else:
                if isinstance(found, Downloaded):
                    return _placed(part, target, found, resumed=resumed)
                _forget(part)  # what arrived is something else: never under the final name, and never resumed
                wrong, last, resumed = wrong + 1, found, False
                if wrong > 1:
                    break
        raise FetchError(
            f"{url}: {last} (after {min(ATTEMPTS, attempt + 1)} attempts).",
            remedy="Give the same command again: it goes on where it stopped. Or name a mirror, or hand over your own copy.",
        )

    def _wait(self, attempt: int, asked: float | None) -> None:
        if attempt + 1 >= ATTEMPTS:
            return  # nothing is asked afterwards
        usual = 2.0**attempt * self._jitter(0.5, 1.0)
        self._sleep(min(_LONGEST, usual if asked is None else max(asked, 0.0)))

    def _receive(self, file: RemoteFile, url: str, part: Path) -> None:
        """Append what is missing, or begin anew where the server gives the whole or another file."""
        part.parent.mkdir(parents=True, exist_ok=True)
        have = part.stat().st_size if part.is_file() else 0
        validator = _validator(part) if have else None
        headers = {"Accept-Encoding": "identity"}
        if have and validator is not None:
            headers |= {"Range": f"bytes={have}-", "If-Range": validator}
        with self._client.stream("GET", url, headers=headers) as answer:
            if answer.status_code == 416:
                _forget(part)
                raise _PassingError("the part that is here does not fit the server's file", 0.0)
            if answer.status_code not in (200, 206):
                self._judge(answer)
            at = have if answer.status_code == 206 else 0
            if at and not answer.headers.get("content-range", "").startswith(f"bytes {at}-"):
                _forget(part)
                raise _PassingError("the server sent another range than asked for", 0.0)
            length = answer.headers.get("content-length", "")
            expected = at + int(length) if length.isdigit() else file.size
            _remember(part, answer)
            with part.open("ab" if at else "wb") as out:
                for block in answer.iter_raw():  # as it arrives: nothing is lost when the connection drops
                    out.write(block)
                    at += len(block)
                    if self._told is not None:
                        self._told(at, expected)
            if expected is not None and at < expected:
                raise _PassingError(f"ended after {at} of {expected} bytes", 0.0)

    def _judge(self, answer: httpx.Response) -> None:
        """What an answer other than success means."""
        code = answer.status_code
        if code in (404, 410):
            raise _AbsentError
        if code in _PASSING:
            raise _PassingError(f"the server answers {code}", _retry_after(answer.headers))
        why = {401: "asks for a login", 403: "refuses", 451: "may not give it for legal reasons"}.get(code, "answers")
        raise FetchError(
            f"{answer.request.url}: the server {why} ({code}).", remedy="Name a mirror, or hand over a copy of your own."
        )


def _retry_after(headers: httpx.Headers) -> float | None:
    """Seconds that a server asks to wait, given as a number or as a date, which is read by the server's own clock."""
    text = headers.get("retry-after", "").strip()
    if text.isdigit():
        return float(text)
    try:
        later, now = (email.utils.parsedate_to_datetime(one) for one in (text, headers.get("date", "")))
        return max(0.0, (later - now).total_seconds())
    except (ValueError, TypeError):
        return None


def _beside(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _remember(part: Path, answer: httpx.Response) -> None:
    """Keep the server's validator: without one a part is never resumed."""
    etag = answer.headers.get("etag", "")
    strong = etag if etag and not etag.startswith("W/") else answer.headers.get("last-modified", "")
    write_atomic(_beside(part), json.dumps({"validator": strong}))


def _validator(part: Path) -> str | None:
    try:
        found = json.loads(_beside(part).read_bytes()).get("validator")
    except (OSError, ValueError, AttributeError):
        return None
    return found if isinstance(found, str) and found else None


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _beside(part).unlink(missing_ok=True)


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            yield block


def _verified(file: RemoteFile, part: Path) -> Downloaded | str:
    """The file as downloaded, or in words why it is not the one expected."""
    size = part.stat().st_size
    sha256, blob = hashlib.sha256(), hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    for block in _blocks(part):
        sha256.update(block)
        blob.update(block)
    if file.size is not None and size != file.size:
        return f"gave {size} bytes; expected {file.size}"
    if file.sha256 is not None and sha256.hexdigest() != file.sha256:
        return f"gave a file of SHA-256 {sha256.hexdigest()}; expected {file.sha256}"
    if file.blob is not None and blob.hexdigest() != file.blob:
        return f"gave a file of Git SHA-1 {blob.hexdigest()}; expected {file.blob}"
    if file.gzip:
        try:
            with gzip.open(part) as opened:
                while opened.read(1 << 20):
                    pass
        except (OSError, EOFError, zlib.error) as error:
            return f"gave no whole gzip file ({error})"
    return Downloaded(sha256.hexdigest(), size, resumed=False)


def _placed(part: Path, target: Path, found: Downloaded, *, resumed: bool) -> Downloaded:
    try:
        part.replace(target)
        _beside(part).unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(target, error) from error
    return Downloaded(found.sha256, found.size, resumed)
