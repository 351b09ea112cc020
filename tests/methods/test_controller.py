"""The controller turns repeats into abstain and lets changed situations ask again (Appendix B.3)."""

from __future__ import annotations

from collections.abc import Sequence

from proactmem.core.decisions import Decision, Proposal, Service
from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, SportsEvent
from proactmem.core.opportunity import OpportunityState, home_activity, home_room
from proactmem.methods.controller import Controller
from tests.samples import code, desktop, home, sports, stream

Public = SportsEvent | HomeEvent | CodeEvent | DesktopEvent


def offer(action: str = "walk", target: str = "walk", **fields: object) -> Proposal:
    return Proposal.model_validate(
        {"decision": "intervene", "service": Service(action=action, target=target), "message": "hi", **fields}
    )


def decide(
    events: Sequence[Public], proposals: Sequence[Proposal] | None = None, ids: Sequence[tuple[str, ...]] | None = None
) -> list[Decision]:
    controller, opportunity, found = Controller(), None, []
    for number, event in enumerate(stream(*events)):
        opportunity = OpportunityState.advance(opportunity, event)
        proposal = offer() if proposals is None else proposals[number]
        found.append(controller.decide(event, opportunity, proposal, () if ids is None else ids[number]))
    return found


def verdicts(found: Sequence[Decision]) -> list[str]:
    return [decision.verdict[0] for decision in found]


def test_same_state_same_service_is_suppressed_and_names_the_earlier_event() -> None:
    found = decide([sports("a", "2015-07-22T09:00"), sports("b", "2015-07-22T12:00")])
    assert verdicts(found) == ["i", "a"]
    suppression = found[1].suppression
    assert suppression is not None
    assert suppression.earlier_event_id == "a"
    assert suppression.key == found[0].key
    assert found[1].reason == "suppressed"


def test_returning_to_an_old_state_restarts_the_sequence() -> None:
    events = [
        sports("a", "2015-07-22T09:00"), sports("b", "2015-07-22T10:00", activity="ON_FOOT"),
        sports("c", "2015-07-22T11:00"), sports("d", "2015-07-22T12:00"),
    ]  # fmt: skip
    assert verdicts(decide(events)) == ["i", "i", "i", "a"]


def test_day_service_target_and_regularities_make_new_keys() -> None:
    day = [sports("a", "2015-07-22T09:00"), sports("b", "2015-07-22T12:00")]
    assert verdicts(decide([sports("a", "2015-07-22T09:00"), sports("b", "2015-07-23T09:00")])) == ["i", "i"]
    assert verdicts(decide(day, [offer("walk"), offer("stretch")])) == ["i", "i"]
    assert verdicts(decide(day, [offer(target="Evening  walk"), offer(target="evening walk")])) == ["i", "a"]
    assert verdicts(decide(day, ids=[(), ("reg_1",)])) == ["i", "i"]


def test_every_intervention_comes_from_a_proposal() -> None:
    assert verdicts(decide([sports("a", "2015-07-22T09:00")], [Proposal(decision="abstain")])) == ["a"]


def test_home_phases_are_onset_confirmed_sustained() -> None:
    rows = [home(f"e{n}", f"2011-06-01T{8 + n:02d}:00:00", Kitchen=9) for n in range(5)]
    assert verdicts(decide(rows, [offer("check_in")] * 5)) == ["i", "i", "i", "a", "a"]


def test_home_room_and_activity_are_documented_functions() -> None:
    assert home_room(home("e", "2011-06-01T08:00:00", B=2, A=2, C=1)) == "A"
    assert home_room(home("e", "2011-06-01T08:00:00")) is None
    assert home_activity(home("e", "2011-06-01T08:00:00")) == "quiet"
    assert home_activity(home("e", "2011-06-01T08:00:00", A=8, B=2)) == "settled"
    assert home_activity(home("e", "2011-06-01T08:00:00", A=7, B=3)) == "moving"


def test_desktop_is_suppressed_while_the_evidence_apart_from_the_current_event_is_unchanged() -> None:
    events = [desktop(name, float(n)) for n, name in enumerate("abc")]
    proposals = [offer("offer_help", evidence=(name, *extra)) for name, extra in zip("abc", [(), (), ("a",)], strict=True)]
    assert verdicts(decide(events, proposals)) == ["i", "a", "i"]


def test_code_suppresses_a_repeated_create_on_the_same_object_only() -> None:
    times = [f"2025-01-01T0{n}:00:00Z" for n in range(6)]
    create = offer("triage", operation="create", recipient="maintainers", content="Check the steps")
    events = [
        code("a", times[0]),
        code("b", times[1]),
        code("c", times[2], 8),
        code("d", times[3]),
        code("e", times[4]),
        code("f", times[5]),
    ]
    proposals = [
        create,
        create.model_copy(update={"content": "check  the STEPS", "message": "other words"}),
        create,
        create.model_copy(update={"operation": "update"}),
        create.model_copy(update={"content": "ask for a log"}),
        create,  # the most recent allowed has another signature
    ]
    assert verdicts(decide(events, proposals)) == ["i", "a", "i", "i", "i", "i"]


def test_a_push_has_its_ref_as_number() -> None:
    create = offer("maintenance", operation="create", content="x")
    events = [
        code("a", "2025-01-01T00:00:00Z", "refs/heads/main", kind="PushEvent"),
        code("b", "2025-01-02T00:00:00Z", "refs/heads/dev", kind="PushEvent"),
        code("c", "2025-01-03T00:00:00Z", "refs/heads/main", kind="PushEvent"),
    ]
    assert verdicts(decide(events, [create] * 3)) == ["i", "i", "a"]
