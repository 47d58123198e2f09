"""From what the user wants remembered to what a store keeps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, cast

from memori_core._ids import uuid7
from memori_core.errors import ConfigError
from memori_core.models import (
    KINDS,
    Fact,
    FactRecord,
    NewFact,
    Scope,
    check_text,
    instant,
    unique_key,
    utc,
)
from memori_core.models import Instant as Instant  # for the verbs
from memori_core.retrieval.index_text import index_text
from memori_core.retrieval.tokenization import TOKENIZER_VERSION, index_terms

Rememberable = str | NewFact | Mapping[str, Any]
"""What `remember_many` takes: a text, a `NewFact`, or a mapping with the fields of one."""

_TIMES = ("said_at", "valid_until")
_FIELDS = frozenset(field.name for field in fields(NewFact))


def new_facts(items: Iterable[Rememberable]) -> list[NewFact]:
    """Checked facts.

    Raises:
        ConfigError: One of them cannot be stored; the message says which and why.
    """
    facts: list[NewFact] = []
    for number, item in enumerate(items):
        try:
            facts.append(_checked(_new_fact(item)))
        except ConfigError as e:
            raise ConfigError(f"item {number}: {e}") from None
    return facts


def new_fact(content: str, **values: Any) -> NewFact:
    """One checked fact; raises `ConfigError` if it cannot be stored."""
    return _checked(_new_fact({"content": content, **values}))


def _new_fact(item: Rememberable) -> NewFact:
    if isinstance(item, NewFact):
        times = {name: instant(getattr(item, name), name=name) for name in _TIMES}
        return replace(item, **times)
    if isinstance(item, str):
        return NewFact(item)
    if not isinstance(item, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] (user input)
        raise ConfigError(
            f"a fact is a text, a NewFact or a mapping, got {type(item).__name__}: {item!r}"
        )
    values = dict(item)
    if unknown := sorted(set(values) - _FIELDS):
        raise ConfigError(
            f"a fact has no field {unknown[0]!r}. Fields: {', '.join(sorted(_FIELDS))}. "
            "Everything else goes into `metadata`."
        )
    if "content" not in values:
        raise ConfigError("a fact needs `content`, its text.")
    for name in _TIMES:
        values[name] = instant(values.get(name), name=name)
    return NewFact(**values)


def _checked(fact: NewFact) -> NewFact:
    check_content(fact.content)
    check_kind(fact.kind)
    for name in ("id", "speaker", "session_id", "source_message_id"):
        value = getattr(fact, name)
        if value is None:
            continue
        if not isinstance(value, str) or not value.strip():
            raise ConfigError(f"`{name}` must be text that is not blank, got {value!r}.")
        check_text(name, value)
    position = cast("object", fact.position)
    if position is not None and (
        not isinstance(position, int) or isinstance(position, bool) or not 0 <= position < 2**63
    ):
        raise ConfigError(
            f"`position` must be a whole number from 0 upwards, below 2**63; got {position!r}."
        )
    check_metadata(fact.metadata)
    return fact


def check_content(content: object) -> None:
    """Raise unless a text can be a fact.

    Raises:
        ConfigError: It is no text, blank, or not valid Unicode.
    """
    if not isinstance(content, str):
        raise ConfigError(f"a fact must be text, got {type(content).__name__}: {content!r}")
    check_text("content", content)
    if not content.strip():
        raise ConfigError(f"a fact must say something, got the blank text {content!r}.")


def check_kind(kind: str) -> None:
    """Raise `ConfigError` unless this is a kind of fact."""
    if kind not in KINDS:
        raise ConfigError(f"`kind` must be one of {', '.join(KINDS)}, got {kind!r}.")


def check_metadata(metadata: object) -> None:
    """Raise unless metadata can be kept as JSON.

    Raises:
        ConfigError: It is no mapping with text keys, or a value is no JSON value.
    """
    if not isinstance(metadata, Mapping):
        raise ConfigError(f"`metadata` must be a mapping, got {metadata!r}.")
    for key, value in cast("Mapping[object, object]", metadata).items():
        if not isinstance(key, str):
            raise ConfigError(f"`metadata` keys must be text, got {key!r}.")
        check_text("metadata", key)
        try:
            check_text(f"metadata[{key!r}]", json.dumps(value, ensure_ascii=False, allow_nan=False))
        except (TypeError, ValueError) as e:
            if isinstance(e, ConfigError):
                raise
            raise ConfigError(f"`metadata[{key!r}]` is no JSON value: {value!r} ({e}).") from None


def record(
    new: NewFact,
    *,
    scope: Scope,
    now: datetime,
    vector: bytes | None,
    embedder: str | None,
) -> FactRecord:
    """A new fact as a store keeps it."""
    said_at = utc(new.said_at) if new.said_at is not None else now
    fact_id = new.id or uuid7()
    fact = Fact(
        new.content,
        id=fact_id,
        said_at=said_at,
        learnt_at=now,
        last_said_at=said_at,
        kind=new.kind,
        valid_until=utc(new.valid_until, name="valid_until") if new.valid_until else None,
        pinned=new.pinned,
        speaker=new.speaker,
        position=new.position,
        process_id=scope.process_id,
        session_id=new.session_id or scope.session_id,
        source_message_id=new.source_message_id,
        metadata=dict(new.metadata),
    )
    return FactRecord(
        fact,
        **derived(fact),
        vector=vector,
        embedder=embedder if vector is not None else None,
    )


def derived(fact: Fact) -> dict[str, Any]:
    """What a record holds that follows from its fact: `uniq`, `terms`, `tokenizer`."""
    # Two messages may say the same, and are still two.
    said = f"message {fact.id}" if fact.kind == "message" else fact.content
    return {
        "uniq": unique_key(said),
        "terms": " ".join(index_terms(index_text(fact))),
        "tokenizer": TOKENIZER_VERSION,
    }


def fact_ids(ids: str | Iterable[str]) -> Sequence[str]:
    """One id or many, as a sequence.

    Raises:
        ConfigError: Something in it is no text that could be an id.
    """
    several = [ids] if isinstance(ids, str) else list(ids)
    for value in cast("list[object]", several):
        if not isinstance(value, str):
            raise ConfigError(f"a fact id is text, got {type(value).__name__}: {value!r}")
        check_text("fact id", value)
    return several


def check_texts(**texts: object) -> None:
    """Raise unless each is None or a text that a store could hold.

    Raises:
        ConfigError: One is something else; the message has its name.
    """
    for name, text in texts.items():
        if text is None:
            continue
        if not isinstance(text, str):
            raise ConfigError(f"`{name}` is text, got {type(text).__name__}: {text!r}")
        check_text(name, text)


def check_limit(limit: object) -> None:
    """Raise unless it is None or a number from 0.

    Raises:
        ConfigError: It is something else.
    """
    if limit is None:
        return
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
        raise ConfigError(f"`limit` is a number from 0, or None for all; got {limit!r}.")
