"""What one job makes of an extraction: names, statements, and facts that end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import pytest

from memori_core import InMemoryStore, Memori, Scope
from memori_core.augmentation.base import Extractor
from memori_core.conversation import ExtractedFact, Extraction, Message, Triple
from memori_core.errors import StoreError
from memori_core.retrieval.cache import IndexCache
from memori_core.stores import SQLiteStore, Store
from memori_core.testing import FakeEmbedder


class Fixed(Extractor):
    """Always finds the same."""

    name = "fixed"

    def __init__(self, *facts: ExtractedFact) -> None:
        self._facts = facts

    def extract(
        self, messages: Sequence[Message], *, said_at: datetime, summary: str | None = None
    ) -> Extraction:
        return Extraction(self._facts)


def test_what_the_statements_name_is_mentioned_by_the_fact() -> None:
    fact = ExtractedFact(
        "User's brother visits on sundays",
        triples=(Triple("Anselm", "brother_of", "User"), Triple("anselm", "visits", "User")),
    )
    with Memori(
        InMemoryStore(), embedder=FakeEmbedder(), fusion="mem0", extractor=Fixed(fact)
    ) as memori:
        alice = memori.scoped("alice")
        alice.capture("My brother visits on sundays.")
        assert memori.flush(20)
        (stored,) = alice.list()
        (anselm,) = [
            m for m in memori._core.store.mentions(alice.scope) if m.mention.norm == "anselm"
        ]
        assert anselm.fact_ids == (stored.id,)
        assert anselm.mention.type == "person"
        assert anselm.mention.vector is not None
        assert memori._core.store.mentions(memori.scoped("bob").scope) == []


def test_other_policies_keep_no_mentions() -> None:
    fact = ExtractedFact("User knows Anselm", triples=(Triple("User", "knows", "Anselm"),))
    with Memori(InMemoryStore(), embedder=None, extractor=Fixed(fact)) as memori:
        alice = memori.scoped("alice")
        alice.capture("I know Anselm.")
        assert memori.flush(20)
        assert memori._core.store.mentions(alice.scope) == []


def test_a_turn_is_done_when_it_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_cache: IndexCache, _scope: Scope) -> None:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(IndexCache, "catch_up", fail)
    fact = ExtractedFact("User likes tea.")
    with Memori(InMemoryStore(), embedder=None, extractor=Fixed(fact)) as memori:
        alice = memori.scoped("alice")
        assert not alice.recall("tea?")  # loads the index
        alice.capture("I like tea.")
        assert memori.flush(20)
        counts = memori.augmentation.stats()
        assert (counts["done"], counts["failed"]) == (1, 0)


@pytest.mark.parametrize("store", [InMemoryStore, lambda: SQLiteStore(":memory:")])
def test_a_fact_with_two_homes_that_is_said_again_holds(store: Callable[[], Store]) -> None:
    homes = tuple(Triple("User", "lives_in", city) for city in ("Porto", "Ghent"))
    fact = ExtractedFact("User lives in Porto and in Ghent.", triples=homes)
    with Memori(store(), embedder=None, extractor=Fixed(fact)) as memori:
        alice = memori.scoped("alice")
        for day in ("2026-01-01", "2026-01-02"):
            alice.capture("I live in Porto and in Ghent.", at=day)
            assert memori.flush(20)
        assert [(f.times, f.valid_until) for f in alice.list()] == [(2, None)]
        assert {t.triple.object for t in alice.triples()} == {"Porto", "Ghent"}
