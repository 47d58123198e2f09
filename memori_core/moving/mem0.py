"""The memories in a local Qdrant folder of Mem0 (PyPI `mem0ai`), or in the JSON of `get_all()`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

from memori_core.errors import ConfigError
from memori_core.models import NewFact
from memori_core.moving._facts import MovedFact, file_time, json_metadata, moment
from memori_core.moving._pickled import plain_data
from memori_core.moving._sqlite import check_not_empty, is_sqlite, reading, tables

_WHOSE = ("user_id", "agent_id", "app_id", "run_id")
"""The ids that Mem0 keeps memories apart by, the one that most likely is a person's first."""
_MEANT = frozenset(
    {"id", "memory", "data", "metadata", "created_at", "updated_at", "expiration_date"}
    | {"user_id", "agent_id", "run_id", "actor_id"}
)
_DERIVED = frozenset({"hash", "text_lemmatized", "score", "score_details", "rerank_score"})
_STORAGE = "storage.sqlite"
_GET_ALL = (
    "Save what `Memory.get_all(filters={'user_id': …}, top_k=100000)` returns as JSON, and give "
    "that file."
)


def from_mem0(path: str | Path) -> Iterator[MovedFact]:
    """The memories in files of Mem0, which are read only.

    A memory belongs to its `user_id`; without one, to its `agent_id`, `app_id` or `run_id`. The
    agent becomes the process, the run the session, the actor the speaker. `created_at` is when it
    was said, `updated_at` when it was said last. Ids stay.

    Args:
        path: The folder of the vector store (Qdrant with `path=`, which is Mem0's default), or a
            JSON file with the result of `get_all()`, or a list of memories.

    Raises:
        ConfigError: The file or folder is not Mem0's.
        StoreError: Another program holds a file.
    """
    place = Path(path).expanduser()
    memories = _in_folder(place) if place.is_dir() else _in_file(place)
    for memory, undated in memories:
        yield _moved(memory, undated)


Memory = tuple[dict[str, Any], datetime]  # Any: JSON of any shape
"""What Mem0 says of a memory, and its date should it have none."""


def _in_folder(folder: Path) -> Iterator[Memory]:
    files = sorted([*folder.glob(_STORAGE), *folder.glob(f"collection/*/{_STORAGE}")])
    if not files:
        raise ConfigError(
            f"{folder} is no local Qdrant folder (collection/…/{_STORAGE} is missing). {_GET_ALL}"
        )
    found = [memory for file in files for memory in _in_qdrant(file)]
    if not found:
        raise ConfigError(f"{folder} holds no memory of Mem0.")
    yield from found


def _in_file(file: Path) -> Iterator[Memory]:
    check_not_empty(file)
    if is_sqlite(file):
        with reading(file) as connection:
            there = tables(connection)
        if "points" in there:
            return _in_qdrant(file)
        what = "is no file of Mem0's."
        if "history" in there:
            what = "is Mem0's history, which does not say whose a memory is."
        raise ConfigError(f"{file} {what} Give the folder of the vector store. Or: {_GET_ALL}")
    return _in_json(file)


def _in_qdrant(file: Path) -> Iterator[Memory]:
    """The points of a collection. One that is there twice counts as it was written last."""
    points: dict[object, dict[str, Any]] = {}
    with reading(file) as connection:
        if "points" not in tables(connection):
            raise ConfigError(f"{file} is no collection of Qdrant.")
        for (pickled,) in connection.execute("SELECT point FROM points ORDER BY rowid"):
            try:
                point = plain_data(pickled)["__dict__"]
                number, payload = str(point["id"]), dict(point["payload"] or {})
            except (KeyError, TypeError, ValueError) as e:
                raise ConfigError(f"{file} holds a point that cannot be read: {e}") from e
            # Beside memories there are the names in them, and the telemetry's own collection.
            if "data" in payload and "linked_memory_ids" not in payload:
                points[number] = payload | {"id": number, "memory": payload["data"]}
    undated = file_time(file)
    for memory in points.values():
        yield memory, undated


def _in_json(file: Path) -> Iterator[Memory]:
    try:
        data: Any = json.loads(file.read_text(encoding="utf-8-sig"))  # Any: JSON of any shape
    except (ValueError, RecursionError) as e:
        raise ConfigError(f"{file} is no JSON, and no file of Mem0's: {e}") from e
    entries: Any = cast("dict[str, Any]", data).get("results") if isinstance(data, dict) else data
    if not isinstance(entries, list):
        raise ConfigError(f'{file} has no list of memories ({{"results": […]}}). {_GET_ALL}')
    undated = file_time(file)
    for number, entry in enumerate(cast("list[Any]", entries)):
        if not isinstance(entry, dict) or "memory" not in entry:
            said = json.dumps(entry, ensure_ascii=False)[:60]
            raise ConfigError(f"{file}: entry {number} is no memory of Mem0: {said}")
        memory = cast("dict[str, Any]", entry)
        metadata = memory.get("metadata")
        more = cast("dict[str, Any]", metadata) if isinstance(metadata, dict) else {}
        yield more | memory, undated


def _moved(memory: Mapping[str, Any], undated: datetime) -> MovedFact:
    created, updated = moment(memory.get("created_at")), moment(memory.get("updated_at"))
    said_at = created or updated or undated
    last = max(said_at, updated or said_at)
    whose = [found for name in _WHOSE if (found := _id(memory, name))]
    return MovedFact(
        NewFact(
            memory["memory"],
            id=_id(memory, "id"),
            said_at=said_at,
            valid_until=_expiry(memory.get("expiration_date")),
            speaker=_id(memory, "actor_id"),
            session_id=_id(memory, "run_id"),
            metadata=json_metadata(
                {k: v for k, v in memory.items() if k not in _MEANT and k not in _DERIVED}
            ),
        ),
        entity_id=whose[0] if whose else "",
        process_id=_id(memory, "agent_id"),
        last_said_at=last,
        learnt_at=last,
    )


def _id(memory: Mapping[str, Any], name: str) -> str | None:
    value = memory.get(name)
    return None if value is None else str(value).strip() or None


def _expiry(value: object) -> datetime | None:
    """The end of the day, in UTC, until which a memory holds."""
    day = moment(value)
    return None if day is None else day + timedelta(days=1)
