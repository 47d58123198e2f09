from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from memori_core import Fact, InMemoryStore, Memori, NewFact, Scope, SQLiteStore, Store
from memori_core.errors import ConfigError, ScopeError, StoreClosedError
from memori_core.testing import FakeEmbedder


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = InMemoryStore() if request.param == "memory" else SQLiteStore(tmp_path / "m.db")
    with made:
        yield made


@pytest.fixture
def memori(store: Store) -> Memori:
    return Memori(store, embedder=FakeEmbedder())


# ------------------------------------------------------------------------------------------- scope


def test_a_scope_is_a_value_with_a_key_of_its_own() -> None:
    assert Scope("alice") == Scope("alice")
    # b2sum --length 128 of "alice": the same in every process and release.
    assert Scope("alice").entity_key.hex() == "69b5957599f918e276a3d2428acdc997"
    assert Scope("alice").entity_key != Scope("bob").entity_key
    with pytest.raises(AttributeError):
        Scope("alice").entity_id = "bob"  # type: ignore[misc] (frozen)


@pytest.mark.parametrize("bad", ["", "  ", None, 7, {"$ne": ""}, "a\0b", "\ud800"])
def test_an_id_that_cannot_be_one_is_named(bad: object) -> None:
    with pytest.raises(ScopeError, match="entity_id"):
        Scope(bad)  # type: ignore[arg-type] (wrong on purpose)


def test_nobody_named_is_an_error_that_says_what_to_do(memori: Memori) -> None:
    with pytest.raises(ScopeError, match=r"attribution.*scoped.*scope="):
        memori.recall("tea")
    with pytest.raises(ScopeError):
        memori.remember("tea")


def test_attribution_is_a_statement_or_a_block(memori: Memori) -> None:
    memori.attribution(entity_id="alice", process_id="agent")
    memori.remember("User likes tea")
    with memori.attribution(entity_id="bob"):
        assert memori.recall("tea", strictness=0).reason == "no_facts"
        with memori.attribution(entity_id="carol"):
            assert memori.scope == Scope("carol")
        assert memori.scope == Scope("bob")
    assert memori.scope == Scope("alice", process_id="agent")
    assert len(memori.recall("tea")) == 1


def test_the_fallback_scope_gives_way_to_attribution(store: Store) -> None:
    memori = Memori(store, embedder=None, scope=Scope("one"))
    memori.remember("User likes tea")
    with memori.attribution("two"):
        assert memori.list() == []
    assert len(memori.list()) == 1


def test_two_memories_do_not_share_an_attribution() -> None:
    first, second = (Memori(InMemoryStore(), embedder=None) for _ in range(2))
    with first.attribution("alice"):
        assert second.scope is None


def test_tasks_and_threads_have_attributions_of_their_own(memori: Memori) -> None:
    seen: dict[str, list[str]] = {}

    async def one(name: str) -> None:
        memori.attribution(name)
        await asyncio.sleep(0.01)
        await memori.aremember(f"{name} was here")
        await asyncio.sleep(0.01)
        seen[name] = [f.content for f in await memori.arecall("here", limit=50, strictness=0)]

    async def everybody() -> None:
        await asyncio.gather(*(one(f"user{i}") for i in range(20)))

    asyncio.run(everybody())
    assert seen == {f"user{i}": [f"user{i} was here"] for i in range(20)}

    memori.attribution("main")
    scopes: list[Scope | None] = []
    thread = threading.Thread(target=lambda: scopes.append(memori.scope))
    thread.start()
    thread.join()
    assert scopes == [None]


def test_sessions(memori: Memori) -> None:
    with pytest.raises(ScopeError):
        memori.new_session()
    memori.attribution("alice")
    session = memori.new_session()
    assert memori.remember("User likes tea").session_id == session
    memori.set_session("mine")
    assert memori.remember("User likes jazz").session_id == "mine"
    assert memori.remember("User likes chess", session_id="other").session_id == "other"
    with pytest.raises(ScopeError, match="session_id"):
        memori.set_session("")


def test_facts_belong_to_the_entity_unless_the_process_is_asked_for(memori: Memori) -> None:
    memori.scoped("alice", process_id="shop").remember("User likes tea")
    travel = memori.scoped("alice", process_id="travel")
    travel.remember("User likes tea in trains")
    assert len(travel.recall("tea")) == 2
    found = travel.recall("tea", process_only=True)
    assert [f.content for f in found] == ["User likes tea in trains"]
    with pytest.raises(ConfigError, match="process_id"):
        memori.scoped("alice").recall("tea", process_only=True)


# ------------------------------------------------------------------------------------------- verbs


def test_remember_returns_the_fact_with_all_that_was_said(memori: Memori) -> None:
    alice = memori.scoped("alice", process_id="agent", session_id="s1")
    fact = alice.remember(
        "User likes tea",
        said_at=datetime(2026, 5, 1, 9, tzinfo=timezone(timedelta(hours=2))),
        speaker="Alice",
        position=3,
        kind="preference",
        pinned=True,
        valid_until="2027-01-01",
        metadata={"source": "chat", "n": 1, "tags": ["a"]},
    )
    assert fact == alice.get(fact.id)
    assert fact.said_at == datetime(2026, 5, 1, 7, tzinfo=UTC)
    assert fact.said_at.tzinfo == UTC
    assert (fact.speaker, fact.position, fact.kind, fact.pinned) == ("Alice", 3, "preference", True)
    assert fact.valid_until == datetime(2027, 1, 1, tzinfo=UTC)
    assert fact.metadata == {"source": "chat", "n": 1, "tags": ["a"]}
    assert (fact.process_id, fact.session_id, fact.times) == ("agent", "s1", 1)


def test_said_at_is_an_instant_however_it_is_written(memori: Memori) -> None:
    alice = memori.scoped("alice")
    midnight = datetime(2026, 5, 1, tzinfo=UTC)
    assert alice.remember("a", said_at=date(2026, 5, 1)).said_at == midnight
    assert alice.remember("b", said_at="2026-05-01").said_at == midnight
    assert alice.remember("c", said_at="2026-05-01T02:00:00+02:00").said_at == midnight
    naive = datetime(2026, 5, 1)  # noqa: DTZ001 (wrong on purpose)
    for wrong in (naive, "2026-05-01T02:00:00", "yesterday", 7):
        with pytest.raises(ConfigError, match="said_at"):
            alice.remember("d", said_at=wrong)  # type: ignore[arg-type]


def test_a_repeat_counts_and_keeps_its_id(memori: Memori) -> None:
    alice = memori.scoped("alice")
    first = alice.remember("User likes tea.", said_at="2026-05-01")
    again = alice.remember("user  likes TEA", said_at="2026-06-01")
    assert again.id == first.id
    assert again.times == 2
    assert again.content == "User likes tea."
    assert again.last_said_at == datetime(2026, 6, 1, tzinfo=UTC)


def test_an_own_id_replaces_with_history(memori: Memori) -> None:
    alice = memori.scoped("alice")
    alice.remember("User lives in Porto", id="home")
    alice.remember("User lives in Ghent", id="home")
    assert [fact.content for fact in alice.list()] == ["User lives in Ghent"]
    assert [old.content for old in alice.history("home")] == ["User lives in Porto"]
    assert memori.scoped("bob").get("home") is None
    assert memori.scoped("bob").history("home") == []


@pytest.mark.parametrize(
    ("item", "what"),
    [
        ("", "blank"),
        (7, "a fact is a text"),
        ("a\0b", "NUL character at position 1"),
        ("a\ud800b", "lone surrogate at position 1"),
        ({"content": "x", "colour": "red"}, "no field 'colour'"),
        ({"text": "x"}, "no field 'text'"),
        ({}, "needs `content`"),
        ({"content": "x", "kind": "rumour"}, "kind"),
        ({"content": "x", "position": -1}, "position"),
        ({"content": "x", "position": True}, "position"),
        ({"content": "x", "speaker": ""}, "speaker"),
        ({"content": "x", "metadata": {"a": object()}}, "metadata"),
        ({"content": "x", "metadata": {"a": float("nan")}}, "metadata"),
        ({"content": "x", "metadata": {1: 2}}, "metadata"),
        ({"content": "x", "metadata": "a"}, "metadata"),
    ],
)
def test_what_cannot_be_stored_is_named_by_number_and_nothing_is_stored(
    memori: Memori, item: object, what: str
) -> None:
    alice = memori.scoped("alice")
    with pytest.raises(ConfigError, match=f"item 1: .*{what}"):
        alice.remember_many(["fine", item])  # type: ignore[list-item]
    assert alice.list() == []


def test_remember_many_takes_texts_mappings_and_new_facts(memori: Memori) -> None:
    alice = memori.scoped("alice")
    facts = alice.remember_many(
        ["one tea", {"content": "two tea", "said_at": "2026-05-01"}, NewFact("three tea")]
    )
    assert [fact.content for fact in facts] == ["one tea", "two tea", "three tea"]
    assert alice.remember_many([]) == []
    with pytest.raises(ValueError, match="2 rows for 1"):
        alice.remember_many(["x"], vectors=[[0.0] * 64] * 2)


def test_list_pages_in_the_order_of_ids(memori: Memori) -> None:
    alice = memori.scoped("alice")
    alice.remember_many(f"fact {i}" for i in range(7))
    first = alice.list(limit=3)
    rest = alice.list(after=first[-1].id)
    assert [f.content for f in (*first, *rest)] == [f"fact {i}" for i in range(7)]


def test_update_changes_what_is_given_and_keeps_the_rest(memori: Memori) -> None:
    alice = memori.scoped("alice")
    fact = alice.remember("User likes tea", metadata={"a": 1}, speaker="Alice")
    assert alice.update(fact.id, kind="preference") is not None
    changed = alice.update(fact.id, text="User likes green tea", metadata={"b": 2})
    assert changed is not None
    assert (changed.content, changed.kind) == ("User likes green tea", "preference")
    assert changed.metadata == {"b": 2}
    assert changed.speaker == "Alice"
    assert alice.update("nothing", text="x") is None
    other = alice.remember("User likes jazz")
    with pytest.raises(ConfigError, match=fact.id):
        alice.update(other.id, text="User likes green tea!")
    with pytest.raises(ConfigError, match="blank"):
        alice.update(fact.id, text=" ")
    with pytest.raises(ConfigError, match="kind"):
        alice.update(fact.id, kind="rumour")  # type: ignore[arg-type]


def test_forget_takes_one_id_or_many(memori: Memori) -> None:
    alice = memori.scoped("alice")
    ids = [alice.remember(f"fact {i}").id for i in range(4)]
    assert memori.scoped("bob").forget(ids) == 0
    assert alice.forget(ids[0]) == 1
    assert alice.forget([*ids[1:3], "nothing"]) == 2
    assert alice.forget([]) == 0
    assert [fact.id for fact in alice.list()] == ids[3:]
    with pytest.raises(ConfigError, match="id"):
        alice.forget([None])  # type: ignore[list-item]


# ---------------------------------------------------------------------------------- pinned and time


def test_a_pinned_fact_stands_in_every_block_in_both_languages(memori: Memori) -> None:
    for name, text, query, thanks in [
        ("alice", "User is allergic to peanuts.", "suggest a recipe", "thanks!"),
        ("小明", "用户对花生过敏。", "帮我推荐个菜谱", "谢谢"),
    ]:
        memory = memori.scoped(name)
        fact = memory.remember(text)
        assert memory.recall(query).context == ""
        assert memory.pin(fact.id) is not None
        found = memory.recall(query)
        assert [pinned.content for pinned in found.pinned] == [text]
        assert len(found) == 0
        assert f"- {text.rstrip('.。')}. Stated at " in found.context
        assert memory.recall(thanks).context == ""
        assert memory.recall("").context == ""
        memory.unpin(fact.id)
        assert memory.recall(query).context == ""


def test_pinned_facts_have_little_room_and_are_not_shown_twice(memori: Memori) -> None:
    alice = memori.scoped("alice")
    alice.remember_many({"content": f"Tea rule {i}", "pinned": True} for i in range(7))
    found = alice.recall("tea rule", limit=7)
    assert len(found.pinned) == 5
    assert found.context.count("- Tea rule") == 7
    alice.remember("x" * 700, pinned=True)
    assert all(len(fact.content) < 700 for fact in alice.recall("tea rule").pinned)


def test_pinned_facts_obey_the_filters(memori: Memori) -> None:
    alice = memori.scoped("alice")
    alice.remember("Tea rule", pinned=True, metadata={"project": "a"})
    assert alice.recall("something else", where={"project": "b"}).context == ""


def test_what_ended_is_left_out_unless_the_past_is_asked_for(memori: Memori) -> None:
    alice = memori.scoped("alice")
    alice.remember("User lives in Porto", valid_until="2020-01-01", said_at="2019-01-01")
    alice.remember("User lives in Ghent")
    assert [f.content for f in alice.recall("Where does the user live?")] == ["User lives in Ghent"]
    both = alice.recall("Where does the user live?", include_history=True)
    assert {f.content for f in both} == {"User lives in Ghent", "User lives in Porto"}
    assert "Porto. Stated at 2019-01-01, true until 2020-01-01" in both.context
    assert len(alice.recall("Where did the user live before?")) == 2
    assert len(alice.recall("用户以前 lives in 哪里?", strictness=0)) == 2


def test_where_filters_before_ranking(memori: Memori) -> None:
    alice = memori.scoped("alice")
    alice.remember("needle tea", metadata={"project": "b", "n": 1})
    alice.remember_many(
        {"content": f"tea number {i}", "metadata": {"project": "a"}} for i in range(300)
    )
    found = alice.recall("tea", where={"project": "b"})
    assert [f.content for f in found] == ["needle tea"]
    assert found.searched == 1
    assert alice.recall("tea", where={"project": ["b", "c"], "n": 1}).searched == 1
    assert alice.recall("tea", where={"nothing": 1}).reason == "no_facts"
    for key in ("k' = 'v' OR 1=1 --", "", "a-b", "1a"):
        with pytest.raises(ValueError, match="where"):
            alice.recall("tea", where={key: 1})


def test_kinds(memori: Memori) -> None:
    alice = memori.scoped("alice")
    alice.remember("tea plan", kind="plan")
    alice.remember("tea fact")
    assert [f.content for f in alice.recall("tea", kinds=["plan"])] == ["tea plan"]
    for wrong in (["rumour"], "plan"):
        with pytest.raises(ConfigError, match="kinds"):
            alice.recall("tea", kinds=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("strictness", [-1, float("nan"), float("inf"), "high"])
def test_a_strictness_that_cannot_be_one(memori: Memori, strictness: object) -> None:
    with pytest.raises(ConfigError, match="strictness"):
        memori.scoped("alice").recall("tea", strictness=strictness)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [-1, 1.5, True, "5"])
def test_a_limit_that_cannot_be_one(memori: Memori, limit: object) -> None:
    with pytest.raises(ConfigError, match="limit"):
        memori.scoped("alice").recall("tea", limit=limit)  # type: ignore[arg-type]


def test_questions_with_broken_characters_are_searched(memori: Memori) -> None:
    alice = memori.scoped("alice")
    alice.remember("User likes tea")
    assert len(alice.recall("tea\ud800\0")) == 1
    with pytest.raises(ConfigError, match="query"):
        alice.recall(7)  # type: ignore[arg-type]


# -------------------------------------------------------------------------------- life of a memory


def test_a_file_outlives_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    with Memori(path, embedder=FakeEmbedder()) as memori:
        memori.scoped("alice").remember("User likes tea")
    with Memori(str(path), embedder=FakeEmbedder()) as memori:
        assert memori.scoped("alice").recall("tea")[0].content == "User likes tea"
        assert memori.entities() == ["alice"]
        assert memori.stats()["facts"] == 1
    with pytest.raises(StoreClosedError):
        memori.scoped("alice").list()


def test_another_process_sees_the_change(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    with Memori(path, embedder=None) as memori:
        alice = memori.scoped("alice")
        alice.remember("User likes tea")
        assert len(alice.recall("tea")) == 1
        code = (
            "import sys; from memori_core import Memori\n"
            "m = Memori(sys.argv[1], embedder=None); a = m.scoped('alice')\n"
            "a.forget(a.list()[0].id); a.remember('User likes tea with milk')\n"
        )
        subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=60)
        assert [f.content for f in alice.recall("tea")] == ["User likes tea with milk"]


def test_a_store_that_was_brought_is_left_open(store: Store) -> None:
    with Memori(store, embedder=None) as memori:
        memori.scoped("alice").remember("User likes tea")
    assert store.entities() == ["alice"]


@pytest.mark.parametrize(
    ("path", "what"),
    [("", "empty"), ("https://memory.example", "https"), ("postgresql://x/y", "postgresql")],
)
def test_stores_that_are_not_there_yet(path: str, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        Memori(path, embedder=None)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"fusion": "best"}, "coverage"),
        ({"fusion": 7}, "fusion"),
        ({"embedder": 7}, "embedder"),
        ({"boosts": "talk"}, "conversation"),
        ({"scope": "alice"}, "Scope"),
        ({"embedder": None, "fusion": "memori"}, "needs an embedder"),
    ],
)
def test_arguments_that_cannot_be_right(arguments: dict[str, object], what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        Memori(InMemoryStore(), **arguments)  # type: ignore[arg-type]


def test_memory_in_memory() -> None:
    memori = Memori(":memory:", embedder=None, scope=Scope("alice"))
    memori.remember("User likes tea")
    assert len(memori.recall("tea")) == 1


def test_b72_sync_code_inside_a_running_loop(memori: Memori) -> None:
    async def cell() -> list[str]:
        alice = memori.scoped("alice")
        alice.remember("User likes tea")
        return [f.content for f in alice.recall("tea")]

    assert asyncio.run(cell()) == ["User likes tea"]


def test_every_async_verb_gives_what_its_twin_gives(memori: Memori, tmp_path: Path) -> None:
    async def live() -> None:
        alice = memori.scoped("alice")
        fact = await alice.aremember("User likes tea")
        assert await alice.aget(fact.id) == fact
        assert await alice.alist() == alice.list() == [fact]
        (other,) = await alice.aremember_many(["User likes jazz"])
        assert (await alice.aupdate(other.id, text="User likes blues")) is not None
        assert await alice.ahistory(other.id) == alice.history(other.id)
        assert isinstance(await alice.apin(fact.id), Fact)
        assert isinstance(await alice.aunpin(fact.id), Fact)
        assert [f.content for f in await alice.arecall("tea")] == ["User likes tea"]
        assert await alice.aexport(tmp_path / "a.jsonl") == 2
        assert await alice.aimport_from(tmp_path / "a.jsonl") == 2
        assert (await alice.astats())["facts"] == 2
        assert await alice.aforget(fact.id) == 1
        assert await alice.aerase() == 1
        assert await memori.areindex() == 0
        await memori.aclose()

    asyncio.run(live())


def test_recall_does_not_block_the_event_loop(store: Store) -> None:
    memori = Memori(store, embedder=FakeEmbedder(delay_s=0.2))
    alice = memori.scoped("alice")

    async def live() -> int:
        ticks = 0
        recall = asyncio.create_task(alice.arecall("tea"))
        while not recall.done():
            await asyncio.sleep(0.005)
            ticks += 1
        return ticks

    assert asyncio.run(live()) > 5


def test_recall_timings_and_reasons(memori: Memori) -> None:
    alice = memori.scoped("alice")
    assert alice.recall("tea").reason == "no_facts"
    alice.remember("User likes tea")
    found = alice.recall("tea")
    assert found.reason == "ok"
    assert set(found.timings_ms) == {"embed", "load", "rank", "total"}
    assert sum(found[0].parts.values()) == pytest.approx(found[0].rank_score)
    missed = alice.recall("violin concerto")  # the fake's vector for it lies far from tea's
    assert missed.reason == "below_cut"
    assert missed.gap is None or missed.gap > 0


def test_every_policy_by_name(store: Store) -> None:
    Memori(store, embedder=FakeEmbedder(), fusion="mem0", scope=Scope("alice")).remember_many(
        ["Marisol drinks green tea", "User plays the cello", "User lives in Porto"]
    )
    for name in ("coverage", "memori", "mem0", "dense", "lexical"):
        memori = Memori(store, embedder=FakeEmbedder(), fusion=name, scope=Scope("alice"))
        found = memori.recall("Does Marisol drink green tea?")
        assert found[0].content == "Marisol drinks green tea", name
        assert found.policy == name
