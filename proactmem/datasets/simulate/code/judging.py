"""Reference labels as an annotator gives them: act by act, from what was written and what came before (Equation 9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from proactmem.datasets.simulate.code.acts import SERVICES, Act
from proactmem.datasets.simulate.code.projects import Project
from proactmem.datasets.simulate.judgement import Judgement

__all__ = ["Episode", "judge"]

_PATIENCE = timedelta(days=14)
"""After so long without an end an opportunity is stale."""


@dataclass(slots=True)
class Episode:
    """An opportunity: where it begins, the events at which it still holds, and its end."""

    onset: int
    valid: list[int]
    deadline: datetime
    closure: str = "stale"


def judge(project: Project, acts: Sequence[Act]) -> tuple[list[Judgement], list[Episode], list[int]]:
    """Labels of all acts, the episodes behind them, and the acts that the annotator misjudged.

    While an episode is open, later acts on its object that ask for the same service are covered: A and B hold, N does not.
    """
    labels = [Judgement() for _ in acts]
    episodes: list[Episode] = []
    running: dict[str, Episode] = {}
    for place, act in enumerate(acts):
        about = _about(act)
        before = running.get(about)
        if before is not None and (act.ends or act.at > before.deadline):
            before.closure = act.ends if act.at <= before.deadline and act.ends else "stale"
            if act.ends:
                before.deadline = min(before.deadline, act.at)
            running.pop(about)
            before = None
        if act.cause is not None:
            service = SERVICES[act.cause.kind]
            new = before is None or SERVICES[_cause(acts, before)] != service or not act.actor.endswith("[bot]")
            labels[place] = Judgement(act.cause.a, act.cause.b, n=new, service=service)
            if before is not None:
                before.closure, before.deadline = "superseded", act.at
            running[about] = Episode(place, [place], act.at + _PATIENCE)
            episodes.append(running[about])
        elif before is not None and not act.actor.endswith("[bot]"):
            before.valid.append(place)
            onset = labels[before.onset]
            labels[place] = Judgement(a=False, b=True, n=False, service=onset.service)
    return labels, episodes, _slip(project, acts, labels)


def _about(act: Act) -> str:
    if act.number is not None:
        return f"{'pull request' if act.pull else 'issue'} {act.number}"
    return "build" if act.kind == "CommitCommentEvent" else "main"


def _cause(acts: Sequence[Act], episode: Episode) -> str:
    cause = acts[episode.onset].cause
    return cause.kind if cause is not None else ""


def _slip(project: Project, acts: Sequence[Act], labels: list[Judgement]) -> list[int]:
    slips = []
    for place, act in enumerate(acts):
        draw = project.chance("annotator", place)
        label = labels[place]
        if label.y and draw.flip(0.02):
            labels[place] = label._replace(n=False)
        elif not label.y and act.kind == "IssueCommentEvent" and draw.flip(0.01):
            labels[place] = Judgement(a=True, n=True, service="triage")
        else:
            continue
        slips.append(place)
    return slips
