"""The public interface changes only on purpose."""

from __future__ import annotations

import ast
from importlib import import_module

import pytest

from tests.contracts.checkout import modules
from tests.contracts.names import LIST, current, public_names


def test_public_names_are_those_of_the_committed_list() -> None:
    listed = LIST.read_text(encoding="utf-8").splitlines()
    gone, new = sorted(set(listed) - set(current())), sorted(set(current()) - set(listed))
    assert (gone, new) == ([], []), "public names changed; if that is meant, run `make names` and commit the list"


@pytest.mark.parametrize("module", modules())
def test_every_listed_name_exists(module: str) -> None:
    loaded = import_module(module)
    declared = getattr(loaded, "__all__", [])
    assert [name for name in declared if not hasattr(loaded, name)] == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import os\nA = 1\n_b = 2\ndef f(): ...\nclass C: ...\nx: int = 3\n", ["A", "C", "f", "x"]),
        ("from os import path\n__all__ = ['b', 'a']\nother = 1\n", ["a", "b"]),
        ("async def go(): ...\na = b = 1\n", ["a", "b", "go"]),
    ],
)
def test_names_are_read_from_the_source(source: str, expected: list[str]) -> None:
    assert public_names(source) == expected


@pytest.mark.parametrize("module", modules())
def test_every_module_says_what_it_is(module: str) -> None:
    assert ast.get_docstring(ast.parse(modules()[module].read_text(encoding="utf-8"))), f"{module} has no docstring"
