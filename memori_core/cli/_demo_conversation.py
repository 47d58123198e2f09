"""The demo on a real conversation, with the questions that people wrote about it."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from memori_core.cli import _narration as show
from memori_core.evaluation.datasets import Collection, Question, load_locomo
from memori_core.memori import Memori, ScopedMemory
from memori_core.results import Recall

LIMIT = 5


def converse(
    path: Path, data: Path, *, sample: str | None, questions: int, embedder: str | None
) -> None:
    """Load one conversation into a new file, ask some of its questions, and show the answers.

    Args:
        path: The file; its folder is there.
        data: LoCoMo's `locomo10.json`.
        sample: The id of the conversation; None for the first.
        questions: How many of its questions to ask, taken evenly from first to last.
        embedder: See `make_embedder`.

    Raises:
        ConfigError: The data is something else, or has no such conversation.
    """
    started = time.perf_counter()
    dataset = load_locomo(data).only([] if sample is None else [sample])
    collection = dataset.collections[0]
    with Memori(path, embedder=embedder, boosts="conversation") as memori:
        memory = memori.scoped(collection.id)
        memori.warm_up()
        ids = _remember(memory, collection)
        recalls = _ask(memory, evenly(collection.questions, questions), ids)
        _recall_nothing(memory)
    show.heading(summary(recalls))
    show.line(f"{time.perf_counter() - started:.1f} s in all, offline")


def evenly(questions: Sequence[Question], count: int) -> Sequence[Question]:
    """At most `count` of the questions, at equal distances from the first on."""
    if count >= len(questions):
        return questions
    return [questions[i * len(questions) // count] for i in range(count)]


def summary(recalls: Sequence[tuple[Recall, frozenset[str]]]) -> str:
    """How many questions got at least one of the turns that answer them."""
    hits = sum(any(found.id in gold for found in recall) for recall, gold in recalls)
    silent = sum(not recall for recall, _ in recalls)
    ms = statistics.median(
        recall.timings_ms["total"] - recall.timings_ms["embed"] for recall, _ in recalls
    )
    return (
        f"{hits} of {len(recalls)} questions found a turn that answers them among {LIMIT}; "
        f"{silent} recalled nothing; median {ms:.1f} ms a recall, without embedding"
    )


def _remember(memory: ScopedMemory, collection: Collection) -> dict[str | None, str]:
    """Store the turns; returns the id under which each is now (repeats are one fact)."""
    started = time.perf_counter()
    stored = memory.remember_many(collection.facts, progress=sys.stderr.isatty())
    seconds = time.perf_counter() - started
    sessions = len({fact.session_id for fact in collection.facts})
    who = " and ".join(collection.speakers)
    show.heading(f"A conversation of {who} ({collection.id})")
    show.line(f"{len(stored)} turns of {sessions} sessions, stored in {seconds:.1f} s. The first:")
    for fact in collection.facts[:2]:
        show.line(f"  · {fact.content}")
    return {new.id: fact.id for new, fact in zip(collection.facts, stored, strict=True)}


def _ask(
    memory: ScopedMemory, questions: Sequence[Question], ids: dict[str | None, str]
) -> Sequence[tuple[Recall, frozenset[str]]]:
    show.heading(f"Its questions: what is recalled, and why (✓ answers, of the best {LIMIT})")
    recalls: list[tuple[Recall, frozenset[str]]] = []
    for question in questions:
        gold = frozenset(ids[i] for i in question.gold)
        found = memory.recall(question.text, limit=LIMIT)
        show.answer("Q", found, evidence=gold, note=question.category)
        recalls.append((found, gold))
    first = next((recall for recall, _ in recalls if recall), None)
    if first is not None:
        show.heading(f"What a model is shown with {first.query!r}")
        show.block(first.context)
    return recalls


def _recall_nothing(memory: ScopedMemory) -> None:
    show.heading("Questions that have no answer here")
    for question in ("How do I sort a list in Python?", "thanks!"):
        show.answer("Q", memory.recall(question, limit=LIMIT))
