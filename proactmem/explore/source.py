"""What can be explored of one scope: its built streams, the runs made on them, and the labels for a look afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from proactmem.core.events import Scope
from proactmem.core.labels import Label
from proactmem.core.records import RunManifest
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.card import CARD, read_card
from proactmem.datasets.join import LABELS, label_file_in, read_labels
from proactmem.errors import ConfigError
from proactmem.llm.offline.backbone import OfflineBackbone
from proactmem.paths import RUNS
from proactmem.report.names import method_name, scope_name
from proactmem.run.catalog import METHODS, method_spec
from proactmem.run.replay import Progress, run
from proactmem.score.runs import load_manifest
from proactmem.study import Study, source_key

__all__ = ["Source", "answered_by"]


def answered_by(manifest: RunManifest) -> str:
    """A run's method by the paper's name and who answered its prompts: an offline decision never looks like a model's.

    Replies that were made to err are named too.
    """
    who = "offline backbone" if manifest.backbone == "offline" else manifest.model
    rate = manifest.settings.get("fabricate")
    erring = f", {float(rate):.0%} fabricated" if rate else ""
    return f"{method_name(manifest.method)}, {who}{erring}"


@dataclass(frozen=True)
class Source:
    """A built folder of one scope and where its runs are; a method that was not run yet runs when it is first asked for."""

    streams: BuiltStreams
    runs: Path
    """Folder in which runs made on demand are kept, one directory a method and stream."""
    label: str
    """What the data are, for captions."""
    given: Mapping[str, Path]
    """Run directories that were there before, by the name they are chosen by."""

    @classmethod
    def of_folder(cls, folder: Path, root: Path, given: Sequence[Path] = ()) -> Self:
        """The streams of a built folder of any scope.

        Args:
            folder: The built folder.
            root: Holds data/; runs made on demand are kept under its data/runs/, by the data's hash and the package's source.
            given: Run directories on the same streams.

        Raises:
            StoreError: No built folder, or no run directory.
            ConfigError: A run was made on other streams.
        """
        streams = BuiltStreams.open(folder)
        stated = read_card(folder).source if (folder / CARD).is_file() else f"{scope_name(streams.scope)} streams"
        return cls._of(streams, root / RUNS / f"{streams.sha256[:12]}-{source_key()}", stated, given)

    @classmethod
    def of_study(cls, study: Study, given: Sequence[Path] = ()) -> Self:
        """The streams of a study, its own run directories used again.

        Raises:
            StoreError: No run directory.
            ConfigError: A run was made on other streams.
        """
        return cls._of(study.streams, study.root / RUNS / study.key, study.label, given)

    @classmethod
    def _of(cls, streams: BuiltStreams, runs: Path, label: str, given: Sequence[Path]) -> Self:
        named: dict[str, Path] = {}
        for path in given:
            manifest = load_manifest(path)
            if manifest.data_sha256 != streams.sha256:
                raise ConfigError(
                    f"run {path.name!r} was made on other streams (hash {manifest.data_sha256[:12]}) than those of "
                    f"{streams.path} ({streams.sha256[:12]}).",
                    remedy="Name the built folder that the run was made on.",
                )
            name = path.resolve().name
            while name in METHODS or name in named:
                name += " (run)"
            named[name] = path
        return cls(streams, runs, label, named)

    @property
    def scope(self) -> Scope:
        """The one scope of the folder."""
        return self.streams.scope

    @cached_property
    def labels(self) -> Mapping[tuple[str, str], Label]:
        """Reference labels by stream and event, for a look afterwards; empty where the folder holds none."""
        folder = self.streams.path
        if not (folder / LABELS).is_file() and label_file_in(folder) is None:
            return {}
        return read_labels(folder, folder, allow_none=True).labels

    @property
    def methods(self) -> Mapping[str, str]:
        """What can be chosen, with the name it is shown by: the given runs, then every method on the offline backbone."""
        given = {name: f"{answered_by(load_manifest(path))} ({name})" for name, path in self.given.items()}
        return given | {name: f"{method_name(name)}, offline backbone" for name in METHODS}

    def named(self, method: str) -> str:
        """The name of `methods` that a method's name means at first: a given run of it, else its own offline run.

        Empty means the first given run, else ProactMem.
        """
        made = {name: load_manifest(path).method for name, path in self.given.items()}
        return next((name for name, found in made.items() if method in ("", name, found)), method or "proactmem")

    def run(self, method: str, stream_id: str, progress: Progress | None = None) -> Path:
        """The run directory in which the stream is finished: a given one, or the method's own, run now where it is not.

        Args:
            method: A name of `methods`.
            stream_id: The stream.
            progress: Told of every event of a run that is made now.

        Raises:
            ConfigError: No such method or stream, or a given run in which the stream is not finished.
            StoreError: The run directory cannot be read or written.
        """
        if method in self.given:
            path = self.given[method]
            finished = [summary.stream_id for summary in load_manifest(path).finished]
            if stream_id not in finished:
                raise ConfigError(
                    f"run {method!r}: stream {stream_id!r} is not finished in it; it holds {finished[:8]}.",
                    remedy="Choose one of those streams, or finish the run.",
                )
            return path
        spec = method_spec(method)
        out = self.runs / f"{method}-offline-{hashlib.sha256(stream_id.encode()).hexdigest()[:8]}"
        run(spec, self.streams, out, OfflineBackbone(), only=(stream_id,), progress=progress)
        return out
