"""`MemoriEventHandler`: capture without touching `memory=`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

import pytest
from llama_index.core.agent.workflow import FunctionAgent, ReActAgent
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.dispatcher import instrument_tags
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM

from memori_core import InMemoryStore, Memori
from memori_core.hooks import handled
from memori_llamaindex import MemoriEventHandler, MemoriMemory


@pytest.fixture(autouse=True)
def handler(memori: Memori) -> Iterator[MemoriEventHandler]:
    handler = MemoriEventHandler(memori, on_error="raise")
    get_dispatcher().add_event_handler(handler)
    yield handler
    get_dispatcher().event_handlers.remove(handler)


def ping() -> str:
    """Answer a ping."""
    return "pong"


TURN = [[("user", "I live in Porto."), ("assistant", "Nice.")]]


@pytest.mark.parametrize("mode", ["chat", "achat", "stream_chat", "astream_chat"])
async def test_nested_and_streamed_calls_are_one_turn(script, memori, turns, mode):
    """`achat` of the mock calls `chat`: start and end come twice."""
    script.then("Nice.")
    messages = [ChatMessage("Be brief.", role="system"), ChatMessage("I live in Porto.")]
    with instrument_tags({"entity_id": "alice", "session_id": "s1"}):
        if mode == "chat":
            script.llm.chat(messages)
        elif mode == "achat":
            await script.llm.achat(messages)
        elif mode == "stream_chat":
            list(script.llm.stream_chat(messages))
        else:
            assert [x async for x in await script.llm.astream_chat(messages)]
    assert turns("alice") == TURN
    assert {m.session_id for m in memori.scoped("alice").messages()} == {"s1"}


@pytest.mark.parametrize("streaming", [True, False])
async def test_an_agent_with_tools_is_one_turn(script, turns, streaming):
    script.calls("ping").calls("ping").then("Nice.")
    with instrument_tags({"entity_id": "alice"}):
        agent = FunctionAgent(llm=script.llm, tools=[ping], streaming=streaming)
        await agent.run("I live in Porto.")
    assert turns("alice") == TURN


async def test_a_react_agent_is_one_turn_with_its_answer(script, turns):
    script.then("Thought: x\nAction: ping\nAction Input: {}", "Thought: x\nAnswer: Nice.")
    with instrument_tags({"entity_id": "alice"}):
        await ReActAgent(llm=script.llm, tools=[ping]).run("I live in Porto.")
    assert turns("alice") == TURN


async def test_attribution_names_the_user_too_and_users_do_not_mix(memori, turns):
    def reply(messages, **_):
        return ChatMessage(f"You said: {messages[-1].content}", role="assistant")

    llm = MockFunctionCallingLLM(response_generator=reply)

    async def one(n: int) -> None:
        with memori.attribution(f"user-{n}"):
            await FunctionAgent(llm=llm).run(f"I live in Town{n:03}.")

    await asyncio.gather(*(one(n) for n in range(30)))
    for n in range(30):
        text = f"I live in Town{n:03}."
        assert turns(f"user-{n}") == [[("user", text), ("assistant", f"You said: {text}")]]


def test_each_turn_of_a_chat_engine_is_captured(script, memori, turns):
    engine = SimpleChatEngine.from_defaults(
        llm=script.then("One.", "Two.").llm,
        memory=MemoriMemory.from_defaults(
            Memori(InMemoryStore(), embedder=None), entity_id="elsewhere"
        ),
    )
    with instrument_tags({"entity_id": "alice", "session_id": "s1"}):
        engine.chat("yes")
        engine.chat("yes")
    assert turns("alice") == [
        [("user", "yes"), ("assistant", "One.")],
        [("user", "yes"), ("assistant", "Two.")],
    ]


def test_a_model_that_fails_leaves_the_users_words(script, turns):
    script.then(RuntimeError("down"))
    with instrument_tags({"entity_id": "alice"}), pytest.raises(RuntimeError):
        script.llm.chat([ChatMessage("I live in Porto.")])
    assert turns("alice") == [[("user", "I live in Porto.")]]


async def test_calls_that_have_their_memory_are_left_alone(script, memori, turns):
    memori.scoped("alice").remember("User is allergic to peanuts.")
    script.then("No.")
    memory = MemoriMemory.from_defaults(memori, entity_id="alice")
    with instrument_tags({"entity_id": "alice"}):
        await FunctionAgent(llm=script.llm).run("Do peanuts suit me?", memory=memory)
    assert turns("alice") == [[("user", "Do peanuts suit me?"), ("assistant", "No.")]]
    with instrument_tags({"entity_id": "bob"}), handled():
        script.then("Nice.").llm.chat([ChatMessage("I live in Porto.")])
    assert turns("bob") == []


def test_nobody_is_named_nothing_is_captured_and_one_warning(script, memori, caplog):
    script.then("a", "b")
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            script.llm.chat([ChatMessage("I live in Porto.")])
    memori.flush()
    assert memori.entities() == []
    assert sum("nobody is named" in r.getMessage() for r in caplog.records) == 1


def test_a_wrong_tag_is_logged_and_not_swallowed(memori, script, caplog):
    quiet = MemoriEventHandler(memori)
    get_dispatcher().add_event_handler(quiet)
    try:
        with caplog.at_level(logging.WARNING), instrument_tags({"entity_id": ["alice"]}):
            script.then("Nice.").llm.chat([ChatMessage("I live in Porto.")])
    finally:
        get_dispatcher().event_handlers.remove(quiet)
    assert any("memory failed (identity)" in r.getMessage() for r in caplog.records)


def test_completions_and_other_events_are_not_its_business(memori, turns):
    with instrument_tags({"entity_id": "alice"}):
        MockLLM().complete("I live in Porto.")
    assert turns("alice") == []
