"""The short-term history of one session, kept by one of LlamaIndex's own chat stores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias
from uuid import uuid4
from weakref import WeakValueDictionary

from llama_index.core.async_utils import (
    asyncio_run,  # pyright: ignore[reportUnknownVariableType] (it takes a bare Coroutine)
)
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.storage.chat_store import BaseChatStore, SimpleChatStore
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore

from memori_llamaindex._messages import cleaned, text_of

ChatStore: TypeAlias = BaseChatStore | AsyncDBChatStore
"""Both kinds of chat store that LlamaIndex has."""

_live: WeakValueDictionary[str, History] = WeakValueDictionary()


class History:
    """The messages of one session: copies go in and copies come out.

    Args:
        store: Where they are kept; None for in memory, where they go along with `snapshot`.
        key: The name of the session in the store.
    """

    def __init__(self, store: ChatStore | None, key: str) -> None:
        self.id = uuid4().hex
        self._own = store is None
        self._store: ChatStore = SimpleChatStore() if store is None else store
        self._key = key
        _live[self.id] = self

    def read(self) -> list[ChatMessage]:
        """All messages, oldest first."""
        if isinstance(self._store, BaseChatStore):
            return _copies(self._store.get_messages(self._key))
        return _copies(asyncio_run(self._store.get_messages(self._key)))

    async def aread(self) -> list[ChatMessage]:
        """`read` without blocking the event loop."""
        if self._own:  # a dictionary: a thread would cost more than it does
            return self.read()
        if isinstance(self._store, BaseChatStore):
            return _copies(await self._store.aget_messages(self._key))
        return _copies(await self._store.get_messages(self._key))

    def add(self, messages: Sequence[ChatMessage]) -> None:
        """Append messages."""
        new = cleaned(messages)
        if isinstance(self._store, BaseChatStore):
            for message in new:
                self._store.add_message(self._key, message)
        else:
            asyncio_run(self._store.add_messages(self._key, new))

    async def aadd(self, messages: Sequence[ChatMessage]) -> None:
        """`add` without blocking the event loop."""
        if self._own:
            self.add(messages)
            return
        new = cleaned(messages)
        if isinstance(self._store, BaseChatStore):
            for message in new:
                await self._store.async_add_message(self._key, message)
        else:
            await self._store.add_messages(self._key, new)

    def replace(self, messages: Sequence[ChatMessage]) -> None:
        """Put these messages in the place of all."""
        new = cleaned(messages)
        if isinstance(self._store, BaseChatStore):
            self._store.set_messages(self._key, new)
        else:
            asyncio_run(self._store.set_messages(self._key, new))

    async def areplace(self, messages: Sequence[ChatMessage]) -> None:
        """`replace` without blocking the event loop."""
        new = cleaned(messages)
        if isinstance(self._store, BaseChatStore):
            await self._store.aset_messages(self._key, new)
        else:
            await self._store.set_messages(self._key, new)

    def clear(self) -> None:
        """Remove all messages."""
        if isinstance(self._store, BaseChatStore):
            self._store.delete_messages(self._key)
        else:
            asyncio_run(self._store.delete_messages(self._key))

    async def aclear(self) -> None:
        """`clear` without blocking the event loop."""
        if isinstance(self._store, BaseChatStore):
            await self._store.adelete_messages(self._key)
        else:
            await self._store.delete_messages(self._key)

    def snapshot(self) -> list[dict[str, Any]] | None:
        """The messages as JSON values; None where a chat store of the user's keeps them."""
        return [_as_json(message) for message in self.read()] if self._own else None


def restored(snapshot: Sequence[dict[str, Any]], key: str, *, of: str | None) -> History:
    """The history that a snapshot was made of, where it is alive and has not gone on since.

    Else a new one that holds the same messages: a snapshot that is older or newer than what is
    alive here (of another worker, or to go back to) is a conversation of its own.

    Args:
        snapshot: What `History.snapshot` gave.
        key: The name of the session.
        of: The id of the history; None for a new one in any case.
    """
    alive = None if of is None else _live.get(of)
    if alive is not None and alive.snapshot() == list(snapshot):
        return alive
    history = History(None, key)
    history.replace([ChatMessage.model_validate(message) for message in snapshot])
    return history


def _copies(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    return [message.model_copy(deep=True) for message in messages]


def _as_json(message: ChatMessage) -> dict[str, Any]:
    try:
        return json.loads(message.model_dump_json())
    except ValueError:  # some model's own objects in `additional_kwargs`: the words are kept
        return {
            "role": message.role.value,
            "blocks": [{"block_type": "text", "text": text_of(message)}],
        }
