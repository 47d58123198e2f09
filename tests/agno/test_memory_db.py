"""Databases whose memories are ours, and AgentOS, whose pages read them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from agno.agent import Agent
from agno.db.base import AsyncBaseDb, BaseDb
from agno.db.in_memory import InMemoryDb
from agno.db.schemas import UserMemory
from agno.memory import MemoryManager
from agno.os import AgentOS
from fastapi.testclient import TestClient

from memori_agno import AsyncMemoriMemories, MemoriMemories, MemoriMemory, MemoriMemoryDb
from memori_agno.testing import FakeModel
from memori_core import Memori
from memori_core.errors import ScopeError


class AsyncInMemoryDb(AsyncBaseDb):
    """Agno's async databases need drivers: this one's other methods nobody calls here."""


def make_async_db(memori: Memori) -> Any:
    class Db(AsyncMemoriMemories, AsyncInMemoryDb):
        pass

    Db.__abstractmethods__ = frozenset()  # type: ignore[misc]
    return Db(memori)


def texts(memories: Any) -> list[str]:
    return [memory.memory for memory in memories]


@pytest.fixture
def db(memori: Memori) -> MemoriMemoryDb:
    alice = memori.scoped("alice", process_id="cook")
    alice.remember("User likes tea.", metadata={"topics": ["drinks"]})
    alice.remember("User keeps bees.", metadata={"topics": ["animals", "garden"]})
    memori.scoped("bob").remember("User likes milk.")
    return MemoriMemoryDb(memori)


def test_it_is_a_database_of_agno_with_nothing_left_abstract(db: MemoriMemoryDb):
    assert isinstance(db, BaseDb)
    assert isinstance(db, InMemoryDb)
    assert not type(db).__abstractmethods__


def test_memories_are_listed_filtered_sorted_and_paged(db: MemoriMemoryDb):
    assert texts(db.get_user_memories("alice", sort_by="memory", sort_order="asc")) == [
        "User keeps bees.",
        "User likes tea.",
    ]
    assert len(db.get_user_memories()) == 3  # administration: all users
    assert texts(db.get_user_memories(topics=["garden"])) == ["User keeps bees."]
    assert texts(db.get_user_memories(search_content="MILK")) == ["User likes milk."]
    assert len(db.get_user_memories(agent_id="cook")) == 2
    assert db.get_user_memories("default") == []
    rows, total = db.get_user_memories(
        "alice", limit=1, page=2, sort_by="memory", sort_order="asc", deserialize=False
    )
    assert total == 2
    assert [row["memory"] for row in rows] == ["User likes tea."]  # type: ignore[index]
    assert db.get_all_memory_topics("alice") == ["animals", "drinks", "garden"]
    assert db.get_all_memory_topics("bob") == []


def test_a_memory_is_read_only_by_its_user(db: MemoriMemoryDb, memori: Memori):
    id = memori.scoped("bob").list()[0].id
    assert db.get_user_memory(id, user_id="alice") is None
    found = db.get_user_memory(id, user_id="bob", deserialize=False)
    assert isinstance(found, dict)
    assert found["memory"] == "User likes milk."
    assert db.get_user_memory(id) is not None
    db.delete_user_memory(id, user_id="alice")
    db.delete_user_memories([id], user_id="alice")
    assert len(memori.scoped("bob").list()) == 1
    db.delete_user_memory(id)
    assert memori.scoped("bob").list() == []


def test_statistics_count_per_user(db: MemoriMemoryDb):
    stats, total = db.get_user_memory_stats()
    assert total == 2
    assert {row["user_id"]: row["total_memories"] for row in stats} == {"alice": 2, "bob": 1}
    assert [row["user_id"] for row in db.get_user_memory_stats(user_id="bob")[0]] == ["bob"]
    assert len(db.get_user_memory_stats(limit=1, page=2)[0]) == 1


def test_memories_are_stored_for_their_user(db: MemoriMemoryDb, memori: Memori):
    memory = UserMemory("User runs.", user_id="carol", topics=["sport"])
    stored = db.upsert_user_memory(memory)
    assert isinstance(stored, UserMemory)
    assert memory.memory_id is None
    assert memori.scoped("carol").recall("Do I run?")[0].fact.metadata == {"topics": ["sport"]}
    rows = db.upsert_memories(
        [UserMemory("User swims.", memory_id=stored.memory_id, user_id="carol")], deserialize=False
    )
    assert [row["memory"] for row in rows] == ["User swims."]  # type: ignore[index]
    assert len(memori.scoped("carol").list()) == 1
    for nobody in (None, "default"):
        with pytest.raises(ScopeError):
            db.upsert_user_memory(UserMemory("x", user_id=nobody))


def test_agno9983_nothing_clears_the_memories_of_all(db: MemoriMemoryDb):
    """Agno's own manager, with its tool that clears everybody's."""

    def answer(messages: Any) -> Any:
        return "Done." if messages[-1].role == "tool" else [("clear_memory", {})]

    with pytest.raises(ScopeError):
        db.clear_memories()
    manager = MemoryManager(model=FakeModel(answer=answer), db=db, clear_memories=True)
    manager.update_memory_task("Clear all.", user_id="alice")
    assert len(db.get_user_memories()) == 3


def test_it_goes_before_other_databases(memori: Memori, tmp_path: Path):
    sqlite = pytest.importorskip("agno.db.sqlite", reason="needs greenlet")

    class AppDb(MemoriMemories, sqlite.SqliteDb):
        pass

    db = AppDb(memori, db_file=str(tmp_path / "app.db"))
    agent = Agent(model=FakeModel(), db=db, telemetry=False, **MemoriMemory(memori).agent_kwargs())
    agent.run("I live in Porto.", user_id="alice", session_id="s1")
    memori.flush()
    assert texts(db.get_user_memories("alice")) == ["User lives in Porto."]
    assert agent.get_session(session_id="s1", user_id="alice") is not None
    db.close()


def test_the_async_twin_goes_before_async_databases(memori: Memori, tmp_path: Path):
    pytest.importorskip("aiosqlite", reason="Agno's AsyncSqliteDb needs aiosqlite")
    from agno.db.sqlite import AsyncSqliteDb

    class AppDb(AsyncMemoriMemories, AsyncSqliteDb):
        pass

    async def use() -> None:
        db = AppDb(memori, db_file=str(tmp_path / "app.db"))
        model = FakeModel()
        kwargs = MemoriMemory(memori, on_error="raise").agent_kwargs()
        agent = Agent(model=model, db=db, telemetry=False, **kwargs)
        await agent.arun("I live in Porto.", user_id="alice", session_id="s1")
        await memori.aflush()
        assert texts(await db.get_user_memories("alice")) == ["User lives in Porto."]
        await agent.arun("Where in Porto do I live?", user_id="alice", session_id="s2")
        assert "User lives in Porto" in str(model.requests[-1][0].content)
        await db.close()

    asyncio.run(use())


def test_the_async_twin_does_the_same(db: MemoriMemoryDb, memori: Memori):
    twin = make_async_db(memori)

    async def use() -> None:
        assert await twin.get_user_memories("alice") == db.get_user_memories("alice")
        assert await twin.get_all_memory_topics() == db.get_all_memory_topics()
        assert await twin.get_user_memory_stats() == db.get_user_memory_stats()
        stored = await twin.upsert_user_memory(UserMemory("User runs.", user_id="carol"))
        assert await twin.get_user_memory(stored.memory_id, user_id="carol") == stored
        assert await twin.upsert_memories([UserMemory("User swims.", user_id="carol")])
        await twin.delete_user_memory(stored.memory_id, user_id="bob")
        assert len(await twin.get_user_memories("carol")) == 2
        await twin.delete_user_memory(stored.memory_id, user_id="carol")
        ids = [memory.memory_id for memory in await twin.get_user_memories("carol")]
        await twin.delete_user_memories(ids, user_id="carol")
        assert await twin.get_user_memories("carol") == []
        with pytest.raises(ScopeError):
            await twin.clear_memories()

    asyncio.run(use())


@pytest.mark.parametrize(
    "name",
    [name for name in vars(MemoriMemories) if not name.startswith("_")],
)
def test_both_flavours_have_agnos_parameters(name: str):
    import inspect

    ours = inspect.signature(getattr(MemoriMemories, name)).parameters
    twin = inspect.signature(getattr(AsyncMemoriMemories, name)).parameters
    assert list(ours) == list(twin) == list(inspect.signature(getattr(BaseDb, name)).parameters)
    assert inspect.iscoroutinefunction(getattr(AsyncMemoriMemories, name))


needs_multipart = pytest.mark.skipif(
    find_spec("python_multipart") is None, reason="AgentOS needs python-multipart"
)


@pytest.fixture
def server(memori: Memori) -> Iterator[TestClient]:
    db = MemoriMemoryDb(memori)
    agent = Agent(
        id="helper",
        model=FakeModel(answer=lambda _: "Good to know."),
        db=db,
        telemetry=False,
        **MemoriMemory(memori, on_error="raise").agent_kwargs(),
    )
    app = AgentOS(agents=[agent], telemetry=False).get_app()
    with TestClient(app) as client:
        yield client


def ask(client: TestClient, message: str, user: str, *, stream: bool = False) -> str:
    form = {"message": message, "user_id": user, "session_id": f"of-{user}", "stream": str(stream)}
    response = client.post("/agents/helper/runs", data=form)
    assert response.status_code == 200, response.text
    return response.text


@needs_multipart
@pytest.mark.parametrize("stream", [False, True])
def test_agent_os_serves_many_users_and_shows_their_memories(
    stream: bool, server: TestClient, memori: Memori, said: Any
):
    assert "Good" in ask(server, "I live in Porto.", "alice", stream=stream)
    ask(server, "I live in Rome.", "bob", stream=stream)
    assert said("alice") == [("user", "I live in Porto."), ("assistant", "Good to know.")]
    assert said("bob") == [("user", "I live in Rome."), ("assistant", "Good to know.")]

    page = server.get("/memories", params={"user_id": "alice"}).json()
    assert [row["memory"] for row in page["data"]] == ["User lives in Porto."]
    assert page["meta"]["total_count"] == 1
    memory_id = page["data"][0]["memory_id"]

    changed = {"memory": "User lives in Braga.", "user_id": "alice", "topics": ["home"]}
    assert server.patch(f"/memories/{memory_id}", json=changed).json()["topics"] == ["home"]
    assert server.get("/memory_topics", params={"user_id": "alice"}).json() == ["home"]
    created = {"memory": "User keeps bees.", "user_id": "alice"}
    assert server.post("/memories", json=created).status_code == 200
    stats = server.get("/user_memory_stats").json()["data"]
    assert {row["user_id"]: row["total_memories"] for row in stats} == {"alice": 2, "bob": 1}
    assert server.delete(f"/memories/{memory_id}", params={"user_id": "bob"}).status_code == 204
    assert server.get(f"/memories/{memory_id}", params={"user_id": "alice"}).status_code == 200
    assert server.delete(f"/memories/{memory_id}", params={"user_id": "alice"}).status_code == 204
    assert [fact.content for fact in memori.scoped("alice").list()] == ["User keeps bees."]


@needs_multipart
def test_with_user_isolation_a_token_reaches_only_its_users_memories(memori: Memori):
    jwt = pytest.importorskip("jwt", reason="Agno's authorization needs pyjwt")
    from agno.os.config import AuthorizationConfig

    key = "a key of this test, long enough to sign with"
    agent = Agent(
        id="helper",
        model=FakeModel(),
        db=MemoriMemoryDb(memori),
        telemetry=False,
        **MemoriMemory(memori, on_error="raise").agent_kwargs(),
    )
    config = AuthorizationConfig(verification_keys=[key], algorithm="HS256", user_isolation=True)
    app = AgentOS(
        id="os",
        agents=[agent],
        telemetry=False,
        authorization=True,
        authorization_config=config,
    ).get_app()

    def token(user: str) -> dict[str, str]:
        scopes = ["agents:run", *(f"memories:{verb}" for verb in ("read", "write", "delete"))]
        claims = {"sub": user, "aud": "os", "scopes": scopes}
        return {"Authorization": f"Bearer {jwt.encode(claims, key, algorithm='HS256')}"}

    with TestClient(app) as client:
        for user, city in (("alice", "Porto"), ("bob", "Rome")):
            form = {"message": f"I live in {city}.", "user_id": "mallory", "stream": "false"}
            assert client.post("/agents/helper/runs", data=form, headers=token(user)).is_success
        memori.flush()
        assert memori.entities() == ["alice", "bob"]
        (hers,) = memori.scoped("alice").list()
        asked = client.get("/memories", params={"user_id": "alice"}, headers=token("bob")).json()
        assert [row["memory"] for row in asked["data"]] == ["User lives in Rome."]
        assert client.get(f"/memories/{hers.id}", headers=token("bob")).status_code == 404
        client.delete(f"/memories/{hers.id}", headers=token("bob"))
        change = {"memory": "User lives in Oslo.", "user_id": "alice"}
        client.patch(f"/memories/{hers.id}", json=change, headers=token("bob"))
        client.post("/memories", json=change, headers=token("bob"))
        assert [fact.content for fact in memori.scoped("alice").list()] == ["User lives in Porto."]


@needs_multipart
def test_hooks_that_agent_os_runs_in_the_background_capture_the_same(memori: Memori, said: Any):
    model = FakeModel(answer=lambda _: "Good to know.")
    agent = Agent(
        id="helper",
        model=model,
        db=InMemoryDb(),
        telemetry=False,
        **MemoriMemory(memori, on_error="raise").agent_kwargs(),
    )
    memori.scoped("alice").remember("User keeps bees.")
    app = AgentOS(agents=[agent], telemetry=False, run_hooks_in_background=True).get_app()
    with TestClient(app) as client:
        ask(client, "Do I keep bees?", "alice")
    assert "User keeps bees" in str(model.requests[0][0].content)
    assert said() == [("user", "Do I keep bees?"), ("assistant", "Good to know.")]
