from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memori_core import Memori
from memori_core.errors import ConfigError
from memori_core.moving import MovedFact, from_mem0, move


def saved(folder: Path, *memories: dict[str, Any]) -> Path:
    path = folder / "mem0.json"
    path.write_text(json.dumps(memories), encoding="utf-8")
    return path


def test_the_folder_and_get_all_say_the_same(qdrant: Path, get_all: Path):
    assert list(from_mem0(qdrant)) == list(from_mem0(get_all))
    assert list(from_mem0(qdrant / "collection/mem0")) == list(from_mem0(qdrant))
    assert list(from_mem0(qdrant / "collection/mem0/storage.sqlite")) == list(from_mem0(qdrant))


@pytest.mark.parametrize("source", ["qdrant", "get_all"])
def test_memories_arrive_with_all_that_is_known(
    memori: Memori, source: str, request: pytest.FixtureRequest
):
    moved = move(from_mem0(request.getfixturevalue(source)), into=memori)
    assert (moved.facts, moved.new, moved.users, moved.left_out) == (2, 2, 2, ())
    porto = memori.scoped("alice").get("1")
    assert porto is not None
    assert porto.content == "User lives in Porto."
    # 02:30 seven hours west of UTC.
    assert porto.said_at == datetime(2026, 1, 15, 9, 30, tzinfo=UTC)
    assert porto.last_said_at == porto.learnt_at == datetime(2026, 2, 1, tzinfo=UTC)
    assert (porto.process_id, porto.session_id, porto.speaker) == ("support", "run-1", "Alice")
    assert porto.metadata == {"role": "user", "topic": {"home": [1, 2.5, None, True]}}
    allergy = memori.scoped("用户-7").get("2")
    assert allergy is not None
    assert allergy.said_at == datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert allergy.valid_until == datetime(2031, 3, 2, tzinfo=UTC)  # the last day counts


@pytest.mark.parametrize(
    ("ids", "entity_id", "process_id"),
    [
        ({"user_id": " alice ", "agent_id": "a", "run_id": "r"}, "alice", "a"),
        ({"user_id": 7}, "7", None),
        ({"agent_id": "a", "run_id": "r"}, "a", "a"),
        ({"user_id": None, "app_id": "shop", "run_id": "r"}, "shop", None),
        ({"run_id": "r"}, "r", None),
    ],
)
def test_a_memory_is_that_of_its_first_id(
    tmp_path: Path, ids: dict[str, Any], entity_id: str, process_id: str | None
):
    (moved,) = from_mem0(saved(tmp_path, {"id": "1", "memory": "Tea.", **ids}))
    assert (moved.entity_id, moved.process_id) == (entity_id, process_id)


def test_what_cannot_be_a_fact_is_left_out_and_said(memori: Memori, tmp_path: Path):
    path = saved(
        tmp_path,
        {"id": "1", "memory": "User likes tea.", "user_id": "alice"},
        {"id": "2", "memory": "Nobody's."},
        {"id": "3", "memory": " ", "user_id": "alice"},
        {"id": "4", "memory": None, "user_id": "alice"},
        {"memory": "User has no id.", "user_id": "alice"},
    )
    moved = move(from_mem0(path), into=memori)
    assert (moved.facts, moved.new) == (1, 1)
    assert [line.partition(":")[0] for line in moved.left_out] == (
        ["fact 2", "fact 3", "fact 4", "fact None"]
    )
    assert "`entity_id` is empty" in moved.left_out[0]


def test_the_last_writing_of_a_point_counts(qdrant: Path, make_point: Callable[..., bytes]):
    payload = {"data": "User lives in Faro.", "user_id": "alice"}
    with closing(sqlite3.connect(qdrant / "collection/mem0/storage.sqlite")) as db, db:
        db.execute("INSERT INTO points VALUES ('other key', ?)", [make_point("1", payload)])
    assert [m.fact.content for m in from_mem0(qdrant) if m.entity_id == "alice"] == (
        ["User lives in Faro."]
    )


def test_metadata_that_is_no_json_is_left_out(qdrant: Path, make_point: Callable[..., bytes]):
    payload = {"data": "User naps.", "user_id": "bob", "day": datetime.now(UTC), "n": float("nan")}
    payload |= {"pair": (1, 2), "none": None}
    with closing(sqlite3.connect(qdrant / "collection/mem0/storage.sqlite")) as db, db:
        db.execute("INSERT INTO points VALUES ('5', ?)", [make_point("5", payload)])
    (moved,) = [m for m in from_mem0(qdrant) if m.entity_id == "bob"]
    assert list(moved.fact.metadata) == ["pair"]


def test_a_file_in_json_may_have_a_byte_order_mark(get_all: Path):
    plain: list[MovedFact] = list(from_mem0(get_all))
    get_all.write_text(get_all.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert list(from_mem0(get_all)) == plain


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\xff\xfe\x00", "is no JSON"),
        (b"hello", "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"{}", "no list of memories"),
        (b"17", "no list of memories"),
        (b'[{"text": "x"}]', "entry 0 is no memory"),
        (b"[3]", "entry 0 is no memory"),
    ],
)
def test_a_file_that_is_not_mem0s_is_one_line(tmp_path: Path, content: bytes, says: str):
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=says) as caught:
        list(from_mem0(file))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("table", "says"), [("history", "does not say whose"), ("notes", "is no file of Mem0's")]
)
def test_another_database_is_told_from_the_store(tmp_path: Path, table: str, says: str):
    with closing(sqlite3.connect(tmp_path / "some.db")) as db:
        db.execute(f"CREATE TABLE {table} (id)")
    with pytest.raises(ConfigError, match=says):
        list(from_mem0(tmp_path / "some.db"))


@pytest.mark.parametrize("point", [b"", b"no pickle", None, b"N.", b"K\x01."])
def test_a_point_that_is_broken_is_one_line(qdrant: Path, point: bytes | None):
    with closing(sqlite3.connect(qdrant / "collection/mem0/storage.sqlite")) as db, db:
        db.execute("INSERT INTO points VALUES ('9', ?)", [point])
    with pytest.raises(ConfigError, match="holds a point that cannot be read"):
        list(from_mem0(qdrant))


def test_folders_that_are_no_store_or_hold_no_memory(
    tmp_path: Path, qdrant: Path, make_point: Callable[..., bytes]
):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="no local Qdrant folder"):
        list(from_mem0(tmp_path / "empty"))
    with pytest.raises(ConfigError, match="holds no memory of Mem0"):
        list(from_mem0(qdrant / "collection/mem0migrations"))
