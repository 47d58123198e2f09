"""Which facts a recall may return, decided before any ranking."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import TypeAlias, cast

import numpy as np

from memori_core.errors import ConfigError
from memori_core.models import KINDS, Fact, JSONValue, Kind
from memori_core.retrieval.index import Snapshot
from memori_core.retrieval.lexical import BoolArray

Where: TypeAlias = "Mapping[str, JSONValue | Collection[JSONValue]]"
"""Metadata key to the value it must have, or to a collection of values it may have."""

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PAST = re.compile(
    r"\b(?:was|were|did|had|used to|before|previous(?:ly)?|former(?:ly)?|earlier|past|ago|once|"
    r"last (?:week|month|year|spring|summer|autumn|fall|winter)|back then|history|originally|"
    r"(?:in|since|until|during) (?:(?:19|20)\d\d|january|february|march|april|may|june|july|"
    r"august|september|october|november|december))\b"
    r"|以前|之前|曾经|过去|原来|从前|当时|去年|上个月|上周|前年|以往|历史|昔|前に|かつて|去年",
    re.IGNORECASE,
)


def asks_about_past(query: str) -> bool:
    """Whether a question is about what held earlier, in English or Chinese."""
    return _PAST.search(query) is not None


def check_where(where: Where | None) -> None:
    """Raise unless every key of the filter is a plain name.

    Raises:
        ConfigError: A key is not made of letters, digits and underscores.
    """
    for key in where or {}:
        if not _KEY.fullmatch(str(key)):
            raise ConfigError(
                f"`where` has the key {key!r}. Keys are names of metadata fields: letters, digits "
                "and underscores, not starting with a digit."
            )


def check_kinds(kinds: Collection[Kind] | None) -> None:
    """Raise unless every kind is one there is.

    Raises:
        ConfigError: A kind is not known.
    """
    if isinstance(kinds, str):
        raise ConfigError(f"`kinds` is a collection, for example [{kinds!r}], got {kinds!r}.")
    for kind in kinds or ():
        if kind not in KINDS:
            raise ConfigError(f"`kinds` has {kind!r}, but kinds are {', '.join(KINDS)}.")


def allowed_rows(
    snapshot: Snapshot,
    *,
    now: datetime,
    where: Where | None = None,
    kinds: Collection[Kind] | None = None,
    process_id: str | None = None,
    include_ended: bool = False,
) -> BoolArray | None:
    """The rows that may be recalled, shape `(n,)`; None for all of them.

    Args:
        snapshot: The facts of one entity.
        now: When the question is asked; facts that ended before it stay out.
        where: What their metadata must say; a list, tuple or set means "one of these".
        kinds: Only these kinds.
        process_id: Only what this process stored.
        include_ended: Let superseded and ended facts in.
    """
    mask = snapshot.mask(now=now, include_ended=include_ended)
    tests: list[Callable[[Fact], bool]] = []
    if process_id is not None:
        tests.append(lambda fact: fact.process_id == process_id)
    if kinds is not None:
        tests.append(lambda fact: fact.kind in kinds)
    tests += [_metadata_test(key, wanted) for key, wanted in (where or {}).items()]
    if not tests:
        return mask
    facts = snapshot.facts[: snapshot.size]
    passed = np.fromiter(
        (all(test(fact) for test in tests) for fact in facts), np.bool_, count=snapshot.size
    )
    return passed if mask is None else passed & mask


def _metadata_test(key: str, wanted: JSONValue | Collection[JSONValue]) -> Callable[[Fact], bool]:
    if isinstance(wanted, list | tuple | set | frozenset):
        choices = list(cast("Collection[JSONValue]", wanted))
    else:
        choices = [wanted]
    return lambda fact: key in fact.metadata and fact.metadata[key] in choices
