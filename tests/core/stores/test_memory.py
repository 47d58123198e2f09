from __future__ import annotations

from memori_core.models import Scope
from memori_core.stores import InMemoryStore
from memori_core.testing.facts import create, fact_record
from memori_core.testing.stores import StoreConformance


class TestInMemoryStore(StoreConformance):
    def make_store(self) -> InMemoryStore:
        return InMemoryStore()


def test_later_changes_to_the_callers_metadata_are_not_seen():
    metadata = {"tags": ["a"]}
    with InMemoryStore() as store:
        create(store, Scope("alice"), fact_record("User likes tea", metadata=metadata))
        metadata["tags"].append("b")
        assert store.facts(Scope("alice"))[0].fact.metadata == {"tags": ["a"]}
