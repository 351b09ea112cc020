"""The recording store: every request and reply of a run, stored durably before it is used (ARCHITECTURE, idea 4)."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import sub
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self, get_args

from proactmem.errors import StoreError
from proactmem.llm.backbone import Message, Reply, ReplySchema, Request, Role, Usage
from proactmem.llm.store_file import StoreFile, StoreMode

__all__ = ["Recorded", "Recording", "RoleTotal"]

_GET = (
    "SELECT key, text, finish_reason, prompt_tokens, completion_tokens, cached_tokens, model, seconds, crc"
    " FROM call WHERE key=?"
)
_PUT = (
    "INSERT INTO call (setting, sample, shape, lines, key, text, finish_reason, prompt_tokens, completion_tokens,"
    " cached_tokens, model, seconds, crc) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (key) DO NOTHING"
)
_BATCH = (
    "SELECT call.id, role, key, text, finish_reason, prompt_tokens, completion_tokens, cached_tokens, model, seconds,"
    " crc FROM call JOIN setting ON setting.id = setting WHERE call.id > ? ORDER BY call.id LIMIT 256"
)
_BATCH_LINES = (
    "SELECT call.id, role, key, lines FROM call JOIN setting ON setting.id = setting"
    " WHERE call.id > ? ORDER BY call.id LIMIT 256"
)
_MEMO_CHARACTERS = 8_000_000


class Recorded(NamedTuple):
    """One stored call."""

    key: str
    """Request hash."""
    role: Role
    reply: Reply


class RoleTotal(NamedTuple):
    """What the calls of one role add up to; each sum is over the calls whose service gave that count."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    uncounted: int
    """Calls without a prompt or a completion count."""


class Recording:
    """A file of requests and replies that several threads and processes may share.

    Each distinct line of the message contents is stored once: a window that slides by one event costs one event.

    >>> import tempfile
    >>> from proactmem.llm.backbone import Message
    >>> ask = Request(model="m", messages=(Message(role="user", content="a"),), max_tokens=9, role="decision")
    >>> with tempfile.TemporaryDirectory() as folder, Recording.open(Path(folder) / "replies.sqlite") as store:
    ...     stored = store.put(ask, Reply(text="{}"))
    ...     store.get(ask.key).text, store.request(ask.key) == ask
    ('{}', True)
    """

    def __init__(self, file: StoreFile) -> None:
        self._file = file
        self._lines, self._settings = _Memo(_MEMO_CHARACTERS), _Memo(_MEMO_CHARACTERS // 8)
        self._prefix = _Prefix()

    @classmethod
    def open(cls, path: str | Path, *, mode: StoreMode = "record", durable: bool = True) -> Recording:
        """The store at `path`; created in record mode, opened read only in replay mode.

        Args:
            path: The SQLite file.
            mode: `replay` never writes and needs an existing store.
            durable: Sync to disk before `put` returns; False survives a killed process but not a power cut.

        Raises:
            StoreError: Missing (replay), corrupt, foreign, of another version, or not writable.
        """
        return cls(StoreFile(Path(path), mode, durable))

    @property
    def path(self) -> Path:
        """The file, as the user named it."""
        return self._file.path

    @property
    def mode(self) -> StoreMode:
        """Whether this opening of the store may write."""
        return self._file.mode

    def get(self, key: str) -> Reply | None:
        """The reply stored under a request key, or None.

        Raises:
            StoreError: The stored row differs from its checksum, or the file cannot be read.
        """
        digest = _key_digest(key)
        with self._file.reading() as connection:
            row = connection.execute(_GET, (digest,)).fetchone()
            return None if row is None else self._reply(*row)

    def put(self, request: Request, reply: Reply, *, source: str = "") -> Reply:
        """Store a reply, durably before this returns; of several for one request the first stays and is returned.

        Args:
            request: The whole request.
            reply: What came back.
            source: Name of the backbone that answered.

        Raises:
            StoreError: Full disk, read-only store or another failed write; then nothing of this call is stored.
        """
        key = bytes.fromhex(request.key)
        shape = json.dumps([[message.role, message.content.count("\n") + 1] for message in request.messages])
        text = "\n".join(message.content for message in request.messages)
        begun, lines = self._prefix.split(text)
        setting = _setting(request, source)
        usage = reply.usage
        row = (
            key, reply.text.encode("utf-8", "surrogatepass"), reply.finish_reason, usage.prompt_tokens,
            usage.completion_tokens, usage.cached_tokens, None if reply.model is None else json.dumps(reply.model),
            reply.seconds,
        )  # fmt: skip
        with self._file.writing() as connection:
            ids, new = self._line_ids(connection, lines)
            ids = begun + ids
            setting_id = self._setting_id(connection, setting, request.role)
            done = connection.execute(_PUT, (setting_id, request.sample, shape, _pack(ids), *row, _crc(*row)))
        self._lines.add(new)  # only once committed: the ids of an undone transaction are given again
        self._prefix.learn(text, ids)
        self._settings.add({setting: setting_id})
        if done.rowcount == 1:
            return reply
        return self.get(request.key) or reply

    def request(self, key: str) -> Request:
        """The request stored under `key`, exactly as it was made.

        Raises:
            StoreError: There is none, or what is stored differs from its hash.
        """
        digest = _key_digest(key)
        with self._file.reading() as connection:
            row = connection.execute(
                "SELECT sample, shape, lines, body FROM call JOIN setting ON setting.id = setting WHERE key=?",
                (digest,),
            ).fetchone()
            if row is None:
                raise StoreError(f"{self.path}: no request {key!r} is recorded.", remedy="Use a key that keys() lists.")
            sample, shape, lines, body = row
            texts = iter(self._texts(connection, _unpack(lines)))
            _, role, model, temperature, max_tokens, seed, schema = json.loads(body)
            found = Request(
                model=model,
                messages=tuple(
                    Message(role=speaker, content="\n".join(next(texts) for _ in range(count)))
                    for speaker, count in json.loads(shape)
                ),
                reply_schema=None if schema is None else _schema(schema),
                temperature=temperature, max_tokens=max_tokens, seed=seed, sample=sample, role=role,
            )  # fmt: skip
        if bytes.fromhex(found.key) != digest:
            raise self._file.corrupt(f"request {key} differs from its hash")
        return found

    def iter_replies(self) -> Iterator[Recorded]:
        """All stored calls in the order in which they were stored; constant memory."""
        for rows in self._batches(_BATCH):
            for role, *row in rows:
                with self._file.guard():
                    found = Recorded(row[0].hex(), role, self._reply(*row))
                yield found

    def keys(self) -> Iterator[str]:
        """All request keys in the order in which they were stored."""
        for rows in self._batches(_BATCH_LINES):
            yield from (key.hex() for _, key, _ in rows)

    def totals(self) -> dict[Role, RoleTotal]:
        """Calls and tokens by role; roles without a call are left out."""
        with self._file.reading() as connection:
            rows = connection.execute(
                "SELECT role, count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0),"
                " coalesce(sum(cached_tokens), 0), sum(prompt_tokens IS NULL OR completion_tokens IS NULL)"
                " FROM call JOIN setting ON setting.id = setting GROUP BY role"
            ).fetchall()
        found = {role: RoleTotal(*numbers) for role, *numbers in rows}
        return {role: found[role] for role in get_args(Role) if role in found}

    def sources(self) -> tuple[tuple[str, str], ...]:
        """The (backbone name, model) pairs that were recorded, sorted."""
        with self._file.reading() as connection:
            bodies = [json.loads(body) for (body,) in connection.execute("SELECT body FROM setting").fetchall()]
        return tuple(sorted({(body[0], body[2]) for body in bodies}))

    def nearest(self, request: Request) -> tuple[str, int] | None:
        """Key of the recorded request of the same role that shares most distinct lines, and how many; None without any.

        Reads every call of the store: meant for the message of a replay miss.
        """
        lines = {line for message in request.messages for line in message.content.split("\n")}
        find = "SELECT id FROM line WHERE digest=?"
        with self._file.reading() as connection:
            found = [connection.execute(find, (_line_digest(line),)).fetchone() for line in lines]
        wanted = {row[0] for row in found if row is not None}
        best: tuple[str, int] | None = None
        for rows in self._batches(_BATCH_LINES):
            for role, key, packed in rows:
                if role == request.role:
                    with self._file.guard():
                        shared = len(wanted.intersection(_unpack(packed)))
                    if best is None or shared > best[1]:
                        best = (key.hex(), shared)
        return best

    def __len__(self) -> int:
        with self._file.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM call").fetchone()[0])

    def close(self) -> None:
        """Close the file; safe to repeat."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def _reply(
        self, key: bytes, text: bytes, finish_reason: Literal["stop", "length", "refused", "other"],
        prompt: int | None, completion: int | None, cached: int | None, model: str | None, seconds: float | None,
        crc: int,
    ) -> Reply:  # fmt: skip
        if _crc(key, text, finish_reason, prompt, completion, cached, model, seconds) != crc:
            raise self._file.corrupt(f"reply {key.hex()} differs from its checksum")
        return Reply(
            text=text.decode("utf-8", "surrogatepass"), finish_reason=finish_reason, seconds=seconds,
            usage=Usage(prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached),
            model=None if model is None else json.loads(model),
        )  # fmt: skip

    def _line_ids(self, connection: sqlite3.Connection, lines: Sequence[str]) -> tuple[list[int], dict[str, int]]:
        ids, new = self._lines.known(lines), dict[str, int]()
        for place, line in enumerate(lines):
            if ids[place]:
                continue
            row_id = self._lines.get(line) or new.get(line)
            if row_id is None:
                digest = _line_digest(line)
                row = connection.execute("SELECT id FROM line WHERE digest=?", (digest,)).fetchone()
                if row is None:
                    values = (digest, line.encode("utf-8", "surrogatepass"))
                    row = (connection.execute("INSERT INTO line (digest, text) VALUES (?,?)", values).lastrowid,)
                row_id = new[line] = int(row[0])
            ids[place] = row_id
        return ids, new

    def _setting_id(self, connection: sqlite3.Connection, body: str, role: str) -> int:
        known = self._settings.get(body)
        if known is not None:
            return known
        connection.execute("INSERT INTO setting (role, body) VALUES (?,?) ON CONFLICT (body) DO NOTHING", (role, body))
        return int(connection.execute("SELECT id FROM setting WHERE body=?", (body,)).fetchone()[0])

    def _texts(self, connection: sqlite3.Connection, ids: Sequence[int]) -> list[str]:
        found: dict[int, str] = {}
        for row_id in dict.fromkeys(ids):
            row = connection.execute("SELECT text FROM line WHERE id=?", (row_id,)).fetchone()
            if row is None:
                raise self._file.corrupt(f"line {row_id} is missing")
            found[row_id] = row[0].decode("utf-8", "surrogatepass")
        return [found[row_id] for row_id in ids]

    def _batches(self, statement: str) -> Iterator[list[Any]]:
        last = 0
        while True:
            with self._file.reading() as connection:
                rows = connection.execute(statement, (last,)).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield [row[1:] for row in rows]


class _Memo:
    """A bounded map from text to row id, safe to share: two generations, the older dropped when the younger is full."""

    def __init__(self, characters: int) -> None:
        self._limit, self._size = characters, 0
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}

    def get(self, text: str) -> int | None:
        found = self._young.get(text)
        if found is None and (found := self._old.get(text)) is not None:
            self.add({text: found})
        return found

    def known(self, texts: Sequence[str]) -> list[int]:
        """The ids of texts in the younger generation, 0 for those not in it; row ids begin at 1."""
        young = self._young
        return [young.get(text, 0) for text in texts]

    def add(self, ids: dict[str, int]) -> None:
        if self._size > self._limit:
            self._old, self._young, self._size = self._young, {}, 0
        self._young.update(ids)
        self._size += sum(map(len, ids)) + 100 * len(ids)


class _Prefix:
    """Line ids of the lines with which the last two requests began: neighbours share most of what they say."""

    def __init__(self) -> None:
        self._shared: tuple[str, list[int], str] = ("", [], "")
        """Shared beginning, its ids, and the last text; replaced as one, so that threads see a whole."""

    def split(self, text: str) -> tuple[list[int], list[str]]:
        """The ids of the shared beginning, and the lines after it."""
        begun, ids, _ = self._shared
        if begun and text.startswith(begun):
            return ids, text[len(begun) :].split("\n")
        return [], text.split("\n")

    def learn(self, text: str, ids: list[int]) -> None:
        """Find the shared beginning anew where the last one no longer fits."""
        begun, _, last = self._shared
        if text.startswith(begun) and 2 * len(begun) > len(text):
            return
        same = bisect_left(range(min(len(text), len(last)) + 1), 1, key=lambda size: text[:size] != last[:size]) - 1
        begun = text[: text.rfind("\n", 0, same) + 1]
        self._shared = (begun, ids[: begun.count("\n")], text)


def _setting(request: Request, source: str) -> str:
    schema = request.reply_schema
    return json.dumps(
        [
            source, request.role, request.model, request.temperature, request.max_tokens, request.seed,
            None if schema is None else schema.text,
        ]
    )  # fmt: skip


def _schema(text: str) -> ReplySchema:
    name, json_schema = json.loads(text)
    return ReplySchema(name=name, json_schema=json_schema)


def _key_digest(key: str) -> bytes:
    try:
        return bytes.fromhex(key)
    except ValueError:
        raise StoreError(
            f"{key!r} is no request key.", remedy="Give the SHA-256 of a request in hex, as the run records name it."
        ) from None


def _line_digest(line: str) -> bytes:
    return hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _crc(key: bytes, text: bytes, *rest: object) -> int:
    return zlib.crc32(json.dumps(rest).encode(), zlib.crc32(text, zlib.crc32(key)))


def _pack(ids: Sequence[int]) -> bytes:
    """Line ids as compressed differences: neighbours in a prompt are mostly neighbours in the table."""
    deltas = array("q", map(sub, ids, [0, *ids[:-1]]))
    if sys.byteorder == "big":
        deltas.byteswap()
    return zlib.compress(deltas.tobytes(), 1)


def _unpack(packed: bytes) -> list[int]:
    deltas = array("q")
    deltas.frombytes(zlib.decompress(packed))
    if sys.byteorder == "big":
        deltas.byteswap()
    return list(accumulate(deltas))
