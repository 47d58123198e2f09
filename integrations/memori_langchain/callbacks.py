"""Capture with any chat model or chain, through LangChain's callbacks."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from memori_core import Memori, Scope
from memori_core.hooks import Hooks, Message, OnError, Status, is_handled, text_of
from memori_langchain._identity import Identity, run_context
from memori_langchain._turns import Turn, last_turn

SKIP_TAG = "memori:skip"
"""A run with this tag is not captured."""


@dataclass(frozen=True, slots=True)
class _Pending:
    scope: Scope
    turn: Turn
    structured: bool
    """Whether the answer comes as a tool call, since structured output was asked for."""


class MemoriCallbackHandler(BaseCallbackHandler):
    """Captures what users say to a chat model and what it answers. Recall is not its work.

    One handler serves sync and async code, all users, and any number of calls at once.

    ```python
    from langchain_core.language_models import FakeListChatModel
    from memori_core import InMemoryStore, Memori
    from memori_langchain import MemoriCallbackHandler

    memori = Memori(InMemoryStore(), embedder=None)
    model = FakeListChatModel(responses=["Noted."])
    handler = MemoriCallbackHandler(memori)
    config = {"callbacks": [handler], "metadata": {"user_id": "alice"}}
    model.invoke("I am allergic to peanuts.", config)
    memori.flush()
    print([fact.content for fact in memori.scoped("alice").list()])
    #> ['User is allergic to peanuts.']
    ```

    A turn is stored when its answer is there: the rounds of a tool loop are one turn. Left alone
    are calls that a middleware makes for itself, those that `MemoriMiddleware` handles, and those
    with the tag `memori:skip`.

    Args:
        memori: The memory.
        entity_id: Whose memory, in every run. None asks the run, in the order of
            `MemoriMiddleware`: its context (in LangGraph), `configurable` (inside a chain or
            graph), `metadata`, `memori.attribution(...)`. Nobody: no capture, and one warning.
        entity_key: Under which name a run tells whose memory it is about.
        session_key: Under which name it tells the conversation.
        process_id: The agent's own id.
        capture: What to store of a turn; False for nothing.
        max_pending: Calls that are waited for at the same time: a cancelled call tells nobody that
            it is over, so the oldest are given up.
        on_error: What to do when memory fails: `"log"`, or `"raise"`, for tests.
    """

    run_inline = True  # handing a turn over takes no time, and a thread would change the order

    def __init__(
        self,
        memori: Memori,
        *,
        entity_id: str | None = None,
        entity_key: str = "user_id",
        session_key: str = "thread_id",
        process_id: str | None = None,
        capture: bool = True,
        max_pending: int = 1024,
        on_error: OnError = "log",
    ) -> None:
        self.raise_error = on_error == "raise"
        self._hooks = Hooks(memori, on_error=on_error)
        self._identity = Identity(
            memori=memori,
            entity_id=entity_id,
            entity_key=entity_key,
            session_key=session_key,
            process_id=process_id,
        )
        self._capture = capture
        self._max_pending = max_pending
        self._lock = threading.Lock()
        self._pending: OrderedDict[UUID, _Pending] = OrderedDict()

    @property
    def ignore_agent(self) -> bool:
        """Nothing but chat models is listened to."""
        return True

    @property
    def ignore_chain(self) -> bool:
        """Nothing but chat models is listened to."""
        return True

    @property
    def ignore_retriever(self) -> bool:
        """Nothing but chat models is listened to."""
        return True

    @property
    def pending(self) -> int:
        """How many calls are waited for."""
        with self._lock:
            return len(self._pending)

    def on_llm_start(self, *args: Any, **kwargs: Any) -> None:
        """A model without messages: nobody knows what of its prompt a user said."""

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Keep what the user said until the answer is there."""
        metadata = metadata or {}
        internal = "lc_source" in metadata or "lc_internal_call" in metadata
        if not self._capture or internal or SKIP_TAG in (tags or ()) or is_handled():
            return
        scope = self._identity.scope_or_none(
            self._hooks, "callback handler", context=run_context(), metadata=metadata
        )
        if scope is None:
            return
        turn = last_turn(messages[0], session_id=scope.session_id, with_answer=False)
        if turn is None:
            return
        options: dict[str, Any] = kwargs.get("options") or {}
        structured = "ls_structured_output_format" in options
        with self._lock:
            self._pending[run_id] = _Pending(scope, turn, structured)
            if len(self._pending) > self._max_pending:
                self._pending.popitem(last=False)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Store the turn, unless the answer asks for tools: then it goes on."""
        pending = self._taken(run_id)
        answer = _message(response)
        goes_on = isinstance(answer, AIMessage) and bool(answer.tool_calls)
        if pending is not None and (pending.structured or not goes_on):
            self._submit(pending, answer, status="complete")

    def on_llm_error(
        self,
        error: BaseException,
        *,
        run_id: UUID,
        response: LLMResult | None = None,
        **kwargs: Any,
    ) -> None:
        """Store a turn whose answer was broken off by its reader; forget one that failed."""
        pending = self._taken(run_id)
        if pending is not None and isinstance(error, GeneratorExit | asyncio.CancelledError):
            self._submit(pending, _message(response), status="partial")

    def _taken(self, run_id: UUID) -> _Pending | None:
        with self._lock:
            return self._pending.pop(run_id, None)

    def _submit(self, pending: _Pending, answer: BaseMessage | None, *, status: Status) -> None:
        messages = list(pending.turn.messages)
        if answer is not None and (text := text_of(answer.content)):
            messages.append(Message("assistant", text))
        self._hooks.submit(messages, scope=pending.scope, turn_id=pending.turn.id, status=status)


def _message(response: LLMResult | None) -> BaseMessage | None:
    """The message of a result, or None where there is none, for example before the first token."""
    for generations in response.generations if response is not None else ():
        for generation in generations:
            return generation.message if isinstance(generation, ChatGeneration) else None
    return None
