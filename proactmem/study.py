"""A study: one profile's data, runs and scores, each made once from its inputs and found again by them.

The notebooks are prose and calls into this module. Folders are keyed by the data's inputs and the package's own source, so a
result is never taken from another version because a file of that name exists.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, TypeAdapter, ValidationError

from proactmem.config import MemoryConfig
from proactmem.core.events import Scope
from proactmem.core.labels import Label
from proactmem.core.records import AUDIT_DIR, RECORDS_DIR, CallRecord, EventRecord, stream_filename
from proactmem.core.regularities import Regularity, Transition
from proactmem.core.streams import Event
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.card import CARD, Card, read_card
from proactmem.datasets.join import LabelSet, read_labels
from proactmem.datasets.planted import Planted, Recovery, read_planted, recover
from proactmem.datasets.raw import SIMULATED, build_raw, is_whole, raw_key, simulate_raw
from proactmem.errors import ConfigError, StoreError
from proactmem.llm.choose import choose_backbone
from proactmem.methods.proactmem import ConsolidationAudit, DayAudit, TransitionAudit
from proactmem.paths import BUILT, FIGURES, RAW, RUNS
from proactmem.report.memory_tables import MemoryTally
from proactmem.report.names import backbone_label, method_name
from proactmem.run.catalog import method_spec
from proactmem.run.replay import run
from proactmem.score.runs import load_manifest, load_run
from proactmem.score.scoring import RunScore, score_run

__all__ = ["AuditEntry", "Profile", "Study", "find_root", "source_key", "telling_event"]

Profile = Literal["smoke", "paper"]
"""smoke: minutes, for a first look and for CI; paper: the paper's size."""
AuditEntry = Annotated[DayAudit | ConsolidationAudit | TransitionAudit, Field(discriminator="kind")]
"""One line of a run's audit file."""
_ENTRY: TypeAdapter[DayAudit | ConsolidationAudit | TransitionAudit] = TypeAdapter(AuditEntry)


@cache
def source_key() -> str:
    """Hash of the package's source and prompts: another version of the code never reuses this one's results."""
    digest = hashlib.sha256()
    root = Path(str(files("proactmem")))
    for file in sorted(root.rglob("*")):
        if file.suffix in {".py", ".md", ".toml"} and "_notebooks" not in file.parts:
            digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def find_root(named: Path | None = None) -> Path:
    """Where data/ and figures/ are: the folder named, else `PROACTMEM_ROOT`, else the checkout around the current folder.

    Without a checkout (its `pyproject.toml` and `notebooks/`) it is the current folder itself.
    """
    told = named or (Path(os.environ["PROACTMEM_ROOT"]) if os.environ.get("PROACTMEM_ROOT") else None)
    if told is not None:
        return told.resolve()
    here = Path.cwd().resolve()
    for folder in (here, *here.parents):
        if (folder / "pyproject.toml").is_file() and (folder / "notebooks").is_dir():
            return folder
    return here


@dataclass(frozen=True)
class Study:
    """Data, runs and scores of one scope, profile and seed, or of a folder of raw files."""

    profile: Profile
    seed: int
    root: Path
    """Holds data/ and figures/."""
    backbone: str = "offline"
    model: str | None = None
    base_url: str | None = None
    raw_path: Path | None = None
    """A raw file of the scope's source, or the folder that holds it; None simulates."""
    scope: Scope = "sports"
    repos: tuple[str, ...] = ()
    """Repositories of scope Code; none takes those that the raw folder's `repositories.txt` names."""

    @classmethod
    def open(
        cls,
        profile: str = "smoke",
        seed: int = 7,
        *,
        backbone: str = "offline",
        model: str = "",
        base_url: str = "",
        raw: str = "",
        root: str = "",
        scope: str = "sports",
        repos: str = "",
    ) -> Study:
        """The study of a profile; empty strings mean the default, since notebook parameters are literals.

        Args:
            profile: smoke or paper: how much is simulated.
            seed: Seed of the simulation.
            backbone: offline, or openai for a service.
            model: Model name of the service.
            base_url: Address of the service.
            raw: Raw file or folder of the scope's source, absolute or relative to the root, instead of simulated lives.
            root: Holds data/ and figures/; the checkout by default.
            scope: sports, home or code; with raw files also desktop.
            repos: Repositories of scope Code as `owner/name` with commas; empty takes those of the raw folder's
                `repositories.txt`.

        Raises:
            ConfigError: No such profile or scope, no such raw file or folder, or nothing to simulate the scope with.
        """
        if profile not in ("smoke", "paper"):
            raise ConfigError(f"profile {profile!r}; expected smoke or paper.")
        name: Profile = "smoke" if profile == "smoke" else "paper"
        known: Mapping[str, Scope] = {one: one for one in get_args(Scope)}
        if scope not in known:
            raise ConfigError(f"scope {scope!r}; expected one of {', '.join(known)}.")
        place = find_root(Path(root) if root else None)
        raw_path = place / raw if raw else None
        if raw_path is None and known[scope] not in SIMULATED:
            raise ConfigError(f"scope {scope!r} has no simulator.", remedy="Name raw files of it.")
        if raw_path is not None and not raw_path.exists():
            raise ConfigError(f"raw {raw!r}: no such file or folder; expected raw files of scope {scope}, or their folder.")
        chosen = tuple(one.strip() for one in repos.split(",") if one.strip())
        return cls(name, seed, place, backbone, model or None, base_url or None, raw_path, known[scope], chosen)

    @property
    def key(self) -> str:
        """Names this study's folders: what the data are made from, and the source that makes them."""
        made_from = (
            f"{self.profile}-{self.seed}" if self.raw_path is None else f"raw-{raw_key(self.scope, self.raw_path, self.repos)}"
        )
        return f"{self.scope}-{made_from}-{source_key()}"

    @property
    def label(self) -> str:
        """What the data are, for captions; no path and no key of one machine."""
        if self.raw_path is None:
            return f"simulated {SIMULATED[self.scope].units}, {self.profile} profile, seed {self.seed}"
        return self.card.source

    @property
    def answers(self) -> str:
        """Who answers the prompts, for captions: an offline number never looks like a model's."""
        return "offline backbone" if self.backbone == "offline" else self.model or self.backbone

    @property
    def figures(self) -> Path:
        """Where products go."""
        return self.root / FIGURES

    @property
    def raw(self) -> Path:
        """Raw files in the source's own format, simulated when absent."""
        if self.raw_path is not None:
            return self.raw_path
        folder = self.root / RAW / self.key
        if not is_whole(self.scope, folder):
            simulate_raw(self.scope, folder, seed=self.seed, size=self.profile)
        return folder

    @property
    def truth(self) -> Mapping[str, Planted]:
        """What was planted, by stream; empty for real data. For judging memory afterwards, never for a method."""
        raw = self.raw
        return read_planted(raw if raw.is_dir() else raw.parent)

    @property
    def streams(self) -> BuiltStreams:
        """The built streams, built from the raw files when absent."""
        folder = self.root / BUILT / self.key
        if not (folder / CARD).is_file():
            build_raw(self.scope, self.raw, folder, repos=self.repos)
        return BuiltStreams.open(folder)

    @property
    def card(self) -> Card:
        """The data card of the built streams."""
        return read_card(self.streams.path)

    @property
    def labels(self) -> LabelSet:
        """Reference labels by stream and event, for the scorer and for a look afterwards; empty where there are none."""
        return read_labels(self.streams.path, self.streams.path, allow_none=True)

    def labels_of(self, stream_id: str) -> Mapping[str, Label]:
        """One stream's reference labels by event id."""
        return {event_id: label for (owner, event_id), label in self.labels.labels.items() if owner == stream_id}

    def events(self, stream_id: str) -> tuple[Event, ...]:
        """One stream's events in causal order."""
        return tuple(self.streams.events(stream_id))

    def run(
        self,
        method: str,
        *,
        fabricate: float = 0.0,
        jobs: int = 1,
        streams: Sequence[str] = (),
        **settings: float | bool,
    ) -> Path:
        """The run directory of a method, run or resumed when it is not complete.

        Args:
            method: A method's name.
            fabricate: Share of construction replies made to err.
            jobs: Streams at once.
            streams: Stream ids; all when empty.
            **settings: Memory settings other than the defaults.
        """
        backbone = choose_backbone(self.backbone, model=self.model, base_url=self.base_url, fabricate=fabricate)
        parts = [method, self.backbone]
        parts += [self.model] if self.model else []
        parts += [f"err{fabricate:g}"] if fabricate else []
        parts += [hashlib.sha256("\n".join(streams).encode()).hexdigest()[:8]] if streams else []
        parts += [f"{name}={value:g}" for name, value in sorted(settings.items())]
        out = self.root / RUNS / self.key / "-".join(part.replace("/", "_") for part in parts)
        run(
            method_spec(method), self.streams, out, backbone, config=MemoryConfig.model_validate(settings), jobs=jobs,
            only=streams or None, base_url=getattr(backbone, "base_url", None),
            settings={"fabricate": fabricate} if fabricate else None,
        )  # fmt: skip
        return out

    def score(self, run_directory: Path, *, proposed: bool = False) -> RunScore:
        """Scores of a run against the study's labels, with intervals over streams.

        A run whose construction replies were made to err is named by that, so that no table shows it as the backbone's own.
        """
        labels = read_labels(self.streams.path, run_directory)
        found = score_run(load_run(run_directory), labels, decisions="proposed" if proposed else "final")
        rate = load_manifest(run_directory).settings.get("fabricate")
        if not rate:
            return found
        return replace(found, backbone="fabricating", model=f"{backbone_label(found)}, {float(rate) * 100:g}% fabricated")

    def scores(self, methods: Sequence[str], *, fabricate: float = 0.0, jobs: int = 1) -> list[RunScore]:
        """Scores of several methods on the same streams, in the order given."""
        return [self.score(self.run(method, fabricate=fabricate, jobs=jobs)) for method in methods]

    def records(self, run_directory: Path, stream_id: str = "") -> Iterator[EventRecord]:
        """The per-event records of one stream of a run, or of all its streams in order."""
        for stream in [stream_id] if stream_id else load_manifest(run_directory).streams:
            with (run_directory / RECORDS_DIR / stream_filename(stream)).open("rb") as lines:
                for line in lines:
                    yield EventRecord.model_validate_json(line)

    def audit(self, run_directory: Path, stream_id: str = "") -> Iterator[AuditEntry]:
        """Daily records, consolidations and transitions of one stream of a run, or of all its streams in order.

        Raises:
            StoreError: A line is no audit entry.
        """
        for stream in [stream_id] if stream_id else load_manifest(run_directory).streams:
            file = run_directory / AUDIT_DIR / stream_filename(stream)
            with file.open("rb") as lines:
                for row, line in enumerate(lines, start=1):
                    try:
                        yield _ENTRY.validate_json(line)
                    except ValidationError as error:
                        raise StoreError(
                            f"{file}, row {row}: is no audit entry.", remedy="Delete the run directory and run again."
                        ) from error

    def days(self, run_directory: Path, stream_id: str = "") -> list[DayAudit]:
        """The daily records of a run, as they were kept."""
        return [entry for entry in self.audit(run_directory, stream_id) if isinstance(entry, DayAudit)]

    def changes(self, run_directory: Path, stream_id: str = "") -> list[tuple[Transition, Regularity]]:
        """Every lifecycle transition of a run, with its regularity, in order."""
        entries = self.audit(run_directory, stream_id)
        return [(entry.transition, entry.regularity) for entry in entries if isinstance(entry, TransitionAudit)]

    def calls(self, run_directory: Path) -> list[CallRecord]:
        """Every model call of a run: construction calls from the audit, decision calls from the records."""
        entries = [entry for entry in self.audit(run_directory) if not isinstance(entry, TransitionAudit)]
        built = [call for entry in entries for call in entry.calls]
        decided = [call for record in self.records(run_directory) for call in record.calls]
        return built + [call for call in decided if call.role not in ("daily", "weekly")]

    def tally(self, run_directory: Path) -> MemoryTally:
        """How much of what a run's model proposed for memory stood, and what was refused why."""
        manifest = load_manifest(run_directory)
        entries = [(stream, entry) for stream in manifest.streams for entry in self.audit(run_directory, stream)]
        cycles = [entry for _, entry in entries if isinstance(entry, ConsolidationAudit)]
        return MemoryTally.of(
            method_name(manifest.method),
            fabricate=float(manifest.settings.get("fabricate") or 0),
            days=[entry.record for _, entry in entries if isinstance(entry, DayAudit)],
            proposals=sum(len(cycle.proposals) for cycle in cycles),
            malformed=sum(len(cycle.rejections) for cycle in cycles),
            changes=[(stream, entry.transition) for stream, entry in entries if isinstance(entry, TransitionAudit)],
        )

    def recovery(self, run_directory: Path) -> Recovery:
        """Planted habits found and decoys admitted by a run's regularities; nothing planted gives zero of zero."""
        found = Recovery()
        for stream_id, planted in self.truth.items():
            admitted: dict[str, Regularity] = {}
            for transition, regularity in self.changes(run_directory, stream_id):
                if transition.after == "active":
                    admitted[regularity.regularity_id] = regularity
            found += recover(planted, list(admitted.values()), self.events(stream_id))
        return found


def telling_event(records: Sequence[EventRecord], event_id: str = "") -> EventRecord:
    """The record asked for, or the first one that shows most: an intervention that rests on all three memory layers.

    All three are in its context, and among the evidence that it cites is a regularity of R_t.

    Raises:
        ConfigError: No such event among the records.
    """
    if event_id:
        for record in records:
            if record.event_id == event_id:
                return record
        raise ConfigError(f"no event {event_id!r} among {len(records)} records.", remedy="Leave it empty to have one chosen.")

    def shows(record: EventRecord) -> tuple[bool, int, bool]:
        seen, cited = record.context, record.proposal.evidence if record.proposal is not None else ()
        if seen is None:
            return record.decision.verdict == "intervene", 0, False
        layers = (seen.recent, seen.trajectories, seen.regularities)
        applied = any(match.regularity_id in cited for match in seen.regularities)
        return record.decision.verdict == "intervene", sum(map(bool, layers)), applied

    return max(records, key=shows)
