"""Raw files to built folders: find the raw file, build its streams, join the labels beside it, write the card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from proactmem.core.events import Scope
from proactmem.core.records import SOURCES
from proactmem.core.streams import stated_time
from proactmem.datasets import desktop, heartsteps, own
from proactmem.datasets.built import EVENTS, Order
from proactmem.datasets.card import CARD, CARD_MD, Card, LabelCount, sha256_file, write_card
from proactmem.datasets.join import LABELS, label_file_in, read_labels, write_labels
from proactmem.datasets.suggestions import scan_suggestions
from proactmem.datasets.writing import KeyColumns, Sourced, SourceStream, write_built
from proactmem.errors import ConfigError, InputError
from proactmem.paths import storage_error

__all__ = ["Progress", "build_desktop", "build_own", "build_sports"]

Progress = Callable[[int, int], None]
"""Called with streams done and streams in all."""

_RAW_SPORTS = "suggestions.csv"
_PLANTED = "planted.json"
_OURS = {EVENTS, SOURCES, LABELS, CARD, CARD_MD}
_HEARTSTEPS = {
    "60ee7896183d7084a084f9a6e8ef2d0afea2e7fecdb41d6b15382ce1745c5ddb",
    "61d9b974a081d9ef2062bdb56350a1325ad13fdd6f971c8a7e88434c972e8a88",
}
"""SHA-256 of HeartSteps V1's suggestions.csv: as released, and put back into that format from a spreadsheet's copy."""


class _Origin(NamedTuple):
    source: str
    licence: str
    attribution: str


_HEARTSTEPS_V1 = _Origin(
    "HeartSteps V1",
    "CC-BY-4.0 (attribution, and a note of changes).",
    "Klasnja et al. (2019), doi:10.1093/abm/kay067; github.com/klasnja/HeartStepsV1. Changed: decision points as "
    "public events, columns known at the decision only.",
)
_SIMULATED = _Origin(
    "simulated participants in HeartSteps format",
    "As the package that simulated them.",
    "The package's seeded simulator; no person's data.",
)
_HEARTSTEPS_FORMAT = _Origin(
    "a file in HeartSteps format",
    "Not stated by the file; data derived from HeartSteps V1 are CC-BY-4.0.",
    "Of HeartSteps V1: Klasnja et al. (2019), doi:10.1093/abm/kay067.",
)
_PROACTIVEBENCH = _Origin(
    "ProactiveBench desktop traces",
    "Apache-2.0.",
    "github.com/thunlp/ProactiveAgent. Changed: the observations only, as public events.",
)
_OWN = _Origin("own data", "As its owner states.", "Its owner.")


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
        points: Connected decision points (default), or available ones only.
        progress: Called after each stream.

    Raises:
        ConfigError: An option is unknown, or `out` is no place for a built folder.
        InputError: The raw or the label file cannot be read as it stands.
        StoreError: The built folder cannot be written.
    """
    file = _suggestions_in(raw)
    scanned = scan_suggestions(file)
    tally = heartsteps.Tally()
    streams = heartsteps.participant_streams(scanned, participants=participants, points=points, tally=tally)
    chosen = sorted(scanned.rows if participants is None else set(participants))
    digest = sha256_file(file)
    planted = (file.parent / _PLANTED).is_file()
    origin = _HEARTSTEPS_V1 if digest in _HEARTSTEPS else _SIMULATED if planted else _HEARTSTEPS_FORMAT
    job = _Job("sports", (file,), file.parent, out, origin, heartsteps.KEYS, tally.dropped, tally.noticed)
    options = {"points": points, "participants": None if participants is None else tuple(chosen)}
    return job.run(streams, len(chosen), options, progress)


def build_desktop(raw: Path, out: Path, *, progress: Progress | None = None) -> Card:
    """Build Desktop streams from ProactiveBench traces, a folder of `*.json` or one of them.

    Raises:
        ConfigError: `out` is no place for a built folder.
        InputError: A trace or the label file cannot be read as it stands.
        StoreError: The built folder cannot be written.
    """
    files = desktop.trace_files(raw)
    traces = [desktop.read_trace(file) for file in files]
    dropped = Counter({"traces_without_observations": sum(not trace.observations for trace in traces)})
    job = _Job("desktop", files, files[0].parent, out, _PROACTIVEBENCH, desktop.KEYS, dropped, Counter())
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
    noticed = Counter({"event_ids_told_apart": data.told_apart}) if data.scope == "code" else Counter[str]()
    job = _Job(data.scope, files, files[0].parent, out, _OWN, own.KEYS, Counter(), noticed)
    return job.run(streams, len(data.streams), {"order": order, "zone": zone}, progress)


class _Job(NamedTuple):
    """One build: what goes in, where it comes out, and what is counted on the way."""

    scope: Scope
    files: Sequence[Path]
    raw: Path
    out: Path
    origin: _Origin
    keys: KeyColumns
    dropped: Counter[str]
    noticed: Counter[str]

    def run(
        self,
        streams: Iterable[SourceStream],
        total: int,
        options: Mapping[str, str | int | bool | tuple[int, ...] | None],
        progress: Progress | None,
    ) -> Card:
        """Write events, sources, labels and the card that names them by hash; all are put in place at the end or none."""
        _check_out(self.out, self.raw)
        with _staged(self.out) as staged:
            spans = write_built(staged, self.scope, self._watched(streams, total, progress), self.keys)
            inputs = {file.name: sha256_file(file) for file in self.files}
            labels = self._join(staged, inputs)
            names = (EVENTS, SOURCES, LABELS)
            card = Card(
                source=self.origin.source,
                scope=self.scope,
                events=sum(span.events for span in spans),
                streams=spans,
                dropped=dict(sorted(self.dropped.items())),
                noticed=dict(sorted(self.noticed.items())),
                inputs=inputs,
                outputs={name: sha256_file(staged / name) for name in names if (staged / name).is_file()},
                options=dict(options),
                labels=labels,
                licence=self.origin.licence,
                attribution=self.origin.attribution,
            )
            write_card(staged, card)
        return card

    def _watched(self, streams: Iterable[SourceStream], total: int, progress: Progress | None) -> Iterator[SourceStream]:
        self.noticed["times_that_go_back"] += 0
        for done, stream in enumerate(streams, start=1):
            yield SourceStream(stream.stream_id, stream.order, self._forward(stream.events), stream.zone)
            if progress is not None:
                progress(done, total)

    def _forward(self, events: Iterable[Sourced]) -> Iterator[Sourced]:
        before = None
        for item in events:
            now = stated_time(item.public)
            self.noticed["times_that_go_back"] += before is not None and now < before
            before = now
            yield item

    def _join(self, staged: Path, inputs: dict[str, str]) -> LabelCount | None:
        file = label_file_in(self.raw)
        if file is None:
            return None
        labels = read_labels(file, staged, allow_none=True)
        inputs[file.name] = sha256_file(file)
        if labels.labels:
            write_labels(staged / LABELS, labels)
        return LabelCount(file=labels.file, rows=labels.rows, joined=len(labels.labels), unmatched=labels.unmatched)


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
