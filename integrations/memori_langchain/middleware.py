"""Memory for agents: recall before the model is called, capture when the run is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, TypeAlias

from langchain.agents.middleware import (
    AgentMiddleware,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
)
from langchain_core.messages import BaseMessage, SystemMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from memori_core import Memori, Scope
from memori_core.errors import ConfigError, ScopeError
from memori_core.hooks import Hooks, OnError, Where, handled
from memori_langchain._identity import Identity
from memori_langchain._state import MemoriState
from memori_langchain._turns import last_said, last_turn, question
from memori_langchain.tools import recall_tool, remember_tool

Capture: TypeAlias = Literal["user+assistant", "user", False]
OnMissingIdentity: TypeAlias = Literal["raise", "skip"]


class MemoriMiddleware(AgentMiddleware[MemoriState, Any]):
    """Gives an agent long-term memory. One instance serves all users, at once.

    What bears on the user's message is recalled once per run and shown to the model beside the
    system prompt. When the run is done, what the user said and the answer are captured, and facts
    are made of it in the background.

    ```python
    from langchain.agents import create_agent
    from langchain_core.language_models import FakeMessagesListChatModel
    from langchain_core.messages import AIMessage
    from memori_core import InMemoryStore, Memori
    from memori_langchain import MemoriMiddleware

    memori = Memori(InMemoryStore(), embedder=None)
    model = FakeMessagesListChatModel(responses=[AIMessage("Noted.")])
    agent = create_agent(model, middleware=[MemoriMiddleware(memori)], context_schema=dict)
    said = {"messages": "I am allergic to peanuts."}
    agent.invoke(said, context={"user_id": "alice"})
    memori.flush()
    print([fact.content for fact in memori.scoped("alice").list()])
    #> ['User is allergic to peanuts.']
    ```

    Args:
        memori: The memory.
        entity_id: Whose memory, in every run. None asks the run: its context, `configurable`,
            `metadata`, then `memori.attribution(...)`.
        entity_key: Under which name a run tells whose memory it is about.
        session_key: Under which name it tells the conversation.
        process_id: The agent's own id.
        k: How many facts are shown at most.
        strictness: Scales the cut below which nothing is recalled; 0 switches it off.
        where: Metadata that recalled facts must have.
        recall: Whether to recall.
        capture: What to store of a turn: `"user+assistant"`, `"user"`, or False for nothing.
        tools: Whether the model gets tools to search memory and to remember by itself.
        on_missing_identity: What to do when nobody is named: `"raise"` before the run, or
            `"skip"`: neither recall nor capture, and one warning.
        on_error: What to do when memory fails: `"log"` and go on without, or `"raise"`, for tests.
        name: What it is called in the graph; needed where an agent has two.

    Raises:
        ConfigError: An argument cannot be right.
        ScopeError: `entity_id` is no id.
    """

    state_schema = MemoriState

    def __init__(
        self,
        memori: Memori,
        *,
        entity_id: str | None = None,
        entity_key: str = "user_id",
        session_key: str = "thread_id",
        process_id: str | None = None,
        k: int = 5,
        strictness: float = 1.0,
        where: Where | None = None,
        recall: bool = True,
        capture: Capture = "user+assistant",
        tools: bool = False,
        on_missing_identity: OnMissingIdentity = "raise",
        on_error: OnError = "log",
        name: str | None = None,
    ) -> None:
        super().__init__()
        if capture not in ("user+assistant", "user", False):
            raise ConfigError(f'`capture` is "user+assistant", "user" or False, got {capture!r}.')
        if on_missing_identity not in ("raise", "skip"):
            raise ConfigError(
                f'`on_missing_identity` is "raise" or "skip", got {on_missing_identity!r}.'
            )
        self._hooks = Hooks(memori, on_error=on_error)
        self._identity = Identity(
            memori=memori,
            entity_id=entity_id,
            entity_key=entity_key,
            session_key=session_key,
            process_id=process_id,
        )
        self._options = self._hooks.options(limit=k, strictness=strictness, where=where)
        self._recall = recall
        self._capture: Capture = capture
        self._on_missing: OnMissingIdentity = on_missing_identity
        self._name = name or type(self).__name__
        self.tools = (
            [
                recall_tool(self._hooks, self._identity, self._options),
                remember_tool(self._hooks, self._identity),
            ]
            if tools
            else []
        )

    @property
    def name(self) -> str:
        """What it is called in the graph."""
        return self._name

    def before_agent(self, state: MemoriState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Recall, once per run."""
        scope = self._scope(runtime)
        if scope is None:
            return None
        block = ""
        if self._recall:
            query = question(state["messages"])
            block = self._hooks.recall(query, scope=scope, **self._options).context
        return {"memori_asked": last_said(state["messages"]), **self._kept(block)}

    async def abefore_agent(
        self, state: MemoriState, runtime: Runtime[Any]
    ) -> dict[str, Any] | None:
        """Recall, once per run."""
        scope = self._scope(runtime)
        if scope is None:
            return None
        block = ""
        if self._recall:
            query = question(state["messages"])
            block = (await self._hooks.arecall(query, scope=scope, **self._options)).context
        return {"memori_asked": last_said(state["messages"]), **self._kept(block)}

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Show the model what was recalled."""
        scope = self._scope(request.runtime)
        if scope is None:
            return handler(request)
        block = self._recalled(request)
        if block is not None:
            with handled():
                return handler(_with_block(request, block))
        query = question(request.messages)
        block = self._hooks.recall(query, scope=scope, **self._options).context
        with handled():
            response = handler(_with_block(request, block))
        return self._with_state(response, block)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Show the model what was recalled."""
        scope = self._scope(request.runtime)
        if scope is None:
            return await handler(request)
        block = self._recalled(request)
        if block is not None:
            with handled():
                return await handler(_with_block(request, block))
        query = question(request.messages)
        block = (await self._hooks.arecall(query, scope=scope, **self._options)).context
        with handled():
            response = await handler(_with_block(request, block))
        return self._with_state(response, block)

    def after_agent(self, state: MemoriState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Capture the turn. Not reached by runs that failed, were cancelled or are interrupted."""
        scope = self._scope(runtime)
        if scope is not None and self._capture:
            messages = state["messages"]
            asked = state.get("memori_asked") or []
            if asked and asked[-1].id not in {message.id for message in messages}:
                messages = [*asked, *messages]
            self._submit(messages, scope)
        return None

    async def aafter_agent(
        self, state: MemoriState, runtime: Runtime[Any]
    ) -> dict[str, Any] | None:
        """Capture the turn. Nothing waits: a thread of the memory stores it."""
        return self.after_agent(state, runtime)

    def _submit(self, messages: Sequence[BaseMessage], scope: Scope) -> None:
        turn = last_turn(
            messages,
            session_id=scope.session_id,
            with_answer=self._capture == "user+assistant",
        )
        if turn is not None:
            self._hooks.submit(turn.messages, scope=scope, turn_id=turn.id)

    def _scope(self, runtime: Runtime[Any]) -> Scope | None:
        """Whose memory the run is about; None leaves the run alone."""
        if not self._recall and not self._capture:
            return None
        context: object = getattr(runtime, "context", None)
        if self._on_missing == "skip":
            return self._identity.scope_or_none(self._hooks, self._name, context=context)
        scope = self._identity.scope(context=context)
        if scope is None:
            raise ScopeError(f"{self._name}: {self._identity.missing()}.")
        return scope

    def _recalled(self, request: ModelRequest[Any]) -> str | None:
        """What `before_agent` recalled; None after an interrupt, where it does not run again."""
        if not self._recall:
            return ""
        kept: dict[str, str] = request.state.get("memori_recalled") or {}
        return kept.get(self._name)

    def _kept(self, block: str) -> dict[str, Any]:
        return {"memori_recalled": {self._name: block}}

    def _with_state(self, response: ModelResponse[Any], block: str) -> ExtendedModelResponse[Any]:
        command: Command[Any] = Command(update=self._kept(block))
        return ExtendedModelResponse(model_response=response, command=command)


def _with_block(request: ModelRequest[Any], block: str) -> ModelRequest[Any]:
    """The request with the block as the last part of its system message."""
    if not block:
        return request
    old = request.system_message
    if old is None:
        new = SystemMessage(block)
    elif isinstance(old.content, str):
        new = old.model_copy(update={"content": f"{old.content}\n\n{block}"})
    else:
        parts = [*old.content, {"type": "text", "text": block}]
        new = old.model_copy(update={"content": parts})
    return request.override(system_message=new)
