"""Facts as rows of the SQLite table, and back."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from memori_core.models import Fact, FactRecord, JSONValue
from memori_core.stores._apply import metadata_json

logger = logging.getLogger(__name__)

COLUMNS = (
    "id",
    "revision",
    "content",
    "uniq",
    "kind",
    "vector",
    "embedder",
    "terms",
    "tokenizer",
    "said_at",
    "learnt_at",
    "last_said_at",
    "times",
    "valid_until",
    "superseded_by",
    "pinned",
    "speaker",
    "position",
    "process_id",
    "session_id",
    "source_message_id",
    "metadata",
)
"""The columns of a fact in the order of `to_row` and `to_record`."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_row(record: FactRecord) -> tuple[object, ...]:
    """The values of `COLUMNS`."""
    fact = record.fact
    return (
        fact.id,
        fact.revision,
        fact.content,
        record.uniq,
        fact.kind,
        record.vector,
        record.embedder,
        record.terms,
        record.tokenizer,
        to_micros(fact.said_at),
        to_micros(fact.learnt_at),
        to_micros(fact.last_said_at),
        fact.times,
        None if fact.valid_until is None else to_micros(fact.valid_until),
        fact.superseded_by,
        fact.pinned,
        fact.speaker,
        fact.position,
        fact.process_id,
        fact.session_id,
        fact.source_message_id,
        metadata_json(fact),
    )


# Any: a row holds whatever is in the file.
def to_record(row: Sequence[Any]) -> FactRecord:
    """The record of a row of `COLUMNS`."""
    (
        fact_id,
        revision,
        content,
        uniq,
        kind,
        vector,
        embedder,
        terms,
        tokenizer,
        said,
        learnt,
        last_said,
        times,
        valid_until,
        superseded_by,
        pinned,
        speaker,
        position,
        process_id,
        session_id,
        source_message_id,
        metadata,
    ) = row
    said_at = from_micros(said)
    return FactRecord(
        Fact(
            content,
            id=fact_id,
            said_at=said_at,
            # Most facts were said once, when they were stored: one datetime serves all three.
            learnt_at=said_at if learnt == said else from_micros(learnt),
            last_said_at=said_at if last_said == said else from_micros(last_said),
            kind=kind,
            times=times,
            valid_until=None if valid_until is None else from_micros(valid_until),
            superseded_by=superseded_by,
            pinned=pinned == 1,
            speaker=speaker,
            position=position,
            process_id=process_id,
            session_id=session_id,
            source_message_id=source_message_id,
            metadata={} if metadata == "{}" else _metadata(fact_id, metadata),
            revision=revision,
        ),
        uniq=uniq,
        terms=terms,
        tokenizer=tokenizer,
        vector=vector,
        embedder=embedder,
    )


def to_micros(time: datetime) -> int:
    """Microseconds since 1970, UTC."""
    return (time - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The instant, in UTC."""
    return _EPOCH + timedelta(0, 0, micros)


def _metadata(fact_id: str, text: object) -> dict[str, JSONValue]:
    try:
        value: object = json.loads(cast("str", text))
    except (TypeError, ValueError):
        value = None
    if isinstance(value, dict):
        return cast("dict[str, JSONValue]", value)
    logger.warning("the metadata of fact %s is damaged in the file and is left out", fact_id)
    return {}
