"""`MemoriRetriever`: the standard suite, its options, identity, what dumps and traces show."""

from __future__ import annotations

import asyncio
import json
from operator import itemgetter
from typing import Any

import pytest
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.load import dumpd
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import ConfigurableField, RunnableLambda, RunnablePassthrough
from langchain_core.tools import create_retriever_tool
from langchain_tests.integration_tests import RetrieversIntegrationTests
from pydantic import ValidationError

from memori_core import InMemoryStore, Memori
from memori_core.errors import ConfigError, ScopeError
from memori_core.retrieval.fusion.coverage import CoverageFusion
from memori_core.testing import FakeEmbedder
from memori_langchain import MemoriRetriever, format_memories


def tea_memory(memori: Memori, entity_id: str = "alice", count: int = 10) -> Memori:
    memori.scoped(entity_id).remember_many(
        [
            {
                "content": f"User likes tea number {n}.",
                "metadata": {"of": n % 2},
                "said_at": "2026-05-01",
            }
            for n in range(count)
        ]
    )
    return memori


class TestStandard(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return MemoriRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memori": tea_memory(Memori(":memory:", embedder=None)), "entity_id": "alice"}

    @property
    def retriever_query_example(self) -> str:
        return "tea"


@pytest.fixture
def teas(memori: Memori) -> Memori:
    return tea_memory(memori)


def texts(documents: list[Document]) -> list[str]:
    return [document.page_content for document in documents]


async def test_documents_carry_id_scores_and_flat_metadata(teas):
    retriever = MemoriRetriever(memori=teas, entity_id="alice", k=1)
    (document,) = retriever.invoke("tea number 3")
    assert await retriever.ainvoke("tea number 3") == [document]
    assert document.page_content == "User likes tea number 3."
    assert document.id == document.metadata["id"] == teas.scoped("alice").list()[3].id
    assert document.metadata["of"] == 1
    assert document.metadata["said_at"] == "2026-05-01T00:00:00+00:00"
    assert document.metadata["entity_id"] == "alice"
    assert document.metadata["score"] > 0
    flat = (str, int, float, bool, type(None))
    assert all(isinstance(value, flat) for value in document.metadata.values())
    json.dumps(document.metadata)


async def test_k_none_at_all_and_wrong(teas):
    retriever = MemoriRetriever(memori=teas, entity_id="alice", k=2)
    assert len(retriever.invoke("tea")) == 2
    assert len(await retriever.ainvoke("tea", k=4)) == 4
    assert retriever.invoke("tea", k=0) == []
    for wrong in (-1,):
        with pytest.raises(ConfigError):
            retriever.invoke("tea", k=wrong)
        with pytest.raises(ConfigError):
            await retriever.ainvoke("tea", k=wrong)
        with pytest.raises(ValidationError):
            MemoriRetriever(memori=teas, entity_id="alice", k=wrong)


def test_unknown_options_are_refused(teas):
    with pytest.raises(ValidationError, match="kk"):
        MemoriRetriever(memori=teas, entity_id="alice", kk=3)
    tagged = MemoriRetriever(memori=teas, entity_id="alice", tags=["t"], metadata={"m": 1})
    assert tagged.with_config({"run_name": "r"}).invoke("tea")


def test_where_and_strictness(teas):
    odd = MemoriRetriever(memori=teas, entity_id="alice", k=10, where={"of": 1})
    assert {document.metadata["of"] for document in odd.invoke("tea")} == {1}
    strict = MemoriRetriever(memori=teas, entity_id="alice", strictness=50)
    assert strict.invoke("tea") == []


def test_batch_and_errors(teas):
    retriever = MemoriRetriever(memori=teas, entity_id="alice", k=1)
    found = retriever.batch(["tea number 1", "tea number 2"])
    assert [texts(documents) for documents in found] == [
        ["User likes tea number 1."],
        ["User likes tea number 2."],
    ]
    teas.close()
    with pytest.raises(Exception, match="closed"):  # a retriever tells; it does not hide
        retriever.invoke("tea")


def test_candidate_limit_widens_the_pool_and_not_the_answer():
    pools: list[int] = []

    class Counting(CoverageFusion):
        def candidates(self, search: Any) -> Any:
            rows = super().candidates(search)
            pools.append(len(rows))
            return rows

    with Memori(InMemoryStore(), embedder=FakeEmbedder(), fusion=Counting()) as memori:
        tea_memory(memori, count=400)
        for limit in (None, 200):
            retriever = MemoriRetriever(memori=memori, entity_id="alice", candidate_limit=limit)
            assert len(retriever.invoke("tea", k=3)) == 3
    assert pools[0] < 200 <= pools[1]


# ----------------------------------------------------------------------------------------- identity


async def test_a_user_for_each_request(teas):
    teas.scoped("bob").remember("User likes tea from Ceylon.")
    retriever = MemoriRetriever(memori=teas)
    assert texts(retriever.invoke("tea", entity_id="bob")) == ["User likes tea from Ceylon."]
    configurable = retriever.configurable_fields(entity_id=ConfigurableField(id="entity_id"))
    config: Any = {"configurable": {"entity_id": "bob"}}
    assert texts(configurable.invoke("tea", config)) == ["User likes tea from Ceylon."]
    assert texts(await configurable.ainvoke("tea", config)) == ["User likes tea from Ceylon."]
    assert len(configurable.invoke("tea", config, k=3)) == 1
    with teas.attribution("bob"):
        assert texts(retriever.invoke("tea")) == ["User likes tea from Ceylon."]


async def test_nobody_named_is_an_error(teas):
    retriever = MemoriRetriever(memori=teas)
    with pytest.raises(ScopeError, match="nobody is named"):
        retriever.invoke("tea")
    with pytest.raises(ScopeError, match="nobody is named"):
        await retriever.ainvoke("tea")
    with pytest.raises(ScopeError, match="empty"):
        retriever.invoke("tea", entity_id="")


async def test_100_users_at_once_on_one_retriever_never_mix(memori):
    for n in range(100):
        memori.scoped(f"user-{n}").remember(f"User keeps secret number s{n}e.")
    retriever = MemoriRetriever(memori=memori)
    found = await asyncio.gather(
        *(retriever.ainvoke("Which secret?", entity_id=f"user-{n}") for n in range(100))
    )
    assert [texts(documents) for documents in found] == [
        [f"User keeps secret number s{n}e."] for n in range(100)
    ]


# ----------------------------------------------------------------------------------- what is shown


def test_dumps_and_traces_show_no_handle(teas):
    retriever = MemoriRetriever(memori=teas, entity_id="alice")
    starts: list[Any] = []

    class Trace(BaseCallbackHandler):
        raise_error = True

        def on_retriever_start(
            self, serialized: dict[str, Any] | None, query: str, **kwargs: Any
        ) -> None:
            starts.append((serialized, kwargs))

    retriever.invoke("tea", {"callbacks": [Trace()]})
    shown = [repr(retriever), repr(retriever.model_dump()), repr(dumpd(retriever)), repr(starts)]
    assert starts
    assert not any("Memori object" in text or "memori=" in text for text in shown), shown


# --------------------------------------------------------------------------------------- in chains


async def test_in_a_chain_without_a_wrapper(teas):
    teas.scoped("alice").remember("User hates <b>hot</b> cocoa.", said_at="2026-05-02")
    retriever = MemoriRetriever(memori=teas, entity_id="alice", k=1)
    prompt = ChatPromptTemplate.from_messages([("system", "Be kind.\n{memories}"), "{question}"])
    chain = (
        RunnablePassthrough.assign(memories=itemgetter("question") | retriever | format_memories)
        | prompt
        | RunnableLambda(lambda value: value.to_messages()[0].content)
    )
    asked = {"question": "cocoa?"}
    system = chain.invoke(asked)
    assert await chain.ainvoke(asked) == system
    assert "- User hates ‹b›hot‹/b› cocoa. Stated at 2026-05-02" in system
    assert system.startswith("Be kind.\n<memori_context>")


def test_format_memories_of_other_documents():
    assert format_memories([]) == ""
    shown = format_memories([Document("From a file."), Document(" ")])
    assert shown.splitlines()[2:] == ["- From a file", "</memori_context>"]


def test_b25_identical_texts_with_different_ids_stay_apart_in_an_ensemble(memori):
    for name in ("alice", "bob"):
        memori.scoped(name).remember("User likes tea.")
    retrievers: list[Any] = [
        MemoriRetriever(memori=memori, entity_id="alice"),
        MemoriRetriever(memori=memori, entity_id="bob"),
        MemoriRetriever(memori=memori, entity_id="alice"),
    ]
    ensemble = EnsembleRetriever(retrievers=retrievers, id_key="id")
    found = ensemble.invoke("tea")
    assert sorted(d.metadata["entity_id"] for d in found) == ["alice", "bob"]
    assert found[0].metadata["entity_id"] == "alice"  # found by two
    assert all(isinstance(d.metadata["id"], str) for d in found)


@pytest.mark.parametrize(("weights", "first"), [((1.0, 0.0), "tea"), ((0.0, 1.0), "jazz")])
def test_b26_an_ensembles_weights_are_honoured(memori, weights, first):
    memori.scoped("alice").remember("User likes tea at noon.")
    memori.scoped("bob").remember("User likes jazz at noon.")
    retrievers: list[Any] = [
        MemoriRetriever(memori=memori, entity_id="alice"),
        MemoriRetriever(memori=memori, entity_id="bob"),
    ]
    ensemble = EnsembleRetriever(retrievers=retrievers, weights=list(weights), id_key="id")
    found = ensemble.invoke("noon")
    assert first in found[0].page_content
    assert all(isinstance(d.metadata["score"], float) for d in found)


def test_as_a_tool(teas):
    retriever = MemoriRetriever(memori=teas, entity_id="alice", k=1)
    tool = create_retriever_tool(retriever, "search_memory", "Search.")
    assert tool.invoke({"query": "tea number 3"}) == "User likes tea number 3."
