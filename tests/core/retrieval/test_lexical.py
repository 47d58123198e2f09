"""BM25 against bm25s, the oracle, after every kind of change."""

from __future__ import annotations

import random

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memori_core.retrieval.lexical import K1, B, LexicalIndex, idf
from memori_core.retrieval.tokenization import content_terms, index_terms, query_words

WORDS = [f"word{chr(97 + i)}{chr(97 + j)}" for i in range(6) for j in range(6)]


def oracle(texts: list[list[str]], query: list[str]) -> np.ndarray:
    """What bm25s says; it cannot index a corpus without a token (xhluca/bm25s#67)."""
    if not any(texts):
        return np.zeros(len(texts))
    retriever = bm25s.BM25(method="lucene", k1=K1, b=B)
    retriever.index(texts, show_progress=False)
    known = [term for term in query if term in retriever.vocab_dict]
    return retriever.get_scores(known) if known else np.zeros(len(texts))


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(1, 12)))


@pytest.mark.parametrize("seed", range(5))
def test_scores_equal_bm25s_while_the_entity_is_in_motion(seed: int) -> None:
    rng = random.Random(seed)
    index = LexicalIndex()
    texts: dict[int, list[str]] = {}
    rows = 0
    for _ in range(30):
        if texts and rng.random() < 0.4:
            gone = rng.sample(sorted(texts), k=min(len(texts), rng.randint(1, 3)))
            index.remove(gone)
            for row in gone:
                del texts[row]
        else:
            batch = [index_terms(sentence(rng)) for _ in range(rng.choice([1, 1, 1, 5]))]
            index.add(batch)
            texts |= {rows + i: content_terms(terms) for i, terms in enumerate(batch)}
            rows += len(batch)
        query = query_words(sentence(rng))
        live = sorted(texts)
        expected = oracle([texts[row] for row in live], [word.terms[0] for word in query])
        np.testing.assert_allclose(index.view().scores(query)[live], expected, atol=1e-5)


def test_idf_is_lucenes() -> None:
    # ln(1 + (10 - 2 + 0.5) / (2 + 0.5)) = ln(4.4)
    assert float(idf(10, 2.0)) == pytest.approx(1.4816045)
    assert float(idf(10, 10.0)) > 0


def test_a_view_does_not_see_later_changes() -> None:
    index = LexicalIndex()
    index.add([index_terms("tea"), index_terms("tea jazz")])
    query = query_words("tea")
    view = index.view()
    before = view.scores(query).copy()
    for _ in range(50):
        index.add([index_terms("tea tea")])
    index.remove([0])
    assert np.array_equal(view.scores(query), before)
    assert len(index.view().scores(query)) == 52


def test_a_word_with_several_ways_counts_its_best() -> None:
    index = LexicalIndex()
    index.add([index_terms("café"), index_terms("cafe"), index_terms("getUserById"), ["user"]])
    accents = index.view().scores(query_words("café"))
    assert accents[0] >= accents[1] > 0
    code = index.view().scores(query_words("getUserById"))
    assert code[2] > code[3] > 0


@given(
    st.lists(st.text(alphabet="abc ", max_size=12), max_size=6),
    st.text(alphabet="abc ", max_size=6),
)
@settings(deadline=None)
def test_scores_are_finite_and_never_negative(texts: list[str], query: str) -> None:
    index = LexicalIndex()
    index.add([index_terms(text) for text in texts])
    scores = index.view().scores(query_words(query))
    assert len(scores) == len(texts)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
