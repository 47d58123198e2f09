"""The Cranfield collection: 1,400 abstracts on aeronautics, 225 questions (Cleverdon, 1960s)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from memori_core.errors import ConfigError
from memori_core.evaluation.datasets._files import read_text, shape
from memori_core.evaluation.datasets.base import Collection, Dataset, Question
from memori_core.models import NewFact

DOCUMENTS, QUESTIONS, JUDGEMENTS = "cran.all.1400", "cran.qry", "cranqrel"

_EXPECTED = (
    f"a folder with `{DOCUMENTS}` and `{QUESTIONS}` (fields .I .T .A .B .W) and `{JUDGEMENTS}` "
    "(lines `question document grade`)"
)
_RECORD = re.compile(r"^\.I +(\d+)", re.MULTILINE)
_FIELD = re.compile(r"^\.([TABW])\s*$", re.MULTILINE)


def load_cranfield(folder: str | Path) -> Dataset:
    """The abstracts as one collection.

    A document's text is its title and its abstract, the fields `.T` and `.W`. Gold are the
    documents with a grade above 0, all alike; questions count by position, not by their `.I`.

    Raises:
        ConfigError: A file cannot be read or is something else.
    """
    root = Path(folder).expanduser()
    with shape(root, expected=_EXPECTED):
        documents = list(_records(read_text(root / DOCUMENTS, expected=_EXPECTED)))
        facts = tuple(
            NewFact(text, id=number)
            for number, fields in documents
            if (text := _line(f"{fields['T']} {fields['W']}"))
        )
        judged = _judgements(read_text(root / JUDGEMENTS, expected=_EXPECTED))
        known = {fact.id for fact in facts}
        asked = list(_records(read_text(root / QUESTIONS, expected=_EXPECTED)))
        questions = tuple(
            Question(_line(fields["W"]), gold=gold)
            for place, (_, fields) in enumerate(asked, 1)
            if (gold := frozenset(judged[place] & known))
        )
    if not questions:
        raise ConfigError(f"{root} holds no judged question. Expected {_EXPECTED}.")
    collection = Collection("cranfield", facts=facts, questions=questions)
    return Dataset("cranfield", unit="documents", collections=(collection,))


def _records(text: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Number and fields of each record."""
    _, *parts = _RECORD.split(text)
    for number, body in zip(parts[::2], parts[1::2], strict=True):
        _, *fields = _FIELD.split(body)
        yield str(int(number)), dict(zip(fields[::2], fields[1::2], strict=True))


def _judgements(text: str) -> defaultdict[int, set[str]]:
    """Per question the documents that bear on it."""
    judged: defaultdict[int, set[str]] = defaultdict(set)
    for line in text.splitlines():
        if line.strip():
            question, document, grade = map(int, line.split())
            if grade > 0:
                judged[question].add(str(document))
    return judged


def _line(text: str) -> str:
    return " ".join(text.split())
