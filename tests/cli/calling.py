"""The command line called in this process, with what it prints and how it ends."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

from proactmem.cli import main


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """One JSON object a line of stdout."""
        return [json.loads(line) for line in self.out.splitlines()]


def call(*arguments: object) -> Ended:
    """Run `proactmem` with these arguments."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = end.code
    assert isinstance(code, int | None)
    return Ended(code or 0, out.getvalue(), err.getvalue())


def done(*arguments: object) -> Ended:
    """A command that succeeds: exit code 0 and nothing on stderr."""
    ended = call(*arguments)
    assert (ended.code, ended.err) == (0, "")
    return ended


def failed(*arguments: object) -> str:
    """A command that fails as expected: exit code 1, nothing on stdout, one paragraph on stderr, which is returned."""
    ended = call(*arguments)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("proactmem: ")
    assert ended.err.endswith("\n")
    assert ended.err.count("\n") == 1
    assert "Traceback" not in ended.err
    return ended.err.removeprefix("proactmem: ").removesuffix("\n")
