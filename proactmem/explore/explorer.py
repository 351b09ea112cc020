"""The explorer without its widgets: scopes, streams and methods to choose from, and the replayed stream of a choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from proactmem.core.events import Scope
from proactmem.datasets.built import BuiltStreams
from proactmem.errors import ConfigError
from proactmem.explore.replayed import Replayed
from proactmem.explore.source import Source
from proactmem.run.replay import Progress
from proactmem.score.runs import load_manifest
from proactmem.study import Study, find_root

__all__ = ["Explorer"]


@dataclass(frozen=True)
class Explorer:
    """Sources of several scopes, one a scope; a stream of one is looked at under one method."""

    sources: Mapping[Scope, Source]

    @classmethod
    def of(cls, *sources: Source) -> Self:
        """An explorer of these sources, in this order.

        Raises:
            ConfigError: There is none, or two are of one scope.
        """
        by_scope: dict[Scope, Source] = {}
        for source in sources:
            if source.scope in by_scope:
                raise ConfigError(
                    f"two folders of scope {source.scope!r}: {by_scope[source.scope].streams.path} and {source.streams.path}.",
                    remedy="Explore one folder a scope at a time.",
                )
            by_scope[source.scope] = source
        if not by_scope:
            raise ConfigError("there is nothing to explore.", remedy="Name a built folder.")
        return cls(by_scope)

    @classmethod
    def open(
        cls,
        profile: str = "smoke",
        seed: int = 7,
        *,
        scopes: str = "sports",
        root: str = "",
        data: str = "",
        run: str = "",
    ) -> Self:
        """An explorer of what a notebook's parameters name; empty strings mean the default.

        Args:
            profile: smoke or paper: how much is simulated where neither `data` nor `run` is named.
            seed: Seed of that simulation.
            scopes: What is simulated then, with commas: sports, home, code.
            root: Holds data/; the checkout by default. Other paths are absolute or relative to it.
            data: Built folders with commas between them, one a scope.
            run: Run directories with commas between them, on those folders or, without `data`, on the ones they were made on.

        Raises:
            ConfigError: Two folders of one scope, a scope without a simulator, or a run made on none of the folders.
            StoreError: No built folder, or no run directory.
        """
        place = find_root(Path(root) if root else None)
        folders, runs = ([place / part for part in _parts(text)] for text in (data, run))
        hashes = {path: load_manifest(path).data_sha256 for path in runs}
        if not folders and not runs:
            studies = (Study.open(profile, seed, root=str(place), scope=scope) for scope in _parts(scopes))
            return cls.of(*map(Source.of_study, studies))
        for path in () if folders else runs:
            made_on = place / load_manifest(path).data
            if not made_on.is_dir():
                raise ConfigError(
                    f"run {path.name!r} was made on {made_on}, which is no folder.", remedy="Name its built folder as data."
                )
            folders += [made_on] if made_on not in folders else []
        found = {folder: BuiltStreams.open(folder).sha256 for folder in folders}
        if strangers := [path.name for path, digest in hashes.items() if digest not in found.values()]:
            raise ConfigError(
                f"runs {strangers} were made on none of {[str(folder) for folder in folders]}.",
                remedy="Name the built folder that a run was made on.",
            )
        return cls.of(
            *(
                Source.of_folder(folder, place, [path for path, digest in hashes.items() if digest == found[folder]])
                for folder in folders
            )
        )

    def scope_of(self, stream_id: str = "") -> Scope:
        """The scope that holds a stream; the first one where no stream is named.

        Raises:
            ConfigError: None holds it.
        """
        if not stream_id:
            return next(iter(self.sources))
        for scope, source in self.sources.items():
            if stream_id in source.streams.stream_ids:
                return scope
        some = [name for source in self.sources.values() for name in source.streams.stream_ids][:5]
        raise ConfigError(f"no stream {stream_id!r}; there are {some}.", remedy="Leave it empty to have one chosen.")

    def replay(
        self, stream_id: str = "", method: str = "", *, scope: Scope | None = None, progress: Progress | None = None
    ) -> Replayed:
        """One stream under one method, replayed now where no run holds it.

        Args:
            stream_id: The stream; empty for the first.
            method: A name of `Source.methods`; empty for a given run where there is one, else ProactMem.
            scope: The scope; None for the one that holds the stream.
            progress: Told of every event of a run that is made now.

        Raises:
            ConfigError: No such stream or method.
            StoreError: A run directory cannot be read or written.
        """
        source = self.sources[self.scope_of(stream_id) if scope is None else scope]
        return Replayed.read(source, method or source.named(""), stream_id or source.streams.stream_ids[0], progress)


def _parts(text: str) -> list[str]:
    """What stands between commas, without the blanks around it."""
    return [part.strip() for part in text.split(",") if part.strip()]
