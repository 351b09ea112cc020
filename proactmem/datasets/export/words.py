"""What an exported dataset says of itself in words: the same in its README and in its Croissant description."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

__all__ = ["ABOUT", "LIMITS", "SIMULATED_LIMIT", "TAGS", "Words"]

ABOUT = (
    "Longitudinal event streams for agents that decide, at each event, whether to intervene or to abstain. Each participant, "
    "home, repository or desktop is one isolated stream in causal order; a public event holds what could be observed at its "
    "time and nothing else. Reference labels lie in configs of their own, for scoring after inference."
)
"""The dataset in three sentences."""
TAGS = ("proactive-agents", "event-streams", "llm-agents", "memory", "longitudinal", "benchmark", "croissant")
LIMITS = (
    "Streams differ more from each other than the events of one stream do: intervals belong over streams, not over events.",
    "There is no training part. Methods start each stream from empty state and see its events one at a time.",
    "People judge differently whether an assistant should speak: a label is one reference, not the only right answer.",
    "A missing measurement is null, never zero. A home's quiet segment may be a quiet home or a silent sensor.",
)
"""Known limits of every export, one sentence or two each."""
SIMULATED_LIMIT = (
    "Simulated parts follow planted habits: scores on them say that a method works, not how well it serves people."
)
"""The limit of an export with a simulated part."""
_CITATION = (
    "Fu, Wu, Zhang, Deng, Guo, Li, Qi, Zhao: Proactive Memory for Event-Driven LLM Agents. arXiv:2610.36967, 2026. "
    "And each source as its attribution asks."
)


@dataclass(frozen=True)
class Words:
    """What whoever publishes may say; the rest is derived from the data."""

    tags: tuple[str, ...] = TAGS
    citation: str = _CITATION
    url: str | None = None
    """Where the dataset will be found."""
    published: date | None = None
    creator: str | None = None
