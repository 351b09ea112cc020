"""Reading a prompt as a model would: its task, its scope, and the JSON lines of its blocks."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Object", "Prompt", "abstain", "clock", "flat", "intervene", "number", "objects", "read_prompt", "text"]

Object = Mapping[str, object]

_TASK = re.compile(r"\A# Task: (\w+)\s*$", re.MULTILINE)
_HEAD = re.compile(r"^Scope: (\w+)\. Entity: (\"(?:[^\"\\]|\\.)*\")\.", re.MULTILINE)
_BLOCK = re.compile(r"^<(\w+)>\n(.*?)^</\1>$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Prompt:
    """What a prompt says, and nothing else."""

    task: str
    scope: str
    entity: str
    blocks: Mapping[str, tuple[Object, ...]]

    def __getitem__(self, name: str) -> tuple[Object, ...]:
        return self.blocks.get(name, ())

    @property
    def current(self) -> Object:
        """The current event of a decision prompt."""
        return self["current_event"][0] if self["current_event"] else {}

    @property
    def opportunity(self) -> Object:
        """The observable state of a decision prompt."""
        return self["opportunity"][0] if self["opportunity"] else {}


@lru_cache(maxsize=2_048)
def _line(line: str) -> Object:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_prompt(messages: Sequence[tuple[str, str]]) -> Prompt | None:
    """The task of the messages, or None where it is none of the method's; a repair repeats the task of its first turns."""
    system = next((content for role, content in messages if role == "system"), "")
    user = next((content for role, content in messages if role == "user"), "")
    task, head = _TASK.search(system), _HEAD.search(user)
    if task is None or head is None:
        return None
    blocks = {match[1]: tuple(_line(line) for line in match[2].split("\n") if line.strip()) for match in _BLOCK.finditer(user)}
    return Prompt(task[1], head[1], json.loads(head[2]), blocks)


def number(value: object) -> float | None:
    """A finite number, or None; booleans are no numbers."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def objects(value: object) -> list[Object]:
    """The objects in a list, none where it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """The text of a value, empty for none."""
    return value if isinstance(value, str) else ""


def clock(value: object) -> float | None:
    """Hours since midnight of HH:MM[:SS], alone or at the end of a local ISO time; 24:00 is 24."""
    match = re.search(r"(?:^|[T ])(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$", text(value))
    return None if match is None else int(match[1]) + int(match[2]) / 60 + int(match[3] or 0) / 3600


def flat(value: object, prefix: str = "") -> list[tuple[str, object]]:
    """All scalars of an object with their dotted paths; the elements of a list share its path."""
    if isinstance(value, Mapping):
        return [pair for key, item in value.items() for pair in flat(item, f"{prefix}.{key}" if prefix else str(key))]
    if isinstance(value, list):
        return [pair for item in value for pair in flat(item, prefix)]
    return [(prefix, value)]


def abstain() -> dict[str, object]:
    """Silence."""
    return {"decision": "abstain", "service": None, "message": None, "evidence": []}


def intervene(action: str, target: str, message: str, evidence: Sequence[object], **fields: object) -> dict[str, object]:
    """One immediate service with its message and evidence."""
    service = {"action": action, "target": target.strip() or action, "mode": "immediate", "delay_minutes": 0}
    cited = [item for item in dict.fromkeys(evidence) if isinstance(item, str)]
    return {"decision": "intervene", "service": service, "message": message, "evidence": cited, **fields}
