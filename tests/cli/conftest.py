"""A folder in which the commands of the README were given, in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import done


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`raw`, `built` and the runs `proactmem` and `never`, of two participants and nine days."""
    folder = tmp_path_factory.mktemp("project")
    done("simulate", "--scope", "sports", "--seed", "7", "--out", folder / "raw", "--participants", 2, "--days", 9)
    done("build", "sports", "--raw", folder / "raw", "--out", folder / "built")
    for method in ("proactmem", "never"):
        done("run", method, "--data", folder / "built", "--out", folder / method)
    return folder
