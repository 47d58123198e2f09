"""A program that ends right after its call."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memori_core import Memori

pytest.importorskip("openai", reason="openai is not installed")

SCRIPT = """
import sys
from openai import OpenAI
from memori_core import Memori
from memori_core.testing import ProviderServer

with ProviderServer() as server:
    client = OpenAI(base_url=server.openai_url, api_key="x")
    Memori(sys.argv[1]).llm.register(client).attribution(entity_id="alice")
    client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "I have a dog called Rex."}]
    )
"""


def test_a_turn_is_kept_by_a_program_that_ends_before_the_embedder_is_loaded(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.db"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)],
        check=True,
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    with Memori(path, embedder=None, extractor=None) as memori:
        assert [f.content for f in memori.scoped("alice").list()] == ["User has a dog called Rex."]
