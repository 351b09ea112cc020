"""Reference labels follow Equation 9 and the episodes; planted habits show in public fields, decoys do not."""

import csv
import json
from collections import defaultdict
from pathlib import Path

from proactmem.datasets.simulate.lives import Life
from proactmem.datasets.simulate.observe import Sight
from proactmem.datasets.simulate.truth import Decoy, Habit, PersonTruth, Predicate, Window


def _days(life: Life) -> dict[str, list[Sight]]:
    days: dict[str, list[Sight]] = defaultdict(list)
    for moment in life.moments:
        if moment.sight.connected:
            days[moment.sight.date.isoformat()].append(moment.sight)
    return days


def _seen(sights: list[Sight], behavior: Predicate, window: Window, since: int = 0) -> bool | None:
    found = [behavior.holds(sight.public) for sight in sights if window.holds(sight.second) and sight.second >= since]
    measured = [holds for holds in found if holds is not None]
    return any(measured) if measured else None


def _confidence_and_base(life: Life, planted: Habit | Decoy) -> tuple[float, float]:
    """Replayed by hand: the share of triggered days that are followed, and the share of all days with the behavior."""
    followed: list[bool] = []
    anyway: list[bool] = []
    for sights in _days(life).values():
        if planted.weekdays is not None and sights[0].date.weekday() not in planted.weekdays:
            continue
        triggers = [sight.second for sight in sights if planted.trigger.holds(sight.public)]
        after = _seen(sights, planted.behavior, planted.window, triggers[0]) if triggers else None
        whole = _seen(sights, planted.behavior, planted.window)
        followed += [] if after is None else [after]
        anyway += [] if whole is None else [whole]
    return sum(followed) / max(len(followed), 1), sum(anyway) / max(len(anyway), 1)


def test_a_label_is_support_and_novelty(paper: Path) -> None:
    with (paper / "reference_labels.csv").open(encoding="utf-8") as file:
        labels = list(csv.DictReader(file))
    assert list(labels[0]) == ["participant", "decision_index", "y", "a", "b", "n", "service"]
    for row in labels:
        y, a, b, n = (int(row[name]) for name in "yabn")
        assert y == ((a or b) and n)
        assert (row["service"] in ("walk", "stretch")) == (y == 1)
        assert y or row["service"] == "none"
    seen = {(row["a"], row["b"], row["n"]) for row in labels}
    assert {("1", "0", "1"), ("0", "1", "1"), ("1", "1", "1"), ("1", "0", "0"), ("0", "0", "0")} <= seen


def test_connected_decision_points_are_labelled_and_only_those(paper: Path) -> None:
    with (paper / "reference_labels.csv").open(encoding="utf-8") as file:
        labelled = [(row["participant"], row["decision_index"]) for row in csv.DictReader(file)]
    with (paper / "suggestions.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert labelled == [(r["user.index"], r["decision.index"]) for r in rows if r["connect"] == "True"]


def test_positives_are_the_onsets_of_episodes(paper: Path) -> None:
    planted = json.loads((paper / "planted.json").read_text(encoding="utf-8"))
    truths = [PersonTruth.model_validate(person) for person in planted["participants"]]
    with (paper / "reference_labels.csv").open(encoding="utf-8") as file:
        labels = {(int(row["participant"]), int(row["decision_index"])): row for row in csv.DictReader(file)}
    onsets = {(episode.participant, episode.onset): episode for truth in truths for episode in truth.episodes}
    assert set(onsets) == {key for key, row in labels.items() if row["y"] == "1"}
    for key, episode in onsets.items():
        row = labels[key]
        assert (row["a"], row["b"], row["service"]) == (str(int(episode.a)), str(int(episode.b)), episode.service)
        assert episode.valid[0] == episode.onset
        assert list(episode.valid) == sorted(set(episode.valid))
        assert all(labels[key[0], later]["n"] == "0" for later in episode.valid[1:])
    assert any(len(episode.valid) > 1 for episode in onsets.values())


def test_nothing_is_due_where_nothing_can_be_offered(lives: list[Life]) -> None:
    for life in lives:
        for moment in life.moments:
            if moment.label is not None and not moment.sight.available:
                assert not moment.label.a
                assert not moment.label.b


def test_history_alone_supports_only_after_it_was_seen(lives: list[Life]) -> None:
    checked = 0
    for life in lives:
        moments = {moment.sight.index: moment.sight for moment in life.moments}
        days = _days(life)
        habits = {habit.id: habit for habit in life.truth.habits}
        for episode in life.truth.episodes:
            habit = habits.get(episode.cause)
            if habit is None:
                continue
            today = moments[episode.onset].date.isoformat()
            before = [date for date in days if date < today]
            assert sum(bool(_seen(days[date], habit.behavior, habit.window)) for date in before) >= 3
            assert episode.b
            assert habit.weekdays is None or moments[episode.onset].date.weekday() in habit.weekdays
            checked += 1
    assert checked > 50


def test_every_date_of_a_habit_is_accounted_for_once(lives: list[Life]) -> None:
    for life in lives:
        assert 2 <= len(life.truth.habits) <= 6
        for habit in life.truth.habits:
            dates = [*habit.kept, *habit.skipped, *habit.inapplicable, *habit.unobservable]
            assert len(dates) == len(set(dates)) == life.truth.days
            lived = [*habit.kept, *habit.skipped, *habit.unobservable]
            assert all(habit.start_date <= date <= (habit.end_date or "9999") for date in lived)


def test_kept_habits_show_in_public_fields(lives: list[Life]) -> None:
    kept: list[bool] = []
    skipped: list[bool] = []
    for life in lives:
        days = _days(life)
        for habit in life.truth.habits:
            kept += [bool(_seen(days[date], habit.behavior, habit.window)) for date in habit.kept]
            skipped += [bool(_seen(days[date], habit.behavior, habit.window)) for date in habit.skipped]
    assert len(kept) > 300
    assert sum(kept) / len(kept) >= 0.85
    assert len(skipped) > 50
    assert sum(skipped) / len(skipped) <= 0.25
    assert 0.7 <= len(kept) / (len(kept) + len(skipped)) <= 0.95


def test_decoys_do_not_hold(lives: list[Life]) -> None:
    lifts: list[float] = []
    for life in lives:
        for decoy in life.truth.decoys:
            confidence, base = _confidence_and_base(life, decoy)
            if decoy.reason == "common_without_trigger":
                lifts.append(confidence / base)
            else:
                assert confidence < 0.5
            if decoy.reason == "one_week_only":
                assert len(decoy.dates) <= 5
    assert abs(sum(lifts) / len(lifts) - 1) < 0.1


def test_steady_habits_do_hold(lives: list[Life]) -> None:
    steady = [
        (_confidence_and_base(life, habit), habit)
        for life in lives
        for habit in life.truth.habits
        if habit.end_date is None and habit.start_date == life.truth.first_date and len(habit.kept) >= 8
    ]
    held = [confidence >= 0.5 and confidence >= base for (confidence, base), _ in steady]
    assert len(held) >= 15
    assert sum(held) / len(held) >= 0.85


def test_annotators_slip_now_and_then(lives: list[Life]) -> None:
    labelled = sum(moment.label is not None for life in lives for moment in life.moments)
    slips = sum(len(life.truth.misjudged) for life in lives)
    assert 0.01 < slips / labelled < 0.05
