"""Data that the tests of the runner share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.making import built_sports


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two simulated participants of nine days, built: one closed cycle each."""
    return built_sports(tmp_path_factory.mktemp("sports"))


@pytest.fixture(scope="session")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smoke simulation of one participant, built: four closed cycles."""
    return built_sports(tmp_path_factory.mktemp("smoke"), participants=1, days=28)
