"""Every error of proactmem, under one base: the message says what was found, what was expected and what to do."""

from __future__ import annotations

from pathlib import Path


class ProactmemError(Exception):
    """The base of everything proactmem raises on purpose; `str(error)` is one readable paragraph."""

    def __init__(self, message: str, *, remedy: str | None = None) -> None:
        self.message = message
        """What was found and what was expected."""
        self.remedy = remedy
        """What the reader can do about it."""
        super().__init__(message if remedy is None else f"{message} {remedy}")

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process boundaries (worker pools): rebuild from the instance's attributes, not from __init__'s signature.
        return (_rebuild, (type(self), self.args, self.__dict__))


def _rebuild(kind: type[ProactmemError], args: tuple[object, ...], state: dict[str, object]) -> ProactmemError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class InputError(ProactmemError):
    """A raw file, label file or own-data file holds something that cannot be read as it stands."""

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        row: int | None = None,
        field: str | None = None,
        found: object = None,
        expected: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.problem = problem
        """What is wrong, in a few words."""
        self.file = None if file is None else str(file)
        """The file, as the user named it."""
        self.row = row
        """1-based line or row of the file, header included; None when the whole file is at fault."""
        self.field = field
        """Column or field path; None when no single field is at fault."""
        self.found = found
        """The offending value."""
        self.expected = expected
        """What would have been accepted."""
        where = ", ".join(
            part
            for part in (
                self.file,
                None if row is None else f"row {row}",
                None if field is None else f"field {field!r}",
            )
            if part
        )
        text = f"{where}: {problem}" if where else problem
        if found is not None:
            text += f"; found {_short(found)}"
        if expected is not None:
            text += f"; expected {expected}"
        super().__init__(text.rstrip(".") + ".", remedy=remedy)


class LabelLeakError(InputError):
    """A public event carries a field that names a reference label, a candidate flag or scoring metadata (SPEC 1)."""


class FetchError(ProactmemError):
    """A public source cannot be downloaded: it does not answer, refuses, or gives something else than what was expected."""


class ConfigError(ProactmemError):
    """A setting or command line argument is outside what is possible."""


class MissingExtraError(ProactmemError):
    """An optional package is not installed; the message holds the install line."""


class BackboneError(ProactmemError):
    """The model service could not answer: the run stops and resumes later, nothing is decided by an outage."""


class StoreError(ProactmemError):
    """A store or run directory cannot be read or written (corrupt, full disk, another version)."""


class ReplayMissError(StoreError):
    """A replay-only run met a request whose reply was never recorded."""


class RunLockedError(StoreError):
    """Another process is writing to this run directory."""


class NotebookError(ProactmemError):
    """A notebook of the package failed or was given a parameter that would change nothing."""


def _short(value: object, limit: int = 120) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
