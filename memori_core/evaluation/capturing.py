"""The write path, measured: conversations captured, then asked about."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Literal

from tqdm import tqdm

from memori_core.augmentation.base import Extractor
from memori_core.augmentation.rules import RuleExtractor
from memori_core.embedding import EmbedderSpec, make_embedder
from memori_core.errors import ConfigError
from memori_core.evaluation.datasets.base import Collection, Dataset, Question
from memori_core.evaluation.extracting import (
    Found,
    as_message,
    facts_per_100,
    found_in,
    index_texts,
    share_supported,
)
from memori_core.evaluation.metrics import Scores, mean, ndcg_at, recall_at, rounded
from memori_core.evaluation.vectors import StoredVectors, name_of
from memori_core.evaluation.versions import versions
from memori_core.evaluation.word_pieces import count_word_pieces
from memori_core.memori import Memori, ScopedMemory
from memori_core.models import KINDS, Kind
from memori_core.rendering import fact_line
from memori_core.results import Recall
from memori_core.stores import InMemoryStore, Store

DEPTH = 10
FACT_KINDS: tuple[Kind, ...] = tuple(k for k in KINDS if k not in ("message", "statement"))

Boosts = Literal["conversation"] | tuple[()]


@dataclass(frozen=True, slots=True)
class CaptureEvaluation:
    """What is found again of conversations that were captured."""

    dataset: str
    _: KW_ONLY
    extractor: str
    embedder: str
    """Its name; `none` where no vectors were used."""
    conversations: int
    messages: int
    questions: int
    failed: int
    """Messages of which the extractor made nothing, for an error."""
    ways: Mapping[str, Scores]
    """Of each way to ask: `recall@10`, `ndcg@10`, and `tokens`, the word pieces of the 10 items as
    the context block shows them, with speaker and date. Means over questions."""
    per_category: Mapping[str, Scores]
    """`recall@10` of each way for the questions of each category, with their number."""
    facts_per_100_turns: float
    supported_share: float
    """Of the facts: those that say no more than their message."""
    seconds: float
    """Capturing and asking, without embedding."""
    versions: Mapping[str, str] = field(default_factory=versions)

    def to_json(self) -> dict[str, Any]:
        """The evaluation as JSON values, figures rounded to four places."""
        return {
            "dataset": self.dataset,
            "extractor": self.extractor,
            "embedder": self.embedder,
            "conversations": self.conversations,
            "messages": self.messages,
            "questions": self.questions,
            "failed": self.failed,
            **rounded(
                {f"{way}_{name}": s[name] for way, s in self.ways.items() for name in s}
                | {
                    "context_tokens": self.ways["conversation"]["tokens"],
                    "facts_per_100_turns": self.facts_per_100_turns,
                    "supported_share": self.supported_share,
                }
            ),
            "per_category": {name: rounded(s) for name, s in self.per_category.items()},
            "seconds": round(self.seconds, 1),
            "versions": dict(self.versions),
        }


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask what was captured."""

    name: str
    _: KW_ONLY
    kinds: tuple[Kind, ...] | None = None
    """Of what is recalled; None for all."""
    boosts: Boosts = ()


WAYS = (
    Way("facts", kinds=FACT_KINDS),
    Way("facts_and_messages"),
    Way("conversation", boosts="conversation"),
)
"""How a store of facts and messages is asked."""
STATEMENTS = Way("statements")
"""How a store of facts and statements, without messages, is asked."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """How good one recall was."""

    category: str
    scores: Scores


def evaluate_capture(
    dataset: Dataset,
    *,
    embedder: EmbedderSpec,
    cache: Path | None = None,
    progress: bool = False,
) -> CaptureEvaluation:
    """Capture conversations with the rule extractor, and ask their questions.

    Every conversation is one entity, every message one turn by its speaker. Questions are asked
    for 10 items with the cut off. An item counts by the message it comes from.

    Args:
        dataset: Messages and questions, see `load_conversations`.
        embedder: See `make_embedder`.
        cache: Folder of the vector cache; None for `cache_folder()`.
        progress: Show progress bars on standard error.

    Raises:
        ConfigError: There is nothing to ask.
        MissingExtraError: The tokenizer that counts word pieces is not on this machine.
    """
    if not dataset.questions:
        raise ConfigError(f"{dataset.name} has no questions to ask.")
    made = make_embedder(embedder)
    vectors = None if made is None else StoredVectors(made, cache)
    rules, with_statements = RuleExtractor(), RuleExtractor(statements=True)
    said = [message for c in dataset.collections for message in c.facts]
    found, found_more = found_in(said, rules), found_in(said, with_statements)
    if vectors is not None:
        with vectors:
            _embed(dataset, [*found, *found_more], vectors, progress=progress)
    run = _Run(dataset, vectors, progress=progress)
    started = time.perf_counter()
    answers = run.ask(rules, index_messages=True, ways=WAYS)
    answers |= run.ask(with_statements, index_messages=False, ways=(STATEMENTS,))
    if vectors is not None:
        vectors.save()
    return CaptureEvaluation(
        dataset.name,
        extractor=rules.name,
        embedder=name_of(vectors),
        conversations=len(dataset.collections),
        messages=len(said),
        questions=dataset.questions,
        failed=run.failed,
        ways={name: _means(some) for name, some in answers.items()},
        per_category=_per_category(answers),
        facts_per_100_turns=facts_per_100(found),
        supported_share=share_supported(found),
        seconds=time.perf_counter() - started,
    )


def _embed(
    dataset: Dataset, found: Sequence[Found], vectors: StoredVectors, *, progress: bool
) -> None:
    """Embed in large batches what capturing and asking would embed one by one."""
    vectors.embed_documents(index_texts(found), progress=progress)
    asked = [question.text for c in dataset.collections for question in c.questions]
    vectors.embed_queries(asked, progress=progress)


class _Run:
    """Captures and asks a data set."""

    def __init__(self, dataset: Dataset, vectors: StoredVectors | None, *, progress: bool) -> None:
        self._dataset = dataset
        self._vectors = vectors
        self._progress = progress
        self.failed = 0

    def ask(
        self, extractor: Extractor, *, index_messages: bool, ways: Sequence[Way]
    ) -> dict[str, list[_Answer]]:
        """Capture all conversations into one store, and ask it in several ways."""
        store = InMemoryStore()
        with Memori(
            store, embedder=self._vectors, extractor=extractor, index_messages=index_messages
        ) as memori:
            ids = self._captured(memori)
        return {way.name: self._answers(store, ids, way) for way in ways}

    def _captured(self, memori: Memori) -> Mapping[str, Mapping[str, str]]:
        """By conversation, the ids of the data set by those of the stored messages."""
        bar = tqdm(desc="capture", total=self._messages, disable=not self._progress)
        with bar:
            ids = {c.id: _capture(memori, c, bar) for c in self._dataset.collections}
        self.failed += memori.augmentation.stats()["dead"]
        return ids

    @property
    def _messages(self) -> int:
        return sum(len(collection.facts) for collection in self._dataset.collections)

    def _answers(
        self, store: Store, ids: Mapping[str, Mapping[str, str]], way: Way
    ) -> list[_Answer]:
        answers: list[_Answer] = []
        bar = tqdm(desc=way.name, total=self._dataset.questions, disable=not self._progress)
        with (
            Memori(store, embedder=self._vectors, extractor=None, boosts=way.boosts) as memori,
            bar,
        ):
            for collection in self._dataset.collections:
                memory = memori.scoped(collection.id)
                for question in collection.questions:
                    recall = self._recall(memory, question, way)
                    answers.append(_answer(question, recall, ids[collection.id]))
                    bar.update()
        return answers

    def _recall(self, memory: ScopedMemory, question: Question, way: Way) -> Recall:
        vector = None if self._vectors is None else self._vectors.embed_query(question.text)
        return memory.recall(
            question.text, vector=vector, limit=DEPTH, strictness=0, kinds=way.kinds
        )


def _capture(memori: Memori, collection: Collection, bar: tqdm[Any]) -> dict[str, str]:
    """Capture a conversation, wait, and return the ids of its messages by the stored ones."""
    ids: dict[str, str] = {}
    for said in collection.facts:
        memory = memori.scoped(collection.id, session_id=said.session_id)
        captured = memory.capture(as_message(said), at=said.said_at, on_full="defer")
        ids |= {stored.id: str(said.id) for stored in captured.messages}
        bar.update()
    memori.flush()
    return ids


def _answer(question: Question, recall: Recall, ids: Mapping[str, str]) -> _Answer:
    # Several items of one turn count once, at the place of the first.
    sources = (ids[item.fact.source_message_id or item.id] for item in recall)
    ranking = list(dict.fromkeys(sources))
    lines = [fact_line(item.fact) for item in recall]
    scores = {
        "recall@10": recall_at(DEPTH, ranking, question.gold),
        "ndcg@10": ndcg_at(DEPTH, ranking, question.gold),
        "tokens": sum(count_word_pieces(lines)),
    }
    return _Answer(question.category, scores)


def _means(answers: Sequence[_Answer]) -> Scores:
    return mean([answer.scores for answer in answers])


def _per_category(answers: Mapping[str, Sequence[_Answer]]) -> dict[str, Scores]:
    categories = Counter(answer.category for some in answers.values() for answer in some)
    rows: dict[str, Scores] = {}
    for category, count in sorted(categories.items()):
        of = {name: [a for a in some if a.category == category] for name, some in answers.items()}
        recalls = {name: _means(some)["recall@10"] for name, some in of.items()}
        rows[category] = {"questions": count // len(answers), **recalls}
    return rows
