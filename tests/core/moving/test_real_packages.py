"""On files that the real packages wrote, each in an environment of its own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from memori_core import Fact, Memori
from memori_core.moving import from_mem0, from_memori, move
from memori_core.stores import InMemoryStore

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
VERSIONS = ("memori==3.3.6", "mem0ai==2.2.1")


def make(maker: str, package: str, folder: Path, *args: str) -> None:
    """Runs a script of this folder with a Python that has the package."""
    # One that is there already, `MOVING_memori=/path/to/python`, or a new one.
    python = os.environ.get(f"MOVING_{package.partition('=')[0]}")
    if python is None:
        venv.create(folder / "env", with_pip=True)
        python = str(folder / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python")
        subprocess.run([python, "-m", "pip", "install", "-qq", package], check=True)
    subprocess.run([python, str(HERE / maker), *args], check=True, cwd=folder)


def digests(folder: Path) -> Mapping[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file() and "env" not in path.parts]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def everything(memori: Memori) -> dict[str, list[Fact]]:
    return {user: list(memori.scoped(user).list()) for user in memori.entities()}


def dated(memori: Memori) -> dict[str, list[tuple[str, str]]]:
    return {
        user: sorted((fact.content, fact.said_at.isoformat()) for fact in facts)
        for user, facts in everything(memori).items()
    }


@pytest.fixture
def memori() -> Memori:
    return Memori(InMemoryStore(), embedder="static")


def test_a_database_of_memori(memori: Memori, tmp_path: Path):
    make("make_memori_db.py", VERSIONS[0], tmp_path, str(tmp_path / "theirs.db"))
    before = digests(tmp_path)
    moved = move(from_memori(tmp_path / "theirs.db"), into=memori)
    assert (moved.facts, moved.new, moved.users, moved.left_out) == (6, 6, 3, ())
    assert dated(memori) == {
        "alice": [
            ("User is allergic to peanuts.", "2026-01-15T09:30:00+00:00"),
            ("User lives in Porto.", "2026-01-15T09:30:00+00:00"),
            ("User plays the cello.", "2026-02-20T18:00:00+00:00"),
        ],
        "用户-7": [
            ("User lives in Lisbon.", "2025-12-31T23:59:59+00:00"),
            ("用户对花生过敏。", "2025-12-31T23:59:59+00:00"),
        ],
        "1": [("User's PIN is 4242.", "2026-04-01T00:00:00+00:00")],
    }
    porto = everything(memori)["alice"][0]
    assert (porto.content, porto.times) == ("User lives in Porto.", 2)
    assert porto.last_said_at.isoformat() == "2026-03-01T12:00:00+00:00"
    assert (porto.process_id, porto.session_id) == ("support", "session-a1")
    assert memori.scoped("alice").recall("Where do I live?")[0].content == porto.content

    stored = everything(memori)
    assert move(from_memori(tmp_path / "theirs.db"), into=memori).new == 0
    assert everything(memori) == stored
    assert digests(tmp_path) == before


def test_the_files_of_mem0(memori: Memori, tmp_path: Path):
    make("make_mem0_store.py", VERSIONS[1], tmp_path, str(tmp_path))
    before = digests(tmp_path)
    folder, saved = tmp_path / "qdrant", tmp_path / "get_all.json"
    moved = move(from_mem0(folder), into=memori)
    assert (moved.facts, moved.new, moved.users, moved.left_out) == (6, 6, 3, ())
    facts = {fact.content: fact for own in everything(memori).values() for fact in own}
    assert {user: len(own) for user, own in everything(memori).items()} == (
        {"alice": 3, "planner": 1, "用户-7": 2}
    )
    said = {content: fact.said_at.isoformat() for content, fact in facts.items()}
    now = said.pop("User plays the cello.")  # through the model, dated by Mem0
    assert now == facts["User plays the cello."].last_said_at.isoformat()
    assert said == {
        "User lives in Porto.": "2026-01-15T09:30:00+00:00",
        "User is allergic to peanuts.": "2026-01-15T09:30:00+00:00",
        "User lives in Faro.": "2025-12-31T23:59:59.500000+00:00",
        "用户对花生过敏。": "2026-02-20T18:00:00+00:00",
        "The team meets on Mondays.": "2026-04-01T00:00:00+00:00",
    }
    assert facts["User lives in Faro."].last_said_at.isoformat() >= now  # it was updated last
    expiry = facts["用户对花生过敏。"].valid_until
    assert expiry is not None
    assert expiry.isoformat() == "2031-03-02T00:00:00+00:00"
    peanuts = facts["User is allergic to peanuts."]
    assert peanuts.session_id == "run-1"
    assert peanuts.metadata["deep"] == {"a": {"b": 1.5}}
    assert facts["User lives in Porto."].process_id == "support"

    # `get_all()` says the same of the same memories, so they are there already.
    stored = everything(memori)
    assert {m["id"] for m in json.loads(saved.read_text(encoding="utf-8"))["results"]} == (
        {fact.id for fact in facts.values()}
    )
    for source in (folder, saved):
        assert move(from_mem0(source), into=memori).new == 0
        assert everything(memori) == stored
    assert digests(tmp_path) == before
