"""`MemoriMiddleware` under `create_agent`: recall, capture, identity, and how runs end."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    HumanInTheLoopMiddleware,
    ModelRetryMiddleware,
    PIIMiddleware,
    SummarizationMiddleware,
)
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import tool
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel

from memori_core import InMemoryStore, Memori, Scope
from memori_core.errors import ConfigError, EmbeddingError, ScopeError
from memori_core.testing import FakeEmbedder
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


# ---------------------------------------------------------------------------- recall and capture


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


def test_on_disk_and_by_meaning(tmp_path, model):
    with Memori(tmp_path / "m.db", embedder=FakeEmbedder()) as memori:
        agent = make_agent(model("Noted."), MemoriMiddleware(memori))
        agent.invoke({"messages": PEANUTS}, context=alice())
        memori.flush()
    with Memori(tmp_path / "m.db", embedder=FakeEmbedder()) as memori:  # another day
        agent = make_agent(model(), MemoriMiddleware(memori))
        out = agent.invoke({"messages": ASK}, context=alice())
        assert FACT in out["messages"][-1].text


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


# -------------------------------------------------------------------------------------- identity


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
    with pytest.raises(ScopeError, match=r"nobody is named.*user_id"):
        agent.invoke({"messages": PEANUTS})
    with pytest.raises(ScopeError, match=r"nobody is named.*user_id"):
        agent.invoke({"messages": PEANUTS}, context={"user_id": ""})
    assert fake.prompts == []
    assert memori.entities() == []


async def test_missing_identity_can_be_skipped_with_one_warning(memori, model, caplog):
    plain, ours = model(), model()
    create_agent(plain).invoke({"messages": [HumanMessage(PEANUTS, id="1")]})
    agent = make_agent(ours, MemoriMiddleware(memori, on_missing_identity="skip"))
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            agent.invoke({"messages": [HumanMessage(PEANUTS, id="1")]})
        await agent.ainvoke({"messages": [HumanMessage(PEANUTS, id="1")]})
    assert ours.prompts == plain.prompts * 4
    assert memori.entities() == []
    assert len([r for r in caplog.records if "nobody is named" in r.getMessage()]) == 1


@pytest.mark.parametrize("nobody", [None, "", "  "])
def test_an_anonymous_run_never_falls_back_to_somebody_else(model, nobody):
    with Memori(InMemoryStore(), embedder=None, scope=Scope("owner")) as memori:
        skipping = make_agent(model(), MemoriMiddleware(memori, on_missing_identity="skip"))
        strict = make_agent(model(), MemoriMiddleware(memori))
        with memori.attribution("somebody"):
            skipping.invoke({"messages": PEANUTS}, context={"user_id": nobody})
            with pytest.raises(ScopeError, match="nobody is named"):
                strict.invoke({"messages": PEANUTS}, context={"user_id": nobody})
        assert memori.entities() == []
        config = {"metadata": {"user_id": "alice"}}  # a later place may still name them
        skipping.invoke({"messages": PEANUTS}, config, context={"user_id": nobody})
        memori.flush()
        assert memori.entities() == ["alice"]


@pytest.mark.parametrize("no_id", [True, ["alice"], b"alice"])
def test_what_is_no_id_is_skipped_and_counted(memori, model, no_id):
    agent = make_agent(model("ok"), MemoriMiddleware(memori, on_missing_identity="skip"))
    out = agent.invoke({"messages": PEANUTS}, context={"user_id": no_id})
    assert out["messages"][-1].text == "ok"
    memori.flush()
    assert memori.entities() == []
    assert memori.stats()["identity_failed"] >= 1
    with pytest.raises(ScopeError, match="must be an id"):
        make_agent(model(), MemoriMiddleware(memori)).invoke(
            {"messages": PEANUTS}, context={"user_id": no_id}
        )


def test_bad_arguments_are_refused(memori):
    with pytest.raises(ConfigError, match="capture"):
        MemoriMiddleware(memori, capture=True)
    with pytest.raises(ConfigError, match="on_missing_identity"):
        MemoriMiddleware(memori, on_missing_identity="ignore")
    with pytest.raises(ConfigError, match="limit"):
        MemoriMiddleware(memori, k=-1)
    with pytest.raises(ConfigError, match="where"):
        MemoriMiddleware(memori, where={"a b": 1})
    with pytest.raises(ScopeError):
        MemoriMiddleware(memori, entity_id=" ")
    with pytest.raises(ConfigError, match="must be a Memori"):
        MemoriMiddleware("memories.db")


# --------------------------------------------------------------------------------- how runs end


def test_a_stream_is_captured_when_it_is_read_to_its_end(memori, model, said):
    memori.scoped("alice").remember(FACT)
    agent = make_agent(model(), MemoriMiddleware(memori))
    tokens = [
        chunk.text
        for chunk, _ in agent.stream({"messages": ASK}, context=alice(), stream_mode="messages")
    ]
    assert len(tokens) > 3
    assert FACT in "".join(tokens)
    assert "memori_context" not in "".join(tokens)
    assert said("alice")[0] == ("user", ASK)
    assert FACT in said("alice")[1][1]


async def test_an_async_stream_and_its_events(memori, model, said):
    memori.scoped("alice").remember(FACT)
    agent = make_agent(model(), MemoriMiddleware(memori))
    tokens = [
        chunk.text
        async for chunk, _ in agent.astream(
            {"messages": ASK}, context=alice(), stream_mode="messages"
        )
    ]
    assert FACT in "".join(tokens)
    ends = [
        event["data"]["output"].text
        async for event in agent.astream_events(
            {"messages": ASK}, version="v2", context=alice("bob")
        )
        if event["event"] == "on_chat_model_end"
    ]
    assert ends == ["I know nothing."]
    assert FACT in said("alice")[1][1]
    assert said("bob") == [("user", ASK), ("assistant", "I know nothing.")]


def test_an_abandoned_stream_is_not_captured(memori, model, said):
    agent = make_agent(model("one two three four"), MemoriMiddleware(memori))
    stream = agent.stream({"messages": ASK}, context=alice(), stream_mode="messages")
    assert next(stream)
    stream.close()
    assert said("alice") == []


@tool
def look(x: int) -> str:
    """Look around.

    Args:
        x: Where.
    """
    return f"a wall at {x}"


def test_a_tool_loop_is_one_turn(memori, model, call, said):
    fake = model(call("look", "1", "Let me look.", x=1), call("look", "2", x=2), "Two walls.")
    agent = make_agent(fake, MemoriMiddleware(memori), tools=[look])
    agent.invoke({"messages": "What do you see?"}, context=alice())
    assert said("alice") == [("user", "What do you see?"), ("assistant", "Two walls.")]


class Snack(BaseModel):
    """A snack."""

    name: str


def test_structured_output_captures_what_the_user_said(memori, model, call, said):
    memori.scoped("alice").remember(FACT)
    fake = model(call("Snack", name="an apple"))
    agent = make_agent(fake, MemoriMiddleware(memori), response_format=ToolStrategy(Snack))
    out = agent.invoke({"messages": ASK}, context=alice())
    assert out["structured_response"] == Snack(name="an apple")
    assert FACT in systems(fake.prompts[0])[0]
    assert said("alice") == [("user", ASK)]


def test_turns_without_a_text_for_an_answer_are_not_stored_again(memori, model, call, said):
    fake = model(call("Snack", name="an apple"), "", call("Snack", "2", name="a pear"))
    middleware = MemoriMiddleware(memori)
    strategy = ToolStrategy(Snack)
    saver = InMemorySaver()
    snacks = make_agent(fake, middleware, response_format=strategy, checkpointer=saver)
    plain = make_agent(fake, middleware, checkpointer=saver)
    snacks.invoke({"messages": "One?"}, thread("t"), context=alice())
    plain.invoke({"messages": "Two?"}, thread("t"), context=alice())
    snacks.invoke({"messages": "Three?"}, thread("t"), context=alice())
    assert said("alice") == [("user", "One?"), ("user", "Two?"), ("user", "Three?")]


def approved() -> Command[Any]:
    return Command(resume={"decisions": [{"type": "approve"}]})


def interrupted(memori: Memori, fake: Any, **options: Any) -> Any:
    approval = HumanInTheLoopMiddleware(interrupt_on={"look": True})
    return make_agent(
        fake,
        [MemoriMiddleware(memori, **options), approval],
        tools=[look],
        checkpointer=InMemorySaver(),
    )


def test_a_resumed_run_recalls_again_and_is_captured_once(memori, model, call, said):
    memori.scoped("alice").remember(FACT)
    fake = model(call("look", x=1), call("look", "2", x=2), "A wall.")
    agent = interrupted(memori, fake)
    out = agent.invoke({"messages": ASK}, thread("t"), context=alice())
    assert "__interrupt__" in out
    assert said("alice") == []  # it goes on, so it is not over
    agent.invoke(approved(), thread("t"), context=alice())
    agent.invoke(approved(), thread("t"), context=alice())
    assert [FACT in systems(p)[0] for p in fake.prompts] == [True, True, True]
    assert said("alice") == [("user", ASK), ("assistant", "A wall.")]


async def test_a_resumed_run_recalls_once_for_all_that_follows(memori, model, call, said):
    memori.scoped("alice").remember(FACT)

    @tool
    def walk() -> str:
        """Walk on."""
        return "further"

    fake = model(call("look", x=1), call("walk", "2"), call("walk", "3"), "A wall.")
    agent = make_agent(
        fake,
        [MemoriMiddleware(memori), HumanInTheLoopMiddleware(interrupt_on={"look": True})],
        tools=[look, walk],
        checkpointer=InMemorySaver(),
    )
    await agent.ainvoke({"messages": ASK}, thread("t"), context=alice())
    assert memori.stats()["calls"] == 1
    await agent.ainvoke(approved(), thread("t"), context=alice())
    assert [FACT in systems(p)[0] for p in fake.prompts] == [True] * 4
    assert memori.stats()["calls"] == 2
    assert said("alice") == [("user", ASK), ("assistant", "A wall.")]


def test_words_left_unanswered_belong_to_the_next_turn(memori, model, call, said):
    fake = model(call("look", x=1), "Hello.")
    agent = interrupted(memori, fake)
    agent.invoke({"messages": PEANUTS}, thread("t"), context=alice())
    agent.update_state(thread("t"), {"messages": [HumanMessage("Never mind, hello!")]})
    state = agent.get_state(thread("t")).values["messages"]
    agent = make_agent(fake, MemoriMiddleware(memori))
    agent.invoke({"messages": state}, context=alice())
    assert said("alice") == [
        ("user", PEANUTS),
        ("user", "Never mind, hello!"),
        ("assistant", "Hello."),
    ]


def test_retries_outside_us_do_not_recall_again(memori, model, said):
    memori.scoped("alice").remember(FACT)
    fake = model(RuntimeError("busy"), RuntimeError("busy"), "Here.")
    retry = ModelRetryMiddleware(max_retries=3, initial_delay=0, jitter=False)
    agent = make_agent(fake, [retry, MemoriMiddleware(memori)])
    agent.invoke({"messages": ASK}, context=alice())
    assert memori.stats()["calls"] == 1
    assert [FACT in systems(p)[0] for p in fake.prompts] == [True] * 3
    assert said("alice") == [("user", ASK), ("assistant", "Here.")]


def test_a_failed_run_is_not_captured_but_its_words_are_with_the_next(memori, model, said):
    fake = model(RuntimeError("down"), "Hello.")
    agent = make_agent(fake, MemoriMiddleware(memori), checkpointer=InMemorySaver())
    with pytest.raises(RuntimeError, match="down"):
        agent.invoke({"messages": PEANUTS}, thread("t"), context=alice())
    assert said("alice") == []
    agent.invoke({"messages": "Are you there?"}, thread("t"), context=alice())
    assert said("alice") == [
        ("user", PEANUTS),
        ("user", "Are you there?"),
        ("assistant", "Hello."),
    ]


async def test_a_cancelled_run_is_not_captured(memori, model, said):
    asked = asyncio.Event()

    class Asked(AsyncCallbackHandler):
        async def on_chat_model_start(self, *args: Any, **kwargs: Any) -> None:
            asked.set()

    agent = make_agent(model(delay_s=30), MemoriMiddleware(memori))
    watched = {"callbacks": [Asked()]}
    run = asyncio.create_task(agent.ainvoke({"messages": PEANUTS}, watched, context=alice()))
    await asyncio.wait_for(asked.wait(), 10)
    assert memori.stats()["calls"] == 1  # it recalled, and waits for the model
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert said("alice") == []


def test_the_same_turn_is_stored_once(memori, model, said):
    agent = make_agent(model("Noted.", "Noted."), MemoriMiddleware(memori))
    for _ in range(2):  # the caller tries again, with the same message
        agent.invoke({"messages": [HumanMessage(PEANUTS, id="m1")]}, context=alice())
    assert said("alice") == [("user", PEANUTS), ("assistant", "Noted.")]
    fresh = make_agent(model("Noted."), MemoriMiddleware(memori))
    fresh.invoke({"messages": [HumanMessage("I play the cello.", id="m1")]}, context=alice())
    assert ("user", "I play the cello.") in said("alice")  # an id used twice loses nothing


def test_b62_a_history_that_is_passed_whole_every_time_is_stored_once(memori, model, said):
    agent = make_agent(model(), MemoriMiddleware(memori, recall=False))
    history: list[Any] = []
    for n in range(3):
        history.append(HumanMessage(f"Question {n}"))
        history = agent.invoke({"messages": history}, context=alice())["messages"]
        history = [type(m)(m.content) for m in history]  # without ids, as from a file
    assert [role for role, _ in said("alice")] == ["user", "assistant"] * 3
    assert [text for role, text in said("alice") if role == "user"] == [
        f"Question {n}" for n in range(3)
    ]


def test_b62_block_content_is_captured_as_its_text(memori, model, said):
    blocks: list[Any] = [
        {"type": "text", "text": "a"},
        {"type": "thinking", "thinking": "hm", "signature": "s"},
    ]
    agent = make_agent(model(AIMessage(blocks)), MemoriMiddleware(memori))
    asked: list[Any] = [
        {"type": "text", "text": PEANUTS},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    agent.invoke({"messages": [HumanMessage(asked)]}, context=alice())
    assert said("alice") == [("user", f"{PEANUTS}\n[image]"), ("assistant", "a")]


def test_summaries_are_neither_question_nor_said_by_the_user(memori, model, said):
    memori.scoped("alice").remember(FACT)
    fake, summariser = model("ok"), model("SUMMARY of what was said about peanuts.")
    summarise = SummarizationMiddleware(
        model=summariser, trigger=("messages", 4), keep=("messages", 1)
    )
    agent = make_agent(fake, [summarise, MemoriMiddleware(memori)])
    history = [HumanMessage("h1"), AIMessage("a1"), HumanMessage("h2"), AIMessage("a2")]
    agent.invoke({"messages": [*history, HumanMessage(ASK)]}, context=alice())
    assert any("SUMMARY" in m.text for m in fake.prompts[0])
    assert FACT in systems(fake.prompts[0])[0]
    assert said("alice") == [("user", ASK), ("assistant", "ok")]


def test_a_long_run_whose_question_was_summarised_away_is_captured(memori, model, call, said):
    summarise = SummarizationMiddleware(
        model=model(*["SUMMARY"] * 9), trigger=("messages", 4), keep=("messages", 2)
    )
    fake = model(*(call("look", str(n), x=n) for n in range(4)), "Four walls.")
    agent = make_agent(fake, [summarise, MemoriMiddleware(memori)], tools=[look])
    out = agent.invoke({"messages": PEANUTS}, context=alice())
    assert PEANUTS not in [m.text for m in out["messages"]]
    assert said("alice") == [("user", PEANUTS), ("assistant", "Four walls.")]


def test_what_another_middleware_redacts_is_captured_redacted(memori, model, said):
    agent = make_agent(model("Noted."), [PIIMiddleware("email"), MemoriMiddleware(memori)])
    agent.invoke({"messages": "Write to eve@example.com, please."}, context=alice())
    assert said("alice") == [
        ("user", "Write to [REDACTED_EMAIL], please."),
        ("assistant", "Noted."),
    ]


def test_100_users_in_threads_never_mix(memori, model, said):
    for n in range(100):
        memori.scoped(f"user-{n}").remember(f"User keeps secret number s{n}e.")
    agent = make_agent(model(), MemoriMiddleware(memori))

    def one(n: int) -> str:
        out = agent.invoke({"messages": f"Which secret, {n}?"}, context=alice(f"user-{n}"))
        return str(out["messages"][-1].text)

    with ThreadPoolExecutor(32) as threads:
        answers = list(threads.map(one, range(100)))
    assert [f"s{n}e" in a and a.count("secret") == 1 for n, a in enumerate(answers)] == [True] * 100
    assert all(len(said(f"user-{n}")) == 2 for n in range(100))


# --------------------------------------------------------------------------- side by side, at once


async def test_100_users_at_once_on_one_middleware_never_mix(memori, model, said):
    for n in range(100):
        memori.scoped(f"user-{n}").remember(f"User keeps secret number s{n}e.")
    agent = make_agent(model(delay_s=0.001), MemoriMiddleware(memori))

    async def one(n: int) -> str:
        out = await agent.ainvoke({"messages": f"Which secret, {n}?"}, context=alice(f"user-{n}"))
        return str(out["messages"][-1].text)

    answers = await asyncio.gather(*(one(n) for n in range(100)))
    assert [f"s{n}e" in a and a.count("secret") == 1 for n, a in enumerate(answers)] == [True] * 100
    for n in range(100):
        assert said(f"user-{n}") == [("user", f"Which secret, {n}?"), ("assistant", answers[n])]


def test_two_instances_stand_side_by_side(memori, model, said):
    with Memori(InMemoryStore(), embedder=None) as team:
        memori.scoped("alice").remember(FACT)
        team.scoped("team").remember("Peanuts are banned in the office.")
        ours = MemoriMiddleware(memori)
        theirs = MemoriMiddleware(team, entity_id="team", capture=False, name="team_memory")
        fake = model()
        agent = make_agent(fake, [ours, theirs])
        answer = agent.invoke({"messages": ASK}, context=alice())["messages"][-1].text
        assert FACT in answer
        assert "banned in the office" in answer
        assert systems(fake.prompts[0])[0].count("<memori_context>") == 2
        assert len(said("alice")) == 2
        assert team.scoped("team").messages() == []


def test_two_instances_both_recall_again_after_an_interrupt(memori, model, call, said):
    with Memori(InMemoryStore(), embedder=None) as team:
        memori.scoped("alice").remember(FACT)
        team.scoped("team").remember("Peanuts are banned in the office.")
        theirs = MemoriMiddleware(team, entity_id="team", capture=False, name="team_memory")
        fake = model(call("look", "1", x=1), call("look", "2", x=2), "A wall.")
        approval = HumanInTheLoopMiddleware(interrupt_on={"look": True})
        agent = make_agent(
            fake,
            [MemoriMiddleware(memori), theirs, approval],
            tools=[look],
            checkpointer=InMemorySaver(),
        )
        agent.invoke({"messages": ASK}, thread("t"), context=alice())
        agent.invoke(approved(), thread("t"), context=alice())
        agent.invoke(approved(), thread("t"), context=alice())
        shown = [systems(prompt)[0] for prompt in fake.prompts]
        assert [FACT in text and "banned" in text for text in shown] == [True] * 3
        assert said("alice") == [("user", ASK), ("assistant", "A wall.")]


def _broken(texts: list[str]) -> list[list[float]]:
    raise RuntimeError("the model is gone")


async def test_a_failing_recall_does_not_end_the_run(model, caplog):
    with Memori(InMemoryStore(), embedder=_broken, extractor=None) as memori:
        agent = make_agent(model("ok", "ok"), MemoriMiddleware(memori))
        with caplog.at_level(logging.WARNING):
            assert agent.invoke({"messages": ASK}, context=alice())["messages"][-1].text == "ok"
            out = await agent.ainvoke({"messages": ASK}, context=alice())
        assert out["messages"][-1].text == "ok"
        assert len([r for r in caplog.records if "memory failed (recall)" in r.getMessage()]) == 1
        assert memori.stats()["recall_failed"] == 2
        strict = make_agent(model("ok"), MemoriMiddleware(memori, on_error="raise"))
        with pytest.raises(EmbeddingError, match="the model is gone"):
            strict.invoke({"messages": ASK}, context=alice())


# ------------------------------------------------------------------------------------------- tools


def test_tools_for_the_model_are_about_the_runs_user(memori, model, call, said):
    memori.scoped("alice").remember(FACT)
    middleware = MemoriMiddleware(memori, recall=False, tools=True)
    assert {t.name: list(t.args) for t in middleware.tools} == {
        "recall_memory": ["query"],
        "remember": ["fact"],
    }
    script: list[Callable[[], Any]] = [
        lambda: call("recall_memory", "1", query="peanuts"),
        lambda: call("remember", "2", fact="User plays the cello."),
        lambda: "Done.",
    ]
    for name in ("alice", "bob"):
        agent = make_agent(model(*(make() for make in script)), middleware)
        out = agent.invoke({"messages": "Look."}, thread("t"), context=alice(name))
        told = [m.text for m in out["messages"] if m.type == "tool"]
        assert (FACT in told[0]) is (name == "alice")
        assert told[1] == "Remembered."
        assert "User plays the cello." in [f.content for f in memori.scoped(name).list()]


def test_without_the_option_the_model_gets_no_tools(memori):
    assert MemoriMiddleware(memori).tools == []
