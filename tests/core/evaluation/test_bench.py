"""Pools, times and the peer protocol."""

from __future__ import annotations

import json

import numpy as np
import pytest

from memori_core.errors import ConfigError, EmbeddingError
from memori_core.evaluation.bench import bench_recall
from memori_core.evaluation.given import GivenVectors
from memori_core.evaluation.peer import serve
from memori_core.evaluation.pools import DIM, made_up_pool
from memori_core.evaluation.timing import Times, timed


def test_made_up_pools_are_the_same_each_time():
    one, two = made_up_pool(300), made_up_pool(300)
    assert one.texts == two.texts
    assert one.queries == two.queries
    np.testing.assert_array_equal(one.vectors, two.vectors)


def test_made_up_facts_differ_and_have_unit_rows():
    pool = made_up_pool(2_000)
    assert len(set(pool.texts)) == 2_000
    assert pool.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(pool.vectors, axis=1), 1, atol=1e-5)


def test_made_up_vectors_have_subjects():
    """A fact has some close ones and many that are not, unlike independent random vectors."""
    pool = made_up_pool(2_000)
    cosines = np.sort(pool.vectors[1:] @ pool.vectors[0])
    assert cosines[-10] > 0.5
    assert abs(np.median(cosines)) < 0.2


def test_times_are_taken_of_every_item():
    seen: list[int] = []
    times = timed(seen.append, range(3))
    assert seen == [0, 1, 2]
    assert len(times.wall_ms) == len(times.cpu_ms) == 3
    assert Times((1.0, 3.0, 2.0), cpu_ms=(5.0, 4.0, 6.0)).cpu_p50_ms == 5


def test_recall_is_measured_in_processes_of_its_own():
    (row,) = bench_recall([60])
    figures = row.to_json()
    assert figures["n"] == 60
    assert {"p50_ms", "p95_ms", "cpu_p50_ms", "rss_mb"} <= set(figures)
    assert all(value > 0 for value in figures.values())
    assert row.p50_ms <= row.p95_ms


def test_a_size_below_one_is_refused():
    with pytest.raises(ConfigError, match="at least 1, got 0"):
        bench_recall([10, 0])


def test_given_vectors_have_the_profile_of_their_model():
    assert GivenVectors("all-MiniLM-L6-v2", dim=DIM).profile().background is not None
    assert GivenVectors("all-MiniLM-L6-v2", dim=8).profile().background is None
    assert GivenVectors("unknown", dim=DIM).profile().background is None
    with pytest.raises(EmbeddingError, match="no vector was given"):
        GivenVectors("unknown", dim=8).embed_query("Where?")


@pytest.fixture
def load_request(tmp_path):
    texts = {"f1": "The kiln is red.", "f2": "Bees dance.", "f3": "A boat of paper."}
    facts = tmp_path / "facts.jsonl"
    facts.write_text(
        "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in texts.items()),
        encoding="utf-8",
    )
    np.save(tmp_path / "vectors.npy", np.eye(3, 4, dtype=np.float32))
    vectors = str(tmp_path / "vectors.npy")
    return {"op": "load", "user": "u", "facts": str(facts), "vectors": vectors}


def talk(*requests):
    return [json.loads(line) for line in serve(json.dumps(request) for request in requests)]


def test_the_peer_greets_loads_searches_and_closes(load_request):
    search = {"op": "search", "query": "Which bees?", "vector": [0, 1, 0, 0], "k": 2}
    greeting, loaded, found, closed = talk(load_request, search, {"op": "close"}, search)
    assert greeting["peer"] == "memori-core"
    assert loaded["ok"] is True
    assert found["ids"][0] == "f2"
    assert len(found["ids"]) == 2
    assert found["wall_ms"] > 0
    assert closed["ok"] is True
    assert closed["max_rss_mb"] > 10


def test_a_second_load_replaces_the_first(load_request, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"id": "x", "text": "Bees sleep."}) + "\n", encoding="utf-8")
    np.save(tmp_path / "one.npy", np.ones((1, 4), np.float32))
    again = load_request | {"facts": str(other), "vectors": str(tmp_path / "one.npy")}
    search = {"op": "search", "query": "Which bees?", "vector": [0, 1, 0, 0], "k": 5}
    *_, found = talk(load_request, again, search)
    assert found["ids"] == ["x"]


@pytest.mark.parametrize(
    "request_",
    [
        {"op": "dance"},
        {"op": "search", "query": "before any load", "vector": [1], "k": 1},
        {"op": "load", "user": "u", "facts": "/nowhere", "vectors": "/nowhere"},
        {"op": "load"},
        [],
    ],
)
def test_a_request_that_cannot_be_done_is_answered_with_an_error(request_):
    _, answer, closed = talk(request_, {"op": "close"})
    assert answer["error"]
    assert closed["ok"] is True
