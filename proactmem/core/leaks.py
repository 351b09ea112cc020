"""What is refused at the door of a public event: names of labels and marks of evaluation, and text that is no text (SPEC 1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from proactmem.errors import InputError, LabelLeakError

__all__ = ["refuse_leaks"]

_NAMES = frozenset(
    {
        *("y", "y_t", "y_true", "gt", "label", "labels", "gold", "target", "ground_truth", "positive", "is_positive"),
        *("intervene", "should_intervene", "reference_decision", "help_needed", "task_status", "candidate_task"),
        *("candidate", "candidate_flag", "is_candidate", "episode", "episode_id", "memory_level", "memory_marker"),
        *("scoring_mask", "score_mask", "mask", "opportunity", "novelty", "annotation", "annotations", "annotator"),
        *("vote", "votes", "split"),
    }
)
_WORDS = frozenset(
    {
        *("gt", "label", "labels", "groundtruth", "reference", "candidate", "annotation", "annotator", "annotated"),
        *("gold", "vote", "mask", "episode"),
    }
)
_OWN_LABELS = frozenset({"label", "labels", "label_name", "label_names"})
"""A repository's own issue labels, in attributes."""
_DATA_KEYED = frozenset({"location_counts"})
"""Containers whose keys are data of the source (room names), not field names."""


@lru_cache(maxsize=4_096)
def _label_like(name: str, inside: str) -> bool:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).casefold().replace("-", "_").replace(" ", "_")
    if inside in _DATA_KEYED or (inside == "attributes" and words in _OWN_LABELS):
        return False
    return words in _NAMES or bool(set(words.split("_")) & _WORDS)


def _is_text(value: str) -> bool:
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse_leaks(data: object, *, file: str | Path | None = None, row: int | None = None, inside: str = "") -> None:
    """Walk an event's fields at any depth.

    Args:
        data: The event, or a part of it.
        file: Named in errors.
        row: 1-based row, named in errors.
        inside: Name of the field that holds `data`.

    Raises:
        LabelLeakError: A field names a reference label, candidate flag, annotation, episode or mask.
        InputError: A key or value holds a lone surrogate, which is no text.
    """
    match data:
        case Mapping():
            for key, value in data.items():
                name = str(key)
                where = f"{inside}.{name}" if inside else name
                if not _is_text(name):
                    raise _no_text(where, file, row)
                if _label_like(name, inside):
                    raise LabelLeakError(
                        "a public event carries a label-like field", file=file, row=row, field=where,
                        expected="only contemporaneously observable fields",
                        remedy="Move it to a label file keyed by event_id; only the scorer reads labels.",
                    )  # fmt: skip
                refuse_leaks(value, file=file, row=row, inside=name)
        case list() | tuple():
            for item in data:
                refuse_leaks(item, file=file, row=row, inside=inside)
        case str() if not _is_text(data):
            raise _no_text(inside, file, row)
        case _:
            pass


def _no_text(where: str, file: str | Path | None, row: int | None) -> InputError:
    return InputError(
        "half a character (a lone surrogate) where text is expected", file=file, row=row, field=ascii(where)[1:-1],
        remedy="Write the text as UTF-8, both halves of a surrogate pair together.",
    )  # fmt: skip
