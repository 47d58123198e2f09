"""Ranking, measured: a data set stored and asked through `Memori`."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from memori_core.embedding import Embedder, EmbedderSpec, make_embedder
from memori_core.errors import ConfigError
from memori_core.evaluation.datasets.base import Dataset, Question
from memori_core.evaluation.metrics import Scores, mean, recall_at, rounded, score
from memori_core.evaluation.storing import remember_all
from memori_core.evaluation.vectors import StoredVectors, name_of
from memori_core.evaluation.versions import versions
from memori_core.memori import Memori, ScopedMemory
from memori_core.retrieval.fusion import Fusion, make_fusion
from memori_core.retrieval.index_text import embedded_text
from memori_core.retrieval.person import first_person
from memori_core.stores import InMemoryStore

DEPTH = 10
DEEP = 20
"""Limits of the recalls that are scored. Candidates grow with the limit, and some policies rank
otherwise in a larger pool, so that measures at 10 need an answer of 10."""

MEASURES = (
    "hit@1",
    "recall@5",
    "recall@10",
    "recall@20",
    "gated_recall@10",
    "hit@10",
    "mrr@10",
    "ndcg@10",
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How well one way of recall ranks one data set."""

    dataset: str
    _: KW_ONLY
    unit: str
    fusion: str
    embedder: str
    """Its name; `none` where no vectors were used."""
    conversation: bool
    questions: int
    scores: Scores
    """`MEASURES`, each the mean over questions."""
    per_category: Mapping[str, Mapping[str, float]]
    """The same for the questions of each category, with their number."""
    seconds: float
    """Storing and asking, without embedding."""
    versions: Mapping[str, str] = field(default_factory=versions)

    def to_json(self) -> dict[str, Any]:
        """The evaluation as JSON values, figures rounded to four places."""
        return {
            "dataset": self.dataset,
            "unit": self.unit,
            "fusion": self.fusion,
            "conversation": self.conversation,
            "embedder": self.embedder,
            "questions": self.questions,
            **rounded({name: self.scores[name] for name in MEASURES}),
            "per_category": {name: rounded(s) for name, s in self.per_category.items()},
            "seconds": round(self.seconds, 1),
            "versions": dict(self.versions),
        }


def evaluate(
    dataset: Dataset,
    *,
    embedder: EmbedderSpec,
    fusion: Fusion | str = "coverage",
    conversation: bool = False,
    cache: Path | None = None,
    progress: bool = False,
) -> Evaluation:
    """Store a data set, ask its questions, and score the answers.

    Measures up to 10 come from recalls of 10, `recall@20` from recalls of 20, both with the cut
    off (`strictness=0`); `gated_recall@10` is recall@10 at the default strictness.

    Args:
        dataset: What to store and to ask.
        embedder: See `make_embedder`; not loaded for a policy that uses no vectors.
        fusion: A policy or its name.
        conversation: Whether to add the stages of conversation mode.
        cache: Folder of the vector cache; None for `cache_folder()`.
        progress: Show progress bars on standard error.

    Raises:
        ConfigError: There is nothing to ask.
    """
    if not dataset.questions:
        raise ConfigError(f"{dataset.name} has no questions to ask.")
    policy = make_fusion(fusion)
    made = make_embedder(embedder) if policy.uses_vector else None
    if made is None:
        return _evaluate(dataset, None, policy, conversation=conversation, progress=progress)
    with StoredVectors(made, cache) as vectors:
        return _evaluate(dataset, vectors, policy, conversation=conversation, progress=progress)


def _evaluate(
    dataset: Dataset,
    vectors: StoredVectors | None,
    policy: Fusion,
    *,
    conversation: bool,
    progress: bool,
) -> Evaluation:
    if vectors is not None:
        texts = [embedded_text(fact) for c in dataset.collections for fact in c.facts]
        vectors.embed_documents(texts, progress=progress)
        asked = [
            first_person(question.text) for c in dataset.collections for question in c.questions
        ]
        vectors.embed_queries(asked, progress=progress)
    started = time.perf_counter()
    memori = Memori(
        InMemoryStore(),
        embedder=vectors,
        fusion=policy,
        boosts="conversation" if conversation else (),
    )
    rows: list[Scores] = []
    categories: defaultdict[str, list[Scores]] = defaultdict(list)
    with memori, tqdm(total=dataset.questions, desc=policy.name, disable=not progress) as bar:
        for collection in dataset.collections:
            memory = memori.scoped(collection.id)
            ids = remember_all(memory, collection.facts, vectors)
            for question in collection.questions:
                row = _ask(memory, question, ids, vectors)
                rows.append(row)
                categories[question.category].append(row)
                bar.update()
    return Evaluation(
        dataset.name,
        unit=dataset.unit,
        fusion=policy.name,
        embedder=name_of(vectors),
        conversation=conversation,
        questions=len(rows),
        scores=mean(rows),
        per_category={
            name: {"questions": len(some), **mean(some)}
            for name, some in sorted(categories.items())
        },
        seconds=time.perf_counter() - started,
    )


def _ask(
    memory: ScopedMemory,
    question: Question,
    ids: Mapping[str, str],
    vectors: Embedder | None,
) -> Scores:
    vector = None if vectors is None else vectors.embed_query(first_person(question.text))
    gold = {ids[fact_id] for fact_id in question.gold}

    def found(limit: int, strictness: float) -> list[str]:
        answer = memory.recall(question.text, vector=vector, limit=limit, strictness=strictness)
        return [fact.id for fact in answer]

    return {
        **score(found(DEPTH, 0), gold),
        "recall@20": recall_at(DEEP, found(DEEP, 0), gold),
        "gated_recall@10": recall_at(DEPTH, found(DEPTH, 1), gold),
    }
