"""A native event becomes the public one of Figure 5's form, in both eras of the archive."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.core.events import parse_event, public_json
from proactmem.datasets.gharchive_events import public_event
from proactmem.errors import InputError
from tests.datasets.archive_files import native

KEYS = st.sampled_from(
    [
        "action",
        "issue",
        "pull_request",
        "comment",
        "review",
        "release",
        "discussion",
        "number",
        "ref",
        "ref_type",
        "commits",
        "labels",
        "title",
        "body",
        "user",
        "login",
        "state",
        "merged",
        "pages",
        "forkee",
        "member",
        "head",
        "label",
        "name",
        "message",
        "milestone",
    ]
)
TYPES = [
    "IssuesEvent",
    "IssueCommentEvent",
    "PullRequestEvent",
    "PullRequestReviewEvent",
    "PullRequestReviewCommentEvent",
    "PushEvent",
    "CreateEvent",
    "DeleteEvent",
    "ReleaseEvent",
    "CommitCommentEvent",
    "GollumEvent",
    "WatchEvent",
    "ForkEvent",
    "MemberEvent",
    "DiscussionEvent",
    "SponsorshipEvent",
]
ISSUE = {
    "number": 1005,
    "title": "Scrapped views",
    "body": "It crashes",
    "state": "open",
    "user": {"login": "reporter"},
    "comments": 4,
    "labels": [{"name": "bug"}, {"name": "android"}],
    "author_association": "NONE",
    "locked": False,
    "milestone": None,
}
FULL_PULL = {
    "number": 42,
    "title": "Keep position",
    "body": "Fixes it",
    "state": "closed",
    "merged": True,
    "draft": False,
    "user": {"login": "dev-3"},
    "head": {"ref": "topic"},
    "base": {"ref": "main"},
    "additions": 3,
    "deletions": 1,
    "changed_files": 1,
}
TRIMMED_PULL = {"url": "https://example.org", "id": 1, "number": 42, "head": {"ref": "topic"}, "base": {"ref": "main"}}


def made(kind: str, payload: object, **changes: object):
    return public_event(native(1, kind, payload=payload, **changes), "github_repo_7", Path("hour.json.gz"), 1)


def test_the_comment_of_figure_5():
    comment = {"body": "I was able to reproduce this", "author_association": "CONTRIBUTOR"}
    event = made("IssueCommentEvent", {"action": "created", "issue": ISSUE, "comment": comment})
    assert event.event_id == "ghe_1001"
    assert (event.event.action, event.event.github_type) == ("created", "IssueCommentEvent")
    assert (event.object.number, event.object.type) == (1005, "issue")
    assert event.content == {"title": "Scrapped views", "comment_body": "I was able to reproduce this"}
    assert event.attributes == {
        "actor": "dev-1",
        "actor_type": "user",
        "author": "reporter",
        "author_association": "CONTRIBUTOR",
        "state": "open",
        "labels": ("bug", "android"),
        "locked": False,
        "comments": 4,
    }


@pytest.mark.parametrize(
    ("kind", "payload", "thing", "content"),
    [
        (
            "IssuesEvent",
            {"action": "opened", "issue": ISSUE},
            (1005, "issue"),
            {"title": "Scrapped views", "body": "It crashes"},
        ),
        ("IssuesEvent", {"action": "closed", "issue": ISSUE}, (1005, "issue"), {"title": "Scrapped views"}),
        (
            "IssueCommentEvent",
            {"action": "created", "issue": ISSUE | {"pull_request": {"url": "u"}}, "comment": {"body": "done"}},
            (1005, "pull_request"),
            {"title": "Scrapped views", "comment_body": "done"},
        ),
        (
            "PullRequestEvent",
            {"action": "opened", "number": 42, "pull_request": FULL_PULL},
            (42, "pull_request"),
            {"title": "Keep position", "body": "Fixes it"},
        ),
        ("PullRequestEvent", {"action": "merged", "number": 42, "pull_request": TRIMMED_PULL}, (42, "pull_request"), {}),
        (
            "PullRequestReviewEvent",
            {"action": "created", "review": {"body": "add a test", "state": "changes_requested"}, "pull_request": TRIMMED_PULL},
            (42, "pull_request"),
            {"review_body": "add a test"},
        ),
        (
            "PullRequestReviewCommentEvent",
            {"action": "created", "comment": {"body": "guard", "path": "a.py"}, "pull_request": TRIMMED_PULL},
            (42, "pull_request"),
            {"comment_body": "guard"},
        ),
        (
            "PushEvent",
            {"ref": "refs/heads/main", "size": 30, "distinct_size": 29, "commits": [{"message": "one"}, {"message": "two"}]},
            ("refs/heads/main", "push"),
            {"commit_messages": ("one", "two")},
        ),
        (
            "PushEvent",
            {"repository_id": 7, "push_id": 1, "ref": "refs/heads/main", "head": "c", "before": "d"},
            ("refs/heads/main", "push"),
            {},
        ),
        ("CreateEvent", {"ref": "v1", "ref_type": "tag", "description": None}, ("v1", "tag"), {}),
        (
            "CreateEvent",
            {"ref": None, "ref_type": "repository", "description": "A kit"},
            (None, "repository"),
            {"description": "A kit"},
        ),
        ("DeleteEvent", {"ref": "topic", "ref_type": "branch"}, ("topic", "branch"), {}),
        (
            "ReleaseEvent",
            {"action": "published", "release": {"tag_name": "v2", "name": "Two", "body": "News", "prerelease": True}},
            ("v2", "release"),
            {"title": "Two", "body": "News"},
        ),
        ("CommitCommentEvent", {"comment": {"body": "why?", "commit_id": "abc"}}, ("abc", "commit"), {"comment_body": "why?"}),
        ("GollumEvent", {"pages": [{"page_name": "Home", "title": "Home page"}]}, ("Home", "wiki"), {"pages": ("Home page",)}),
        ("WatchEvent", {"action": "started"}, (None, "repository"), {}),
        ("WatchEvent", None, (None, "repository"), {}),
        ("ForkEvent", {"forkee": {"full_name": "x/b"}}, ("x/b", "repository"), {}),
        ("PublicEvent", {}, (None, "repository"), {}),
        ("MemberEvent", {"action": "added", "member": {"login": "new"}}, ("new", "member"), {}),
        (
            "DiscussionEvent",
            {"action": "created", "discussion": {"number": 3, "title": "How?", "body": "to"}},
            (3, "discussion"),
            {"title": "How?", "body": "to"},
        ),
        ("SponsorshipEvent", {"action": "created"}, (None, "sponsorship"), {}),
    ],
)
def test_every_type_enters_at_its_own_granularity(kind, payload, thing, content):
    event = made(kind, payload)
    assert (event.object.number, event.object.type) == thing
    assert event.content == content


def test_a_merge_before_october_2025_stays_closed_with_merged_true():
    event = made("PullRequestEvent", {"action": "closed", "number": 42, "pull_request": FULL_PULL})
    assert event.event.action == "closed"
    assert event.attributes["merged"] is True
    assert event.attributes["draft"] is False
    assert "merged" not in made("PullRequestEvent", {"action": "merged", "number": 42, "pull_request": TRIMMED_PULL}).attributes


def test_who_acted_is_told_where_it_is_known():
    assert made("WatchEvent", {}, actor=None).attributes == {}
    assert made("WatchEvent", {}, actor={"login": "ci[bot]"}).attributes == {"actor": "ci[bot]", "actor_type": "bot"}


def test_the_same_instant_in_another_zone_is_the_same_time():
    event = made("WatchEvent", {}, created_at="2024-03-01T00:00:01-05:00")
    assert event.event_time.isoformat() == "2024-03-01T05:00:01+00:00"


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


@given(
    st.sampled_from(TYPES),
    st.dictionaries(KEYS, JSON, max_size=5),
    st.dictionaries(st.sampled_from(["actor", "id", "repo"]), JSON),
)
def test_any_payload_is_an_event_or_an_input_error(kind, payload, changes):
    with suppress(InputError):
        event = made(kind, payload, **changes)
        assert event.event.github_type == kind
        assert parse_event(public_json(event), scope="code") == event
