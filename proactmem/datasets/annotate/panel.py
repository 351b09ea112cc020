"""A panel of models as annotators: each judges every event alone, after the same guideline, with the whole history before it.

Panels agree with people only as far as somebody checked; what comes of one is labelled by its backbone everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from proactmem.core.streams import Event
from proactmem.datasets.annotate.asking import HISTORY_CHARACTERS, Judged, annotation_request, check_judged
from proactmem.datasets.annotate.votes import Item, Vote, append_vote, bind, read_votes, vote_file
from proactmem.datasets.built import BuiltStreams
from proactmem.errors import ConfigError
from proactmem.llm.asking import Answer, ask
from proactmem.llm.backbone import Backbone

__all__ = ["PanelReport", "panel"]


class PanelReport(NamedTuple):
    """What a panel did."""

    files: tuple[Path, ...]
    votes: int
    """Usable votes, those of earlier calls included."""
    missing: int
    """Replies that could not be used: missing votes, never a default."""
    cut: int
    """Judgements for which the earliest events did not fit into the request."""


def panel(
    built: Path,
    votes: Path,
    backbone: Backbone,
    *,
    annotators: int = 3,
    temperature: float = 0.0,
    characters: int = HISTORY_CHARACTERS,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> PanelReport:
    """Judge every event by each annotator of the panel; events that have a vote already are not asked again.

    Args:
        built: Built folder; labels beside the events are not opened.
        votes: Folder for the vote files `panel-1.votes.jsonl` and so on.
        backbone: Any; a recording one replays.
        annotators: How many.
        temperature: Of the sampling; at 0 a deterministic model gives one and the same opinion thrice.
        characters: Of the history a request holds at most.
        jobs: Requests at once.
        progress: Called with judgements done and judgements in all.

    Raises:
        ConfigError: A number is below one.
        BackboneError: The service cannot answer; what was judged stays.
        StoreError: A vote cannot be kept.
    """
    if annotators < 1 or jobs < 1 or characters < 1:
        raise ConfigError(f"{annotators} annotators, {jobs} jobs, {characters} characters; expected at least 1 of each.")
    streams = BuiltStreams.open(built)

    def judge(events: Sequence[Event], number: int, index: int) -> Vote:
        event = events[index]
        request, left_out = annotation_request(
            event, events[:index], model=backbone.model, annotator=number, of=annotators, temperature=temperature,
            characters=characters,
        )  # fmt: skip
        return _voted(event, ask(backbone, request, check_judged), by, left_out)

    by = backbone.name if backbone.name == "offline" else f"{backbone.name} {backbone.model}"
    bind(votes, streams.sha256)
    files = tuple(vote_file(votes, f"panel-{number}") for number in range(1, annotators + 1))
    total = annotators * sum(streams.counts.values())
    done = 0
    with ThreadPoolExecutor(jobs) as pool:
        for number, file in enumerate(files, start=1):
            known = read_votes(file)
            for stream_id in streams.stream_ids:
                events = tuple(streams.events(stream_id))

                open_ = [event.index for event in events if (event.stream_id, event.event_id) not in known]
                done += len(events) - len(open_)
                for vote in pool.map(partial(judge, events, number), open_):
                    append_vote(file, vote)
                    done += 1
                    if progress is not None:
                        progress(done, total)
    every = [vote for file in files for vote in read_votes(file).values()]
    missing = sum(vote.y is None for vote in every)
    return PanelReport(files, len(every) - missing, missing, sum(vote.left_out > 0 for vote in every))


def _voted(event: Event, answer: Answer[Judged], by: str, left_out: int) -> Vote:
    """An answer as a vote; one that cannot be used is a missing vote."""
    item: Item = (event.stream_id, event.event_id)
    found = answer.value
    if found is None:
        why = answer.unusable.reason if answer.unusable is not None else "unusable"
        return Vote(stream_id=item[0], event_id=item[1], note=f"no usable reply: {why}", by=by, left_out=left_out)
    service = (found.service or "").strip() or None
    made = Vote.of(item, a=found.A, b=found.B, n=found.N, service=service, note=found.note)
    return made.model_copy(update={"by": by, "left_out": left_out})
