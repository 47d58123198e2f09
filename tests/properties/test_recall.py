"""What holds for every store and every question."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memori_core import InMemoryStore, Memori, Recall, Scope
from memori_core.testing import FakeEmbedder

WORDS = "tea jazz Porto heron cello 花生 过敏 杭州 C++ QX-7719 café budget winter allergy".split()
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
stores = st.lists(sentences, min_size=1, max_size=70, unique_by=str.casefold)
quick = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def filled(texts: list[str], **options: object) -> Memori:
    memori = Memori(
        InMemoryStore(),
        embedder=FakeEmbedder(),
        scope=Scope("alice"),
        **options,  # type: ignore[arg-type]
    )
    memori.remember_many({"content": text, "id": text} for text in texts)
    return memori


def ranking(found: Recall) -> list[tuple[str, float]]:
    return [(f.id, f.rank_score) for f in found]


@given(stores, sentences, st.randoms(use_true_random=False), st.sampled_from([0, 1]))
@quick
def test_permuting_the_store_does_not_change_a_ranking(
    texts: list[str], query: str, rng: random.Random, strictness: int
) -> None:
    shuffled = list(texts)
    rng.shuffle(shuffled)
    first = filled(texts).recall(query, strictness=strictness)
    second = filled(shuffled).recall(query, strictness=strictness)
    assert ranking(first) == ranking(second)
    assert first.reason == second.reason


@given(stores, sentences, st.data())
@quick
def test_deleting_gives_the_scores_of_a_store_that_never_held_it(
    texts: list[str], query: str, data: st.DataObject
) -> None:
    gone = data.draw(st.sets(st.sampled_from(texts), max_size=len(texts)))
    memori = filled(texts)
    memori.recall(query)  # the index is warm, so that the deletion is applied to it
    memori.forget(gone)
    fresh = filled([text for text in texts if text not in gone])
    first, second = (m.recall(query, limit=50, strictness=0) for m in (memori, fresh))
    assert [f.id for f in first] == [f.id for f in second]
    for a, b in zip(first, second, strict=True):
        assert a.rank_score == pytest.approx(b.rank_score, abs=1e-6)
        assert a.lexical_score == pytest.approx(b.lexical_score, abs=1e-6)


pairs = st.lists(st.tuples(st.sampled_from(WORDS[:7]), st.sampled_from(WORDS[7:])), min_size=2)


@given(sentences, pairs, sentences, st.integers(1, 50))
@quick
def test_a_pair_depends_on_the_rest_only_through_idf_and_average_length(
    text: str, rest: list[tuple[str, str]], query: str, turn: int
) -> None:
    # The others exchange words: each word stays in as many facts, and the lengths add up to the
    # same. What they are now, and how well they do, must not matter to the one that stays.
    turned = [rest[(i + turn) % len(rest)][1] for i in range(len(rest))]
    first = [f"{one} {two} n{i}" for i, (one, two) in enumerate(rest)]
    second = [
        f"{one} {two} n{i}" for i, ((one, _), two) in enumerate(zip(rest, turned, strict=True))
    ]
    one, other = (
        next(
            f
            for f in filled([text, *others]).recall(query, limit=500, strictness=0)
            if f.id == text
        )
        for others in (first, second)
    )
    assert one.parts == pytest.approx(other.parts, abs=1e-6)
    assert one.rank_score == pytest.approx(other.rank_score, abs=1e-6)
    assert one.relevance == pytest.approx(other.relevance, abs=1e-6)
    assert one.lexical_score == pytest.approx(other.lexical_score, abs=1e-5)
    assert one.dense_score == other.dense_score


@given(stores, sentences)
@quick
def test_another_fact_leaves_every_cosine(texts: list[str], query: str) -> None:
    before = filled(texts).recall(query, limit=100, strictness=0)
    more = filled([*texts, "zzz yyy xxx"]).recall(query, limit=100, strictness=0)
    cosines = {f.id: f.dense_score for f in more}
    assert len(before) == len(texts)
    for f in before:
        assert f.dense_score == pytest.approx(cosines[f.id], abs=1e-6)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
@settings(deadline=None)
def test_any_text_survives_a_round_trip(text: str) -> None:
    memori = Memori(InMemoryStore(), embedder=None, scope=Scope("alice"))
    if not text.strip():
        return
    fact = memori.remember(text, metadata={"text": text})
    (stored,) = memori.list()
    assert stored == fact
    assert stored.content == text
    assert stored.metadata["text"] == text
    memori.recall(text)


@given(st.lists(st.tuples(st.sampled_from(["alice", "bob", "1", "a%"]), sentences), max_size=40))
@quick
def test_two_entities_never_meet(writes: list[tuple[str, str]]) -> None:
    memori = Memori(InMemoryStore(), embedder=FakeEmbedder())
    for entity, text in writes:
        memori.scoped(entity).remember(f"{text} of {entity}")
    for entity in ("alice", "bob", "1", "a%"):
        memory = memori.scoped(entity)
        found = memory.recall(" ".join(WORDS), limit=100, strictness=0)
        assert all(f.content.endswith(f" of {entity}") for f in found)
        own = {f"{text} of {entity}".casefold() for name, text in writes if name == entity}
        assert {fact.content.casefold() for fact in memory.list()} == own
