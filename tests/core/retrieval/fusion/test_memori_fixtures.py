"""`MemoriFusion` against recorded outputs of the package `memori` 3.3.6, both engines.

Left out, because our rule is another on purpose:

- weights "abc"/"xyz" and "nan": the package falls back to defaults (nan: to 0.40); we raise.
- the Rust engine's "blank query text" and "empty query text": it raises; we follow the python one.
- `dedup`: `unique_key` is stricter than the package's key, which drops all but `[a-z0-9]` and so
  stores `C`, `C++` and `C#` as one fact, and all Chinese facts as one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memori_core.errors import ConfigError
from memori_core.models import unique_key
from memori_core.retrieval.candidates import candidate_limit
from memori_core.retrieval.fusion import MemoriFusion, Pool
from memori_core.retrieval.fusion.memori import (
    LEXICAL_WEIGHT_VARIABLE,
    SHORT_LEXICAL_WEIGHT_VARIABLE,
    STOP_WORDS,
    lexical_weight_for,
    memori_scores,
    memori_tokens,
)

TOLERANCE = {"python": 1e-6, "rust": 2e-6}
REFUSED = {"abc", "xyz", "nan"}


@pytest.fixture(scope="module")
def memori(load: Callable[[str], Any]) -> Any:
    return load("memori.json")


@pytest.fixture(autouse=True)
def default_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    set_weights(monkeypatch, {})


def set_weights(monkeypatch: pytest.MonkeyPatch, setting: dict[str, str | None]) -> None:
    for name in (LEXICAL_WEIGHT_VARIABLE, SHORT_LEXICAL_WEIGHT_VARIABLE):
        value = setting.get(name)
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)


def check_rows(found: Any, expected: Any, tolerance: float, same_order: Any) -> None:
    same_order([one.number for one in found], [row[0] for row in expected])
    for one, (_, cosine, rank) in zip(found, expected, strict=True):
        assert one.cosine == pytest.approx(cosine, abs=tolerance)
        assert one.rank == pytest.approx(rank, abs=tolerance)
        assert sum(one.parts.values()) == one.rank


def test_stop_words(memori: Any):
    assert set(memori["stopwords"]) == STOP_WORDS
    assert len(STOP_WORDS) == 41


def test_tokens(memori: Any, golden: Any):
    for kind in ("facts", "queries"):
        texts = getattr(golden, kind)
        assert {int(n): tokens for n, tokens in memori["tokens"][kind].items()} == {
            n: memori_tokens(text) for n, text in texts.items()
        }


def test_candidate_limit(memori: Any):
    for rows, limit, with_text, without_text in memori["candidate_limit"]["rows"]:
        assert candidate_limit(limit, rows) == with_text
        assert limit == without_text


def test_default_weights(memori: Any, golden: Any):
    for number, (w_cos, w_lex) in memori["weights_default"].items():
        weight = lexical_weight_for(golden.queries[int(number)])
        assert (1 - weight, weight) == (w_cos, w_lex)


def test_weights_by_env(memori: Any, monkeypatch: pytest.MonkeyPatch):
    for setting in memori["weights_by_env"]:
        set_weights(monkeypatch, setting)
        if setting[LEXICAL_WEIGHT_VARIABLE] in REFUSED:
            with pytest.raises(ConfigError, match=LEXICAL_WEIGHT_VARIABLE):
                MemoriFusion()
            continue
        fusion = MemoriFusion()
        for query, (w_cos, w_lex) in setting["python"]:
            weight = lexical_weight_for(
                query,
                lexical_weight=fusion.lexical_weight,
                short_lexical_weight=fusion.short_lexical_weight,
            )
            assert (1 - weight, weight) == (w_cos, w_lex)


@pytest.mark.parametrize(("size", "limits"), [("50", (1, 5)), ("100", (10,))])
def test_pools(memori: Any, golden: Any, same_order: Any, size: str, limits: tuple[int, ...]):
    fusion = MemoriFusion()
    for number, expected in memori["pools"][size].items():
        for limit in limits:
            search = golden.search(int(number), limit=limit)
            pool = Pool(search, fusion.candidates(search))
            assert len(pool.rows) == int(size)
            order = sorted(range(len(pool.rows)), key=lambda i: (-pool.cosines[i], pool.rows[i]))
            ids = [int(pool.facts[i].id) for i in order]
            same_order(ids, expected["ids"])
            assert pool.cosines[order] == pytest.approx(np.array(expected["similarity"]), abs=1e-6)
            lexical, _ = memori_scores(
                pool.cosines, [fact.content for fact in pool.facts], search.text
            )
            recorded = {int(n): score for n, score in expected["lexical"].items()}
            twins = {71: 72, 72: 71, 75: 76, 76: 75}
            for i, id in zip(order, ids, strict=True):
                score = recorded.get(id, recorded.get(twins.get(id, id), 0.0))
                assert lexical[i] == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("engine", ["python", "rust"])
@pytest.mark.parametrize("limit", [1, 5, 10])
def test_rankings(memori: Any, golden: Any, answer: Any, same_order: Any, engine: str, limit: int):
    fusion = MemoriFusion(threshold=-1)
    for number, expected in memori["default"][engine][str(limit)].items():
        found = answer(fusion, golden.search(int(number), limit=limit))
        check_rows(found, expected, TOLERANCE[engine], same_order)


@pytest.mark.parametrize("engine", ["python", "rust"])
@pytest.mark.parametrize("run", range(4))
def test_rankings_with_other_weights(
    memori: Any,
    golden: Any,
    answer: Any,
    same_order: Any,
    monkeypatch: pytest.MonkeyPatch,
    run: int,
    engine: str,
):
    recorded = memori["env_runs"][run]
    set_weights(monkeypatch, recorded["env"])
    if recorded["env"][LEXICAL_WEIGHT_VARIABLE] in REFUSED:
        with pytest.raises(ConfigError, match="'abc'"):
            MemoriFusion()
        return
    fusion = MemoriFusion(threshold=-1)
    for limit, queries in recorded[engine].items():
        for number, expected in queries.items():
            found = answer(fusion, golden.search(int(number), limit=int(limit)))
            check_rows(found, expected, TOLERANCE[engine], same_order)


@pytest.mark.parametrize("engine", ["python", "rust"])
def test_edge_cases(memori: Any, golden: Any, answer: Any, same_order: Any, engine: str):
    left_out: list[str] = []
    for case in memori["edge_cases"][engine]:
        if "raises" in case:
            left_out.append(case["name"])
            continue
        everything = 1000
        limit = case["embeddings_limit"]
        fusion = MemoriFusion(dense_limit=None if limit == everything else limit, threshold=-1)
        more: dict[str, Any] = {"text": case["query_text"] or ""}
        if "fact_ids" in case:
            more["snapshot"] = golden.part(case["fact_ids"])
        found = answer(fusion, golden.search(case["query_id"], limit=case["limit"], **more))
        check_rows(found, case["results"], TOLERANCE[engine], same_order)
    assert left_out == ([] if engine == "python" else ["blank query text", "empty query text"])


def test_prescored(memori: Any):
    for case in memori["prescored"]:
        rows = case["candidates"]
        order = sorted(range(len(rows)), key=lambda i: -rows[i][2])
        query, limit = case["query_text"], case["limit"]
        pool = [rows[i] for i in order[: candidate_limit(limit, len(rows)) if query else limit]]
        _, rank = memori_scores([row[2] for row in pool], [row[1] for row in pool], query)
        best = sorted(range(len(pool)), key=lambda i: (-rank[i], -pool[i][2]))[:limit]
        assert [pool[i][0] for i in best] == [row[0] for row in case["results"]], case["name"]
        for i, (_, cosine, score) in zip(best, case["results"], strict=True):
            assert pool[i][2] == cosine
            assert rank[i] == pytest.approx(score, abs=1e-15)


def test_facts_that_the_package_would_store_as_one_stay_apart(memori: Any, golden: Any):
    only_case = {71, 72}, {73, 74}, {75, 76}
    groups = memori["dedup"]["collapsing_groups"]
    assert {32, 33, 34} in [set(group) for group in groups]  # C, C++, C#
    for group in groups:
        if set(group) not in only_case:
            keys = {unique_key(golden.facts[number]) for number in group}
            assert len(keys) == len(group)
