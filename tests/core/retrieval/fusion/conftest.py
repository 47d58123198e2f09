"""The golden fixtures: outputs of `memori` 3.3.6 and `mem0ai` 2.2.1 on 150 facts, 60 questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memori_core.embedding.base import FloatArray
from memori_core.models import Fact, FactRecord, unique_key
from memori_core.retrieval.candidates import best_first
from memori_core.retrieval.fusion import Fusion, Pool, Search
from memori_core.retrieval.index import EntityIndex, Snapshot
from memori_core.retrieval.tokenization import TOKENIZER_VERSION, index_terms
from memori_core.writes import Changes

FOLDER = Path(__file__).parents[5] / "shared" / "fixtures"
EMBEDDER = "all-MiniLM-L6-v2"
WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def fact_id(number: int) -> str:
    return f"{number:03d}"


def as_snapshot(contents: dict[str, str], vectors: FloatArray) -> Snapshot:
    records = [
        FactRecord(
            Fact(content, id=id, said_at=WHEN, learnt_at=WHEN, last_said_at=WHEN),
            uniq=unique_key(content),
            terms=" ".join(index_terms(content)),
            tokenizer=TOKENIZER_VERSION,
            vector=vector.tobytes(),
            embedder=EMBEDDER,
        )
        for (id, content), vector in zip(contents.items(), vectors, strict=True)
    ]
    index = EntityIndex(embedder=EMBEDDER, dim=vectors.shape[1])
    index.apply(Changes(revision=1, complete=True, records=tuple(records)))
    return index.snapshot()


@dataclass(frozen=True)
class Golden:
    facts: dict[int, str]
    queries: dict[int, str]
    fact_vectors: FloatArray
    query_vectors: FloatArray
    snapshot: Snapshot

    def search(self, query_id: int, *, limit: int, **more: Any) -> Search:
        more = {"text": self.queries[query_id], "snapshot": self.snapshot, **more}
        return Search(vector=self.query_vectors[query_id - 1], limit=limit, **more)

    def part(self, fact_ids: Sequence[int]) -> Snapshot:
        rows = [number - 1 for number in fact_ids]
        contents = {fact_id(number): self.facts[number] for number in fact_ids}
        return as_snapshot(contents, self.fact_vectors[rows])


@pytest.fixture(scope="session")
def load() -> Callable[[str], Any]:
    if not FOLDER.is_dir():
        pytest.skip(f"the recorded outputs are not in {FOLDER}")
    return lambda name: json.loads((FOLDER / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def golden(load: Callable[[str], Any]) -> Golden:
    facts = {row["id"]: row["text"] for row in load("facts.json")}
    queries = {row["id"]: row["text"] for row in load("queries.json")}
    with np.load(FOLDER / "vectors.npz") as arrays:
        fact_vectors, query_vectors = arrays["facts"], arrays["queries"]
    contents = {fact_id(number): text for number, text in facts.items()}
    snapshot = as_snapshot(contents, fact_vectors)
    return Golden(facts, queries, fact_vectors, query_vectors, snapshot)


@pytest.fixture(scope="session")
def entity_vectors(load: Callable[[str], Any]) -> dict[str, FloatArray]:
    assert load
    with np.load(FOLDER / "entity_vectors.npz") as arrays:
        return {name: arrays[name] for name in arrays.files}


@dataclass(frozen=True)
class Ranked:
    number: int
    cosine: float
    rank: float
    parts: dict[str, float]


@pytest.fixture(scope="session")
def answer() -> Callable[[Fusion, Search], list[Ranked]]:
    """What a retriever does with a policy when nothing is cut behind it."""

    def ranked(fusion: Fusion, search: Search) -> list[Ranked]:
        pool = Pool(search, fusion.candidates(search))
        if len(pool.rows) == 0:
            return []
        parts = fusion.parts(pool)
        rank = fusion.rank(pool, parts)
        relevance = fusion.relevance(pool, rank)
        keep = fusion.keep(fusion.cut(search, search.strictness))
        rank = np.where((relevance >= keep) | (search.strictness == 0), rank, -np.inf)
        places = best_first(rank, pool.cosines, pool.id_of, search.limit)
        return [
            Ranked(
                int(pool.facts[i].id),
                float(pool.cosines[i]),
                float(rank[i]),
                {name: float(values[i]) for name, values in parts.items()},
            )
            for i in places
            if np.isfinite(rank[i])
        ]

    return ranked


@pytest.fixture(scope="session")
def same_order() -> Callable[[Sequence[int], Sequence[int]], None]:
    """Facts 71/72 and 75/76 differ in case only and tie bit for bit: either may stand for both."""
    twins = {72: 71, 76: 75}

    def check(found: Sequence[int], expected: Sequence[int]) -> None:
        assert len(set(found)) == len(found)
        assert [twins.get(n, n) for n in found] == [twins.get(n, n) for n in expected]

    return check
