"""Reading comprehension sets in SQuAD's format, as search: which paragraph answers a question?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memori_core.errors import ConfigError
from memori_core.evaluation.datasets._files import read_json, shape, text_of
from memori_core.evaluation.datasets.base import Collection, Dataset, Question
from memori_core.models import NewFact

_EXPECTED = "SQuAD's format: `data` -> `paragraphs` -> `context` and `qas` -> `question`"


def load_reading(path: str | Path) -> Dataset:
    """All paragraphs of the file as one collection; gold is the paragraph a question belongs to.

    Questions marked as impossible to answer are left out.

    Raises:
        ConfigError: The file cannot be read or is something else.
    """
    content = read_json(path, expected=_EXPECTED)
    with shape(path, expected=_EXPECTED):
        paragraphs = [p for article in content["data"] for p in article["paragraphs"]]
        facts = tuple(
            NewFact(text_of(paragraph["context"]), id=_id(number))
            for number, paragraph in enumerate(paragraphs)
        )
        questions = tuple(
            question
            for number, paragraph in enumerate(paragraphs)
            for question in _questions(paragraph["qas"], gold=frozenset({_id(number)}))
        )
    if not questions:
        raise ConfigError(f"{path} holds no question. Expected {_EXPECTED}.")
    name = Path(path).stem
    collection = Collection(name, facts=facts, questions=questions)
    return Dataset(name, unit="paragraphs", collections=(collection,))


def _questions(entries: list[Mapping[str, Any]], *, gold: frozenset[str]) -> Iterator[Question]:
    for entry in entries:
        if not entry.get("is_impossible", False):
            yield Question(text_of(entry["question"]), gold=gold)


def _id(number: int) -> str:
    return f"p{number:05}"
