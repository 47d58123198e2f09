"""Agents with `memory=MemoriMemory`: every way to run them, and every way a run can end."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from llama_index.core.agent.workflow import (
    AgentStream,
    AgentWorkflow,
    FunctionAgent,
    ReActAgent,
    ToolCallResult,
)
from llama_index.core.llms import ChatMessage
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent
from pydantic import BaseModel
from workflows.errors import WorkflowCancelledByUser

from memori_core import InMemoryStore, Memori
from memori_core.hooks import TAG
from memori_llamaindex import MemoriMemory, attach

PEANUTS = "User is allergic to peanuts"


def ping(x: int = 0) -> str:
    """Answer a ping."""
    return "pong"


def function_agent(script: Any, **kwargs: Any) -> Any:
    return FunctionAgent(llm=script.llm, tools=[ping], **kwargs)


def react_agent(script: Any, **kwargs: Any) -> Any:
    return ReActAgent(llm=script.llm, tools=[ping], **kwargs)


def workflow(script: Any, **kwargs: Any) -> Any:
    helper = FunctionAgent(
        name="helper", description="Helps.", llm=script.llm, tools=[ping], **kwargs
    )
    other = FunctionAgent(name="other", description="Knows tea.", llm=script.llm, **kwargs)
    return AgentWorkflow(agents=[helper, other], root_agent="helper")


KINDS: dict[str, Callable[..., Any]] = {
    "function": function_agent,
    "react": react_agent,
    "workflow": workflow,
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def told(kind: str) -> Callable[[str], str]:
    """An answer as a model of this kind of agent gives it."""
    return lambda text: f"Thought: I know.\nAnswer: {text}" if kind == "react" else text


def new(memori: Memori, entity_id: str = "alice", **kwargs: Any) -> MemoriMemory:
    return MemoriMemory.from_defaults(memori, entity_id=entity_id, **kwargs)


def systems(script: Any) -> int:
    return sum(role == "system" for role, _ in script.last)


@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize("prompt", [None, "Be brief."])
async def test_told_in_one_session_recalled_in_another(
    kind, told, script, memori, turns, recalls, streaming, prompt
):
    agent = KINDS[kind](script, streaming=streaming, system_prompt=prompt)
    script.then(told("Noted."), told("No."), told("Why?"))
    await agent.run("I am allergic to peanuts.", memory=new(memori))
    await memori.aflush()
    assert recalls() == 1
    answer = await agent.run("Do peanuts suit me?", memory=new(memori))
    assert str(answer) == "No."
    assert recalls() == 2
    assert script.last_text.count(f"<{TAG}>") == 1
    assert PEANUTS in script.last_text
    assert systems(script) == (1 if prompt or kind == "react" else 0)
    if prompt:
        assert script.last_text.count(prompt) == 1
    await agent.run("Do peanuts suit me?", memory=new(memori, "bob"))
    assert TAG not in script.last_text
    assert turns("alice") == [
        [("user", "I am allergic to peanuts."), ("assistant", "Noted.")],
        [("user", "Do peanuts suit me?"), ("assistant", "No.")],
    ]
    assert turns("bob") == [[("user", "Do peanuts suit me?"), ("assistant", "Why?")]]


async def test_a_run_with_tools_recalls_once_and_is_one_turn(
    kind, told, script, memori, turns, recalls
):
    memori.scoped("alice").remember("User is allergic to peanuts.")
    if kind == "react":
        script.then('Thought: I ping.\nAction: ping\nAction Input: {"x": 1}')
        script.then('Thought: Again.\nAction: ping\nAction Input: {"x": 2}')
    else:
        script.calls("ping", x=1).calls("ping", x=2)
    script.then(told("No, and pong."))
    memory = new(memori)
    handler = KINDS[kind](script).run("Do peanuts suit me? Ping, too.", memory=memory)
    results = [e async for e in handler.stream_events() if isinstance(e, ToolCallResult)]
    assert str(await handler) == "No, and pong."
    assert [r.tool_output.content for r in results] == ["pong", "pong"]
    assert recalls() == 1
    assert len(script.seen) == 3
    for request in script.seen:  # the same bytes in each round
        texts = [m.content or "" for m in request if TAG in (m.content or "")]
        assert len(texts) == 1
        assert texts[0].count(f"<{TAG}>") == 1
        assert PEANUTS in texts[0]
    assert turns("alice") == [
        [("user", "Do peanuts suit me? Ping, too."), ("assistant", "No, and pong.")]
    ]


async def test_a_handoff_between_agents_is_one_turn_with_one_recall(script, memori, turns, recalls):
    memori.scoped("alice").remember("User likes green tea.")
    script.calls("handoff", to_agent="other", reason="tea").then("Green tea.")
    agent = workflow(script)
    answer = await agent.run("Which green tea do I like?", memory=new(memori))
    assert str(answer) == "Green tea."
    assert recalls() == 1
    assert script.last_text.count(f"<{TAG}>") == 1
    assert turns("alice") == [[("user", "Which green tea do I like?"), ("assistant", "Green tea.")]]


async def test_the_event_stream_is_as_ever(script, memori, turns):
    script.then("Noted.")
    handler = function_agent(script).run("I live in Porto.", memory=new(memori))
    deltas = [e.delta async for e in handler.stream_events() if isinstance(e, AgentStream)]
    assert "".join(deltas) == "Noted."
    await handler
    assert len(turns("alice")) == 1


@pytest.mark.parametrize("passed", ["once", "each time"])
async def test_a_context_used_again_keeps_history_and_memory(
    kind, told, script, memori, turns, recalls, passed
):
    agent = KINDS[kind](script)
    context, memory = Context(agent), new(memori)
    questions = ["I am allergic to peanuts.", "My cat is Milo.", "Do peanuts suit my cat Milo?"]
    for n, question in enumerate(questions):
        script.then(told(f"answer {n}"))
        given = {"memory": memory} if n == 0 or passed == "each time" else {}
        await agent.run(question, ctx=context, **given)
        await memori.aflush()
        assert recalls() == n + 1
        for earlier in questions[: n + 1]:
            assert script.last_text.count(earlier) == 1
    assert PEANUTS in script.last_text
    # The memory in hand and the one in the context are one conversation.
    assert [m.content for m in await memory.aget_all() if m.role == "user"] == questions
    assert [turn[0][1] for turn in turns("alice")] == questions


async def test_a_context_goes_through_json_and_on(kind, told, script, memori, turns):
    agent = KINDS[kind](script)
    context = Context(agent)
    script.then(told("Hello Bo."), told("Milo."), told("Bo and Milo."))
    await agent.run("My name is Bo.", ctx=context, memory=new(memori, session_id="s1"))
    for question in ("My cat is Milo.", "What are our names?"):
        saved = json.dumps(context.to_dict())
        assert "Memori object" not in saved
        del context
        gc.collect()
        agent = KINDS[kind](script)
        context = Context.from_dict(agent, json.loads(saved))
        await agent.run(question, ctx=context)
    for text in ("My name is Bo.", "My cat is Milo.", "What are our names?"):
        assert script.last_text.count(text) == 1
    assert len(turns("alice")) == 3
    assert {m.session_id for m in memori.scoped("alice").messages()} == {"s1"}


async def test_a_context_goes_to_another_process_and_on(script, tmp_path):
    with Memori(tmp_path / "m.db", embedder=None) as memori:
        agent = function_agent(script)
        context = Context(agent)
        script.then("Noted.")
        await agent.run("I am allergic to peanuts.", ctx=context, memory=new(memori))
        await memori.aflush()
        saved = json.dumps(context.to_dict())
    del memori, context, agent
    gc.collect()  # what another process does not have
    with Memori(tmp_path / "m.db", embedder=None) as memori:
        attach(memori)
        agent = function_agent(script)
        script.then("No.")
        await agent.run("Do peanuts suit me?", ctx=Context.from_dict(agent, json.loads(saved)))
        assert script.last_text.count("I am allergic to peanuts.") == 1
        assert PEANUTS in script.last_text
        await memori.aflush()
        assert len(memori.scoped("alice").messages()) == 4


async def test_a_run_that_waits_for_a_person_goes_through_json_and_is_one_turn(
    script, memori, turns, recalls
):
    async def confirm(ctx: Context) -> str:
        """Ask the person."""
        waiting = InputRequiredEvent(prefix="Sure?")
        event = await ctx.wait_for_event(HumanResponseEvent, waiter_event=waiting)
        return event.response

    confirm.__annotations__["ctx"] = Context  # LlamaIndex reads it as it stands

    def make() -> Any:
        return FunctionAgent(llm=script.llm, tools=[confirm])

    agent = make()
    script.calls("confirm")
    handler = agent.run("Order my green tea.", memory=new(memori))
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            saved = json.dumps(handler.ctx.to_dict())
            await handler.cancel_run()
            break
    assert turns("alice") == [[("user", "Order my green tea.")]]
    del handler, agent
    gc.collect()
    script.then("Ordered.")
    agent = make()
    context = Context.from_dict(agent, json.loads(saved))
    handler = agent.run(ctx=context)
    context.send_event(HumanResponseEvent(response="yes"))
    assert str(await handler) == "Ordered."
    assert turns("alice") == [[("user", "Order my green tea."), ("assistant", "Ordered.")]]


async def test_the_retries_of_a_react_agent_are_one_turn(script, memori, turns, recalls):
    script.then("Thought: I\nAction:", "", "Thought: I know.\nAnswer: Green.")
    await react_agent(script).run("Which tea?", memory=new(memori))
    assert recalls() == 1
    assert turns("alice") == [[("user", "Which tea?"), ("assistant", "Green.")]]


async def test_in_the_system_place_an_agents_own_prompt_is_a_message_of_its_own(script, memori):
    """The limit that the documentation states."""
    memori.scoped("alice").remember("User is allergic to peanuts.")
    script.then("No.", "Thought: I\nAnswer: No.")
    agent = function_agent(script, system_prompt="Be brief.")
    await agent.run("Do peanuts suit me?", memory=new(memori, insert_method="system"))
    assert [role for role, _ in script.last] == ["system", "system", "user"]
    await react_agent(script).run("Do peanuts suit me?", memory=new(memori, insert_method="system"))
    assert TAG not in script.last_text


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_model_that_fails_leaves_the_users_words(
    kind, told, script, memori, turns, streaming
):
    agent = KINDS[kind](script, streaming=streaming)
    script.then(RuntimeError("llm down"), told("No."))
    with pytest.raises(RuntimeError, match="llm down"):
        await agent.run("I am allergic to peanuts.", memory=new(memori))
    assert turns("alice") == [[("user", "I am allergic to peanuts.")]]
    await agent.run("Do peanuts suit me?", memory=new(memori))
    assert PEANUTS in script.last_text


async def test_a_run_tried_again_with_the_same_memory_is_another_turn(script, memori, turns):
    memory = new(memori)
    script.then(RuntimeError("llm down"), "Nice.")
    with pytest.raises(RuntimeError):
        await function_agent(script).run("I live in Porto.", memory=memory)
    await function_agent(script).run("I live in Porto.", memory=memory)
    assert turns("alice") == [
        [("user", "I live in Porto.")],
        [("user", "I live in Porto."), ("assistant", "Nice.")],
    ]


async def test_a_cancelled_run_leaves_the_users_words(script, memori, turns):
    started = asyncio.Event()

    async def wait() -> str:
        """Wait long."""
        started.set()
        await asyncio.sleep(30)
        return "done"

    agent = FunctionAgent(llm=script.llm, tools=[wait])
    script.calls("wait")
    handler = agent.run("I am allergic to peanuts.", memory=new(memori))
    await started.wait()
    await handler.cancel_run()
    with pytest.raises(WorkflowCancelledByUser):
        await handler
    assert turns("alice") == [[("user", "I am allergic to peanuts.")]]
    script.then("No.")
    await function_agent(script).run("Do peanuts suit me?", memory=new(memori))
    assert PEANUTS in script.last_text


async def test_too_many_iterations_leave_the_users_words_or_the_forced_answer(
    script, memori, turns
):
    script.calls("ping").calls("ping")
    with pytest.raises(Exception, match="Max iterations"):
        await function_agent(script).run("Ping on.", memory=new(memori), max_iterations=2)
    assert turns("alice") == [[("user", "Ping on.")]]
    script.calls("ping").then("I stop.")
    agent = function_agent(script, early_stopping_method="generate")
    await agent.run("Ping on.", memory=new(memori), max_iterations=1)
    assert turns("alice")[1:] == [[("user", "Ping on."), ("assistant", "I stop.")]]


async def test_the_state_prompt_is_never_captured(script, memori, turns):
    memori.scoped("alice").remember("User is allergic to peanuts.")
    memory = new(memori)
    agent = function_agent(script, initial_state={"mood": "glad"})
    script.calls("ping").then("No.")
    await agent.run("Do peanuts suit me?", memory=memory)
    assert "Current state" in script.seen[0][-1].content
    assert PEANUTS in script.seen[0][-1].content
    assert turns("alice") == [[("user", "Do peanuts suit me?"), ("assistant", "No.")]]
    assert (await memory.aget_all())[0].content == "Do peanuts suit me?"


async def test_chat_history_that_is_handed_over_is_not_captured_again(script, memori, turns):
    history = [ChatMessage("Hi."), ChatMessage("Hello.", role="assistant")]
    before = [m.model_dump() for m in history]
    script.then("Nice.", "Rome is fine.")
    agent = function_agent(script)
    await agent.run("I live in Porto.", chat_history=history, memory=new(memori))
    assert [m.model_dump() for m in history] == before
    assert turns("alice") == [[("user", "I live in Porto."), ("assistant", "Nice.")]]
    await agent.run(chat_history=[*history, ChatMessage("I live in Rome.")], memory=new(memori))
    assert turns("alice")[1:] == [[("user", "I live in Rome."), ("assistant", "Rome is fine.")]]


async def test_a_tool_that_answers_directly_gives_the_answer(script, memori, turns):
    from llama_index.core.tools import FunctionTool

    tool = FunctionTool.from_defaults(ping, return_direct=True)
    script.calls("ping")
    await FunctionAgent(llm=script.llm, tools=[tool]).run("Ping.", memory=new(memori))
    assert turns("alice") == [[("user", "Ping."), ("assistant", "pong")]]


async def test_structured_output_recalls_no_further(script, memori, turns, recalls):
    class Tea(BaseModel):
        kind: str

    memori.scoped("alice").remember("User likes green tea.")
    seen: list[str] = []

    def output(messages: list[ChatMessage]) -> dict[str, Any]:
        seen.append("\n".join(m.content or "" for m in messages))
        return {"kind": "green"}

    script.then("Green tea.")
    agent = function_agent(script, structured_output_fn=output)
    answer = await agent.run("Which green tea do I like?", memory=new(memori))
    assert answer.get_pydantic_model(Tea) == Tea(kind="green")
    assert recalls() == 1
    assert seen[0].count(f"<{TAG}>") == 1


async def test_a_broken_memory_never_ends_a_run(kind, told, script, caplog):
    def broken(texts: list[str]) -> list[list[float]]:
        raise RuntimeError("the model is gone")

    with Memori(InMemoryStore(), embedder=broken, extractor=None) as memori:
        script.then(told("Nice."))
        assert str(await KINDS[kind](script).run("I live in Porto.", memory=new(memori))) == "Nice."
        memory = new(memori)
    script.then(told("Nice again."))  # the memory is closed now
    answer = await KINDS[kind](script).run("I live in Porto.", memory=memory)
    assert str(answer) == "Nice again."
    assert any("memory failed" in record.getMessage() for record in caplog.records)


async def test_fifty_users_at_once_never_mix(memori):
    from llama_index.core.llms.mock import MockFunctionCallingLLM

    def reply(messages: Any, **_: Any) -> ChatMessage:
        return ChatMessage("\n".join(m.content or "" for m in messages), role="assistant")

    agent = FunctionAgent(llm=MockFunctionCallingLLM(response_generator=reply))

    async def one(n: int, run: Callable[..., Awaitable[Any]]) -> str:
        await run(f"I live in Town{n:03}.", memory=new(memori, f"user-{n}"))
        await memori.aflush()
        return str(await run(f"Is Town{n:03} where I live?", memory=new(memori, f"user-{n}")))

    for n, text in enumerate(await asyncio.gather(*(one(n, agent.run) for n in range(50)))):
        assert f"<{TAG}>" in text
        assert text.count("Town") == text.count(f"Town{n:03}") == 2
