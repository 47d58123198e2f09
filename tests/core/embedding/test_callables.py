"""What a user's function gives is checked."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from memori_core.embedding import CallableEmbedder
from memori_core.embedding.base import EmbedderProfile
from memori_core.errors import ConfigError, EmbeddingError


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([[1.0, 2.0]], "shape"),
        ([1.0, 2.0], "shape"),
        ([[], []], "shape"),
        ([[1.0], [1.0, 2.0]], "no array of numbers"),
        (["a", "b"], "no array of numbers"),
        (None, "shape"),
        ([[1.0, float("nan")], [1.0, 0.0]], "NaN"),
        ([[1.0, float("inf")], [1.0, 0.0]], "NaN"),
    ],
)
def test_a_wrong_answer_is_named(answer, message):
    embedder = CallableEmbedder(lambda _: answer, name="wrong")
    with pytest.raises(EmbeddingError, match=message) as caught:
        embedder.embed_documents(["a", "b"])
    assert "wrong" in str(caught.value)


def test_vectors_are_scaled_to_unit_length_and_zero_rows_stay():
    embedder = CallableEmbedder(lambda _: [[3, 4], [0, 0], [1e-200, 0], [3e200, 4e200]], name="f")
    rows = embedder.embed_documents(["a", "b", "c", "d"])
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0], [1, 0], [0.6, 0.8]], rtol=1e-6)


def test_a_changing_dimension_is_refused():
    answers = iter([[[1.0, 0.0]], [[1.0, 0.0, 0.0]]])
    embedder = CallableEmbedder(lambda _: next(answers), name="shifty")
    embedder.embed_query("a")
    with pytest.raises(EmbeddingError, match="3-d vectors; it made 2-d ones"):
        embedder.embed_query("b")


def test_what_the_function_raises_is_chained():
    def failing(texts: list[str]) -> list[list[float]]:
        raise KeyError("no such word")

    with pytest.raises(EmbeddingError, match="no such word") as caught:
        CallableEmbedder(failing).embed_query("a")
    assert isinstance(caught.value.__cause__, KeyError)


def test_objects_and_partials_have_a_name_too():
    class Model:
        def __call__(self, texts: list[str]) -> list[list[float]]:
            return [[1.0] for _ in texts]

    assert CallableEmbedder(Model()).name.endswith("Model")
    assert CallableEmbedder(functools.partial(Model())).name == "functools.partial"


def test_batches_are_put_back_in_order():
    embedder = CallableEmbedder(
        lambda texts: [[len(text), 1.0] for text in texts], name="length", batch_size=3
    )
    rows = embedder.embed_documents(["a" * n for n in range(10)])
    # tan of the angle is the length over 1.
    np.testing.assert_allclose(rows[:, 0] / rows[:, 1], np.arange(10), atol=1e-4)


def test_questions_may_have_a_function_and_cosines_a_profile_of_their_own():
    def texts(texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]

    def questions(texts: list[str]) -> list[list[float]]:
        return [[0.0, 2.0] for _ in texts]

    async def waiting(texts: list[str]) -> list[list[float]]:
        return questions(texts)

    embedder = CallableEmbedder(texts, query_function=questions, profile=None)
    assert embedder.profile() is None
    assert embedder.embed_query("a").tolist() == [0.0, 1.0]
    assert embedder.embed_documents(["a"]).tolist() == [[1.0, 0.0]]
    assert CallableEmbedder(texts).profile() == EmbedderProfile()
    assert CallableEmbedder(texts).embed_query("a").tolist() == [1.0, 0.0]
    with pytest.raises(ConfigError, match="waiting"):
        CallableEmbedder(texts, query_function=waiting)  # type: ignore[arg-type]
