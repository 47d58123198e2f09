"""One user's facts as Agno's `UserMemory` objects, and back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final, cast

from agno.db.schemas import UserMemory

from memori_agno._identity import is_nobody
from memori_core import Fact, Memori
from memori_core.errors import ScopeError
from memori_core.hooks import JSONValue, named_id

TOPICS: Final = "topics"
"""Where a fact's metadata keeps what Agno calls topics."""
_SETTLE_S: Final = 10.0


def user_memory(fact: Fact, user_id: str, *, text: str | None = None) -> UserMemory:
    """A fact as Agno shows it.

    Args:
        fact: The fact.
        user_id: Whose it is.
        text: What it says there; None for what it says.
    """
    topics = fact.metadata.get(TOPICS)
    return UserMemory(
        memory=fact.content if text is None else text,
        memory_id=fact.id,
        topics=[str(topic) for topic in topics] if isinstance(topics, list) else None,
        user_id=user_id,
        agent_id=fact.process_id,
        created_at=int(fact.said_at.timestamp()),
        updated_at=int(max(fact.learnt_at, fact.last_said_at).timestamp()),
    )


class UserMemories:
    """The memories of one user. Its verbs are named as those of Agno's databases.

    Raises:
        ScopeError: Nobody is named, or `"default"`, which is what Agno calls nobody.
    """

    def __init__(self, memori: Memori, user_id: object) -> None:
        named = named_id("user_id", user_id)
        if named is None or is_nobody(named):
            raise ScopeError("memories belong to a user: give a `user_id`.")
        self._memori = memori
        self._user = memori.scoped(named)
        self.user_id = named

    def facts(self) -> list[Fact]:
        """What holds now, in the order in which it was stored."""
        now = datetime.now(UTC)
        return [f for f in self._user.list() if f.kind != "message" and not f.ended_by(now)]

    def all(self) -> list[UserMemory]:
        """All of them."""
        return [user_memory(fact, self.user_id) for fact in self.facts()]

    def get(self, memory_id: str) -> UserMemory | None:
        """One of them."""
        fact = self._user.get(memory_id)
        return None if fact is None else user_memory(fact, self.user_id)

    def upsert_user_memory(self, memory: UserMemory, **_: Any) -> UserMemory:
        """Store one, in place of the one with its id; it is not changed.

        Raises:
            ConfigError: It has no text, or another one says the same already.
        """
        old = self._user.get(memory.memory_id) if memory.memory_id else None
        metadata: dict[str, JSONValue] = {} if old is None else dict(old.metadata)
        if memory.topics is not None:
            metadata[TOPICS] = cast("list[JSONValue]", list(memory.topics))
        if old is None:
            process = memory.agent_id or memory.team_id
            handle = self._memori.scoped(self.user_id, process_id=process or None)
            fact = handle.remember(
                memory.memory,
                id=memory.memory_id,
                said_at=datetime.fromtimestamp(cast(int, memory.created_at), UTC),
                metadata=metadata,
            )
        else:
            changed = self._user.update(old.id, text=memory.memory, metadata=metadata)
            fact = changed or old
        return user_memory(fact, self.user_id)

    def delete_user_memory(self, memory_id: str, user_id: str | None = None) -> None:
        """Remove one for good."""
        self._user.forget(memory_id)

    def delete_user_memories(self, memory_ids: Iterable[str]) -> None:
        """Remove several for good."""
        self._user.forget(list(memory_ids))

    def clear_memories(self) -> None:
        """Remove everything about this user, what was said included, and nothing of others."""
        self._memori.flush(_SETTLE_S)  # what is on its way would come back
        self._user.erase()
