"""ProactiveBench desktop traces to Desktop streams: one event an observation, in file order (ours, SPEC 1).

A trace is a JSON list of {observation: {time, event}, agent_response, task_status}. Only the observation enters: the
rest holds proposals shown to annotators. File order is causal though times may go back; no zone is stated, so local
days are UTC days (ours).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proactmem.core.events import parse_event
from proactmem.datasets.textfile import RepeatedKeyError, text_lines, unique_keys
from proactmem.datasets.writing import KeyColumns, Sourced, SourceStream
from proactmem.errors import InputError

__all__ = ["KEYS", "Trace", "read_trace", "trace_files", "trace_stream"]

KEYS: KeyColumns = {"trace": "text", "index": "int"}
"""The source key of a Desktop event."""
_FORMAT = "a list of {observation: {time, event}, ...}"


@dataclass(frozen=True)
class Trace:
    """One trace: its name and its observations as the file has them."""

    path: Path
    observations: tuple[Mapping[str, object], ...]

    @property
    def name(self) -> str:
        """The file's name without `.json`; the stream's id."""
        return self.path.stem


def trace_files(raw: Path) -> tuple[Path, ...]:
    """The traces of a folder, its `*.json` files in order of name; or the one file given.

    Raises:
        InputError: There is none.
    """
    if raw.is_file():
        return (raw,)
    found = tuple(sorted(path for path in raw.glob("*.json") if path.is_file() and not path.name.startswith(".")))
    if not found:
        raise InputError(
            "no trace in the folder" if raw.is_dir() else "no such file or folder",
            file=raw,
            expected=f"*.json files, each {_FORMAT}",
            remedy="Name the folder of the ProactiveBench traces.",
        )
    return found


def read_trace(path: Path) -> Trace:
    """One trace file; agent_response and task_status are not looked at.

    Raises:
        InputError: The file is empty, not UTF-8, not JSON, names a key twice, or an item has no observation of time and event.
    """
    text = "".join(line.text for line in text_lines(path))
    try:
        loaded = json.loads(text, object_pairs_hook=unique_keys)
    except RepeatedKeyError as error:
        raise InputError(
            "a key is given twice", file=path, field=error.key, remedy="Keep one of the two values, or fetch the trace again."
        ) from error
    except json.JSONDecodeError as error:
        raise InputError(
            f"not JSON ({error.msg})",
            file=path,
            row=error.lineno,
            expected=_FORMAT,
            remedy="The file is cut off or no trace: fetch it again or move it away.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({error})", file=path, expected=_FORMAT, remedy="Fetch it again.") from error
    if not isinstance(loaded, list):
        raise InputError(
            "not a trace",
            file=path,
            found=loaded,
            expected=_FORMAT,
            remedy="Move the file out of the folder of traces.",
        )
    return Trace(path, tuple(_observation(item, path, index) for index, item in enumerate(loaded)))


def _observation(item: object, path: Path, index: int) -> Mapping[str, object]:
    observation = item.get("observation") if isinstance(item, Mapping) else None
    if not isinstance(observation, Mapping):
        raise InputError(
            "an item without an observation",
            file=path,
            field=f"[{index}].observation",
            found=item,
            expected="an object {time, event}",
            remedy="Correct the item or fetch the trace again.",
        )
    return observation


def trace_stream(trace: Trace) -> SourceStream:
    """A trace as a stream in source order; event ids are the trace's name and the item's 0-based index."""
    return SourceStream(trace.name, "source", _sourced(trace))


def _sourced(trace: Trace) -> Iterator[Sourced]:
    for index, observation in enumerate(trace.observations):
        identity = {"event_id": f"{trace.name}_{index:04d}", "stream_id": trace.name}
        if clash := sorted(set(observation) & set(identity)):
            raise InputError(
                "an observation of unknown fields",
                file=trace.path,
                field=f"[{index}].observation.{clash[0]}",
                expected="time and event",
                remedy="Remove the field.",
            )
        try:
            event = parse_event({**observation, **identity}, scope="desktop")
        except InputError as error:
            raise _placed(error, trace.path, index, observation) from error
        yield Sourced(event, (trace.name, index))


def _placed(error: InputError, path: Path, index: int, observation: Mapping[str, object]) -> InputError:
    """The same error of the same kind, told by file and item."""
    own: Sequence[str] = [*observation, "time", "event"]
    return type(error)(
        error.problem,
        file=path,
        field=f"[{index}].observation.{error.field}" if error.field in own else error.field,
        found=error.found,
        expected=error.expected,
        remedy=error.remedy,
    )
