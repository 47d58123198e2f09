"""The tools for models: the standard suites, both flavours, identity, what they never show."""

from __future__ import annotations

import json
import logging
import threading
import time
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

from memori_core import InMemoryStore, Memori, hooks
from memori_langchain import create_forget_tool, create_recall_tool, create_remember_tool

FACT = "User is allergic to peanuts."
MAKERS = (create_recall_tool, create_remember_tool, create_forget_tool)


def memory() -> Memori:
    memori = Memori(":memory:", embedder=None)
    memori.scoped("alice").remember(FACT)
    return memori


class _Recall:
    @property
    def tool_constructor(self) -> BaseTool:
        return create_recall_tool(memory(), entity_id="alice")

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"query": "peanuts"}


class _Remember:
    @property
    def tool_constructor(self) -> BaseTool:
        return create_remember_tool(memory(), entity_id="alice")

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"fact": "User plays the cello."}


class _Forget:
    @property
    def tool_constructor(self) -> BaseTool:
        return create_forget_tool(memory(), entity_id="alice")

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"fact": FACT}


class TestRecallUnit(_Recall, ToolsUnitTests): ...


class TestRecallIntegration(_Recall, ToolsIntegrationTests): ...


class TestRememberUnit(_Remember, ToolsUnitTests): ...


class TestRememberIntegration(_Remember, ToolsIntegrationTests): ...


class TestForgetUnit(_Forget, ToolsUnitTests): ...


class TestForgetIntegration(_Forget, ToolsIntegrationTests): ...


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("entity_id", [None, "alice"])
def test_no_schema_asks_the_model_whose_memory(memori, make, entity_id):
    tool = make(memori, entity_id=entity_id)
    assert list(tool.args) in (["query"], ["fact"])
    schema = json.dumps(convert_to_openai_tool(tool))
    assert "runtime" not in schema
    assert "alice" not in schema
    assert "entity" not in schema


async def test_recall_shows_the_block_or_says_that_there_is_nothing(memori):
    memori.scoped("alice").remember(FACT)
    tool = create_recall_tool(memori, entity_id="alice")
    assert "- User is allergic to peanuts. Stated at" in tool.invoke({"query": "peanuts"})
    assert await tool.ainvoke({"query": "peanuts"}) == tool.invoke({"query": "peanuts"})
    assert tool.invoke({"query": "trains"}) == "Nothing is remembered about that."
    assert await tool.ainvoke({"query": ""}) == "Nothing is remembered about that."


async def test_remember_stores_one_fact(memori):
    tool = create_remember_tool(memori, entity_id="alice")
    assert tool.invoke({"fact": " User plays the cello. "}) == "Remembered."
    assert await tool.ainvoke({"fact": "User plays chess."}) == "Remembered."
    assert "empty" in tool.invoke({"fact": " "})
    stored = [fact.content for fact in memori.scoped("alice").list()]
    assert stored == ["User plays the cello.", "User plays chess."]


async def test_forget_deletes_what_is_named_word_for_word(memori):
    alice = memori.scoped("alice")
    alice.remember_many([FACT, "User is allergic to peanuts in spring.", "User plays chess."])
    tool = create_forget_tool(memori, entity_id="alice")
    assert "Similar" in tool.invoke({"fact": "peanuts"})
    assert len(alice.list()) == 3
    assert (
        tool.invoke({"fact": "- User is allergic to PEANUTS. Stated at 2026-05-01"}) == "Forgotten."
    )
    assert await tool.ainvoke({"fact": "User plays chess"}) == "Forgotten."
    assert [fact.content for fact in alice.list()] == ["User is allergic to peanuts in spring."]
    assert "Nothing was forgotten" in await tool.ainvoke({"fact": "User plays chess"})


def test_forget_reaches_the_message_and_what_was_made_of_it(memori):
    alice = memori.scoped("alice")
    alice.capture("I live in Porto.")
    memori.flush()
    found = alice.recall("Where in Porto do I live?")
    assert found
    tool = create_forget_tool(memori, entity_id="alice")
    line = found.context.splitlines()[2]
    assert tool.invoke({"fact": line}) == "Forgotten."
    assert not alice.recall("Where in Porto do I live?", strictness=0)


def run(memori: Memori, model: Any, call: Any, tool: BaseTool, arguments: Any, **how: Any) -> str:
    fake = model(call(tool.name, **arguments), "Done.")
    out = create_agent(fake, tools=[tool], context_schema=dict).invoke({"messages": "?"}, **how)
    return next(str(m.text) for m in out["messages"] if m.type == "tool")


@pytest.mark.parametrize(
    "how",
    [
        {"context": {"user_id": "alice"}},
        {"config": {"configurable": {"user_id": "alice"}}},
        {"config": {"metadata": {"user_id": "alice"}}},
    ],
)
def test_whose_memory_is_the_runs_business(memori, model, call, how):
    memori.scoped("alice").remember(FACT)
    recall = create_recall_tool(memori)
    assert "allergic" in run(memori, model, call, recall, {"query": "peanuts"}, **how)
    other = run(memori, model, call, recall, {"query": "peanuts"}, context={"user_id": "bob"})
    assert other == "Nothing is remembered about that."
    # What a model makes up beside the arguments that there are changes nothing.
    forged = {"query": "peanuts", "entity_id": "alice", "user_id": "alice"}
    assert run(memori, model, call, recall, forged, context={"user_id": "bob"}) == other


async def test_async_agents_call_them_for_the_runs_user(memori, model, call):
    tools = [make(memori) for make in MAKERS]
    for name in ("alice", "bob"):
        fake = model(
            call("remember", "1", fact=f"User is {name} and plays the cello."),
            call("recall_memory", "2", query="cello"),
            call("forget", "3", fact=f"User is {name} and plays the cello."),
            call("recall_memory", "4", query="cello"),
            "Done.",
        )
        agent = create_agent(fake, tools=tools, context_schema=dict)
        out = await agent.ainvoke({"messages": "?"}, context={"user_id": name})
        told = [str(m.text) for m in out["messages"] if m.type == "tool"]
        assert told[0] == "Remembered."
        assert f"- User is {name} and plays the cello. Stated at" in told[1]
        assert told[2:] == ["Forgotten.", "Nothing is remembered about that."]


def test_nobody_named_is_said_to_the_model_and_logged_once(memori, model, call, caplog):
    tools = [make(memori) for make in MAKERS]
    with caplog.at_level(logging.WARNING):
        for tool in tools:
            arguments = {next(iter(tool.args)): "peanuts"}
            told = run(memori, model, call, tool, arguments)
            assert told == "Memory is not available right now."
    assert memori.entities() == []
    assert len([r for r in caplog.records if "nobody is named" in r.getMessage()]) == 1


def _broken(texts: list[str]) -> list[list[float]]:
    raise RuntimeError("the model is gone")


async def test_a_failing_memory_is_said_to_the_model():
    with Memori(InMemoryStore(), embedder=_broken) as memori:
        for make in MAKERS:
            tool = make(memori, entity_id="alice")
            arguments = {next(iter(tool.args)): "peanuts"}
            assert tool.invoke(arguments) == "Memory is not available right now."
            assert await tool.ainvoke(arguments) == "Memory is not available right now."
            strict = make(memori, entity_id="alice", on_error="raise")
            with pytest.raises(Exception, match="the model is gone"):
                strict.invoke(arguments)


@pytest.mark.parametrize("nobody", [None, "", " ", True, ["alice"]])
def test_a_tool_in_a_run_of_nobody_does_not_end_the_run(memori, model, call, nobody):
    fake = model(call("remember", fact=FACT), "done")
    agent = create_agent(fake, tools=[create_remember_tool(memori)], context_schema=dict)
    out = agent.invoke({"messages": "Remember it."}, context={"user_id": nobody})
    assert "not available" in out["messages"][-2].text
    assert memori.entities() == []


async def test_a_tool_does_not_wait_for_a_memory_that_hangs(monkeypatch):
    monkeypatch.setattr(hooks, "ATTEMPT_LIMIT_S", 0.1)
    release = threading.Event()

    def hang(texts: list[str]) -> list[list[float]]:
        release.wait(20)
        return [[1.0, 0.0] for _ in texts]

    with Memori(InMemoryStore(), embedder=hang) as memori:
        try:
            for maker, given in ((create_remember_tool, FACT), (create_forget_tool, FACT)):
                tool = maker(memori, entity_id="alice")
                started = time.monotonic()
                assert "not available" in tool.invoke({"fact": given})
                assert "not available" in await tool.ainvoke({"fact": given})
                assert time.monotonic() - started < 5
        finally:
            release.set()
