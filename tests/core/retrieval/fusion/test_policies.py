"""What the policies promise beside the recorded outputs: names, weights, small stores, cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memori_core.embedding.base import FloatArray
from memori_core.errors import ConfigError
from memori_core.models import Fact, FactRecord, LinkedMention, Mention, unique_key
from memori_core.retrieval.entities import RuleEntityExtractor
from memori_core.retrieval.fusion import (
    CoverageFusion,
    Fusion,
    Mem0Fusion,
    MemoriFusion,
    Pool,
    Search,
    make_fusion,
)
from memori_core.retrieval.fusion.mem0_scoring import (
    entity_boosts,
    fused_parts,
    max_possible,
    normalize_bm25,
    sigmoid_params,
)
from memori_core.retrieval.fusion.memori import memori_scores, pool_bm25
from memori_core.retrieval.index import EntityIndex, Snapshot
from memori_core.retrieval.lemmas import RuleLemmatizer
from memori_core.retrieval.mentions import Mentions, load_mentions
from memori_core.writes import Changes

WHEN = datetime(2026, 1, 1, tzinfo=UTC)
NO_POOL: Any = None  # the sum of parts asks for nothing else
EAST = np.array([1.0, 0.0], np.float32)


def toward(cosine: float) -> FloatArray:
    """A unit vector with this cosine to `EAST`."""
    return np.array([cosine, np.sqrt(1 - cosine**2)], np.float32)


def record(number: int, content: str, cosine: float) -> FactRecord:
    said = WHEN + timedelta(days=number)
    return FactRecord(
        Fact(content, id=f"{number:03d}", said_at=said, learnt_at=said, last_said_at=said),
        uniq=unique_key(content),
        terms="",
        tokenizer=0,
        vector=toward(cosine).tobytes(),
        embedder="fake",
    )


def index_of(*facts: tuple[str, float]) -> EntityIndex:
    index = EntityIndex(embedder="fake", dim=2)
    records = tuple(record(i, content, cosine) for i, (content, cosine) in enumerate(facts))
    index.apply(Changes(revision=1, complete=True, records=records))
    return index


def search_in(snapshot: Snapshot, text: str, **more: Any) -> Search:
    return Search(text, snapshot=snapshot, **{"vector": EAST, **more})


def plain_mem0(**arguments: Any) -> Mem0Fusion:
    return Mem0Fusion(entities=RuleEntityExtractor(), lemmatizer=RuleLemmatizer(), **arguments)


def names_in(*names: tuple[str, float, tuple[str, ...]]) -> Mentions:
    linked = [
        LinkedMention(Mention(text, type="PROPER", vector=toward(cos).tobytes()), fact_ids=ids)
        for text, cos, ids in names
    ]
    return load_mentions(linked, dim=2)


# ------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize("name", ["coverage", "memori", "mem0", "dense", "lexical"])
def test_a_policy_by_name(name: str):
    assert make_fusion(name).name == name


def test_a_policy_object_is_taken_as_it_is():
    policy = CoverageFusion(lexical_weight=0.5)
    assert make_fusion(policy) is policy


@pytest.mark.parametrize("spec", ["rrf", "", "Coverage"])
def test_an_unknown_name_is_answered_with_the_names_there_are(spec: str):
    with pytest.raises(ConfigError, match='"coverage", "memori", "mem0", "dense", "lexical"'):
        make_fusion(spec)


@pytest.mark.parametrize("spec", [None, 3, CoverageFusion])
def test_something_that_is_no_policy_is_refused(spec: Any):
    with pytest.raises(ConfigError, match="Fusion object"):
        make_fusion(spec)


# ----------------------------------------------------------------------------------- B26: weights


def test_b26_an_argument_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MEMORI_RECALL_LEX_WEIGHT", "0.2")
    monkeypatch.setenv("MEMORI_RECALL_LEX_WEIGHT_SHORT", "0.25")
    fusion = MemoriFusion(lexical_weight=0.35)
    assert (fusion.lexical_weight, fusion.short_lexical_weight) == (0.35, 0.25)
    monkeypatch.setenv("MEMORI_RECALL_LEX_WEIGHT_SHORT", "0.4")
    assert fusion.short_lexical_weight == 0.25  # read when the object is made


@pytest.mark.parametrize("argument", ["lexical_weight", "short_lexical_weight", "threshold"])
def test_b26_a_weight_that_is_not_a_number_is_refused(argument: str):
    arguments: dict[str, Any] = {argument: float("nan")}
    with pytest.raises(ConfigError, match=argument):
        MemoriFusion(**arguments)


@pytest.mark.parametrize("value", ["abc", "nan", "0,2"])
def test_b26_a_variable_that_is_not_a_number_is_named_with_its_value(
    monkeypatch: pytest.MonkeyPatch, value: str
):
    monkeypatch.setenv("MEMORI_RECALL_LEX_WEIGHT_SHORT", value)
    with pytest.raises(ConfigError, match=f"MEMORI_RECALL_LEX_WEIGHT_SHORT.*'{value}'"):
        MemoriFusion()


def test_b26_the_weight_decides_the_order(answer: Callable[..., Any]):
    snapshot = index_of(("likes rust", 0.3), ("likes tea", 0.6)).snapshot()
    search = search_in(snapshot, "rust")
    # 0.7 * 0.3 + 0.3 = 0.51 against 0.7 * 0.6 = 0.42; and 0.335 against 0.57.
    best = {w: answer(MemoriFusion(short_lexical_weight=w), search)[0] for w in (0.3, 0.05)}
    assert (best[0.3].number, best[0.05].number) == (0, 1)
    assert best[0.3].rank == pytest.approx(0.51)
    assert best[0.05].rank == pytest.approx(0.57)


def test_d12_an_old_fact_is_found_unless_only_the_newest_are_seen(answer: Callable[..., Any]):
    facts = [("the gold", 0.9), *((f"filler {i}", 0.2) for i in range(20))]
    search = search_in(index_of(*facts).snapshot(), "gold", limit=1)
    assert answer(MemoriFusion(), search)[0].number == 0
    assert answer(MemoriFusion(dense_limit=5), search)[0].number != 0


def test_a_negative_dense_limit_is_refused():
    with pytest.raises(ConfigError, match="dense_limit"):
        MemoriFusion(dense_limit=-1)


# ------------------------------------------------------------------------------ B19: small stores


def test_b19_a_word_that_every_fact_holds_still_counts():
    # idf = ln(1 + 0.5 / 2.5) > 0, unlike the classic form, which would be negative here.
    assert pool_bm25(["tea"], [["tea"], ["tea", "cup"]])[0] == 1.0
    assert pool_bm25(["tea"], [["tea"]]).tolist() == [1.0]


def test_b19_equal_facts_score_equally_and_nothing_scores_nothing():
    assert pool_bm25(["tea"], [["tea"], ["tea"]]).tolist() == [1.0, 1.0]
    assert pool_bm25(["tea"], [[], ["cup"]]).tolist() == [0.0, 0.0]
    assert pool_bm25(["tea"], []).tolist() == []


def test_b19_the_logistic_curve_mutes_words_in_a_tiny_store():
    """In a store of one fact the raw score is ln(4/3) w(query) w(fact), about 1.3: far below the
    midpoint of 5, so a perfect match in words adds 0.07 while the divisor doubles."""
    snapshot = index_of(("likes tea", 0.5)).snapshot()
    fusion = plain_mem0()
    hits = fusion.keyword_hits(search_in(snapshot, "tea"))
    assert 0.05 < hits[0] < 0.1
    pool = Pool(search_in(snapshot, "tea"), np.array([0]))
    assert fusion.rank(pool, fusion.parts(pool))[0] == pytest.approx((0.5 + hits[0]) / 2)


def test_b19_one_fact_is_recalled_by_its_words(answer: Callable[..., Any]):
    snapshot = index_of(("likes tea", 0.5)).snapshot()
    for fusion in (MemoriFusion(), plain_mem0()):
        assert [one.number for one in answer(fusion, search_in(snapshot, "tea"))] == [0]


@pytest.mark.parametrize("name", ["memori", "mem0", "dense", "lexical", "coverage"])
def test_an_empty_store_gives_nothing(name: str):
    search = search_in(EntityIndex(embedder="fake", dim=2).snapshot(), "tea")
    assert len(make_fusion(name).candidates(search)) == 0


# -------------------------------------------------------------------------------- gates and cuts


def test_words_and_names_let_nothing_in_that_the_cosine_refuses(answer: Callable[..., Any]):
    snapshot = index_of(("Poppy likes tea", 0.05), ("a walk", 0.3)).snapshot()
    mentions = names_in(("Poppy", 1.0, ("000",)))
    search = search_in(snapshot, "Does Poppy like tea?", mentions=mentions)
    assert [one.number for one in answer(plain_mem0(), search)] == [1]


def test_strictness_moves_the_threshold(answer: Callable[..., Any]):
    snapshot = index_of(("one", 0.12), ("two", 0.3), ("three", -0.2)).snapshot()
    expected = {0.0: [1, 0, 2], 1.0: [1, 0], 2.0: [1], 4.0: []}
    for strictness, numbers in expected.items():
        search = search_in(snapshot, "other", strictness=strictness)
        for fusion in (plain_mem0(), MemoriFusion(threshold=0.1 * 0.7)):
            assert [one.number for one in answer(fusion, search)] == numbers


def test_what_the_threshold_refuses_makes_room_for_the_next(answer: Callable[..., Any]):
    facts = [("tea tea", 0.05), *((f"filler {i}", 0.2 + i / 100) for i in range(3))]
    search = search_in(index_of(*facts).snapshot(), "tea", limit=3)
    assert [one.number for one in answer(plain_mem0(), search)] == [3, 2, 1]


def test_the_nearest_stays_for_the_cut_to_refuse():
    snapshot = index_of(("one", 0.01), ("two", 0.05)).snapshot()
    fusion = plain_mem0()
    search = search_in(snapshot, "other")
    pool = Pool(search, fusion.candidates(search))
    assert [fact.id for fact in pool.facts] == ["001"]
    assert fusion.relevance(pool, np.zeros(1))[0] < fusion.cut(search, 1.0)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_that_is_no_cosine_is_refused(threshold: float):
    with pytest.raises(ConfigError, match="threshold"):
        Mem0Fusion(threshold=threshold)


@pytest.mark.parametrize("fusion", [MemoriFusion(), plain_mem0()], ids=["memori", "mem0"])
def test_without_vectors_dense_gated_policies_recall_nothing(fusion: Fusion):
    search = search_in(index_of(("likes tea", 0.5)).snapshot(), "tea", vector=None)
    assert len(fusion.candidates(search)) == 0


# ----------------------------------------------------------------------------------- keyword leg


def test_the_keyword_index_follows_additions_and_deletions():
    index = index_of(("likes tea", 0.5), ("likes tea and cake", 0.4))
    fusion = plain_mem0()
    before = index.snapshot()
    assert set(fusion.keyword_hits(search_in(before, "tea"))) == {0, 1}
    index.apply(
        Changes(
            revision=2, complete=False, records=(record(2, "green tea", 0.1),), deleted=("000",)
        )
    )
    after = index.snapshot()
    found = fusion.keyword_hits(search_in(after, "tea"))
    fresh = plain_mem0().keyword_hits(search_in(after, "tea"))
    assert found == fresh
    assert set(found) == {1, 2}
    # A reader that still holds the older snapshot sees what it saw.
    assert set(fusion.keyword_hits(search_in(before, "tea"))) == {0, 1}


def test_the_keyword_leg_keeps_to_the_mask():
    snapshot = index_of(("likes tea", 0.5), ("green tea", 0.4)).snapshot()
    search = search_in(snapshot, "tea", mask=np.array([False, True]))
    assert set(plain_mem0().keyword_hits(search)) == {1}


# ------------------------------------------------------------------------------------- entity leg


def test_the_same_spelling_is_a_full_match_without_vectors():
    snapshot = index_of(("Poppy barks", 0.5)).snapshot()
    stored = load_mentions([LinkedMention(Mention("Poppy", type="PROPER"), fact_ids=("000",))], 0)
    for text in ("Where is Poppy?", "POPPY?"):
        search = search_in(snapshot, text, mentions=stored)
        # One linked fact, no attenuation: 1.0 * 0.5.
        assert entity_boosts(plain_mem0().entity_matches(search)) == {"000": 0.5}


def test_similar_names_match_by_their_vectors():
    snapshot = index_of(("Poppy barks", 0.5), ("Pepper meows", 0.4)).snapshot()
    stored = names_in(("Poppy", 0.8, ("000",)), ("Pepper", 0.4, ("001",)))

    def embed(names: Sequence[str]) -> FloatArray:
        assert names == ["Pops"]
        return EAST[None, :]

    search = search_in(snapshot, "Where is Pops?", mentions=stored, embed=embed)
    assert entity_boosts(plain_mem0().entity_matches(search)) == {"000": pytest.approx(0.4)}


def test_a_mention_with_a_damaged_vector_is_found_by_its_spelling():
    linked = LinkedMention(Mention("Poppy", type="PROPER", vector=b"123"), fact_ids=("000",))
    mentions = load_mentions([linked], dim=2)
    assert mentions.matrix.tolist() == [[0.0, 0.0]]
    assert mentions.row_of == {"poppy": 0}


# --------------------------------------------------------------------------------- pure functions


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.sampled_from(["tea", "cup of tea", "walk", ""]))),
    st.randoms(use_true_random=False),
)
def test_memori_scores_do_not_depend_on_the_order(candidates: list[tuple[float, str]], random: Any):
    shuffled = list(range(len(candidates)))
    random.shuffle(shuffled)
    cosines, contents = [c for c, _ in candidates], [text for _, text in candidates]
    _, rank = memori_scores(cosines, contents, "tea cup")
    _, other = memori_scores(
        [cosines[i] for i in shuffled], [contents[i] for i in shuffled], "tea cup"
    )
    assert other.tolist() == pytest.approx([rank[i] for i in shuffled], abs=1e-12)


@given(st.floats(allow_nan=False), st.integers(0, 40))
def test_a_normalised_score_never_overflows(raw: float, terms: int):
    assert 0.0 <= normalize_bm25(raw, *sigmoid_params(terms)) <= 1.0


signals = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.5)), min_size=1)


@given(signals)
def test_fused_scores_stay_within_one_and_add_up(rows: list[tuple[float, float, float]]):
    cosines, bm25, boosts = map(list, zip(*rows, strict=True))
    divisor = max_possible(bm25=any(bm25), entities=any(boosts))
    parts = fused_parts(cosines, bm25, boosts, divisor)
    rank = plain_mem0().rank(NO_POOL, parts)
    assert ((rank >= 0) & (rank <= 1)).all()
    assert (rank * divisor).tolist() == pytest.approx([sum(row) for row in rows], abs=1e-9)


def test_changed_searches_share_nothing(answer: Callable[..., Any]):
    search = search_in(index_of(("likes tea", 0.5)).snapshot(), "tea")
    assert answer(plain_mem0(), replace(search, limit=0)) == []
    assert answer(MemoriFusion(), replace(search, limit=0)) == []
