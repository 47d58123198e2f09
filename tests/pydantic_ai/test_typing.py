"""Types reach users end to end: the examples of the page pass pyright strict, and errors show."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "pages" / "tutorials" / "pydantic_ai.md"

WRONG = """
from dataclasses import dataclass

from memori_core import ScopedMemory
from memori_pydantic_ai import MemoriCapability, memory_instructions, memory_toolset
from pydantic_ai import Agent, RunContext


@dataclass
class Deps:
    memory: ScopedMemory


def wrong(ctx: RunContext[Deps]) -> str:
    return "alice"


memory_toolset(wrong)
memory_instructions(lambda ctx: 1)
MemoriCapability("memories.db")
toolset = memory_toolset(lambda ctx: None, tools=["search"])


def memory_of(ctx: RunContext[Deps]) -> ScopedMemory:
    return ctx.deps.memory


Agent("test", deps_type=int, toolsets=[memory_toolset(memory_of)])
"""


def checked(folder: Path) -> list[tuple[str, int, str]]:
    """File, line and message of what pyright strict says."""
    config = {
        "include": ["."],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "extraPaths": [str(ROOT), str(ROOT / "integrations")],
        "pythonPlatform": "Linux",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pyright",
            "--outputjson",
            "--pythonpath",
            sys.executable,
            "-p",
            ".",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return [
        (Path(d["file"]).name, d["range"]["start"]["line"] + 1, d["message"])
        for d in report["generalDiagnostics"]
        if d["severity"] == "error"
    ]


def test_the_examples_pass_pyright_strict_and_mistakes_do_not(tmp_path: Path):
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) > 8
    for number, block in enumerate(blocks):
        (tmp_path / f"block_{number}.py").write_text(block)
    (tmp_path / "wrong.py").write_text(WRONG)
    found = checked(tmp_path)
    assert [error for error in found if error[0] != "wrong.py"] == []
    lines = WRONG.splitlines()
    assert {lines[line - 1].split("(")[0] for _, line, _ in found} >= {
        "memory_toolset",
        "memory_instructions",
        "MemoriCapability",
        "toolset = memory_toolset",
        "Agent",
    }
