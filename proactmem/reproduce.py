"""From raw data to tables and figures: the notebooks, executed in order through papermill."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import nbformat
from nbformat.reader import NotJSONError

from proactmem.errors import ConfigError, NotebookError
from proactmem.paths import RUNS
from proactmem.study import Profile, Study, find_root

__all__ = ["check_parameters", "declared_parameters", "execute", "notebook_paths", "reproduce"]


def notebook_paths(root: Path) -> tuple[Path, ...]:
    """The notebooks of the checkout, or those that came with the installed package, in order.

    Args:
        root: Searched first; the package's own come next, so that results may go to a folder that holds no notebooks.

    Raises:
        NotebookError: There are none.
    """
    package = Path(str(files("proactmem")))
    checkout = package.parent if (package.parent / "pyproject.toml").is_file() else root
    for folder in (root / "notebooks", checkout / "notebooks", package / "_notebooks"):
        found = tuple(sorted(folder.glob("[0-9][0-9]_*.ipynb")))
        if found:
            return found
    raise NotebookError(
        f"{root / 'notebooks'}: holds no notebooks, and none came with the package.",
        remedy="Run inside a checkout, or reinstall the package.",
    )


def declared_parameters(notebook: nbformat.NotebookNode) -> dict[str, object]:
    """Names and literal defaults of the one cell tagged `parameters`, read as Python and not by pattern.

    Raises:
        NotebookError: Not exactly one such cell, or something in it that is no `name = literal`.
    """
    cells = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    if len(cells) != 1:
        raise NotebookError(f"expected one cell tagged 'parameters', found {len(cells)}.")
    names: dict[str, object] = {}
    for node in ast.parse(cells[0].source).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case _:
                raise NotebookError(f"line {node.lineno}: a parameters cell holds only NAME = literal.")
        try:
            names[name] = ast.literal_eval(value)
        except ValueError as error:
            raise NotebookError(f"parameter {name!r} is no literal.") from error
    return names


def check_parameters(notebook: nbformat.NotebookNode, given: Mapping[str, object]) -> None:
    """Refuse what papermill only warns of: a name not declared, never read, or overwritten before it is read.

    Raises:
        NotebookError: Names the parameter and those that there are.
    """
    names = declared_parameters(notebook)
    if unknown := sorted(set(given) - set(names)):
        raise NotebookError(f"unknown parameter {unknown}; this notebook takes {sorted(names)}.")
    tagged = next(i for i, cell in enumerate(notebook.cells) if "parameters" in cell.metadata.get("tags", []))
    fate: dict[str, str] = {}
    for cell in notebook.cells[tagged + 1 :]:
        if cell.cell_type != "code":
            continue
        source = "\n".join("" if line.startswith(("%", "!")) else line for line in cell.source.splitlines())
        for statement in ast.parse(source).body:
            loads = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
            stores = {target.id for target in getattr(statement, "targets", []) if isinstance(target, ast.Name)}
            for name in loads:
                fate.setdefault(name, "read")
            for name in stores - loads:
                fate.setdefault(name, "overwritten before it is read")
    if dead := sorted(name for name in names if fate.get(name) != "read"):
        raise NotebookError(f"parameters {dead} reach nothing ({[fate.get(name, 'never read') for name in dead]}).")


def _read(path: Path) -> nbformat.NotebookNode:
    try:
        notebook: nbformat.NotebookNode = nbformat.read(str(path), as_version=4)  # type: ignore[no-untyped-call]  # untyped
    except NotJSONError as error:
        raise NotebookError("is no notebook: not JSON.", remedy="Restore it from version control.") from error
    return notebook


@contextmanager
def _in_notebook(path: Path) -> Iterator[None]:
    """Put the notebook's name before what went wrong in it."""
    try:
        yield
    except NotebookError as error:
        raise NotebookError(f"{path.name}: {error.message}", remedy=error.remedy) from error


def execute(source: Path, target: Path, parameters: Mapping[str, object], *, cwd: Path) -> None:
    """Run one notebook through papermill into an executed copy; the original is never written.

    Args:
        source: The notebook.
        target: The executed copy.
        parameters: Values for names that its parameters cell declares.
        cwd: Folder in which the kernel runs.

    Raises:
        NotebookError: A parameter that reaches nothing, no kernel, or a cell that failed: names notebook, cell and error;
            the copy holds the traceback.
    """
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    with _in_notebook(source):
        check_parameters(_read(source), parameters)
    target.parent.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        papermill.execute_notebook(
            str(source),
            str(target),
            parameters=dict(parameters),
            cwd=str(cwd),
            progress_bar=False,
            kernel_name="python3",
            language="python",
            extra_arguments=["--log-level=40"],  # a warning about loopback transport at every start helps nobody
        )
    except PapermillExecutionError as error:
        raise NotebookError(
            f"{source.name}, cell [{error.exec_count}] ({_first_line(error.source)!r}) failed: {error.ename}: {error.evalue}",
            remedy=f"The executed copy holds the traceback: {target}. Correct the cause and give the same command again: "
            "finished runs are kept.",
        ) from error
    except DeadKernelError as error:
        raise NotebookError(
            f"{source.name}: its kernel died ({error}).",
            remedy="Often too little memory: close other programs and give the same command again; finished runs are kept.",
        ) from error
    except NoSuchKernel as error:
        raise NotebookError(
            f"{source.name}: there is no Jupyter kernel 'python3' ({error}).",
            remedy="Install it: python -m ipykernel install --sys-prefix.",
        ) from error


def _first_line(source: str) -> str:
    lines = [line for line in source.splitlines() if line.strip()]
    return lines[0] if lines else ""


def reproduce(
    profile: Profile = "smoke",
    *,
    only: Sequence[str] | None = None,
    backbone: str = "offline",
    model: str | None = None,
    base_url: str | None = None,
    root: Path | None = None,
) -> Iterator[str]:
    """Execute the notebooks in order; yields one line as each is done, and where the results are.

    Every notebook's parameters are checked before the first one runs.

    Args:
        profile: smoke or paper.
        only: Notebook numbers (such as 03) or names; None for all.
        backbone: offline, or openai for a service.
        model: Model name of the service.
        base_url: Address of the service.
        root: Holds data/ and figures/; the checkout by default.

    Raises:
        ConfigError: `only` names no notebook.
        NotebookError: A notebook failed; it names the notebook, the cell and the error.
    """
    from tqdm import tqdm

    place = find_root(root)
    study = Study.open(profile, backbone=backbone, model=model or "", base_url=base_url or "", root=str(place))
    chosen = _chosen(notebook_paths(place), only)
    values = {
        "profile": profile,
        "backbone": backbone,
        "model": model or "",
        "base_url": base_url or "",
        "root": str(place),
    }
    jobs = []
    for source in chosen:
        with _in_notebook(source):
            notebook = _read(source)
            declared = declared_parameters(notebook)
            parameters = {name: value for name, value in values.items() if name in declared}
            check_parameters(notebook, parameters)
        jobs.append((source, parameters))
    place.mkdir(parents=True, exist_ok=True)
    with tqdm(jobs, unit="notebook", delay=2, file=sys.stderr, disable=None) as bar:
        for source, parameters in bar:
            bar.set_description(source.stem)
            target = place / RUNS / study.key / "notebooks" / source.name
            execute(source, target, parameters, cwd=place)
            yield f"{source.stem}: done, executed copy in {target}"
    yield f"Tables and figures: {study.figures}"


def _chosen(paths: Sequence[Path], only: Sequence[str] | None) -> list[Path]:
    if only is None:
        return list(paths)
    found = [path for path in paths if any(path.stem == name or path.stem.startswith(f"{name}_") for name in only)]
    missing = [name for name in only if not any(path.stem == name or path.stem.startswith(f"{name}_") for path in paths)]
    if missing or not found:
        raise ConfigError(f"no notebook {missing or list(only)}; there are {', '.join(path.stem for path in paths)}.")
    return found
