"""The fake embedder, on which other tests rely."""

from __future__ import annotations

import time

import numpy as np
import pytest

from memori_core.errors import ConfigError
from memori_core.testing.embedders import FakeEmbedder


def test_known_texts_have_their_vectors_at_unit_length():
    fake = FakeEmbedder({"tea": [3, 4], "nothing": [0, 0]})
    assert fake.dim == 2
    np.testing.assert_allclose(
        fake.embed_documents(["tea", "nothing"]), [[0.6, 0.8], [0, 0]], rtol=1e-6
    )


def test_texts_that_share_words_are_similar():
    fake = FakeEmbedder()
    rows = fake.embed_documents(["Alice drinks tea", "用户喜欢喝茶"])
    assert float(rows[0] @ fake.embed_query("who drinks tea?")) > 0.4
    assert float(rows[1] @ fake.embed_query("喝茶")) > 0.4
    assert abs(float(rows[0] @ fake.embed_query("stock market report"))) < 0.4


def test_vectors_are_the_same_on_every_machine():
    # Written down once: a change would silently change every test that ranks with the fake.
    assert np.sign(FakeEmbedder(dim=8).embed_query("tea")).tolist() == SIGNS_OF_TEA


SIGNS_OF_TEA = [-1.0, 1.0, -1.0, -1.0, -1.0, 1.0, 1.0, -1.0]


def test_it_remembers_what_it_was_asked():
    fake = FakeEmbedder()
    fake.embed_query("a?")
    fake.embed_documents(["b", "c"])
    fake.warm_up()
    assert (fake.queries, fake.documents) == (["a?"], ["b", "c"])


def test_it_can_be_slow():
    started = time.monotonic()
    FakeEmbedder(delay_s=0.05).embed_query("a?")
    assert time.monotonic() - started >= 0.05


@pytest.mark.parametrize(
    "arguments",
    [{"vectors": {"a": [1, 2], "b": [1]}}, {"vectors": {"a": []}}, {"dim": 0}],
)
def test_what_cannot_be_right_is_refused(arguments):
    with pytest.raises(ConfigError):
        FakeEmbedder(**arguments)
