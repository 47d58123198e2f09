"""Many texts with vectors, for measuring time: of real data, or made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

import numpy as np

from memori_core.embedding import FloatArray, load_cohort, make_embedder
from memori_core.evaluation.datasets import UNITS, load_locomo
from memori_core.evaluation.vectors import StoredVectors

DIM = 384
TOPICS = 64
"""Made-up vectors lie around this many directions, as those of real texts lie around subjects."""
NOISE = 0.6
"""How far made-up vectors and numbered copies lie from what they were made of."""
QUERIES = 200


@dataclass(frozen=True, slots=True)
class Pool:
    """Facts of one entity and questions to it, with vectors."""

    texts: Sequence[str]
    _: KW_ONLY
    vectors: FloatArray
    """Shape `(n, dim)`, float32, unit rows."""
    queries: Sequence[str]
    query_vectors: FloatArray


def made_up_pool(size: int, *, seed: int = 0) -> Pool:
    """Sentences spliced from the shipped cohort, every one different; vectors around topics.

    The words have the frequencies of everyday sentences; the vectors mean nothing.
    """
    rng = np.random.default_rng(seed)
    sentences = [sentence.split() for sentence in load_cohort("en")]
    texts = [_spliced(sentences, number, rng) for number in range(size)]
    queries = [_question(sentences, rng) for _ in range(QUERIES)]
    topics = _unit(rng.standard_normal((TOPICS, DIM)))
    return Pool(
        texts,
        vectors=_around(topics, size, rng),
        queries=queries,
        query_vectors=_around(topics, QUERIES, rng),
    )


def locomo_pool(path: str | Path, size: int, *, seed: int = 0) -> Pool:
    """Turns and observations of LoCoMo with vectors of the default embedder, and its questions.

    Past their number come numbered copies with noise on the vector.

    Raises:
        ConfigError: The file cannot be read or is something else.
    """
    rng = np.random.default_rng(seed)
    collections = [c for unit in UNITS for c in load_locomo(path, unit=unit).collections]
    real = list(dict.fromkeys(fact.content for c in collections for fact in c.facts))
    asked = list(dict.fromkeys(question.text for c in collections for question in c.questions))
    queries = [asked[int(i)] for i in rng.permutation(len(asked))[:QUERIES]]
    embedder = make_embedder("all-MiniLM-L6-v2")
    assert embedder is not None
    with StoredVectors(embedder) as stored:
        rows = stored.embed_documents(real, progress=True)
        query_vectors = stored.embed_queries(queries, progress=True)
    order = rng.permutation(len(real))
    places = [int(order[i % len(real)]) for i in range(size)]
    copies = [i // len(real) for i in range(size)]
    texts = [
        f"{real[place]} ({copy})" if copy else real[place]
        for place, copy in zip(places, copies, strict=True)
    ]
    vectors = rows[places]
    numbered = np.array(copies) > 0
    noise = NOISE * _unit(rng.standard_normal((int(numbered.sum()), rows.shape[1])))
    vectors[numbered] = _unit(vectors[numbered] + noise)
    return Pool(texts, vectors=vectors, queries=queries, query_vectors=query_vectors)


def _spliced(sentences: list[list[str]], number: int, rng: np.random.Generator) -> str:
    first = sentences[int(rng.integers(len(sentences)))]
    second = sentences[int(rng.integers(len(sentences)))]
    head, tail = first[: int(rng.integers(2, 7))], second[-int(rng.integers(2, 7)) :]
    return " ".join([*head, *tail, f"No. {number}"])


def _question(sentences: list[list[str]], rng: np.random.Generator) -> str:
    words = sentences[int(rng.integers(len(sentences)))]
    start = int(rng.integers(max(1, len(words) - 4)))
    return f"What about {' '.join(words[start : start + 4])}?"


def _around(topics: FloatArray, size: int, rng: np.random.Generator) -> FloatArray:
    chosen = topics[rng.integers(len(topics), size=size)]
    return _unit(chosen + NOISE * _unit(rng.standard_normal((size, topics.shape[1]))))


def _unit(rows: FloatArray | np.ndarray) -> FloatArray:
    rows = rows.astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
