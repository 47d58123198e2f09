"""What an extractor makes of a conversation, before it is stored: how much, and how true."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memori_core.augmentation.base import Extractor
from memori_core.augmentation.support import SourceText
from memori_core.conversation import ExtractedFact, Message
from memori_core.errors import ConfigError
from memori_core.models import NewFact
from memori_core.retrieval.index_text import MONTHS, embedded_text

_REWORDED = (
    (re.compile(r"['’]d\b"), "would had"),
    (re.compile(r"\btonight\b", re.IGNORECASE), "night"),
    (re.compile(r"\b(?:ago|back)\b", re.IGNORECASE), "before"),
    (re.compile(r"\b(?:the|an) other \w+", re.IGNORECASE), "a few days before"),
)
"""What stands for words of the message in a fact: contractions, and dates relative to a day."""


@dataclass(frozen=True, slots=True)
class Found:
    """The facts of one message."""

    message: NewFact
    """What was said, as a data set gives it."""
    facts: tuple[ExtractedFact, ...]


def as_message(said: NewFact) -> Message:
    """What was said, as a message to be captured."""
    return Message("user", said.content, name=said.speaker, said_at=said.said_at, id=said.id)


def found_in(messages: Iterable[NewFact], extractor: Extractor) -> list[Found]:
    """What the extractor makes of each message alone.

    Raises:
        ConfigError: A message has no time.
    """
    found: list[Found] = []
    for said in messages:
        if said.said_at is None:
            raise ConfigError(f"the message {said.id!r} has no time; `at` would be the run's own.")
        extraction = extractor.extract([as_message(said)], said_at=said.said_at)
        found.append(Found(said, extraction.facts))
    return found


def facts_per_100(found: Sequence[Found]) -> float:
    """Facts for every hundred messages."""
    return 100 * sum(len(one.facts) for one in found) / len(found) if found else 0.0


def share_supported(found: Iterable[Found]) -> float:
    """The share of facts that say no more than their message; 1.0 for none.

    Stricter than what the product refuses: of such a fact *every* content word is in the message,
    inflection folded, or is the speaker's name, our own word ("User"), or of a resolved date.
    """
    verdicts = [
        source.supports(fact) and source.share(fact.content) == 1
        for one in found
        for fact in one.facts
        for source in [SourceText(_source(one.message, fact))]
    ]
    return sum(verdicts) / len(verdicts) if verdicts else 1.0


def _source(said: NewFact, fact: ExtractedFact) -> str:
    """The message, with what a fact may write for its contractions and its relative dates."""
    words = [said.content, said.speaker or ""]
    for date in (*fact.dates, f"{said.said_at:%Y-%m-%d}" if said.said_at else ""):
        year, month, day = (*date.split("-"), "", "")[:3]
        words += [year, MONTHS[int(month) - 1] if month else "", day.lstrip("0")]
    words += [ours for said_so, ours in _REWORDED if said_so.search(said.content)]
    return " ".join(words)


def index_texts(found: Iterable[Found]) -> list[str]:
    """The texts of the messages and their facts that will be embedded when they are captured."""
    texts: list[str] = []
    for one in found:
        said = one.message
        stored = [NewFact(said.content, kind="message"), *(_as_new(fact) for fact in one.facts)]
        texts += [
            embedded_text(
                NewFact(
                    new.content,
                    kind=new.kind,
                    said_at=said.said_at,
                    speaker=said.speaker,
                    source_message_id=said.id,
                )
            )
            for new in stored
        ]
    return texts


def _as_new(fact: ExtractedFact) -> NewFact:
    return NewFact(fact.content, kind=fact.kind)
