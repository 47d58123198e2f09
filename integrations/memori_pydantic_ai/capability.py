"""Memory for every run of an agent: recall before the model is asked, capture when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Self

from pydantic_ai import AgentRunResult, DeferredToolRequests, RunContext
from pydantic_ai.capabilities import (
    CapabilityOrdering,
    ProcessHistory,
    durable_operation,
)
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.toolsets import FunctionToolset

from memori_core import Scope, ScopedMemory
from memori_core.errors import ScopeError
from memori_core.hooks import Hooks, Status, handled
from memori_pydantic_ai._blocks import (
    beside_prompt,
    block_of,
    block_part,
    newest_block,
    without_blocks,
)
from memori_pydantic_ai._identity import scope_of
from memori_pydantic_ai._options import MemoryOptions
from memori_pydantic_ai._run import Recalled, Run
from memori_pydantic_ai._texts import answer_of
from memori_pydantic_ai.tools import toolset_of


@dataclass
class MemoriCapability(MemoryOptions):
    """Long-term memory for an agent, without a change to its code.

    ```python
    import asyncio
    from dataclasses import dataclass

    from memori_core import InMemoryStore, Memori
    from memori_pydantic_ai import MemoriCapability
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel


    @dataclass
    class Deps:
        user_id: str


    memori = Memori(InMemoryStore(), embedder=None)
    agent = Agent(TestModel(), deps_type=Deps, capabilities=[MemoriCapability(memori)])
    asyncio.run(agent.run("I am allergic to peanuts.", deps=Deps("alice")))
    memori.flush()
    print([fact.content for fact in memori.scoped("alice").list(limit=1)])
    #> ['User is allergic to peanuts.']
    ```

    A run of the agent recalls once and is stored once. An agent has one of these; a run can bring
    another one that takes its place.

    Raises:
        ConfigError: An argument cannot be right.
        ScopeError: In a run, with `on_missing_identity="raise"`, if nobody is named.
    """

    _hooks: Hooks = field(init=False, repr=False, compare=False)
    _run: Run | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._hooks = Hooks(self.memori, on_error=self.on_error)

    def get_ordering(self) -> CapabilityOrdering:
        """Inside history processors, which would store what stands beside the prompt."""
        return CapabilityOrdering(wrapped_by=[ProcessHistory])

    async def for_run(self, ctx: RunContext[Any]) -> Self:
        """A copy that belongs to this run."""
        run = copy(self)
        run._run = Run.begin(ctx, self._scope(ctx))  # noqa: SLF001 (a copy of ourselves)
        return run

    def _scope(self, ctx: RunContext[Any]) -> Scope | None:
        if not (self.recalls or self.capture or self.tool_names()):
            return None
        try:
            scope = scope_of(
                ctx,
                self.memori,
                user_id=self.user_id,
                agent_id=self.agent_id,
                session_id=self.session_id,
            )
        except Exception as e:  # whatever it is, it must not end the run
            if self.on_missing_identity == "raise":
                raise ScopeError(f"Nobody can be named whose memory this run is about: {e}") from e
            self._hooks.failed("identity", e)
            return None
        if scope is None:
            if self.on_missing_identity == "raise":
                raise ScopeError(_NOBODY)
            self._hooks.warn_once("no_scope", "%s The run goes on without memory.", _NOBODY)
        return scope

    # ------------------------------------------------------------------------------------- recall

    @durable_operation("recall")
    async def _recall_facts(
        self,
        ctx: RunContext[Any],
        query: str,
        user_id: str,
        agent_id: str | None,
        session_id: str | None,
    ) -> Recalled:
        """What bears on a question, as plain data: a step of its own in durable engines."""
        scope = Scope(user_id, process_id=agent_id, session_id=session_id)
        found = await self._hooks.arecall(
            query, scope=scope, limit=self.limit, strictness=self.strictness
        )
        ids = [fact.id for fact in found.pinned] + [fact.id for fact in found]
        return Recalled(block_of(found), tuple(dict.fromkeys(ids)))

    async def _recall(self, ctx: RunContext[Any]) -> Recalled:
        """What this run recalls: asked for once."""
        run = self._run
        if run is None:
            return Recalled()
        if run.recalled is None:
            run.recalled = Recalled()
            scope, query = run.scope, run.said.query
            if self.recalls and scope is not None and query:
                run.recalled = await self._recall_facts(
                    ctx, query, scope.entity_id, scope.process_id, scope.session_id
                )
        return run.recalled

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Shows the model what was recalled."""
        run = self._run
        if run is None:
            return request_context
        recalled = await self._recall(ctx)
        try:
            if not run.tidied:
                run.tidied = True
                self._tidy(ctx, request_context, run, recalled)
            if self.inject == "request" and recalled.block:
                request_context.messages = beside_prompt(
                    request_context.messages, recalled.block, run_id=ctx.run_id
                )
        except Exception as e:  # noqa: BLE001 (our failure is never the agent's)
            self._hooks.failed("inject", e)
        return request_context

    def _tidy(
        self,
        ctx: RunContext[Any],
        request_context: ModelRequestContext,
        run: Run,
        recalled: Recalled,
    ) -> None:
        """Takes older blocks out of the history, and in history mode puts the new one in."""
        in_history = self.inject == "history"
        if in_history and run.goes_on:
            return  # the block of the run that paused still holds
        keep = newest_block(ctx.messages, recalled.block) if in_history else None
        ctx.messages[:] = without_blocks(ctx.messages, keep=keep)
        request_context.messages = without_blocks(request_context.messages, keep=keep)
        if in_history and recalled.block and keep is None:
            ctx.enqueue(block_part(recalled.block, recalled.fact_ids))

    def get_instructions(self) -> Callable[[RunContext[Any]], Awaitable[str | None]] | None:
        """The facts as instructions, with `inject="instructions"`."""
        return self._instructions if self.inject == "instructions" and self.recall else None

    async def _instructions(self, ctx: RunContext[Any]) -> str | None:
        return (await self._recall(ctx)).block or None

    # -------------------------------------------------------------------------------------- tools

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """The tools that the model may use; none in a run of nobody."""
        names = self.tool_names()
        if not names or (self._run is not None and self._run.scope is None):
            return None
        return toolset_of(
            self._memory,
            guard=self._hooks,  # not one a run: what failed is told once
            tools=names,
            limit=self.limit,
            strictness=self.strictness,
            id=self.id or "memori",
        )

    def _memory(self, ctx: RunContext[Any]) -> ScopedMemory | None:
        scope = self._scope(ctx) if self._run is None else self._run.scope
        return None if scope is None else self._hooks.scoped(scope)

    # ------------------------------------------------------------------------------------ capture

    async def after_model_request(
        self,
        ctx: RunContext[Any],
        *,
        request_context: ModelRequestContext,
        response: ModelResponse,
    ) -> ModelResponse:
        """Notes the answer so far, for a run that is broken off."""
        if self._run is not None:
            self._run.reply = "" if response.tool_calls else response.text or ""
        return response

    async def wrap_run(
        self, ctx: RunContext[Any], *, handler: Callable[[], Awaitable[AgentRunResult[Any]]]
    ) -> AgentRunResult[Any]:
        """Stores the turn when the run is over, however it ends."""
        run = self._run
        if run is None or run.scope is None or not (self.recalls or self.capture):
            return await handler()
        with handled():  # a registered client beneath leaves the run alone
            try:
                result = await handler()
            except asyncio.CancelledError:
                await self._store_broken(ctx, run, "partial")
                raise
            except Exception:  # the run's own, raised on
                await self._store_broken(ctx, run, "failed")
                raise
            if not isinstance(result.output, DeferredToolRequests):  # else it is only paused
                await self._store(ctx, run, result.output, "complete")
        return result

    async def _store_broken(self, ctx: RunContext[Any], run: Run, status: Status) -> None:
        if self.capture_partial != "skip":
            reply = run.reply if self.capture_partial == "both" else None
            await self._store(ctx, run, reply, status)

    async def _store(self, ctx: RunContext[Any], run: Run, output: object, status: Status) -> None:
        scope, said = run.scope, run.said
        if not self.capture or scope is None or not said.text:
            return
        try:
            await self._store_turn(
                ctx,
                said.text,
                answer_of(output),
                status,
                run.turn_id,
                said.at.isoformat() if said.at else None,
                scope.entity_id,
                scope.process_id,
                scope.session_id,
            )
        except Exception as e:  # noqa: BLE001 (our failure is never the agent's)
            self._hooks.failed("capture", e)

    @durable_operation("capture")
    async def _store_turn(
        self,
        ctx: RunContext[Any],
        said: str,
        reply: str,
        status: Status,
        turn_id: str | None,
        said_at: str | None,
        user_id: str,
        agent_id: str | None,
        session_id: str | None,
    ) -> None:
        """Hands a turn to the memory's own writer: returns at once, outlives the event loop."""
        messages = [{"role": "user", "content": said, "said_at": said_at}]
        if reply:
            messages.append({"role": "assistant", "content": reply, "said_at": None})
        self._hooks.submit(
            messages,
            scope=Scope(user_id, process_id=agent_id, session_id=session_id),
            turn_id=turn_id,
            status=status,
        )


_NOBODY = (
    "Nobody is named whose memory this run is about: give the deps a `user_id`, or "
    "MemoriCapability(user_id=lambda ctx: ...)."
)
