"""`MemoriMiddleware` under `create_agent`: recall, capture, identity, and how runs end."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    HumanInTheLoopMiddleware,
    ModelRetryMiddleware,
    SummarizationMiddleware,
)
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import tool
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel

from memori_core import InMemoryStore, Memori
from memori_core.errors import ConfigError, EmbeddingError, ScopeError
from memori_langchain import MemoriMiddleware

PEANUTS = "I am allergic to peanuts."
ASK = "What about peanuts?"
FACT = "User is allergic to peanuts"


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


def alice(name: str = "alice") -> dict[str, str]:
    return {"user_id": name}


def make_agent(model: Any, middleware: Any, **options: Any) -> Any:
    several = middleware if isinstance(middleware, list) else [middleware]
    return create_agent(model, middleware=several, context_schema=dict, **options)


def systems(prompt: list[Any]) -> list[str]:
    return [str(m.text) for m in prompt if m.type == "system"]


# ------------------------------------------------------------------------------- recall and capture


def test_told_in_one_thread_answered_in_another_and_nobody_else(memori, model, said):
    fake = model("Noted.")
    agent = make_agent(fake, MemoriMiddleware(memori), checkpointer=InMemorySaver())
    agent.invoke({"messages": PEANUTS}, thread("t1"), context=alice())
    memori.flush()
    told = agent.invoke({"messages": ASK}, thread("t2"), context=alice())
    other = agent.invoke({"messages": ASK}, thread("t3"), context=alice("bob"))
    assert FACT in told["messages"][-1].text
    assert other["messages"][-1].text == "I know nothing."
    assert said("alice", "t1") == [("user", PEANUTS), ("assistant", "Noted.")]
    assert said("alice", "t2")[0] == ("user", ASK)
    assert said("bob") == [("user", ASK), ("assistant", "I know nothing.")]


async def test_the_same_without_blocking(memori, model, said):
    agent = make_agent(model("Noted."), MemoriMiddleware(memori), checkpointer=InMemorySaver())
    await agent.ainvoke({"messages": PEANUTS}, thread("t1"), context=alice())
    await memori.aflush()
    told = await agent.ainvoke({"messages": ASK}, thread("t2"), context=alice())
    other = await agent.ainvoke({"messages": ASK}, thread("t3"), context=alice("bob"))
    assert FACT in told["messages"][-1].text
    assert other["messages"][-1].text == "I know nothing."
    assert said("alice", "t1") == [("user", PEANUTS), ("assistant", "Noted.")]


def test_nothing_of_ours_is_in_output_checkpoint_or_what_is_stored(memori, model, said):
    memori.scoped("alice").remember(FACT)
    saver = InMemorySaver()
    agent = make_agent(model(), MemoriMiddleware(memori), checkpointer=saver)
    out = agent.invoke({"messages": ASK}, thread("t"), context=alice())
    assert set(out) == {"messages"}
    assert [m.type for m in out["messages"]] == ["human", "ai"]
    kept = repr(list(saver.list(thread("t")))) + repr(saver.storage) + repr(saver.writes)
    assert "memori_context" not in kept
    assert "InMemoryStore" not in kept
    assert "memori_recalled" not in saver.get(thread("t"))["channel_values"]
    assert "memori_context" not in json.dumps(said("alice"))


@pytest.mark.parametrize(
    ("prompt", "content"),
    [
        (None, None),
        ("Be kind.", "Be kind."),
        (SystemMessage([{"type": "text", "text": "Be kind."}]), [{"type": "text"}]),
    ],
)
def test_the_block_stands_behind_the_system_prompt(memori, model, prompt, content):
    memori.scoped("alice").remember(FACT)
    fake = model()
    agent = make_agent(fake, MemoriMiddleware(memori), system_prompt=prompt)
    agent.invoke({"messages": ASK}, context=alice())
    (first,) = [m for m in fake.prompts[0] if m.type == "system"]
    assert fake.prompts[0][0] is first
    assert first.text.rstrip().endswith("</memori_context>")
    if content is not None:
        assert first.text.startswith("Be kind.")
    if isinstance(prompt, SystemMessage):
        assert [part["type"] for part in first.content] == ["text", "text"]
        assert prompt.content == [{"type": "text", "text": "Be kind."}]  # not changed


def test_recall_once_per_run_however_often_the_model_is_called(memori, model, call):
    @tool
    def look() -> str:
        """Look around."""
        return "a wall"

    memori.scoped("alice").remember(FACT)
    fake = model(call("look"), call("look", "2"), "Done.")
    agent = make_agent(fake, MemoriMiddleware(memori), tools=[look])
    agent.invoke({"messages": ASK}, context=alice())
    assert memori.stats()["calls"] == 1
    assert [FACT in systems(p)[0] for p in fake.prompts] == [True, True, True]


def test_b71_with_both_switches_off_the_prompt_equals_one_without_us(memori, model, said):
    memori.scoped("alice").remember(FACT)
    plain, ours = model(), model()
    create_agent(plain, system_prompt="Be kind.").invoke({"messages": [HumanMessage(ASK, id="1")]})
    middleware = MemoriMiddleware(memori, recall=False, capture=False)
    agent = create_agent(ours, system_prompt="Be kind.", middleware=[middleware])
    agent.invoke({"messages": [HumanMessage(ASK, id="1")]})  # nobody is named, and need not be
    assert ours.prompts == plain.prompts
    assert said("alice") == []


def test_b71_recall_off_captures_only(memori, model, said):
    memori.scoped("alice").remember(FACT)
    plain, ours = model(), model()
    create_agent(plain).invoke({"messages": [HumanMessage(ASK, id="1")]})
    agent = make_agent(ours, MemoriMiddleware(memori, recall=False))
    agent.invoke({"messages": [HumanMessage(ASK, id="1")]}, context=alice())
    assert ours.prompts == plain.prompts
    assert said("alice") == [("user", ASK), ("assistant", "I know nothing.")]


def test_b71_capture_off_recalls_only(memori, model, said):
    memori.scoped("alice").remember(FACT)
    agent = make_agent(model(), MemoriMiddleware(memori, capture=False))
    out = agent.invoke({"messages": ASK}, context=alice())
    assert FACT in out["messages"][-1].text
    assert said("alice") == []


def test_capture_of_the_user_only(memori, model, said):
    agent = make_agent(model("Noted."), MemoriMiddleware(memori, capture="user"))
    agent.invoke({"messages": PEANUTS}, context=alice())
    assert said("alice") == [("user", PEANUTS)]


def test_options_reach_the_recall(memori, model):
    memory = memori.scoped("alice")
    memory.remember_many(
        [{"content": f"User likes tea number {n}.", "metadata": {"of": n % 2}} for n in range(9)]
    )
    fake = model()
    agent = make_agent(fake, MemoriMiddleware(memori, k=3, strictness=0, where={"of": 1}))
    agent.invoke({"messages": "Which tea?"}, context=alice())
    lines = [line for line in systems(fake.prompts[0])[0].splitlines() if line.startswith("- ")]
    assert len(lines) == 3
    assert all(int(line.split("number ")[1][0]) % 2 for line in lines)


# ------------------------------------------------------------------------------------------ identity


@dataclass
class Context:
    user_id: str


def named(agent: Any, **how: Any) -> str:
    return agent.invoke({"messages": ASK}, **how)["messages"][-1].text


def test_identity_comes_from_the_first_place_that_names_it(memori, model):
    for name in ("constructor", "context", "configurable", "metadata", "attribution"):
        memori.scoped(name).remember(f"User is allergic to peanuts and is {name}.")
    agent = make_agent(model(), MemoriMiddleware(memori))
    fixed = make_agent(model(), MemoriMiddleware(memori, entity_id="constructor"))
    config = {"configurable": {"user_id": "configurable"}, "metadata": {"user_id": "metadata"}}
    with memori.attribution("attribution"):
        assert "is constructor" in named(fixed, config=config, context=alice("context"))
        assert "is context" in named(agent, config=config, context=alice("context"))
        assert "is configurable" in named(agent, config=config)
        assert "is metadata" in named(agent, config={"metadata": {"user_id": "metadata"}})
        assert "is attribution" in named(agent)


def test_identity_of_other_shapes_and_names(memori, model, said):
    agent = create_agent(model(), middleware=[MemoriMiddleware(memori)], context_schema=Context)
    agent.invoke({"messages": PEANUTS}, context=Context("alice"))
    assert said("alice")[0] == ("user", PEANUTS)
    agent = make_agent(model(), MemoriMiddleware(memori, entity_key="tenant"))
    agent.invoke({"messages": PEANUTS}, context={"tenant": 7})
    assert said("7")[0] == ("user", PEANUTS)


def test_missing_identity_ends_the_run_before_the_model_is_called(memori, model, said):
    fake = model()
    agent = make_agent(fake, MemoriMiddleware(memori))
    with pytest.raises(ScopeError, match="nobody is named.*user_id"):
        agent.invoke({"messages": PEANUTS})
    with pytest.raises(ScopeError, match="must be an id, got ''"):
        agent.invoke({"messages": PEANUTS}, context={"user_id": ""})
    assert fake.prompts == []
    assert memori.entities() == []


async def test_missing_identity_can_be_skipped_with_one_warning(memori, model, caplog):
    plain, ours = model(), model()
    create_agent(plain).invoke({"messages": [HumanMessage(PEANUTS, id="1")]})
    agent = make_agent(ours, MemoriMiddleware(memori, missing="skip"))
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            agent.invoke({"messages": [HumanMessage(PEANUTS, id="1")]})
        await agent.ainvoke({"messages": [HumanMessage(PEANUTS, id="1")]})
    assert ours.prompts == plain.prompts * 4
    assert memori.entities() == []
    assert len([r for r in caplog.records if "nobody is named" in r.getMessage()]) == 1


def test_bad_arguments_are_refused(memori):
    with pytest.raises(ConfigError, match="capture"):
        MemoriMiddleware(memori, capture=True)
    with pytest.raises(ConfigError, match="missing"):
        MemoriMiddleware(memori, missing="ignore")
    with pytest.raises(ScopeError):
        MemoriMiddleware(memori, entity_id=" ")
    with pytest.raises(ConfigError, match="must be a Memori"):
        MemoriMiddleware("memories.db")
