"""How methods, scopes and backbones are called in tables and figures: by the papers' names, in the papers' order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from proactmem.score.metrics import Metric
from proactmem.score.scoring import RunScore

__all__ = ["DIRECTIONS", "METHOD_ORDER", "SCOPE_ORDER", "backbone_label", "method_name", "method_rank", "scope_name"]

DIRECTIONS: Mapping[Metric, Literal["higher", "lower"]] = {
    "relevance": "higher",
    "coverage": "higher",
    "effectiveness": "higher",
    "intrusion": "lower",
    "balance": "higher",
}
"""Which values of a metric are preferred (Section 5.1); frequency has no preferred end."""

SCOPE_ORDER = ("sports", "home", "code", "desktop", "overall")
"""Scopes in the order of Table 2, ours and the pooled one after."""

METHOD_ORDER = (
    "always",
    "never",
    "ProactiveAgent",
    "ContextAgent",
    "Mem0",
    "A-MEM",
    "Graphiti",
    "summary memory",
    "event-only",
    "event and trajectory memory",
    "w/o replay gate",
    "w/o trajectory validation",
    "controller-free",
    "before suppression",
    "ProactMem",
)
"""Methods in the order of Tables 2 and 4 and Figure 4, constants first and ProactMem last."""

_ALIASES: Mapping[str, str] = {
    **{re.sub(r"[^a-z0-9]", "", name.casefold()): name for name in METHOD_ORDER},
    "alwaysintervene": "always",
    "neverintervene": "never",
    "summary": "summary memory",
    "recursivesummary": "summary memory",
    "eventonlymemory": "event-only",
    "trajectory": "event and trajectory memory",
    "eventtrajectory": "event and trajectory memory",
    "eventandtrajectory": "event and trajectory memory",
    "withoutreplaygate": "w/o replay gate",
    "noreplaygate": "w/o replay gate",
    "noreplay": "w/o replay gate",
    "withoutreplay": "w/o replay gate",
    "withouttrajectoryvalidation": "w/o trajectory validation",
    "notrajectoryvalidation": "w/o trajectory validation",
    "withoutvalidation": "w/o trajectory validation",
    "novalidation": "w/o trajectory validation",
    "controllerfree": "controller-free",
    "controllerfreesequential": "controller-free",
}


def method_name(method: str) -> str:
    """The paper's name of a method; a method of ours or of a user's keeps its own.

    >>> method_name("no_replay_gate"), method_name("amem"), method_name("my-method")
    ('w/o replay gate', 'A-MEM', 'my-method')
    """
    return _ALIASES.get(re.sub(r"[^a-z0-9]", "", method.casefold()), method)


def method_rank(name: str) -> int:
    """Place of a method's name in `METHOD_ORDER`; others come between the baselines and the ablations."""
    return METHOD_ORDER.index(name) if name in METHOD_ORDER else METHOD_ORDER.index("event-only")


def scope_name(scope: str) -> str:
    """A scope as Table 2 heads it.

    >>> scope_name("sports")
    'Sports'
    """
    return scope[:1].upper() + scope[1:]


def backbone_label(score: RunScore) -> str:
    """'offline backbone', or the name of the model that answered: an offline number never looks like a model's."""
    return "offline backbone" if score.backbone == "offline" else score.model
