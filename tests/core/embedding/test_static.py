"""wordllama's packaged word vectors."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from memori_core.embedding import StaticEmbedder
from memori_core.embedding import static as module
from memori_core.errors import EmbeddingError


def test_vectors_are_those_of_the_package(static):
    root = logging.getLogger()
    before = root.level, root.handlers[:]
    wordllama = pytest.importorskip("wordllama")
    root.level, root.handlers[:] = before
    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    texts = ["User is allergic to peanuts.", "用户对花生过敏。", "word " * 3000]
    np.testing.assert_allclose(
        static.embed_documents(texts), model.embed(texts, norm=True), rtol=0, atol=1e-5
    )


def test_a_text_without_tokens_is_similar_to_nothing(static):
    assert not static.embed_query("").any()


def test_nothing_is_asked_of_the_network_and_logging_is_left_alone():
    """In a process of its own: the package's loader does both."""
    script = """
import sys
def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo"):
        print("NETWORK", event, flush=True)
sys.addaudithook(watch)
from memori_core.embedding import StaticEmbedder
import logging
print(StaticEmbedder().embed_query("hello").shape, logging.getLogger().handlers)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "(256,) []\n"


def test_other_weights_are_not_loaded(monkeypatch):
    monkeypatch.setattr(module, "_WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(EmbeddingError, match="not those this release was tested with"):
        StaticEmbedder().embed_query("hello")
