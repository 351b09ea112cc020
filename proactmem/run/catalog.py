"""The methods by name, as the command line and the tables call them (SPEC 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from proactmem.config import MemoryConfig
from proactmem.core.decisions import Verdict
from proactmem.errors import ConfigError
from proactmem.llm.backbone import Backbone
from proactmem.methods.base import Method
from proactmem.methods.constants import ConstantMethod
from proactmem.methods.proactmem import Layer, ProactMem

__all__ = ["METHODS", "MethodSpec", "method_spec"]


@dataclass(frozen=True)
class MethodSpec:
    """One method: its names and how its state on one stream begins."""

    name: str
    """On the command line and in manifests."""
    title: str
    """In tables, the paper's words."""
    build: Callable[[Backbone, MemoryConfig], Method]
    """A fresh state for one stream."""
    configure: Mapping[str, bool]
    """Settings of the memory that make it this method (ablations)."""

    def config(self, config: MemoryConfig) -> MemoryConfig:
        """The memory settings the method runs with."""
        return config.model_copy(update=dict(self.configure))


def _constant(verdict: Verdict) -> Callable[[Backbone, MemoryConfig], Method]:
    return lambda _backbone, _config: ConstantMethod(verdict)


def _layered(layer: Layer, *, controlled: bool = True) -> Callable[[Backbone, MemoryConfig], Method]:
    return partial(ProactMem, layer=layer, controlled=controlled)


METHODS: Mapping[str, MethodSpec] = {
    spec.name: spec
    for spec in (
        MethodSpec("always", "Always", _constant("intervene"), {}),
        MethodSpec("never", "Never", _constant("abstain"), {}),
        MethodSpec("event-only", "Event-only", _layered("recent"), {}),
        MethodSpec("trajectory", "Event and trajectory memory", _layered("trajectories"), {}),
        MethodSpec("proactmem", "ProactMem", _layered("regularities"), {}),
        MethodSpec("no-replay-gate", "w/o replay gate", _layered("regularities"), {"replay_gate": False}),
        MethodSpec("no-validation", "w/o trajectory validation", _layered("regularities"), {"validate_trajectories": False}),
        MethodSpec("before-suppression", "Before suppression", _layered("regularities", controlled=False), {}),
    )
}
"""Every method by its name."""


def method_spec(name: str) -> MethodSpec:
    """The method of that name.

    Raises:
        ConfigError: No such method; the message lists those there are.
    """
    try:
        return METHODS[name]
    except KeyError:
        raise ConfigError(f"unknown method {name!r}; expected one of {', '.join(METHODS)}.") from None
