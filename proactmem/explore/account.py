"""The account of one event: what the method saw, proposed and decided, and afterwards whether it was right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from html import escape

from proactmem.core.decisions import Proposal
from proactmem.core.events import public_json
from proactmem.core.labels import Label
from proactmem.core.records import EventRecord, MatchRecord
from proactmem.core.streams import Event
from proactmem.core.trajectories import clock_text
from proactmem.explore.jumps import repeated
from proactmem.explore.layers import Layers, layers_at
from proactmem.explore.replayed import Replayed, outcome_of
from proactmem.run.explain import explain

__all__ = ["Account", "Section", "account", "when"]

_MOST = 8
"""Regularities, segments and refused ones that are listed; the rest is counted."""


@dataclass(frozen=True)
class Section:
    """One question about an event, answered in named lines."""

    title: str
    lines: tuple[tuple[str, str], ...]
    """Name and text; texts may hold event text and are data, never markup."""


@dataclass(frozen=True)
class Account:
    """What there is to tell of one event, as data; `html` and `plain` are its renderings."""

    title: str
    sections: tuple[Section, ...]
    public: str
    """The event's public form, indented JSON, every field whole."""
    told: str
    """What `proactmem explain` prints; empty where it was not asked for."""

    def plain(self) -> str:
        """The account as text, without the event's public form."""
        lines = [self.title]
        for section in self.sections:
            lines += ["", section.title]
            width = max((len(name) for name, _ in section.lines), default=0)
            lines += [f"  {name:<{width}}  {' '.join(text.split())}".rstrip() for name, text in section.lines]
        return _harmless("\n".join(lines)) + (f"\n\n{_harmless(self.told)}" if self.told else "\n")

    def html(self) -> str:
        """The account as HTML without ids, scripts or styles of the page; every text of the run and the data is escaped.

        >>> "<b>" in Account("t", (Section("s", (("n", "<b>"),)),), "{}", "").html()
        False
        """
        parts = [f"<h3 style='margin:0.3em 0'>{_text(self.title)}</h3>"]
        for section in self.sections:
            rows = "".join(
                f"<tr><th scope='row' style='{_HEAD}'>{_text(name)}</th><td style='{_CELL}'>{_text(text)}</td></tr>"
                for name, text in section.lines
            )
            parts.append(
                f"<section><h4 style='margin:0.6em 0 0.1em'>{_text(section.title)}</h4><table>{rows}</table></section>"
            )
        parts.append(_block("The event, as the method was shown it", self.public))
        if self.told:
            parts.append(_block("As `proactmem explain` tells it", self.told))
        return "".join(parts)


_HEAD = "text-align:left;vertical-align:top;font-weight:normal;opacity:0.75;padding:0 1em 0 0;white-space:nowrap"
_CELL = "text-align:left;vertical-align:top;overflow-wrap:anywhere;white-space:pre-wrap"
_PRE = (
    "max-height:24em;overflow:auto;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;margin:0;padding:0.4em;"
    "border:1px solid rgba(128,128,128,0.4);font-size:90%;line-height:1.3"
)


_STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that steer a terminal or turn the direction of writing."""


def _harmless(text: str) -> str:
    """The text with the escape of every character that steers a terminal or turns the direction of writing."""
    return _STEERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _text(text: str) -> str:
    """Escaped, and kept apart from its surroundings where it runs from right to left."""
    return f"<bdi>{escape(_harmless(text))}</bdi>"


def _block(title: str, text: str) -> str:
    return (
        f"<section><h4 style='margin:0.6em 0 0.1em'>{escape(title)}</h4>"
        f"<pre tabindex='0' aria-label='{escape(title)}' style='{_PRE}'>{_text(text)}</pre></section>"
    )


def when(event: Event) -> str:
    """Weekday, local day and local time of an event's decision.

    A home's segment is decided at its end.
    """
    start, end = (clock_text(second)[:5] for second in event.span)
    return f"{event.day:%a} {event.day} {end if start == end else f'{start}-{end}'}"


def account(replayed: Replayed, index: int, *, labelled: bool = True, explained: bool = True, prompt: bool = False) -> Account:
    """The account of the event at `index`.

    Args:
        replayed: The stream.
        index: The event.
        labelled: Whether to say what the reference is; labels are joined here only, after the fact.
        explained: Whether to add what `proactmem explain` prints.
        prompt: Whether that holds the exact messages and replies, too.

    Raises:
        StoreError: The exact messages are asked for and the run keeps no recording.
    """
    event, record = replayed.events[index], replayed.records[index]
    layers = layers_at(replayed, index)
    sections = [
        Section("What the method saw", tuple(_seen(replayed, record, layers))),
        Section("What it proposed", tuple(_proposed(replayed, record))),
        Section("What was decided", tuple(_decided(replayed, record))),
    ]
    if labelled:
        label = replayed.labels.get(event.event_id)
        sections.append(Section("The reference, joined afterwards", tuple(_reference(record, label))))
    told = ""
    if explained or prompt:
        told = explain(replayed.run, event.event_id, stream_id=replayed.stream_id, prompt=prompt)
    title = f"Event {index} of 0 to {len(replayed.events) - 1}: {when(event)}, {event.event_id}"
    public = json.dumps(json.loads(public_json(event.public)), indent=2, ensure_ascii=False)
    return Account(title, tuple(sections), public, told)


def _seen(replayed: Replayed, record: EventRecord, layers: Layers) -> Iterator[tuple[str, str]]:
    context = record.context
    if context is None:
        yield "context", "nothing: the method looks at no context"
        return
    yield "state Q_t", ", ".join(f"{name} {value}" for name, value in context.opportunity.items()) or "none"
    config = replayed.manifest.config
    horizon = timedelta(hours=config.horizon_hours)
    since = f", since {when(replayed.events[layers.recent.start])}" if layers.recent else ""
    bound = f"at most {config.capacity - 1} within {horizon / timedelta(hours=1):g} h"
    yield "event memory S_t", f"{len(layers.recent)} events{since} ({bound})"
    days = sorted({segment.day for segment in layers.segments})
    spread = "" if not days else f" of {days[0]}" if len(days) == 1 else f" of {len(days)} days, {days[0]} to {days[-1]}"
    yield "trajectories W_t", f"{len(layers.segments)} segments{spread}"
    if replayed.days:
        records = f"{len(layers.open_cycle)} of {config.cycle_records} daily records"
        yield "cycle", f"{layers.cycles + 1}, {records} so far"
    if replayed.changes:
        counts = ", ".join(f"{number} {status}" for status, number in sorted(layers.counts.items())) or "none yet"
        yield "regularities", counts
    yield "matches R_t", f"{len(context.regularities)} applied"
    for match in context.regularities:
        yield _number(replayed, match.regularity_id), _match(match)


def _number(replayed: Replayed, regularity_id: str) -> str:
    return f"R{replayed.numbers[regularity_id]}" if regularity_id in replayed.numbers else regularity_id


def _match(match: MatchRecord) -> str:
    distance = f"{abs(match.distance_minutes):g} min {'to its window' if match.distance_minutes > 0 else 'past its window'}"
    where = distance if match.distance_minutes else "inside its window"
    return f"{match.state} ({where}), {match.lifecycle}, confidence {match.confidence:.2f}: {match.text}"


def _proposed(replayed: Replayed, record: EventRecord) -> Iterator[tuple[str, str]]:
    if record.unusable is not None:
        unusable = record.unusable
        yield "reply", f"unusable ({unusable.reason}, {unusable.attempts} attempts): {unusable.detail}"
    proposal = record.proposal
    if proposal is None:
        return
    yield "decision", proposal.decision
    if proposal.service is not None:
        service = proposal.service
        later = f", in {service.delay_minutes:g} min" if service.mode == "scheduled" else ""
        yield "service", f"{service.action}: {service.target} ({service.mode}{later})"
    for name in ("message", "operation", "recipient", "content", "firing_condition"):
        value = getattr(proposal, name)
        if value is not None:
            yield name.replace("_", " "), value
    yield from _evidence(replayed, proposal)
    if record.dropped_evidence:
        yield "removed", f"{record.dropped_evidence} cited ids that are not in the context"


def _evidence(replayed: Replayed, proposal: Proposal) -> Iterator[tuple[str, str]]:
    """What was cited, each id with what it names."""
    for cited in proposal.evidence[:_MOST]:
        if cited in replayed.places:
            event = replayed.events[replayed.places[cited]]
            yield "cites", f"event {event.index}, {when(event)}"
        elif cited in replayed.segments:
            segment = replayed.segments[cited]
            yield "cites", f"trajectory of {segment.day:%a} {segment.day} {clock_text(segment.start)[:5]} ({cited})"
        else:
            yield "cites", f"regularity {_number(replayed, cited)} ({cited})" if cited in replayed.numbers else cited
    yield from _more("cites", proposal.evidence)


def _more(name: str, listed: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(listed) > _MOST:
        yield name, f"and {len(listed) - _MOST} more"


def _decided(replayed: Replayed, record: EventRecord) -> Iterator[tuple[str, str]]:
    decision = record.decision
    yield "decision", decision.verdict
    if decision.suppression is not None:
        earlier = repeated(replayed, record.index)
        place = "" if earlier is None else f"event {earlier}, {when(replayed.events[earlier])}: "
        yield "why", "suppressed: it repeats an intervention that was allowed before"
        yield "repeats", f"{place}{decision.suppression.earlier_event_id}"
        yield "key", decision.suppression.key
    elif decision.verdict == "intervene":
        yield "why", "proposed, and no earlier intervention holds its key" if decision.key else "as proposed, without control"
        if decision.key:
            yield "key", decision.key
    else:
        yield "why", _WHY.get(decision.reason or "", f"the reply could not be used ({decision.reason})")


_WHY = {"proposed": "as proposed", "constant": "a constant policy"}


def _reference(record: EventRecord, label: Label | None) -> Iterator[tuple[str, str]]:
    outcome = outcome_of(record, label)
    if label is None or outcome is None:
        yield "label", "none: this event is not scored"
        return
    yield "verdict", outcome
    known = {"A": label.a, "B": label.b, "N": label.n}
    parts = ", ".join(f"{name} {'unknown' if value is None else int(value)}" for name, value in known.items())
    yield "label", f"y = {int(label.y)} ({'intervene' if label.y else 'abstain'}); {parts}"
    if label.service:
        yield "useful service", label.service
