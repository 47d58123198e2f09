"""An OpenAI-compatible server on this machine, real HTTP, and everything it can do wrong."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from memori_core.embedding import Embedder, OpenAICompatibleEmbedder, make_embedder
from memori_core.errors import ConfigError, EmbeddingError
from memori_core.testing.embedders import EmbedderConformance, FakeEmbedder

Reply = tuple[int, dict[str, str], bytes]
Server = Any  # LoopbackServer of conftest.py
KEY = "sk-secret-123"


def vectors_of(texts: list[str]) -> list[dict[str, Any]]:
    rows = FakeEmbedder(dim=16).embed_documents(texts) if texts else []
    return [{"index": i, "embedding": row.tolist()} for i, row in enumerate(rows)]


def success(body: dict[str, Any]) -> Reply:
    return ok({"data": vectors_of(body["input"]), "model": body["model"]})


def ok(answer: object) -> Reply:
    return 200, {}, json.dumps(answer).encode()


@pytest.fixture
def server(loopback: Server) -> Server:
    loopback.usual = success
    return loopback


@pytest.fixture
def embedder(server: Server) -> Iterator[OpenAICompatibleEmbedder]:
    embedder = OpenAICompatibleEmbedder(
        server.url, "fake-16", api_key=KEY, backoff_s=0.01, timeout_s=5.0
    )
    yield embedder
    embedder.close()


class TestOpenAICompatible(EmbedderConformance):
    @pytest.fixture(autouse=True)
    def _connect(self, embedder: OpenAICompatibleEmbedder) -> None:
        self.embedder = embedder

    def make_embedder(self) -> Embedder:
        return self.embedder


def test_the_request_is_the_one_of_the_endpoint(server, embedder):
    embedder.embed_documents(["tea", "用户对花生过敏。"])
    assert [asked.path for asked in server.requests] == ["/v1/embeddings"]
    assert [asked.authorization for asked in server.requests] == [f"Bearer {KEY}"]
    assert server.bodies == [
        {"model": "fake-16", "input": ["tea", "用户对花生过敏。"], "encoding_format": "float"}
    ]


def test_dimensions_are_asked_for_and_part_of_the_name(server):
    embedder = OpenAICompatibleEmbedder(server.url, "fake", dimensions=16)
    assert (embedder.name, embedder.dim, server.bodies) == ("fake/16", 16, [])
    embedder.embed_query("tea")
    assert server.bodies[0]["dimensions"] == 16
    embedder.close()


def test_rows_are_ordered_by_index(server, embedder):
    server.answers = [lambda body: ok({"data": vectors_of(body["input"])[::-1]})]
    rows = embedder.embed_documents(["tea", "coffee", "milk"])
    np.testing.assert_allclose(
        rows, FakeEmbedder(dim=16).embed_documents(["tea", "coffee", "milk"]), atol=1e-6
    )


def test_texts_go_in_batches(server):
    embedder = OpenAICompatibleEmbedder(server.url, "fake", batch_size=4, dimensions=16)
    texts = [f"text {i}" for i in range(10)]
    rows = embedder.embed_documents(texts)
    assert [len(body["input"]) for body in server.bodies] == [4, 4, 2]
    np.testing.assert_allclose(rows, FakeEmbedder(dim=16).embed_documents(texts), atol=1e-6)
    embedder.close()


def test_prefixes_and_windows(server):
    embedder = OpenAICompatibleEmbedder(
        server.url, "fake", query_prefix="q: ", passage_prefix="p: ", window_chars=10
    )
    embedder.embed_query("tea")
    embedder.embed_documents(["one two three four"])
    assert [body["input"] for body in server.bodies] == [
        ["q: tea"],
        # 18 characters in windows of at most 10: two of 9, or fewer up to the next blank.
        ["p: one two ", "p: three four"],
    ]
    embedder.close()


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_trouble_is_tried_again(server, embedder, status):
    server.answers = [(status, {}, b"later")] * 2
    assert embedder.embed_query("tea").shape == (16,)
    assert len(server.bodies) == 3


def test_a_trouble_that_stays_is_named_with_status_and_body(server, embedder):
    server.answers = [(503, {}, b"the model is loading " * 100)] * 9
    with pytest.raises(EmbeddingError, match="503: the model is loading") as caught:
        embedder.embed_query("tea")
    assert len(server.bodies) == 4
    assert len(str(caught.value)) < 500


def test_a_refusal_is_not_tried_again_and_does_not_show_the_key(server, embedder):
    server.answers = [(401, {}, f"Incorrect API key: {KEY}".encode())]
    with pytest.raises(EmbeddingError, match="401") as caught:
        embedder.embed_query("tea")
    assert len(server.bodies) == 1
    assert KEY not in str(caught.value)
    assert KEY not in repr(embedder)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((200, {}, b"<html>"), "no JSON"),
        (lambda _: ok({}), "list under `data`"),
        (lambda _: ok([1, 2]), "list under `data`"),
        (lambda _: ok({"data": []}), "0 vectors for 2 texts"),
        (lambda b: ok({"data": vectors_of([*b["input"], "more"])}), "3 vectors for 2 texts"),
        (lambda _: ok({"data": [{"index": 0, "embedding": [1]}] * 2}), "missing or wrong"),
        (lambda _: ok({"data": [{"index": 0}, {"index": 1}]}), "missing or wrong"),
        (lambda _: ok({"data": ["a", "b"]}), "missing or wrong"),
        (lambda _: ok({"data": [{"embedding": [float("nan"), 1.0]}] * 2}), "NaN"),
        (lambda _: ok({"data": [{"embedding": "AAAA"}] * 2}), "no array of numbers"),
        (lambda _: ok({"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}), "no array"),
    ],
)
def test_a_wrong_answer_is_named(server, embedder, reply, message):
    server.answers = [reply]
    with pytest.raises(EmbeddingError, match=message):
        embedder.embed_documents(["a", "b"])


def test_a_slow_answer_is_a_timeout(server):
    def slow(body: dict[str, Any]) -> Reply:
        time.sleep(0.4)
        return success(body)

    server.answers = [slow, slow]
    embedder = OpenAICompatibleEmbedder(
        server.url, "fake", timeout_s=0.1, max_retries=1, backoff_s=0.01
    )
    with pytest.raises(EmbeddingError, match="ReadTimeout"):
        embedder.embed_query("tea")
    assert len(server.bodies) == 2
    embedder.close()


def test_nobody_listening_is_an_embedding_error():
    embedder = OpenAICompatibleEmbedder("http://127.0.0.1:9/v1", "m", max_retries=0)
    with pytest.raises(EmbeddingError, match="ConnectError"):
        embedder.embed_query("tea")
    embedder.close()


def test_the_key_comes_from_the_argument_then_the_environment(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    for key in (None, "from-the-argument"):
        embedder = OpenAICompatibleEmbedder(server.url, "fake", api_key=key)
        embedder.embed_query("tea")
        embedder.close()
    monkeypatch.delenv("OPENAI_API_KEY")
    embedder = OpenAICompatibleEmbedder(server.url, "fake")
    embedder.embed_query("tea")
    embedder.close()
    assert [asked.authorization for asked in server.requests] == [
        "Bearer from-the-environment",
        "Bearer from-the-argument",
        None,
    ]


def test_it_works_again_after_close(server, embedder):
    embedder.embed_query("tea")
    embedder.close()
    assert embedder.embed_query("tea").shape == (16,)


def test_a_url_with_a_model_is_enough(server):
    embedder = make_embedder(f"{server.url}/#fake-16")
    assert isinstance(embedder, OpenAICompatibleEmbedder)
    embedder.embed_query("tea")
    assert [asked.path for asked in server.requests] == ["/v1/embeddings"]
    assert server.bodies[0]["model"] == "fake-16"
    embedder.close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base_url": "ftp://host/v1"}, "base_url"),
        ({"base_url": "localhost"}, "base_url"),
        ({"model": ""}, "model"),
        ({"dimensions": 0}, "dimensions"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"max_retries": -1}, "max_retries"),
        ({"backoff_s": -1}, "backoff_s"),
        ({"batch_size": 0}, "batch_size"),
        ({"window_chars": 0}, "window_chars"),
    ],
)
def test_what_cannot_be_right_is_refused(change, message):
    arguments: dict[str, Any] = {"base_url": "http://localhost/v1", "model": "m", **change}
    with pytest.raises(ConfigError, match=message):
        OpenAICompatibleEmbedder(**arguments)


def test_a_password_in_the_url_is_not_shown():
    embedder = OpenAICompatibleEmbedder("http://me:pass-word@127.0.0.1:9/v1", "m", max_retries=0)
    with pytest.raises(EmbeddingError) as caught:
        embedder.embed_query("tea")
    assert "pass-word" not in str(caught.value)
    embedder.close()
