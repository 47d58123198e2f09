"""The end of a program whose threads outlive the main one: memory goes on as long as they do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memori_core import Memori

CAPTURE_LATE = """
import sys, threading
from memori_core import Memori

def serve():
    threading.main_thread().join()
    memori.scoped("alice").capture("I live in Porto.")
    print(memori.flush(20))

memori = Memori(sys.argv[1], embedder=None)
memori.scoped("alice").capture("I like tea.")
threading.Thread(target=serve).start()
"""

SUBMIT_LATE = """
import sys, threading
from memori_core import Memori, Scope
from memori_core.hooks import Hooks

def serve():
    threading.main_thread().join()
    hooks.submit("I live in Porto.", scope=Scope("alice"))
    print(True)

memori = Memori(sys.argv[1], embedder=None)
hooks = Hooks(memori, on_error="raise")
hooks.submit("I like tea.", scope=Scope("alice"))
threading.Thread(target=serve).start()
"""

BEGIN_LATE = """
import sys, threading

def serve():
    threading.main_thread().join()
    from memori_core import Memori

    memori = Memori(sys.argv[1], embedder=None)
    memori.scoped("alice").capture("I like tea.")
    memori.scoped("alice").capture("I live in Porto.")
    print(True)

threading.Thread(target=serve).start()
"""


@pytest.mark.parametrize("code", [CAPTURE_LATE, SUBMIT_LATE, BEGIN_LATE])
def test_a_thread_that_outlives_the_main_one_has_its_memory(tmp_path: Path, code: str) -> None:
    path = tmp_path / "m.db"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        check=True,
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
    with Memori(path, embedder=None, extractor=None) as memori:
        assert memori.augmentation.stats()["jobs_waiting"] == 0
        said = " ".join(fact.content for fact in memori.scoped("alice").list())
        assert "tea" in said
        assert "Porto" in said
