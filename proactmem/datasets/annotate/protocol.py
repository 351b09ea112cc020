"""The protocol in one call each: a queue, a panel's votes, agreement, and a new version of reference labels (Appendix A.2)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from proactmem.datasets.annotate.adjudicate import Disagreement, adjudicate, disagreements
from proactmem.datasets.annotate.agreement import Agreement, agreement
from proactmem.datasets.annotate.panel import PanelReport, panel
from proactmem.datasets.annotate.queue import Queued, triage, write_queue
from proactmem.datasets.annotate.versions import Version, import_reference, write_version
from proactmem.datasets.annotate.votes import Item, Vote, bind, read_votes, vote_file
from proactmem.datasets.built import BuiltStreams
from proactmem.errors import ConfigError
from proactmem.llm.backbone import Backbone
from proactmem.llm.recording import Recording, RecordingBackbone
from proactmem.paths import write_atomic

__all__ = [
    "QUEUE",
    "REPLIES",
    "REVIEW",
    "agree",
    "annotators_in",
    "import_labels",
    "make_labels",
    "make_queue",
    "review",
    "run_panel",
]

QUEUE, REPLIES, REVIEW = "queue.jsonl", "replies.sqlite", "review.jsonl"
Progress = Callable[[int, int], None]


def make_queue(
    built: Path, folder: Path, backbone: Backbone, *, hindsight: bool = False, progress: Progress | None = None
) -> list[Queued]:
    """Order the review queue by triage and write it as `queue.jsonl`; replies are stored, so that a killed call resumes."""
    folder.mkdir(parents=True, exist_ok=True)
    with Recording.open(folder / REPLIES) as store:
        queue = triage(BuiltStreams.open(built), RecordingBackbone(backbone, store), hindsight=hindsight, progress=progress)
    write_queue(folder / QUEUE, queue)
    return queue


def run_panel(
    built: Path, folder: Path, backbone: Backbone, *, annotators: int = 3, temperature: float = 0.0, jobs: int = 1,
    progress: Progress | None = None,
) -> PanelReport:  # fmt: skip
    """Let a panel of models judge every event; replies are stored before they are used."""
    folder.mkdir(parents=True, exist_ok=True)
    with Recording.open(folder / REPLIES) as store:
        asked = RecordingBackbone(backbone, store)
        return panel(built, folder, asked, annotators=annotators, temperature=temperature, jobs=jobs, progress=progress)


def annotators_in(folder: Path) -> list[str]:
    """Pseudonyms of those whose votes lie in a folder, the adjudicator left out."""
    names = (path.name.removesuffix(".votes.jsonl") for path in folder.glob("*.votes.jsonl"))
    return sorted(name for name in names if name != "adjudicator")


def _votes(folder: Path, annotators: Sequence[str] | None) -> dict[str, dict[Item, Vote]]:
    """Votes by annotator: of those named, else of all in the folder, which must not mix people and models."""
    names = list(annotators) if annotators else annotators_in(folder)
    found = {name: dict(read_votes(vote_file(folder, name))) for name in names}
    if empty := [name for name, votes in found.items() if not votes]:
        raise ConfigError(f"{folder}: no vote of {', '.join(empty)}.", remedy=f"Votes there are of {annotators_in(folder)}.")
    if not found:
        raise ConfigError(f"{folder}: holds no votes.", remedy="Let annotators judge the events first.")
    kinds = {name: any(vote.by != "person" for vote in votes.values()) for name, votes in found.items()}
    if not annotators and len(set(kinds.values())) > 1:
        raise ConfigError(
            f"{folder}: holds votes of people and of models ({', '.join(names)}).", remedy="Name the annotators you mean."
        )
    return found


def agree(folder: Path, *, annotators: Sequence[str] | None = None, seed: int = 0) -> list[Agreement]:
    """Agreement on y, and on A, B and N where they are known, of the annotators named or of all in the folder."""
    votes = _votes(folder, annotators)
    marks = [mark for mark in ("a", "b", "n") if _knows(votes, mark)]
    return [agreement(votes, mark=mark, seed=seed) for mark in ("y", *marks)]  # type: ignore[arg-type]  # all four are marks


def _knows(votes: Mapping[str, Mapping[Item, Vote]], mark: str) -> bool:
    """Whether two annotators said something on a mark of one event."""
    said = Counter(item for given in votes.values() for item, vote in given.items() if getattr(vote, mark) is not None)
    return any(count > 1 for count in said.values())


def review(folder: Path, built: Path, *, annotators: Sequence[str] | None = None, seed: int = 0) -> list[Disagreement]:
    """The events for cross-review, written as `review.jsonl`: votes and notes side by side, under letters instead of names."""
    streams = BuiltStreams.open(built)
    bind(folder, streams.sha256)
    found = disagreements(_votes(folder, annotators), _order(streams), seed=seed)
    lines = []
    for one in found:
        said = {letter: vote.model_dump(include={"y", "a", "b", "n", "service", "note"}) for letter, vote in one.votes}
        lines.append(json.dumps({"stream_id": one.item[0], "event_id": one.item[1], "votes": said}, ensure_ascii=False) + "\n")
    write_atomic(folder / REVIEW, "".join(lines))
    return found


def _order(streams: BuiltStreams) -> list[Item]:
    return [(stream_id, event.event_id) for stream_id in streams.stream_ids for event in streams.events(stream_id)]


def make_labels(
    built: Path,
    folder: Path,
    out: Path,
    *,
    annotators: Sequence[str] | None = None,
    guideline: Path | None = None,
    seed: int = 0,
) -> Version:
    """Adjudicate the votes of a folder into the next version of reference labels.

    Decisions in `adjudicator.votes.jsonl` come before the majority.

    Raises:
        ConfigError: There is no vote, or `out` holds labels of other events.
        InputError: A vote file is damaged.
    """
    streams = BuiltStreams.open(built)
    votes = _votes(folder, annotators)
    bind(folder, streams.sha256)
    order = _order(streams)
    decisions = read_votes(vote_file(folder, "adjudicator"))
    references, open_ = adjudicate(votes, order, decisions=decisions)
    history = ["independent votes of each annotator, blind to each other and to systems"]
    history += ["cross-review"] if any(vote.step == "review" for given in votes.values() for vote in given.values()) else []
    history += ["adjudication"] if decisions else ["majority"]
    history = [*(["triage of the queue"] if (folder / QUEUE).is_file() else []), *history]
    told = [str(one) for one in agree(folder, annotators=annotators, seed=seed)] if len(votes) > 1 else []
    return write_version(
        out, references, events_sha256=streams.sha256, annotators=sorted(votes), protocol=history, guideline=guideline,
        agreement=told, without=len(open_), votes=votes,
    )  # fmt: skip


def import_labels(file: Path, built: Path, out: Path, *, guideline: Path | None = None, seed: int = 0) -> Version:
    """Take a reference file over as it stands: labels, votes where it has them, agreement among these.

    Raises:
        ConfigError: `out` holds labels of other events.
        InputError: The file cannot be read as it stands.
    """
    found = import_reference(file, built)
    told = [str(agreement(found.votes, seed=seed))] if len(found.votes) > 1 else []
    return write_version(
        out, found.references, events_sha256=BuiltStreams.open(built).sha256, annotators=sorted(found.votes),
        protocol=[f"imported from {file.name} as it stands"], guideline=guideline, agreement=told, without=found.unmatched,
    )  # fmt: skip
