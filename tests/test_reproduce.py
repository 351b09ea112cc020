"""The one command: notebooks in order, parameters that reach something, failures that name their place, the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from proactmem.errors import ConfigError, NotebookError
from proactmem.reproduce import check_parameters, declared_parameters, execute, notebook_paths, reproduce
from tests.contracts.checkout import ROOT
from tests.contracts.outputs import settled


@pytest.fixture(autouse=True)
def kernels_find_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("PROACTMEM_ROOT", raising=False)


def notebook(parameters: str | None, *cells: str) -> nbformat.NotebookNode:
    tagged = [] if parameters is None else [new_code_cell(parameters, metadata={"tags": ["parameters"]})]
    return new_notebook(cells=[new_markdown_cell("# T"), *tagged, *map(new_code_cell, cells)])


def write(folder: Path, name: str, *cells: str, parameters: str = 'root = ""') -> Path:
    (folder / "notebooks").mkdir(exist_ok=True)
    path = folder / "notebooks" / name
    nbformat.write(notebook(parameters, *cells), path)
    return path


def test_parameters_are_read_as_python():
    source = 'a = 1\nb: str = "x # y"\nc: int | None = None\nd = (1, "two")'
    assert declared_parameters(notebook(source)) == {"a": 1, "b": "x # y", "c": None, "d": (1, "two")}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (None, "one cell tagged 'parameters', found 0"),
        ("import os", "line 1: a parameters cell holds only NAME = literal"),
        ("a = 1\nb: int", "line 2: a parameters cell holds only NAME = literal"),
        ("a = 1 + n", "parameter 'a' is no literal"),
        ("a = open('x')", "parameter 'a' is no literal"),
    ],
)
def test_a_parameters_cell_of_another_kind_is_refused(parameters, message):
    with pytest.raises(NotebookError, match=message):
        declared_parameters(notebook(parameters))


def test_an_unknown_parameter_is_refused_though_papermill_would_run_it():
    with pytest.raises(NotebookError, match=r"unknown parameter \['sead'\]; this notebook takes \['seed'\]"):
        check_parameters(notebook("seed = 7", "print(seed)"), {"sead": 8})


@pytest.mark.parametrize(
    ("cells", "fate"),
    [
        (["print(1)"], "never read"),
        (["seed = 8\nprint(seed)"], "overwritten before it is read"),
        (["def seeded(n):\n    return n"], "never read"),
        (["%time seed"], "never read"),
    ],
)
def test_a_parameter_that_reaches_nothing_is_refused(cells, fate):
    with pytest.raises(NotebookError, match=rf"parameters \['seed'\] reach nothing \(\['{fate}'\]\)"):
        check_parameters(notebook("seed = 7", *cells), {})


@pytest.mark.parametrize("cells", [["print(seed)"], ["seed = seed + 1"], ["x = [seed for _ in range(2)]"], ["%pip\nf(s=seed)"]])
def test_a_parameter_that_is_read_passes(cells):
    check_parameters(notebook("seed = 7", *cells), {"seed": 8})


def test_the_checkouts_notebooks_are_found_from_a_folder_that_has_none(tmp_path):
    assert [path.parent for path in notebook_paths(tmp_path)] == [ROOT / "notebooks"] * len(notebook_paths(ROOT))
    write(tmp_path, "00_own.ipynb", "print(root)")
    assert notebook_paths(tmp_path) == (tmp_path / "notebooks" / "00_own.ipynb",)


def test_every_notebook_accepts_what_the_command_gives_it():
    given = {"profile": "paper", "backbone": "openai", "model": "m", "base_url": "", "root": "r"}
    for path in notebook_paths(ROOT):
        found = nbformat.read(path, as_version=4)
        declared = declared_parameters(found)
        assert {"profile", "root"} <= set(declared), path.name
        check_parameters(found, {name: value for name, value in given.items() if name in declared})


def test_a_failing_notebook_is_named_with_cell_and_error_and_the_later_ones_wait(tmp_path):
    write(tmp_path, "00_good.ipynb", "print(root)")
    write(tmp_path, "01_bad.ipynb", "x = root", "# explains\nraise ValueError(f'no {len(x) > 1} soup')")
    write(tmp_path, "02_later.ipynb", "open(root + '/later', 'w').close()")
    lines = reproduce(root=tmp_path)
    assert next(lines).startswith("00_good: done")
    with pytest.raises(NotebookError) as found:
        next(lines)
    assert "01_bad.ipynb, cell [4] ('# explains') failed: ValueError: no True soup" in str(found.value)
    assert not (tmp_path / "later").exists()
    (copy,) = tmp_path.glob("data/runs/*/notebooks/01_bad.ipynb")
    assert str(copy) in str(found.value)
    assert "no True soup" in copy.read_text()
    assert "Traceback" not in (tmp_path / "notebooks" / "01_bad.ipynb").read_text()


def test_nothing_runs_when_a_later_notebook_takes_no_such_parameter(tmp_path):
    write(tmp_path, "00_good.ipynb", "open(root + '/ran', 'w').close()")
    write(tmp_path, "01_dead.ipynb", "print(1)")
    with pytest.raises(NotebookError, match=r"01_dead\.ipynb: parameters \['root'\] reach nothing"):
        next(reproduce(root=tmp_path))
    (tmp_path / "notebooks" / "01_dead.ipynb").write_text("<<<<<<< ours")
    with pytest.raises(NotebookError, match=r"01_dead\.ipynb: is no notebook: not JSON"):
        next(reproduce(root=tmp_path))
    assert not (tmp_path / "ran").exists()


def test_a_kernel_that_dies_is_reported(tmp_path):
    path = write(tmp_path, "00_dies.ipynb", "import os\nos._exit(int(bool(root)) + 3)")
    with pytest.raises(NotebookError, match=r"00_dies\.ipynb: its kernel died"):
        execute(path, tmp_path / "copy.ipynb", {}, cwd=tmp_path)


def test_only_names_notebooks_that_there_are(tmp_path):
    for name in ("00_a.ipynb", "01_b.ipynb"):
        write(tmp_path, name, "print(root)")
    with pytest.raises(ConfigError, match=r"no notebook \['07'\]; there are 00_a, 01_b"):
        next(reproduce(only=["07"], root=tmp_path))
    assert [line.split(":")[0] for line in reproduce(only=["01"], root=tmp_path)] == ["01_b", "Tables and figures"]


def test_twice_the_same_bytes_and_nothing_written_elsewhere(tmp_path):
    """01 writes a table and a figure, 03 tables; the executed copies hold what the committed notebooks show."""
    before = {path: path.stat().st_mtime_ns for path in (ROOT / "figures").iterdir()}
    products = []
    for name in ("first", "second"):
        list(reproduce(only=["01", "03"], root=tmp_path / name))
        products.append({path.name: path.read_bytes() for path in (tmp_path / name / "figures").iterdir()})
    assert products[0] == products[1]
    assert {"table1.md", "table1.tex", "table1.csv", "table2.csv", "weeks.pdf", "weeks.png", "weeks.csv"} <= set(products[0])
    assert {path: path.stat().st_mtime_ns for path in (ROOT / "figures").iterdir()} == before
    assert {path.name for path in (tmp_path / "first").iterdir()} == {"data", "figures"}


def test_settled_outputs_hold_nothing_of_one_run():
    cell = new_code_cell(
        "print(1)", execution_count=1, metadata={"execution": {"iopub.status.busy": "x"}, "papermill": {}, "tags": ["t"]}
    )
    cell.outputs = [nbformat.from_dict({"output_type": "stream", "name": "stdout", "text": text}) for text in ("a", "b")]
    raw = new_notebook(
        cells=[cell], metadata={"papermill": {"duration": 1}, "language_info": {"name": "python", "version": "3.11.7"}}
    )
    found = settled(raw)
    assert found.metadata.language_info == {"name": "python"}
    assert found.cells[0].metadata == {"tags": ["t"]}
    assert [output.text for output in found.cells[0].outputs] == ["ab"]
    assert found.cells[0].execution_count == 1


@pytest.mark.parametrize("path", notebook_paths(ROOT), ids=lambda path: path.stem)
def test_committed_notebooks_are_settled_and_name_no_machine(path):
    text = path.read_text(encoding="utf-8")
    assert nbformat.writes(settled(nbformat.reads(text, as_version=4))) == text.removesuffix("\n")
    mimes = {
        mime for cell in json.loads(text)["cells"] for output in cell.get("outputs", []) for mime in output.get("data", {})
    }
    assert mimes <= {"text/plain", "text/markdown", "image/png"}
    assert str(ROOT) not in text
