from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memori_core.cli import main

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder of its own, and words only: no command loads a model unless it is told to."""
    for name in ("MEMORI_DB", "MEMORI_ENTITY_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMORI_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run() -> Run:
    """Runs `memori ARGS…` in this process."""

    def command(*args: str, code: int = 0, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(main, list(args), input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return command


@pytest.fixture
def run_json(run: Run) -> Callable[..., Any]:
    """Runs `memori ARGS… --json -` and reads what it printed: JSON, and nothing else."""

    def command(*args: str, code: int = 0) -> Any:
        return json.loads(run(*args, "--json", "-", code=code).stdout)

    return command


@pytest.fixture
def alice(run: Run) -> Run:
    """`run`, on a file in which alice and 王芳 have facts."""
    run("remember", "I live in Porto.", "--user", "alice", "--meta", "year=2026")
    run("remember", "I am allergic to peanuts.", "--user", "alice", "--pinned")
    run("remember", "我对花生过敏。", "--user", "王芳", "--pinned")
    return run
