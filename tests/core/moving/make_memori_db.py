"""Makes a database with the real package `memori`, through its own storage layer.

    python make_memori_db.py PATH        (with the Python of an environment that has `memori`)

What Memori does in its cloud and with its downloaded model (facts of a conversation, vectors) is
given here; what it writes, and how, is its own.
"""

import sqlite3
import sys

from memori import Memori

path = sys.argv[1]
now = "2026-01-15 09:30:00"


def connect() -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    # Memori takes the time from SQLite's datetime('now'): it gets ours.
    connection.create_function("datetime", 1, lambda _: now, deterministic=True)
    return connection


memori = Memori(conn=connect, use_rust_core=False)
memori.config.storage.build()

with memori.config.storage.conn as (_, _, driver):

    def say(entity: str, process: str | None, session: str, facts: list[str], said: str) -> None:
        global now
        now = said
        entity_id = driver.entity.create(entity)
        process_id = driver.process.create(process) if process else None
        session_id = driver.session.create(session, entity_id, process_id)
        conversation_id = driver.conversation.create(session_id, 30)
        for role, content in (("user", " ".join(facts)), ("assistant", "I see.")):
            driver.conversation.message.create(conversation_id, role, "text", content)
        vectors = [[0.1 * (i + 1)] * 384 for i in range(len(facts))]
        driver.entity_fact.create(entity_id, facts, vectors, conversation_id)

    alice = ["User lives in Porto.", "User is allergic to peanuts."]
    say("alice", "support", "session-a1", alice, "2026-01-15 09:30:00")
    say("alice", "support", "session-a2", ["User plays the cello."], "2026-02-20 18:00:00")
    # Said once more, later and to another process.
    say("alice", "tutor", "session-a3", ["User lives in Porto."], "2026-03-01 12:00:00")
    say(
        "用户-7",
        None,
        "session-b1",
        ["User lives in Lisbon.", "用户对花生过敏。"],
        "2025-12-31 23:59:59",
    )
    # A numeric id, which is nobody's primary key.
    say("1", "support", "session-c1", ["User's PIN is 4242."], "2026-04-01 00:00:00")
memori.close()
