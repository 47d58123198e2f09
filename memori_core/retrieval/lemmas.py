"""Texts as the keyword leg of `Mem0Fusion` sees them: lemmas, and stems of lemmas."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from memori_core.retrieval import spacy_models
from memori_core.retrieval.stemming import english_stem
from memori_core.retrieval.stopwords import ENGLISH

LONGEST_TOKEN = 40
"""Longer tokens are not indexed (fastembed's `Qdrant/bm25`)."""

_WORD = re.compile(r"\w+")


class Lemmatizer(ABC):
    """How texts become terms of the keyword index. Safe to call from many threads."""

    @abstractmethod
    def lemmas(self, texts: Sequence[str]) -> list[list[str]]:
        """The content words of each text in their base form; none for a text without any."""

    def stems(self, lemmas: Iterable[str]) -> list[str]:
        """The terms of the index: stems, repeats included, without stop words."""
        words = [word for lemma in lemmas for word in _WORD.findall(lemma.lower())]
        kept = [word for word in words if word not in ENGLISH and len(word) <= LONGEST_TOKEN]
        return [english_stem(word) for word in kept]

    def document_terms(self, texts: Sequence[str]) -> list[list[str]]:
        """The index terms of texts to be found. Where nothing is left, the plain words count."""
        return [
            self.stems(lemmas or [text])
            for text, lemmas in zip(texts, self.lemmas(texts), strict=True)
        ]


class RuleLemmatizer(Lemmatizer):
    """Lower-case words without stop words, in any language; the stem makes the base form."""

    def lemmas(self, texts: Sequence[str]) -> list[list[str]]:
        return [
            [word for word in _WORD.findall(text.lower()) if word not in ENGLISH] for text in texts
        ]


class SpacyLemmatizer(Lemmatizer):
    """The rule of `mem0ai`: spaCy's lemmas, and words in -ing also as they stand.

    English only. Words with punctuation inside (identifiers, e-mail addresses) are lost, and a
    Chinese sentence is one word.

    Raises:
        MissingExtraError: spaCy or its small English model is not installed.
    """

    def __init__(self) -> None:
        self._model = spacy_models.require_model(spacy_models.LEMMA_FEATURE)

    def lemmas(self, texts: Sequence[str]) -> list[list[str]]:
        lowered = [text.lower() for text in texts]
        documents = spacy_models.parse(self._model, lowered, disable=("ner", "parser"))
        return [_lemmas(document) for document in documents]


def default_lemmatizer() -> Lemmatizer:
    """spaCy's where it and its small English model are installed, else our rule."""
    return RuleLemmatizer() if spacy_models.installed_model() is None else SpacyLemmatizer()


def _lemmas(document: Iterable[Any]) -> list[str]:
    found: list[str] = []
    for token in document:
        if token.is_punct or token.is_stop:
            continue
        text, lemma = str(token.text), str(token.lemma_)
        if lemma.isalnum():
            found.append(lemma)
        if text.endswith("ing") and text != lemma and text.isalnum():
            found.append(text)
    return found
