"""Conversations for tests, and short ways to store and read them."""

from __future__ import annotations

from datetime import datetime, timedelta

from memori_core.conversation import Job, Message, Status, Triple
from memori_core.models import Scope
from memori_core.stores.base import Store
from memori_core.testing.facts import SAID_AT, run
from memori_core.writes import AppendTurn, Applied

NOW = SAID_AT + timedelta(days=1)
LIVES_IN_OSLO = Triple("User", "lives_in", "Oslo", object_type="city")


def turn(
    turn_id: str,
    *messages: Message,
    session_id: str = "s",
    status: Status = "complete",
    job: bool = True,
    said_at: datetime = SAID_AT,
) -> AppendTurn:
    """A turn for tests; without messages, one of the user that names it."""
    return AppendTurn(
        turn_id,
        session_id=session_id,
        process_id="agent",
        status=status,
        messages=messages or (Message("user", f"This is {turn_id}"),),
        said_at=said_at,
        job=job,
    )


def append(store: Store, scope: Scope, turn_id: str, session_id: str = "s") -> Applied:
    """Store a turn of one message."""
    return run(store, scope, turn(turn_id, session_id=session_id))


def said(store: Store, scope: Scope, session_id: str | None = None) -> list[str]:
    """What was said, oldest first."""
    return [m.message.content for m in store.messages(scope, session_id=session_id)]


def claim(store: Store, limit: int = 10, *, now: datetime = NOW, lease_s: float = 60) -> list[Job]:
    """Take up jobs."""
    return store.claim_jobs(limit=limit, lease_s=lease_s, now=now)
