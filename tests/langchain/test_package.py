"""What importing the package loads, and what a missing part says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import memori_langchain

LANGCHAIN = ("langchain", "langchain_core", "langgraph", "langchain_classic", "pydantic")


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_it_loads_nothing_of_langchain():
    loaded = python(
        "import sys, memori_langchain\n"
        f"print([m for m in {LANGCHAIN!r} if m in sys.modules], memori_langchain.__version__)"
    )
    assert loaded.startswith("[] ")


def test_what_needs_langchain_core_only_loads_no_more():
    loaded = python(
        "import sys\n"
        "from memori_langchain import MemoriCallbackHandler, MemoriRetriever, from_embeddings\n"
        "from memori_langchain import ChatModelExtractor, MemoriChatMessageHistory\n"
        "print([m for m in ('langchain', 'langgraph', 'langchain_classic') if m in sys.modules])"
    )
    assert loaded.strip() == "[]"


def test_every_name_is_there_and_documented_with_an_example():
    for name in memori_langchain.__all__:
        value = getattr(memori_langchain, name)
        if callable(value):
            assert value.__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = memori_langchain.Nothing
    assert (Path(memori_langchain.__file__).parent / "py.typed").exists()


def test_without_langchain_classic_the_pip_line_is_named():
    said = python(
        "import sys\n"
        "sys.modules['langchain_classic'] = None\n"
        "from memori_langchain import MemoriMiddleware\n"
        "try:\n"
        "    from memori_langchain import MemoriMemory\n"
        "except ImportError as e:\n"
        "    print(e)\n"
    )
    assert said.strip().endswith("`langchain-classic`: pip install langchain-classic")
