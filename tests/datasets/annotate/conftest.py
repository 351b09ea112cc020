"""Small built streams to annotate."""

from __future__ import annotations

from pathlib import Path

import pytest

from proactmem.datasets.raw import build_raw, simulate_raw


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two participants of nine days."""
    folder = tmp_path_factory.mktemp("annotate")
    simulate_raw("sports", folder / "raw", seed=7, streams=2, days=9)
    build_raw("sports", folder / "raw", folder / "built")
    return folder / "built"
