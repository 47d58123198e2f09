"""Embedders for tests: a fake one, and the suite that every real one passes."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from memori_core.embedding._vectors import unit_rows
from memori_core.embedding.base import Embedder, FloatArray
from memori_core.errors import ConfigError

_HASHED_DIM = 64

# Chinese and Japanese are written without spaces: a character stands for a word.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")


class FakeEmbedder(Embedder):
    """An embedder without a model, the same on every machine. It remembers what it was asked.

    Args:
        vectors: Vectors of known texts, all of one length; scaled to unit length. Any other text
            gets a hashed bag of its words: texts that share words are similar, others hardly.
        dim: Number of components where no vectors are given.
        name: Stored beside every vector.
        delay_s: Time that each call takes, in seconds.

    Raises:
        ConfigError: The vectors differ in length, or `dim` is below 1.

    Example:
        ```python
        from memori_core.testing import FakeEmbedder

        fake = FakeEmbedder({"tea": [3, 4], "What do I drink?": [1, 0]})
        tea = fake.embed_documents(["tea"])[0]
        print(round(float(tea @ fake.embed_query("What do I drink?")), 2))
        #> 0.6
        print(fake.queries, fake.documents)
        #> ['What do I drink?'] ['tea']
        ```
    """

    def __init__(
        self,
        vectors: Mapping[str, Sequence[float]] | None = None,
        *,
        dim: int = _HASHED_DIM,
        name: str = "fake",
        delay_s: float = 0.0,
    ) -> None:
        self._vectors = {
            text: np.asarray(vector, dtype=np.float64) for text, vector in (vectors or {}).items()
        }
        shapes = {vector.shape for vector in self._vectors.values()} or {(dim,)}
        if len(shapes) > 1 or len(shape := shapes.pop()) != 1 or shape[0] < 1:
            raise ConfigError("`vectors` must all have one and the same number of components.")
        self.name = name
        self.queries: list[str] = []
        """Every question so far, in the order asked."""
        self.documents: list[str] = []
        """Every text to be stored so far, in the order given."""
        self._dim = shape[0]
        self._delay_s = delay_s

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._dim

    def embed_query(self, text: str) -> FloatArray:
        """The vector of a question."""
        self.queries.append(text)
        return self._embed([text])[0]

    def embed_documents(self, texts: Sequence[str], *, progress: bool = False) -> FloatArray:
        """The vectors of texts. There is no bar."""
        self.documents.extend(texts)
        return self._embed(texts)

    def warm_up(self) -> None:
        """Nothing: there is nothing to load, and the question would show in `queries`."""

    def _embed(self, texts: Sequence[str]) -> FloatArray:
        if self._delay_s:
            time.sleep(self._delay_s)
        if not texts:
            return np.empty((0, self._dim), dtype=np.float32)
        return unit_rows(np.stack([self._row(text) for text in texts]))

    def _row(self, text: str) -> npt.NDArray[np.float64]:
        known = self._vectors.get(text)
        return _bag_of_words(text, self._dim) if known is None else known


def _bag_of_words(text: str, dim: int) -> npt.NDArray[np.float64]:
    """Each word adds its own sign pattern: two words are at a cosine of 0, give or take 1/√dim."""
    row = np.zeros(dim)
    for word in _WORD.findall(text.casefold()):
        seed = hashlib.blake2b(word.encode("utf-8", errors="replace"), digest_size=8).digest()
        # Philox gives the same stream in every release of numpy.
        bits = np.random.Philox(key=int.from_bytes(seed, "little")).random_raw(dim)
        row += np.where(np.asarray(bits) & 1, 1.0, -1.0)
    return row


class EmbedderConformance(ABC):
    """What every embedder promises. Subclass it in a test module and pytest runs it.

    `make_embedder` is called once per test; return one shared instance where loading is slow.

    Example:
        ```python
        from memori_core.testing import EmbedderConformance, FakeEmbedder

        class TestMyEmbedder(EmbedderConformance):
            def make_embedder(self):
                return FakeEmbedder()
        ```
    """

    tolerance: float = 1e-5
    """How far components may differ between calls, and between batches."""

    _TEXTS = (
        "User is allergic to peanuts.",
        "User lives in Graz with two cats.",
        "The meeting moved to Thursday.",
        "C++",
        "User's favourite drink is oolong tea, which she buys in a small shop near the river.",
    )
    _UNICODE = (
        "用户对花生过敏。",
        "Ångström naïve café",
        "🥜🚫 👩‍👩‍👧",
        "Привет, мир",
        "שלום עולם",
        "NUL\0inside",
        "half of a pair \ud83e",
        "a\u0301\u0327\u200d",
    )

    @abstractmethod
    def make_embedder(self) -> Embedder:
        """The embedder under test."""

    def test_it_has_a_name_and_a_dimension(self) -> None:
        embedder = self.make_embedder()
        assert embedder.name
        assert embedder.dim >= 1

    def test_a_question_gives_one_unit_vector(self) -> None:
        embedder = self.make_embedder()
        vector = embedder.embed_query("What am I allergic to?")
        assert vector.shape == (embedder.dim,)
        _assert_unit_rows(vector[None, :])

    def test_texts_give_one_unit_row_each(self) -> None:
        embedder = self.make_embedder()
        rows = embedder.embed_documents(self._TEXTS)
        assert rows.shape == (len(self._TEXTS), embedder.dim)
        _assert_unit_rows(rows)

    def test_no_texts_give_no_rows(self) -> None:
        embedder = self.make_embedder()
        rows = embedder.embed_documents([])
        assert rows.shape == (0, embedder.dim)
        assert rows.dtype == np.float32

    def test_the_same_text_gives_the_same_vector(self) -> None:
        embedder = self.make_embedder()
        once, again = embedder.embed_documents([self._TEXTS[0]] * 2)
        self._assert_close(once, again)
        self._assert_close(
            embedder.embed_query(self._TEXTS[0]), embedder.embed_query(self._TEXTS[0])
        )

    def test_a_vector_does_not_depend_on_its_batch_or_place(self) -> None:
        embedder = self.make_embedder()
        texts = [f"{text} Note {i}." for i in range(20) for text in self._TEXTS]
        together = embedder.embed_documents(texts)
        for i in (0, 7, len(texts) - 1):
            self._assert_close(together[i], embedder.embed_documents([texts[i]])[0])

    def test_a_text_is_nearer_to_itself_than_to_others(self) -> None:
        embedder = self.make_embedder()
        rows = embedder.embed_documents(self._TEXTS)
        for i, text in enumerate(self._TEXTS):
            assert int(np.argmax(rows @ embedder.embed_query(text))) == i

    def test_any_unicode_is_embedded(self) -> None:
        embedder = self.make_embedder()
        rows = embedder.embed_documents(self._UNICODE)
        assert rows.shape == (len(self._UNICODE), embedder.dim)
        assert np.isfinite(rows).all()
        for text in self._UNICODE:
            assert np.isfinite(embedder.embed_query(text)).all()

    def test_blank_text_breaks_nothing(self) -> None:
        embedder = self.make_embedder()
        rows = embedder.embed_documents(["", " \t\n", self._TEXTS[0]])
        assert rows.shape == (3, embedder.dim)
        assert np.isfinite(rows).all()
        assert np.isfinite(embedder.embed_query("")).all()

    def test_a_long_text_counts_to_its_last_word(self) -> None:
        embedder = self.make_embedder()
        filler = "The weather was mild and the street was quiet that day. " * 60
        ending = "The vault code word is marmalade."
        cut, whole = embedder.embed_documents([filler, filler + ending])
        _assert_unit_rows(np.stack([cut, whole]))
        assert np.abs(cut - whole).max() > self.tolerance
        alone = embedder.embed_documents([ending])[0]
        assert float(whole @ alone) > float(cut @ alone)

    def test_eight_threads_get_their_own_vectors(self) -> None:
        embedder = self.make_embedder()
        texts = [self._TEXTS[i % 5] + " And more." * (i % 7) for i in range(24)]
        expected = [embedder.embed_query(text) for text in texts]
        rows = embedder.embed_documents(texts)
        with ThreadPoolExecutor(8) as pool:
            for vector, wanted in zip(pool.map(embedder.embed_query, texts), expected, strict=True):
                self._assert_close(vector, wanted)
            for answer in pool.map(embedder.embed_documents, [texts, texts]):
                self._assert_close(answer, rows)

    def test_the_async_twins_give_the_same(self) -> None:
        embedder = self.make_embedder()

        async def both() -> tuple[FloatArray, FloatArray]:
            return (
                await embedder.aembed_query(self._TEXTS[0]),
                await embedder.aembed_documents(self._TEXTS),
            )

        with asyncio.Runner() as runner:
            vector, rows = runner.run(both())
        self._assert_close(vector, embedder.embed_query(self._TEXTS[0]))
        self._assert_close(rows, embedder.embed_documents(self._TEXTS))

    def test_the_profile_fits_the_vectors(self) -> None:
        embedder = self.make_embedder()
        profile = embedder.profile()
        if profile is None:
            return
        assert profile.scale > 0
        for background in (profile.background, profile.background_cjk):
            assert background is None or background.shape == (embedder.dim,)

    def test_what_the_caller_passed_is_not_changed(self) -> None:
        embedder = self.make_embedder()
        texts = list(self._TEXTS)
        embedder.embed_documents(texts)
        assert texts == list(self._TEXTS)

    def _assert_close(self, left: FloatArray, right: FloatArray) -> None:
        np.testing.assert_allclose(left, right, rtol=0, atol=self.tolerance)


def _assert_unit_rows(rows: FloatArray) -> None:
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
