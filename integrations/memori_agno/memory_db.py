"""Databases of Agno whose memories are ours, so that AgentOS's memory pages show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from agno.db.in_memory import InMemoryDb
from agno.db.schemas import UserMemory

from memori_agno._identity import is_nobody
from memori_agno._user_memories import UserMemories
from memori_core import Memori
from memori_core.errors import ScopeError

_SORTS: Final[dict[str, Callable[[UserMemory], Any]]] = {
    "created_at": lambda memory: memory.created_at or 0,
    "memory": lambda memory: memory.memory,
    "memory_id": lambda memory: memory.memory_id or "",
    "updated_at": lambda memory: memory.updated_at or 0,
    "user_id": lambda memory: memory.user_id or "",
}


class MemoriMemories:
    """The memory part of Agno's databases, kept by memori-core. Put it before a database class:

    ```python
    from agno.db.in_memory import InMemoryDb
    from memori_agno import MemoriMemories
    from memori_core import Memori

    class AppDb(MemoriMemories, InMemoryDb):  # or SqliteDb, PostgresDb, ...
        pass

    db = AppDb(Memori(":memory:", embedder=None))  # then the arguments of the database
    ```

    As Agno's do, the verbs without a user id read the memories of all users: they are for
    administration. There is no user called "default".

    Args:
        memori: The memory.
        arguments: Those of the database.
        options: Those of the database.
    """

    def __init__(self, memori: Memori, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.memori = memori

    def clear_memories(self) -> None:
        """Refused: it would remove the memories of every user (agno#9983).

        Raises:
            ScopeError: Always.
        """
        raise ScopeError(
            "`clear_memories` names no user. Call memori.scoped(user_id).erase() for each."
        )

    def delete_user_memory(self, memory_id: str, user_id: str | None = None) -> None:
        """Remove a memory for good."""
        self.delete_user_memories([memory_id], user_id)

    def delete_user_memories(self, memory_ids: list[str], user_id: str | None = None) -> None:
        """Remove memories for good."""
        for user in self._users(user_id):
            user.delete_user_memories(memory_ids)

    def get_all_memory_topics(self, user_id: str | None = None) -> list[str]:
        """The topics of the memories, in the order of the alphabet."""
        return sorted({topic for memory in self._all(user_id) for topic in memory.topics or ()})

    def get_user_memory(
        self, memory_id: str, deserialize: bool | None = True, user_id: str | None = None
    ) -> UserMemory | dict[str, Any] | None:
        """One memory."""
        for user in self._users(user_id):
            if (memory := user.get(memory_id)) is not None:
                return memory if deserialize else _row(memory)
        return None

    def get_user_memories(
        self,
        user_id: str | None = None,
        agent_id: str | None = None,
        team_id: str | None = None,
        topics: list[str] | None = None,
        search_content: str | None = None,
        limit: int | None = None,
        page: int | None = None,
        sort_by: str | None = None,
        sort_order: str | None = None,
        deserialize: bool | None = True,
    ) -> list[UserMemory] | tuple[list[dict[str, Any]], int]:
        """Memories, the latest first unless another order is asked for."""
        process = agent_id or team_id
        wanted = (search_content or "").casefold()
        found = [
            memory
            for memory in self._all(user_id)
            if (process is None or memory.agent_id == process)
            and (topics is None or set(topics) & set(memory.topics or ()))
            and wanted in memory.memory.casefold()
        ]
        found.sort(key=_SORTS.get(sort_by or "", _SORTS["updated_at"]), reverse=sort_order != "asc")
        shown = _page(found, limit, page)
        return shown if deserialize else ([_row(memory) for memory in shown], len(found))

    def get_user_memory_stats(
        self, limit: int | None = None, page: int | None = None, user_id: str | None = None
    ) -> tuple[list[dict[str, Any]], int]:
        """How many memories each user has, and since when the last one is there."""
        stats = [
            {
                "user_id": user.user_id,
                "total_memories": len(memories),
                "last_memory_updated_at": max(memory.updated_at or 0 for memory in memories),
            }
            for user in self._users(user_id)
            if (memories := user.all())
        ]
        stats.sort(key=lambda row: row["last_memory_updated_at"], reverse=True)
        return _page(stats, limit, page), len(stats)

    def upsert_user_memory(
        self, memory: UserMemory, deserialize: bool | None = True
    ) -> UserMemory | dict[str, Any] | None:
        """Store a memory, in place of the one of the user's with its id.

        Raises:
            ConfigError: It has no text, or another one says the same already.
            ScopeError: It has no `user_id`.
        """
        stored = UserMemories(self.memori, memory.user_id).upsert_user_memory(memory)
        return stored if deserialize else _row(stored)

    def upsert_memories(
        self,
        memories: list[UserMemory],
        deserialize: bool | None = True,
        preserve_updated_at: bool = False,
    ) -> list[UserMemory | dict[str, Any]]:
        """Store memories, one after the other."""
        stored = (self.upsert_user_memory(memory, deserialize) for memory in memories)
        return [memory for memory in stored if memory is not None]

    def _users(self, user_id: str | None) -> Iterable[UserMemories]:
        ids = self.memori.entities() if user_id is None else [user_id]
        return [UserMemories(self.memori, id) for id in ids if not is_nobody(id)]

    def _all(self, user_id: str | None) -> list[UserMemory]:
        return [memory for user in self._users(user_id) for memory in user.all()]


class MemoriMemoryDb(MemoriMemories, InMemoryDb):
    """A database whose memories are kept by memori-core, and whose sessions by the process.

    For sessions on disk, put `MemoriMemories` before another database class.

    ```python
    from memori_agno import MemoriMemoryDb
    from memori_core import Memori

    memori = Memori(":memory:", embedder=None)
    memori.scoped("alice").remember("User likes tea.")
    print([memory.memory for memory in MemoriMemoryDb(memori).get_user_memories("alice")])
    #> ['User likes tea.']
    ```

    Args:
        memori: The memory.
    """


def _page(rows: list[Any], limit: int | None, page: int | None) -> list[Any]:
    start = max((page or 1) - 1, 0) * (limit or 0)
    return rows if limit is None else rows[start : start + limit]


def _row(memory: UserMemory) -> dict[str, Any]:
    times = {"created_at": memory.created_at, "updated_at": memory.updated_at}
    return {**memory.to_dict(), **times}
