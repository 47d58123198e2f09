"""`MemoriMemoryBlock` inside LlamaIndex's own `Memory`."""

from __future__ import annotations

import asyncio
import copy
import logging
from uuid import UUID

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.core.memory import BaseMemoryBlock, StaticMemoryBlock

from memori_core import InMemoryStore, Memori, Scope
from memori_core.errors import ConfigError, ScopeError
from memori_core.hooks import TAG
from memori_llamaindex import MemoriMemoryBlock
from memori_llamaindex._window import count_tokens

SESSIONS = 100


def said(text: str) -> ChatMessage:
    return ChatMessage(text)


def answer(text: str) -> ChatMessage:
    return ChatMessage(text, role="assistant")


def ping() -> str:
    """Answer a ping."""
    return "pong"


@pytest.fixture
def block(memori: Memori) -> MemoriMemoryBlock:
    return MemoriMemoryBlock(memori, entity_id="alice", on_error="raise")


@pytest.fixture
def peanuts(memori: Memori) -> None:
    memori.scoped("alice").remember("User is allergic to peanuts.", said_at="2026-05-01")


def test_it_is_a_block_of_llama_index(memori):
    assert BaseMemoryBlock.__name__ in [base.__name__ for base in MemoriMemoryBlock.__mro__]
    made = MemoriMemoryBlock(memori=memori, entity_id="alice", name="known", priority=3)
    assert (made.name, made.priority) == ("known", 3)
    assert "memori" not in made.model_dump()
    assert "Memori" not in repr(made).replace("MemoriMemoryBlock", "")


async def test_told_in_one_session_recalled_in_another(
    block, stock_memory, script, turns, recalls, memori
):
    agent = FunctionAgent(llm=script.llm, tools=[ping])
    script.then("Noted.")
    await agent.run("I am allergic to peanuts.", memory=stock_memory(memory_blocks=[block]))
    await memori.aflush()
    script.calls("ping").calls("ping").then("No.")
    await agent.run("Do peanuts suit me?", memory=stock_memory(memory_blocks=[block]))
    for request in script.seen[1:]:
        assert sum((m.content or "").count(f"<{TAG}>") for m in request) == 1
    assert "User is allergic to peanuts" in script.last_text
    assert recalls() == 2  # one a turn, though the block was read 6 times
    assert turns("alice") == [
        [("user", "I am allergic to peanuts."), ("assistant", "Noted.")],
        [("user", "Do peanuts suit me?"), ("assistant", "No.")],
    ]


async def test_a_model_that_fails_leaves_the_users_words(block, stock_memory, script, turns):
    script.then(RuntimeError("llm down"))
    with pytest.raises(RuntimeError):
        await FunctionAgent(llm=script.llm).run(
            "I live in Porto.", memory=stock_memory(memory_blocks=[block])
        )
    assert turns("alice") == [[("user", "I live in Porto.")]]


def test_a_chat_engines_answer_is_captured_with_the_next_message(block, stock_memory, turns):
    engine = SimpleChatEngine.from_defaults(
        llm=MockLLM(max_tokens=1), memory=stock_memory(memory_blocks=[block])
    )
    engine.chat("I live in Porto.")
    assert turns("alice") == [[("user", "I live in Porto.")]]
    engine.chat("Hello.")
    assert turns("alice") == [
        [("user", "I live in Porto."), ("assistant", "text")],
        [("user", "Hello.")],
    ]


def test_b66_a_query_as_text_or_message(block, stock_memory, peanuts):
    """Upstream drops a ChatMessage: then the last message of the user serves."""
    memory = stock_memory(memory_blocks=[block])
    shown = memory.get(input="Do peanuts suit me?")
    assert sum((m.content or "").count("allergic to peanuts") for m in shown) == 1
    assert memory.get(input=said("Do peanuts suit me?")) == []  # upstream gives us nothing to ask
    memory.put(said("Do peanuts suit me?"))
    for given in (said("Do peanuts suit me?"), None, "Do peanuts suit me?"):
        shown = memory.get(input=given)
        assert sum((m.content or "").count("allergic to peanuts") for m in shown) == 1


async def test_nothing_is_known_of_nobodys_words(block, peanuts):
    assert await block.aget(None) == ""
    assert await block.aget([]) == ""
    assert await block.aget([answer("Do peanuts suit you?")]) == ""
    assert await block.aget([said("thanks!")]) == ""


async def test_other_blocks_stand_beside_it(block, stock_memory, peanuts):
    static = StaticMemoryBlock(name="rules", static_content="Be brief.", priority=0)
    memory = stock_memory(memory_blocks=[static, block])
    shown = await memory.aget(input="Do peanuts suit me?")
    assert [m.role.value for m in shown] == ["system"]
    assert "Be brief." in shown[0].content
    assert "allergic to peanuts" in shown[0].content


def test_aput_fires_at_overflow_only_and_is_then_captured_on_request(memori, stock_memory, turns):
    block = MemoriMemoryBlock(memori, entity_id="alice", capture="flushed")
    memory = stock_memory(
        session_id="s1", token_limit=200, token_flush_size=50, memory_blocks=[block]
    )
    memory.put_messages([said("I live in Porto."), answer("Nice.")])
    memory.get()
    assert turns("alice") == []  # this is the honest part
    call = ToolCallBlock(tool_call_id="1", tool_name="ping", tool_kwargs={})
    for n in range(6):
        memory.put_messages(
            [
                said(f"My cat number {n} is Milo{n}. " + "word " * 20),
                ChatMessage(role="assistant", blocks=[call]),
                ChatMessage("pong", role="tool"),
                answer(f"Hello, Milo{n}."),
            ]
        )
    flushed = turns("alice")
    assert flushed[0] == [("user", "I live in Porto."), ("assistant", "Nice.")]
    assert len(flushed) > 2
    assert all([role for role, _ in turn] == ["user", "assistant"] for turn in flushed)
    assert {m.session_id for m in memori.scoped("alice").messages()} == {"s1"}


def test_what_was_seen_is_not_captured_again_at_overflow(memori, stock_memory, turns):
    block = MemoriMemoryBlock(memori, entity_id="alice")
    memory = stock_memory(token_limit=200, token_flush_size=50, memory_blocks=[block])
    for n in range(8):
        memory.put(said(f"My cat number {n} is Milo{n}. " + "word " * 20))
        memory.get()
        memory.put(answer(f"Hello, Milo{n}."))
        memory.get()
    assert [len(turn) for turn in turns("alice")] == [2] * 8


def test_the_same_words_later_in_a_session_are_a_turn_of_their_own(block, stock_memory, turns):
    memory = stock_memory(memory_blocks=[block])
    for reply in ("Which one?", "And then?", "Done."):
        memory.put(said("yes"))
        memory.get()
        memory.put(answer(reply))
        memory.get()
    assert [turn[1][1] for turn in turns("alice")] == ["Which one?", "And then?", "Done."]


def test_what_the_model_sees_anyway_is_not_repeated(block, stock_memory, memori):
    memory = stock_memory(memory_blocks=[block])
    memory.put(said("My cat Milo sleeps in the piano."))
    memory.get()
    memory.put(answer("Cute."))
    memori.flush()
    memory.put(said("Where does my cat Milo sleep?"))
    assert [m.role.value for m in memory.get()] == ["user", "assistant", "user"]
    other = stock_memory(memory_blocks=[block])
    assert "Milo sleeps" in other.get(input="Where does my cat Milo sleep?")[0].content


# ---------------------------------------------------------------------------------- truncation


async def test_truncation_drops_the_last_facts_first(memori):
    memori.scoped("alice").remember_many([f"User likes tea number {n}." for n in range(5)])
    block = MemoriMemoryBlock(memori, entity_id="alice")
    whole = await block.aget([said("Which tea does the user like?")])
    lines = whole.splitlines()
    assert len(lines) == 8
    for wanted in (1, 15, 30, 45):
        cut = await block.atruncate(whole, wanted)
        kept = cut.splitlines()
        assert kept == [*lines[: len(kept) - 1], lines[-1]]  # a prefix, and still closed
        assert count_tokens(whole) - count_tokens(cut) >= wanted
        assert len(kept) < len(lines)
    assert await block.atruncate(whole, 10_000) is None
    assert await block.atruncate("", 5) is None
    assert await block.atruncate([], 5) is None  # what Memory passes where we gave nothing


async def test_a_full_memory_keeps_the_best_facts(memori, stock_memory):
    memori.scoped("alice").remember_many([f"User likes tea number {n}." for n in range(5)])
    block = MemoriMemoryBlock(memori, entity_id="alice")
    memory = stock_memory(token_limit=100, memory_blocks=[block])
    shown = await memory.aget(input="Which tea does the user like?")
    assert 1 <= shown[0].content.count("\n- ") < 5
    assert shown[0].content.count(f"</{TAG}>") == 1
    never = MemoriMemoryBlock(memori, entity_id="alice", priority=0)
    memory = stock_memory(token_limit=100, memory_blocks=[never])
    shown = await memory.aget(input="Which tea does the user like?")
    assert shown[0].content.count("\n- ") == 5


# ------------------------------------------------------------------------------------ identity


async def test_a_hundred_sessions_of_different_users_share_one_block(memori, stock_memory):
    block = MemoriMemoryBlock(memori, on_error="raise")
    for n in range(SESSIONS):
        memori.scoped(f"user-{n}").remember(f"User lives in Town{n:03}.")

    async def one(n: int) -> None:
        with memori.attribution(f"user-{n}"):
            # The very same question in the very same session name.
            memory = stock_memory(session_id="main", memory_blocks=[block])
            for question in ("Where in which town do I live?", "My town, where I live?"):
                await memory.aput(said(question))
                shown = await memory.aget()
                text = "\n".join(m.content or "" for m in shown)
                assert text.count("Town") == text.count(f"Town{n:03}") >= 1, text
                await memory.aput(answer(f"Town{n:03}."))
            await memory.aget()

    await asyncio.gather(*(one(n) for n in range(SESSIONS)))
    await memori.aflush()
    for n in range(SESSIONS):
        own = [m.message.content for m in memori.scoped(f"user-{n}").messages()]
        assert len(own) == 4
        assert [text for text in own if "Town" in text] == [f"Town{n:03}."] * 2


async def test_agents_of_many_users_share_one_block(memori, stock_memory):
    from llama_index.core.llms.mock import MockFunctionCallingLLM

    def reply(messages, **_):
        return answer("\n".join(m.content or "" for m in messages))

    block = MemoriMemoryBlock(memori, on_error="raise")
    agent = FunctionAgent(llm=MockFunctionCallingLLM(response_generator=reply))
    for n in range(30):
        memori.scoped(f"user-{n}").remember(f"User lives in Town{n:03}.")

    async def one(n: int) -> str:
        with memori.attribution(f"user-{n}"):
            memory = stock_memory(memory_blocks=[block])
            return str(await agent.run("Where in which town do I live?", memory=memory))

    for n, text in enumerate(await asyncio.gather(*(one(n) for n in range(30)))):
        assert text.count("Town") == text.count(f"Town{n:03}") == 1


async def test_a_call_may_name_the_user(memori, stock_memory, peanuts):
    memory = stock_memory(memory_blocks=[MemoriMemoryBlock(memori)])
    shown = await memory.aget(input="Do peanuts suit me?", entity_id="alice")
    assert "allergic" in shown[0].content
    assert await memory.aget(input="Do peanuts suit me?", entity_id="bob") == []


@pytest.mark.parametrize("nobody", [None, "", " "])
async def test_a_call_of_nobody_never_falls_back_to_somebody_else(stock_memory, nobody):
    with Memori(InMemoryStore(), embedder=None, scope=Scope("owner")) as memori:
        memory = stock_memory(memory_blocks=[MemoriMemoryBlock(memori)])
        memory.put(said("I live in Porto."))
        with memori.attribution("somebody"):
            assert len(await memory.aget(entity_id=nobody)) == 1
        memori.flush()
        assert memori.entities() == []
        await memory.aget()  # nobody is named by the call: the fallback counts
        memori.flush()
        assert memori.entities() == ["owner"]


async def test_ids_of_a_call_are_text_numbers_or_uuids_and_never_end_the_run(memori, stock_memory):
    memory = stock_memory(memory_blocks=[MemoriMemoryBlock(memori)])
    memory.put(said("I live in Porto."))
    for wrong in (True, ["alice"], b"alice"):
        assert len(await memory.aget(entity_id=wrong)) == 1
    memori.flush()
    assert memori.entities() == []
    assert memori.stats()["identity_failed"] == 3
    for right in (7, UUID(int=5)):
        await memory.aget(entity_id=right)
    memori.flush()
    assert memori.entities() == [str(UUID(int=5)), "7"]
    odd = stock_memory(session_id="a\0b", memory_blocks=[MemoriMemoryBlock(memori)])
    odd.put(said("I live in Porto."))
    assert len(await odd.aget(entity_id="alice")) == 1


async def test_nobody_is_named_no_memory_and_one_warning(memori, stock_memory, caplog):
    memory = stock_memory(memory_blocks=[MemoriMemoryBlock(memori)])
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert await memory.aget(input="I live in Porto.") == []
    assert sum("nobody is named" in r.getMessage() for r in caplog.records) == 1
    assert memori.entities() == []
    assert memori.stats()["no_scope"] == 3


def test_a_broken_memory_never_ends_a_run(stock_memory):
    def broken(texts):
        raise RuntimeError("the model is gone")

    with Memori(InMemoryStore(), embedder=broken, extractor=None) as memori:
        block = MemoriMemoryBlock(memori, entity_id="alice")
        memory = stock_memory(memory_blocks=[block])
        memory.put(said("Where do I live?"))
        assert [m.content for m in memory.get()] == ["Where do I live?"]
    memory.put(answer("I do not know."))  # closed now
    assert len(memory.get()) == 2


def test_wrong_arguments_are_refused_by_name(memori):
    with pytest.raises(ConfigError, match="similarity_top_k"):
        MemoriMemoryBlock(memori, similarity_top_k=-1)
    with pytest.raises(ConfigError, match="capture"):
        MemoriMemoryBlock(memori, capture="always")
    with pytest.raises(ScopeError):
        MemoriMemoryBlock(memori, entity_id=" ")


async def test_copies_share_the_memory_but_no_state(block, peanuts):
    for copied in (copy.copy(block), copy.deepcopy(block), block.model_copy(deep=True)):
        assert "allergic" in await copied.aget([said("Do peanuts suit me?")])
