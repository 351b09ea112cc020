"""The own-data form in data/README.md is the form that `build own` accepts."""

from __future__ import annotations

import json
import re
from pathlib import Path

from proactmem.datasets.build import build_own
from proactmem.datasets.built import BuiltStreams

PAGE = Path(__file__).parents[2] / "data" / "README.md"


def test_every_documented_line_builds(tmp_path: Path) -> None:
    lines = re.findall(r"```json\n(.+?)\n```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    scopes = [json.loads(line)["scope"] for line in lines]
    assert sorted(scopes) == ["code", "desktop", "home", "sports"]
    for scope, line in zip(scopes, lines, strict=True):
        (tmp_path / f"{scope}.jsonl").write_text(line + "\n", encoding="utf-8")
        card = build_own(tmp_path / f"{scope}.jsonl", tmp_path / f"built-{scope}")
        (event,) = BuiltStreams.open(tmp_path / f"built-{scope}").events(card.streams[0].stream_id)
        assert json.loads(event.json) == {name: value for name, value in json.loads(line).items() if name != "scope"}
