"""One entity's conversations, jobs, triples and attributes in dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime
from typing import Any

from memori_core.conversation import (
    JobStatus,
    Session,
    Status,
    StoredMessage,
    StoredTriple,
    Triple,
)
from memori_core.models import folded, unique_key
from memori_core.stores._conversations import said_again

TripleKey = tuple[str, str, str, str]
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn, with the ids of its messages."""

    status: Status
    session_id: str
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job, and where it stands."""

    number: int
    """Its place in the queue of all entities."""
    _: KW_ONLY
    session_id: str
    process_id: str | None
    status: JobStatus = "waiting"
    attempts: int = 0
    lease: str = ""
    lease_until: datetime | None = None
    retry_at: datetime | None = None
    error: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether those behind it in its session have to wait."""
        return self.status in ("waiting", "running")

    def is_due(self, now: datetime) -> bool:
        """Whether it can be taken up."""
        if self.status == "running":
            return self.lease_until is not None and self.lease_until <= now
        return self.status == "waiting" and (self.retry_at is None or self.retry_at <= now)


@dataclass(slots=True)
class Conversations:
    """What an entity said, and what became of it besides facts."""

    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    positions: dict[str, int] = field(default_factory=dict[str, int])
    """The position of the next message of a session."""
    turns: dict[str, Turn] = field(default_factory=dict[str, Turn])
    messages: dict[str, StoredMessage] = field(default_factory=dict[str, StoredMessage])
    jobs: dict[str, QueuedJob] = field(default_factory=dict[str, QueuedJob])
    triples: dict[TripleKey, StoredTriple] = field(default_factory=dict[TripleKey, StoredTriple])
    """By what is compared of the parts, and the id of the fact."""
    attributes: dict[tuple[str, bytes], tuple[str, int]] = field(
        default_factory=dict[tuple[str, bytes], tuple[str, int]]
    )
    """Text and times, by process and key of the text."""

    def messages_of(self, turn_id: str) -> list[StoredMessage]:
        """The messages of a turn."""
        return [self.messages[i] for i in self.turns[turn_id].message_ids]


class UndoLog:
    """Changes dictionaries so that it can be taken back."""

    def __init__(self) -> None:
        # Any: dictionaries of different types, each with one of its own keys and values.
        self._undo: list[tuple[dict[Any, Any], object, object]] = []

    def roll_back(self) -> None:
        """Take back all changes."""
        for target, key, before in reversed(self._undo):
            if before is _ABSENT:
                target.pop(key, None)
            else:
                target[key] = before

    # Any: see `_undo`.
    def set(self, target: dict[Any, Any], key: object, value: object) -> None:
        """`target[key] = value`."""
        self._undo.append((target, key, target.get(key, _ABSENT)))
        target[key] = value

    def drop(self, target: dict[Any, Any], key: object) -> None:
        """`del target[key]`, where it is there."""
        self._undo.append((target, key, target.pop(key, _ABSENT)))


class MemoryConversations:
    """The part of `MemoryTable` that is not about facts."""

    def __init__(self, said: Conversations, log: UndoLog, numbers: Iterator[int]) -> None:
        self._said = said
        self._log = log
        self._numbers = numbers

    def session(self, session_id: str) -> Session | None:
        return self._said.sessions.get(session_id)

    def put_session(self, session: Session) -> None:
        self._log.set(self._said.sessions, session.id, session)

    def turn(self, turn_id: str) -> tuple[Status, str] | None:
        turn = self._said.turns.get(turn_id)
        return turn and (turn.status, turn.session_id)

    def put_turn(self, turn_id: str, *, session_id: str, status: Status) -> None:
        turn = self._said.turns.get(turn_id) or Turn(status, session_id)
        self._log.set(self._said.turns, turn_id, replace(turn, status=status))

    def messages_of(self, turn_id: str) -> list[StoredMessage]:
        return self._said.messages_of(turn_id)

    def next_position(self, session_id: str) -> int:
        return self._said.positions.get(session_id, 0)

    def add_message(self, message: StoredMessage) -> bool:
        said, log = self._said, self._log
        if message.id in said.messages:
            return False
        log.set(said.messages, message.id, message)
        log.set(said.positions, message.session_id, message.position + 1)
        turn = said.turns[message.turn_id]
        ids = (*turn.message_ids, message.id)
        log.set(said.turns, message.turn_id, replace(turn, message_ids=ids))
        return True

    def set_content(self, message_id: str, content: str) -> None:
        old = self._said.messages[message_id]
        new = replace(old, message=replace(old.message, content=content))
        self._log.set(self._said.messages, message_id, new)

    def add_job(self, job_id: str, *, session_id: str, process_id: str | None) -> bool:
        jobs = self._said.jobs
        old = jobs.get(job_id)
        if old is None:
            job = QueuedJob(next(self._numbers), session_id=session_id, process_id=process_id)
        elif old.status == "running":
            job = replace(old, status="waiting", lease="", lease_until=None)
        else:
            return False
        self._log.set(jobs, job_id, job)
        return True

    def finish_job(self, job_id: str, lease: str) -> bool:
        jobs = self._said.jobs
        old = jobs.get(job_id)
        if old is None or old.status != "running" or old.lease != lease:
            return False
        done = replace(old, status="done", lease="", lease_until=None, error=None)
        self._log.set(jobs, job_id, done)
        return True

    def add_triple(self, triple: Triple, *, fact_id: str) -> None:
        triples = self._said.triples
        key = (folded(triple.subject), folded(triple.predicate), folded(triple.object), fact_id)
        old = triples.get(key)
        new = StoredTriple(triple, fact_id=fact_id) if old is None else said_again(old)
        self._log.set(triples, key, new)

    def end_triples(self, fact_id: str, valid_until: datetime) -> bool:
        found = self._triples_of(fact_id)
        changed = [key for key, old in found if old.valid_until != valid_until]
        for key, old in found:
            self._log.set(self._said.triples, key, replace(old, valid_until=valid_until))
        return bool(changed)

    def drop_triples(self, fact_id: str) -> None:
        for key, _ in self._triples_of(fact_id):
            self._log.drop(self._said.triples, key)

    def add_attribute(self, process_id: str, content: str) -> None:
        key = (process_id, unique_key(content))
        text, times = self._said.attributes.get(key, (content, 0))
        self._log.set(self._said.attributes, key, (text, times + 1))

    def _triples_of(self, fact_id: str) -> list[tuple[TripleKey, StoredTriple]]:
        return [(key, t) for key, t in self._said.triples.items() if t.fact_id == fact_id]


def matching(
    triples: Iterable[tuple[TripleKey, StoredTriple]],
    *,
    subject: str | None,
    predicate: str | None,
    object: str | None,
    include_ended: bool,
) -> list[StoredTriple]:
    """The statements with these parts."""
    wanted = [part if part is None else folded(part) for part in (subject, predicate, object)]
    return [
        triple
        for key, triple in triples
        if all(part is None or part == k for part, k in zip(wanted, key[:3], strict=True))
        and (include_ended or triple.valid_until is None)
    ]
