"""Small data and runs for the tests of the runner, and doubles that fail, wait or count."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from proactmem.datasets.build import build_sports
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.simulate import simulate_sports
from proactmem.errors import BackboneError
from proactmem.llm.backbone import Backbone, Reply, Request
from proactmem.llm.offline.backbone import OfflineBackbone
from proactmem.run.catalog import METHODS
from proactmem.run.replay import run

ROOT = Path(__file__).parents[2]
FIRST, SECOND = "heartsteps_participant_01", "heartsteps_participant_02"


def built_sports(folder: Path, *, participants: int = 2, days: int = 9, seed: int = 7) -> Path:
    """Simulated participants, built: `raw/` and `built/` in the folder; the latter is returned."""
    simulate_sports(folder / "raw", seed=seed, participants=participants, days=days)
    build_sports(folder / "raw", folder / "built")
    return folder / "built"


def do(method: str, built: Path, out: Path, backbone: Backbone | None = None, **options: object) -> Path:
    """A run of a method, offline where nothing is said."""
    run(METHODS[method], BuiltStreams.open(built), out, backbone or OfflineBackbone(), **options)  # type: ignore[arg-type]
    return out


def files(out: Path, *names: str) -> Mapping[str, bytes]:
    """Bytes of a run's files by relative name: records, audit and manifest, or the named ones."""
    chosen = names or ("records", "audit", "manifest.json")
    found = [path for path in out.rglob("*") if path.is_file() and path.relative_to(out).parts[0] in chosen]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in found}


class Failing:
    """Offline rules behind a door that breaks at given calls (counted from 0, over all threads) or requests."""

    name, model = OfflineBackbone.name, OfflineBackbone.model

    def __init__(self, breaks: Callable[[int, Request], BaseException | None] = lambda _, __: None) -> None:
        self._inner, self._breaks = OfflineBackbone(), breaks
        self._lock = threading.Lock()
        self.calls = 0

    def complete(self, request: Request) -> Reply:
        with self._lock:
            number, self.calls = self.calls, self.calls + 1
        error = self._breaks(number, request)
        if error is not None:
            raise error
        return self._inner.complete(request)


def down(_: int, __: Request) -> BackboneError:
    return BackboneError("the service is down.", remedy="Start it.")


def start(*arguments: str, cwd: Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """The command line in a process of its own."""
    return python("-m", "proactmem", *arguments, cwd=cwd, environment=environment)


def python(*arguments: str, cwd: Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Python in a process of its own that finds the package from any folder."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, **(environment or {})},
    )  # fmt: skip


def ended(process: subprocess.Popen[str], seconds: float = 60) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a process that ends by itself."""
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        process.kill()
    return process.returncode, out, err


def paragraph(err: str) -> str:
    """The one paragraph that an expected failure prints, checked to be one and no traceback."""
    assert "Traceback" not in err
    (line,) = [line for line in err.splitlines() if line.startswith("proactmem: ")]
    assert err.endswith(line + "\n"), err
    return line
