"""Rules that hold for every file: length, no path of a machine, one version everywhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import proactmem
from tests.contracts.checkout import PACKAGE, ROOT, files, modules

LONGEST = 400
_PLACES = ("home", "root", "work", "tmp", "Users")
_MACHINE_PATH = re.compile(rf"(?<![\w./:>)}}*-])/(?:{'|'.join(_PLACES)})/[\w.-]")


@pytest.mark.parametrize("module", modules())
def test_no_file_is_too_long_to_read(module: str) -> None:
    lines = len(modules()[module].read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST, f"{lines} lines, at most {LONGEST}: one noun a file, give the second noun its own"


def _strings(value: object) -> list[str]:
    match value:
        case str():
            return [value]
        case list():
            return [text for item in value for text in _strings(item)]
        case dict():
            return [text for item in value.values() for text in _strings(item)]
        case _:
            return []


def machine_paths(path: Path) -> list[str]:
    """Absolute paths of one machine in a text file; in a notebook, in its decoded strings."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return []
    texts = _strings(json.loads(text)) if path.suffix == ".ipynb" else [text]
    return [line.strip()[:120] for part in texts for line in part.splitlines() if _MACHINE_PATH.search(line)]


def test_no_file_names_a_place_of_one_machine() -> None:
    checked = [path for path in files() if not path.is_relative_to(ROOT / "tests")]
    found = {str(path.relative_to(ROOT)): machine_paths(path) for path in checked}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_place_of_one_machine_is_found_where_it_stands(tmp_path: Path) -> None:
    place = "/" + _PLACES[0] + "/someone/x.py"
    code, notebook = tmp_path / "a.py", tmp_path / "b.ipynb"
    code.write_text(f"open('{place}')\nurl = 'https://example.org{place}'\n", encoding="utf-8")
    cell = {"source": ["x = 1\n"], "outputs": [{"text": f"\n{place}"}]}
    notebook.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    assert machine_paths(code) == [f"open('{place}')"]
    assert machine_paths(notebook) == [place]


@pytest.mark.parametrize(
    ("name", "line"),
    [("CITATION.cff", r'^version: "?{version}"?$'), ("CHANGELOG.md", r"^## \[?{version}\]?\b")],
)
def test_the_version_is_the_same_everywhere(name: str, line: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert re.search(line.format(version=re.escape(proactmem.__version__)), text, re.MULTILINE), (
        f"{name} does not state version {proactmem.__version__}"
    )


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
