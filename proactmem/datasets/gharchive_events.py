"""A native GitHub event as a public Code event, in both eras of the archive (SPEC 1).

Every event type enters at GitHub's own granularity. What is acted on becomes the object:

| event | object type | number |
| --- | --- | --- |
| IssuesEvent, IssueCommentEvent | issue, or pull_request where the issue is one | its number |
| PullRequestEvent and its reviews and review comments | pull_request | its number |
| PushEvent | push | the ref |
| CreateEvent, DeleteEvent | branch, tag or repository | the ref |
| ReleaseEvent | release | the tag |
| CommitCommentEvent | commit | its SHA |
| GollumEvent | wiki | the first page |
| DiscussionEvent, DiscussionCommentEvent | discussion | its number |
| ForkEvent, WatchEvent, PublicEvent | repository | the fork's name, or none |
| MemberEvent | member | the login |
| any other | its name in words | the payload's number, if any |

Texts go to `content`, everything else to `attributes`; a field that is absent or null is left out. The body of an issue or
pull request is shown where it is written (opened, reopened, edited), a comment's text with the comment (ours). Since
2025-10-07 pushes carry no commits and pull requests no texts: those fields are absent then, never empty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from proactmem.core.events import CodeEvent, parse_event
from proactmem.errors import InputError

__all__ = ["Native", "public_event"]

Native = Mapping[str, object]
Object = Mapping[str, object]
_WRITTEN = {"opened", "reopened", "edited", "created"}


def public_event(native: Native, stream_id: str, file: Path, row: int) -> CodeEvent:
    """The public event of a native one; its id is `ghe_<id>`.

    Raises:
        InputError: Id, type, time or repository name is missing or malformed, or a text is no text.
    """
    kind = _required(native, "type", file, row)
    if not re.fullmatch(r"[A-Za-z]+Event", kind):
        raise _wrong("type", kind, "a GitHub event type, such as IssuesEvent", file, row)
    payload = _object(native.get("payload"))
    action = _text(payload.get("action"))
    thing, number = _acted_on(kind, payload)
    event = parse_event(
        {
            "event_id": f"ghe_{_required(native, 'id', file, row)}",
            "event_time": _time(native, file, row),
            "stream_id": stream_id,
            "repository": {"full_name": _required(_object(native.get("repo")), "name", file, row)},
            "event": {"action": action, "github_type": kind},
            "object": {"number": number, "type": thing},
            "content": _known(_content(kind, action, payload)),
            "attributes": _known(_attributes(kind, native, payload)),
        },
        scope="code",
        file=file,
        row=row,
    )
    assert isinstance(event, CodeEvent)
    return event


def _acted_on(kind: str, payload: Object) -> tuple[str, int | str | None]:
    issue, pull = _object(payload.get("issue")), _object(payload.get("pull_request"))
    if issue:
        return ("pull_request" if issue.get("pull_request") else "issue"), _number(issue.get("number"))
    if pull or kind.startswith("PullRequest"):
        return "pull_request", _number(payload.get("number")) or _number(pull.get("number"))
    match kind:
        case "IssuesEvent" | "IssueCommentEvent":
            return "issue", _number(payload.get("number"))
        case "PushEvent":
            return "push", _text(payload.get("ref"))
        case "CreateEvent" | "DeleteEvent":
            return _text(payload.get("ref_type")) or "repository", _text(payload.get("ref"))
        case "ReleaseEvent":
            return "release", _text(_object(payload.get("release")).get("tag_name"))
        case "CommitCommentEvent":
            return "commit", _text(_object(payload.get("comment")).get("commit_id"))
        case "GollumEvent":
            pages = _objects(payload.get("pages"))
            return "wiki", _text(pages[0].get("page_name")) if pages else None
        case "DiscussionEvent" | "DiscussionCommentEvent":
            return "discussion", _number(_object(payload.get("discussion")).get("number"))
        case "ForkEvent":
            return "repository", _text(_object(payload.get("forkee")).get("full_name"))
        case "WatchEvent" | "PublicEvent":
            return "repository", None
        case "MemberEvent":
            return "member", _text(_object(payload.get("member")).get("login"))
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.removesuffix("Event")).lower()
    return words or "event", _number(payload.get("number"))


def _content(kind: str, action: str | None, payload: Object) -> dict[str, object]:
    subject = next(
        (found for name in ("issue", "pull_request", "discussion", "release") if (found := _object(payload.get(name)))), {}
    )
    comment, review = _object(payload.get("comment")), _object(payload.get("review"))
    written = not comment and not review and (action in _WRITTEN or kind == "ReleaseEvent")
    return {
        "title": _text(subject.get("title")) or (_text(subject.get("name")) if kind == "ReleaseEvent" else None),
        "body": _text(subject.get("body")) if written else None,
        "comment_body": _text(comment.get("body")),
        "review_body": _text(review.get("body")),
        "commit_messages": [text for one in _objects(payload.get("commits")) if (text := _text(one.get("message")))],
        "pages": [text for one in _objects(payload.get("pages")) if (text := _text(one.get("title") or one.get("page_name")))],
        "description": _text(payload.get("description")),
    }


def _attributes(kind: str, native: Native, payload: Object) -> dict[str, object]:
    issue, pull, release = (_object(payload.get(name)) for name in ("issue", "pull_request", "release"))
    comment, review = _object(payload.get("comment")), _object(payload.get("review"))
    discussion = _object(payload.get("discussion"))
    subject = issue or pull or discussion or release
    actor = _text(_object(native.get("actor")).get("login"))
    speaker = comment or review or subject
    labels = [_text(one.get("name")) for one in _objects(subject.get("labels"))]
    return {
        "actor": actor,
        "actor_type": None if actor is None else "bot" if actor.endswith("[bot]") else "user",
        "author": _text(_object(subject.get("user") or subject.get("author")).get("login")),
        "author_association": _text(speaker.get("author_association")),
        "state": _text(subject.get("state")),
        "state_reason": _text(subject.get("state_reason")),
        "labels": [name for name in labels if name] if "labels" in subject else None,
        "label": _text(_object(payload.get("label")).get("name")),
        "assignee": _text(_object(payload.get("assignee")).get("login")),
        "milestone": _text(_object(subject.get("milestone")).get("title")),
        "locked": _flag(subject.get("locked")),
        "comments": _number(subject.get("comments")),
        "merged": _flag(pull.get("merged")),
        "draft": _flag(pull.get("draft") if pull else release.get("draft")),
        "head_ref": _text(_object(pull.get("head")).get("ref")),
        "base_ref": _text(_object(pull.get("base")).get("ref")),
        "additions": _number(pull.get("additions")),
        "deletions": _number(pull.get("deletions")),
        "changed_files": _number(pull.get("changed_files")),
        "review_state": _text(review.get("state")),
        "path": _text(comment.get("path")),
        "size": _number(payload.get("size")),
        "distinct_size": _number(payload.get("distinct_size")),
        "master_branch": _text(payload.get("master_branch")),
        "prerelease": _flag(release.get("prerelease")),
        "category": _text(_object(discussion.get("category")).get("name")),
        "fork_of_actor": _text(_object(payload.get("forkee")).get("full_name")) if kind == "ForkEvent" else None,
    }


def _known(fields: Mapping[str, object]) -> dict[str, object]:
    """Fields that the event states: nothing absent, no empty list but the labels'."""
    return {name: value for name, value in fields.items() if value is not None and (value != [] or name == "labels")}


def _object(value: object) -> Object:
    return value if isinstance(value, Mapping) else {}


def _objects(value: object) -> list[Object]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value != "" else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _required(data: Object, name: str, file: Path, row: int) -> str:
    value = data.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise _wrong(name, value, "a text", file, row)
    return value


def _time(native: Native, file: Path, row: int) -> str:
    text = _required(native, "created_at", file, row)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _wrong("created_at", text, "an instant such as 2015-01-01T00:00:00Z", file, row) from None
    if moment.tzinfo is None:
        raise _wrong("created_at", text, "an instant with a zone", file, row)
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _wrong(field: str, found: object, expected: str, file: Path, row: int) -> InputError:
    return InputError(
        "is no GH Archive event", file=file, row=row, field=field, found=found, expected=expected,
        remedy="Fetch the hour again; the rest of the file counts.",
    )  # fmt: skip
