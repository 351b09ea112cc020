"""The backbone a user names, built; nothing is imported or constructed that is not used."""

from __future__ import annotations

from proactmem.errors import ConfigError
from proactmem.llm.backbone import Backbone
from proactmem.llm.faults import FabricatingBackbone
from proactmem.llm.offline.backbone import OfflineBackbone

__all__ = ["BACKBONES", "choose_backbone"]

BACKBONES = ("offline", "openai")
"""Names on the command line; `openai` is any OpenAI-compatible service."""


def choose_backbone(
    name: str,
    *,
    model: str | None = None,
    base_url: str | None = None,
    fabricate: float = 0.0,
    fabricate_seed: int = 0,
) -> Backbone:
    """The backbone of that name.

    Args:
        name: offline or openai.
        model: Model name, needed for a service.
        base_url: Address of the service; None is the provider's own or OPENAI_BASE_URL.
        fabricate: Share of construction replies into which facts and regularities are fabricated (a stress test).
        fabricate_seed: Seed of the fabrication.

    Raises:
        ConfigError: Unknown name, a model or address that does not go with it, or a service without model or key.
    """
    if not 0 <= fabricate <= 1:
        raise ConfigError(f"the share of fabricated replies is {fabricate!r}; expected 0 to 1.")
    backbone: Backbone
    if name == "offline":
        if base_url is not None or model not in (None, OfflineBackbone.model):
            raise ConfigError(
                "the offline backbone takes no model and no base URL.", remedy="Add --backbone openai to ask a service."
            )
        backbone = OfflineBackbone()
    elif name == "openai":
        if not model:
            raise ConfigError("a service needs a model name.", remedy="Add --model NAME.")
        from proactmem.llm.openai_compat import OpenAIBackbone

        backbone = OpenAIBackbone(model, base_url=base_url)
    else:
        raise ConfigError(f"unknown backbone {name!r}; expected one of {', '.join(BACKBONES)}.")
    return FabricatingBackbone(backbone, fabricate, fabricate_seed) if fabricate else backbone
