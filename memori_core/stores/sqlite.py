"""The default store: one SQLite file that many threads and processes may share."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import ClassVar, Literal

from memori_core.conversation import Job, JobStatus, Session, Status, StoredMessage, StoredTriple
from memori_core.errors import ConfigError
from memori_core.models import FactRecord, FactVersion, LinkedMention, Mention, Scope
from memori_core.stores import _sqlite_jobs, _sqlite_reading
from memori_core.stores._connections import Handle, HandleSet, transaction
from memori_core.stores._group_commit import GroupCommit, revision_and_floor
from memori_core.stores._rows import from_micros, to_record
from memori_core.stores._sqlite_file import SQLiteFile
from memori_core.stores._sqlite_table import SELECT, SELECT_SINCE
from memori_core.stores.base import Store
from memori_core.writes import Applied, Changes, WriteBatch

logger = logging.getLogger(__name__)

_IDS_PER_QUERY = 500  # SQLite took at most 999 parameters until 3.32
_OWN_TABLES = (
    "facts",
    "fact_versions",
    "fact_sources",
    "mention_links",
    "mentions",
    "messages",
    "turns",
    "sessions",
    "jobs",
    "triples",
    "attributes",
)
_COUNTED = "NOT deleted AND kind <> 'message'"
_EXISTS = " OR ".join(
    f"EXISTS (SELECT 1 FROM {table} WHERE entity_key = e.entity_key{live})"
    for table, live in (("facts", " AND NOT deleted"), ("sessions", ""), ("attributes", ""))
)


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
        name = os.fspath(path)
        if name != ":memory:":  # the program may change its folder before the next connection
            name = str(Path(name).absolute())
        self._file = SQLiteFile(name, synchronous=synchronous)
        self._handles = HandleSet()
        self._writer = self._handles.add(Handle(self._file.path, self._file.open_writer))
        self._commits = GroupCommit(self._file, self._writer)
        self._local = threading.local()
        with (self._reader() if self._file.read_only else self._writer).use():
            pass  # a file that cannot be used is found now, not at the first recall

    def apply(self, scope: Scope, batch: WriteBatch, *, durable: bool = True) -> Applied:
        return self._commits.apply(scope, batch, durable=durable)

    def revision(self, scope: Scope) -> int:
        with self._reader().use() as connection:
            return revision_and_floor(connection, scope.entity_key)[0]

    def changes(self, scope: Scope, *, since: int = 0) -> Changes:
        key = scope.entity_key
        with self._reader().use() as connection, transaction(connection, "DEFERRED"):
            revision, floor = revision_and_floor(connection, key)
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
        with self._reader().use() as connection:
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
        with self._reader().use() as connection:
            (count,) = connection.execute(
                f"SELECT count(*) FROM facts WHERE entity_key = ? AND {_COUNTED}",
                (scope.entity_key,),
            ).fetchone()
        return int(count)

    def history(self, scope: Scope, fact_id: str) -> list[FactVersion]:
        with self._reader().use() as connection:
            rows = connection.execute(
                "SELECT content, replaced_at FROM fact_versions "
                "WHERE entity_key = ? AND fact_id = ? ORDER BY number",
                (scope.entity_key, fact_id),
            ).fetchall()
        return [FactVersion(content, replaced_at=from_micros(at)) for content, at in rows]

    def mentions(self, scope: Scope) -> list[LinkedMention]:
        with self._reader().use() as connection:
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

    def sources(self, scope: Scope) -> Mapping[str, tuple[str, ...]]:
        with self._reader().use() as connection:
            return _sqlite_reading.sources(connection, scope.entity_key)

    def messages(
        self, scope: Scope, *, session_id: str | None = None, limit: int | None = None
    ) -> list[StoredMessage]:
        with self._reader().use() as connection:
            return _sqlite_reading.messages(
                connection, scope.entity_key, session_id=session_id, limit=limit
            )

    def sessions(self, scope: Scope) -> list[Session]:
        with self._reader().use() as connection:
            return _sqlite_reading.sessions(connection, scope.entity_key)

    def session_at(self, scope: Scope, at: datetime, *, idle: timedelta) -> Session | None:
        with self._reader().use() as connection:
            return _sqlite_reading.session_at(
                connection, scope.entity_key, at, process_id=scope.process_id, idle=idle
            )

    def turns(self, scope: Scope) -> Mapping[str, Status]:
        with self._reader().use() as connection:
            return _sqlite_reading.turns(connection, scope.entity_key)

    def triples(
        self,
        scope: Scope,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        include_ended: bool = False,
    ) -> list[StoredTriple]:
        with self._reader().use() as connection:
            return _sqlite_reading.triples(
                connection,
                scope.entity_key,
                subject=subject,
                predicate=predicate,
                object=object,
                include_ended=include_ended,
            )

    def attribute_times(self, scope: Scope) -> Mapping[str, Mapping[str, int]]:
        with self._reader().use() as connection:
            return _sqlite_reading.attribute_times(connection, scope.entity_key)

    def claim_jobs(self, *, limit: int, lease_s: float, now: datetime) -> list[Job]:
        with self._reader().use() as connection:  # so that waiting for work never holds up a write
            if not _sqlite_jobs.is_any_due(connection, now):
                return []
        # Not durable: should a power cut take the claim, the job is simply claimed again.
        with (
            self._writer.use() as connection,
            self._commits.transaction(connection, durable=False),
        ):
            return _sqlite_jobs.claim(connection, limit=limit, lease_s=lease_s, now=now)

    def renew_job(self, job: Job, *, lease_s: float, now: datetime) -> bool:
        with (
            self._writer.use() as connection,
            self._commits.transaction(connection, durable=False),
        ):
            return _sqlite_jobs.renew(connection, job, until=now + timedelta(seconds=lease_s))

    def release_job(self, job: Job, *, error: str, retry_at: datetime | None) -> None:
        with self._writer.use() as connection:
            _sqlite_jobs.release(connection, job, error=error, retry_at=retry_at)

    def jobs(self) -> Mapping[JobStatus, int]:
        with self._reader().use() as connection:
            return _sqlite_jobs.count(connection)

    def revive_jobs(self) -> int:
        with self._writer.use() as connection:
            return _sqlite_jobs.revive(connection)

    def erase(self, scope: Scope) -> int:
        key = scope.entity_key
        with self._writer.use() as connection:
            with transaction(connection):
                known = connection.execute(
                    "SELECT 1 FROM entities WHERE entity_key = ? AND entity_id <> ''", (key,)
                ).fetchone()
                if known is None:
                    return 0
                (count,) = connection.execute(
                    f"SELECT count(*) FROM facts WHERE entity_key = ? AND {_COUNTED}", (key,)
                ).fetchone()
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
        return count

    def entities(self) -> list[str]:
        with self._reader().use() as connection:
            rows = connection.execute(
                f"SELECT entity_id FROM entities AS e WHERE {_EXISTS} ORDER BY entity_id"
            ).fetchall()
        return [entity_id for (entity_id,) in rows]

    def setting(self, name: str) -> bytes | None:
        with self._reader().use() as connection:
            row = connection.execute(
                "SELECT value FROM settings WHERE name = ?", (name,)
            ).fetchone()
        return None if row is None else row[0]

    def set_setting(self, name: str, value: bytes) -> None:
        with self._writer.use() as connection:
            connection.execute(
                "INSERT INTO settings (name, value) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (name, value),
            )

    def stats(self) -> Mapping[str, int | str]:
        with self._reader().use() as connection:

            def number(sql: str) -> int:
                return int(connection.execute(sql).fetchone()[0])

            counts = {
                "entities": number(f"SELECT count(*) FROM entities AS e WHERE {_EXISTS}"),
                "facts": number(f"SELECT count(*) FROM facts WHERE {_COUNTED}"),
                "messages": number("SELECT count(*) FROM messages"),
                "sessions": number("SELECT count(*) FROM sessions"),
                "jobs": number("SELECT count(*) FROM jobs WHERE status <> 'done'"),
            }
            version = number("PRAGMA user_version")
        return {
            "store": "sqlite",
            **counts,
            "bytes": self._file.size(),
            "path": self._file.path,
            "schema_version": version,
            "sqlite": sqlite3.sqlite_version,
        }

    def close(self) -> None:
        self._file.closed = True
        self._handles.close()

    def _reader(self) -> Handle:
        if self._file.in_memory:
            return self._writer
        try:
            return self._local.reader
        except AttributeError:
            reader = self._handles.add(Handle(self._file.path, self._file.open_reader))
            self._local.reader = reader
            return reader


def _truncate_wal(connection: sqlite3.Connection) -> bool:
    """Move the -wal file into the database, and return whether a reader kept us from it."""
    busy: int = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return busy == 1
