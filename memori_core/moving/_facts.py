"""What comes from another memory, before it is stored here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from memori_core import _intake
from memori_core.errors import ConfigError
from memori_core.models import JSONValue, NewFact


@dataclass(frozen=True, slots=True)
class MovedFact:
    """A fact of another memory, and whose it is."""

    fact: NewFact
    """With an id, so that moving it twice stores it once."""
    _: KW_ONLY
    entity_id: str
    process_id: str | None = None
    times: int = 1
    """How often it was said."""
    last_said_at: datetime | None = None
    """When it was said the last time; None for the time it was said at."""
    learnt_at: datetime | None = None
    """When it got the text it has; None for the time it was said at."""


def moment(value: object) -> datetime | None:
    """A date and time as another memory has it, in UTC; None where it is none.

    Times without a zone are in UTC: so Memori has them, and so Mem0's own clock counts.
    """
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def file_time(path: Path) -> datetime:
    """When a file changed last: the date of facts that have none, the same at every reading."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def json_metadata(values: Mapping[str, object]) -> Mapping[str, JSONValue]:
    """Those of the values that fit JSON; empty ones are left out."""
    kept: dict[str, JSONValue] = {}
    for key, value in values.items():
        if value is None:
            continue
        try:
            _intake.check_metadata({key: value})
        except (ConfigError, RecursionError):
            continue
        kept[key] = cast("JSONValue", value)
    return kept
