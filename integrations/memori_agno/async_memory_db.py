"""The async twin of `MemoriMemories`: one hop to a worker thread for each verb."""

from __future__ import annotations

from typing import Any

from agno.db.schemas import UserMemory

from memori_agno.memory_db import MemoriMemories
from memori_core import Memori
from memori_core.hooks import run_sync


class AsyncMemoriMemories:
    """`MemoriMemories` for Agno's async databases (`AsyncSqliteDb`, `AsyncPostgresDb`, …).

    Args:
        memori: The memory.
        arguments: Those of the database.
        options: Those of the database.
    """

    def __init__(self, memori: Memori, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.memori = memori
        self._memories = MemoriMemories(memori)

    async def clear_memories(self) -> None:
        """Refused: it would remove the memories of every user (agno#9983).

        Raises:
            ScopeError: Always.
        """
        self._memories.clear_memories()

    async def delete_user_memory(self, memory_id: str, user_id: str | None = None) -> None:
        """Remove a memory for good."""
        await run_sync(self._memories.delete_user_memory, memory_id, user_id)

    async def delete_user_memories(self, memory_ids: list[str], user_id: str | None = None) -> None:
        """Remove memories for good."""
        await run_sync(self._memories.delete_user_memories, memory_ids, user_id)

    async def get_all_memory_topics(self, user_id: str | None = None) -> list[str]:
        """The topics of the memories, in the order of the alphabet."""
        return await run_sync(self._memories.get_all_memory_topics, user_id)

    async def get_user_memory(
        self, memory_id: str, deserialize: bool | None = True, user_id: str | None = None
    ) -> UserMemory | dict[str, Any] | None:
        """One memory."""
        return await run_sync(self._memories.get_user_memory, memory_id, deserialize, user_id)

    async def get_user_memories(
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
        return await run_sync(
            self._memories.get_user_memories,
            user_id,
            agent_id,
            team_id,
            topics,
            search_content,
            limit,
            page,
            sort_by,
            sort_order,
            deserialize,
        )

    async def get_user_memory_stats(
        self, limit: int | None = None, page: int | None = None, user_id: str | None = None
    ) -> tuple[list[dict[str, Any]], int]:
        """How many memories each user has, and since when the last one is there."""
        return await run_sync(self._memories.get_user_memory_stats, limit, page, user_id)

    async def upsert_user_memory(
        self, memory: UserMemory, deserialize: bool | None = True
    ) -> UserMemory | dict[str, Any] | None:
        """Store a memory, in place of the one of the user's with its id."""
        return await run_sync(self._memories.upsert_user_memory, memory, deserialize)

    async def upsert_memories(
        self,
        memories: list[UserMemory],
        deserialize: bool | None = True,
        preserve_updated_at: bool = False,
    ) -> list[UserMemory | dict[str, Any]]:
        """Store memories, one after the other."""
        return await run_sync(self._memories.upsert_memories, memories, deserialize)
