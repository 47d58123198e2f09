"""One entity's conversations, jobs, triples and attributes in SQLite, as operations change them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from memori_core.conversation import Message, Session, Status, StoredMessage, Triple
from memori_core.models import folded, unique_key
from memori_core.stores._rows import from_micros, to_micros

MESSAGE_COLUMNS = "id, session_id, turn_id, position, role, name, content, said_at"
SESSION_COLUMNS = "id, process_id, summary, started_at, last_active_at"


class SQLiteConversations:
    """The part of `SQLiteTable` that is not about facts."""

    # Any: values of several types are bound.
    def __init__(self, execute: Callable[[str, Sequence[Any]], sqlite3.Cursor], key: bytes) -> None:
        self._execute = execute
        self._key = key

    def session(self, session_id: str) -> Session | None:
        row = self._execute(
            f"SELECT {SESSION_COLUMNS} FROM sessions WHERE entity_key = ? AND id = ?",
            (self._key, session_id),
        ).fetchone()
        return row and to_session(row)

    def put_session(self, session: Session) -> None:
        self._execute(
            f"INSERT INTO sessions (entity_key, {SESSION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (entity_key, id) DO UPDATE SET process_id = excluded.process_id, "
            "summary = excluded.summary, started_at = excluded.started_at, "
            "last_active_at = excluded.last_active_at",
            (
                self._key,
                session.id,
                session.process_id,
                session.summary,
                to_micros(session.started_at),
                to_micros(session.last_active_at),
            ),
        )

    def turn(self, turn_id: str) -> tuple[Status, str] | None:
        return self._execute(
            "SELECT status, session_id FROM turns WHERE entity_key = ? AND id = ?",
            (self._key, turn_id),
        ).fetchone()

    def put_turn(self, turn_id: str, *, session_id: str, status: Status) -> None:
        self._execute(
            "INSERT INTO turns (entity_key, id, session_id, status) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (entity_key, id) DO UPDATE SET status = excluded.status",
            (self._key, turn_id, session_id, status),
        )

    def messages_of(self, turn_id: str) -> list[StoredMessage]:
        rows = self._execute(
            f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE entity_key = ? AND turn_id = ? "
            "ORDER BY position",
            (self._key, turn_id),
        ).fetchall()
        return list(map(to_message, rows))

    def next_position(self, session_id: str) -> int:
        (position,) = self._execute(
            "SELECT coalesce(max(position) + 1, 0) FROM messages "
            "WHERE entity_key = ? AND session_id = ?",
            (self._key, session_id),
        ).fetchone()
        return position

    def add_message(self, message: StoredMessage) -> bool:
        done = self._execute(
            f"INSERT INTO messages (entity_key, {MESSAGE_COLUMNS}) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (
                self._key,
                message.id,
                message.session_id,
                message.turn_id,
                message.position,
                message.message.role,
                message.message.name,
                message.message.content,
                to_micros(message.said_at),
            ),
        )
        return done.rowcount == 1

    def set_content(self, message_id: str, content: str) -> None:
        self._execute(
            "UPDATE messages SET content = ? WHERE entity_key = ? AND id = ?",
            (content, self._key, message_id),
        )

    def add_job(self, job_id: str, *, session_id: str, process_id: str | None) -> bool:
        done = self._execute(
            "INSERT INTO jobs (entity_key, id, session_id, process_id, status) "
            "VALUES (?, ?, ?, ?, 'waiting') ON CONFLICT (entity_key, id) DO UPDATE "
            "SET status = 'waiting', lease = NULL, lease_until = NULL WHERE status = 'running'",
            (self._key, job_id, session_id, process_id),
        )
        return done.rowcount == 1

    def finish_job(self, job_id: str, lease: str) -> bool:
        done = self._execute(
            "UPDATE jobs SET status = 'done', lease = NULL, lease_until = NULL, error = NULL "
            "WHERE entity_key = ? AND id = ? AND status = 'running' AND lease = ?",
            (self._key, job_id, lease),
        )
        return done.rowcount == 1

    def add_triple(self, triple: Triple, *, fact_id: str) -> None:
        self._execute(
            "INSERT INTO triples VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, NULL) "
            "ON CONFLICT DO UPDATE SET times = times + 1, valid_until = NULL",
            (
                self._key,
                folded(triple.subject),
                folded(triple.predicate),
                folded(triple.object),
                fact_id,
                triple.subject,
                triple.predicate,
                triple.object,
                triple.subject_type,
                triple.object_type,
            ),
        )

    def end_triples(self, fact_id: str, valid_until: datetime) -> bool:
        micros = to_micros(valid_until)
        done = self._execute(
            "UPDATE triples SET valid_until = ? "
            "WHERE entity_key = ? AND fact_id = ? AND valid_until IS NOT ?",
            (micros, self._key, fact_id, micros),
        )
        return done.rowcount > 0

    def drop_triples(self, fact_id: str) -> None:
        self._execute(
            "DELETE FROM triples WHERE entity_key = ? AND fact_id = ?", (self._key, fact_id)
        )

    def add_attribute(self, process_id: str, content: str) -> None:
        self._execute(
            "INSERT INTO attributes (entity_key, process_id, uniq, content, times) "
            "VALUES (?, ?, ?, ?, 1) ON CONFLICT (entity_key, process_id, uniq) "
            "DO UPDATE SET times = times + 1",
            (self._key, process_id, unique_key(content), content),
        )


# Any: a row holds whatever is in the file.
def to_message(row: Sequence[Any]) -> StoredMessage:
    """The message of a row of `MESSAGE_COLUMNS`."""
    message_id, session_id, turn_id, position, role, name, content, said = row
    said_at = from_micros(said)
    return StoredMessage(
        Message(role, content, name=name, said_at=said_at, id=message_id),
        id=message_id,
        session_id=session_id,
        turn_id=turn_id,
        position=position,
        said_at=said_at,
    )


def to_session(row: Sequence[Any]) -> Session:  # Any: see `to_message`
    """The session of a row of `SESSION_COLUMNS`."""
    session_id, process_id, summary, started_at, last_active_at = row
    return Session(
        session_id,
        process_id=process_id,
        summary=summary,
        started_at=from_micros(started_at),
        last_active_at=from_micros(last_active_at),
    )
