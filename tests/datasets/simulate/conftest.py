"""Simulated lives shared by the tests of the simulator."""

from pathlib import Path

import pytest

from proactmem.datasets.simulate import simulate_sports
from proactmem.datasets.simulate.lives import Life, live
from proactmem.datasets.simulate.people import draw_person


@pytest.fixture(scope="session")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one simulation of the paper's size."""
    out = tmp_path_factory.mktemp("paper")
    simulate_sports(out, seed=11, size="paper")
    return out


@pytest.fixture(scope="session")
def lives() -> list[Life]:
    """Eighteen lives of 41 days under two seeds."""
    return [live(seed, draw_person(seed, index), 41) for seed in (5, 6) for index in range(1, 10)]
