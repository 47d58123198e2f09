"""What was said, and what an extractor makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Literal

from memori_core.models import JSONValue, Kind

Role = Literal["user", "assistant", "system", "tool"]
ROLES: tuple[Role, ...] = ("user", "assistant", "system", "tool")

Status = Literal["complete", "partial", "failed"]
"""How a turn ended: with an answer, broken off, or with an error instead of one."""


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said in a conversation."""

    role: Role
    content: str
    """Its text; images and files stand as placeholders."""
    _: KW_ONLY
    name: str | None = None
    """Who said it, where several people share a role."""
    said_at: datetime | None = None
    """When it was said (aware, UTC); None for the time of its turn."""
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Triple:
    """A statement in three parts, for the knowledge graph."""

    subject: str
    predicate: str
    object: str
    _: KW_ONLY
    subject_type: str = "person"
    object_type: str = ""


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """One fact, as an extractor found it."""

    content: str
    """A sentence that can stand alone, in the language in which it was said."""
    _: KW_ONLY
    kind: Kind = "fact"
    pinned: bool = False
    dates: tuple[str, ...] = ()
    """The dates it speaks of, resolved: ISO days, months or years."""
    triples: tuple[Triple, ...] = ()
    speaker: str | None = None
    """Who said it, for messages with a name."""
    message: int = 0
    """The place of its message among those that were given."""
    ends: tuple[Triple, ...] = ()
    """Statements that no longer hold ("moved from Porto": lives_in Porto)."""
    metadata: Mapping[str, JSONValue] = field(default_factory=dict[str, JSONValue])


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a conversation amounts to."""

    facts: tuple[ExtractedFact, ...] = ()
    _: KW_ONLY
    forget: tuple[str, ...] = ()
    """What the user asked to be forgotten, in their words."""
    attributes: tuple[str, ...] = ()
    """What the process (the agent) showed of itself, for example a skill."""
    summary: str | None = None
    """The conversation so far in a few sentences; None leaves the summary that is there."""


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as a store keeps it."""

    message: Message
    _: KW_ONLY
    id: str
    session_id: str
    turn_id: str
    position: int
    """Its place in the session, counted from 0."""
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation."""

    id: str
    _: KW_ONLY
    process_id: str | None
    summary: str | None
    started_at: datetime
    last_active_at: datetime


@dataclass(frozen=True, slots=True)
class StoredTriple:
    """A statement of the knowledge graph as a store keeps it."""

    triple: Triple
    _: KW_ONLY
    fact_id: str
    times: int = 1
    valid_until: datetime | None = None


JobStatus = Literal["waiting", "running", "done", "dead"]


@dataclass(frozen=True, slots=True)
class Job:
    """A captured turn that waits to be augmented."""

    id: str
    """Equal to the turn's id."""
    _: KW_ONLY
    entity_id: str
    process_id: str | None
    session_id: str
    attempts: int
    """How often it was taken up, this time included."""
    lease: str
    """Who works on it: a batch that finishes the job must name it."""
    messages: tuple[StoredMessage, ...]
    """The turn's messages."""
    summary: str | None
    """The session's summary before them."""
