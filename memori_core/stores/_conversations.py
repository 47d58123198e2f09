"""What operations make of conversations, jobs and the knowledge graph: alike for every store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime
from typing import Protocol, get_args

from memori_core._ids import uuid7
from memori_core.conversation import (
    ROLES,
    Message,
    Session,
    Status,
    StoredMessage,
    StoredTriple,
    Triple,
)
from memori_core.errors import ConfigError, LeaseLostError
from memori_core.models import check_text, utc
from memori_core.writes import AppendTurn, CreateAttribute, FinishJob, UpdateConversation

_STATUSES: tuple[Status, ...] = get_args(Status)


class ConversationTable(Protocol):
    """One entity's conversations, jobs, triples and attributes inside a transaction."""

    def session(self, session_id: str) -> Session | None:
        """The conversation with this id."""
        ...

    def put_session(self, session: Session) -> None:
        """Store a conversation, or replace it."""
        ...

    def turn(self, turn_id: str) -> tuple[Status, str] | None:
        """How a turn ended, and the id of its session."""
        ...

    def put_turn(self, turn_id: str, *, session_id: str, status: Status) -> None:
        """Store how a turn ended."""
        ...

    def messages_of(self, turn_id: str) -> list[StoredMessage]:
        """The messages of a turn, oldest first."""
        ...

    def next_position(self, session_id: str) -> int:
        """The position of the next message of a session."""
        ...

    def add_message(self, message: StoredMessage) -> bool:
        """Store a message; False, and nothing stored, where its id is taken."""
        ...

    def set_content(self, message_id: str, content: str) -> None:
        """Replace the text of a message."""
        ...

    def add_job(self, job_id: str, *, session_id: str, process_id: str | None) -> bool:
        """Let a turn wait to be augmented; False where that changes nothing.

        One that runs waits again; one that waits, is done or dead stays as it is.
        """
        ...

    def finish_job(self, job_id: str, lease: str) -> bool:
        """Mark a job done; False where it does not run under this lease."""
        ...

    def add_triple(self, triple: Triple, *, fact_id: str) -> None:
        """Store a statement, or count it once more; then it holds again."""
        ...

    def end_triples(self, fact_id: str, valid_until: datetime) -> bool:
        """Say until when the statements of a fact held; False where that changes nothing."""
        ...

    def drop_triples(self, fact_id: str) -> None:
        """Remove the statements of a fact."""
        ...

    def add_attribute(self, process_id: str, content: str) -> None:
        """Store an attribute, or count it once more."""
        ...


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of a turn."""

    messages: list[StoredMessage]
    """What is stored of it now."""
    _: KW_ONLY
    changed: bool = False
    queued: bool = False
    """Whether a job waits because of it."""


def append_turn(table: ConversationTable, op: AppendTurn) -> Appended:
    """Store a turn.

    A turn that is there is left alone, with one exception: one that was broken off or failed and
    comes again complete. Then a message that continues a stored one of the same place replaces its
    text, the others are added behind the session's last, and a job that waits or runs takes them
    along (one that runs is started again). A job that is done is not done again.
    """
    said_at = _check_turn(op)
    known = table.turn(op.turn_id)
    stored = [] if known is None else table.messages_of(op.turn_id)
    if known and (known[0] == "complete" or op.status != "complete"):
        return Appended(stored)
    session_id = op.session_id if known is None else known[1]
    times = _times(op.messages, said_at)
    _touch_session(table, session_id, op.process_id, times or [said_at])
    table.put_turn(op.turn_id, session_id=session_id, status=op.status)
    position = table.next_position(session_id)
    for place, (message, time) in enumerate(zip(op.messages, times, strict=True)):
        old = stored[place] if place < len(stored) else None
        if old is not None and _continues(old, message):
            if message.content != old.message.content:
                table.set_content(old.id, message.content)
            continue
        message_id = message.id or uuid7()
        new = StoredMessage(
            replace(message, id=message_id, said_at=time),
            id=message_id,
            session_id=session_id,
            turn_id=op.turn_id,
            position=position,
            said_at=time,
        )
        if not table.add_message(new):
            raise ConfigError(f"the message id {new.id!r} is taken. Use a new id, or leave it out.")
        position += 1
        if known is None:
            stored.append(new)
    queued = op.job and table.add_job(op.turn_id, session_id=session_id, process_id=op.process_id)
    now_stored = stored if known is None else table.messages_of(op.turn_id)
    return Appended(now_stored, changed=True, queued=queued)


def update_conversation(table: ConversationTable, op: UpdateConversation) -> bool:
    """Set a summary; False for an unknown session, or one that has this summary."""
    check_text("summary", op.summary)
    session = table.session(op.session_id)
    if session is None or session.summary == op.summary:
        return False
    table.put_session(replace(session, summary=op.summary))
    return True


def create_triple(table: ConversationTable, triple: Triple, *, fact_id: str) -> None:
    """Add a statement to the knowledge graph."""
    for name in ("subject", "predicate", "object", "subject_type", "object_type"):
        check_text(name, getattr(triple, name))
    table.add_triple(triple, fact_id=fact_id)


def create_attribute(table: ConversationTable, op: CreateAttribute) -> None:
    """Note something about a process."""
    _check_id("process_id", op.process_id)
    check_text("content", op.content)
    table.add_attribute(op.process_id, op.content)


def finish_job(table: ConversationTable, op: FinishJob) -> None:
    """Mark a job done.

    Raises:
        LeaseLostError: It does not run under this lease.
    """
    if not table.finish_job(op.job_id, op.lease):
        raise LeaseLostError(
            f"job {op.job_id!r} is not leased as {op.lease!r}: another worker took it up when the "
            "lease ran out, or its entity was erased. Nothing of this batch was stored."
        )


def said_again(old: StoredTriple) -> StoredTriple:
    """A statement after it was made once more."""
    return replace(old, times=old.times + 1, valid_until=None)


def _touch_session(
    table: ConversationTable, session_id: str, process_id: str | None, times: Sequence[datetime]
) -> None:
    old = table.session(session_id)
    if old is None:
        session = Session(
            session_id,
            process_id=process_id,
            summary=None,
            started_at=min(times),
            last_active_at=max(times),
        )
    else:
        session = replace(
            old,
            process_id=old.process_id or process_id,
            started_at=min(old.started_at, *times),
            last_active_at=max(old.last_active_at, *times),
        )
    if session != old:
        table.put_session(session)


def _continues(old: StoredMessage, new: Message) -> bool:
    """Whether a message that came again is the stored one, or goes on where it broke off."""
    if new.id is not None and new.id != old.id:
        return False
    same_voice = (new.role, new.name) == (old.message.role, old.message.name)
    return same_voice and new.content.startswith(old.message.content)


def _times(messages: Sequence[Message], said_at: datetime) -> list[datetime]:
    return [said_at if m.said_at is None else utc(m.said_at) for m in messages]


def _check_turn(op: AppendTurn) -> datetime:
    _check_id("turn_id", op.turn_id)
    _check_id("session_id", op.session_id)
    if op.process_id is not None:
        _check_id("process_id", op.process_id)
    if op.status not in _STATUSES:
        raise ConfigError(f"`status` is {op.status!r}; it can be one of {', '.join(_STATUSES)}.")
    for message in op.messages:
        if message.role not in ROLES:
            raise ConfigError(f"`role` is {message.role!r}; it can be one of {', '.join(ROLES)}.")
        check_text("content", message.content)
        if message.name is not None:
            check_text("name", message.name)
        if message.id is not None:
            _check_id("id", message.id)
    return utc(op.said_at)


def _check_id(name: str, value: str) -> None:
    if not value:
        raise ConfigError(f"`{name}` is empty. Leave it out for a new one, or give one.")
    check_text(name, value)
