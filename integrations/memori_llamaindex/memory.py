"""Long-term memory as the memory of an agent or a chat engine."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory import BaseMemory

from memori_core import Memori, Recall, Scope
from memori_core.errors import ConfigError
from memori_core.hooks import Hooks, OnError, uuid7
from memori_llamaindex._history import ChatStore, History, restored
from memori_llamaindex._live import memory_named, name_of, store_name, store_named
from memori_llamaindex._messages import block_of, with_block
from memori_llamaindex._turn_recall import TurnRecall
from memori_llamaindex._turns import Turns
from memori_llamaindex._window import DEFAULT_TOKEN_LIMIT, window

logger = logging.getLogger(__name__)

_missed: set[str] = set()


class MemoriMemory(BaseMemory):
    """What a user said in any session, for any agent or chat engine that takes `memory=`.

    `put` captures: the user's words at once, and the answer when it comes, as one turn. `get`
    gives the short-term history of the session with one block of recalled facts in it; there is
    one recall per turn of the user, however often `get` is called. A failing or slow memory never
    ends the run.

    ```python
    from llama_index.core.chat_engine import SimpleChatEngine
    from llama_index.core.llms import MockLLM
    from memori_core import InMemoryStore, Memori
    from memori_llamaindex import MemoriMemory

    memori = Memori(InMemoryStore(), embedder=None)
    monday = MemoriMemory.from_defaults(memori, entity_id="alice")
    SimpleChatEngine.from_defaults(llm=MockLLM(), memory=monday).chat("I am allergic to peanuts.")
    memori.flush()
    friday = MemoriMemory.from_defaults(memori, entity_id="alice")
    SimpleChatEngine.from_defaults(llm=MockLLM(), memory=friday).chat("Do peanuts suit me?")
    print(friday.get()[0].content.splitlines()[2].partition(" Stated")[0])
    #> - User is allergic to peanuts.
    ```

    Its fields are ids and settings only, so a `Context` that is serialised, or used again, finds
    the same memory (see `attach` for another process). Make it with `from_defaults`.
    """

    memori_name: str
    """The name under which the `Memori` is found again."""
    entity_id: str
    """Whose memory it is."""
    session_id: str
    """The conversation."""
    process_id: str | None = None
    """The agent or program that remembers."""
    similarity_top_k: int = 5
    """At most so many facts are recalled."""
    history_token_limit: int = DEFAULT_TOKEN_LIMIT
    """About how much of the history the model is shown."""
    insert_method: Literal["system", "user"] = "user"
    """Where the block stands."""
    on_error: OnError = "log"
    """What is done with a failure of memory."""
    chat_store_name: str | None = None
    """The name of the chat store among those of the memory; None for in memory."""

    _hooks: Hooks | None = PrivateAttr(default=None)
    _history: History | None = PrivateAttr(default=None)
    _recalled: TurnRecall = PrivateAttr(default_factory=TurnRecall)
    _turns: Turns = PrivateAttr(default_factory=Turns)

    @classmethod
    def class_name(cls) -> str:
        """The name in serialised data."""
        return "MemoriMemory"

    @classmethod
    def from_defaults(  # pyright: ignore[reportIncompatibleMethodOverride] (every memory has arguments of its own)
        cls,
        memori: Memori,
        *,
        entity_id: str,
        session_id: str | None = None,
        process_id: str | None = None,
        similarity_top_k: int = 5,
        history_token_limit: int = DEFAULT_TOKEN_LIMIT,
        insert_method: Literal["system", "user"] = "user",
        chat_store: ChatStore | None = None,
        on_error: OnError = "log",
    ) -> MemoriMemory:
        """A memory for one conversation of one user.

        Args:
            memori: Where facts are kept.
            entity_id: Whose memory it is, for example a user id.
            session_id: The conversation; None for a new one. What is recalled is of all of them.
            process_id: The agent or program that remembers.
            similarity_top_k: At most so many facts are recalled.
            history_token_limit: About how many tokens of short-term history are shown: the last
                whole turns, at least one.
            insert_method: Where the block stands: `"user"` for in front of the user's last words,
                `"system"` for behind the system message of the history (one is made where there
                is none; a ReAct agent drops it, and an agent's own `system_prompt` is a second).
            chat_store: Where the history is kept: any `BaseChatStore` or `AsyncDBChatStore`; None
                for in memory, where it goes along when the memory is serialised.
            on_error: What to do with a failure of memory: `"log"` each sort once and go on
                without, or `"raise"`, for tests.

        Raises:
            ConfigError: An argument cannot be right.
            ScopeError: An id is blank or no text.
        """
        hooks = Hooks(memori, on_error=on_error)
        session_id = session_id or uuid7()
        Scope(entity_id, process_id=process_id, session_id=session_id)
        for name, number, least in (
            ("similarity_top_k", similarity_top_k, 0),
            ("history_token_limit", history_token_limit, 1),
        ):
            if number < least:
                raise ConfigError(f"`{name}` must be {least} or more, got {number!r}.")
        place = getattr(insert_method, "value", insert_method)  # also LlamaIndex's InsertMethod
        if place not in ("system", "user"):
            raise ConfigError(f'`insert_method` is "system" or "user", got {insert_method!r}.')
        memory = cls(
            memori_name=name_of(memori),
            entity_id=entity_id,
            session_id=session_id,
            process_id=process_id,
            similarity_top_k=similarity_top_k,
            history_token_limit=history_token_limit,
            insert_method=place,
            on_error=on_error,
            chat_store_name=None if chat_store is None else store_name(memori, chat_store),
        )
        memory._hooks = hooks
        return memory

    # ------------------------------------------------------------------------------- reading

    def get(self, input: str | ChatMessage | None = None, **kwargs: Any) -> list[ChatMessage]:  # noqa: A002 (the framework's name)
        """The history of the session, with what is known of the user.

        Args:
            input: What the user says now, where it is not put yet; None for the last message.
            kwargs: `initial_token_count`: so much of the token limit is used up already.
        """
        history = self._past().read()
        query = self._recalled.asks(history, input)
        if query is not None:
            self._recalled.keep(self._recall(query))
        return self._shown(history, kwargs)

    async def aget(  # pyright: ignore[reportIncompatibleMethodOverride] (input may be a message, too)
        self,
        input: str | ChatMessage | None = None,  # noqa: A002 (the framework's name)
        **kwargs: Any,
    ) -> list[ChatMessage]:
        """`get` without blocking the event loop."""
        history = await self._past().aread()
        query = self._recalled.asks(history, input)
        if query is not None:
            self._recalled.keep(await self._arecall(query))
        return self._shown(history, kwargs)

    def get_all(self) -> list[ChatMessage]:
        """The whole history of the session, as it was put."""
        return self._past().read()

    async def aget_all(self) -> list[ChatMessage]:
        """`get_all` without blocking the event loop."""
        return await self._past().aread()

    # ------------------------------------------------------------------------------- writing

    def put(self, message: ChatMessage) -> None:
        """Append a message to the history, and capture what was said."""
        self.put_messages([message])

    async def aput(self, message: ChatMessage) -> None:
        """`put` without blocking the event loop."""
        await self.aput_messages([message])

    def put_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Append messages to the history, and capture what was said."""
        history = self._past().read() if self._turns.lacks_question(messages) else []
        query = self._recalled.asks_put(messages)
        try:
            if query is not None:  # before it is captured, or it would find itself
                self._recalled.keep(self._recall(query))
        finally:
            self._capture(messages, history)
        self._past().add(messages)

    async def aput_messages(self, messages: Sequence[ChatMessage]) -> None:
        """`put_messages` without blocking the event loop."""
        history = await self._past().aread() if self._turns.lacks_question(messages) else []
        query = self._recalled.asks_put(messages)
        try:
            if query is not None:  # before it is captured, or it would find itself
                self._recalled.keep(await self._arecall(query))
        finally:
            self._capture(messages, history)
        await self._past().aadd(messages)

    def set(self, messages: list[ChatMessage]) -> None:
        """Put these messages in the place of the history. Nothing is captured or forgotten."""
        self._begin_anew()
        self._past().replace(messages)

    async def aset(self, messages: list[ChatMessage]) -> None:
        """`set` without blocking the event loop."""
        self._begin_anew()
        await self._past().areplace(messages)

    def reset(self) -> None:
        """Empty the history. Nothing is forgotten: see `Memori.erase` for that."""
        self._begin_anew()
        self._past().clear()

    async def areset(self) -> None:
        """`reset` without blocking the event loop."""
        self._begin_anew()
        await self._past().aclear()

    # --------------------------------------------------------------------------- serialising

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """Fields, ids of turns and messages, and the history where no chat store keeps it."""
        turns, history = self._turns, self._past()
        data = {**super().to_dict(**kwargs), "turn_id": turns.turn_id, "said": dict(turns.said)}
        snapshot = history.snapshot()
        return data if snapshot is None else {**data, "history": snapshot, "history_id": history.id}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], **kwargs: Any) -> MemoriMemory:  # pyright: ignore[reportIncompatibleMethodOverride] (any mapping will do)
        """The memory that `to_dict` was called on, attached to the same `Memori`."""
        fields: dict[str, Any] = {**data, **kwargs}
        fields.pop("class_name", None)
        turn_id, said, snapshot, history_id = (
            fields.pop(name, None) for name in ("turn_id", "said", "history", "history_id")
        )
        memory = cls(**fields)
        memory._turns.turn_id = turn_id
        memory._turns.said = dict(said or {})
        if snapshot is not None:
            memory._history = restored(snapshot, memory._key(), of=history_id)
        return memory

    def to_json(self, **kwargs: Any) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(**kwargs))

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> MemoriMemory:
        """A memory that goes on by itself from here."""
        return self.from_dict({**copy.deepcopy(self.to_dict()), "history_id": None})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, ({**self.to_dict(), "history_id": None},)

    # ------------------------------------------------------------------------------- inside

    def _key(self) -> str:
        # Two users may name their sessions alike.
        return json.dumps([self.entity_id, self.session_id], ensure_ascii=False)

    def _scope(self) -> Scope:
        return Scope(self.entity_id, process_id=self.process_id, session_id=self.session_id)

    def _attached(self) -> Hooks | None:
        if self._hooks is None:
            memori = memory_named(self.memori_name)
            if memori is None:
                self._miss(self.memori_name, "the memory of a serialised MemoriMemory is not open")
                return None
            self._hooks = Hooks(memori, on_error=self.on_error)
        return self._hooks

    def _past(self) -> History:
        if self._history is None:
            store = None
            if self.chat_store_name is not None:
                memori = memory_named(self.memori_name)
                store = memori and store_named(memori, self.chat_store_name)
                if store is None:
                    name = f"{self.memori_name}/{self.chat_store_name}"
                    self._miss(name, "the chat store of a serialised MemoriMemory is not attached")
            self._history = History(store, self._key())
        return self._history

    def _miss(self, name: str, what: str) -> None:
        if name not in _missed:
            _missed.add(name)
            logger.warning(
                "%s here (%s), so the run goes on without it. Call "
                "memori_llamaindex.attach(memori, chat_store=...) first",
                what,
                name,
            )

    def _recall(self, query: str) -> Recall | None:
        hooks = self._attached()
        if hooks is None or not query:
            return None
        return hooks.recall(query, scope=self._scope(), limit=self.similarity_top_k)

    async def _arecall(self, query: str) -> Recall | None:
        hooks = self._attached()
        if hooks is None or not query:
            return None
        return await hooks.arecall(query, scope=self._scope(), limit=self.similarity_top_k)

    def _shown(self, history: list[ChatMessage], kwargs: Mapping[str, Any]) -> list[ChatMessage]:
        limit = self.history_token_limit - int(kwargs.get("initial_token_count") or 0)
        shown, hooks = window(history, limit), self._attached()
        if hooks is None:
            return shown
        found, seen = self._recalled.found, self._turns.seen(shown)
        block = block_of(found, hooks.memori, shown=shown, seen=seen)
        return with_block(shown, block, place=self.insert_method)

    def _capture(self, messages: Sequence[ChatMessage], history: Sequence[ChatMessage]) -> None:
        hooks = self._attached()
        if hooks is not None:
            self._turns.take(messages, history, hooks=hooks, scope=self._scope())

    def _begin_anew(self) -> None:
        self._turns.begin_anew()
        self._recalled.forget()
