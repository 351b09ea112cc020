"""Notebooks are prose, one cell of parameters and calls, committed as they ran."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
import pytest

from proactmem.reproduce import check_parameters, declared_parameters
from tests.contracts.checkout import ROOT, notebooks

NOTEBOOKS = ("00", "01", "02", "03", "04", "08", "09")
"""The numbers that there are; change it with the notebooks, so that none is lost unseen."""
CELLS, LINES = 12, 12
"""Most code cells a notebook, and most lines a code cell."""
_RUN_METADATA = {"papermill", "execution"}
"""Metadata of one run: stale beside fresh outputs, so not committed."""

each_notebook = pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)


def _read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def _code(path: Path) -> list[nbformat.NotebookNode]:
    return [cell for cell in _read(path).cells if cell.cell_type == "code"]


def test_no_notebook_is_lost() -> None:
    assert [path.name[:2] for path in notebooks()] == list(NOTEBOOKS)


@each_notebook
def test_parameters_are_literals_that_reach_something(path: Path) -> None:
    declared = declared_parameters(_read(path))
    assert declared
    check_parameters(_read(path), declared)


@each_notebook
def test_every_code_cell_was_run_in_order(path: Path) -> None:
    # nbval does not compare a cell without a count: without this, a stripped notebook would pass unchecked.
    counts = [cell.execution_count for cell in _code(path)]
    assert counts == list(range(1, len(counts) + 1)), "run `make notebooks`"


@each_notebook
def test_no_output_is_an_error(path: Path) -> None:
    assert [output.evalue for cell in _code(path) for output in cell.outputs if output.output_type == "error"] == []


@each_notebook
def test_a_notebook_is_prose_and_calls(path: Path) -> None:
    notebook = _read(path)
    assert notebook.cells[0].cell_type == "markdown"
    assert notebook.cells[0].source.startswith("# ")
    assert len(_code(path)) <= CELLS
    assert max(len(cell.source.splitlines()) for cell in _code(path)) <= LINES
    for cell in _code(path):
        source = "\n".join("" if line.startswith(("%", "!")) else line for line in cell.source.splitlines())
        defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        names = [node.name for node in ast.walk(ast.parse(source)) if isinstance(node, defined)]
        assert names == [], "what a notebook needs lives in the package"


@each_notebook
def test_no_metadata_of_one_run_is_kept(path: Path) -> None:
    notebook = _read(path)
    kept = [set(part.metadata) & _RUN_METADATA for part in (notebook, *notebook.cells)]
    assert not any(kept), "run `make notebooks`"


def test_notebooks_use_the_kernel_that_everyone_has() -> None:
    kernels = {path.stem: _read(path).metadata.kernelspec.name for path in notebooks()}
    assert set(kernels.values()) == {"python3"}, kernels


def test_the_notebooks_folder_holds_notebooks_only() -> None:
    assert sorted((ROOT / "notebooks").glob("*.ipynb")) == list(notebooks()), "a notebook is ignored by git"
