"""The schema of the SQLite file, and how an older file reaches it."""

from __future__ import annotations

import sqlite3

from memori_core.errors import SchemaVersionError, StoreError
from memori_core.stores._connections import transaction

APPLICATION_ID = 0x6D656D31
"""Written into the header of our files (`mem1`), so that another program's file is recognised."""

# One entry per version of the schema, never edited once released. `entity_key` comes first in
# every primary key, so the tables can be sharded by entity as they are.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE entities (
            entity_key BLOB PRIMARY KEY,
            entity_id TEXT NOT NULL,
            revision INTEGER NOT NULL,
            floor INTEGER NOT NULL
        ) WITHOUT ROWID""",
        # A deleted fact stays as (id, revision): other processes learn of the deletion by it.
        """CREATE TABLE facts (
            entity_key BLOB NOT NULL,
            id TEXT NOT NULL,
            revision INTEGER NOT NULL,
            deleted INTEGER NOT NULL DEFAULT 0,
            content TEXT,
            uniq BLOB,
            kind TEXT,
            vector BLOB,
            embedder TEXT,
            terms TEXT,
            tokenizer INTEGER,
            said_at INTEGER,
            learnt_at INTEGER,
            last_said_at INTEGER,
            times INTEGER,
            valid_until INTEGER,
            superseded_by TEXT,
            pinned INTEGER,
            speaker TEXT,
            position INTEGER,
            process_id TEXT,
            session_id TEXT,
            source_message_id TEXT,
            metadata TEXT,
            PRIMARY KEY (entity_key, id)
        )""",
        "CREATE UNIQUE INDEX facts_by_uniq ON facts (entity_key, uniq)",
        "CREATE INDEX facts_by_revision ON facts (entity_key, revision)",
        """CREATE TABLE fact_versions (
            entity_key BLOB NOT NULL,
            fact_id TEXT NOT NULL,
            number INTEGER NOT NULL,
            content TEXT NOT NULL,
            replaced_at INTEGER NOT NULL,
            PRIMARY KEY (entity_key, fact_id, number)
        ) WITHOUT ROWID""",
        """CREATE TABLE mentions (
            entity_key BLOB NOT NULL,
            norm TEXT NOT NULL,
            text TEXT NOT NULL,
            type TEXT NOT NULL,
            vector BLOB,
            PRIMARY KEY (entity_key, norm)
        ) WITHOUT ROWID""",
        """CREATE TABLE mention_links (
            entity_key BLOB NOT NULL,
            norm TEXT NOT NULL,
            fact_id TEXT NOT NULL,
            PRIMARY KEY (entity_key, norm, fact_id)
        ) WITHOUT ROWID""",
        "CREATE INDEX mention_links_by_fact ON mention_links (entity_key, fact_id)",
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    ),
    (
        """CREATE TABLE sessions (
            entity_key BLOB NOT NULL,
            id TEXT NOT NULL,
            process_id TEXT,
            summary TEXT,
            started_at INTEGER NOT NULL,
            last_active_at INTEGER NOT NULL,
            PRIMARY KEY (entity_key, id)
        ) WITHOUT ROWID""",
        """CREATE TABLE turns (
            entity_key BLOB NOT NULL,
            id TEXT NOT NULL,
            session_id TEXT NOT NULL,
            status TEXT NOT NULL,
            PRIMARY KEY (entity_key, id)
        ) WITHOUT ROWID""",
        """CREATE TABLE messages (
            entity_key BLOB NOT NULL,
            id TEXT NOT NULL,
            session_id TEXT NOT NULL,
            turn_id TEXT NOT NULL,
            position INTEGER NOT NULL,
            role TEXT NOT NULL,
            name TEXT,
            content TEXT NOT NULL,
            said_at INTEGER NOT NULL,
            PRIMARY KEY (entity_key, id)
        ) WITHOUT ROWID""",
        "CREATE INDEX messages_by_session ON messages (entity_key, session_id, position)",
        "CREATE INDEX messages_by_turn ON messages (entity_key, turn_id)",
        # The queue is in the order of its row numbers: that in which the turns were captured.
        """CREATE TABLE jobs (
            entity_key BLOB NOT NULL,
            id TEXT NOT NULL,
            session_id TEXT NOT NULL,
            process_id TEXT,
            status TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            lease TEXT,
            lease_until INTEGER,
            retry_at INTEGER,
            error TEXT,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (entity_key, id)
        )""",
        "CREATE INDEX jobs_by_status ON jobs (status)",
        "CREATE INDEX jobs_by_session ON jobs (entity_key, session_id, status)",
        # The keys are the texts as they are compared.
        """CREATE TABLE triples (
            entity_key BLOB NOT NULL,
            subject_key TEXT NOT NULL,
            predicate_key TEXT NOT NULL,
            object_key TEXT NOT NULL,
            fact_id TEXT NOT NULL,
            subject TEXT NOT NULL,
            predicate TEXT NOT NULL,
            object TEXT NOT NULL,
            subject_type TEXT NOT NULL,
            object_type TEXT NOT NULL,
            times INTEGER NOT NULL,
            valid_until INTEGER,
            PRIMARY KEY (entity_key, subject_key, predicate_key, object_key, fact_id)
        )""",
        "CREATE INDEX triples_by_fact ON triples (entity_key, fact_id)",
        """CREATE TABLE attributes (
            entity_key BLOB NOT NULL,
            process_id TEXT NOT NULL,
            uniq BLOB NOT NULL,
            content TEXT NOT NULL,
            times INTEGER NOT NULL,
            PRIMARY KEY (entity_key, process_id, uniq)
        )""",
        # A fact that is said again has the messages of all times, but one `source_message_id`.
        """CREATE TABLE fact_sources (
            entity_key BLOB NOT NULL,
            message_id TEXT NOT NULL,
            fact_id TEXT NOT NULL,
            PRIMARY KEY (entity_key, message_id, fact_id)
        ) WITHOUT ROWID""",
        "CREATE INDEX fact_sources_by_fact ON fact_sources (entity_key, fact_id)",
        """INSERT INTO fact_sources SELECT entity_key, source_message_id, id FROM facts
            WHERE source_message_id IS NOT NULL AND kind <> 'message' AND NOT deleted""",
    ),
    ("ALTER TABLE jobs DROP COLUMN created_at",),
)


def is_current(connection: sqlite3.Connection, path: str) -> bool:
    """Whether the file needs no migration. Only reads.

    Raises:
        StoreError: The file belongs to another program.
        SchemaVersionError: It was written by a newer version of this package.
    """
    # One snapshot: another process may be in the middle of making the schema.
    connection.execute("SAVEPOINT look")
    application_id = _pragma(connection, "application_id")
    version = _pragma(connection, "user_version")
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    connection.execute("RELEASE look")
    if application_id != APPLICATION_ID:
        if tables or application_id or version:
            raise StoreError(
                f"{path} is a SQLite database of another program, so it is left untouched. "
                "Give memory a file of its own."
            )
        return False
    if version > len(MIGRATIONS):
        raise SchemaVersionError(
            f"{path} has schema version {version}, this memori-core knows up to {len(MIGRATIONS)}. "
            "Upgrade: pip install -U memori-core"
        )
    return version == len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring the file to the newest schema, or leave it as it was.

    Safe when several processes do it at once: all but the first find it done.
    """
    with transaction(connection):
        if not is_current(connection, path):
            for statements in MIGRATIONS[_pragma(connection, "user_version") :]:
                for statement in statements:
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
