"""`MemoriStore`: names, hybrid search, errors, and how LangGraph, langmem and deepagents use it."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langgraph.config import get_store
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp, SearchOp

from memori_core import InMemoryStore, Memori
from memori_core.errors import ConfigError
from memori_core.testing import FakeEmbedder
from memori_langchain import MemoriStore

with warnings.catch_warnings():  # langmem 0.0.30 imports names that LangGraph has moved
    warnings.simplefilter("ignore")
    from langmem import create_manage_memory_tool, create_search_memory_tool


@pytest.fixture
def store(memori: Memori) -> MemoriStore:
    return MemoriStore(memori)


def keys(items: Any) -> list[str]:
    return [item.key for item in items]


# ---------------------------------------------------------------------------------------- names


def test_b64_a_prefix_does_not_cross_labels(store):
    for namespace in (("u", "1"), ("u", "10"), ("u", "1", "sub")):
        store.put(namespace, "/".join(namespace), {"text": "tea"})
    assert keys(store.search(("u", "1"))) == ["u/1", "u/1/sub"]
    assert sorted(keys(store.search(("u", "1"), query="tea"))) == ["u/1", "u/1/sub"]
    assert len(store.search(())) == 3
    assert store.list_namespaces(prefix=("u", "1")) == [("u", "1"), ("u", "1", "sub")]
    assert store.list_namespaces(suffix=("*", "1")) == [("u", "1")]
    assert store.list_namespaces(max_depth=1) == [("u",)]


async def test_e_mail_addresses_and_other_labels(store, memori):
    for label in ("alice@example.com", "a/b", "a%2Fb", "中文", "*", "..", " "):
        namespace = ("memories", label)
        store.put(namespace, "k", {"label": label})
        assert store.get(namespace, "k").value == {"label": label}
        assert (await store.aget(namespace, "k")).namespace == namespace
        assert namespace in store.list_namespaces()
        assert [i.value["label"] for i in await store.asearch(namespace)] == [label]
        await store.adelete(namespace, "k")
        assert await store.aget(namespace, "k") is None
    entity_id = MemoriStore.entity_id(("memories", "alice@example.com"))
    assert entity_id == "langgraph:memories/alice@example.com"
    await store.aput(("memories", "alice@example.com"), "k", {"a": 1})
    assert memori.entities() == [entity_id]
    memori.scoped(entity_id).erase()
    assert await store.alist_namespaces() == []


async def test_bad_namespaces_and_ttl_are_refused(store):
    for bad in ((), ("",), ("langgraph", "x"), (1,)):
        with pytest.raises(InvalidNamespaceError):
            store.put(bad, "k", {"x": 1})
        with pytest.raises(InvalidNamespaceError):
            await store.aput(bad, "k", {"x": 1})
    for bad in (("",), (1,)):
        with pytest.raises(InvalidNamespaceError):
            store.get(bad, "k")
        with pytest.raises(InvalidNamespaceError):
            store.batch([PutOp(bad, "k", {"x": 1})])
    with pytest.raises(NotImplementedError, match="TTL"):
        store.put(("x",), "k", {"x": 1}, ttl=5)
    with pytest.raises(NotImplementedError, match="TTL"):
        await store.aput(("x",), "k", {"x": 1}, ttl=5)
    store.put(("x",), "k", {"x": 1}, ttl=None)


def test_other_entities_of_the_memory_are_not_in_the_store(store, memori):
    memori.scoped("alice").remember("User likes tea.")
    memori.scoped("langgraph").remember("User likes tea.")
    store.put(("memories",), "k", {"text": "tea"})
    assert keys(store.search((), query="tea")) == ["k"]
    assert store.list_namespaces() == [("memories",)]
    memori.scoped(MemoriStore.entity_id(("memories",))).remember("A fact beside the items.")
    assert keys(store.search(())) == ["k"]
    assert keys(store.search((), query="a fact beside")) == ["k"]


# ------------------------------------------------------------------------------ reads and writes


def test_reads_of_a_batch_see_what_was_there_before_its_writes(store):
    assert store.batch([PutOp(("p",), "k", {"v": 1}), GetOp(("p",), "k")]) == [None, None]
    results = store.batch(
        [
            PutOp(("p",), "k", {"v": 2}),
            SearchOp(("p",)),
            PutOp(("p",), "k", {"v": 3}),
            GetOp(("p",), "k"),
        ]
    )
    assert [item.value for item in results[1]] == [{"v": 1}]
    assert results[3].value == {"v": 1}
    assert store.get(("p",), "k").value == {"v": 3}


@pytest.mark.parametrize("value", [{"x": float("nan")}, {"x": object()}, {"x": "\ud83e"}])
def test_what_is_no_json_is_refused_and_nothing_is_stored(store, value):
    with pytest.raises(ConfigError):
        store.batch([PutOp(("p",), "a", {"v": 1}), PutOp(("p",), "k", value)])
    assert store.search(("p",)) == []
    for key in ("\0", "\ud83e"):
        with pytest.raises(ConfigError):
            store.batch([PutOp(("p",), "a", {"v": 1}), PutOp(("p",), key, {"v": 1})])
    assert store.search(("p",)) == []
    store.put(("p",), "k", {"text": "tea\0 time"})
    assert store.search(("p",), query="tea")[0].value == {"text": "tea\0 time"}


def test_items_that_say_the_same_stay_apart(store):
    for key in ("a", "b", "c", "(b)"):
        store.put(("p",), key, {"text": "tea"})
    store.put(("p",), "d", {"text": "tea\n(b)"})
    store.put(("p",), "d", {"text": "Tea."})
    store.batch([PutOp(("p",), key, {"text": "jazz"}) for key in "efg"])
    assert keys(store.search(("p",), limit=50)) == ["a", "b", "c", "(b)", "d", "e", "f", "g"]
    assert set(keys(store.search(("p",), query="tea", limit=5))) == {"a", "b", "c", "(b)", "d"}
    store.delete(("p",), "a")
    assert store.get(("p",), "b").value == {"text": "tea"}
    assert store.get(("p",), "a") is None


async def test_many_writers_at_once(store):
    async def write(n: int) -> None:
        await store.aput(("p", str(n % 5)), str(n), {"n": n, "text": f"tea {n % 3}"})

    await asyncio.gather(*(write(n) for n in range(100)))
    found = await store.asearch(("p",), limit=1000)
    assert sorted(item.value["n"] for item in found) == list(range(100))
    assert all(item.namespace == ("p", str(item.value["n"] % 5)) for item in found)


# --------------------------------------------------------------------------------------- search


@pytest.fixture
def hybrid() -> Iterator[MemoriStore]:
    with Memori(InMemoryStore(), embedder=FakeEmbedder()) as memori:
        store = MemoriStore(memori)
        for key, text in {
            "tea": "User drinks green tea in the morning.",
            "code": "Rule RULE-A002 needs a review.",
            "hid": "User drinks green tea at night.",
        }.items():
            store.put(
                ("m", "u"), key, {"text": text, "n": 1}, index=False if key == "hid" else None
            )
        yield store


def test_search_is_hybrid_and_what_is_not_indexed_comes_last(hybrid):
    found = hybrid.search(("m",), query="green tea in the morning")
    assert keys(found)[0] == "tea"
    assert found[-1].key == "hid"
    assert found[-1].score is None
    assert keys(hybrid.search(("m",), query="RULE-A002"))[0] == "code"
    assert keys(hybrid.search(("m",), query="tea", limit=1)) == ["tea"]
    assert keys(hybrid.search(("m",), query="tea", limit=5, offset=2)) == ["hid"]


def test_index_says_what_is_searched(store):
    value = {"title": "cello", "body": "peanuts", "tags": ["Porto", "Rome"]}
    store.put(("m",), "title", value, index=["title"])
    store.put(("m",), "tags", value, index=["tags[*]"])
    store.put(("m",), "all", value)

    def scored(query: str) -> set[str]:
        return {i.key for i in store.search(("m",), query=query) if i.score is not None}

    assert scored("cello") == {"title", "all"}
    assert scored("Rome") == {"tags", "all"}
    assert scored("peanuts") == {"all"}
    by_title = MemoriStore(Memori(InMemoryStore(), embedder=None), fields=["title"])
    by_title.put(("m",), "k", value)
    assert by_title.search(("m",), query="peanuts")[0].score is None
    assert by_title.search(("m",), query="cello")[0].score is not None
    with pytest.raises(ConfigError, match="list of paths"):
        MemoriStore(Memori(InMemoryStore(), embedder=None), fields="title")


def test_strictness_leaves_out_what_is_not_found(memori):
    strict = MemoriStore(memori, strictness=1.0)
    for key, text in {"tea": "User drinks green tea.", "jazz": "User plays jazz."}.items():
        strict.put(("m",), key, {"text": text})
    assert keys(strict.search(("m",), query="Which green tea?")) == ["tea"]
    assert strict.search(("m",), query="Any trains to Bremen?") == []
    assert len(strict.search(("m",))) == 2


# ---------------------------------------------------------------------------- LangGraph and others


async def test_nodes_of_a_graph_reach_it(store):
    store.put(("memories", "alice"), "a", {"text": "User likes tea."})

    def node(state: MessagesState, runtime: Runtime) -> dict[str, Any]:
        found = runtime.store.search(("memories", "alice"), query="tea")
        return {"messages": [("ai", f"{runtime.store is get_store()} {keys(found)}")]}

    async def anode(state: MessagesState, runtime: Runtime) -> dict[str, Any]:
        found = await runtime.store.asearch(("memories", "alice"), query="tea")
        return {"messages": [("ai", str(keys(found)))]}

    graph = StateGraph(MessagesState).add_node("n", node).add_edge(START, "n").compile(store=store)
    assert graph.invoke({"messages": "x"})["messages"][-1].content == "True ['a']"
    graph = StateGraph(MessagesState).add_node("n", anode).add_edge(START, "n").compile(store=store)
    assert (await graph.ainvoke({"messages": "x"}))["messages"][-1].content == "['a']"


async def test_langmems_tools_run_over_it(store, model, call):
    namespace = ("memories", "{user_id}")
    tools = [create_manage_memory_tool(namespace), create_search_memory_tool(namespace)]

    def script() -> Any:
        return model(
            call("manage_memory", "1", content="User owns a green bicycle", action="create"),
            call("search_memory", "2", query="bicycle"),
            "done",
        )

    async def told(user: str, asynchronous: bool) -> str:
        agent = create_agent(script(), tools=tools, store=store)
        config: Any = {"configurable": {"user_id": user}}
        ask: Any = {"messages": "hi"}
        run = await agent.ainvoke(ask, config) if asynchronous else agent.invoke(ask, config)
        return str(run["messages"][-2].text)

    assert "green bicycle" in await told("alice@example.com", False)
    assert "green bicycle" in await told("bob", True)
    assert store.list_namespaces() == [("memories", "alice@example.com"), ("memories", "bob")]
    assert len(store.search(("memories", "bob"))) == 1
    (item,) = store.search(("memories", "bob"), query="What does the user own, a bicycle?")
    changing = model(
        call("manage_memory", "1", id=item.key, content="User owns a red bike", action="update"),
        call("manage_memory", "2", id=item.key, action="delete"),
        "done",
    )
    agent = create_agent(changing, tools=tools, store=store)
    agent.invoke({"messages": "hi"}, {"configurable": {"user_id": "bob"}})
    assert store.search(("memories", "bob")) == []


def test_deepagents_keeps_its_files_in_it(store, model, call):
    deepagents = pytest.importorskip("deepagents")
    from deepagents.backends import StoreBackend

    agent = deepagents.create_deep_agent(
        model=model(
            call("write_file", "1", file_path="/notes.md", content="User plays the cello."),
            call("read_file", "2", file_path="/notes.md"),
            "done",
        ),
        backend=StoreBackend(namespace=lambda *_: ("files", "alice")),
        store=store,
    )
    out = agent.invoke({"messages": "Note it."})
    assert "User plays the cello." in [m.text for m in out["messages"] if m.type == "tool"][1]
    assert keys(store.search(("files", "alice"), query="cello")) == ["/notes.md"]
