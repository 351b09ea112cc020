"""Proactive memory for event-driven LLM agents: when to speak up, and when to stay silent."""

from __future__ import annotations

__version__ = "0.1.0"
