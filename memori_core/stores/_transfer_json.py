"""The lines of an export as JSON, and back."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from memori_core.conversation import Message, Status, StoredMessage, StoredTriple, Triple
from memori_core.models import Fact, FactRecord
from memori_core.stores._apply import checked, metadata_json
from memori_core.writes import AppendTurn

_TIMES = ("said_at", "learnt_at", "last_said_at", "valid_until")
_FACT_FIELDS = tuple(f.name for f in fields(Fact) if f.name not in ("revision", "metadata"))


def fact_to_json(record: FactRecord, *, vectors: bool) -> dict[str, object]:
    """What a line says of a fact."""
    line: dict[str, object] = {}
    for name in _FACT_FIELDS:
        value = getattr(record.fact, name)
        line[name] = value.isoformat() if isinstance(value, datetime) else value
    line["metadata"] = json.loads(metadata_json(record.fact))
    line["uniq"] = encoded(record.uniq)
    line["terms"] = record.terms
    line["tokenizer"] = record.tokenizer
    line["vector"] = encoded(record.vector, keep=vectors)
    line["embedder"] = record.embedder if vectors else None
    return line


def fact_from_json(values: dict[str, Any]) -> FactRecord:  # Any: JSON of any shape
    """The fact that a line speaks of."""
    fact = {name: values[name] for name in (*_FACT_FIELDS, "metadata") if name in values}
    for name in _TIMES:
        if fact.get(name) is not None:
            fact[name] = datetime.fromisoformat(text_of(fact, name))
    uniq = decoded(values["uniq"])
    if uniq is None:
        raise ValueError("`uniq` is null")
    return checked(
        FactRecord(
            Fact(**fact),
            uniq=uniq,
            terms=text_of(values, "terms"),
            tokenizer=int(values["tokenizer"]),
            vector=decoded(values.get("vector")),
            embedder=values.get("embedder"),
        ),
        revision=0,
    )


def text_of(values: dict[str, Any], name: str) -> str:
    """A field that must be text."""
    value = values[name]
    if not isinstance(value, str):
        raise TypeError(f"`{name}` is not text: {value!r}")
    return value


def encoded(blob: bytes | None, *, keep: bool = True) -> str | None:
    """Bytes as JSON has them; None where they are not kept."""
    return b64encode(blob).decode() if blob is not None and keep else None


def decoded(text: str | None) -> bytes | None:
    """Bytes from JSON."""
    return None if text is None else b64decode(text, validate=True)


def turn_to_json(
    messages: Sequence[StoredMessage], *, process_id: str | None, status: Status
) -> dict[str, object]:
    """What a line says of messages of one turn that follow each other."""
    return {
        "type": "turn",
        "id": messages[0].turn_id,
        "session_id": messages[0].session_id,
        "process_id": process_id,
        "status": status,
        "messages": [
            {
                "id": m.id,
                "role": m.message.role,
                "name": m.message.name,
                "content": m.message.content,
                "said_at": m.said_at.isoformat(),
            }
            for m in messages
        ],
    }


def turn_from_json(values: dict[str, Any]) -> AppendTurn:  # Any: see `fact_from_json`
    """The operation that stores what a line says of a turn."""
    messages = tuple(
        Message(
            m["role"],
            text_of(m, "content"),
            name=m.get("name"),
            said_at=datetime.fromisoformat(text_of(m, "said_at")),
            id=text_of(m, "id"),
        )
        for m in values["messages"]
    )
    said_at = messages[0].said_at if messages else None
    if said_at is None:
        raise ValueError("a turn without messages")
    return AppendTurn(
        text_of(values, "id"),
        session_id=text_of(values, "session_id"),
        process_id=values.get("process_id"),
        status=values["status"],
        messages=messages,
        said_at=said_at,
        job=False,
    )


def triple_to_json(stored: StoredTriple) -> dict[str, object]:
    """What a line says of a statement."""
    triple, ended = stored.triple, stored.valid_until
    return {
        "type": "triple",
        "subject": triple.subject,
        "subject_type": triple.subject_type,
        "predicate": triple.predicate,
        "object": triple.object,
        "object_type": triple.object_type,
        "fact_id": stored.fact_id,
        "times": stored.times,
        "valid_until": None if ended is None else ended.isoformat(),
    }


def triple_from_json(values: dict[str, Any]) -> StoredTriple:  # Any: see `fact_from_json`
    """The statement that a line speaks of."""
    ended = values.get("valid_until")
    return StoredTriple(
        Triple(
            text_of(values, "subject"),
            text_of(values, "predicate"),
            text_of(values, "object"),
            subject_type=text_of(values, "subject_type"),
            object_type=text_of(values, "object_type"),
        ),
        fact_id=text_of(values, "fact_id"),
        times=int(values["times"]),
        valid_until=None if ended is None else datetime.fromisoformat(ended),
    )
