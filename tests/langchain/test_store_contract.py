"""`MemoriStore` against LangGraph's own `InMemoryStore`, operation by operation."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings
from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore as Reference

from memori_core import InMemoryStore, Memori, SQLiteStore
from memori_core.testing import FakeEmbedder
from memori_langchain import MemoriStore

LABELS = ("u", "1", "10", "sub", "a@b.c", "x/y", "x%2Fy", "中文", " ")
KEYS = ("a", "b", "A", "k/1", "")
WORDS = ("tea", "jazz", "peanuts", "Porto", "cello", "TEA", "")
PATHS = ("text", "tags[*]", "deep.text", "missing", "$")


class ReferenceStore(Reference):
    """Without two warts: it lists namespaces that were only read or hold nothing any more, and it
    goes on to find an item by what it said before."""

    def _handle_list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        for namespace in [n for n, items in self._data.items() if not items]:
            del self._data[namespace]
        return super()._handle_list_namespaces(op)

    def _extract_texts(self, put_ops: Any) -> Any:
        for name, key in put_ops:
            self._vectors[name].pop(key, None)
        return super()._extract_texts(put_ops)


def namespace(rng: random.Random, shortest: int = 1) -> tuple[str, ...]:
    few = LABELS if rng.random() < 0.3 else LABELS[:3]
    return tuple(rng.choice(few) for _ in range(rng.randint(shortest, 3)))


def value(rng: random.Random) -> dict[str, Any]:
    return {
        "text": " ".join(rng.choices(WORDS, k=rng.randint(0, 3))),
        "n": rng.choice([0, 1, 2, 2.5]),
        "flag": rng.choice([True, False, None]),
        "tags": rng.sample(WORDS, rng.randint(0, 2)),
        "deep": {"text": rng.choice(WORDS), "m": rng.randint(0, 2)},
    }


def wanted(rng: random.Random) -> dict[str, Any] | None:
    sample = value(rng)
    return rng.choice(
        [
            None,
            None,
            {"text": sample["text"]},
            {"n": sample["n"], "flag": sample["flag"]},
            {"n": {"$gte": 1}},
            {"n": {"$gt": 0, "$lt": 2.5}},
            {"n": {"$lte": sample["n"]}},
            {"flag": {"$ne": True}},
            {"text": {"$eq": sample["text"]}},
            {"tags": sample["tags"]},
            {"deep": {"m": sample["deep"]["m"]}},
            {"deep": {"m": {"$gte": 1}}},
            {"missing": None},
        ]
    )


def condition(rng: random.Random) -> MatchCondition:
    path = tuple(rng.choice([*LABELS[:4], "*"]) for _ in range(rng.randint(1, 3)))
    return MatchCondition(match_type=rng.choice(["prefix", "suffix"]), path=path)


def operation(rng: random.Random) -> Op:
    kind = rng.random()
    if kind < 0.45:
        gone = rng.random() < 0.2
        index: Any = rng.choice([None, None, False, rng.sample(PATHS, rng.randint(1, 2))])
        return PutOp(namespace(rng), rng.choice(KEYS), None if gone else value(rng), index=index)
    if kind < 0.65:
        return GetOp(namespace(rng), rng.choice(KEYS))
    if kind < 0.88:
        return SearchOp(
            namespace(rng, shortest=0),
            filter=wanted(rng),
            limit=rng.choice([0, 1, 2, 3, 10, 1000]),
            offset=rng.choice([0, 0, 1, 2, 50]),
        )
    conditions = tuple(condition(rng) for _ in range(rng.randint(0, 2)))
    return ListNamespacesOp(
        match_conditions=conditions or None,
        max_depth=rng.choice([None, 1, 2]),
        limit=rng.choice([1, 2, 100]),
        offset=rng.choice([0, 1]),
    )


def expected(reference: Reference, op: Op, result: Any) -> Any:
    """What the reference gives, in our order: by namespace, then as stored."""
    if not isinstance(op, SearchOp):
        return plain(result)
    # Pages follow the order, so the page is cut here, from all that there is.
    ordered = sorted(plain(result), key=lambda item: item[0])
    return ordered[op.offset : op.offset + op.limit]


def plain(result: Any) -> Any:
    if isinstance(result, list) and all(isinstance(item, Item) for item in result):
        return [plain(item) for item in result]
    if isinstance(result, Item):
        score = result.score if isinstance(result, SearchItem) else None
        return (result.namespace, result.key, result.value, score)
    return result


def whole(op: Op) -> Op:
    return op._replace(limit=10**6, offset=0) if isinstance(op, SearchOp) else op


def stores(kind: str, path: Any) -> Iterator[MemoriStore]:
    backing = InMemoryStore() if kind == "memory" else SQLiteStore(path / "m.db")
    with Memori(backing, embedder=None) as memori:
        yield MemoriStore(memori)
    backing.close()


def test_2000_random_batches_give_what_the_reference_gives(tmp_path):
    compared = batches = 0
    for seed, kind, count in [(n, "memory", 105) for n in range(19)] + [(99, "sqlite", 60)]:
        rng = random.Random(seed)
        for store in stores(kind, tmp_path):
            reference = ReferenceStore()
            for _ in range(count):
                ops = [operation(rng) for _ in range(rng.randint(1, 6))]
                theirs = reference.batch([whole(op) for op in ops])
                ours = store.batch(ops)
                batches += 1
                for op, their, our in zip(ops, theirs, ours, strict=True):
                    assert plain(our) == expected(reference, op, their), (seed, op)
                    compared += their is not None
    assert batches >= 2000
    assert compared > 2000


async def test_the_async_twin_gives_the_same():
    rng, reference = random.Random(7), ReferenceStore()
    with Memori(InMemoryStore(), embedder=None) as memori:
        store = MemoriStore(memori)
        for _ in range(60):
            ops = [operation(rng) for _ in range(rng.randint(1, 6))]
            theirs = await reference.abatch([whole(op) for op in ops])
            ours = await store.abatch(ops)
            for op, their, our in zip(ops, theirs, ours, strict=True):
                assert plain(our) == expected(reference, op, their), op


# ---------------------------------------------------------------------------- search by meaning


class Fake(Embeddings):
    """The core's fake embedder, for the reference."""

    def __init__(self) -> None:
        self.inner = FakeEmbedder()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.inner.embed_documents(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        return self.inner.embed_query(text).tolist()


def test_with_dense_fusion_the_order_is_that_of_the_reference():
    """With one indexed field, the dense signal is the reference's cosine."""
    checked = 0
    for seed in range(30):
        rng = random.Random(seed)
        reference = ReferenceStore(index={"dims": 64, "embed": Fake(), "fields": ["text"]})
        with Memori(InMemoryStore(), embedder=FakeEmbedder(), fusion="dense") as memori:
            store = MemoriStore(memori, fields=["text"])
            for _ in range(30):
                text = " ".join(rng.choices([*WORDS[:6], "piano", "train", "rain", "snow"], k=4))
                put = PutOp(
                    namespace(rng),
                    rng.choice("abcdefgh"),
                    {"text": text, "n": rng.randint(0, 2)},
                    index=rng.choice([None, None, None, False]),
                )
                reference.batch([put])
                store.batch([put])
            for _ in range(8):
                op = SearchOp(
                    rng.choice([(), ("u",), ("1",), ("u", "1")]),
                    query=" ".join(rng.choices(WORDS[:5], k=2)),
                    filter=rng.choice([None, {"n": 1}, {"n": {"$gt": 0}}]),
                    limit=1000,
                )
                (theirs,) = reference.batch([op])
                (ours,) = store.batch([op])
                assert_same_order(theirs, ours)
                first = op._replace(limit=3, offset=1)
                assert plain(store.batch([first])[0]) == plain(ours)[1:4]
                checked += len(ours)
    assert checked > 1000


def assert_same_order(theirs: Any, ours: Any) -> None:
    their_scores = {(i.namespace, i.key): i.score for i in theirs}
    assert {(i.namespace, i.key): i.value for i in ours} == {
        (i.namespace, i.key): i.value for i in theirs
    }
    unscored = {name for name, score in their_scores.items() if score is None}
    assert {(i.namespace, i.key) for i in ours if i.score is None} == unscored
    scores = [their_scores[i.namespace, i.key] for i in ours if i.score is not None]
    assert np.all(np.diff(scores) <= 1e-6), scores  # ours are in the order of their cosines
    assert [i.score is None for i in ours] == sorted(i.score is None for i in ours)


# ------------------------------------------------------------ what is documented to be different


@pytest.fixture
def store(memori: Memori) -> MemoriStore:
    return MemoriStore(memori)


def test_an_item_that_is_handed_out_is_a_copy(store):
    given = {"a": {"b": 1}}
    store.put(("p",), "k", given)
    given["a"]["b"] = 2
    store.get(("p",), "k").value["a"]["b"] = 3
    store.search(("p",))[0].value["a"]["b"] = 4
    assert store.get(("p",), "k").value == {"a": {"b": 1}}


def test_b64_created_at_is_kept_and_updated_at_moves(store):
    store.put(("p",), "k", {"a": 1})
    first = store.get(("p",), "k")
    store.put(("p",), "k", {"a": 2})
    second = store.get(("p",), "k")
    assert second.value == {"a": 2}
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at
    store.delete(("p",), "k")
    store.put(("p",), "k", {"a": 3})
    assert store.get(("p",), "k").created_at > first.created_at


def test_a_range_leaves_out_what_is_no_number(store):
    for key, n in {"a": 5, "b": "many", "c": None}.items():
        store.put(("p",), key, {"n": n})
    assert [item.key for item in store.search(("p",), filter={"n": {"$gt": 1}})] == ["a"]
    with pytest.raises(ValueError, match=r"'\$in'"):
        store.search(("p",), filter={"n": {"$in": [1]}})


def test_namespaces_that_were_only_read_are_not_listed(store):
    assert store.get(("never",), "k") is None
    store.put(("gone",), "k", {"a": 1})
    store.delete(("gone",), "k")
    assert store.list_namespaces() == []
