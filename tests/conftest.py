"""Fixtures and settings of all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data files that PROACTMEM_DATA names; tests that need it skip without it."""
    named = os.environ.get("PROACTMEM_DATA")
    if not named:
        pytest.skip("PROACTMEM_DATA is unset: it names the folder of real data (heartsteps/, proactivebench/, ...)")
    folder = Path(named)
    if not folder.is_dir():
        pytest.fail(f"PROACTMEM_DATA is {named!r}; expected a folder. Correct or unset it.")
    return folder
