"""Changes to one entity: the operations of a batch, and what they did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import TypeAlias

from memori_core.conversation import Message, Status, StoredMessage, Triple
from memori_core.models import Fact, FactRecord, Mention


@dataclass(frozen=True, slots=True)
class CreateFact:
    """Store a fact. A repeat (same `uniq`) raises `times` of the fact that is there."""

    record: FactRecord
    _: KW_ONLY
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class UpsertFact:
    """Store a fact under its id: a fact that has this id already is replaced, with history."""

    record: FactRecord
    _: KW_ONLY
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class UpdateFact:
    """Change some fields of a fact that is there; unknown ids change nothing."""

    fact_id: str
    _: KW_ONLY
    changes: Mapping[str, object]
    """Fields of `Fact` and `FactRecord` by name; `content` comes with what is derived from it."""
    mentions: tuple[Mention, ...] | None = None
    """The new mentions where the text changes; None leaves them."""
    if_revision: int | None = None
    """Only if the fact was not changed since it had this revision; None for in any case."""


@dataclass(frozen=True, slots=True)
class DeleteFacts:
    """Delete facts with their text, vectors, history and mentions; unknown ids are passed over."""

    fact_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AppendTurn:
    """Store the messages of one turn, and a job for it.

    A turn that is there already is left alone, unless it was broken off and comes again whole.

    The session is made if it is not there. Messages get the next positions of the session.
    """

    turn_id: str
    _: KW_ONLY
    session_id: str
    process_id: str | None
    status: Status
    messages: tuple[Message, ...]
    said_at: datetime
    """When it was said, for messages without a time of their own."""
    job: bool = True
    """Whether the turn waits to be augmented."""


@dataclass(frozen=True, slots=True)
class UpdateConversation:
    """Set the summary of a session."""

    session_id: str
    _: KW_ONLY
    summary: str


@dataclass(frozen=True, slots=True)
class CreateTriple:
    """Add a statement to the knowledge graph. A repeat raises its `times`.

    It goes when its fact is deleted.
    """

    triple: Triple
    _: KW_ONLY
    fact_id: str


@dataclass(frozen=True, slots=True)
class EndTriples:
    """Say until when the statements of a fact held."""

    fact_id: str
    _: KW_ONLY
    valid_until: datetime


@dataclass(frozen=True, slots=True)
class CreateAttribute:
    """Note something about the process. A repeat raises its `times`."""

    content: str
    _: KW_ONLY
    process_id: str


@dataclass(frozen=True, slots=True)
class FinishJob:
    """Mark a job done. A batch that holds it is refused unless the job is leased as it says."""

    job_id: str
    _: KW_ONLY
    lease: str


Op: TypeAlias = (
    CreateFact
    | UpsertFact
    | UpdateFact
    | DeleteFacts
    | AppendTurn
    | UpdateConversation
    | CreateTriple
    | EndTriples
    | CreateAttribute
    | FinishJob
)


@dataclass(frozen=True, slots=True)
class WriteBatch:
    """Changes to one entity that are applied wholly or not at all."""

    ops: tuple[Op, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """What a batch did."""

    revision: int
    """The entity's revision after it."""
    facts: tuple[Fact | None, ...]
    """Per created, upserted or updated fact, in order: the fact as it is stored now."""
    deleted: tuple[str, ...] = ()
    """The ids that were deleted."""
    messages: tuple[StoredMessage, ...] = ()
    """Of an appended turn: its messages as they are stored, also if they were there before."""
    queued: bool = False
    """Whether a job waits because of an appended turn."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened to an entity since a revision."""

    revision: int
    complete: bool
    """True: `records` is all there is, so a cache must drop what it held before."""
    records: tuple[FactRecord, ...]
    """Facts that are new or were changed."""
    deleted: tuple[str, ...] = ()
