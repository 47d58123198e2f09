"""How common words are in everyday sentences: what a small store cannot tell by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from memori_core.embedding.profiles import load_cohort
from memori_core.retrieval.tokenization import index_terms


@dataclass(frozen=True, slots=True)
class Cohort:
    """Counts over the shipped sentences of one language."""

    total: int
    """Number of sentences."""
    holding: Mapping[str, int]
    """Per term, stop words included, how many sentences hold it."""


@cache
def cohort(language: Literal["en", "zh"]) -> Cohort:
    """The shipped cohort of a language. The first call counts its few hundred sentences."""
    lines = load_cohort(language)
    holding = Counter(term for line in lines for term in set(index_terms(line)))
    return Cohort(total=len(lines), holding=holding)
