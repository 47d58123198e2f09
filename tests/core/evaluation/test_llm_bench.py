"""`memori bench llm`."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

from memori_core.cli import main
from memori_core.errors import MissingExtraError
from memori_core.evaluation.llm_bench import bench_llm


def test_both_clients_are_measured_and_memory_is_injected():
    pytest.importorskip("openai", reason="openai is not installed")
    options = ["bench", "llm", "--calls", "10", "--facts", "50", "--json", "-"]
    result = CliRunner().invoke(main, options)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["calls"], found["facts"], found["extractor"]) == (10, 50, "none")
    assert 0 < found["injected"] <= 20
    assert found["added_p50_ms"] == found["registered_p50_ms"] - found["plain_p50_ms"]
    assert found["registered_begun_p50_ms"] < found["registered_first_p50_ms"]


def test_without_openai_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"memori-core\[providers\]"):
        bench_llm("http://127.0.0.1:9/v1")
    result = CliRunner().invoke(main, ["bench", "llm"])
    assert result.exit_code == 4
    assert "memori-core[providers]" in result.stderr
