"""`MemoriRetriever` wherever LlamaIndex takes a retriever."""

from __future__ import annotations

import asyncio
import copy
import logging
import math
import threading
from typing import Any

import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.retrieval import (
    RetrievalEndEvent,
    RetrievalStartEvent,
)
from llama_index.core.instrumentation.span_handlers import SimpleSpanHandler
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode
from llama_index.core.tools import RetrieverTool

from memori_core import InMemoryStore, Memori
from memori_core.errors import ConfigError
from memori_llamaindex import MemoriMemory, MemoriRetriever


@pytest.fixture
def alice(memori: Memori):
    handle = memori.scoped("alice")
    handle.remember(
        "User is allergic to peanuts.", said_at="2026-05-01", metadata={"topic": "food"}
    )
    handle.remember("User lives in Porto.", said_at="2026-05-02")
    return handle


@pytest.fixture(params=["sync", "async"])
def retrieve(request: pytest.FixtureRequest):
    def run(retriever: BaseRetriever, query: Any) -> list[NodeWithScore]:
        if request.param == "sync":
            return retriever.retrieve(query)
        return asyncio.run(retriever.aretrieve(query))

    return run


def test_it_is_a_retriever_of_llama_index():
    assert BaseRetriever.__name__ in [base.__name__ for base in MemoriRetriever.__mro__]


def test_facts_come_as_nodes_with_dates_for_the_model_only(memori, alice, retrieve):
    nodes = retrieve(MemoriRetriever(memori, entity_id="alice"), "Do peanuts suit me?")
    assert [node.get_content() for node in nodes] == ["User is allergic to peanuts."]
    node = nodes[0].node
    assert node.node_id == alice.list()[0].id
    assert node.metadata["topic"] == "food"
    assert node.get_content(MetadataMode.LLM) == (
        "stated_at: 2026-05-01\n\nUser is allergic to peanuts."
    )
    assert node.get_content(MetadataMode.EMBED) == "User is allergic to peanuts."
    assert math.isfinite(nodes[0].score)
    bundle = QueryBundle("peanuts?", embedding=[1.0, 2.0])  # of some other model
    assert len(retrieve(MemoriRetriever(memori, entity_id="alice"), bundle)) == 1


def test_a_fact_is_the_same_node_whatever_was_asked_and_however_often_it_was_said(
    memori, alice, retrieve
):
    retriever = MemoriRetriever(memori, entity_id="alice", strictness=0)
    once = {n.node_id: n.node.hash for n in retrieve(retriever, "Do peanuts suit me?")}
    alice.remember("User is allergic to peanuts.")
    alice.recall("peanuts")
    again = {n.node_id: n.node.hash for n in retrieve(retriever, "Where do I live?")}
    assert once == again
    assert len(once) == 2


def test_b03_more_than_there_is_and_nothing(memori, retrieve):
    def count(top_k: int) -> int:
        retriever = MemoriRetriever(memori, entity_id="alice", similarity_top_k=top_k)
        return len(retrieve(retriever, "Where in Porto do I live?"))

    assert count(20) == 0  # nobody knows Alice
    memori.scoped("alice").remember("User lives in Porto.")
    assert [count(20), count(1), count(0)] == [1, 1, 0]
    with pytest.raises(ValueError, match="similarity_top_k"):
        MemoriRetriever(memori, entity_id="alice", similarity_top_k=-1)
    for wrong in ({"strictness": -1}, {"where": 5}):  # else each retrieval would fail
        with pytest.raises(ConfigError):
            MemoriRetriever(memori, **wrong)
    with pytest.raises(ConfigError, match="on_error"):
        MemoriRetriever(memori, entity_id="alice", on_error="hide")


def fusion(*retrievers: BaseRetriever, mode: FUSION_MODES, **kwargs: Any) -> QueryFusionRetriever:
    return QueryFusionRetriever(
        list(retrievers), llm=MockLLM(), num_queries=1, mode=mode, similarity_top_k=10, **kwargs
    )


@pytest.mark.parametrize("use_async", [True, False])
@pytest.mark.parametrize("mode", list(FUSION_MODES))
def test_b25_fusion_finds_each_fact_once_and_keeps_facts_apart(
    memori, alice, retrieve, mode, use_async
):
    memori.scoped("team").remember("User lives in Porto.", said_at="2026-05-02")
    both = fusion(
        MemoriRetriever(memori, entity_id="alice", strictness=0),
        MemoriRetriever(memori, entity_id="alice", strictness=0, similarity_top_k=2),
        mode=mode,
        use_async=use_async,
    )
    nodes = retrieve(both, "Where in Porto do I live?")
    assert sorted(n.get_content() for n in nodes) == [
        "User is allergic to peanuts.",
        "User lives in Porto.",
    ]
    with_team = fusion(
        MemoriRetriever(memori, entity_id="alice", strictness=0),
        MemoriRetriever(memori, entity_id="team", strictness=0),
        mode=mode,
        use_async=use_async,
    )
    nodes = retrieve(with_team, "Where in Porto do I live?")
    porto = [n for n in nodes if n.get_content() == "User lives in Porto."]
    assert len(porto) == 2  # the same words, of two
    assert len({n.node.metadata["fact_id"] for n in porto}) == 2


class Fixed(BaseRetriever):
    """Another retriever in the fusion, whose best node has no score."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(node=TextNode(id_="n", text="none"), score=None),
            NodeWithScore(node=TextNode(id_="a", text="a"), score=0.9),
            NodeWithScore(node=TextNode(id_="b", text="b"), score=0.5),
        ]


@pytest.mark.parametrize(("weights", "first"), [((1, 0), "User lives in Porto."), ((0, 1), "a")])
def test_b26_weights_are_honoured_with_our_scores(memori, alice, retrieve, weights, first):
    class Scored(Fixed):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            return super()._retrieve(query_bundle)[1:]

    fused = fusion(
        MemoriRetriever(memori, entity_id="alice", strictness=0),
        Scored(),
        mode=FUSION_MODES.RELATIVE_SCORE,
        retriever_weights=list(weights),
    )
    assert retrieve(fused, "Where in Porto do I live?")[0].get_content() == first


def test_b26_a_missing_score_beside_ours_counts_as_nothing(memori, alice, retrieve):
    fused = fusion(
        MemoriRetriever(memori, entity_id="alice", strictness=0),
        Fixed(),
        mode=FUSION_MODES.RECIPROCAL_RANK,
    )
    nodes = retrieve(fused, "Where in Porto do I live?")
    ours = [n for n in nodes if "fact_id" in n.node.metadata]
    assert len(nodes) == 5
    assert all(isinstance(n.score, float) and math.isfinite(n.score) for n in ours)


def test_events_callbacks_and_spans_are_kept(memori, alice, retrieve):
    seen: list[Any] = []

    class Handler(BaseEventHandler):
        def handle(self, event: Any, **kwargs: Any) -> None:
            seen.append(event)

    debug = LlamaDebugHandler(print_trace_on_end=False)
    dispatcher, handler, spans = get_dispatcher(), Handler(), SimpleSpanHandler()
    dispatcher.add_event_handler(handler)
    dispatcher.add_span_handler(spans)
    try:
        retriever = MemoriRetriever(
            memori, entity_id="alice", callback_manager=CallbackManager([debug])
        )
        assert len(retrieve(retriever, "Do peanuts suit me?")) == 1
    finally:
        dispatcher.event_handlers.remove(handler)
        dispatcher.span_handlers.remove(spans)
    kinds = [type(event) for event in seen]
    assert kinds == [RetrievalStartEvent, RetrievalEndEvent]
    assert len(seen[1].nodes) == 1
    assert len(debug.get_event_pairs(CBEventType.RETRIEVE)) == 1
    assert [s.id_.split("-")[0] for s in spans.completed_spans][-1].startswith("MemoriRetriever")


async def test_the_event_loop_runs_on_while_it_searches():
    release = threading.Event()

    def slow(texts: list[str]) -> list[list[float]]:
        assert release.wait(10)  # set by the event loop, so it is not held up
        return [[1.0, 0.0] for _ in texts]

    with Memori(InMemoryStore(), embedder=slow, extractor=None) as memori:
        search = asyncio.create_task(MemoriRetriever(memori, entity_id="alice").aretrieve("tea"))
        await asyncio.sleep(0.05)
        assert not search.done()
        release.set()
        assert await search == []


@pytest.mark.parametrize("mode", ["query", "aquery"])
async def test_in_a_query_engine(memori, alice, script, mode):
    engine = RetrieverQueryEngine.from_args(
        MemoriRetriever(memori, entity_id="alice"), llm=MockLLM()
    )
    if mode == "query":
        response = engine.query("Do peanuts suit me?")
    else:
        response = await engine.aquery("Do peanuts suit me?")
    assert "stated_at: 2026-05-01\n\nUser is allergic to peanuts." in str(response)
    assert len(response.source_nodes) == 1


async def test_as_a_tool(memori, alice):
    tool = RetrieverTool.from_defaults(
        MemoriRetriever(memori, entity_id="alice"), name="known", description="What is known."
    )
    for output in (tool.call("Do peanuts suit me?"), await tool.acall("Do peanuts suit me?")):
        assert "User is allergic to peanuts." in output.content
    assert "entity" not in str(tool.metadata.get_parameters_dict())


@pytest.mark.parametrize("engine", [ContextChatEngine, CondensePlusContextChatEngine])
@pytest.mark.parametrize("mode", ["chat", "achat", "stream_chat", "astream_chat"])
async def test_in_chat_engines_with_our_memory(memori, alice, script, turns, recalls, engine, mode):
    memory = MemoriMemory.from_defaults(memori, entity_id="alice", on_error="raise")
    chat = engine.from_defaults(
        retriever=MemoriRetriever(memori, entity_id="alice", strictness=0),
        memory=memory,
        llm=MockLLM(max_tokens=2, is_chat_model=True),
    )
    questions = ["Do {peanuts} suit me?", "And where in Porto do I live?"]
    for question in questions:
        if mode == "chat":
            chat.chat(question)
        elif mode == "achat":
            await chat.achat(question)
        elif mode == "stream_chat":
            list(chat.stream_chat(question).response_gen)
        else:
            answer = await chat.astream_chat(question)
            assert [text async for text in answer.async_response_gen()]
    assert recalls() == 4  # a turn: one of the retriever, one of the memory
    assert turns("alice") == [[("user", q), ("assistant", "text text")] for q in questions]


async def test_a_hundred_users_share_one_retriever(memori):
    retriever = MemoriRetriever(memori, on_error="raise")
    for n in range(100):
        memori.scoped(f"user-{n}").remember(f"User lives in Town{n:03}.")

    async def one(n: int) -> list[str]:
        with memori.attribution(f"user-{n}"):
            found = await retriever.aretrieve("Where in which town do I live?")
            fused = fusion(retriever, mode=FUSION_MODES.RECIPROCAL_RANK)
            return [x.get_content() for x in (*found, *await fused.aretrieve("My town, I live?"))]

    for n, found in enumerate(await asyncio.gather(*(one(n) for n in range(100)))):
        assert found == [f"User lives in Town{n:03}."] * 2


def test_the_sync_fusion_carries_the_user_into_its_threads(memori):
    retriever = MemoriRetriever(memori, on_error="raise")
    memori.scoped("alice").remember("User lives in Porto.")
    with memori.attribution("alice"):
        fused = fusion(retriever, mode=FUSION_MODES.SIMPLE, use_async=True)
        assert len(fused.retrieve("Where in Porto do I live?")) == 1


def test_nobody_is_named_nothing_is_found_and_one_warning(memori, retrieve, caplog):
    retriever = MemoriRetriever(memori)
    with caplog.at_level(logging.WARNING):
        assert [retrieve(retriever, "Where do I live?") for _ in range(3)] == [[], [], []]
    assert sum("nobody is named" in r.getMessage() for r in caplog.records) == 1


def test_a_broken_memory_finds_nothing_or_raises_on_request(retrieve):
    def broken(texts: list[str]) -> list[list[float]]:
        raise RuntimeError("the model is gone")

    with Memori(InMemoryStore(), embedder=broken, extractor=None) as memori:
        assert retrieve(MemoriRetriever(memori, entity_id="alice"), "Where?") == []
        with pytest.raises(Exception, match="the model is gone"):
            retrieve(MemoriRetriever(memori, entity_id="alice", on_error="raise"), "Where?")


def test_where_and_strictness_reach_the_recall(memori, alice, retrieve):
    by_topic = MemoriRetriever(memori, entity_id="alice", where={"topic": "food"}, strictness=0)
    assert [n.get_content() for n in retrieve(by_topic, "Porto?")] == [
        "User is allergic to peanuts."
    ]


def test_a_deep_copy_finds_what_the_first_finds(memori):
    memori.scoped("alice").remember("User lives in Porto.")
    copied = copy.deepcopy(MemoriRetriever(memori, entity_id="alice"))
    assert len(copied.retrieve("Where in Porto do I live?")) == 1
