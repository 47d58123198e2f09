"""Ranking candidates whose similarity comes from elsewhere: a vector database, another index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np

from memori_core.models import Fact, FactRecord, unique_key
from memori_core.results import RecalledFact
from memori_core.retrieval.candidates import best_first
from memori_core.retrieval.fusion import Fusion, Pool, Search, make_fusion
from memori_core.retrieval.index import EntityIndex
from memori_core.retrieval.person import first_person
from memori_core.retrieval.tokenization import TOKENIZER_VERSION, index_terms
from memori_core.writes import Changes

if TYPE_CHECKING:
    from memori_core.retrieval.lexical import Float64Array


@dataclass(frozen=True, slots=True)
class Scored:
    """A pool with its scores, from which facts are read off."""

    pool: Pool
    _: KW_ONLY
    parts: Mapping[str, Float64Array]
    rank: Float64Array
    relevance: Float64Array

    def fact(self, place: int) -> RecalledFact:
        """One candidate with everything that is known about it."""
        parts = {name: float(values[place]) for name, values in self.parts.items()}
        return RecalledFact(
            self.pool.fact(place),
            dense_score=float(self.pool.cosines[place]),
            lexical_score=float(self.pool.words.score[place]),
            entity_score=parts.get("entity", 0.0),
            rank_score=float(self.rank[place]),
            relevance=float(self.relevance[place]),
            parts=parts,
        )


def rank(
    query: str,
    candidates: Sequence[tuple[Fact, float | None]],
    *,
    fusion: Fusion | str = "coverage",
    limit: int | None = None,
) -> list[RecalledFact]:
    """Candidates in the order of a fusion policy, best first.

    Words are counted among the candidates. The same id twice is one candidate, with its higher
    similarity. Nothing is cut off.

    ```python
    from datetime import datetime, timezone

    from memori_core import Fact, rank

    day = datetime(2026, 5, 1, tzinfo=timezone.utc)
    tea = Fact("User likes tea.", id="1", said_at=day, learnt_at=day, last_said_at=day)
    jazz = Fact("User likes jazz.", id="2", said_at=day, learnt_at=day, last_said_at=day)
    print(rank("jazz?", [(tea, 0.31), (jazz, 0.30)])[0].content)
    #> User likes jazz.
    ```

    Args:
        query: The question.
        candidates: Facts with their similarity to it, -1 to 1; None or NaN counts as 0.
        fusion: The policy or its name.
        limit: At most this many; None for all.
    """
    policy = make_fusion(fusion)
    best: dict[str, tuple[Fact, float]] = {}
    for fact, given in candidates:
        score = 0.0 if given is None or not np.isfinite(given) else float(given)
        if fact.id not in best or score > best[fact.id][1]:
            best[fact.id] = (fact, score)
    if not best:
        return []
    index = EntityIndex(embedder=None, dim=0)
    facts = tuple(fact for fact, _ in best.values())
    index.apply(Changes(1, complete=True, records=tuple(_record(fact) for fact in facts)))
    scores = np.clip([score for _, score in best.values()], -1.0, 1.0)
    count = len(facts) if limit is None else limit
    search = Search(query, snapshot=index.snapshot(), limit=count)
    pool = _GivenPool(search, np.arange(len(facts)), scores)
    parts = policy.parts(pool)
    ranks = policy.rank(pool, parts)
    scored = Scored(pool, parts=parts, rank=ranks, relevance=policy.relevance(pool, ranks))
    order = best_first(ranks, pool.cosines, pool.id_of, count)
    return [scored.fact(place) for place in order]


@dataclass(frozen=True)
class _GivenPool(Pool):
    """A pool whose similarities are given instead of computed."""

    given: Float64Array

    def __post_init__(self) -> None:
        # Filled in ahead, as `cached_property` would.
        self.__dict__["cosines"] = self.given.astype(np.float32)
        self.__dict__["strength"] = np.maximum(self.given, 0.0)


def _record(fact: Fact) -> FactRecord:
    return FactRecord(
        fact,
        uniq=unique_key(fact.content),
        terms=" ".join(index_terms(first_person(fact.content))),
        tokenizer=TOKENIZER_VERSION,
    )
