"""One entity in SQLite, as `apply_ops` works on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from memori_core.models import Fact, FactRecord, FactVersion, Mention
from memori_core.stores._rows import COLUMNS, to_micros, to_record, to_row
from memori_core.stores._sqlite_conversations import SQLiteConversations

SELECT = f"SELECT {', '.join(COLUMNS)} FROM facts WHERE entity_key = ? AND NOT deleted"

SELECT_SINCE = (
    # The rows are found by number, so they come in order without a sort that moves their vectors.
    f"SELECT {', '.join(COLUMNS)} FROM facts WHERE NOT deleted AND rowid IN "
    "(SELECT rowid FROM facts WHERE entity_key = ? AND revision > ?) ORDER BY rowid"
)

_INSERT = (
    f"INSERT INTO facts ({', '.join(COLUMNS)}, entity_key) "
    f"VALUES ({', '.join('?' * len(COLUMNS))}, ?) ON CONFLICT DO NOTHING"
)
_UPDATE = (
    f"UPDATE facts SET {', '.join(f'{c} = ?' for c in COLUMNS)} WHERE entity_key = ? AND id = ?"
)
_BLANK = (
    "UPDATE facts SET deleted = 1, revision = ?, "
    + ", ".join(f"{c} = NULL" for c in COLUMNS if c not in ("id", "revision"))
    + " WHERE entity_key = ? AND id = ? AND NOT deleted"
)


class SQLiteTable(SQLiteConversations):
    """One entity inside a transaction of the writer."""

    def __init__(self, connection: sqlite3.Connection, key: bytes) -> None:
        self._execute = connection.cursor().execute
        self._key = key
        super().__init__(self._execute, key)

    def add(self, record: FactRecord) -> bool:
        row = (*to_row(record), self._key)
        if self._execute(_INSERT, row).rowcount == 1:
            return True
        # The id may be that of a deleted fact, which gives way.
        buried = self._execute(
            "DELETE FROM facts WHERE entity_key = ? AND id = ? AND deleted "
            "AND NOT EXISTS (SELECT 1 FROM facts WHERE entity_key = ? AND uniq = ?)",
            (self._key, record.fact.id, self._key, record.uniq),
        )
        return buried.rowcount == 1 and self._execute(_INSERT, row).rowcount == 1

    def by_id(self, fact_id: str) -> FactRecord | None:
        row = self._execute(f"{SELECT} AND id = ?", (self._key, fact_id)).fetchone()
        return row and to_record(row)

    def by_uniq(self, uniq: bytes) -> FactRecord | None:
        row = self._execute(f"{SELECT} AND uniq = ?", (self._key, uniq)).fetchone()
        return row and to_record(row)

    def put(self, record: FactRecord) -> None:
        self._execute(_UPDATE, (*to_row(record), self._key, record.fact.id))

    def remove(self, fact_id: str, revision: int) -> bool:
        if self._execute(_BLANK, (revision, self._key, fact_id)).rowcount == 0:
            return False
        self._execute(
            "DELETE FROM fact_versions WHERE entity_key = ? AND fact_id = ?", (self._key, fact_id)
        )
        self._execute(
            "DELETE FROM fact_sources WHERE entity_key = ? AND fact_id = ?", (self._key, fact_id)
        )
        self.drop_triples(fact_id)
        self.unlink(fact_id, self.norms(fact_id))
        return True

    def add_source(self, fact_id: str, message_id: str) -> None:
        self._execute(
            "INSERT INTO fact_sources (entity_key, message_id, fact_id) VALUES (?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            (self._key, message_id, fact_id),
        )

    def sources(self, fact_id: str) -> list[str]:
        rows = self._execute(
            "SELECT message_id FROM fact_sources WHERE entity_key = ? AND fact_id = ?",
            (self._key, fact_id),
        )
        return [message_id for (message_id,) in rows]

    def said_in(self, message_id: str) -> list[Fact]:
        rows = self._execute(
            f"{SELECT} AND id IN (SELECT fact_id FROM fact_sources "
            "WHERE entity_key = ? AND message_id = ?)",
            (self._key, self._key, message_id),
        ).fetchall()
        return [to_record(row).fact for row in rows]

    def add_version(self, fact_id: str, version: FactVersion) -> None:
        self._execute(
            "INSERT INTO fact_versions SELECT ?, ?, coalesce(max(number), 0) + 1, ?, ? "
            "FROM fact_versions WHERE entity_key = ? AND fact_id = ?",
            (
                self._key,
                fact_id,
                version.content,
                to_micros(version.replaced_at),
                self._key,
                fact_id,
            ),
        )

    def norms(self, fact_id: str) -> set[str]:
        rows = self._execute(
            "SELECT norm FROM mention_links WHERE entity_key = ? AND fact_id = ?",
            (self._key, fact_id),
        )
        return {norm for (norm,) in rows}

    def link(self, fact_id: str, mentions: Sequence[Mention]) -> None:
        for mention in mentions:
            norm = mention.norm
            self._execute(
                "INSERT INTO mentions (entity_key, norm, text, type, vector) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT (entity_key, norm) "
                "DO UPDATE SET vector = coalesce(excluded.vector, vector)",
                (self._key, norm, mention.text, mention.type, mention.vector),
            )
            self._execute(
                "INSERT INTO mention_links (entity_key, norm, fact_id) VALUES (?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                (self._key, norm, fact_id),
            )

    def unlink(self, fact_id: str, norms: Collection[str]) -> None:
        for norm in norms:
            self._execute(
                "DELETE FROM mention_links WHERE entity_key = ? AND norm = ? AND fact_id = ?",
                (self._key, norm, fact_id),
            )
            self._execute(
                "DELETE FROM mentions WHERE entity_key = ? AND norm = ? AND NOT EXISTS "
                "(SELECT 1 FROM mention_links WHERE entity_key = ? AND norm = ?)",
                (self._key, norm, self._key, norm),
            )
