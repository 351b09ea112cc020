"""The labelling view for notebooks: the event, its whole history, one line to type into; a thin skin over the session.

Keyboard first: the line has the focus, takes short commands (`abn walk`, `0`, `>`) and *Enter*; buttons do the same. Every
text of an event is escaped: it is data, never HTML.
"""

from __future__ import annotations

import json
from html import escape

import ipywidgets as widgets

from proactmem.core.events import public_json
from proactmem.core.streams import Event
from proactmem.datasets.annotate.session import COMMANDS, LabellingSession, Look
from proactmem.datasets.annotate.votes import Vote
from proactmem.errors import ProactmemError

__all__ = ["LabellingView", "look_text"]

_WIDGET = "application/vnd.jupyter.widget-view+json"
_IDS = ("scope", "stream_id", "event_id")
_SHOWN = 400
"""Earlier events that are drawn; the rest of a long history is a page back."""
_BOX = (
    "max-height:22em;overflow:auto;border:1px solid #999;padding:.3em;white-space:pre-wrap;overflow-wrap:anywhere;"
    "font-family:monospace;line-height:1.25"
)


class LabellingView:
    """A session to look at and type into; its widgets are attributes, and setting their values does what a person does."""

    def __init__(self, session: LabellingSession) -> None:
        """Show where the session stands."""
        self.session = session
        self._place = session.place
        self.status = widgets.HTML()
        self.event = widgets.HTML()
        self.history = widgets.HTML()
        self.page = widgets.IntSlider(value=0, min=0, max=0, description="Pages back", continuous_update=False)
        self.line = widgets.Text(
            placeholder="abn walk [why]", description="Judge", continuous_update=False, layout={"width": "60%"}
        )
        self.said = widgets.HTML()
        self.buttons = {
            text: widgets.Button(description=label, tooltip=f"the same as typing {text!r}")
            for text, label in (("0", "none (0)"), ("<", "back (<)"), (">", "next (>)"), ("u", "next unlabelled (u)"))
        }
        for text, button in self.buttons.items():
            button.on_click(lambda _, text=text: self.do(text))
        self.line.observe(self._typed, "value")
        self.page.observe(lambda _: self._draw_history(), "value")
        help_ = widgets.HTML(f"<small>{escape(COMMANDS)}</small>")
        rows = [
            self.status,
            self.event,
            self.page,
            self.history,
            self.line,
            widgets.HBox([*self.buttons.values()]),
            self.said,
            help_,
        ]
        self.widget = widgets.VBox(rows)
        self._draw()

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        """The widgets, and for a page without a kernel a line that never changes."""
        shown: dict[str, object] = self.widget._repr_mimebundle_()  # what IPython itself calls
        return {_WIDGET: shown[_WIDGET], "text/plain": "Labelling view: run the notebook in Jupyter to use it."}

    def do(self, text: str) -> None:
        """Do a command on the event that is shown, and show what it led to; what cannot be done is said below the line.

        The event that is shown is the one that is judged, whatever else has moved the session meanwhile.
        """
        self.session.go(self._place)
        try:
            said = self.session.command(text)
        except ProactmemError as error:
            said = str(error)
        self.said.value = f"<span role='status'>{escape(said)}</span>"
        self._draw()

    def _typed(self, change: dict[str, object]) -> None:
        text = str(change["new"]).strip()
        if text:
            self.line.value = ""
            self.do(text)

    def _draw(self) -> None:
        look = self.session.look
        self._place = look.place
        vote = look.vote
        mine = "no vote yet" if vote is None else f"your vote: {_vote_text(vote)}"
        self.status.value = f"<b>{escape(_where(look))}</b>; {escape(mine)}"
        shown = json.dumps(json.loads(public_json(look.event.public)), indent=1, ensure_ascii=False)
        self.event.value = f"<div style='{_BOX}'>{escape(shown)}</div>"
        pages = max(0, (len(look.history) - 1) // _SHOWN)
        self.page.max = pages
        self.page.value = min(self.page.value, pages)
        self._draw_history()

    def _draw_history(self) -> None:
        history = self.session.look.history
        end = len(history) - self.page.value * _SHOWN
        lines = [_told(event) for event in reversed(history[max(0, end - _SHOWN) : end])]
        self.history.value = (
            f"<div style='{_BOX}' tabindex='0' aria-label='history, latest first'>" + "\n".join(lines) + "</div>"
        )


def look_text(look: Look) -> str:
    """What a view shows, as text: where one is, the event, and the last events before it."""
    shown = json.dumps(json.loads(public_json(look.event.public)), ensure_ascii=False)
    return "\n".join([_where(look), f"  now: {shown}", *(f"  before: {_line(event)[:140]}..." for event in look.history[-3:])])


def _where(look: Look) -> str:
    return f"{look.place + 1} of {look.total}, {look.done} judged; {look.event.stream_id}; {len(look.history)} events before"


def _vote_text(vote: Vote) -> str:
    marks = ", ".join(
        f"{name} {'?' if mark is None else int(mark)}" for name, mark in (("A", vote.a), ("B", vote.b), ("N", vote.n))
    )
    return f"{marks}, {vote.service or 'none'}"


def _told(event: Event) -> str:
    """One earlier event in one line of the history."""
    return escape(_line(event))


def _line(event: Event) -> str:
    """An event's day, time and fields; ids that every event repeats are left out here, not in the data."""
    minutes = int(event.span[1]) // 60
    fields = {name: value for name, value in json.loads(public_json(event.public)).items() if name not in _IDS}
    shown = json.dumps(fields, ensure_ascii=False, separators=(", ", ": "))
    return f"{event.index} {event.day:%a %Y-%m-%d} {minutes // 60:02d}:{minutes % 60:02d} {shown}"
