"""Indexes in memory."""

from __future__ import annotations

from memori_core import InMemoryStore, Memori


def test_catching_up_follows_an_index_that_is_there_and_loads_no_other() -> None:
    store = InMemoryStore()
    memori = Memori(store, embedder=None)
    alice, bob = memori.scoped("alice"), memori.scoped("bob")
    alice.remember("User likes tea.")
    bob.remember("User likes coffee.")
    memori.retriever.catch_up(alice.scope)  # nobody has recalled anything yet
    assert memori.retriever._cache is None
    alice.recall("tea?")
    alice.remember("User likes green tea.")
    memori.retriever.catch_up(alice.scope)
    memori.retriever.catch_up(bob.scope)
    cache = memori.retriever.cache
    assert set(cache._entries) == {alice.scope.entity_key}
    assert len(cache._entries[alice.scope.entity_key].index.snapshot().facts) == 2
