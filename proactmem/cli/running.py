"""The commands that run methods and read runs: run, score, explain, reproduce."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from pydantic import ValidationError

from proactmem.cli.shared import BackboneName, Size, bar, resumable
from proactmem.config import MemoryConfig
from proactmem.errors import ConfigError

if TYPE_CHECKING:
    from proactmem.score.scoring import RunScore

__all__ = ["explain", "reproduce", "run", "score"]


def _memory(settings: list[str]) -> MemoryConfig:
    given: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise ConfigError(f"setting {setting!r}; expected NAME=VALUE, for example capacity=50.")
        given[name.strip()] = value.strip()
    try:
        config = MemoryConfig.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ConfigError(
            f"setting {'.'.join(map(str, first['loc']))}: {first['msg']}.",
            remedy=f"Settings are {', '.join(MemoryConfig.model_fields)}.",
        ) from error
    return config


def run(
    method: Annotated[
        str,
        typer.Argument(
            help="always, never, event-only, trajectory, proactmem, no-replay-gate, no-validation or before-suppression."
        ),
    ],
    data: Annotated[Path, typer.Option(help="Built streams.")],
    out: Annotated[Path, typer.Option(help="Run directory; the same command resumes it.")],
    backbone: Annotated[
        BackboneName, typer.Option(help="offline (no key, no network) or any OpenAI-compatible service.")
    ] = BackboneName.offline,
    model: Annotated[str | None, typer.Option(help="Model name of the service.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of the service.")] = None,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Streams replayed at once.")] = 1,
    streams: Annotated[str | None, typer.Option(help="Stream ids with commas; all when left out.")] = None,
    setting: Annotated[list[str] | None, typer.Option("--set", help="Memory setting NAME=VALUE; may be repeated.")] = None,
    fabricate: Annotated[
        float, typer.Option(min=0, max=1, help="Stress test: share of construction replies made to err.")
    ] = 0.0,
) -> None:
    """Replay streams causally through a method; interrupted, the same command resumes and pays nothing twice.

    Example: `proactmem run proactmem --data data/built/sports --out data/runs/proactmem`

    Example: `proactmem run event-only --data data/built/sports --out data/runs/e --backbone openai --model gpt-5.6-luna`
    """
    from proactmem.datasets.built import BuiltStreams
    from proactmem.llm.choose import choose_backbone
    from proactmem.run.catalog import method_spec
    from proactmem.run.replay import run as replay_run

    spec = method_spec(method)
    built = BuiltStreams.open(data)
    chosen = None if streams is None else [part.strip() for part in streams.split(",") if part.strip()]
    config = _memory(setting or [])
    service = choose_backbone(backbone.value, model=model, base_url=base_url, fabricate=fabricate)
    done: dict[str, int] = {}
    total = sum(count for name, count in built.counts.items() if chosen is None or name in chosen)
    with resumable(), bar("event", total) as told:

        def progress(stream_id: str, count: int, _: int) -> None:
            done[stream_id] = count
            told(sum(list(done.values())), total)

        manifest = replay_run(
            spec, built, out, service, config=config, only=chosen, jobs=jobs, base_url=getattr(service, "base_url", None),
            settings={"fabricate": fabricate} if fabricate else None, progress=progress,
        )  # fmt: skip
    events = sum(summary.events for summary in manifest.finished)
    done_by = f"{manifest.backbone} backbone ({manifest.model})"
    typer.echo(f"{out}: {spec.title}, {events} events in {len(manifest.finished)} streams, {done_by}")


def score(
    runs: Annotated[list[Path], typer.Argument(help="Run directories.")],
    labels: Annotated[Path, typer.Option(help="Label file, or a built folder with labels.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a run, one line each.")] = False,
    proposed: Annotated[bool, typer.Option(help="Score proposals before suppression instead of final decisions.")] = False,
    partial: Annotated[bool, typer.Option(help="Score the finished streams of an unfinished run.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap over streams.")] = 0,
) -> None:
    """Join final decisions with reference labels and print the six metrics with 95 % intervals.

    Example: `proactmem score data/runs/proactmem data/runs/event-only --labels data/built/sports`
    """
    from proactmem.datasets.join import read_labels
    from proactmem.report.tables import main_table
    from proactmem.score.runs import load_run
    from proactmem.score.scoring import score_run

    scores = []
    for path in runs:
        loaded = load_run(path, allow_partial=partial)
        known = read_labels(labels, path)
        scores.append(score_run(loaded, known, decisions="proposed" if proposed else "final", seed=seed))
    if as_json:
        for found in scores:
            typer.echo(json.dumps(found.to_json(), sort_keys=True))
    else:
        for title, group in _by_references(scores):
            typer.echo(main_table(group, published=False, title=title).plain())


def _by_references(scores: list[RunScore]) -> list[tuple[str, list[RunScore]]]:
    """Runs grouped by the events and references they were scored on: only those compare in one table."""
    groups: dict[tuple[tuple[str, str], ...], list[RunScore]] = {}
    for found in scores:
        same = tuple(sorted((stream, part.events_sha256) for stream, part in found.streams.items()))
        groups.setdefault(same, []).append(found)
    several = len(groups) > 1
    return [
        (f"Scores {number}, other events" if several else "Scores", group) for number, group in enumerate(groups.values(), 1)
    ]


def explain(
    run_directory: Annotated[Path, typer.Argument(metavar="RUN", help="Run directory.")],
    event_id: Annotated[str, typer.Argument(help="Event id.")],
    stream: Annotated[str | None, typer.Option(help="Stream id, where the event id is not unique.")] = None,
    prompt: Annotated[bool, typer.Option(help="Also print the exact messages and replies.")] = False,
) -> None:
    """Show what the method saw at an event, what it proposed, and why the controller decided.

    Example: `proactmem explain data/runs/proactmem 6379c89c927a28f79bc620c3`
    """
    from proactmem.run.explain import explain as account

    text = account(run_directory, event_id, stream_id=stream, prompt=prompt)
    # Event text is data: no escape sequence of it reaches the terminal.
    shown = "".join(sign if sign in "\n\t" or sign.isprintable() else repr(sign)[1:-1] for sign in text)
    typer.echo(shown, nl=False)


def reproduce(
    profile: Annotated[Size, typer.Option(help="smoke: minutes, offline. paper: the paper's size.")] = Size.smoke,
    only: Annotated[str | None, typer.Option(help="Notebooks with commas, such as 03,04; all when left out.")] = None,
    backbone: Annotated[BackboneName, typer.Option(help="offline or any OpenAI-compatible service.")] = BackboneName.offline,
    model: Annotated[str | None, typer.Option(help="Model name of the service.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of the service.")] = None,
    root: Annotated[Path | None, typer.Option(help="Folder for data/ and figures/; the checkout when left out.")] = None,
) -> None:
    """Execute the notebooks through papermill, from raw data to tables and figures.

    Example: `proactmem reproduce --profile smoke`
    """
    from proactmem.reproduce import reproduce as execute

    wanted = None if only is None else [part.strip() for part in only.split(",") if part.strip()]
    name: Literal["smoke", "paper"] = "smoke" if profile is Size.smoke else "paper"
    with resumable():
        for line in execute(name, only=wanted, backbone=backbone.value, model=model, base_url=base_url, root=root):
            typer.echo(line)
