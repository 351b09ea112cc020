"""The command line: simulate, build, run, score, explain, reproduce."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from pydantic import ValidationError
from tqdm import tqdm

from proactmem import __version__
from proactmem.config import MemoryConfig
from proactmem.core.events import Scope
from proactmem.errors import ConfigError, ProactmemError
from proactmem.paths import storage_error

if TYPE_CHECKING:
    from proactmem.datasets.card import Card
    from proactmem.score.scoring import RunScore

__all__ = ["app", "main"]

app = typer.Typer(
    name="proactmem",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="Proactive memory for event-driven LLM agents: simulate or build streams, run methods, score, reproduce the tables.",
)
build = typer.Typer(no_args_is_help=True, help="Turn raw files into built streams (events.parquet, labels apart).")
app.add_typer(build, name="build")

Size = StrEnum("Size", ["smoke", "paper"])
ScopeName = StrEnum("ScopeName", ["sports", "home", "code", "desktop"])
Simulated = StrEnum("Simulated", ["sports"])
Points = StrEnum("Points", ["connected", "available"])
OrderName = StrEnum("OrderName", ["time", "source"])
BackboneName = StrEnum("BackboneName", ["offline", "openai"])

Out = Annotated[Path, typer.Option("--out", help="Folder to write.")]
Raw = Annotated[Path, typer.Option("--raw", help="Raw file, or the folder that holds it.")]


@contextmanager
def _bar(unit: str, total: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr that appears after two seconds where somebody watches; none in a log."""
    with tqdm(total=total, unit=unit, delay=2, file=sys.stderr, dynamic_ncols=True, disable=None) as bar:

        def told(done: int, of: int) -> None:
            bar.total = of
            bar.update(done - bar.n)

        yield told


@contextmanager
def _resumable() -> Iterator[None]:
    """An interrupted command says that it can go on, and exits with 130; typer alone would say nothing or `Aborted!`."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("proactmem: interrupted; the same command resumes where it stopped.", err=True)
        raise typer.Exit(130) from None


def _version(value: bool) -> None:
    if value:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


@app.command()
def simulate(
    scope: Annotated[Simulated, typer.Option(help="Scope to simulate.")],
    seed: Annotated[int, typer.Option(help="Seed; the same seed writes the same bytes.")],
    out: Out,
    size: Annotated[Size, typer.Option(help="smoke for tests and first looks, paper for the paper's size.")] = Size.smoke,
    participants: Annotated[int | None, typer.Option(min=1, help="Participants, instead of the size's own.")] = None,
    days: Annotated[int | None, typer.Option(min=1, help="Days each, instead of the size's own.")] = None,
) -> None:
    """Write raw files, reference labels and the planted truth of simulated lives.

    Example: `proactmem simulate --scope sports --seed 7 --out data/raw/sports`
    """
    from proactmem.datasets.simulate import simulate_sports

    del scope  # one scope so far; the option keeps the command line stable
    name: Literal["smoke", "paper"] = "smoke" if size is Size.smoke else "paper"
    try:
        with _bar("participant") as progress:
            simulate_sports(out, seed=seed, size=name, participants=participants, days=days, progress=progress)
    except OSError as error:
        raise storage_error(out, error) from error
    typer.echo(f"{out}: suggestions.csv, reference_labels.csv, planted.json")


def _built(out: Path, card: Card) -> None:
    lost = ", ".join(f"{count} {reason}" for reason, count in card.dropped.items() if count)
    typer.echo(f"{out}: {card.events} events in {len(card.streams)} streams" + (f"; dropped {lost}" if lost else ""))
    if card.labels is not None:
        missing = f"; {card.labels.unmatched} labels match no event" if card.labels.unmatched else ""
        typer.echo(f"{card.labels.file}: {card.labels.joined} events have a label{missing}")


def _participants(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        if not text.isascii():
            raise ValueError
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ConfigError(f"participants are {text!r}; expected numbers with commas, for example 1,5,35.") from None


@build.command("sports")
def build_sports_command(
    raw: Raw,
    out: Out,
    participants: Annotated[str | None, typer.Option(help="Numbers with commas; all when left out.")] = None,
    points: Annotated[Points, typer.Option(help="Connected decision points, or available ones only.")] = Points.connected,
) -> None:
    """HeartSteps `suggestions.csv`, real or simulated.

    Example: `proactmem build sports --raw data/raw/sports --out data/built/sports --participants 1,3`
    """
    from proactmem.datasets.build import build_sports

    chosen = _participants(participants)
    with _bar("participant") as progress:
        card = build_sports(
            raw,
            out,
            participants=chosen,
            points="connected" if points is Points.connected else "available",
            progress=progress,
        )
    _built(out, card)


@build.command("desktop")
def build_desktop_command(raw: Raw, out: Out) -> None:
    """ProactiveBench desktop traces (`*.json`).

    Example: `proactmem build desktop --raw proactivebench --out data/built/desktop`
    """
    from proactmem.datasets.build import build_desktop

    with _bar("trace") as progress:
        card = build_desktop(raw, out, progress=progress)
    _built(out, card)


@build.command("own")
def build_own_command(
    raw: Raw,
    out: Out,
    scope: Annotated[ScopeName | None, typer.Option(help="Scope, where the lines do not say.")] = None,
    zone: Annotated[
        str | None, typer.Option(help="Zone that decides local days (code, desktop), such as Europe/Berlin.")
    ] = None,
    order: Annotated[OrderName, typer.Option(help="By time then event id, or as the lines stand.")] = OrderName.time,
) -> None:
    """Your own events as JSON Lines; a `labels.jsonl` beside them is joined (form: data/README.md).

    Example: `proactmem build own --raw my/events.jsonl --scope code --out data/built/mine`
    """
    from proactmem.datasets.build import build_own

    named: dict[str, Scope] = {"sports": "sports", "home": "home", "code": "code", "desktop": "desktop"}
    with _bar("stream") as progress:
        card = build_own(
            raw, out, scope=None if scope is None else named[scope.value], zone=zone,
            order="time" if order is OrderName.time else "source", progress=progress,
        )  # fmt: skip
    _built(out, card)


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


@app.command()
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
    with _resumable(), _bar("event", total) as told:

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


@app.command()
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


@app.command()
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


@app.command()
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
    with _resumable():
        for line in execute(name, only=wanted, backbone=backbone.value, model=model, base_url=base_url, root=root):
            typer.echo(line)


def _readable(arguments: list[str]) -> None:
    """Refuse what no manifest, message or table could repeat."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise ConfigError(
                f"the argument {argument!r} is no UTF-8 text.", remedy="Rename the file or folder, or correct the argument."
            ) from error


def main(arguments: list[str] | None = None) -> None:
    """The entry point: an expected failure prints one paragraph on stderr and exits with 1, never a traceback."""
    given = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a sign gets its escape, not a traceback
            stream.reconfigure(errors="backslashreplace")
    try:
        _readable(given)
        app(args=given)
    except ProactmemError as error:
        typer.echo(f"proactmem: {error}", err=True)
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:
        raise SystemExit(141) from None
