"""An act in GitHub's own form: the full events of the first era, the trimmed ones since 2025-10-07."""

import json
from datetime import UTC, datetime

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.code.acts import Act
from proactmem.datasets.simulate.code.projects import Project

__all__ = ["TRIMMED", "native_line"]

TRIMMED = datetime(2025, 10, 7, tzinfo=UTC)
"""From here on pushes carry no commits and pull requests no texts; merges arrive as action `merged`."""
_API = "https://api.github.com"


def native_line(project: Project, act: Act, identity: str) -> str:
    """One line of an archive hour."""
    name = project.name_at(act.at)
    event: dict[str, object] = {
        "id": identity,
        "type": act.kind,
        "actor": _actor(act.actor),
        "repo": {"id": project.repo_id, "name": name, "url": f"{_API}/repos/{name}"},
        "payload": _payload(project, act, Chance(identity)),
        "public": True,
        "created_at": f"{act.at:%Y-%m-%dT%H:%M:%SZ}",
    }
    return json.dumps(event, separators=(",", ":"))


def _actor(login: str) -> dict[str, object] | None:
    if not login:
        return None  # the account was deleted
    number = int.from_bytes(login.encode()[:4], "big") % 10_000_000
    base = {"id": number, "login": login, "display_login": login, "gravatar_id": "", "url": f"{_API}/users/{login}"}
    return base | {"avatar_url": f"https://avatars.githubusercontent.com/u/{number}?"}


def _payload(project: Project, act: Act, draw: Chance) -> dict[str, object] | None:
    trimmed = act.at >= TRIMMED
    match act.kind:
        case "PushEvent":
            base: dict[str, object] = {"repository_id": project.repo_id, "push_id": draw.between(10**9, 10**10), "ref": act.ref}
            base |= {"head": _sha(draw), "before": _sha(draw)}
            if not trimmed:
                author = {"email": f"{act.actor}@example.org", "name": act.actor}
                commits = [{"sha": _sha(draw), "author": author, "message": text, "distinct": True} for text in act.commits]
                base |= {"size": len(commits), "distinct_size": len(commits), "commits": commits}
            return base
        case "IssuesEvent":
            more = {"label": {"name": act.extra["label"]}} if "label" in act.extra else {}
            return {"action": act.action, "issue": _issue(act, opened=act.action == "opened"), **more}
        case "IssueCommentEvent":
            return {"action": act.action, "issue": _issue(act), "comment": _comment(project, act, draw)}
        case "PullRequestEvent":
            action = "merged" if trimmed and act.merged else act.action
            return {"action": action, "number": act.number, "pull_request": _pull(project, act, draw, trimmed=trimmed)}
        case "PullRequestReviewEvent":
            review = {
                "id": draw.between(1, 10**9),
                "user": _user(act.actor),
                "body": act.body or None,
                "state": act.review_state,
            }
            return {"action": act.action, "review": review, "pull_request": _pull(project, act, draw, trimmed=trimmed)}
        case "PullRequestReviewCommentEvent":
            comment = _comment(project, act, draw) | {
                "path": "src/index.ts",
                "diff_hunk": "@@ -1 +1 @@",
                "commit_id": _sha(draw),
            }
            return {"action": act.action, "comment": comment, "pull_request": _pull(project, act, draw, trimmed=trimmed)}
        case "CreateEvent":
            return {
                "ref": act.ref,
                "ref_type": act.ref_type,
                "master_branch": "main",
                "description": None,
                "pusher_type": "user",
            }
        case "ReleaseEvent":
            release = {"id": draw.between(1, 10**9), "tag_name": act.ref, "name": act.title, "body": act.body, "draft": False}
            return {"action": act.action, "release": release | {"prerelease": False, "author": _user(act.actor)}}
        case "CommitCommentEvent":
            return {
                "action": "created",
                "comment": {"commit_id": f"{act.extra['commit']:0>40}", "user": _user(act.actor), "body": act.body},
            }
        case "ForkEvent":
            return {"forkee": {"id": draw.between(1, 10**9), "full_name": act.extra["fork"], "owner": _user(act.actor)}}
        case _:
            return {"action": act.action} if act.action else None


def _user(login: str) -> dict[str, object]:
    return {
        "login": login,
        "id": int.from_bytes(login.encode()[:4], "big") % 10_000_000,
        "type": "Bot" if "[bot]" in login else "User",
    }


def _issue(act: Act, *, opened: bool = False) -> dict[str, object]:
    issue: dict[str, object] = {
        "id": 900_000 + (act.number or 0), "number": act.number, "title": act.title, "user": _user(act.author),
        "state": act.state,
        "labels": [{"name": name} for name in act.labels], "comments": act.comments,
        "author_association": "NONE" if "[bot]" not in act.author else "CONTRIBUTOR", "locked": False,
        "body": act.body if opened else None, "closed_at": None if act.state == "open" else f"{act.at:%Y-%m-%dT%H:%M:%SZ}",
    }  # fmt: skip
    return issue | ({"pull_request": {"url": f"{_API}/pulls/{act.number}"}} if act.pull else {})


def _comment(project: Project, act: Act, draw: Chance) -> dict[str, object]:
    standing = "MEMBER" if act.actor in project.maintainers else "CONTRIBUTOR" if act.actor == act.author else "NONE"
    return {"id": draw.between(1, 10**9), "user": _user(act.actor), "author_association": standing, "body": act.body}


def _pull(project: Project, act: Act, draw: Chance, *, trimmed: bool) -> dict[str, object]:
    repo = {"id": project.repo_id, "url": f"{_API}/repos/{project.name}", "name": project.thing}
    head, base = ({"ref": ref, "sha": _sha(draw), "repo": repo} for ref in (f"topic-{act.number}", "main"))
    ends = {"head": head, "base": base}
    pull: dict[str, object] = {
        "url": f"{_API}/pulls/{act.number}",
        "id": 880_000 + (act.number or 0),
        "number": act.number,
        **ends,
    }
    if not trimmed:
        opened = act.kind == "PullRequestEvent" and act.action == "opened"
        pull |= {"title": act.title, "body": act.body if opened else None, "user": _user(act.author), "state": act.state}
        pull |= {
            "merged": act.merged,
            "draft": False,
            "labels": [],
            "additions": draw.between(1, 90),
            "deletions": draw.between(0, 40),
        }
    return pull


def _sha(draw: Chance) -> str:
    return f"{draw.between(0, 2**50):040x}"
