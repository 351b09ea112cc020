"""The SQLite file of a recording store: opened, checked, shared and closed, every failure a readable StoreError."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from proactmem.errors import StoreError
from proactmem.paths import storage_error

__all__ = ["APPLICATION_ID", "STORE_VERSION", "StoreFile", "StoreMode"]

StoreMode = Literal["record", "replay"]
"""`record` creates and writes, `replay` only reads what is there."""

APPLICATION_ID = 0x50414D52
"""Marks a SQLite file as a recording store (`PAMR`)."""
STORE_VERSION = 1
"""`PRAGMA user_version` of the layout below; another version is refused."""

_SCHEMA = (
    "CREATE TABLE line (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, text BLOB NOT NULL)",
    "CREATE TABLE setting (id INTEGER PRIMARY KEY, role TEXT NOT NULL, body TEXT NOT NULL UNIQUE)",
    (
        "CREATE TABLE call (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, setting INTEGER NOT NULL,"
        " sample INTEGER NOT NULL, shape TEXT NOT NULL, lines BLOB NOT NULL, text BLOB NOT NULL,"
        " finish_reason TEXT NOT NULL, prompt_tokens INTEGER, completion_tokens INTEGER, cached_tokens INTEGER,"
        " model TEXT, seconds REAL, crc INTEGER NOT NULL)"
    ),
    f"PRAGMA application_id={APPLICATION_ID}",
    f"PRAGMA user_version={STORE_VERSION}",
)
_BUSY_SECONDS = 30.0
_WAL_ATTEMPTS = 200


class StoreFile:
    """One writing and one reading connection, each under its own lock, so that reads never wait for a sync."""

    def __init__(self, path: Path, mode: StoreMode, durable: bool) -> None:
        self.path, self.mode = path, mode
        self._pid = os.getpid()
        self._write_lock, self._read_lock = threading.Lock(), threading.Lock()
        self._connections: list[sqlite3.Connection] = []
        try:
            with self.guard():
                self._writer = self._connect()
                self._check()
                if mode == "record":
                    self._use_wal()
                    self._writer.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                    self._writer.execute("PRAGMA cache_size=-32768")  # 32 MiB: keys are hashes, every insert lands elsewhere
                    self._create()
                self._reader = self._connect() if mode == "record" else self._writer
        except StoreError:
            self.close()
            raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The reading connection, for statements that are read to their end inside the block."""
        with self.guard(), self._read_lock:
            yield self._reader

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The writing connection inside one transaction: committed (and synced) at the end, undone on any error."""
        if self.mode == "replay":
            raise StoreError(f"{self.path}: opened for replay, not for recording.", remedy="Open it in record mode.")
        with self.guard(), self._write_lock, self._transaction():
            yield self._writer

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._writer.execute("COMMIT")
        finally:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")

    @contextlib.contextmanager
    def guard(self) -> Iterator[None]:
        """Turn what SQLite reports, or bytes that cannot be decoded, into a StoreError."""
        if os.getpid() != self._pid:
            raise StoreError(f"{self.path}: opened by another process.", remedy="Open the store again after a fork.")
        try:
            yield
        except sqlite3.Error as error:
            raise self._explain(error) from error
        except (ValueError, TypeError, zlib.error) as error:
            raise self.corrupt(str(error).splitlines()[0]) from error

    def corrupt(self, detail: str) -> StoreError:
        """The error of a store whose content cannot be trusted."""
        return StoreError(
            f"{self.path}: not a readable recording store ({detail}).",
            remedy="Restore it from a copy, or move it away: a run then asks the model again for what is missing.",
        )

    def close(self) -> None:
        """Close the file; the last one out of record mode folds the write-ahead log back, leaving one plain file."""
        connections, self._connections = self._connections, []
        if os.getpid() != self._pid:
            return  # a forked child must not touch its parent's connections
        for connection in reversed(connections):
            if connection is connections[0] and self.mode == "record":
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("PRAGMA busy_timeout=0")
                    connection.execute("PRAGMA journal_mode=DELETE")
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        access = "rwc"
        if self.mode == "replay":
            if not self.path.is_file():
                raise StoreError(f"{self.path}: no recording store is there.", remedy="Record first, or give its path.")
            # In a folder that cannot be written there is no room for SQLite's shared-memory file, and nobody writes.
            log = self.path.with_name(self.path.name + "-wal")
            access = "ro" if os.access(self.path.parent, os.W_OK) or log.exists() else "ro&immutable=1"
        else:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise storage_error(self.path, error) from error
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={access}", uri=True, timeout=_BUSY_SECONDS, isolation_level=None,
            check_same_thread=False,
        )  # fmt: skip
        self._connections.append(connection)
        return connection

    def _check(self) -> None:
        """Refuse what is no recording store, before a byte of it is changed."""
        names = ("page_count", "application_id", "user_version")
        pages, application, version = (self._writer.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
        if application == APPLICATION_ID:
            if version != STORE_VERSION:
                raise StoreError(
                    f"{self.path}: a recording store of version {version!r}, expected {STORE_VERSION}.",
                    remedy="Use the release of proactmem that wrote it, or record into a new file.",
                )
        elif self.mode == "replay" or application or version or (pages and self._tables()):
            raise StoreError(
                f"{self.path}: no recording store (application id {application:#x}, expected {APPLICATION_ID:#x}).",
                remedy="Give the path of a recording store, or of a file that does not exist yet.",
            )

    def _tables(self) -> int:
        return int(self._writer.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])

    def _create(self) -> None:
        with self._transaction():
            if not self._tables():  # asked under the write lock: another process may just have done it
                for statement in _SCHEMA:
                    self._writer.execute(statement)

    def _use_wal(self) -> None:
        for attempt in range(_WAL_ATTEMPTS):  # SQLite does not wait here by itself when two processes change the mode
            try:
                self._writer.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or attempt + 1 == _WAL_ATTEMPTS:
                    raise
                time.sleep(0.01)
            else:
                return

    def _explain(self, error: sqlite3.Error) -> StoreError:
        if isinstance(error, sqlite3.ProgrammingError):
            return StoreError(f"{self.path}: the store is closed ({error}).", remedy="Open it again.")
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return storage_error(self.path, OSError(errno.ENOSPC, "disk full"))
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR):
            return self.corrupt(str(error))
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreError(
                f"{self.path}: another process has kept it locked for {_BUSY_SECONDS:.0f} s.",
                remedy="Wait for that process or end it, then run the same command again.",
            )
        return storage_error(self.path, OSError(errno.EIO, str(error)))
