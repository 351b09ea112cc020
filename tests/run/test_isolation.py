"""Time, chance and identity come in by argument: no clock, no hash seed and no environment changes a decision."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import proactmem
from tests.run.making import do, ended, files, python

PACKAGE = Path(proactmem.__file__).parent
DECIDING = ("core", "memory", "methods", "run", "prompts", "llm/offline")
CLOCKS = {"now", "utcnow", "today", "time", "time_ns", "monotonic", "perf_counter", "localtime", "gmtime", "ctime"}
CHANCE = {"random", "secrets", "uuid"}


def modules() -> list[Path]:
    return [path for part in DECIDING for path in sorted((PACKAGE / part).rglob("*.py"))]


def reads_a_clock(tree: ast.AST) -> list[str]:
    """Calls of a clock, imports of one, and imports of what draws lots."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found += [name.name for name in names if name.name.split(".")[0] in {"time", *CHANCE}]
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in {"time", *CHANCE}:
                found.append(module)
            case ast.Call(func=ast.Attribute(attr=name, value=ast.Name(id="datetime" | "date" | "time"))) if name in CLOCKS:
                found.append(name)
            case ast.Call(func=ast.Name(id="hash" | "id")):
                found.append("hash")
    return found


def test_the_modules_that_decide_are_found() -> None:
    assert len(modules()) > 35


@pytest.mark.parametrize("module", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_module_that_decides_calls_a_clock_or_draws_lots(module: Path) -> None:
    assert reads_a_clock(ast.parse(module.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "from time import time",
        "datetime.now()",
        "date.today()",
        "time.time()",
        "import uuid",
        "from random import choice",
        "hash(x)",
    ],
)
def test_a_clock_is_found_where_one_is_called(source: str) -> None:
    assert reads_a_clock(ast.parse(source))


_ANOTHER_TIME = """
import datetime, sys, time
YEAR = 366 * 86_400.0
def later(clock):
    return lambda *given: clock(*given) + YEAR
for name in ("time", "monotonic", "perf_counter"):
    setattr(time, name, later(getattr(time, name)))
class Later(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) + datetime.timedelta(days=366)
    @classmethod
    def utcnow(cls):
        raise SystemExit("utcnow was called")
class LaterDay(datetime.date):
    @classmethod
    def today(cls):
        return super().today() + datetime.timedelta(days=366)
datetime.datetime, datetime.date = Later, LaterDay
from proactmem.cli import main
main(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def expected(built: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return dict(files(do("proactmem", built, tmp_path_factory.mktemp("here") / "run"), "records", "audit"))


def test_the_machine_s_clock_moved_by_a_year_changes_no_decision(
    expected: dict[str, bytes], built: Path, tmp_path: Path
) -> None:
    process = python(  # compiled packages warn of the replaced classes
        "-W", "ignore::RuntimeWarning", "-c", _ANOTHER_TIME, "run", "proactmem", "--data", str(built), "--out", "run",
        cwd=tmp_path, environment={"TZ": "Pacific/Kiritimati"},
    )  # fmt: skip
    code, _, err = ended(process)
    assert (code, err) == (0, "")
    assert dict(files(tmp_path / "run", "records", "audit")) == expected


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_the_hash_seed_and_locale_change_no_byte(seed: str, expected: dict[str, bytes], built: Path, tmp_path: Path) -> None:
    process = python(
        "-m", "proactmem", "run", "proactmem", "--data", str(built), "--out", "run", cwd=tmp_path,
        environment={"PYTHONHASHSEED": seed, "LC_ALL": "C"},
    )  # fmt: skip
    code, _, err = ended(process)
    assert (code, err) == (0, "")
    assert dict(files(tmp_path / "run", "records", "audit")) == expected
