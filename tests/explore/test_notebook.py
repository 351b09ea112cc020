"""The committed explorer notebook is of use without a kernel, and holds nothing that the next run would write differently."""

from __future__ import annotations

import nbformat

from tests.contracts.checkout import ROOT

NOTEBOOK = ROOT / "notebooks" / "09_explore.ipynb"


def outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_a_static_page_shows_both_pictures_and_an_account():
    shown = [output.data for output in outputs() if "data" in output]
    assert sum("image/png" in data for data in shown) == 2
    said = "".join(output.text for output in outputs() if output.output_type == "stream")
    for part in ("What the method saw", "What it proposed", "What was decided", "The reference, joined afterwards"):
        assert part in said
    assert "repeats an intervention that was allowed before" in said


def test_no_widget_of_one_kernel_is_committed():
    kinds = {kind for output in outputs() if "data" in output for kind in output.data}
    assert kinds == {"image/png", "text/plain"}, "a widget's id belongs to one run: leave its view out of what is stored"
    assert "widgets" not in nbformat.read(NOTEBOOK, as_version=4).metadata
