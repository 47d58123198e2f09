"""The values that travel between the parts: whose memory, and what is remembered."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, date, datetime
from typing import Literal, TypeAlias, cast

from memori_core.errors import ConfigError, ScopeError

JSONValue: TypeAlias = "str | int | float | bool | None | list[JSONValue] | dict[str, JSONValue]"
Kind = Literal["fact", "preference", "identity", "plan", "statement", "message"]
KINDS: tuple[Kind, ...] = (
    "fact",
    "preference",
    "identity",
    "plan",
    "statement",
    "message",
)
"""What a fact can be. A `message` is a thing said, as it was said, that can be recalled too."""

Instant = datetime | date | str
"""A moment: an aware datetime, a date (its start in UTC), or either as ISO 8601 text."""

SENTENCE_ENDS = " .!?。！？．…"


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory this is. Every read and write takes one.

    ```python
    from memori_core import Scope

    scope = Scope("alice", process_id="support-agent")
    print(scope.entity_id)
    #> alice
    ```
    """

    entity_id: str
    """The person or thing remembered, for example a user id. Any text that is not blank."""
    _: KW_ONLY
    process_id: str | None = None
    """The agent or program that remembers. Facts belong to the entity, not to the process."""
    session_id: str | None = None
    """The conversation that is going on."""

    def __post_init__(self) -> None:
        _check_id("entity_id", self.entity_id)
        for name, value in (("process_id", self.process_id), ("session_id", self.session_id)):
            if value is not None:
                _check_id(name, value)

    @property
    def entity_key(self) -> bytes:
        """16 bytes that stand for the entity in a store: BLAKE2b of its id, the same everywhere."""
        return hashlib.blake2b(self.entity_id.encode(), digest_size=16).digest()


def _check_id(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise ScopeError(f"`{name}` must be text, got {type(value).__name__}: {value!r}")
    if not value.strip():
        raise ScopeError(f"`{name}` is empty. Give the id of the one this memory belongs to.")
    check_text(name, value, error=ScopeError)


def check_text(
    name: str, value: str, *, error: type[ConfigError] | type[ScopeError] = ConfigError
) -> None:
    """Raise unless the text can be stored and read back as it is, on every store.

    Raises:
        ConfigError: The text holds a lone surrogate (not valid Unicode) or a NUL character.
    """
    try:
        value.encode()
    except UnicodeEncodeError as e:
        raise error(
            f"`{name}` holds a lone surrogate at position {e.start}, which is not valid Unicode. "
            'Clean it first: text.encode("utf-8", "replace").decode()'
        ) from None
    if (at := value.find("\0")) >= 0:
        raise error(f"`{name}` holds a NUL character at position {at}. Remove it first.")


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is remembered about an entity."""

    content: str
    _: KW_ONLY
    id: str
    """A UUID version 7, or the id that the caller chose."""
    said_at: datetime
    """When it was said (aware, UTC). This rules order and what "Stated at" shows."""
    learnt_at: datetime
    """When it was stored."""
    last_said_at: datetime
    """When it was said the last time."""
    kind: Kind = "fact"
    times: int = 1
    """How often it was said."""
    valid_until: datetime | None = None
    """When it stopped being true, if it did."""
    superseded_by: str | None = None
    """The id of the fact that took its place."""
    pinned: bool = False
    """Whether it stands in every context block (allergies, the user's name)."""
    speaker: str | None = None
    position: int | None = None
    """Its place in the session, counted from 0: neighbours have neighbouring positions."""
    process_id: str | None = None
    session_id: str | None = None
    source_message_id: str | None = None
    metadata: Mapping[str, JSONValue] = field(default_factory=dict[str, JSONValue])
    revision: int = 0
    """The revision of the entity in which this fact changed last."""

    def ended_by(self, now: datetime) -> bool:
        """Whether the fact no longer holds at `now`."""
        return self.superseded_by is not None or (
            self.valid_until is not None and self.valid_until <= now
        )


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact that is to be remembered. Only the text is needed."""

    content: str
    _: KW_ONLY
    id: str | None = None
    """An id of your own; a fact that has it already is replaced, with history."""
    kind: Kind = "fact"
    said_at: datetime | None = None
    """When it was said, with a time zone; None for now."""
    valid_until: datetime | None = None
    pinned: bool = False
    speaker: str | None = None
    position: int | None = None
    session_id: str | None = None
    source_message_id: str | None = None
    metadata: Mapping[str, JSONValue] = field(default_factory=dict[str, JSONValue])


@dataclass(frozen=True, slots=True)
class FactVersion:
    """What a fact said before it was updated."""

    content: str
    _: KW_ONLY
    replaced_at: datetime


@dataclass(frozen=True, slots=True)
class Mention:
    """A named entity that a fact speaks of."""

    text: str
    _: KW_ONLY
    type: str
    vector: bytes | None = None
    """Raw little-endian float32, one unit row."""

    @property
    def norm(self) -> str:
        """The key under which mentions of one name meet."""
        return " ".join(unicodedata.normalize("NFKC", self.text).casefold().split())


@dataclass(frozen=True, slots=True)
class LinkedMention:
    """A mention with the facts that speak of it."""

    mention: Mention
    _: KW_ONLY
    fact_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FactRecord:
    """A fact as a store keeps it, with what the index needs to find it."""

    fact: Fact
    _: KW_ONLY
    uniq: bytes
    """The key under which repeats meet, see `unique_key`."""
    terms: str
    """The tokens of the text, separated by spaces."""
    tokenizer: int
    """The version of the tokenizer that made `terms`."""
    vector: bytes | None = None
    """Raw little-endian float32, one unit row; absent without an embedder."""
    embedder: str | None = None
    """The name of the embedder that made `vector`."""


def unique_key(text: str) -> bytes:
    """The key under which repeats of one fact meet, 16 bytes.

    Composition (NFC), letter width, case, white space and final sentence marks do not count.
    Everything else does: `C`, `C++` and `C#`, `1.5` and `15`, `10²` and `102` stay apart.
    """
    line = folded(text)
    kept = line.rstrip(SENTENCE_ENDS) or line
    return hashlib.blake2b(kept.encode(), digest_size=16).digest()


def folded(text: str) -> str:
    """A text without what never counts: composition (NFC), letter width, case, white space."""
    narrow = "".join(_NARROW.get(ord(c), c) for c in unicodedata.normalize("NFC", text))
    return " ".join(narrow.casefold().split())


# Full-width ASCII (U+FF01..U+FF5E) and the ideographic space. NFKC would also turn "²" into "2".
_NARROW = {0xFF00 + i: chr(0x20 + i) for i in range(1, 95)} | {0x3000: " "}


def utc(value: datetime, *, name: str = "said_at") -> datetime:
    """The same instant in UTC.

    Raises:
        ConfigError: The datetime has no time zone, so it names no instant, or lies outside the
            years 1 to 9999 in UTC.
    """
    if value.tzinfo is None:
        raise ConfigError(
            f"`{name}` has no time zone: {value!r}. Add one, for example "
            "datetime(2026, 5, 1, tzinfo=timezone.utc)."
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ConfigError(
            f"`{name}` is outside the years 1 to 9999 in UTC: {value.isoformat()}."
        ) from None


def instant(value: Instant | None, *, name: str) -> datetime | None:
    """A moment as an aware datetime in UTC.

    Raises:
        ConfigError: The text is no date or time, or the time has no zone.
    """
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = date.fromisoformat(value)
        except ValueError:
            try:
                value = datetime.fromisoformat(value)
            except ValueError:
                raise ConfigError(
                    f"`{name}` is no date or time: {value!r}. Write 2026-05-01 or "
                    "2026-05-01T12:00:00+02:00."
                ) from None
    if isinstance(value, datetime):
        return utc(value, name=name)
    if not isinstance(cast("object", value), date):
        raise ConfigError(f"`{name}` must be a datetime, a date or ISO text, got {value!r}.")
    return datetime(value.year, value.month, value.day, tzinfo=UTC)
