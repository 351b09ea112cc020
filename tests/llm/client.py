"""A client against a scripted service: what the tests of the OpenAI adapter share."""

from __future__ import annotations

from typing import Any

from proactmem.llm.backbone import Backbone, Reply, Request
from proactmem.llm.faulty_service import Fault, FaultyService, faulty_service
from proactmem.llm.openai_compat import OpenAIBackbone
from tests.llm.doubles import Answering, ask

KEY = "sk-proj-THIS0is0the0secret0key0XYZ"


class Client:
    """An OpenAIBackbone whose sleeps are noted, not slept."""

    def __init__(self, service: FaultyService, **options: Any) -> None:
        self.slept: list[float] = []
        options = {"api_key": KEY, "attempts": 4, "sleep": self.slept.append, **options}
        self.backbone = OpenAIBackbone("m", service.base_url, **options)

    def complete(self, request: Request) -> Reply:
        try:
            return self.backbone.complete(request)
        finally:
            self.backbone.close()


def play(*script: Fault, request: Request | None = None, inner: Backbone | None = None, **options: Any) -> Reply:
    """The reply after a script of faults."""
    with faulty_service(inner or Answering("fine"), script) as service:
        return Client(service, **options).complete(request or ask())


def status(number: int, message: str = "", **more: Any) -> Fault:
    return Fault("status", status=number, message=message, **more)
