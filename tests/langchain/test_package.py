"""What importing the package loads, and what a missing part says."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import memori_langchain
from memori_core import frameworks
from memori_core.errors import MissingExtraError

LANGCHAIN = ("langchain", "langchain_core", "langgraph", "langchain_classic", "pydantic")


ROOT = Path(__file__).parents[2]


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
    assert '"memori-core[classic]"' in said


@pytest.mark.parametrize(
    ("name", "package", "floor"),
    [
        ("MemoriMiddleware", "langchain", "1.5"),
        ("create_recall_tool", "langchain", "1.5"),
        ("MemoriStore", "langgraph", "1.2.12"),
    ],
)
def test_a_part_whose_package_is_too_old_says_so(monkeypatch, name, package, floor):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert any(line.startswith(f"{package}>={floor},") for line in extras["langchain"])
    monkeypatch.setattr(frameworks, "version", lambda _: "1.0.3")
    with pytest.raises(MissingExtraError, match=rf"{name} needs.*{package}>={floor}, not 1.0.3"):
        getattr(memori_langchain, name)
