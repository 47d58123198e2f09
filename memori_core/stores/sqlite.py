"""The default store: one SQLite file that many threads and processes may share."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ClassVar, Literal

from memori_core.errors import ConfigError, StoreError
from memori_core.models import (
    Applied,
    Changes,
    FactRecord,
    FactVersion,
    LinkedMention,
    Mention,
    Scope,
    WriteBatch,
)
from memori_core.stores._apply import apply_ops
from memori_core.stores._connections import (
    Handle,
    HandleSet,
    as_store_error,
    transaction,
)
from memori_core.stores._rows import from_micros, to_record
from memori_core.stores._sqlite_file import SQLiteFile
from memori_core.stores._sqlite_table import SELECT, SELECT_SINCE, SQLiteTable
from memori_core.stores.base import Store

logger = logging.getLogger(__name__)

_IDS_PER_QUERY = 500  # SQLite took at most 999 parameters until 3.32
_OWN_TABLES = ("facts", "fact_versions", "mention_links", "mentions")


class SQLiteStore(Store):
    """Keeps facts in one SQLite file, or in memory with the path `":memory:"`.

    ```python
    from memori_core import Scope
    from memori_core.stores import SQLiteStore

    with SQLiteStore(":memory:") as store:
        print(store.revision(Scope("alice")))
        #> 0
    ```

    Args:
        path: The file. It is made if it is not there; its folder must be.
        synchronous: `"FULL"`: what `apply` returned for survives a power cut. `"NORMAL"`: it
            survives the end of the process, but a power cut may take the last moments; single
            facts are then stored without waiting for the disk.

    Raises:
        StoreError: The file cannot be opened, is damaged, or belongs to another program.
        SchemaVersionError: A newer memori-core wrote it.
    """

    capabilities: ClassVar[frozenset[str]] = frozenset({"durable", "multi_process"})

    def __init__(
        self, path: str | os.PathLike[str], *, synchronous: Literal["FULL", "NORMAL"] = "FULL"
    ) -> None:
        if synchronous not in ("FULL", "NORMAL"):
            raise ConfigError(f'`synchronous` is {synchronous!r}; it can be "FULL" or "NORMAL".')
        self._file = SQLiteFile(os.fspath(path), synchronous=synchronous)
        self._waiting: deque[_Waiting] = deque()
        self._handles = HandleSet()
        self._writer = self._handles.add(Handle(self._file.path, self._file.open_writer))
        self._local = threading.local()
        with self._reader() if self._file.read_only else self._writer:
            pass  # a file that cannot be used is found now, not at the first recall

    def apply(self, scope: Scope, batch: WriteBatch) -> Applied:
        mine = _Waiting(scope, batch)
        self._waiting.append(mine)
        # Whoever gets the lock commits for all who wait: one fsync serves many threads.
        try:
            with self._writer as connection:
                if mine.outcome is None:
                    self._commit_waiting(connection)
        except BaseException:
            with suppress(ValueError):
                self._waiting.remove(mine)  # or the next one would store what failed here
            raise
        if isinstance(mine.outcome, Applied):
            return mine.outcome
        assert mine.outcome is not None
        raise mine.outcome

    def revision(self, scope: Scope) -> int:
        with self._reader() as connection:
            return _revision_and_floor(connection, scope.entity_key)[0]

    def changes(self, scope: Scope, *, since: int = 0) -> Changes:
        key = scope.entity_key
        with self._reader() as connection, transaction(connection, "DEFERRED"):
            revision, floor = _revision_and_floor(connection, key)
            complete = since <= 0 or since < floor or since > revision
            start = 0 if complete else since
            rows = connection.execute(SELECT_SINCE, (key, start)).fetchall()
            deleted = connection.execute(
                "SELECT id FROM facts WHERE entity_key = ? AND revision > ? AND deleted",
                (key, revision if complete else start),
            ).fetchall()
        return Changes(
            revision=revision,
            complete=complete,
            records=tuple(map(to_record, rows)),
            deleted=tuple(i for (i,) in deleted),
        )

    def facts(
        self,
        scope: Scope,
        *,
        ids: Sequence[str] | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> list[FactRecord]:
        key = scope.entity_key
        with self._reader() as connection:
            if ids is None:
                rows = connection.execute(
                    f"{SELECT} AND id > ? ORDER BY id LIMIT ?",
                    (key, after or "", -1 if limit is None else limit),
                ).fetchall()
                return list(map(to_record, rows))
            found: dict[str, FactRecord] = {}
            for start in range(0, len(ids), _IDS_PER_QUERY):
                some = ids[start : start + _IDS_PER_QUERY]
                marks = ", ".join("?" * len(some))
                for row in connection.execute(f"{SELECT} AND id IN ({marks})", (key, *some)):
                    found[row[0]] = to_record(row)
        return [found[i] for i in ids if i in found and i > (after or "")][:limit]

    def count(self, scope: Scope) -> int:
        with self._reader() as connection:
            (count,) = connection.execute(
                "SELECT count(*) FROM facts WHERE entity_key = ? AND deleted = 0",
                (scope.entity_key,),
            ).fetchone()
        return int(count)

    def history(self, scope: Scope, fact_id: str) -> list[FactVersion]:
        with self._reader() as connection:
            rows = connection.execute(
                "SELECT content, replaced_at FROM fact_versions "
                "WHERE entity_key = ? AND fact_id = ? ORDER BY number",
                (scope.entity_key, fact_id),
            ).fetchall()
        return [FactVersion(content, replaced_at=from_micros(at)) for content, at in rows]

    def mentions(self, scope: Scope) -> list[LinkedMention]:
        with self._reader() as connection:
            rows = connection.execute(
                "SELECT norm, text, type, vector, fact_id FROM mentions "
                "JOIN mention_links USING (entity_key, norm) "
                "WHERE entity_key = ? ORDER BY norm, fact_id",
                (scope.entity_key,),
            ).fetchall()
        known: dict[str, Mention] = {}
        fact_ids: dict[str, list[str]] = {}
        for norm, text, kind, vector, fact_id in rows:
            known.setdefault(norm, Mention(text, type=kind, vector=vector))
            fact_ids.setdefault(norm, []).append(fact_id)
        return [LinkedMention(m, fact_ids=tuple(fact_ids[norm])) for norm, m in known.items()]

    def erase(self, scope: Scope) -> int:
        key = scope.entity_key
        with self._writer as connection:
            with transaction(connection):
                rows, live = connection.execute(
                    "SELECT count(*), count(uniq) FROM facts WHERE entity_key = ?", (key,)
                ).fetchone()
                if rows == 0:
                    return 0
                for table in _OWN_TABLES:
                    connection.execute(f"DELETE FROM {table} WHERE entity_key = ?", (key,))
                # The revision stays, and goes on: caches of other processes see that it rose.
                connection.execute(
                    "UPDATE entities SET entity_id = '', revision = revision + 1, "
                    "floor = revision + 1 WHERE entity_key = ?",
                    (key,),
                )
            if _truncate_wal(connection):
                logger.warning("erase: the -wal file is in use and is emptied later")
        return live

    def entities(self) -> list[str]:
        with self._reader() as connection:
            rows = connection.execute(
                "SELECT entity_id FROM entities AS e WHERE EXISTS (SELECT 1 FROM facts "
                "WHERE entity_key = e.entity_key AND NOT deleted) ORDER BY entity_id"
            ).fetchall()
        return [entity_id for (entity_id,) in rows]

    def setting(self, name: str) -> bytes | None:
        with self._reader() as connection:
            row = connection.execute(
                "SELECT value FROM settings WHERE name = ?", (name,)
            ).fetchone()
        return None if row is None else row[0]

    def set_setting(self, name: str, value: bytes) -> None:
        with self._writer as connection:
            connection.execute(
                "INSERT INTO settings (name, value) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (name, value),
            )

    def stats(self) -> Mapping[str, int | str]:
        with self._reader() as connection:

            def number(sql: str) -> int:
                return int(connection.execute(sql).fetchone()[0])

            entities = number("SELECT count(DISTINCT entity_key) FROM facts WHERE NOT deleted")
            facts = number("SELECT count(*) FROM facts WHERE NOT deleted")
            version = number("PRAGMA user_version")
        return {
            "store": "sqlite",
            "entities": entities,
            "facts": facts,
            "bytes": self._file.size(),
            "path": self._file.path,
            "schema_version": version,
            "sqlite": sqlite3.sqlite_version,
        }

    def close(self) -> None:
        self._file.closed = True
        self._handles.close()

    def _commit_waiting(self, connection: sqlite3.Connection) -> None:
        group: list[_Waiting] = []
        while self._waiting:
            waiting = self._waiting.popleft()
            if (
                waiting.pid == os.getpid()
            ):  # after a fork, the parent stores what its threads queued
                group.append(waiting)
        try:
            with transaction(connection):
                if len(group) == 1:  # a savepoint would cost a sixth of the speed
                    group[0].outcome = _apply(connection, group[0])
                else:
                    for waiting in group:
                        waiting.outcome = self._attempt(connection, waiting)
        except BaseException as e:  # all who wait must hear of it
            for waiting in group:
                waiting.outcome = self._failure(e)
            if not isinstance(e, Exception):
                raise

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

    def _reader(self) -> Handle:
        if self._file.in_memory:
            return self._writer
        try:
            return self._local.reader
        except AttributeError:
            reader = self._handles.add(Handle(self._file.path, self._file.open_reader))
            self._local.reader = reader
            return reader


@dataclass(slots=True, eq=False)
class _Waiting:
    """A batch in the queue of the writer."""

    scope: Scope
    batch: WriteBatch
    outcome: Applied | Exception | None = None
    pid: int = field(default_factory=os.getpid)


def _apply(connection: sqlite3.Connection, waiting: _Waiting) -> Applied:
    key = waiting.scope.entity_key
    revision, floor = _revision_and_floor(connection, key)
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


def _revision_and_floor(connection: sqlite3.Connection, key: bytes) -> tuple[int, int]:
    row = connection.execute(
        "SELECT revision, floor FROM entities WHERE entity_key = ?", (key,)
    ).fetchone()
    return row or (0, 0)


def _truncate_wal(connection: sqlite3.Connection) -> bool:
    """Move the -wal file into the database, and return whether a reader kept us from it."""
    busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return busy == 1
