"""`MemoriCallbackHandler`: what is captured of models, chains, streams, agents, and what is not."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain.tools import tool
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate
from pydantic import BaseModel

from memori_core.errors import ScopeError
from memori_langchain import MemoriCallbackHandler, MemoriMiddleware

PEANUTS = "I am allergic to peanuts."


def config(handler: Any, user: str | None = None, session: str | None = None) -> Any:
    metadata: dict[str, str] = {}
    if user:
        metadata["user_id"] = user
    if session:
        metadata["thread_id"] = session
    return {"callbacks": [handler], "metadata": metadata}


async def test_a_call_is_one_turn_sync_and_async(memori, model, said):
    handler = MemoriCallbackHandler(memori)
    model("Noted.").invoke(PEANUTS, config(handler, "alice", "s1"))
    await model("Noted.").ainvoke(PEANUTS, config(handler, "bob", "s2"))
    assert said("alice", "s1") == [("user", PEANUTS), ("assistant", "Noted.")]
    assert said("bob", "s2") == [("user", PEANUTS), ("assistant", "Noted.")]
    assert handler.pending == 0


async def test_streams_are_captured_at_their_end(memori, model, said):
    handler = MemoriCallbackHandler(memori)
    assert len(list(model("a b c").stream("sync?", config(handler, "alice")))) >= 3
    async for _ in model("d e f").astream("async?", config(handler, "alice")):
        pass
    assert said("alice") == [
        ("user", "sync?"),
        ("assistant", "a b c"),
        ("user", "async?"),
        ("assistant", "d e f"),
    ]


def statuses(memori: Any, entity_id: str) -> list[str]:
    memori.flush()
    scope = memori.scoped(entity_id).scope
    return list(memori._store.turns(scope).values())


async def test_an_abandoned_stream_is_captured_as_far_as_it_came(memori, model, said):
    handler = MemoriCallbackHandler(memori)
    stream = model("one two three").stream("sync?", config(handler, "alice"))
    assert next(stream).text == "one"
    stream.close()
    astream = model("one two three").astream("async?", config(handler, "bob"))
    assert (await anext(astream)).text == "one"
    await astream.aclose()
    assert said("alice") == [("user", "sync?"), ("assistant", "one")]
    assert said("bob") == [("user", "async?"), ("assistant", "one")]
    assert statuses(memori, "alice") == statuses(memori, "bob") == ["partial"]
    assert handler.pending == 0


async def test_a_failed_call_is_not_captured(memori, model, said):
    handler = MemoriCallbackHandler(memori)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="down"):
            model(RuntimeError("down")).invoke(PEANUTS, config(handler, "alice"))
        with pytest.raises(RuntimeError, match="down"):
            await model(RuntimeError("down")).ainvoke(PEANUTS, config(handler, "alice"))
    assert said("alice") == []
    assert handler.pending == 0


async def test_cancelled_calls_leave_a_bounded_table(memori, model, said):
    handler = MemoriCallbackHandler(memori, max_pending=3)
    for n in range(5):
        task = asyncio.create_task(
            model(delay_s=5).ainvoke(f"Question {n}", config(handler, "alice"))
        )
        await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert handler.pending <= 3
    assert said("alice") == []


def test_batches_pair_question_and_answer(memori, model, said):
    handler = MemoriCallbackHandler(memori)
    fake = model(*(f"Answer {n}" for n in range(3)))
    fake.batch(
        [f"Question {n}" for n in range(3)], config(handler, "alice") | {"max_concurrency": 1}
    )
    fake.generate(
        [[HumanMessage("One?")], [HumanMessage("Two?")]],
        callbacks=[handler],
        metadata={"user_id": "bob"},
    )
    assert said("alice") == [
        line for n in range(3) for line in (("user", f"Question {n}"), ("assistant", f"Answer {n}"))
    ]
    assert [text for role, text in said("bob") if role == "user"] == ["One?", "Two?"]


async def test_100_users_at_once_on_one_handler_never_mix(memori, model, said):
    handler = MemoriCallbackHandler(memori)

    def ask(n: int) -> None:
        model(f"Answer {n}").invoke(f"Question {n}", config(handler, f"user-{n}"))

    async def aask(n: int) -> None:
        fake = model(f"Answer {n}", delay_s=0.001)
        await fake.ainvoke(f"Question {n}", config(handler, f"user-{n}"))

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(ask, range(50)))
    await asyncio.gather(*(aask(n) for n in range(50, 100)))
    for n in range(100):
        assert said(f"user-{n}") == [("user", f"Question {n}"), ("assistant", f"Answer {n}")]
    assert handler.pending == 0


@tool
def look(x: int) -> str:
    """Look around.

    Args:
        x: Where.
    """
    return f"a wall at {x}"


async def test_a_tool_loop_is_one_turn(memori, model, call, said):
    handler = MemoriCallbackHandler(memori)
    fake = model(call("look", "1", "Let me look.", x=1), call("look", "2", x=2), "Two walls.")
    agent = create_agent(fake, tools=[look])
    await agent.ainvoke({"messages": "What do you see?"}, config(handler, "alice"))
    assert said("alice") == [("user", "What do you see?"), ("assistant", "Two walls.")]


def test_b62_whole_histories_and_block_content(memori, model, said):
    handler = MemoriCallbackHandler(memori)
    blocks: list[Any] = [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "hm"}]
    fake = model(*(AIMessage(blocks) for _ in range(3)))
    history: list[Any] = [SystemMessage("You are kind.")]
    for n in range(3):
        history.append(HumanMessage(f"Question {n}"))
        history.append(fake.invoke(history, config(handler, "alice")))
    assert said("alice") == [
        line for n in range(3) for line in (("user", f"Question {n}"), ("assistant", "a"))
    ]


class Snack(BaseModel):
    """A snack."""

    name: str


def test_structured_output_ends_a_turn(memori, model, call, said):
    handler = MemoriCallbackHandler(memori)
    chain = model(call("Snack", name="an apple")).with_structured_output(Snack)
    assert chain.invoke(PEANUTS, config(handler, "alice")) == Snack(name="an apple")
    assert said("alice") == [("user", PEANUTS)]


def test_an_empty_answer_ends_a_turn(memori, model, said):
    handler = MemoriCallbackHandler(memori)
    model("").invoke(PEANUTS, config(handler, "alice"))
    assert said("alice") == [("user", PEANUTS)]


def test_our_own_block_is_never_captured(memori, model, said):
    memori.scoped("alice").remember("User is allergic to peanuts.")
    block = memori.scoped("alice").recall("peanuts").context
    handler = MemoriCallbackHandler(memori)
    prompt = ChatPromptTemplate.from_messages([("system", "{block}"), ("human", "{block}\n{q}")])
    chain = prompt | model("ok")
    chain.invoke({"block": block, "q": "And now?"}, config(handler, "alice"))
    assert said("alice") == [("user", "And now?"), ("assistant", "ok")]


def test_calls_that_are_nobodys_turn_are_left_alone(memori, model, said):
    handler = MemoriCallbackHandler(memori, entity_id="alice")
    summarise = SummarizationMiddleware(
        model=model("SUMMARY"), trigger=("messages", 3), keep=("messages", 1)
    )
    history = [HumanMessage("h1"), AIMessage("a1"), HumanMessage("h2"), AIMessage("a2")]
    agent = create_agent(model("final"), middleware=[summarise])
    agent.invoke({"messages": [*history, HumanMessage("h3")]}, {"callbacks": [handler]})
    assert said("alice") == [("user", "h3"), ("assistant", "final")]
    model("x").invoke("classify", {"callbacks": [handler], "tags": ["memori:skip"]})
    FakeListLLM(responses=["x"]).invoke("a prompt", {"callbacks": [handler]})
    off = MemoriCallbackHandler(memori, entity_id="alice", capture=False)
    model("x").invoke("unheard", {"callbacks": [off]})
    assert len(said("alice")) == 2
    assert handler.pending == off.pending == 0


def test_where_a_summary_took_the_place_of_the_question_nothing_is_captured(memori, model, said):
    summary = HumanMessage("Summary: peanuts.", additional_kwargs={"lc_source": "summarization"})
    model("ok").invoke([summary], config(MemoriCallbackHandler(memori), "alice"))
    assert said("alice") == []


def test_beside_the_middleware_a_turn_is_captured_once(memori, model, said):
    handler = MemoriCallbackHandler(memori)
    agent = create_agent(
        model("Noted."), middleware=[MemoriMiddleware(memori)], context_schema=dict
    )
    agent.invoke({"messages": PEANUTS}, config(handler), context={"user_id": "alice"})
    assert said("alice") == [("user", PEANUTS), ("assistant", "Noted.")]


# ----------------------------------------------------------------------------------------- identity


async def test_identity_comes_from_the_first_place_that_names_it(memori, model, said):
    handler = MemoriCallbackHandler(memori)
    fixed = MemoriCallbackHandler(memori, entity_id="constructor")
    agent = create_agent(model(*["ok"] * 9), context_schema=dict)
    named: Any = {"metadata": {"user_id": "metadata"}, "configurable": {"user_id": "configurable"}}
    ask: Any = {"messages": "?"}
    with memori.attribution("attribution"):
        agent.invoke(ask, {**named, "callbacks": [fixed]}, context={"user_id": "context"})
        agent.invoke(ask, {**named, "callbacks": [handler]}, context={"user_id": "context"})
        await agent.ainvoke(ask, {**named, "callbacks": [handler]})
        await agent.ainvoke(ask, config(handler, "metadata"))
        model("ok").invoke("?", config(handler, "metadata"))
        agent.invoke(ask, {"callbacks": [handler]})
    memori.flush()
    counts = {name: len(said(name)) for name in memori.entities()}
    assert counts == {
        "constructor": 2,
        "context": 2,
        "configurable": 2,
        "metadata": 4,
        "attribution": 2,
    }


def test_nobody_named_is_not_captured_and_said_once(memori, model, caplog):
    handler = MemoriCallbackHandler(memori)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            model("ok").invoke(PEANUTS, {"callbacks": [handler]})
    memori.flush()
    assert memori.entities() == []
    assert len([r for r in caplog.records if "nobody is named" in r.getMessage()]) == 1
    with pytest.raises(ScopeError):
        MemoriCallbackHandler(memori, entity_id="")
