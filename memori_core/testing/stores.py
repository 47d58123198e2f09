"""The promises of a store, as tests that any store can inherit."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memori_core.errors import StoreClosedError
from memori_core.stores.base import Store
from memori_core.testing._store_conversations import ConversationConformance
from memori_core.testing._store_jobs import JobConformance
from memori_core.testing._store_reading import ReadingConformance
from memori_core.testing._store_sources import SourceConformance
from memori_core.testing._store_writing import WritingConformance
from memori_core.testing.facts import ALICE, BOB, create, fact_record
from memori_core.writes import CreateFact, WriteBatch

__all__ = ["StoreConformance", "fact_record"]


class StoreConformance(
    WritingConformance,
    ReadingConformance,
    ConversationConformance,
    SourceConformance,
    JobConformance,
    ABC,
):
    """Inherit from it, say how your store is made, and pytest runs what a store promises.

    ```python
    from memori_core.stores import InMemoryStore
    from memori_core.testing import StoreConformance

    class TestInMemoryStore(StoreConformance):
        def make_store(self):
            return InMemoryStore()
    ```
    """

    @abstractmethod
    def make_store(self) -> Store:
        """A new, empty store."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        """An empty store, closed after the test."""
        with self.make_store() as store:
            yield store

    def test_two_entities_written_at_once_stay_apart(self, store: Store) -> None:
        def write(n: int) -> None:
            scope = (ALICE, BOB)[n % 2]
            create(store, scope, fact_record(f"{scope.entity_id} said {n}"))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(60)))
        for scope in (ALICE, BOB):
            stored = store.facts(scope)
            assert len(stored) == 30
            assert all(r.fact.content.startswith(scope.entity_id) for r in stored)
            assert sorted(r.fact.revision for r in stored) == list(range(1, 31))

    def test_the_async_twins_do_the_same(self, store: Store) -> None:
        async def both() -> None:
            batches = [WriteBatch((CreateFact(fact_record(f"Fact {n}")),)) for n in range(20)]
            await asyncio.gather(
                *(store.aapply((ALICE, BOB)[n % 2], b) for n, b in enumerate(batches))
            )
            for scope in (ALICE, BOB):
                changes = await store.achanges(scope)
                assert changes == store.changes(scope)
                assert len(changes.records) == changes.revision == 10
            assert (await store.achanges(ALICE, since=10)).records == ()
            assert (await store.aapply(ALICE, WriteBatch(()), durable=False)).revision == 10
            assert await store.aerase(ALICE) == 10
            assert len((await store.achanges(BOB)).records) == 10

        asyncio.run(both())

    def test_a_batch_that_need_not_be_durable_is_stored_all_the_same(self, store: Store) -> None:
        def write(n: int) -> None:
            new = CreateFact(fact_record(f"Fact {n}"))
            store.apply(ALICE, WriteBatch((new,)), durable=n % 3 == 0)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, range(30)))
        assert len(store.facts(ALICE)) == store.revision(ALICE) == 30

    def test_a_closed_store_says_so(self) -> None:
        store = self.make_store()
        store.close()
        store.close()
        with pytest.raises(StoreClosedError):
            store.revision(ALICE)
        with pytest.raises(StoreClosedError):
            create(store, ALICE, fact_record("User likes tea"))
