"""What is installed from the wheel works away from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.contracts.checkout import PACKAGE, ROOT, files, notebooks

COMMANDS = ("simulate", "build", "run", "score", "explain", "reproduce")


def _run(*command: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PROACTMEM_"))}
    environment["COLUMNS"] = "200"
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, check=False, cwd=cwd, env=environment, text=True)
    assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of an environment with the wheel, and with the packages of this environment beside it."""
    place = tmp_path_factory.mktemp("installed")
    venv.create(place, with_pip=False, symlinks=True)
    paths = sysconfig.get_paths("venv", vars={"base": str(place), "platbase": str(place)})
    # A path file reached through a path file is not read, so the checkout's own editable install stays unseen.
    (Path(paths["purelib"]) / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    python = Path(paths["scripts"]) / "python"
    _run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=place)
    return Path(paths["scripts"])


def test_the_wheel_holds_every_file_of_the_package_and_the_notebooks(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
    wanted = {path.relative_to(ROOT).as_posix() for path in files() if path.is_relative_to(PACKAGE)}
    wanted |= {f"proactmem/_notebooks/{path.name}" for path in notebooks()}
    assert wanted - names == set()
    assert {name for name in names if not name.startswith("proactmem/") and ".dist-info/" not in name} == set()


def test_the_installed_package_is_the_wheels(installed: Path, tmp_path: Path) -> None:
    where = _run(installed / "python", "-c", "import proactmem; print(proactmem.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(installed.parent)


def test_the_command_line_answers_away_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    for command in ((installed / "proactmem",), (installed / "python", "-m", "proactmem")):
        answer = _run(*command, "--help", cwd=tmp_path)
        assert [name for name in COMMANDS if name not in answer] == []
    assert list(tmp_path.iterdir()) == []
