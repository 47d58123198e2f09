"""What serves programs that are still on histories and chains."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate
from pydantic import ValidationError

from memori_core import InMemoryStore, Memori
from memori_core.errors import ConfigError, EmbeddingError, ScopeError
from memori_langchain import MemoriChatMessageHistory, MemoriMemory

PEANUTS = "I am allergic to peanuts."


def history(memori: Memori, user: str = "alice", session: str = "s", **options: Any) -> Any:
    return MemoriChatMessageHistory(memori, entity_id=user, session_id=session, **options)


def texts(messages: Any) -> list[tuple[str, str]]:
    return [(message.type, message.text) for message in messages]


# ----------------------------------------------------------------------------------------- history


async def test_a_history_gives_back_what_was_said_and_facts_are_made_of_it(memori):
    ours = history(memori)
    ours.add_messages([HumanMessage(PEANUTS), AIMessage("Noted.")])
    await ours.aadd_messages([HumanMessage("Thanks!")])
    said = [("human", PEANUTS), ("ai", "Noted."), ("human", "Thanks!")]
    assert texts(ours.messages) == texts(await ours.aget_messages()) == said
    assert texts(history(memori, limit=2).messages) == said[1:]
    assert history(memori, limit=0).messages == []
    assert history(memori, session="other").messages == []
    assert history(memori, user="bob").messages == []
    memori.flush()
    assert [f.content for f in memori.scoped("alice").list()] == ["User is allergic to peanuts."]
    assert all(message.id for message in ours.messages)


def test_a_history_keeps_text_only(memori):
    ours = history(memori)
    call = {"name": "look", "args": {}, "id": "1"}
    ours.add_messages(
        [
            SystemMessage("Be kind."),
            HumanMessage([{"type": "text", "text": "Look!"}]),
            AIMessage("", tool_calls=[call]),
            ToolMessage("a wall", tool_call_id="1"),
            AIMessage([{"type": "text", "text": "A wall."}, {"type": "thinking", "thinking": "h"}]),
        ]
    )
    ours.add_messages([])
    assert texts(ours.messages) == [("human", "Look!"), ("ai", "A wall.")]


async def test_clearing_begins_anew_and_forgets_no_fact(memori):
    ours = history(memori)
    ours.add_messages([HumanMessage(PEANUTS)])
    ours.clear()
    assert ours.messages == []
    ours.add_messages([HumanMessage("Hello.")])
    assert texts(history(memori).messages) == [("human", "Hello.")]
    await ours.aclear()
    assert await ours.aget_messages() == []
    memori.flush()
    assert len(memori.scoped("alice").list()) == 1


def test_a_history_of_nobody_is_refused(memori):
    with pytest.raises(ScopeError):
        history(memori, user="")
    with pytest.raises(ScopeError):
        history(memori, session=" ")
    with pytest.raises(ConfigError):
        history(memori, limit=-1)


def test_under_runnable_with_message_history(memori, model):
    with warnings.catch_warnings():  # LangChain advises against it
        warnings.simplefilter("ignore")
        from langchain_core.runnables.history import RunnableWithMessageHistory

        fake = model("one", "two")
        prompt = ChatPromptTemplate.from_messages([("placeholder", "{history}"), ("human", "{q}")])
        chain = RunnableWithMessageHistory(
            prompt | fake,
            lambda session_id: history(memori, session=session_id),
            input_messages_key="q",
            history_messages_key="history",
        )
    config: Any = {"configurable": {"session_id": "s"}}
    chain.invoke({"q": PEANUTS}, config)
    list(chain.stream({"q": "And now?"}, config))
    assert texts(fake.prompts[1]) == [("human", PEANUTS), ("ai", "one"), ("human", "And now?")]
    said = [("human", PEANUTS), ("ai", "one"), ("human", "And now?"), ("ai", "two")]
    assert texts(history(memori).messages) == said


# ----------------------------------------------------------------------------------------- chains


def chain_of(model: Any, memory: Any) -> Any:
    with warnings.catch_warnings():  # LangChain advises against chains
        warnings.simplefilter("ignore")
        from langchain_classic.chains import LLMChain

        prompt = PromptTemplate.from_template("{memories}\nQuestion: {question}")
        return LLMChain(llm=model, prompt=prompt, memory=memory)


async def test_a_chain_recalls_and_captures_sync_and_async(memori, model, said):
    fake = model("Noted.", "No peanuts.", "Still none.")
    chain = chain_of(fake, MemoriMemory(memori=memori, entity_id="alice", session_id="s"))
    chain.invoke({"question": PEANUTS})
    memori.flush()
    chain.invoke({"question": "What about peanuts?"})
    await chain.ainvoke({"question": "And peanuts now?"})
    prompts = [prompt[0].text for prompt in fake.prompts]
    assert prompts[0] == f"Human: {PEANUTS}" or prompts[0] == f"\nQuestion: {PEANUTS}"
    assert "User is allergic to peanuts" in prompts[1]
    assert "User is allergic to peanuts" in prompts[2]
    assert said("alice", "s") == [
        ("user", PEANUTS),
        ("assistant", "Noted."),
        ("user", "What about peanuts?"),
        ("assistant", "No peanuts."),
        ("user", "And peanuts now?"),
        ("assistant", "Still none."),
    ]
    other = chain_of(model(), MemoriMemory(memori=memori, entity_id="bob"))
    assert other.memory.load_memory_variables({"question": "peanuts?"}) == {"memories": ""}


async def test_clearing_a_chains_memory_forgets_nothing(memori):
    memori.scoped("alice").remember("User likes tea.")
    memory = MemoriMemory(memori=memori, entity_id="alice", k=1)
    memory.clear()
    await memory.aclear()
    assert "tea" in memory.load_memory_variables({"q": "Which tea?"})["memories"]
    assert "tea" in (await memory.aload_memory_variables({"q": "Which tea?"}))["memories"]
    assert memory.memory_variables == ["memories"]


async def test_several_inputs_have_to_be_named(memori, said):
    memory = MemoriMemory(memori=memori, entity_id="alice")
    with pytest.raises(ConfigError, match=r"`input_key` must say which of \['a', 'b'\]"):
        memory.load_memory_variables({"a": "1", "b": "2"})
    with pytest.raises(ConfigError, match="`output_key`"):
        memory.save_context({"a": "1"}, {"x": "1", "y": "2"})
    keyed = MemoriMemory(memori=memori, entity_id="alice", input_key="a", output_key="x")
    await keyed.asave_context({"a": "1", "b": "2"}, {"x": "3", "y": "4"})
    assert said("alice") == [("user", "1"), ("assistant", "3")]
    with pytest.raises(ConfigError, match="there are only"):
        keyed.load_memory_variables({"b": "2"})


def test_a_chains_memory_refuses_what_cannot_be_right_and_shows_no_handle(memori):
    with pytest.raises(ValidationError):
        MemoriMemory(memori=memori, entity_id="")
    with pytest.raises(ValidationError):
        MemoriMemory(memori=memori, entity_id="alice", kk=3)
    memory = MemoriMemory(memori=memori, entity_id="alice")
    assert "Memori object" not in repr(memory) + repr(memory.model_dump()) + repr(memory.to_json())


def _broken(texts: list[str]) -> list[list[float]]:
    raise RuntimeError("the model is gone")


def test_a_failing_memory_does_not_end_the_chain(model):
    with Memori(InMemoryStore(), embedder=_broken, extractor=None) as memori:
        memory = MemoriMemory(memori=memori, entity_id="alice")
        chain = chain_of(model("ok"), memory)
        assert chain.invoke({"question": "?"})["text"] == "ok"
        strict = MemoriMemory(memori=memori, entity_id="alice", on_error="raise")
        with pytest.raises(EmbeddingError):
            strict.load_memory_variables({"question": "peanuts?"})


async def test_two_histories_at_once_never_mix(memori):
    async def talk(n: int) -> list[tuple[str, str]]:
        ours = history(memori, user=f"user-{n}")
        await ours.aadd_messages([HumanMessage(f"Question {n}"), AIMessage(f"Answer {n}")])
        return texts(await ours.aget_messages())

    talks = await asyncio.gather(*(talk(n) for n in range(50)))
    assert talks == [[("human", f"Question {n}"), ("ai", f"Answer {n}")] for n in range(50)]
