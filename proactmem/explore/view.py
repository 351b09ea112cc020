"""The explorer's widgets: three choices, a slider over events, jumps, two pictures and an account; a thin skin, no logic."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape

import ipywidgets as widgets

from proactmem.core.scopes import SCOPES
from proactmem.errors import ProactmemError
from proactmem.explore.account import account, when
from proactmem.explore.day import day_figure, day_text
from proactmem.explore.explorer import Explorer
from proactmem.explore.jumps import MARKS, Mark, Step, jump, repeated
from proactmem.explore.replayed import decision_of
from proactmem.explore.timeline import timeline_figure, timeline_text
from proactmem.report.style import Picture
from proactmem.study import telling_event

__all__ = ["View"]

_WIDGET = "application/vnd.jupyter.widget-view+json"
_PAGES = (("whole stream", 0), ("4 weeks", 28), ("1 week", 7))
_LONG = 60
"""Local days above which a stream is first shown four weeks at a time."""
_OF_LABELS: tuple[Mark, ...] = ("label", "mistake")
_SAYS: dict[Mark, str] = {
    "event": "event",
    "intervention": "intervention",
    "suppression": "suppressed proposal",
    "match": "event at which a regularity is applied",
    "label": "reference opportunity (y = 1)",
    "mistake": "missed opportunity or false alarm",
}


class View:
    """An explorer to look at; its widgets are attributes, and setting their values does what a person does."""

    def __init__(
        self, explorer: Explorer, *, stream: str = "", event: str = "", method: str = "", days: int | None = None
    ) -> None:
        """Show one event of one stream under one method.

        Args:
            explorer: What there is to choose from.
            stream: The stream; empty for the first.
            event: The event; empty for one that tells much.
            method: The method, a given run of it first; empty for any given run where there is one, else ProactMem.
            days: Local days that the timeline shows at a time, 0 for all; None chooses by the stream's length.

        Raises:
            ConfigError: No such stream, event or method.
            StoreError: A run directory cannot be read or written.
        """
        self.explorer = explorer
        self._settling = False
        self._make()
        scope = explorer.scope_of(stream)
        chosen = explorer.sources[scope].named(method)
        self.replayed = explorer.replay(stream, chosen, scope=scope, progress=self._progress)
        """What is looked at."""
        self._choice = (scope, self.replayed.stream_id, chosen)
        place = telling_event(self.replayed.records, event).index
        with self._quiet():
            self._options()
            self._length(place)
            self.days.value = self._pages() if days is None else days
        self._listen()
        self._draw()

    def _make(self) -> None:
        wide = widgets.Layout(width="auto", flex="1 1 26em")
        self.scope = widgets.Dropdown(description="Scope", layout=wide)
        self.stream = widgets.Dropdown(description="Stream", layout=wide)
        self.method = widgets.Dropdown(description="Method", layout=wide)
        self.days = widgets.Dropdown(description="Shown", options=_PAGES, layout=wide)
        self.event = widgets.IntSlider(
            description="Event", min=0, max=0, continuous_update=False, layout=widgets.Layout(width="auto")
        )
        steps: tuple[Step, ...] = (-1, 1)
        self.jumps = {(mark, step): self._button(mark, step) for step in steps for mark in MARKS}
        """The buttons, by what they go to and whether forward (1) or back (-1)."""
        self.repeats = widgets.Button(
            description="event it repeats", tooltip="Go to the earlier event whose intervention the suppressed proposal repeats"
        )
        self.labelled, self.explained, self.prompted = (
            widgets.Checkbox(value=value, description=says, indent=False, layout=widgets.Layout(width="auto", margin="0 1em"))
            for says, value in (
                ("labels, joined afterwards", True),
                ("the text of explain", True),
                ("with the exact prompt and reply", False),
            )
        )
        self.status, self.timeline, self.day, self.account = (widgets.HTML() for _ in range(4))
        wrap = widgets.Layout(display="flex", flex_flow="row wrap")
        self.root = widgets.VBox(
            [
                widgets.Box([self.scope, self.stream, self.method, self.days], layout=wrap),
                self.event,
                widgets.Box([self.jumps[mark, -1] for mark in MARKS], layout=wrap),
                widgets.Box([self.jumps[mark, 1] for mark in MARKS], layout=wrap),
                widgets.Box([self.repeats, self.labelled, self.explained, self.prompted], layout=wrap),
                self.status,
                self.timeline,
                self.day,
                self.account,
            ]
        )

    @staticmethod
    def _button(mark: Mark, step: Step) -> widgets.Button:
        direction = "next" if step == 1 else "previous"
        return widgets.Button(
            description=f"{direction} {mark}",
            tooltip=f"Go to the {direction} {_SAYS[mark]}",
            layout=widgets.Layout(width="auto", flex="1 1 10em", padding="0 2px"),
            style={"font_size": "12px"},
        )

    def _listen(self) -> None:
        heard: list[tuple[widgets.Widget, Callable[[object], None]]] = [
            (self.scope, lambda _: self._open(self.scope.value, "", self.method.value)),
            (self.stream, lambda _: self._open(self.scope.value, self.stream.value, self.method.value)),
            (self.method, lambda _: self._open(self.scope.value, self.stream.value, self.method.value)),
        ]
        redrawn = (self.event, self.days, self.labelled, self.explained, self.prompted)
        heard += [(widget, lambda _: self._draw()) for widget in redrawn]
        for widget, change in heard:
            widget.observe(partial(self._heard, change), names="value")
        for (mark, step), button in self.jumps.items():
            button.on_click(lambda _, mark=mark, step=step: self._jump(mark, step))
        self.repeats.on_click(lambda _: self._go(repeated(self.replayed, self.event.value), "Nothing was suppressed here."))

    def _heard(self, change: Callable[[object], None], event: object) -> None:
        if not self._settling:
            change(event)

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        """Inside, values are set without being acted on."""
        before, self._settling = self._settling, True
        try:
            yield
        finally:
            self._settling = before

    def _options(self) -> None:
        scope, stream_id, method = self._choice
        source = self.explorer.sources[scope]
        choices = (
            (self.scope, [(SCOPES[name].title, name) for name in self.explorer.sources], scope),
            (self.stream, list(source.streams.stream_ids), stream_id),
            (self.method, [(shown, name) for name, shown in source.methods.items()], method),
        )
        for widget, options, value in choices:
            if list(widget.options) != options:
                widget.options = options
            widget.value = value

    def _length(self, place: int) -> None:
        self.event.value = 0
        self.event.max = len(self.replayed.events) - 1
        self.event.value = place

    def _pages(self) -> int:
        """Local days that the timeline shows at first: all of a short stream, four weeks of a long one."""
        return 28 if (self.replayed.events[-1].day - self.replayed.events[0].day).days >= _LONG else 0

    def _open(self, scope: str, stream_id: str, method: str) -> None:
        """Look at another stream or under another method, at the same event where the stream is the same."""
        known = next(name for name in self.explorer.sources if name == scope)
        source = self.explorer.sources[known]
        wanted = (known, stream_id or source.streams.stream_ids[0], method if method in source.methods else "proactmem")
        self._say(f"{source.methods[wanted[2]]} on {wanted[1]} …")
        try:
            replayed = self.explorer.replay(wanted[1], wanted[2], scope=known, progress=self._progress)
        except ProactmemError as error:
            with self._quiet():
                self._options()
            self._say(str(error))
            return
        same = replayed.stream_id == self.replayed.stream_id and known == self._choice[0]
        place = self.event.value if same else telling_event(replayed.records).index
        self.replayed, self._choice = replayed, wanted
        with self._quiet():
            self._options()
            self._length(place)
            if not same:
                self.days.value = self._pages()
        self._draw()

    def _jump(self, mark: Mark, step: Step) -> None:
        here = self.event.value
        direction = "after" if step == 1 else "before"
        self._go(jump(self.replayed, here, mark, step), f"There is no {_SAYS[mark]} {direction} event {here}.")

    def _go(self, place: int | None, otherwise: str) -> None:
        if place is None:
            self._say(otherwise)
        else:
            self.event.value = place

    def _draw(self) -> None:
        """Redraw everything for the event at which the slider stands."""
        replayed, index, labelled = self.replayed, self.event.value, self.labelled.value
        several = replayed.events[0].day != replayed.events[-1].day
        days = self.days.value
        self.timeline.value = (
            _image(
                timeline_figure(replayed, index, days=days, labelled=labelled),
                timeline_text(replayed, index, days=days, labelled=labelled),
            )
            if several
            else ""
        )
        self.day.value = _image(day_figure(replayed, index, labelled=labelled), day_text(replayed, index, labelled=labelled))
        for mark in _OF_LABELS:
            self.jumps[mark, 1].disabled = self.jumps[mark, -1].disabled = not (labelled and replayed.labels)
        record = replayed.records[index]
        told = f"Event {index}, {when(replayed.events[index])}: {decision_of(record)}"
        try:
            told_of = account(replayed, index, labelled=labelled, explained=self.explained.value, prompt=self.prompted.value)
        except ProactmemError as error:
            told_of, told = account(replayed, index, labelled=labelled, explained=False), str(error)
        self.account.value = told_of.html()
        self._say(told)

    def _progress(self, stream_id: str, done: int, total: int) -> None:
        if done % max(total // 20, 1) == 0:
            self._say(f"Replaying {stream_id}: {done} of {total} events …")

    def _say(self, text: str) -> None:
        self.status.value = f"<div role='status' aria-live='polite'><b>{escape(text)}</b></div>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        """The widgets, and for a page without a kernel a line that never changes."""
        shown: dict[str, object] = self.root._repr_mimebundle_()  # what IPython itself calls
        return {_WIDGET: shown[_WIDGET], "text/plain": "Explorer: run the notebook in Jupyter to use it; a page of it follows."}


def _image(figure: Picture, words: str) -> str:
    data = b64encode(figure._repr_png_()).decode("ascii")  # what IPython itself calls
    return f"<img alt='{escape(words)}' src='data:image/png;base64,{data}' style='max-width:100%;height:auto'>"
