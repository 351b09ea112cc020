"""The command line: fetch, simulate, build, annotate, run, score, explain, select, export, check, import, reproduce."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from proactmem import __version__
from proactmem.cli.annotating import annotate
from proactmem.cli.building import build
from proactmem.cli.data import simulate
from proactmem.cli.fetching import fetch
from proactmem.cli.running import explain, reproduce, run, score
from proactmem.cli.sharing import check, export, import_, select
from proactmem.errors import ConfigError, ProactmemError

__all__ = ["app", "main"]

app = typer.Typer(
    name="proactmem",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="Proactive memory for event-driven LLM agents: simulate or build streams, run methods, score, reproduce the tables.",
)
app.command()(fetch)
app.command()(simulate)
app.add_typer(build, name="build")
app.add_typer(annotate, name="annotate")
for command in (run, score, explain, select, export, check):
    app.command()(command)
app.command("import")(import_)
app.command()(reproduce)


def _version(value: bool) -> None:
    if value:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


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
