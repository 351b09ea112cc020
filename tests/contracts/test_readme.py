"""What README.md shows can be typed: its commands parse, its make targets exist, its tree is the checkout's."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import pytest
import typer
import typer.main

from proactmem.cli import app
from proactmem.core.events import parse_event
from tests.contracts.checkout import ROOT, files

README = (ROOT / "README.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_STOPS = {"|", "||", "&&", ";", ">", ">>", "2>", "<", "&"}


def command_lines(text: str, program: str) -> list[str]:
    """Every call of a program in the fenced blocks, prompts, assignments and comments cut off, pipelines split."""
    found: list[str] = []
    for block in _BLOCK.findall(text):
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            words = shlex.split(line.strip().removeprefix("$ "), comments=True) if program in line else []
            start = 0
            for end in [i for i, word in enumerate(words) if word in _STOPS] + [len(words)]:
                part = [*words[start:end]]
                while part and re.fullmatch(r"\w+=\S*", part[0]):
                    part.pop(0)
                if part and part[0].rsplit("/", 1)[-1] == program:
                    found.append(shlex.join(part[1:]))
                start = end + 1
    return found


def parse(command: Any, words: list[str], name: str = "proactmem") -> None:
    """Read words as the command line would, values and required ones too, down to the last subcommand; run nothing."""
    context = command.context_class(command, info_name=name)
    values, rest, order = command.make_parser(context).parse_args(list(words))
    if "--help" in words:
        order = [parameter for parameter in order if parameter.name in values and parameter.name != "help"]
    else:
        order = command.get_params(context)
    for parameter in order:
        if parameter.name != "help":
            parameter.handle_parse_result(context, values, [])
    children = getattr(command, "commands", {})
    if children and rest:
        assert rest[0] in children, f"{name} has no command {rest[0]!r}; there are {', '.join(children)}"
        parse(children[rest[0]], rest[1:], f"{name} {rest[0]}")
    else:
        assert rest == [], f"{name} does not take {rest}"


USAGE_ERROR = typer.BadParameter.__bases__[0]
"""The base of what a command line can be wrong in; typer gives only this child of it a public name."""
COMMANDS = command_lines(README, "proactmem")
TARGETS = command_lines(README, "make")


def test_the_readme_shows_commands() -> None:
    assert "make reproduce" in README
    assert COMMANDS
    assert TARGETS


@pytest.mark.parametrize("line", dict.fromkeys(COMMANDS))
def test_every_command_of_the_readme_parses(line: str) -> None:
    parse(typer.main.get_command(app), shlex.split(line))


@pytest.mark.parametrize("line", dict.fromkeys(TARGETS))
def test_every_make_target_of_the_readme_exists(line: str) -> None:
    known = set(re.findall(r"(?m)^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8")))
    asked = {word for word in shlex.split(line) if "=" not in word and not word.startswith("-")}
    assert asked - known == set()


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("simulat --seed 7", "AssertionError"),
        ("score --labls x y", "NoSuchOption"),
        ("reproduce --profile enormous", "BadParameter"),
        ("reproduce smoke", "AssertionError"),
        ("run always --data d --out o --jobs many", "BadParameter"),
        ("run always --data d", "MissingParameter"),
        ("run --help --dta d", "NoSuchOption"),
    ],
)
def test_a_command_with_a_mistake_is_found(line: str, error: str) -> None:
    with pytest.raises((USAGE_ERROR, AssertionError)) as found:
        parse(typer.main.get_command(app), shlex.split(line))
    assert type(found.value).__name__ == error


def test_commands_are_found_where_a_reader_would_type_them() -> None:
    block = "$ A=1 proactmem run x \\\n    --jobs 2  # why\nls && .venv/bin/proactmem score | cat\n"
    text = f"proactmem not me\n```bash\n{block}```\n"
    assert command_lines(text, "proactmem") == ["run x --jobs 2", "score"]


def test_the_tree_names_exactly_the_top_level_folders() -> None:
    folders = {path.relative_to(ROOT).parts[0] for path in files() if path.parent != ROOT}
    trees = [block for block in _BLOCK.findall(README) if re.search(r"(?m)^(?:[├└]── ?)?proactmem/", block)]
    assert len(trees) == 1, "expected one fenced block with the tree: a line a folder, beginning with its name and /"
    shown = set(re.findall(r"(?m)^(?:[├└]── ?)?([\w-]+)/", trees[0]))
    assert shown == {name for name in folders if not name.startswith(".")}


def test_the_event_forms_that_are_shown_are_accepted() -> None:
    shown = re.findall(r"(?ms)^```json\n(.*?)\n```", (ROOT / "data" / "README.md").read_text(encoding="utf-8"))
    events = [parse_event(json.loads(line)) for block in shown for line in block.splitlines()]
    assert sorted(event.scope for event in events) == ["code", "desktop", "home", "sports"]
