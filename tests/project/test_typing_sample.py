"""A user's code passes `mypy --strict` against our annotations, and runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).with_name("user_sample.py")


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=cwd, capture_output=True, text=True, timeout=280
    )


def test_the_sample_passes_mypy_strict(tmp_path: Path):
    # In a folder of its own, so that the package is found where it is installed, as a user has it.
    done = run(
        "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(SAMPLE), cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_sees_a_mistake(tmp_path: Path):
    """The check above would say nothing if our types arrived as `Any`."""
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from memori_core import Scope\n\nScope(entity_id=7)\n")
    done = run(
        "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(wrong), cwd=tmp_path
    )
    assert "arg-type" in done.stdout, done.stdout + done.stderr


def test_the_sample_runs(tmp_path: Path):
    done = run("-W", "error", str(SAMPLE), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
