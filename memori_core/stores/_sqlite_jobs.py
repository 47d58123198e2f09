"""The queue of captured turns in SQLite: who works on which, across processes."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, get_args

from memori_core.conversation import Job, JobStatus
from memori_core.models import Scope
from memori_core.stores._rows import to_micros
from memori_core.stores._sqlite_conversations import MESSAGE_COLUMNS, to_message

# The first open job of a session, where it is due and no job of its entity runs. Two queries, so
# that each reads an index in the order of the queue and stops at the first.
_DUE = (
    "SELECT rowid, entity_key, id, session_id, process_id, attempts FROM jobs AS job "
    "WHERE {due} AND entity_key NOT IN "
    "(SELECT entity_key FROM jobs WHERE status = 'running' AND lease_until > :now) "
    "AND NOT EXISTS (SELECT 1 FROM jobs AS earlier "
    "WHERE earlier.entity_key = job.entity_key AND earlier.session_id = job.session_id "
    "AND earlier.status IN ('waiting', 'running') AND earlier.rowid < job.rowid) "
    "ORDER BY rowid LIMIT 1"
)
_WAITING = _DUE.format(due="status = 'waiting' AND coalesce(retry_at, 0) <= :now")
_EXPIRED = _DUE.format(due="status = 'running' AND lease_until <= :now")


def is_any_due(connection: sqlite3.Connection, now: datetime) -> bool:
    """Whether a job could be claimed. Only reads."""
    return _due(connection, now) is not None


def claim(
    connection: sqlite3.Connection, *, limit: int, lease_s: float, now: datetime
) -> list[Job]:
    """Take up jobs, inside a transaction of the writer."""
    claimed: list[Job] = []
    while len(claimed) < limit and (row := _due(connection, now)) is not None:
        claimed.append(_claimed(connection, row, until=now + timedelta(seconds=lease_s)))
    return claimed


# Any: a row holds whatever is in the file.
def _due(connection: sqlite3.Connection, now: datetime) -> tuple[Any, ...] | None:
    values = {"now": to_micros(now)}
    found = [connection.execute(sql, values).fetchone() for sql in (_WAITING, _EXPIRED)]
    return min((row for row in found if row is not None), default=None)


def _claimed(connection: sqlite3.Connection, row: tuple[Any, ...], *, until: datetime) -> Job:
    number, key, job_id, session_id, process_id, attempts = row
    lease = uuid.uuid4().hex
    connection.execute(
        "UPDATE jobs SET status = 'running', attempts = attempts + 1, lease = ?, "
        "lease_until = ?, retry_at = NULL WHERE rowid = ?",
        (lease, to_micros(until), number),
    )
    (entity_id,) = connection.execute(
        "SELECT entity_id FROM entities WHERE entity_key = ?", (key,)
    ).fetchone()
    messages = connection.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE entity_key = ? AND turn_id = ? "
        "ORDER BY position",
        (key, job_id),
    ).fetchall()
    summary = connection.execute(
        "SELECT summary FROM sessions WHERE entity_key = ? AND id = ?", (key, session_id)
    ).fetchone()
    return Job(
        job_id,
        entity_id=entity_id,
        process_id=process_id,
        session_id=session_id,
        attempts=attempts + 1,
        lease=lease,
        messages=tuple(map(to_message, messages)),
        summary=summary and summary[0],
    )


def renew(connection: sqlite3.Connection, job: Job, *, until: datetime) -> bool:
    """Keep a job longer, if it is still leased to who does so."""
    done = connection.execute(
        "UPDATE jobs SET lease_until = ? "
        "WHERE entity_key = ? AND id = ? AND status = 'running' AND lease = ?",
        (to_micros(until), Scope(job.entity_id).entity_key, job.id, job.lease),
    )
    return done.rowcount == 1


def release(
    connection: sqlite3.Connection, job: Job, *, error: str, retry_at: datetime | None
) -> None:
    """Give a job back, if it is still leased to who does so."""
    connection.execute(
        "UPDATE jobs SET status = ?, retry_at = ?, error = ?, lease = NULL, lease_until = NULL "
        "WHERE entity_key = ? AND id = ? AND status = 'running' AND lease = ?",
        (
            "dead" if retry_at is None else "waiting",
            None if retry_at is None else to_micros(retry_at),
            error,
            Scope(job.entity_id).entity_key,
            job.id,
            job.lease,
        ),
    )


def revive(connection: sqlite3.Connection) -> int:
    """Let dead jobs wait again."""
    return connection.execute(
        "UPDATE jobs SET status = 'waiting', attempts = 0 WHERE status = 'dead'"
    ).rowcount


def count(connection: sqlite3.Connection) -> Mapping[JobStatus, int]:
    """How many jobs there are, by status."""
    found = dict(connection.execute("SELECT status, count(*) FROM jobs GROUP BY status"))
    return {status: found.get(status, 0) for status in get_args(JobStatus)}
