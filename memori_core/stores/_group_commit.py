"""Batches of many threads, stored together: one fsync serves all who wait."""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memori_core.errors import StoreError
from memori_core.models import Scope
from memori_core.stores._apply import apply_ops
from memori_core.stores._connections import Handle, Transaction, as_store_error, transaction
from memori_core.stores._sqlite_file import SQLiteFile
from memori_core.stores._sqlite_table import SQLiteTable
from memori_core.writes import Applied, WriteBatch


class GroupCommit:
    """The queue before the writer of a file."""

    def __init__(self, file: SQLiteFile, writer: Handle) -> None:
        self.waiting: deque[_Waiting] = deque()
        self._file = file
        self._writer = writer

    def apply(self, scope: Scope, batch: WriteBatch, *, durable: bool) -> Applied:
        """Apply a batch, alone or with those of others who wait."""
        mine = _Waiting(scope, batch, durable)
        self.waiting.append(mine)
        # Whoever gets the lock commits for all who wait.
        try:
            with self._writer.use() as connection:
                if mine.outcome is None:
                    self._commit_waiting(connection)
        except BaseException:
            self._drop([mine])
            raise
        if isinstance(mine.outcome, Applied):
            return mine.outcome
        if mine.outcome is None:  # who committed for all was stopped before saying how it ended
            raise StoreError(
                "another thread was interrupted while it stored this batch. Whether it is stored "
                "is not known: look before you try again."
            )
        raise mine.outcome

    @contextmanager
    def transaction(
        self, connection: sqlite3.Connection, *, durable: bool = True
    ) -> Generator[Transaction]:
        """A transaction of the writer that waits for the disk only if it is `durable`."""
        if durable or self._file.synchronous == "NORMAL":
            with transaction(connection) as state:
                yield state
            return
        try:
            connection.execute("PRAGMA synchronous = NORMAL")  # has no effect inside a transaction
            with transaction(connection) as state:
                yield state
        finally:
            connection.execute(f"PRAGMA synchronous = {self._file.synchronous}")

    def _commit_waiting(self, connection: sqlite3.Connection) -> None:
        group: list[_Waiting] = []
        outcomes: list[Applied | Exception] = []
        state = Transaction()
        try:
            while self.waiting:
                group.append(self.waiting[0])
                self.waiting.popleft()
            # After a fork, the parent stores what its threads queued.
            group = [waiting for waiting in group if waiting.pid == os.getpid()]
            with self.transaction(connection, durable=any(w.durable for w in group)) as state:
                if len(group) == 1:  # a savepoint would cost a sixth of the speed
                    outcomes = [_apply(connection, group[0])]
                else:
                    outcomes = [self._attempt(connection, waiting) for waiting in group]
        except BaseException as e:  # all who wait must hear of it, and of what is true
            if not state.committed:
                self._drop(group)
                outcomes = [self._failure(e)] * len(group)
            if not isinstance(e, Exception):
                raise
        finally:
            for waiting, outcome in zip(group, outcomes, strict=True):
                waiting.outcome = outcome

    def _drop(self, group: Iterable[_Waiting]) -> None:
        """Take batches that failed out of the queue, or the next one would store them."""
        for waiting in group:
            with suppress(ValueError):
                self.waiting.remove(waiting)

    def _attempt(self, connection: sqlite3.Connection, waiting: _Waiting) -> Applied | Exception:
        """Apply one batch of a group; if it fails, the others are not touched."""
        connection.execute("SAVEPOINT batch")
        try:
            applied = _apply(connection, waiting)
        except Exception as e:  # whatever it is, it belongs to the caller of this batch
            if not connection.in_transaction:
                raise  # SQLite rolled back the whole group
            connection.execute("ROLLBACK TO batch")
            connection.execute("RELEASE batch")
            return self._failure(e)
        connection.execute("RELEASE batch")
        return applied

    def _failure(self, error: BaseException) -> Exception:
        if isinstance(error, sqlite3.Error):
            failure: Exception = as_store_error(error, self._file.path)
        elif isinstance(error, Exception):
            return error
        else:
            failure = StoreError("the program was interrupted before the batch was stored.")
        failure.__cause__ = error
        return failure


@dataclass(slots=True, eq=False)
class _Waiting:
    """A batch in the queue of the writer."""

    scope: Scope
    batch: WriteBatch
    durable: bool
    outcome: Applied | Exception | None = None
    pid: int = field(default_factory=os.getpid)


def _apply(connection: sqlite3.Connection, waiting: _Waiting) -> Applied:
    key = waiting.scope.entity_key
    revision, floor = revision_and_floor(connection, key)
    applied = apply_ops(
        SQLiteTable(connection, key), waiting.batch.ops, revision=revision, now=datetime.now(UTC)
    )
    if applied.revision > revision:
        connection.execute(
            "INSERT INTO entities (entity_key, entity_id, revision, floor) "
            "VALUES (?, ?, ?, ?) ON CONFLICT (entity_key) DO UPDATE "
            "SET entity_id = excluded.entity_id, revision = excluded.revision",
            (key, waiting.scope.entity_id, applied.revision, floor),
        )
    return applied


def revision_and_floor(connection: sqlite3.Connection, key: bytes) -> tuple[int, int]:
    """How often an entity changed, and the revision of its last erasure."""
    row = connection.execute(
        "SELECT revision, floor FROM entities WHERE entity_key = ?", (key,)
    ).fetchone()
    return row or (0, 0)
