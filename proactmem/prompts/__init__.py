"""The prompt texts, as package data; their hash is part of every run manifest."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from string import Template

__all__ = ["fill", "prompt", "prompts_sha256"]


@cache
def prompt(name: str) -> str:
    """The text of `prompts/<name>.md`."""
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip() + "\n"


def fill(name: str, **values: str) -> str:
    """A prompt with its `$placeholders` replaced; a missing or unknown one is a KeyError here, never a hole in a prompt."""
    return Template(prompt(name)).substitute(values)


@cache
def prompts_sha256(folder: str = "") -> str:
    """Hash of all prompt texts of the methods, by name; of those in a folder, such as `annotation`, where one is named."""
    digest = hashlib.sha256()
    place = files(__name__).joinpath(folder) if folder else files(__name__)
    for entry in sorted(place.iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".md"):
            digest.update(entry.name.encode() + b"\0" + entry.read_bytes() + b"\0")
    return digest.hexdigest()
