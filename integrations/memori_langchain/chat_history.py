"""A conversation as LangChain's chat history, for programs that are still on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from memori_core import Memori
from memori_core.errors import ConfigError
from memori_core.hooks import Message, StoredMessage, run_sync, text_of
from memori_langchain._turns import is_users

CLEARED: Final = "[the history before this was cleared]"


class MemoriChatMessageHistory(BaseChatMessageHistory):
    """The messages of one conversation; facts are made of them, as of any that is captured.

    LangChain advises against histories for new programs: use `MemoriMiddleware`. This one holds
    what was said as text: tool calls, system messages and images are not kept, and secrets are
    redacted. Nothing recalled is ever among the messages.

    ```python
    from langchain_core.messages import AIMessage, HumanMessage
    from memori_core import InMemoryStore, Memori
    from memori_langchain import MemoriChatMessageHistory

    memori = Memori(InMemoryStore(), embedder=None)
    history = MemoriChatMessageHistory(memori, entity_id="alice", session_id="monday")
    history.add_messages([HumanMessage("I play the cello."), AIMessage("Nice.")])
    print([message.text for message in history.messages])
    #> ['I play the cello.', 'Nice.']
    ```

    Args:
        memori: The memory.
        entity_id: Whose conversation.
        session_id: Which one.
        limit: Give the last so many messages only; None for all.

    Raises:
        ScopeError: An id is blank.
    """

    def __init__(
        self, memori: Memori, *, entity_id: str, session_id: str, limit: int | None = None
    ) -> None:
        if limit is not None and limit < 0:
            raise ConfigError(f"`limit` must not be below 0, got {limit}.")
        self._memory = memori.scoped(entity_id, session_id=session_id)
        self._session_id = session_id
        self._limit = limit

    @property
    def messages(self) -> list[BaseMessage]:  # pyright: ignore[reportIncompatibleVariableOverride] (a property there too, by its documentation)
        """What was said, oldest first."""
        shown: list[BaseMessage] = []
        for stored in self._memory.messages(session_id=self._session_id):
            if _is_mark(stored):
                shown.clear()
            elif (message := _shown(stored)) is not None:
                shown.append(message)
        return shown if self._limit is None else shown[max(0, len(shown) - self._limit) :]

    async def aget_messages(self) -> list[BaseMessage]:
        """`messages` without blocking the event loop."""
        return await run_sync(lambda: self.messages)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Store messages, and have facts made of them in the background."""
        self._memory.capture(_said(messages), on_full="defer")

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """`add_messages` without blocking the event loop."""
        await self._memory.acapture(_said(messages), on_full="defer")

    def clear(self) -> None:
        """Begin the conversation anew. What is remembered of it stays: `erase()` removes that."""
        self._memory.capture([Message("system", CLEARED)], on_full="defer")

    async def aclear(self) -> None:
        """`clear` without blocking the event loop."""
        await self._memory.acapture([Message("system", CLEARED)], on_full="defer")


def _said(messages: Sequence[BaseMessage]) -> list[Message]:
    said: list[Message] = []
    for message in messages:
        if is_users(message):
            said.append(Message("user", text_of(message.content), name=message.name))
        elif isinstance(message, AIMessage):
            said.append(Message("assistant", text_of(message.content)))
    return said


def _is_mark(stored: StoredMessage) -> bool:
    return stored.message.role == "system" and stored.message.content == CLEARED


def _shown(stored: StoredMessage) -> BaseMessage | None:
    said = stored.message
    if said.role == "user":
        return HumanMessage(said.content, id=stored.id, name=said.name)
    return AIMessage(said.content, id=stored.id) if said.role == "assistant" else None
