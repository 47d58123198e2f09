"""What can be said about a question before anything is searched."""

from __future__ import annotations

import unicodedata

from memori_core.errors import ConfigError
from memori_core.models import Scope
from memori_core.results import Recall
from memori_core.retrieval.courtesy import is_chit_chat


def clean_query(query: str) -> str:
    """A question as it can be searched: lone surrogates and NUL characters become blanks."""
    return "".join(" " if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in query).strip()


def without_search(text: str, scope: Scope, *, has_vector: bool, policy: str) -> Recall | None:
    """The answer to a question that asks for nothing; None for one that asks for something."""
    if not has_vector and not any(unicodedata.category(c)[0] in "LNSM" for c in text):
        return Recall(text, scope=scope, reason="empty_query", policy=policy)
    if text and is_chit_chat(text):
        return Recall(text, scope=scope, reason="chit_chat", policy=policy)
    return None


def check_arguments(query: object, limit: object, strictness: object) -> None:
    """Raise `ConfigError` unless a recall can be made with these."""
    if query is not None and not isinstance(query, str):
        raise ConfigError(f"`query` must be text, got {type(query).__name__}: {query!r}")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
        raise ConfigError(f"`limit` must be a whole number from 0 upwards, got {limit!r}.")
    if not isinstance(strictness, int | float) or not 0 <= strictness < float("inf"):
        raise ConfigError(f"`strictness` must be a number from 0 upwards, got {strictness!r}.")
