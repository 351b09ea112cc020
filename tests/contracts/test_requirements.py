"""The lock, the conda environment and pyproject.toml ask for the same packages."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.contracts.checkout import ROOT

LOCK = (ROOT / "requirements" / "lock.txt").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ASKED = [
    Requirement(text)
    for group in (PROJECT["dependencies"], *(PROJECT["optional-dependencies"][name] for name in ("notebooks", "dev")))
    for text in group
]
_CONDA_NAMES = {
    "build": "python-build",
    "matplotlib": "matplotlib-base",
    "seaborn": "seaborn-base",
    "tzdata": "python-tzdata",
}


def locked() -> dict[str, tuple[str, int]]:
    """Version and number of hashes by package name."""
    found: dict[str, tuple[str, int]] = {}
    for block in re.split(r"\n(?=\S)", LOCK):
        if pinned := re.match(r"([A-Za-z0-9._-]+)==(\S+)", block):
            found[canonicalize_name(pinned[1])] = (pinned[2], block.count("--hash=sha256:"))
    return found


@pytest.mark.parametrize("requirement", ASKED, ids=str)
def test_the_lock_satisfies_pyproject(requirement: Requirement) -> None:
    name = canonicalize_name(requirement.name)
    assert name in locked(), "not in the lock; run `make lock`"
    assert requirement.specifier.contains(locked()[name][0], prereleases=True), "the lock is older; run `make lock`"


def test_every_locked_package_has_a_hash() -> None:
    assert len(locked()) > len(ASKED)
    assert [name for name, (_, hashes) in locked().items() if hashes == 0] == []


def test_the_lock_names_no_host() -> None:
    assert re.findall(r"(?m)^(?:-.*|.*(?:://|file:| @ ).*)$", LOCK) == []


@pytest.mark.parametrize("requirement", ASKED, ids=str)
def test_the_conda_environment_has_the_same_bounds(requirement: Requirement) -> None:
    name = _CONDA_NAMES.get(requirement.name, requirement.name)
    lines = (ROOT / "environment.yml").read_text(encoding="utf-8").splitlines()
    assert f"  - {name} {requirement.specifier}" in lines
