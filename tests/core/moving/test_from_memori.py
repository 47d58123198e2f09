from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memori_core import Memori, SQLiteStore
from memori_core.errors import ConfigError, StoreError
from memori_core.moving import from_memori, move


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def change(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)
    return path


def test_facts_arrive_with_users_dates_and_counts(memori: Memori, memori_db: Path):
    moved = move(from_memori(memori_db), into=memori)
    assert (moved.facts, moved.new, moved.users, moved.left_out) == (3, 3, 2, ())
    porto, cello = memori.scoped("alice").list()  # oldest first: the ids are made of the dates
    assert (porto.content, porto.times) == ("User lives in Porto.", 2)
    assert porto.said_at == porto.learnt_at == at("2026-01-15 09:30:00")
    assert porto.last_said_at == at("2026-03-01 12:00:00")
    assert (porto.process_id, porto.session_id) == ("support", "s1")
    assert (cello.process_id, cello.session_id) == (None, "s2")


def test_a_numeric_id_is_a_name_like_others(memori: Memori, memori_db: Path):
    move(from_memori(memori_db), into=memori)
    assert memori.entities() == ["1", "alice"]
    (fact,) = memori.scoped("1").list()
    assert fact.content == "用户对花生过敏。"


def test_the_session_of_another_user_is_not_taken_over(memori_db: Path):
    (moved,) = [m for m in from_memori(memori_db) if m.entity_id == "1"]
    assert (moved.fact.session_id, moved.process_id) == (None, None)


def test_the_first_schema_has_no_mentions(memori_db: Path):
    change(memori_db, "DROP TABLE memori_entity_fact_mention")
    moved = list(from_memori(memori_db))
    assert [m.fact.session_id for m in moved] == [None, None, None]
    assert moved[1].fact.said_at == at("2026-01-15 09:30:00")


def test_a_fact_without_a_date_has_that_of_the_file(memori_db: Path):
    change(memori_db, "UPDATE memori_entity_fact SET date_created = '' WHERE id = 1")
    os.utime(memori_db, (1_767_225_600, 1_767_225_600))  # 2026-01-01 in UTC
    (moved,) = [m for m in from_memori(memori_db) if m.fact.content == "User lives in Porto."]
    assert moved.fact.said_at == datetime(2026, 1, 1, tzinfo=UTC)


def test_ids_are_the_same_each_time_and_sort_by_age(memori_db: Path):
    first, again = [[m.fact.id for m in from_memori(memori_db)] for _ in range(2)]
    assert first == again
    alice = [i for i in first if i is not None][1:]
    assert alice == sorted(alice)


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_the_file_is_read_only(memori: Memori, memori_db: Path, mode: str):
    change(memori_db, f"PRAGMA journal_mode = {mode}")
    before = hashlib.sha256(memori_db.read_bytes()).digest()
    files = sorted(memori_db.parent.iterdir())
    memori_db.chmod(0o400)
    move(from_memori(memori_db), into=memori)
    assert hashlib.sha256(memori_db.read_bytes()).digest() == before
    assert sorted(memori_db.parent.iterdir()) == files


def test_what_a_program_has_not_yet_checkpointed_is_read(memori: Memori, memori_db: Path):
    with closing(sqlite3.connect(memori_db)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("UPDATE memori_entity_fact SET num_times = 7 WHERE id = 1")
        db.commit()
        move(from_memori(memori_db), into=memori)
    assert memori.scoped("alice").list()[0].times == 7


def test_a_file_that_another_program_holds_says_so(
    memori_db: Path, monkeypatch: pytest.MonkeyPatch
):
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **k, timeout=0))
    with closing(connect(memori_db)) as db:
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="is in use"):
            list(from_memori(memori_db))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (bytes(range(256)) * 16, "no SQLite database: another program's file, or an encrypted"),
        (b"SQLite format 3\0" + b"\0" * 4080, "cannot be read"),
    ],
)
def test_a_file_that_is_no_database_is_one_line(tmp_path: Path, content: bytes, says: str):
    file = tmp_path / "bad.db"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=says) as caught:
        list(from_memori(file))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("tables", "says"),
    [
        ("CREATE TABLE notes (id)", "memori_entity_fact is missing"),
        ("CREATE TABLE long_term_memory (id); CREATE TABLE chat_history (id)", "memorisdk"),
    ],
)
def test_another_programs_database_says_what_it_is(tmp_path: Path, tables: str, says: str):
    file = change(tmp_path / "other.db", *tables.split("; "))
    with pytest.raises(ConfigError, match=says):
        list(from_memori(file))


def test_a_store_of_ours_names_the_command_that_moves_it(tmp_path: Path):
    SQLiteStore(tmp_path / "ours.db").close()
    with pytest.raises(ConfigError, match="memori export"):
        list(from_memori(tmp_path / "ours.db"))


def test_a_missing_file_is_not_made(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        list(from_memori(tmp_path / "missing.db"))
    assert list(tmp_path.iterdir()) == []
