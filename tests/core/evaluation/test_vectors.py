"""Vectors kept on disk."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from memori_core.evaluation.vectors import StoredVectors, cache_folder
from memori_core.testing import FakeEmbedder


class Forbidden(FakeEmbedder):
    def embed_query(self, text):
        raise AssertionError(text)

    def embed_documents(self, texts, *, progress=False):
        raise AssertionError(texts)


def test_every_text_is_embedded_once(own_cache):
    fake = FakeEmbedder()
    with StoredVectors(fake) as vectors:
        rows = vectors.embed_documents(["b", "a", "b"])
        query = vectors.embed_query("a")
    assert vectors.path.parent == cache_folder() == own_cache / "vectors"
    with StoredVectors(Forbidden()) as again:
        np.testing.assert_array_equal(again.embed_documents(["b", "a", "b"]), rows)
        np.testing.assert_array_equal(again.embed_query("a"), query)
        assert again.dim == fake.dim


def test_rows_are_in_the_order_of_the_texts():
    fake = FakeEmbedder()
    texts = ["a long text comes first", "b", "a middling one"]
    np.testing.assert_array_equal(
        StoredVectors(FakeEmbedder()).embed_documents(texts), fake.embed_documents(texts)
    )


def test_nothing_gives_no_rows():
    assert StoredVectors(FakeEmbedder()).embed_documents([]).shape == (0, FakeEmbedder().dim)


@pytest.mark.parametrize("damage", ["cut", "flipped", "text", "empty", "other"])
def test_a_damaged_file_is_made_anew(damage, caplog):
    with StoredVectors(FakeEmbedder()) as vectors:
        rows = vectors.embed_documents([f"text {number}" for number in range(50)])
    content = bytearray(vectors.path.read_bytes())
    middle = len(content) // 2
    if damage == "cut":
        content = content[:middle]
    elif damage == "flipped":
        content[middle] ^= 0xFF
    elif damage == "text":
        content = bytearray(b"hello")
    elif damage == "empty":
        content = bytearray()
    vectors.path.write_bytes(content)
    if damage == "other":
        with vectors.path.open("wb") as file:
            np.savez(file, keys=np.zeros((2, 32), np.uint8), rows=np.zeros((3, 4), np.float32))
    with caplog.at_level(logging.WARNING), StoredVectors(FakeEmbedder()) as again:
        texts = [f"text {number}" for number in range(50)]
        np.testing.assert_array_equal(again.embed_documents(texts), rows)
    assert "made anew" in caplog.text
    StoredVectors(Forbidden()).embed_documents(texts)


def test_an_interrupted_save_leaves_the_file(monkeypatch):
    with StoredVectors(FakeEmbedder()) as vectors:
        vectors.embed_documents(["kept"])
    before = vectors.path.read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    vectors.embed_documents(["lost"])
    with pytest.raises(OSError, match="No space"):
        vectors.save()
    assert vectors.path.read_bytes() == before
    assert list(vectors.path.parent.iterdir()) == [vectors.path]


def test_embedders_do_not_share_a_file():
    one, two = FakeEmbedder(), FakeEmbedder()
    two.name = f"{one.name}/other"
    assert StoredVectors(one).path != StoredVectors(two).path
