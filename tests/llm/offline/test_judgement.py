"""What the offline rules hold to be a reason to speak, one example a reason and a silence, in every scope."""

from __future__ import annotations

import pytest

from proactmem.core.events import CodeEvent, HomeEvent, SportsEvent
from proactmem.core.predicates import Predicate
from proactmem.core.regularities import Match, Regularity, Window
from tests.llm.offline.prompts import decide
from tests.samples import code, desktop, home, sports

STEPS = "observable_payload.jawbone_steps_pre60"
DAY = "2015-07-22T"


def match(path: str, op: str, value: int, window: tuple[str, str], *, confidence: float = 0.9, trigger: str = "") -> Match:
    """An active regularity, pending today."""
    rule = Regularity(
        trigger=Predicate(path=trigger or path, op=">=", value=0),
        behavior=Predicate.model_validate({"path": path, "op": op, "value": value}),
        window=Window(start=window[0], end=window[1]), weekdays=None,
    )  # fmt: skip
    return Match(
        regularity=rule, state="pending", lifecycle="active", confidence=confidence, fulfilled_days=8, violated_days=0,
        trigger_second=30_000, distance_seconds=0,
    )  # fmt: skip


def sitting() -> list[SportsEvent]:
    """A day of sitting that was already raised at 12:00; nothing new at 19:40."""
    return [sports(f"e{hour}", f"{DAY}{hour}:40:00", steps60=20) for hour in (12, 15, 17, 19)]


def test_sports_a_missed_habit_is_raised_only_where_the_regularity_is_shown() -> None:
    assert decide(*sitting()).decision == "abstain"
    habit = match(STEPS, ">=", 1500, ("17:00", "20:00"))
    found = decide(*sitting(), regularities=[habit])
    assert found.decision == "intervene"
    assert found.service is not None
    assert found.service.action == "walk"
    assert set(found.evidence) == {"e19", habit.regularity.regularity_id}
    weak = match(STEPS, ">=", 1500, ("17:00", "20:00"), confidence=0.5)
    assert decide(*sitting(), regularities=[weak]).decision == "abstain"
    other = match(STEPS, ">=", 20, ("17:00", "20:00"))  # no bout of steps
    assert decide(*sitting(), regularities=[other]).decision == "abstain"


def test_sports_a_habit_that_is_being_kept_or_cannot_be_taken_up_is_not_raised() -> None:
    habit = match(STEPS, ">=", 1500, ("17:00", "20:00"))
    for change in ({"activity": "ON_FOOT"}, {"available": False}, {"steps60": 900}):
        now = sports("now", f"{DAY}19:45:00", **{"steps60": 20, **change})
        assert decide(*sitting()[:-1], now, regularities=[habit]).decision == "abstain"


def usual(steps: int) -> list[SportsEvent]:
    """Three evenings with some steps."""
    return [sports(f"d{day}", f"2015-07-{day}T17:30:00", steps60=steps) for day in (19, 20, 21)]


@pytest.mark.parametrize(
    ("events", "evidence"),
    [
        ([sports("now", f"{DAY}14:00:00", steps60=50)], {"now"}),  # a long sitting spell
        ([*usual(1600), sports("now", f"{DAY}17:20:00", steps60=250)], {"now", "d19", "d20", "d21"}),  # unlike the person
    ],
    ids=["sitting", "unusual"],
)
def test_sports_speaks_with_a_reason(events: list[SportsEvent], evidence: set[str]) -> None:
    found = decide(*events)
    assert (found.decision, set(found.evidence)) == ("intervene", evidence)


@pytest.mark.parametrize(
    "now",
    [
        sports("now", f"{DAY}14:00:00", available=False),
        sports("now", f"{DAY}14:00:00", activity="IN_VEHICLE"),
        sports("now", f"{DAY}14:00:00", steps60=1800),
        sports("now", f"{DAY}14:00:00", steps60=None),
        sports("now", f"{DAY}23:10:00"),
        sports("now", f"{DAY}06:30:00"),
    ],
    ids=["unreachable", "driving", "active", "unknown", "late", "early"],
)
def test_sports_is_silent_without_one(now: SportsEvent) -> None:
    assert decide(now).decision == "abstain"


def test_sports_missing_steps_are_unknown_and_not_zero() -> None:
    assert decide(sports("now", f"{DAY}14:00:00", steps60=0)).decision == "intervene"
    assert decide(sports("now", f"{DAY}14:00:00", steps60=None)).decision == "abstain"


def morning(*rooms: str) -> list[HomeEvent]:
    """Consecutive segments from 09:10, each in one room."""
    starts = ("09:10", "10:00", "10:50", "11:40", "12:30")
    return [
        home(f"h{n}", f"2020-01-02T{start}", **{room: 12}) for n, (start, room) in enumerate(zip(starts, rooms, strict=True))
    ]


def door(event: HomeEvent, action: str) -> HomeEvent:
    return HomeEvent.model_validate(
        event.model_dump() | {"door_actions": [{"location": "front door", "action": action, "time": "09:20:00"}]}
    )


def test_home_a_missed_meal_is_raised_only_where_the_regularity_is_shown() -> None:
    events = morning("bath", "living", "bath", "living", "bath")
    assert decide(*events).decision == "abstain"
    meal = match("motion.location_counts.kitchen", ">=", 1, ("12:00", "14:00"), trigger="motion.location_counts.bath")
    found = decide(*events, regularities=[meal])
    assert found.service is not None
    assert (found.decision, found.service.action) == ("intervene", "meal_reminder")
    assert set(found.evidence) == {"h4", meal.regularity.regularity_id}
    asleep = home("night", "2020-01-02T12:30", bedroom=3)
    assert decide(*events[:-1], asleep, regularities=[meal]).decision == "abstain"


def test_home_speaks_with_a_reason() -> None:
    long = decide(*morning("kitchen", "living", "living", "living", "living"))
    assert long.service is not None
    assert (long.decision, long.service.action) == ("intervene", "movement_break")
    assert set(long.evidence) == {"h1", "h2", "h3", "h4"}
    first, *rest = morning("hall", "living", "bath", "hall", "bath")
    opened = decide(door(first, "OPEN"), *rest[:2])
    assert opened.service is not None
    assert (opened.service.action, opened.service.target) == ("device_notice", "front door")
    nights = [home(f"n{day}", f"2020-01-0{day}T01:40", bedroom=2) for day in (1, 2, 3)]
    before = home("before", "2020-01-04T00:50", bedroom=2)
    late = decide(nights[1], nights[2], before, home("up", "2020-01-04T01:40", living=20))
    assert late.service is not None
    assert late.service.action == "wind_down"


@pytest.mark.parametrize(
    "events",
    [
        morning("kitchen", "living", "kitchen", "living", "kitchen"),
        [home("night", "2020-01-02T02:30", bedroom=4)],
        [home("empty", "2020-01-02T12:30")],
        [door(home("a", "2020-01-02T09:10", hall=3), "OPEN"), door(home("b", "2020-01-02T10:00", hall=3), "CLOSE"),
         home("c", "2020-01-02T10:50", bath=3)],
    ],
    ids=["ordinary", "asleep", "nobody", "closed"],
)  # fmt: skip
def test_home_is_silent_without_one(events: list[HomeEvent]) -> None:
    assert decide(*events).decision == "abstain"


def commented(event_id: str, time: str, comment: str, actor: str) -> CodeEvent:
    event = code(event_id, time, kind="IssueCommentEvent", comment_body=comment)
    return CodeEvent.model_validate(event.model_dump() | {"attributes": {"state": "open", "actor": actor}})


ASKED = commented("asked", "2020-01-01T10:00:00Z", "Can you share the steps to reproduce?", "maintainer")


def test_code_speaks_with_a_reason() -> None:
    report = decide(code("now", "2020-01-01T10:00:00Z", title="Crash on save", body="Steps: open, save, it fails"))
    assert report.service is not None
    assert (report.service.action, report.operation, report.recipient) == ("triage", "create", "maintainers")
    arrived = decide(ASKED, commented("now", "2020-01-03T10:00:00Z", "Here are the steps: open, then save", "reporter"))
    assert (arrived.decision, set(arrived.evidence)) == ("intervene", {"now", "asked"})
    opened = decide(code("now", "2020-01-01T10:00:00Z", kind="PullRequestEvent", title="Add a cache"))
    assert opened.service is not None
    assert opened.service.action == "review"
    news = commented("now", "2020-01-09T10:00:00Z", "Any news?", "somebody")
    again = decide(ASKED, news, hours=240)
    assert (again.decision, set(again.evidence)) == ("intervene", {"now", "asked"})
    assert decide(ASKED, news).decision == "abstain"  # beyond the 72 hours of event memory the silence is not seen


@pytest.mark.parametrize(
    "now",
    [
        commented("now", "2020-01-03T10:00:00Z", "Thanks a lot!", "reporter"),
        commented("now", "2020-01-03T10:00:00Z", "Here are the steps: open, then save", "helper[bot]"),
        commented("now", "2020-01-03T10:00:00Z", "I wonder", "reporter"),
        code("now", "2020-01-03T10:00:00Z", kind="WatchEvent"),
        code("now", "2020-01-03T10:00:00Z", title="A question", body="How is this meant?"),
    ],
    ids=["thanks", "bot", "chat", "star", "no problem"],
)
def test_code_is_silent_without_one(now: CodeEvent) -> None:
    assert decide(ASKED, now).decision == "abstain"


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("The user searches for 'python reverse list' in the browser.", True),
        ("The user runs the program and an error message appears.", True),
        ("The user starts writing a report in the editor.", True),
        ("The user switches to another tab.", False),
        ("The user opens the browser home page.", False),
        ("The user scrolls through the page.", False),
        ("The user is idle.", False),
    ],
)
def test_desktop_offers_help_where_a_need_shows(text: str, speaks: bool) -> None:
    found = decide(desktop("before", 1_717_377_900, "The user opens a window."), desktop("now", 1_717_377_997, text))
    assert found.decision == ("intervene" if speaks else "abstain")
    if speaks:
        assert found.service is not None
        assert (found.service.action, found.evidence) == ("offer_help", ("now",))
