"""`MemoriMemory` by itself: history, one recall a turn, one captured turn, one block."""

from __future__ import annotations

import asyncio
import copy
import gc
import json
import logging
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from llama_index.core.base.llms.types import ImageBlock, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import BaseMemory, InsertMethod
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore
from sqlalchemy.ext.asyncio import create_async_engine

from memori_core import InMemoryStore, Memori
from memori_core.errors import ConfigError, ScopeError
from memori_core.hooks import TAG
from memori_llamaindex import MemoriMemory, attach

FLAVOURS = ("sync", "async")


def said(text: str) -> ChatMessage:
    return ChatMessage(text)


def answer(text: str) -> ChatMessage:
    return ChatMessage(text, role="assistant")


def tool_round() -> list[ChatMessage]:
    call = ToolCallBlock(tool_call_id="1", tool_name="ping", tool_kwargs={})
    return [
        ChatMessage(role="assistant", blocks=[call]),
        ChatMessage("pong", role="tool", additional_kwargs={"tool_call_id": "1"}),
    ]


class Both:
    """A memory used by its sync or by its async methods."""

    def __init__(self, memory: BaseMemory, flavour: str) -> None:
        self.memory, self.flavour = memory, flavour

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if self.flavour == "sync":
            return getattr(self.memory, name)
        twin = getattr(self.memory, f"a{name}")
        return lambda *args, **kwargs: asyncio.run(twin(*args, **kwargs))


@pytest.fixture(params=FLAVOURS)
def flavour(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def memory(memori: Memori, flavour: str) -> Any:
    made = MemoriMemory.from_defaults(memori, entity_id="alice", on_error="raise")
    return Both(made, flavour)


def blocks_in(messages: list[ChatMessage]) -> int:
    return sum((m.content or "").count(f"<{TAG}>") for m in messages)


def texts(messages: list[ChatMessage]) -> list[tuple[str, str | None]]:
    return [(m.role.value, m.content) for m in messages]


# ------------------------------------------------------------------------------------- capture


def test_it_is_a_memory_of_llama_index():
    assert BaseMemory in MemoriMemory.__mro__
    assert MemoriMemory.class_name() == "MemoriMemory"


def test_the_users_words_are_captured_at_once_and_the_answer_joins_their_turn(memory, turns):
    memory.put(said("I live in Porto."))
    assert turns("alice") == [[("user", "I live in Porto.")]]
    memory.put(answer("Nice."))
    assert turns("alice") == [[("user", "I live in Porto."), ("assistant", "Nice.")]]


def test_tool_rounds_are_history_but_no_turns(memory, turns):
    memory.put(said("Ping it."))
    memory.put_messages([*tool_round(), answer("It says pong.")])
    assert turns("alice") == [[("user", "Ping it."), ("assistant", "It says pong.")]]
    assert [m.role.value for m in memory.get_all()] == ["user", "assistant", "tool", "assistant"]


def test_tool_calls_of_older_models_are_steps_too(memory, turns):
    memory.put(said("Ping it."))
    step = ChatMessage("Let me see.", role="assistant", additional_kwargs={"tool_calls": [1]})
    memory.put(step)
    assert turns("alice") == [[("user", "Ping it.")]]


def test_of_a_react_agent_the_answer_is_captured_and_not_its_thoughts(memory, turns):
    memory.put(said("What tea?"))
    memory.put(
        answer(
            "Thought: I look.\nAction: look\nAction Input: {}\nObservation: Answer: 1\n"
            "Thought: I know.\nAnswer: Green.\nOr black."
        )
    )
    assert turns("alice") == [[("user", "What tea?"), ("assistant", "Green.\nOr black.")]]


def test_a_conversation_put_in_one_go_is_captured_turn_by_turn(memory, turns, recalls):
    memory.put_messages([said("I live in Porto."), answer("Nice."), said("Hi."), answer("Hello.")])
    assert [len(turn) for turn in turns("alice")] == [2, 2]
    assert recalls() == 0  # nothing is asked in it that is not answered


def test_a_turn_without_an_answer_stays_and_the_next_is_another(memory, turns):
    memory.put(said("I live in Porto."))
    memory.put(said("I live in Rome."))
    memory.put(answer("Nice."))
    assert turns("alice") == [
        [("user", "I live in Porto.")],
        [("user", "I live in Rome."), ("assistant", "Nice.")],
    ]


def test_an_answer_to_a_history_that_was_set_is_captured_with_its_question(memory, turns):
    memory.set([said("Hi."), answer("Hello."), said("I live in Porto.")])
    assert turns("alice") == []
    memory.put_messages([*tool_round(), answer("Nice.")])
    assert turns("alice") == [[("user", "I live in Porto."), ("assistant", "Nice.")]]
    memory.put(answer("One more thing."))
    assert turns("alice")[1] == [("assistant", "One more thing.")]


def test_messages_without_text_are_captured_as_placeholders_or_not_at_all(memory, turns):
    image = ImageBlock(image=b"\x89PNG\r\n")
    memory.put(ChatMessage(blocks=[TextBlock(text="My cat Milo:"), image]))
    memory.put(ChatMessage(role="assistant"))
    assert turns("alice") == [[("user", "My cat Milo:\n[image]")]]


def test_our_own_block_is_never_kept_as_said(memory, memori, turns):
    memori.scoped("alice").remember("User is allergic to peanuts.")
    memory.put(said("Do peanuts suit me?"))
    shown = memory.get()
    assert blocks_in(shown) == 1
    memory.set(shown)
    assert texts(memory.get_all()) == [("user", "Do peanuts suit me?")]
    memory.put_messages(shown)
    assert turns("alice")[-1] == [("user", "Do peanuts suit me?")]
    only = ChatMessage(shown[0].blocks[0].text)
    memory.set([only])
    assert memory.get_all() == []


# -------------------------------------------------------------------------------------- recall


def test_one_recall_a_turn_however_often_get_is_called(memory, memori, recalls):
    memori.scoped("alice").remember("User is allergic to peanuts.")
    memory.put(said("Do peanuts suit me?"))
    shown = [memory.get(), memory.get(input="Do peanuts suit me?"), memory.get()]
    memory.put_messages(tool_round())
    shown.append(memory.get(input="Do peanuts suit me?"))
    memory.put(answer("No."))
    shown.append(memory.get())
    assert [blocks_in(s) for s in shown] == [1] * 5
    assert recalls() == 1
    memory.put(said("Do peanuts suit me?"))
    memory.get()
    assert recalls() == 2  # the same words in another turn


def test_one_recall_a_turn_where_get_comes_before_put(memory, recalls):
    """Context chat engines ask first, and put the message and its answer when they have both."""
    for n in range(1, 4):
        memory.get(input="Which tea?")
        memory.get(input="Which tea?")
        memory.put(said("Which tea?"))
        memory.put(answer("Green."))
        assert recalls() == n


def test_what_is_said_now_is_not_recalled_for_itself(memory, memori):
    memory.put(said("I am allergic to peanuts."))
    memori.flush()
    assert blocks_in(memory.get()) == 0
    memory.put(answer("Noted."))
    memory.put(said("Do peanuts suit me?"))
    assert blocks_in(memory.get()) == 1


def test_what_was_said_just_before_in_another_session_is_recalled(memory, memori, flavour):
    memory.put(said("I am allergic to peanuts."))
    memori.flush()
    other = Both(MemoriMemory.from_defaults(memori, entity_id="alice"), flavour)
    other.put(said("Do peanuts suit me?"))
    assert "allergic to peanuts" in (other.get()[0].content or "")
    bob = Both(MemoriMemory.from_defaults(memori, entity_id="bob"), flavour)
    bob.put(said("Do peanuts suit me?"))
    assert texts(bob.get()) == [("user", "Do peanuts suit me?")]


@pytest.mark.parametrize("given", ["Do peanuts suit me?", said("Do peanuts suit me?")])
def test_b66_the_query_may_be_a_text_or_a_message(memory, memori, given):
    memori.scoped("alice").remember("User is allergic to peanuts.")
    shown = memory.get(input=given)
    assert blocks_in(shown) == 1
    assert "allergic to peanuts" in (shown[0].content or "")
    memory.put(said("Hi."))
    memory.put(answer("Hello."))
    assert blocks_in(memory.get(input=given)) == 1


def test_limits_of_recall_are_kept(memori, flavour):
    memori.scoped("alice").remember_many([f"User likes tea number {n}." for n in range(20)])
    for limit in (0, 3, 50):
        made = MemoriMemory.from_defaults(memori, entity_id="alice", similarity_top_k=limit)
        memory = Both(made, flavour)
        memory.put(said("Which tea does the user like?"))
        lines = (memory.get()[0].content or "").count("\n- ")
        assert lines == min(limit, 20)


# --------------------------------------------------------------------------------------- place


def test_the_block_stands_before_the_users_last_words(memory, memori):
    memori.scoped("alice").remember("User is allergic to peanuts.")
    memory.set([ChatMessage("Be brief.", role="system"), said("Hi."), answer("Hello.")])
    memory.put(said("Do peanuts suit me?"))
    shown = memory.get()
    assert [m.role.value for m in shown] == ["system", "user", "assistant", "user"]
    assert shown[0].content == "Be brief."
    assert [isinstance(b, TextBlock) for b in shown[-1].blocks] == [True, True]
    assert shown[-1].blocks[0].text.startswith(f"<{TAG}>")
    assert shown[-1].blocks[1].text == "Do peanuts suit me?"


@pytest.mark.parametrize("method", ["system", InsertMethod.SYSTEM])
def test_in_the_system_place_there_is_one_system_message_with_the_prompt_once(
    memori, flavour, method
):
    memori.scoped("alice").remember("User is allergic to peanuts.")
    made = MemoriMemory.from_defaults(memori, entity_id="alice", insert_method=method)
    memory = Both(made, flavour)
    memory.put(said("Do peanuts suit me?"))
    assert [m.role.value for m in memory.get()] == ["system", "user"]
    memory.set([ChatMessage("Be brief.", role="system"), said("Do peanuts suit me?")])
    shown = memory.get()
    assert [m.role.value for m in shown] == ["system", "user"]
    assert (shown[0].content or "").count("Be brief.") == 1
    assert (shown[0].content or "").startswith("Be brief.\n\n<memori_context>")
    memory.set([answer("Hi!"), ChatMessage("Be brief.", role="system"), said("Peanuts?")])
    assert [m.role.value for m in memory.get()] == ["assistant", "system", "user"]


def test_what_get_gives_can_be_changed_without_harm(memory, memori):
    """`initial_state` of an agent writes into the message it got."""
    memori.scoped("alice").remember("User is allergic to peanuts.")
    message = said("Do peanuts suit me?")
    memory.put(message)
    before = message.model_dump()
    for shown in (memory.get(), memory.get_all()):
        for block in shown[-1].blocks:
            block.text = "Current state: {}"
        shown.clear()
    assert texts(memory.get_all()) == [("user", "Do peanuts suit me?")]
    assert blocks_in(memory.get()) == 1
    assert message.model_dump() == before
    message.blocks[0].text = "changed by its owner"
    assert texts(memory.get_all()) == [("user", "Do peanuts suit me?")]


# ------------------------------------------------------------------------------------- history


def test_set_and_reset_touch_the_history_only(memory, memori, turns):
    memory.put(said("I am allergic to peanuts."))
    memory.put(answer("Noted."))
    memori.flush()
    facts = memori.scoped("alice").list()
    memory.reset()
    assert memory.get_all() == memory.get() == []
    memory.set([said("Something else.")])
    memory.reset()
    assert memori.scoped("alice").list() == facts
    assert len(turns("alice")) == 1
    memory.put(said("Do peanuts suit me?"))
    assert blocks_in(memory.get()) == 1


def test_the_history_is_that_of_the_stock_memory(stock_memory, memori, flavour):
    """Differential: the same calls on both, in many orders."""
    ours = Both(MemoriMemory.from_defaults(memori, entity_id="alice"), flavour)
    stock = stock_memory(session_id="s1")
    theirs = Both(stock, "sync")
    conversation = [
        ChatMessage("Be brief.", role="system"),
        said("Hi."),
        answer("Hello."),
        said("Ping."),
        *tool_round(),
        answer("It says pong."),
        ChatMessage(blocks=[TextBlock(text="Look:"), ImageBlock(image=b"\x89PNG\r\n")]),
        answer("A cat."),
        ChatMessage("x", additional_kwargs={"a": {"b": [1, 2]}}),
    ]

    def equal() -> None:
        for one, other in ((ours.get_all(), theirs.get_all()), (ours.get(), theirs.get())):
            assert [m.model_dump() for m in one] == [m.model_dump() for m in other]

    equal()
    for message in conversation:
        for memory in (ours, theirs):
            memory.put(message)
        equal()
    for memory in (ours, theirs):
        memory.set(conversation[:4])
    equal()
    for memory in (ours, theirs):
        memory.put_messages(conversation[4:7])
    equal()
    for memory in (ours, theirs):
        memory.reset()
    equal()
    for memory in (ours, theirs):
        memory.put(conversation[1])
    equal()


def test_a_history_beyond_the_limit_is_cut_as_the_stock_memory_cuts_it(stock_memory, memori):
    """Both show the end of the conversation, beginning with what the user said, within the limit.
    Where they cut differs: the stock memory throws out a tenth at a time, ours a turn."""
    words = "word " * 40
    ours = MemoriMemory.from_defaults(
        memori, entity_id="alice", history_token_limit=700, similarity_top_k=0
    )
    theirs = stock_memory(session_id="s1", token_limit=1000, token_flush_size=100)
    for n in range(12):
        for message in (said(f"{n} {words}"), *tool_round(), answer(f"{n} {words}")):
            ours.put(message)
            theirs.put(message)
    for shown in (ours.get(), theirs.get()):
        assert shown[0].role == MessageRole.USER
        assert shown[-1].content == answer(f"11 {words}").content
        assert 8 < len(shown) < 48
        assert texts(shown) == texts(ours.get_all())[-len(shown) :]
    assert len(ours.get_all()) == 48


def test_what_is_cut_off_the_history_is_recalled_and_what_is_shown_is_not_repeated(memori):
    memory = MemoriMemory.from_defaults(memori, entity_id="alice", history_token_limit=60)
    memory.put_messages([said("My cat Milo sleeps in the piano."), answer("Cute.")])
    memori.flush()
    memory.put(said("Where does my cat Milo sleep?"))
    assert blocks_in(memory.get()) == 0
    assert blocks_in(copy.deepcopy(memory).get()) == 0
    memory.put(answer("In the piano."))
    memory.put_messages([said("word " * 70), answer("ok")])
    memory.put(said("Where does my cat Milo sleep?"))
    shown = memory.get()
    assert len(shown) == 1
    assert "sleeps in the piano. Stated" in str(shown[0].content)


def test_tokens_that_are_used_up_already_count(memori):
    memory = MemoriMemory.from_defaults(memori, entity_id="alice", history_token_limit=100)
    memory.put_messages([said("word " * 20), answer("a"), said("word " * 20), answer("b")])
    assert len(memory.get()) == 4
    assert len(memory.get(initial_token_count=70)) == 2


@pytest.mark.parametrize("kind", ["simple", "sql"])
def test_a_chat_store_keeps_the_sessions_of_users_apart(memori, flavour, kind):
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    store: Any = SimpleChatStore()
    if kind == "sql":
        store = SQLAlchemyChatStore(table_name="chats", async_engine=engine)

    def memory(entity_id: str, session_id: str) -> Any:
        made = MemoriMemory.from_defaults(
            memori, entity_id=entity_id, session_id=session_id, chat_store=store
        )
        return Both(made, flavour)

    for entity_id in ("alice", "bob"):
        for session_id in ("1", "2"):
            memory(entity_id, session_id).put(said(f"{entity_id} {session_id}"))
            memory(entity_id, session_id).put_messages([answer("ok"), said("more")])
    for entity_id in ("alice", "bob"):
        for session_id in ("1", "2"):
            again = memory(entity_id, session_id)
            assert [m.content for m in again.get_all()] == [
                f"{entity_id} {session_id}",
                "ok",
                "more",
            ]
            assert again.memory.to_dict().keys().isdisjoint({"history"})
    memory("alice", "1").reset()
    assert memory("alice", "1").get_all() == []
    memory("alice", "1").set([said("anew")])
    assert [m.content for m in memory("alice", "1").get_all()] == ["anew"]
    assert len(memory("bob", "1").get_all()) == 3
    asyncio.run(engine.dispose())


def test_the_sync_methods_work_inside_a_running_loop(memori, turns):
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    store = SQLAlchemyChatStore(table_name="chats", async_engine=engine)

    async def main() -> list[ChatMessage]:
        memory = MemoriMemory.from_defaults(memori, entity_id="alice", chat_store=store)
        memory.put(said("I live in Porto."))
        memory.put(answer("Nice."))
        shown = memory.get()
        await engine.dispose()
        return shown

    assert len(asyncio.run(main())) == 2
    assert len(turns("alice")) == 1


# --------------------------------------------------------------------------------- serialising


def test_what_is_serialised_holds_ids_and_the_sessions_own_words_only(memori):
    other = MemoriMemory.from_defaults(memori, entity_id="bob")
    other.put(said("I am Bob."))
    memory = MemoriMemory.from_defaults(memori, entity_id="alice", session_id="s1")
    memory.put(said("I am Alice."))
    data = memory.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert set(memory.model_dump()) == {
        "class_name",
        "memori_name",
        "entity_id",
        "session_id",
        "process_id",
        "similarity_top_k",
        "history_token_limit",
        "insert_method",
        "on_error",
        "chat_store_name",
    }
    assert set(data) - set(memory.model_dump()) == {"turn_id", "said", "history", "history_id"}
    assert "Bob" not in json.dumps(data)
    assert [m["blocks"][0]["text"] for m in data["history"]] == ["I am Alice."]


def test_a_round_trip_goes_on_where_it_was_with_the_same_memory(memori, turns):
    memory = MemoriMemory.from_defaults(memori, entity_id="alice", session_id="s1")
    memory.put(said("I am allergic to peanuts."))
    again = MemoriMemory.from_dict(json.loads(json.dumps(memory.to_dict())))
    again.put(answer("Noted."))  # the turn that waited for its answer
    assert turns("alice") == [[("user", "I am allergic to peanuts."), ("assistant", "Noted.")]]
    assert texts(memory.get_all()) == texts(again.get_all())  # one conversation
    assert MemoriMemory.from_json(memory.to_json()).session_id == "s1"


def test_a_snapshot_that_is_not_the_living_history_is_a_conversation_of_its_own(memori):
    memory = MemoriMemory.from_defaults(memori, entity_id="alice")
    memory.put(said("one"))
    data = memory.to_dict()
    memory.put(answer("two"))
    back = MemoriMemory.from_dict(data)
    back.put(answer("other"))
    assert [m.content for m in memory.get_all()] == ["one", "two"]
    assert [m.content for m in back.get_all()] == ["one", "other"]
    del memory, back
    gc.collect()
    assert [m.content for m in MemoriMemory.from_dict(data).get_all()] == ["one"]


def test_copies_and_pickles_go_on_by_themselves(memori, turns):
    memory = MemoriMemory.from_defaults(memori, entity_id="alice")
    memory.put(said("one"))
    for copied in (
        copy.deepcopy(memory),
        memory.model_copy(deep=True),
        pickle.loads(pickle.dumps(memory)),
    ):
        copied.reset()
        copied.put(said("I live in Porto."))
    assert [m.content for m in memory.get_all()] == ["one"]
    assert turns("alice")[1:] == [[("user", "I live in Porto.")]] * 3


def test_a_chat_store_is_found_again(memori):
    stores = SimpleChatStore(), SimpleChatStore()
    saved = []
    for n, store in enumerate(stores):
        memory = MemoriMemory.from_defaults(
            memori, entity_id="alice", session_id="s", chat_store=store
        )
        memory.put(said(f"in store {n}"))
        saved.append(json.dumps(memory.to_dict()))
        assert "in store" not in saved[-1]
    del memory
    gc.collect()
    for n, data in enumerate(saved):
        again = MemoriMemory.from_dict(json.loads(data))
        assert [m.content for m in again.get_all()] == [f"in store {n}"]


def test_messages_that_json_cannot_hold_lose_their_extras_but_not_their_words(memori):
    memory = MemoriMemory.from_defaults(memori, entity_id="alice")
    memory.put(ChatMessage("hello", additional_kwargs={"odd": object()}))
    again = copy.deepcopy(memory)
    assert texts(again.get_all()) == [("user", "hello")]


def test_without_its_memory_a_restored_one_keeps_the_history_and_says_so_once(caplog):
    memori = Memori(InMemoryStore(), embedder=None)
    memory = MemoriMemory.from_defaults(memori, entity_id="alice")
    memory.put(said("one"))
    memori.flush()
    data = memory.to_dict()
    memori.close()
    del memori, memory
    gc.collect()
    with caplog.at_level(logging.WARNING):
        again = MemoriMemory.from_dict(data)
        again.put(answer("two"))
        assert [m.content for m in again.get()] == ["one", "two"]
    assert [r.getMessage().split(" here")[0] for r in caplog.records] == [
        "the memory of a serialised MemoriMemory is not open"
    ]


def test_a_restored_one_finds_its_memory_once_it_is_attached(tmp_path, caplog):
    with Memori(tmp_path / "m.db", embedder=None) as memori:
        store = SimpleChatStore()
        memory = MemoriMemory.from_defaults(memori, entity_id="alice", chat_store=store)
        memory.put(said("I am allergic to peanuts."))
        memori.flush()
        data = memory.to_dict()
    del memori, memory
    gc.collect()
    with Memori(tmp_path / "m.db", embedder=None) as memori:
        attach(memori, chat_store=store)
        again = MemoriMemory.from_dict(data)
        assert [m.content for m in again.get_all()] == ["I am allergic to peanuts."]
        again.put(said("Do peanuts suit me?"))
        assert blocks_in(again.get()) == 1
    assert caplog.records == []


# ------------------------------------------------------------------------------------ failures


async def test_a_put_that_is_cancelled_while_it_recalls_is_captured_all_the_same(turns_of):
    release = threading.Event()

    def slow(texts: list[str]) -> list[list[float]]:
        release.wait(10)
        return [[1.0, 0.0] for _ in texts]

    with Memori(InMemoryStore(), embedder=slow, extractor=None) as memori:
        memory = MemoriMemory.from_defaults(memori, entity_id="alice")
        put = asyncio.create_task(memory.aput(said("I live in Porto.")))
        await asyncio.sleep(0.05)
        put.cancel()
        with pytest.raises(asyncio.CancelledError):
            await put
        release.set()
        assert turns_of(memori, "alice") == [[("user", "I live in Porto.")]]


def test_threads_that_put_answers_do_not_lose_or_double_turns(memori, turns):
    """Streams of chat engines put their answers from threads of their own."""

    def talk(n: int) -> None:
        memory = MemoriMemory.from_defaults(memori, entity_id="alice", similarity_top_k=0)
        for k in range(5):
            memory.put(said(f"question {n} {k}"))
            memory.get()
            thread = threading.Thread(target=memory.put, args=[answer(f"answer {n} {k}")])
            thread.start()
            thread.join()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(talk, range(8)))
    found = turns("alice")
    assert len(found) == 40
    for (_, question), (_, reply) in found:
        assert question.removeprefix("question") == reply.removeprefix("answer")


def test_a_failing_memory_is_logged_and_the_history_goes_on(flavour, caplog):
    def broken(texts: list[str]) -> list[list[float]]:
        raise RuntimeError("the model is gone")

    with Memori(InMemoryStore(), embedder=broken, extractor=None) as memori:
        memory = Both(MemoriMemory.from_defaults(memori, entity_id="alice"), flavour)
        with caplog.at_level(logging.WARNING):
            for n in range(3):
                memory.put(said(f"Where do I live? {n}"))
                assert memory.get()[-1].content == f"Where do I live? {n}"
        assert memori.stats()["recall_failed"] == 3
        assert sum("memory failed (recall)" in r.getMessage() for r in caplog.records) == 1


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"similarity_top_k": -1}, "similarity_top_k"),
        ({"history_token_limit": 0}, "history_token_limit"),
        ({"insert_method": "tool"}, "insert_method"),
        ({"on_error": "hide"}, "on_error"),
    ],
)
def test_wrong_arguments_are_refused_by_name(memori, wrong, named):
    with pytest.raises(ConfigError, match=named):
        MemoriMemory.from_defaults(memori, entity_id="alice", **wrong)


@pytest.mark.parametrize("entity_id", ["", "  ", None, 7])
def test_a_memory_of_nobody_is_refused(memori, entity_id):
    with pytest.raises(ScopeError):
        MemoriMemory.from_defaults(memori, entity_id=entity_id)


def test_no_memory_is_refused():
    with pytest.raises(ConfigError, match="memori"):
        MemoriMemory.from_defaults("m.db", entity_id="alice")
