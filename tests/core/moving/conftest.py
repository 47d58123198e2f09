from __future__ import annotations

import json
import pickle
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memori_core import Memori
from memori_core.cli import main
from memori_core.stores import InMemoryStore

Run = Callable[..., Result]

# From memori 3.3.6, memori/storage/migrations/_sqlite.py: the columns, keys and checks of the
# tables that hold facts (migration 1), and of the mentions (migration 2).
MEMORI_1 = """
CREATE TABLE memori_entity(
    id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL, external_id TEXT NOT NULL,
    date_created TEXT NOT NULL DEFAULT (datetime('now')), date_updated TEXT DEFAULT NULL);
CREATE TABLE memori_process(
    id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL, external_id TEXT NOT NULL,
    date_created TEXT NOT NULL DEFAULT (datetime('now')), date_updated TEXT DEFAULT NULL);
CREATE TABLE memori_session(
    id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL, entity_id INTEGER DEFAULT NULL,
    process_id INTEGER DEFAULT NULL);
CREATE TABLE memori_conversation(
    id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL, session_id INTEGER NOT NULL,
    summary TEXT DEFAULT NULL);
CREATE TABLE memori_entity_fact(
    id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL, entity_id INTEGER NOT NULL,
    content TEXT NOT NULL, content_embedding BLOB NOT NULL, num_times INTEGER NOT NULL,
    date_last_time TEXT NOT NULL, uniq TEXT NOT NULL,
    date_created TEXT NOT NULL DEFAULT (datetime('now')), date_updated TEXT DEFAULT NULL);
"""
MEMORI_2 = """
CREATE TABLE memori_entity_fact_mention(
    id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL, entity_id INTEGER NOT NULL,
    fact_id INTEGER NOT NULL, conversation_id INTEGER NOT NULL);
"""
MEMORI_ROWS = """
INSERT INTO memori_entity(id, uuid, external_id) VALUES (1, 'e1', 'alice'), (2, 'e2', '1');
INSERT INTO memori_process(id, uuid, external_id) VALUES (1, 'p1', 'support');
INSERT INTO memori_session(id, uuid, entity_id, process_id) VALUES
    (1, 's1', 1, 1), (2, 's2', 1, NULL);
INSERT INTO memori_conversation(id, uuid, session_id) VALUES (1, 'c1', 1), (2, 'c2', 2);
INSERT INTO memori_entity_fact VALUES
    (1, 'f1', 1, 'User lives in Porto.', x'', 2, '2026-03-01 12:00:00', 'u1',
     '2026-01-15 09:30:00', NULL),
    (2, 'f2', 1, 'User plays the cello.', x'', 1, '2026-01-15 09:30:00', 'u2',
     '2026-01-15 09:30:00', NULL),
    (3, 'f3', 2, '用户对花生过敏。', x'', 1, '2025-12-31 23:59:59', 'u3',
     '2025-12-31 23:59:59', NULL);
"""
# Fact 3 of entity 2 in a session of entity 1: Memori does that after `attribution()`.
MEMORI_MENTIONS = """
INSERT INTO memori_entity_fact_mention(uuid, entity_id, fact_id, conversation_id) VALUES
    ('m1', 1, 1, 1), ('m2', 1, 1, 2), ('m3', 1, 2, 2), ('m4', 2, 3, 1);
"""

PORTO: dict[str, Any] = {
    "data": "User lives in Porto.",
    "hash": "7f1531e180da4a9630c090f68afc7a97",
    "created_at": "2026-01-15T02:30:00-07:00",
    "updated_at": "2026-02-01T00:00:00+00:00",
    "text_lemmatized": "user live porto",
    "user_id": "alice",
    "agent_id": "support",
    "run_id": "run-1",
    "actor_id": "Alice",
    "role": "user",
    "topic": {"home": [1, 2.5, None, True]},
}
ALLERGY: dict[str, Any] = {
    "data": "用户对花生过敏。",
    "created_at": "2025-12-31T23:59:59",
    "updated_at": "2025-12-31T23:59:59",
    "user_id": "用户-7",
    "expiration_date": "2031-03-01",
}


@pytest.fixture
def memori() -> Memori:
    return Memori(InMemoryStore(), embedder=None)


@pytest.fixture
def memori_db(tmp_path: Path) -> Path:
    """A database as Memori's schema has it."""
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(MEMORI_1 + MEMORI_2 + MEMORI_ROWS + MEMORI_MENTIONS)
    return path


@pytest.fixture
def make_point(monkeypatch: pytest.MonkeyPatch) -> Callable[..., bytes]:
    """Pickles a point as qdrant-client 1.20 does: an object with the state of pydantic's."""

    class PointStruct:
        def __init__(self, **fields: object) -> None:
            self.__dict__.update(fields)

        def __getstate__(self) -> dict[str, object]:
            return {
                "__dict__": self.__dict__,
                "__pydantic_extra__": None,
                "__pydantic_fields_set__": set(self.__dict__),
                "__pydantic_private__": None,
            }

    module = ModuleType("qdrant_client.http.models.models")
    PointStruct.__module__, PointStruct.__qualname__ = module.__name__, "PointStruct"
    module.PointStruct = PointStruct  # type: ignore[attr-defined]

    def make(number: str, payload: object) -> bytes:
        with monkeypatch.context() as patch:
            for name in ("qdrant_client", "qdrant_client.http", "qdrant_client.http.models"):
                patch.setitem(sys.modules, name, ModuleType(name))
            patch.setitem(sys.modules, module.__name__, module)
            point = PointStruct(id=number, vector={"": [0.1, 0.2]}, payload=payload)
            return pickle.dumps(point, protocol=4)

    return make


@pytest.fixture
def qdrant(tmp_path: Path, make_point: Callable[..., bytes]) -> Path:
    """A folder as Mem0's default vector store makes it."""
    entity = {"data": "Porto", "entity_type": "PROPER", "linked_memory_ids": ["1"], "user_id": "a"}
    collections = {
        "mem0": [("1", PORTO), ("2", ALLERGY)],
        "mem0_entities": [("3", entity)],
        "mem0migrations": [("4", {"user_id": "anonymous", "type": "user_identity"})],
    }
    folder = tmp_path / "qdrant"
    for name, points in collections.items():
        place = folder / "collection" / name
        place.mkdir(parents=True)
        with closing(sqlite3.connect(place / "storage.sqlite")) as db, db:
            db.execute("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
            rows = [(number, make_point(number, payload)) for number, payload in points]
            db.executemany("INSERT INTO points VALUES (?, ?)", rows)
    return folder


@pytest.fixture
def get_all(tmp_path: Path) -> Path:
    """What `Memory.get_all()` of mem0ai 2.2.1 returns, saved as JSON."""
    topic = {"topic": PORTO["topic"]}
    core = {key: value for key, value in PORTO.items() if key not in ("data", "topic")}
    del core["text_lemmatized"]
    porto = {"id": "1", "memory": PORTO["data"], "metadata": topic, **core}
    rest = {key: value for key, value in ALLERGY.items() if key != "data"}
    allergy = {"id": "2", "memory": ALLERGY["data"], "metadata": None, **rest}
    path = tmp_path / "get_all.json"
    path.write_text(json.dumps({"results": [porto, allergy]}), encoding="utf-8")
    return path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs `memori ARGS…` in this process and in a folder of its own."""
    monkeypatch.delenv("MEMORI_DB", raising=False)
    monkeypatch.delenv("MEMORI_ENTITY_ID", raising=False)
    monkeypatch.setenv("MEMORI_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)

    def command(*args: str, code: int = 0) -> Result:
        result = CliRunner().invoke(main, list(args))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return command
