"""What belongs to the checkout, and where its parts are."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "proactmem"
_IGNORED = {"__pycache__", "build", "dist", "data/raw", "data/built", "data/runs"}


@cache
def files() -> tuple[Path, ...]:
    """Files under version control or about to be; in an unpacked archive, all files that are no product."""
    if (ROOT / ".git").exists():
        command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        found = [ROOT / name for name in listed.split("\0") if name]
    else:
        found = [path for path in ROOT.rglob("*") if path.is_file() and not _is_product(path.relative_to(ROOT))]
    return tuple(sorted(path for path in found if path.is_file()))


def _is_product(path: Path) -> bool:
    parents = [path, *path.parents]
    return any(p.as_posix() in _IGNORED or p.name in _IGNORED for p in parents) or path.parts[0].startswith(".")


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found: dict[str, Path] = {}
    for path in files():
        if path.suffix == ".py" and path.is_relative_to(PACKAGE):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return dict(sorted(found.items()))


def notebooks() -> tuple[Path, ...]:
    """The notebooks in order."""
    return tuple(path for path in files() if path.parent == ROOT / "notebooks" and path.suffix == ".ipynb")
