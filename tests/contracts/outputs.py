"""The committed outputs of the notebooks; `make notebooks` executes them with their defaults and stores what was shown.

A notebook is executed as a copy, by the very code that `proactmem reproduce` uses. What is stored holds execution counts,
tags and outputs, and nothing that another run, another interpreter or another machine would write differently.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat

from proactmem.paths import write_atomic
from proactmem.reproduce import execute, notebook_paths
from tests.contracts.checkout import ROOT

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def settled(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook without the metadata of one run, streams of one name in a row joined."""
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": {"name": "python"}})
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        joined: list[nbformat.NotebookNode] = []
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and joined and joined[-1].get("name") == output.name:
                joined[-1].text += output.text
                continue
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)  # names a widget of one kernel
            if "metadata" in output:
                output.metadata = nbformat.from_dict({})
            joined.append(output)
        if cell.cell_type == "code":
            cell.outputs = joined
    return notebook


def store(source: Path) -> None:
    """Execute one notebook with its defaults and store its outputs in it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / source.name
        execute(source, copy, {}, cwd=ROOT)
        write_atomic(source, nbformat.writes(settled(nbformat.read(copy, as_version=4))) + "\n")


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(ROOT)
    for path in notebook_paths(ROOT):
        sys.stderr.write(f"{path.name}\n")
        store(path)
