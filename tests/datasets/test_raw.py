"""Every scope that has a simulator is simulated, built and read back by one pair of calls."""

from __future__ import annotations

import pytest

from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.planted import read_planted
from proactmem.datasets.raw import SIMULATED, build_raw, is_whole, raw_key, simulate_raw
from proactmem.errors import ConfigError, InputError


@pytest.mark.parametrize("scope", SIMULATED)
def test_a_simulation_is_whole_and_is_built_with_its_labels_and_truth(scope, tmp_path):
    raw = tmp_path / "raw"
    assert not is_whole(scope, raw)
    seen = []
    simulate_raw(scope, raw, seed=7, streams=2, days=8, progress=lambda done, of: seen.append((done, of)))
    assert is_whole(scope, raw)
    assert seen == [(1, 2), (2, 2)]
    card = build_raw(scope, raw, tmp_path / "built")
    assert card.labels is not None
    assert card.labels.joined == card.events > 0
    assert card.source.startswith("simulated")
    assert list(read_planted(raw)) == list(BuiltStreams.open(tmp_path / "built").stream_ids)
    (raw / "planted.json").unlink()
    assert not is_whole(scope, raw)
    assert read_planted(raw) == {}


def test_a_scope_without_a_simulator_is_named(tmp_path):
    with pytest.raises(ConfigError, match="scope 'desktop' has no simulator; expected one of sports, home, code"):
        simulate_raw("desktop", tmp_path, seed=1)
    assert not is_whole("desktop", tmp_path)


def test_a_truth_that_is_none_is_named(tmp_path):
    (tmp_path / "planted.json").write_text('{"homes": [{"home": 1}]}')
    with pytest.raises(InputError, match=r"planted\.json: is no planted truth"):
        read_planted(tmp_path)


def test_a_key_follows_what_the_raw_files_hold_and_nothing_else(tmp_path):
    for name in ("one", "two"):
        simulate_raw("home", tmp_path / name, seed=7, streams=1, days=1)
    first = raw_key("home", tmp_path / "one")
    assert raw_key("home", tmp_path / "two") == first
    assert raw_key("home", tmp_path / "two", ["more"]) != first
    (tmp_path / "two" / ".hidden").write_text("x")
    (tmp_path / "two" / "planted.json").write_text("{}")
    assert raw_key("home", tmp_path / "two") == first
    file = tmp_path / "two" / "sim01" / "sim01.rawdata.txt"
    file.write_text(file.read_text() + "2013-01-01 00:00:00\tM001\tHall\tHall\tON\tControl4-Motion\n")
    assert raw_key("home", tmp_path / "two") != first
