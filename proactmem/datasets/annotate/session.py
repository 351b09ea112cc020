"""A labelling session without its widgets: one annotator, an order of events, a file of votes, and nothing else.

It opens the built events and the annotator's own votes; other annotators' votes and every system's output are out of its
reach, as this package imports no run and no method.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from proactmem.core.streams import Event
from proactmem.datasets.annotate.votes import Item, Vote, append_vote, bind, read_votes, vote_file
from proactmem.datasets.built import BuiltStreams
from proactmem.errors import ConfigError, InputError

__all__ = ["COMMANDS", "LabellingSession", "Look"]

COMMANDS = (
    "abn walk: A, B and N are 1, the service is a walk; 0: none of them; > next, < back, u next unlabelled, or a number to go "
    "to; a note may follow in brackets: bn lights [home late]"
)
"""What may be typed, in one line."""


class Look(NamedTuple):
    """What is shown: the event, everything before it in its stream, and this annotator's own vote."""

    event: Event
    history: tuple[Event, ...]
    vote: Vote | None
    place: int
    """0-based place in the queue."""
    total: int
    done: int


class LabellingSession:
    """Walks through a queue and keeps each vote at once; a new session goes on at the first event without a vote."""

    def __init__(
        self, built: Path, votes: Path, annotator: str, *, order: Sequence[Item] | None = None, review: bool = False
    ) -> None:
        """Open a session.

        Args:
            built: Built folder; only its events are opened.
            votes: Folder of the vote files.
            annotator: Pseudonym.
            order: Events in the order of the queue; None is causal order, stream by stream.
            review: Whether votes are revisions after cross-review, which need a note.

        Raises:
            ConfigError: The order names an event that is not there, or none, or the folder holds votes on other events.
            InputError: The vote file is damaged.
        """
        self._streams = BuiltStreams.open(built)
        self._file = vote_file(votes, annotator)
        bind(votes, self._streams.sha256)
        self._review = review
        self._stream: tuple[str, tuple[Event, ...], dict[str, int]] = ("", (), {})
        every = [(stream, event.event_id) for stream in self._streams.stream_ids for event in self._streams.events(stream)]
        known = set(every)
        self.order: tuple[Item, ...] = tuple(every if order is None else order)
        if unknown := [item for item in self.order if item not in known]:
            raise ConfigError(
                f"event {unknown[0]!r} is not among the built streams.", remedy="Make the queue of these streams."
            )
        if not self.order:
            raise ConfigError("there is no event to label.", remedy="Name built streams that hold some.")
        self.votes = dict(read_votes(self._file))
        self.place = 0
        self.next_unlabelled(start=0)

    @property
    def look(self) -> Look:
        """What is to be seen now."""
        stream_id, event_id = self.order[self.place]
        if self._stream[0] != stream_id:
            events = tuple(self._streams.events(stream_id))
            self._stream = (stream_id, events, {event.event_id: event.index for event in events})
        index = self._stream[2][event_id]
        events = self._stream[1]
        done = sum(item in self.votes for item in self.order)
        return Look(events[index], events[:index], self.votes.get((stream_id, event_id)), self.place, len(self.order), done)

    def vote(self, *, a: bool, b: bool, n: bool, service: str | None = None, note: str = "") -> Vote:
        """Judge the event that is shown, keep the vote, and go to the next one.

        Raises:
            InputError: A vote to intervene names no service, or a revision has no note.
            StoreError: The vote cannot be kept.
        """
        if (a or b) and n and not (service and service.strip()):
            raise InputError(
                "names no service", field="service", expected="a short noun phrase where y is 1", remedy="Name it: abn walk."
            )
        if self._review and not note.strip():
            raise InputError(
                "has no note", field="note", expected="why the vote is revised", remedy="Add it in brackets: 0 [slept]."
            )
        made = Vote.of(
            self.order[self.place], a=a, b=b, n=n, service=service.strip() if service else None, note=note, review=self._review
        )
        append_vote(self._file, made)
        self.votes[made.item] = made
        self.go(self.place + 1)
        return made

    def go(self, place: int) -> None:
        """Show the event at a place of the queue; beyond its ends, the last or first one."""
        self.place = max(0, min(place, len(self.order) - 1))

    def next_unlabelled(self, start: int | None = None) -> bool:
        """Go to the next event without a vote, from the beginning again after the end; whether there is one."""
        first = self.place + 1 if start is None else start
        ahead = (*range(first, len(self.order)), *range(first))
        for place in ahead:
            if self.order[place] not in self.votes:
                self.place = place
                return True
        return False

    def command(self, text: str) -> str:
        """Do what was typed (`COMMANDS`); the answer is a line to show.

        Raises:
            InputError: It is no command, or no vote that may be given.
        """
        words, _, note = text.strip().partition("[")
        head, _, rest = words.strip().partition(" ")
        match head.casefold():
            case "":
                return ""
            case ">":
                self.go(self.place + 1)
            case "<":
                self.go(self.place - 1)
            case "u":
                return "" if self.next_unlabelled() else "every event has a vote"
            case number if number.isascii() and number.isdigit() and number != "0":
                self.go(int(number) - 1)
            case letters if letters == "0" or set(letters) <= set("abn"):
                marks = {mark: mark in letters for mark in "abn"}
                made = self.vote(**marks, service=rest.strip() or None, note=note.rstrip("] ").strip())
                return f"y = {int(bool(made.y))}"
            case _:
                raise InputError("is no command", field="command", found=text, expected=COMMANDS, remedy="Type one of these.")
        return ""
