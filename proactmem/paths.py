"""Where the checkout keeps its things, each name once."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from proactmem.errors import StoreError

BUILT = Path("data/built")
"""Built streams, one folder a scope (ignored by git)."""
RUNS = Path("data/runs")
"""Run directories (ignored by git)."""
RAW = Path("data/raw")
"""Raw files, simulated or fetched (ignored by git)."""
FIGURES = Path("figures")
"""Products: pdf, png, csv, md, tex."""
NOTEBOOKS = Path("notebooks")
"""The notebooks, in the checkout."""


def storage_error(path: Path, error: OSError) -> StoreError:
    """The readable form of a failed write, a full disk told apart from other causes."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreError(
            f"{path}: the disk is full.",
            remedy="Free some space and run the same command again; everything stored so far is kept.",
        )
    return StoreError(
        f"{path}: cannot be written ({error.strerror or error}).",
        remedy="Check that the folder exists, is writable and is on a working disk, then run the command again.",
    )


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """A binary file that appears under `path` whole or not at all (temporary file beside it, fsync, rename).

    Raises:
        StoreError: The file cannot be written (full disk, missing permission).
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise storage_error(path, error) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise storage_error(path, error) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_atomic(path: Path, data: bytes | str) -> None:
    """Write `data` (text as UTF-8) to `path` atomically."""
    with atomic_write(path) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)
