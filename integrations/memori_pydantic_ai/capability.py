"""Memory for every run of an agent: recall before the model is asked, capture when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, Self, get_args

from pydantic_ai import AgentRunResult, DeferredToolRequests, RunContext
from pydantic_ai.capabilities import (
    AbstractCapability,
    CapabilityOrdering,
    ProcessHistory,
    durable_operation,
)
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.toolsets import FunctionToolset

from memori_core import Memori, Scope, ScopedMemory
from memori_core.errors import ConfigError, ScopeError
from memori_core.hooks import Hooks, OnError, Status, handled
from memori_pydantic_ai._blocks import (
    beside_prompt,
    block_of,
    block_part,
    newest_block,
    without_blocks,
)
from memori_pydantic_ai._identity import Resolver, scope_of
from memori_pydantic_ai._texts import Said, answer_of, said_in, said_last
from memori_pydantic_ai.tools import TOOLS, ToolName, memory_toolset

Inject = Literal["request", "history", "instructions", "off"]
CapturePartial = Literal["skip", "user", "both"]
OnMissingIdentity = Literal["skip", "raise"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a recall brings into a run. Plain data, for engines that keep journals."""

    block: str = ""
    fact_ids: tuple[str, ...] = ()


@dataclass(slots=True)
class _Run:
    """What belongs to one run and to no other."""

    scope: Scope | None
    said: Said
    resumed: bool
    turn_id: str | None
    recalled: Recalled | None = None
    tidied: bool = False
    reply: str = ""


@dataclass
class MemoriCapability(AbstractCapability[Any]):
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

    memori: Memori
    """The memory."""
    _: KW_ONLY
    user_id: Resolver = None
    """Whose memory: a function of the run's context, or an id for programs with one user. None
    takes `user_id` of the deps, else of the run's metadata, else the scope of `memori`."""
    agent_id: Resolver = None
    """Which agent remembers; None for the agent's name."""
    session_id: Resolver = None
    """Which conversation goes on; None for the run's `conversation_id`."""
    recall: bool = True
    """Whether facts are recalled and shown to the model."""
    capture: bool = True
    """Whether turns are stored."""
    tools: bool | Collection[ToolName] = False
    """Tools for the model: all of `search_memory`, `remember` and `forget`, or those named."""
    inject: Inject = "request"
    """Where recalled facts stand: beside the prompt in each request of the run and nowhere else, in
    the history, in the instructions, or nowhere."""
    limit: int = 5
    """At most so many facts beside the pinned ones."""
    strictness: float = 1.0
    """Scales the cut below which nothing is recalled; 0 switches it off."""
    capture_partial: CapturePartial = "user"
    """What is stored of a turn without an answer: nothing, what the user said, or also what there
    is of the answer."""
    on_error: OnError = "log"
    """What to do with a failure of the memory: log it and go on without, or raise it, for tests."""
    on_missing_identity: OnMissingIdentity = "skip"
    """What to do if nobody is named: run without memory and warn once, or raise before the run."""
    id: str | None = "memori"
    """Stable, since durable engines and saved runs know the capability by it."""
    _hooks: Hooks = field(init=False, repr=False, compare=False)
    _run: _Run | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._hooks = Hooks(self.memori, on_error=self.on_error)
        for name, words in (
            ("inject", get_args(Inject)),
            ("capture_partial", get_args(CapturePartial)),
            ("on_missing_identity", get_args(OnMissingIdentity)),
        ):
            if (value := getattr(self, name)) not in words:
                raise ConfigError(f"`{name}` is one of {', '.join(words)}, got {value!r}.")
        if unknown := set(self._tool_names()) - set(TOOLS):
            raise ConfigError(f"`tools` are of {', '.join(TOOLS)}, got {sorted(unknown)}.")
        if isinstance(self.user_id, str):
            Scope(self.user_id)  # refuses what is no id

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[Any]]) -> AbstractCapability[Any]:
        """Two memories of one id are never one: which of the two users' would it be?

        Raises:
            ConfigError: Always.
        """
        raise ConfigError(
            f"{len(capabilities)} MemoriCapability have the id {capabilities[0].id!r}, and "
            "an agent has one. Leave one out, or give the others an `id` of their own."
        )

    @classmethod
    def from_spec(
        cls,
        path: str | None = None,
        *,
        embedder: str | None = "all-MiniLM-L6-v2",
        user_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        recall: bool = True,
        capture: bool = True,
        tools: bool | list[ToolName] = False,
        inject: Inject = "request",
        limit: int = 5,
        strictness: float = 1.0,
        capture_partial: CapturePartial = "user",
        on_missing_identity: OnMissingIdentity = "skip",
        id: str = "memori",
    ) -> Self:
        """The capability that an agent's YAML or JSON file describes.

        Args:
            path: The SQLite file of the memory; None for `memori.db`.
            embedder: As `Memori` takes it, by name; None recalls by words only.
            user_id: None takes `user_id` of the deps or of the run's metadata.
            agent_id: As in the class, like all that follow.
            session_id: See there.
            recall: See there.
            capture: See there.
            tools: See there.
            inject: See there.
            limit: See there.
            strictness: See there.
            capture_partial: See there.
            on_missing_identity: See there.
            id: See there.
        """
        return cls(
            Memori(path, embedder=embedder),
            user_id=user_id,
            agent_id=agent_id,
            session_id=session_id,
            recall=recall,
            capture=capture,
            tools=tools,
            inject=inject,
            limit=limit,
            strictness=strictness,
            capture_partial=capture_partial,
            on_missing_identity=on_missing_identity,
            id=id,
        )

    def get_ordering(self) -> CapabilityOrdering:
        """Inside history processors, which would store what stands beside the prompt."""
        return CapabilityOrdering(wrapped_by=[ProcessHistory])

    async def for_run(self, ctx: RunContext[Any]) -> Self:
        """A copy that belongs to this run."""
        resumed = ctx.prompt is None
        said = said_last(ctx.messages) if resumed else said_in(ctx.prompt)
        run = copy(self)
        run._run = _Run(  # noqa: SLF001 (a copy of ourselves)
            scope=self._scope(ctx),
            said=said,
            resumed=resumed,
            # A run that goes on stores the turn under the id of the run that began it: once.
            turn_id=said.run_id or ctx.run_id,
        )
        return run

    def _scope(self, ctx: RunContext[Any]) -> Scope | None:
        if not (self._recalls or self.capture or self._tool_names()):
            return None
        try:
            scope = scope_of(
                ctx,
                self.memori,
                user_id=self.user_id,
                agent_id=self.agent_id,
                session_id=self.session_id,
            )
        except Exception as e:  # noqa: BLE001 (our failure is never the agent's)
            self._hooks.failed("identity", e)
            return None
        if scope is None:
            if self.on_missing_identity == "raise":
                raise ScopeError(_NOBODY)
            self._hooks.warn_once("no_user", "%s The run goes on without memory.", _NOBODY)
        return scope

    # ------------------------------------------------------------------------------------- recall

    @property
    def _recalls(self) -> bool:
        return self.recall and self.inject != "off"

    @durable_operation("recall")
    async def recall_facts(
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
            if self._recalls and scope is not None and query:
                run.recalled = await self.recall_facts(
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
        if not run.tidied:
            run.tidied = True
            self._tidy(ctx, request_context, run, recalled)
        if self.inject == "request" and recalled.block:
            request_context.messages = beside_prompt(
                request_context.messages, recalled.block, run_id=ctx.run_id
            )
        return request_context

    def _tidy(
        self,
        ctx: RunContext[Any],
        request_context: ModelRequestContext,
        run: _Run,
        recalled: Recalled,
    ) -> None:
        """Takes older blocks out of the history, and in history mode puts the new one in."""
        in_history = self.inject == "history"
        if in_history and run.resumed:
            return  # the block of the run that paused still holds
        keep = newest_block(ctx.messages, recalled.block) if in_history else None
        ctx.messages[:] = without_blocks(ctx.messages, keep=keep)
        request_context.messages = without_blocks(request_context.messages, keep=keep)
        if in_history and recalled.block and keep is None:
            ctx.enqueue(block_part(recalled.block, recalled.fact_ids))

    def get_instructions(self) -> Any:
        """The facts as instructions, with `inject="instructions"`."""
        return self._instructions if self.inject == "instructions" and self.recall else None

    async def _instructions(self, ctx: RunContext[Any]) -> str | None:
        return (await self._recall(ctx)).block or None

    # -------------------------------------------------------------------------------------- tools

    def _tool_names(self) -> Collection[str]:
        if isinstance(self.tools, bool):
            return TOOLS if self.tools else ()
        return self.tools

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """The tools that the model may use; none in a run of nobody."""
        names = self._tool_names()
        if not names or (self._run is not None and self._run.scope is None):
            return None
        return memory_toolset(
            self._memory, tools=[n for n in TOOLS if n in names], id=self.id or "memori"
        )

    def _memory(self, ctx: RunContext[Any]) -> ScopedMemory | None:
        scope = self._scope(ctx) if self._run is None else self._run.scope
        if scope is None:
            return None
        return self.memori.scoped(
            scope.entity_id, process_id=scope.process_id, session_id=scope.session_id
        )

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

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> AgentRunResult[Any]:
        """Stores the turn when the run is over, however it ends."""
        run = self._run
        if run is None or run.scope is None or not (self._recalls or self.capture):
            return await handler()
        with handled():  # a registered client beneath leaves the run alone
            try:
                result = await handler()
            except asyncio.CancelledError:
                await self._store_broken(ctx, run, "partial")
                raise
            except Exception:
                await self._store_broken(ctx, run, "failed")
                raise
            if not isinstance(result.output, DeferredToolRequests):  # else it is only paused
                await self._store(ctx, run, answer_of(result.output), "complete")
        return result

    async def _store_broken(self, ctx: RunContext[Any], run: _Run, status: Status) -> None:
        if self.capture_partial != "skip":
            reply = run.reply if self.capture_partial == "both" else ""
            await self._store(ctx, run, reply, status)

    async def _store(self, ctx: RunContext[Any], run: _Run, reply: str, status: Status) -> None:
        scope, said = run.scope, run.said
        if not self.capture or scope is None or not said.text:
            return
        await self.store_turn(
            ctx,
            said.text,
            reply,
            status,
            run.turn_id,
            said.at.isoformat() if said.at else None,
            scope.entity_id,
            scope.process_id,
            scope.session_id,
        )

    @durable_operation("capture")
    async def store_turn(
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
