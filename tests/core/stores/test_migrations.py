from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from memori_core.errors import SchemaVersionError, StoreError
from memori_core.models import Scope
from memori_core.stores import SQLiteStore, migrations
from memori_core.stores._rows import COLUMNS, to_row
from memori_core.testing.facts import contents, create, fact_record, run
from memori_core.testing.turns import append, said
from memori_core.writes import DeleteFacts

ALICE = Scope("alice")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memories.db"


def execute(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        return [connection.execute(statement).fetchall() for statement in statements]


def test_a_new_file_says_whose_it_is_and_its_version(path):
    SQLiteStore(path).close()
    ((application_id,),), ((version,),) = execute(
        path, "PRAGMA application_id", "PRAGMA user_version"
    )
    assert application_id == migrations.APPLICATION_ID
    assert version == len(migrations.MIGRATIONS)


def test_every_primary_key_begins_with_the_entity(path):
    SQLiteStore(path).close()
    (tables,) = execute(path, "SELECT name FROM sqlite_master WHERE type = 'table'")
    for (table,) in tables:
        (columns,) = execute(path, f"PRAGMA table_info({table})")
        keys = sorted((place, name) for _, name, _, _, _, place in columns if place)
        assert keys[0][1] == ("name" if table == "settings" else "entity_key")


def test_an_older_file_is_brought_up_and_keeps_its_facts(path, monkeypatch):
    with SQLiteStore(path) as store:
        create(store, ALICE, fact_record("User likes tea"))
    added = ("ALTER TABLE facts ADD COLUMN mood TEXT", "CREATE TABLE moods (entity_key BLOB)")
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, added))
    with SQLiteStore(path) as store:
        assert contents(store, ALICE) == ["User likes tea"]
        assert store.stats()["schema_version"] == len(migrations.MIGRATIONS)
    assert execute(path, "SELECT mood FROM facts", "SELECT * FROM moods") == [[(None,)], []]


def test_a_migration_that_fails_leaves_the_file_as_it_was(path, monkeypatch):
    with SQLiteStore(path) as store:
        create(store, ALICE, fact_record("User likes tea"))
    broken = ("ALTER TABLE facts ADD COLUMN mood TEXT", "NOT SQL")
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, broken))
        with pytest.raises(StoreError, match=r"memories\.db"):
            SQLiteStore(path)
    with SQLiteStore(path) as store:
        assert contents(store, ALICE) == ["User likes tea"]


def test_a_newer_file_is_refused_with_what_to_do(path):
    SQLiteStore(path).close()
    execute(path, "PRAGMA user_version = 99")
    with pytest.raises(SchemaVersionError, match=r"schema version 99.*pip install -U memori-core"):
        SQLiteStore(path)


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE facts (id TEXT)", "INSERT INTO facts VALUES ('theirs')"),
        ("PRAGMA application_id = 7", "CREATE TABLE notes (id TEXT)"),
        ("PRAGMA user_version = 3",),
    ],
    ids=["a table of our name", "another application", "only a version"],
)
def test_a_file_of_another_program_is_left_untouched(path, statements):
    execute(path, *statements)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"memories\.db is a SQLite database of another program"):
        SQLiteStore(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    with SQLiteStore(path) as store:
        create(store, ALICE, fact_record("User likes tea"))
        assert contents(store, ALICE) == ["User likes tea"]


def test_a_file_of_version_1_gains_conversations_and_keeps_its_facts(path):
    first = migrations.MIGRATIONS[0]
    records = [
        fact_record("User likes tea", id="tea", source_message_id="m"),
        fact_record("I like tea", id="m", kind="message", source_message_id="m"),
    ]
    rows = [(*to_row(record), ALICE.entity_key) for record in records]
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in first:
            connection.execute(statement)
        connection.execute(
            "INSERT INTO entities VALUES (?, 'alice', 2, 0)",
            (ALICE.entity_key,),
        )
        marks = ", ".join("?" * (len(COLUMNS) + 1))
        connection.executemany(
            f"INSERT INTO facts ({', '.join(COLUMNS)}, entity_key) VALUES ({marks})", rows
        )
        connection.execute("PRAGMA user_version = 1")
        connection.execute(f"PRAGMA application_id = {migrations.APPLICATION_ID}")
    with SQLiteStore(path) as store:
        assert store.stats()["schema_version"] == 3
        assert store.facts(ALICE) == sorted(records, key=lambda r: r.fact.id)
        assert store.sources(ALICE) == {"tea": ("m",)}
        append(store, ALICE, "t")
        assert said(store, ALICE) == ["This is t"]
        run(store, ALICE, DeleteFacts(("tea",)))
        assert store.facts(ALICE) == []
