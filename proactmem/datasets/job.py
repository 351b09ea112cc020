"""One build: streams into a staged folder, labels joined beside them, the card that pins both, all put in place or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import NamedTuple

from proactmem.core.events import Scope
from proactmem.core.records import SOURCES
from proactmem.core.streams import stated_time
from proactmem.datasets.built import EVENTS
from proactmem.datasets.card import CARD, CARD_MD, Card, LabelCount, sha256_file, write_card
from proactmem.datasets.join import LABELS, join_labels, label_file_in
from proactmem.datasets.tally import Tally
from proactmem.datasets.writing import KeyColumns, Sourced, SourceStream, write_built
from proactmem.errors import ConfigError
from proactmem.paths import storage_error

__all__ = ["Job", "Option", "Origin", "Progress"]

Progress = Callable[[int, int], None]
"""Called with what is done and what there is in all."""
Option = str | int | bool | tuple[int, ...] | tuple[str, ...] | None
"""The value of a build's option."""

_OURS = {EVENTS, SOURCES, LABELS, CARD, CARD_MD}


class Origin(NamedTuple):
    """Where raw files come from: what the card says of it."""

    source: str
    licence: str
    attribution: str


class Job(NamedTuple):
    """One build: what goes in, where it comes out, and what is counted on the way."""

    scope: Scope
    files: Sequence[Path]
    raw: Path
    """The folder of the raw files; a label file beside them is joined, and inputs are named by their place in it."""
    out: Path
    origin: Origin
    keys: KeyColumns
    tally: Tally

    def run(
        self,
        streams: Iterable[SourceStream],
        total: int,
        options: Mapping[str, Option],
        progress: Progress | None,
        *,
        hashes: Mapping[Path, str] = MappingProxyType({}),
    ) -> Card:
        """Write events, sources, labels and the card that names them by hash; all are put in place at the end or none.

        Args:
            streams: The streams in the order of their ids.
            total: How many there are.
            options: The options of the build that change its bytes.
            progress: Called after each stream.
            hashes: SHA-256 of raw files that were read whole already.
        """
        with self.staged() as staged:
            return self.write(staged, streams, total, options, progress, hashes=hashes)

    @contextmanager
    def staged(self) -> Iterator[Path]:
        """The folder in which the build is made, after a look at the place where it will lie; see `_staged`."""
        _check_out(self.out, self.raw)
        with _staged(self.out) as staged:
            yield staged

    def write(
        self,
        staged: Path,
        streams: Iterable[SourceStream],
        total: int,
        options: Mapping[str, Option],
        progress: Progress | None,
        *,
        hashes: Mapping[Path, str] = MappingProxyType({}),
    ) -> Card:
        """What `run` does, into a staged folder that the caller opened to keep something of its own in it."""
        spans = write_built(staged, self.scope, self._watched(streams, total, progress), self.keys)
        inputs = {self._name(file): hashes.get(file) or sha256_file(file) for file in self.files}
        labels = self._join(staged, inputs)
        names = (EVENTS, SOURCES, LABELS)
        card = Card(
            source=self.origin.source,
            scope=self.scope,
            events=sum(span.events for span in spans),
            streams=spans,
            dropped=dict(sorted(self.tally.dropped.items())),
            noticed=dict(sorted(self.tally.noticed.items())),
            problems=tuple(problem.replace(f"{self.raw}/", "") for problem in self.tally.problems),
            inputs=inputs,
            outputs={name: sha256_file(staged / name) for name in names if (staged / name).is_file()},
            options=dict(options),
            labels=labels,
            licence=self.origin.licence,
            attribution=self.origin.attribution,
        )
        write_card(staged, card)
        return card

    def _name(self, file: Path) -> str:
        return file.relative_to(self.raw).as_posix() if file.is_relative_to(self.raw) else file.name

    def _watched(self, streams: Iterable[SourceStream], total: int, progress: Progress | None) -> Iterator[SourceStream]:
        self.tally.noticed["times_that_go_back"] += 0
        for done, stream in enumerate(streams, start=1):
            yield SourceStream(stream.stream_id, stream.order, self._forward(stream.events), stream.zone)
            if progress is not None:
                progress(done, total)

    def _forward(self, events: Iterable[Sourced]) -> Iterator[Sourced]:
        before = None
        for item in events:
            now = stated_time(item.public)
            self.tally.noticed["times_that_go_back"] += before is not None and now < before
            before = now
            yield item

    def _join(self, staged: Path, inputs: dict[str, str]) -> LabelCount | None:
        file = label_file_in(self.raw)
        if file is None:
            return None
        found = join_labels(file, staged, staged / LABELS)
        inputs[file.name] = sha256_file(file)
        return LabelCount(file=found.file, rows=found.rows, joined=found.joined, unmatched=found.unmatched)


@contextmanager
def _staged(out: Path) -> Iterator[Path]:
    """A folder inside `out` to build in; its files are put in place when all are written, and left out when one fails.

    An earlier build's card and labels go first and the new card comes last: a folder with a card is whole, and no labels
    lie beside events they are not of, whenever the machine stops.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        temporary = TemporaryDirectory(prefix=".build.", dir=out)
    except OSError as error:
        raise storage_error(out, error) from error
    with temporary as name:
        yield Path(name)
        try:
            for stale in (CARD, CARD_MD, LABELS):
                (out / stale).unlink(missing_ok=True)
            for made in (SOURCES, EVENTS, LABELS, CARD_MD, CARD):
                if (Path(name) / made).is_file():
                    (Path(name) / made).replace(out / made)
        except OSError as error:
            raise storage_error(out, error) from error


def _check_out(out: Path, raw: Path) -> None:
    """A built folder is empty, new, or a built folder already; never a place of raw files."""
    target, source = out.resolve(), raw.resolve()
    if target == source or target in source.parents:
        raise ConfigError(
            f"{out}: holds the raw files; built streams need a folder of their own.", remedy="Name another folder."
        )
    if out.exists() and not out.is_dir():
        raise ConfigError(f"{out}: is a file; built streams need a folder.", remedy="Name another folder.")
    try:
        names = {path.name for path in out.iterdir() if not path.name.startswith(".")} if out.is_dir() else set()
    except OSError as error:
        raise storage_error(out, error) from error
    if others := sorted(names - _OURS):
        raise ConfigError(
            f"{out}: is not empty and no built folder; found {others[:5]}, expected at most {sorted(_OURS)}.",
            remedy="Name a new folder, or empty this one.",
        )
