"""The Sports simulator writes the raw format, the same bytes for the same seed, and lives that stand alone."""

import csv
import json
import os
from pathlib import Path

import pytest

from proactmem.datasets.simulate import simulate_sports
from proactmem.datasets.simulate.columns import COLUMNS
from proactmem.errors import ConfigError

FILES = ("suggestions.csv", "reference_labels.csv", "planted.json")
REAL_HEADER = (
    "user.index,decision.index,decision.index.nogap,sugg.select.utime,sugg.select.slot,sugg.select.update,sugg.tz,"
    "sugg.gmtoff,sugg.decision.utime,sugg.decision.slot,sugg.context.utime,sugg.response.utime,sugg.device.utime,"
    "sugg.device.since,interaction.count,connect,is.randomized,snooze.status,intransit,avail,send,send.active,"
    "send.sedentary,is.prefetch,recognized.activity,recognized.activity.response,tag.active,tag.indoor,tag.outdoor,"
    "tag.outdoor_snow,front.end.application,returned.message,response,dec.city,dec.location.exact,"
    "dec.location.category,dec.weather.condition,dec.temperature,dec.windspeed,dec.precipitation.chance,dec.snow,"
    "response.city,response.location.exact,response.location.category,response.weather.condition,"
    "response.temperature,response.windspeed,response.precipitation.chance,response.snow,jbmins10,jbsteps10,"
    "jbmins40,jbsteps40,jbmins30,jbsteps30,jbmins60,jbsteps60,jbmins90,jbsteps90,jbmins120,jbsteps120,"
    "jbsteps10.zero,jbsteps30.zero,jbsteps40.zero,jbsteps60.zero,jbsteps90.zero,jbsteps120.zero,jbmins30pre,"
    "jbsteps30pre,jbmins40pre,jbsteps40pre,jbmins60pre,jbsteps60pre,jbsteps30pre.zero,jbsteps40pre.zero,"
    "jbsteps60pre.zero,gfmins10,gfsteps10,gfmins30,gfsteps30,gfmins60,gfsteps60,gfmins30pre,gfsteps30pre,"
    "gfmins60pre,gfsteps60pre"
)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    simulate_sports(tmp_path / "one", seed=3, participants=2, days=15)
    simulate_sports(tmp_path / "two", seed=3, participants=2, days=15)
    simulate_sports(tmp_path / "other", seed=4, participants=2, days=15)
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
        assert (tmp_path / "one" / name).read_bytes() != (tmp_path / "other" / name).read_bytes()


def test_another_participant_changes_nobody_else(tmp_path: Path) -> None:
    simulate_sports(tmp_path / "two", seed=3, participants=2, days=15)
    simulate_sports(tmp_path / "three", seed=3, participants=3, days=15)
    for name in FILES[:2]:
        few = (tmp_path / "two" / name).read_text(encoding="utf-8")
        assert (tmp_path / "three" / name).read_text(encoding="utf-8").startswith(few)
    planted = [json.loads((tmp_path / folder / FILES[2]).read_text()) for folder in ("two", "three")]
    assert planted[1]["participants"][:2] == planted[0]["participants"]
    assert len(planted[1]["participants"]) == 3


def test_later_days_change_no_earlier_row_and_no_earlier_label(tmp_path: Path) -> None:
    simulate_sports(tmp_path / "short", seed=8, participants=4, days=20)
    simulate_sports(tmp_path / "long", seed=8, participants=4, days=40)
    short, long = (_rows(tmp_path / name / FILES[0]) for name in ("short", "long"))
    keys = [(row["user.index"], row["decision.index"]) for row in short]
    found = {(row["user.index"], row["decision.index"]): row for row in long}
    assert [found[key] for key in keys] == short
    short_labels, long_labels = (_rows(tmp_path / name / FILES[1]) for name in ("short", "long"))
    labels = {(row["participant"], row["decision_index"]): row for row in long_labels}
    assert [labels[row["participant"], row["decision_index"]] for row in short_labels] == short_labels
    assert len(short_labels) > 200


def test_the_columns_are_those_of_the_real_file(paper: Path) -> None:
    assert ",".join(COLUMNS) == REAL_HEADER
    assert len(COLUMNS) == 86
    assert (paper / FILES[0]).read_text(encoding="utf-8").partition("\n")[0] == REAL_HEADER


@pytest.mark.skipif("PROACTMEM_DATA" not in os.environ, reason="PROACTMEM_DATA names no folder with the real file")
def test_the_header_written_out_here_is_the_real_one() -> None:
    real = Path(os.environ["PROACTMEM_DATA"]) / "heartsteps" / "suggestions.csv"
    with real.open(encoding="utf-8") as file:
        assert file.readline().rstrip("\n") == REAL_HEADER


def test_rows_keep_the_raw_format(paper: Path) -> None:
    rows = _rows(paper / FILES[0])
    order = [(int(row["user.index"]), int(row["decision.index"])) for row in rows]
    assert order == sorted(set(order))
    offsets = set()
    for row in rows:
        connected = row["connect"] == "True"
        assert row["connect"] in ("True", "False")
        assert (row["sugg.tz"] != "") == connected == (row["recognized.activity"] != "")
        assert connected or row["avail"] == "False"
        if connected:
            hours = -int(float(row["sugg.gmtoff"])) // 3600
            assert row["sugg.tz"] == f"Etc/GMT{hours:+d}"
            transit = row["recognized.activity"] not in ("STILL", "UNKNOWN")
            assert row["intransit"] == str(transit)
            assert row["avail"] == str(not transit and row["snooze.status"] == "False")
        offsets.add((row["user.index"], row["sugg.gmtoff"]))
    assert len({user for user, _ in offsets}) == 9
    assert len(offsets) > 9, "nobody lived through the end of summer time or travelled"


def test_steps_add_up_and_missing_is_not_zero(paper: Path) -> None:
    rows = _rows(paper / FILES[0])
    missing = 0
    for row in rows:
        for device in ("jb", "gf"):
            half, whole = row[f"{device}steps30pre"], row[f"{device}steps60pre"]
            assert (half == "") == (whole == "")
            if half:
                assert half.endswith(".0")
                assert float(half) <= float(whole)
        ordered = [row[f"jbsteps{span}"] for span in (10, 30, 40, 60, 90, 120)]
        assert ordered == sorted(ordered, key=lambda cell: float(cell or 0))
        if row["jbsteps60pre"] == "":
            missing += 1
            assert row["jbsteps60pre.zero"] == "0"
        else:
            assert row["jbsteps60pre.zero"] + ".0" == row["jbsteps60pre"]
    assert 0.04 < missing / len(rows) < 0.3
    assert any(row["jbsteps60pre"] == "0.0" for row in rows)


def test_the_public_share_of_each_outcome_is_near_the_real_one(tmp_path: Path) -> None:
    for seed in (21, 22, 23):
        found = simulate_sports(tmp_path / str(seed), seed=seed, size="paper")
        assert found.participants == 9
        assert found.connected == 1456
        assert found.positive == pytest.approx(365, rel=0.2)
        assert 0.84 < found.available / found.connected < 0.92
        assert 0.25 <= found.history_only / found.positive <= 0.5


def test_lives_of_the_paper_s_size_end_with_a_connected_decision_and_have_no_episode_after_it(paper: Path) -> None:
    rows = _rows(paper / FILES[0])
    planted = json.loads((paper / FILES[2]).read_text())["participants"]
    shares = []
    for person in planted:
        mine = [row for row in rows if row["user.index"] == str(person["participant"])]
        final = int(mine[-1]["decision.index"])
        assert mine[-1]["connect"] == "True"
        assert all(place <= final for episode in person["episodes"] for place in episode["valid"])
        assert all(episode["onset"] <= episode["deadline"] == episode["valid"][-1] for episode in person["episodes"])
        shares.append(sum(row["connect"] == "True" for row in mine))
    assert sum(shares) == 1456
    assert len(set(shares)) > 5


def test_a_smoke_run_is_small(tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    found = simulate_sports(tmp_path, seed=1, progress=lambda done, total: calls.append((done, total)))
    assert (found.participants, found.days) == (3, 28)
    assert 0.17 < found.positive / found.connected < 0.29
    assert calls == [(1, 3), (2, 3), (3, 3)]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)


def test_nothing_is_left_behind_when_writing_fails(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate_sports(tmp_path, seed=1, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_a_number_below_one_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="participants is 0"):
        simulate_sports(tmp_path, seed=1, participants=0)
    with pytest.raises(ConfigError, match="days is -1"):
        simulate_sports(tmp_path, seed=1, days=-1)
