"""Named entities found by spaCy's small English model, beside those of our own rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memori_core.models import Mention
from memori_core.retrieval import spacy_models
from memori_core.retrieval.entities import (
    EntityExtractor,
    Span,
    as_mentions,
    clean,
    rule_spans,
    without_overlaps,
)
from memori_core.retrieval.name_words import CALENDAR, EXCLAMATIONS, OPENERS
from memori_core.retrieval.tokenization import beyond_latin

# The kinds that `mem0ai` takes (reference/mem0.md, section 3); dates and amounts are left out.
LABELS = frozenset("PERSON ORG GPE LOC FAC PRODUCT WORK_OF_ART EVENT NORP LAW LANGUAGE".split())
_TOPIC_PARTS = ("NOUN", "PROPN", "ADJ")


class SpacyEntityExtractor(EntityExtractor):
    """Our rule's entities, spaCy's names, and phrases of two and more nouns as topics.

    spaCy is asked about English only: a text in another script has the rule's entities alone.

    Raises:
        MissingExtraError: spaCy or its small English model is not installed.
    """

    def __init__(self) -> None:
        self._model = spacy_models.require_model(spacy_models.ENTITY_FEATURE)

    def extract(self, texts: Sequence[str]) -> list[list[Mention]]:
        cleaned = [clean(text) for text in texts]
        english = ["" if beyond_latin(text) else text for text in cleaned]
        documents = spacy_models.parse(self._model, english)
        return [
            as_mentions(_united(rule_spans(text), document))
            for text, document in zip(cleaned, documents, strict=True)
        ]


def _united(spans: list[Span], document: Any) -> list[Span]:
    spans = spans + without_overlaps(_labelled(document), spans)
    return spans + without_overlaps(_topics(document), spans)


def _labelled(document: Any) -> Iterator[Span]:
    for found in document.ents:
        if found.label_ in LABELS and found.text[:1].isupper():
            span = _trimmed(list(found))
            if span:
                yield _span(document, span, "PROPER")


def _trimmed(tokens: list[Any]) -> list[Any]:
    """A name without greetings, months and small words at its ends."""

    def small(token: Any) -> bool:
        word = str(token.text).casefold()
        return not word[0].isalnum() or word in CALENDAR | EXCLAMATIONS | OPENERS

    while tokens and small(tokens[0]):
        tokens = tokens[1:]
    while tokens and small(tokens[-1]):
        tokens = tokens[:-1]
    return tokens


def _topics(document: Any) -> Iterator[Span]:
    for chunk in document.noun_chunks:
        tokens = list(chunk)
        while tokens and (tokens[0].pos_ not in _TOPIC_PARTS or tokens[0].is_stop):
            tokens = tokens[1:]
        nouns = [token for token in tokens if token.pos_ in ("NOUN", "PROPN")]
        if len(nouns) > 1 and all(token.pos_ in _TOPIC_PARTS for token in tokens):
            yield _span(document, tokens, "TOPIC")


def _span(document: Any, tokens: list[Any], type: str) -> Span:
    start, end = tokens[0].idx, tokens[-1].idx + len(tokens[-1])
    kind = "TOPIC" if type == "TOPIC" else "PROPER"
    return Span(start, end, str(document.text[start:end]), kind)
