"""A study: one profile's data, runs and scores, each made once from its inputs and found again by them.

The notebooks are prose and calls into this module. Folders are keyed by profile, seed and the package's own source, so a
result is never taken from another version because a file of that name exists.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from proactmem.config import MemoryConfig
from proactmem.core.records import EventRecord
from proactmem.datasets.build import build_sports
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.join import read_labels
from proactmem.datasets.simulate import simulate_sports
from proactmem.datasets.simulate.truth import PersonTruth
from proactmem.errors import ConfigError
from proactmem.llm.choose import choose_backbone
from proactmem.paths import BUILT, FIGURES, RAW, RUNS
from proactmem.run.catalog import method_spec
from proactmem.run.replay import run
from proactmem.score.runs import load_run
from proactmem.score.scoring import RunScore, score_run

__all__ = ["Profile", "Study", "find_root", "source_key"]

Profile = Literal["smoke", "paper"]
"""smoke: minutes, for a first look and for CI; paper: the paper's size."""


@cache
def source_key() -> str:
    """Hash of the package's source and prompts: another version of the code never reuses this one's results."""
    digest = hashlib.sha256()
    root = Path(str(files("proactmem")))
    for file in sorted(root.rglob("*")):
        if file.suffix in {".py", ".md", ".toml"} and "_notebooks" not in file.parts:
            digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def find_root(start: Path | None = None) -> Path:
    """The checkout around `start` (its `pyproject.toml` and `notebooks/`), else `start` itself.

    `PROACTMEM_ROOT` overrides it, so that a test run or an installed package writes where it is told to.
    """
    named = os.environ.get("PROACTMEM_ROOT")
    here = (Path(named) if named else start or Path.cwd()).resolve()
    if named:
        return here
    for folder in (here, *here.parents):
        if (folder / "pyproject.toml").is_file() and (folder / "notebooks").is_dir():
            return folder
    return here


@dataclass(frozen=True)
class Study:
    """Data, runs and scores of one profile and seed."""

    profile: Profile
    seed: int
    root: Path
    """Holds data/ and figures/."""
    backbone: str = "offline"
    model: str | None = None
    base_url: str | None = None

    @classmethod
    def open(
        cls,
        profile: str = "smoke",
        seed: int = 7,
        *,
        backbone: str = "offline",
        model: str = "",
        base_url: str = "",
        root: str = "",
    ) -> Study:
        """The study of a profile; empty strings mean the default, since notebook parameters are literals.

        Raises:
            ConfigError: No such profile.
        """
        if profile not in ("smoke", "paper"):
            raise ConfigError(f"profile {profile!r}; expected smoke or paper.")
        name: Profile = "smoke" if profile == "smoke" else "paper"
        return cls(name, seed, find_root(Path(root) if root else None), backbone, model or None, base_url or None)

    @property
    def key(self) -> str:
        """Names this study's folders."""
        return f"{self.profile}-{self.seed}-{source_key()}"

    @property
    def figures(self) -> Path:
        """Where products go."""
        return self.root / FIGURES

    @property
    def raw(self) -> Path:
        """Raw files in the source's own format, simulated when absent."""
        folder = self.root / RAW / self.key
        if not (folder / "planted.json").is_file():
            simulate_sports(folder, seed=self.seed, size=self.profile)
        return folder

    @property
    def truth(self) -> tuple[PersonTruth, ...]:
        """What was planted, by participant; for judging memory afterwards, never for a method."""
        planted = json.loads((self.raw / "planted.json").read_bytes())
        return tuple(PersonTruth.model_validate(person) for person in planted["participants"])

    @property
    def streams(self) -> BuiltStreams:
        """The built streams, built from the raw files when absent."""
        folder = self.root / BUILT / self.key
        if not (folder / "card.json").is_file():
            build_sports(self.raw, folder)
        return BuiltStreams.open(folder)

    def run(self, method: str, *, fabricate: float = 0.0, jobs: int = 1, **settings: float | bool) -> Path:
        """The run directory of a method, run or resumed when it is not complete.

        Args:
            method: A method's name.
            fabricate: Share of construction replies made to err.
            jobs: Streams at once.
            **settings: Memory settings other than the defaults.
        """
        backbone = choose_backbone(self.backbone, model=self.model, base_url=self.base_url, fabricate=fabricate)
        parts = [
            method,
            self.backbone,
            *([self.model] if self.model else []),
            *([f"err{fabricate:g}"] if fabricate else []),
        ]
        parts += [f"{name}={value:g}" for name, value in sorted(settings.items())]
        name = "-".join(part.replace("/", "_") for part in parts)
        out = self.root / RUNS / self.key / name
        run(
            method_spec(method), self.streams, out, backbone, config=MemoryConfig.model_validate(settings), jobs=jobs,
            base_url=getattr(backbone, "base_url", None), settings={"fabricate": fabricate} if fabricate else None,
        )  # fmt: skip
        return out

    def score(self, run_directory: Path, *, proposed: bool = False) -> RunScore:
        """Scores of a run against the study's labels, with intervals over streams."""
        labels = read_labels(self.streams.path, run_directory)
        return score_run(load_run(run_directory), labels, decisions="proposed" if proposed else "final")

    def scores(self, methods: Sequence[str], *, fabricate: float = 0.0, jobs: int = 1) -> list[RunScore]:
        """Scores of several methods on the same streams, in the order given."""
        return [self.score(self.run(method, fabricate=fabricate, jobs=jobs)) for method in methods]

    def records(self, run_directory: Path, stream_id: str) -> Iterator[EventRecord]:
        """The per-event records of one stream of a run."""
        from proactmem.core.records import RECORDS_DIR, stream_filename

        with (run_directory / RECORDS_DIR / stream_filename(stream_id)).open("rb") as lines:
            for line in lines:
                yield EventRecord.model_validate_json(line)
