"""A model that errs at a stated rate: fabricated facts in daily replies, fabricated regularities in weekly ones.

What the two deterministic checks of the memory - source validation and historical replay - are there to refuse.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from proactmem.errors import ConfigError
from proactmem.llm.backbone import Backbone, Reply, Request
from proactmem.llm.faulty_service import Fault, FaultyService, faulty_service
from proactmem.llm.schema import ReplyFault, parse_json_reply

__all__ = ["FabricatingBackbone", "Fault", "FaultyService", "faulty_service"]

Scalar = str | bool | int | float
_PLACES = ("observed", "context_before", "outcome")
_WORDS = (
    "ON_BICYCLE", "library", "greenhouse", "workshop", "garage", "concert", "approved", "postponed", "snow", "balcony",
    "swimming", "attic",
)  # fmt: skip
_PAIR = re.compile(r'"path"\s*:\s*"([^"\\]+)"\s*,\s*"value"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false)')
_SOURCE = re.compile(r"\bday_[0-9A-Za-z]+\b")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class _Seen:
    """What a prompt shows: facts to build on, and how to say something it does not hold."""

    prompt: str
    rng: random.Random

    def facts(self) -> list[tuple[str, Scalar]]:
        found = [(path, json.loads(value)) for path, value in _PAIR.findall(self.prompt)]
        return list(dict.fromkeys(found))

    def sources(self) -> list[str]:
        return list(dict.fromkeys(_SOURCE.findall(self.prompt)))

    def absent(self, value: Scalar) -> Scalar:
        """A value of the same kind that occurs nowhere in the prompt (a boolean can only be turned round)."""
        match value:
            case bool():
                return not value
            case int() | float():
                held = {float(text) for text in _NUMBER.findall(self.prompt)}
                other = value if abs(value) < 10**12 else 1
                while other == value or float(other) in held:
                    other = other + self.rng.randint(1, 40)
                return other
            case str():
                folded = self.prompt.casefold()
                words = [word for word in _WORDS if word.casefold() not in folded and word.casefold() != value.casefold()]
                return self.rng.choice(words) if words else f"{value} {self.rng.randint(10**8, 10**9)}"


class FabricatingBackbone:
    """Passes requests on and corrupts the replies: what a model does that makes things up, at a rate one can set.

    Each segment of a daily reply gets, with probability `rate`, one false fact: one of its facts takes another value, or is
    joined by a further one at the same path with a value the day does not hold. Each regularity of a weekly reply is, with
    probability `rate`, joined by a fabricated one: well-formed and plausible, with paths and sources of the prompt, but
    expecting what no record shows. Decisions and repairs pass untouched. Equal requests and seeds give equal faults.

    Args:
        inner: The model that answers.
        rate: Probability of a fault per segment or regularity, 0 to 1.
        seed: Together with the request's key it decides every fault.

    Raises:
        ConfigError: The rate is no probability.
    """

    def __init__(self, inner: Backbone, rate: float, seed: int = 0) -> None:
        if not 0 <= rate <= 1:
            raise ConfigError(f"The fault rate is {rate!r}, expected a probability.", remedy="Give a number from 0 to 1.")
        self._inner, self._rate, self._seed = inner, rate, seed
        self._lock = threading.Lock()
        self._fabricated = {"daily": 0, "weekly": 0}

    @property
    def name(self) -> str:
        """The inner backbone's name; rate and seed belong in a run's settings."""
        return self._inner.name

    @property
    def model(self) -> str:
        """The inner backbone's model."""
        return self._inner.model

    @property
    def fabricated(self) -> dict[str, int]:
        """Facts (daily) and regularities (weekly) made up so far."""
        with self._lock:
            return dict(self._fabricated)

    def complete(self, request: Request) -> Reply:
        """The inner reply, with faults where its role is daily or weekly and it is JSON.

        Raises:
            BackboneError: The inner backbone could not answer.
        """
        reply = self._inner.complete(request)
        if request.role not in ("daily", "weekly") or self._rate == 0:
            return reply
        answer = parse_json_reply(reply.text)
        if isinstance(answer, ReplyFault):
            return reply
        rng = random.Random(sha256(f"{self._seed}|{request.key}".encode()).digest())  # noqa: S311 - no secret
        prompt = "\n".join(message.content for message in request.messages if message.role != "system")
        seen = _Seen(prompt, rng)
        made = self._daily(answer, seen) if request.role == "daily" else self._weekly(answer, seen)
        if not made:
            return reply
        with self._lock:
            self._fabricated[request.role] += made
        return reply.model_copy(update={"text": json.dumps(answer, ensure_ascii=False)})

    def _daily(self, answer: dict[str, object], seen: _Seen) -> int:
        made = 0
        for lists in _fact_lists(answer):
            facts = [(within, fact) for within in lists for fact in within if _is_fact(fact)]
            if not facts or seen.rng.random() >= self._rate:
                continue
            within, fact = seen.rng.choice(facts)
            false = {**fact, "value": seen.absent(fact["value"])}
            made += 1
            if seen.rng.random() < 0.5:
                fact.update(false)
            else:
                within.append(false)
        return made

    def _weekly(self, answer: dict[str, object], seen: _Seen) -> int:
        proposed = answer.get("regularities")
        if not isinstance(proposed, list):
            return 0
        own = [item for item in proposed if isinstance(item, dict)]
        facts = seen.facts() or [fact for item in own for fact in _conditions(item)]
        cited = [source for item in own if isinstance(item.get("sources"), list) for source in item["sources"]]
        sources = seen.sources() or sorted({source for source in cited if isinstance(source, str)})
        wanted = sum(seen.rng.random() < self._rate for _ in range(max(1, len(own))))
        if not facts or not sources:
            return 0
        for _ in range(wanted):
            proposed.append(_regularity(facts, sources, seen))
        return wanted


def _regularity(facts: list[tuple[str, Scalar]], sources: list[str], seen: _Seen) -> dict[str, object]:
    """A plausible regularity that no record shows: after something seen, more than was ever counted, or an unseen word."""
    rng = seen.rng
    trigger = rng.choice(facts)
    counts: dict[str, float] = {}
    for path, value in facts:
        if isinstance(value, int | float) and not isinstance(value, bool):
            counts[path] = max(value, counts.get(path, value))
    words = [(path, value) for path, value in facts if isinstance(value, str)]
    if counts and (not words or rng.random() < 0.7):
        path = rng.choice(sorted(counts))
        behavior: dict[str, object] = {"path": path, "op": ">=", "value": int(abs(counts[path]) * 1.2) + 1}
    else:
        path, value = rng.choice(words or facts)
        behavior = {"path": path, "op": "==", "value": seen.absent(value)}
    start, hours = rng.randint(6, 20), rng.randint(1, 3)
    return {
        "trigger": {"path": trigger[0], "op": "==", "value": trigger[1]},
        "behavior": behavior,
        "window": {"start": f"{start:02d}:00", "end": f"{start + hours:02d}:00"},
        "weekdays": None,
        "sources": sorted(rng.sample(sources, min(len(sources), 3))),
    }


def _is_fact(fact: object) -> bool:
    return isinstance(fact, dict) and isinstance(fact.get("value"), Scalar)


def _fact_lists(answer: dict[str, object]) -> Iterator[list[list[Any]]]:
    """The lists of facts of each segment."""
    segments = answer.get("segments")
    for segment in segments if isinstance(segments, list) else []:
        if isinstance(segment, dict):
            yield [facts for place in _PLACES if isinstance(facts := segment.get(place), list)]


def _conditions(regularity: dict[str, object]) -> Iterator[tuple[str, Scalar]]:
    for part in (regularity.get("trigger"), regularity.get("behavior")):
        if isinstance(part, dict) and isinstance(part.get("path"), str) and isinstance(part.get("value"), Scalar):
            yield part["path"], part["value"]
