"""Facts as JSON lines: for backups, for moving between stores, and for the one they belong to."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, cast

from memori_core.errors import ConfigError
from memori_core.models import (
    Fact,
    FactRecord,
    FactVersion,
    Mention,
    Op,
    Scope,
    UpdateFact,
    UpsertFact,
    WriteBatch,
)
from memori_core.stores._apply import checked, metadata_json
from memori_core.stores.base import Store

FORMAT = "memori-core facts"
VERSION = 1

_PAGE = 500
_BATCH = 500
_TIMES = ("said_at", "learnt_at", "last_said_at", "valid_until")
_FACT_FIELDS = tuple(f.name for f in fields(Fact) if f.name not in ("revision", "metadata"))


def export_jsonl(
    store: Store, scope: Scope | None = None, *, vectors: bool = True
) -> Iterator[str]:
    """The facts of one entity, or of all, one JSON object per line, after a header line.

    ```python
    from memori_core import Scope
    from memori_core.stores import InMemoryStore
    from memori_core.stores.transfer import export_jsonl

    print(*export_jsonl(InMemoryStore(), Scope("alice")))
    #> {"format": "memori-core facts", "version": 1}
    ```

    Args:
        store: Where the facts are. What changes during the export may or may not be in it.
        scope: Whose; None for everybody's.
        vectors: Whether to write the vectors. Without them the file is about a tenth of the size,
            and the facts are found by their words only until they are embedded again.
    """
    yield json.dumps({"format": FORMAT, "version": VERSION})
    for entity_id in store.entities() if scope is None else [scope.entity_id]:
        whose = Scope(entity_id)
        mentions = _mentions_by_fact(store, whose)
        after: str | None = None
        while page := store.facts(whose, after=after, limit=_PAGE):
            for record in page:
                fact_id = record.fact.id
                line = _to_json(record, vectors=vectors)
                line["entity_id"] = entity_id
                line["history"] = [
                    {"content": v.content, "replaced_at": v.replaced_at.isoformat()}
                    for v in store.history(whose, fact_id)
                ]
                line["mentions"] = [
                    {"text": m.text, "type": m.type, "vector": _encoded(m.vector, keep=vectors)}
                    for m in mentions.get(fact_id, ())
                ]
                yield json.dumps(line, ensure_ascii=False)
            after = page[-1].fact.id


def import_jsonl(store: Store, lines: Iterable[str], *, scope: Scope | None = None) -> int:
    """Store exported facts under their ids, and return how many lines held one.

    Doing it twice changes nothing the second time. A fact that says what another one of the entity
    says already is merged with that one.

    Args:
        store: Where to.
        lines: The lines of an export.
        scope: Whose facts they shall be, instead of those who are named in the lines.

    Raises:
        ConfigError: A line is not what an export writes; its number is in the message. The facts of
            the lines before it are stored.
    """
    importer = _Importer(store)
    numbered = enumerate(lines, start=1)
    _check_header(next(numbered, (1, ""))[1])
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            importer.add(line, scope)
        except (KeyError, TypeError, ValueError, AttributeError) as e:
            importer.flush()
            what = f"the field {e} is missing" if isinstance(e, KeyError) else str(e)
            raise ConfigError(f"line {number} cannot be imported: {what}") from e
    importer.flush()
    return importer.count


class _Importer:
    """Gathers the facts of one entity at a time into batches."""

    def __init__(self, store: Store) -> None:
        self.count = 0
        self._store = store
        self._scope: Scope | None = None
        self._ops: list[Op] = []
        self._id_of: dict[bytes, str] = {}
        self._uniq_of: dict[str, bytes] = {}

    def add(self, line: str, scope: Scope | None) -> None:
        data = json.loads(line)
        if not isinstance(data, dict):
            raise TypeError(f"not a JSON object: {line[:40]!r}")
        values = cast("dict[str, Any]", data)  # Any: JSON of any shape; what is wrong raises
        whose = scope or Scope(values["entity_id"])
        record = _from_json(values)
        history = [
            FactVersion(_text(v, "content"), replaced_at=datetime.fromisoformat(v["replaced_at"]))
            for v in values.get("history", ())
        ]
        mentions = tuple(
            Mention(_text(m, "text"), type=_text(m, "type"), vector=_decoded(m.get("vector")))
            for m in values.get("mentions", ())
        )
        if self._scope is None or whose.entity_id != self._scope.entity_id:
            self._turn_to(whose)
        twin = self._id_of.get(record.uniq, record.fact.id)
        if twin == record.fact.id:
            self._upsert(record, history, mentions)
        else:
            self._merge(twin, record)
        self.count += 1
        if len(self._ops) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        if self._scope is not None and self._ops:
            self._store.apply(self._scope, WriteBatch(tuple(self._ops)))
        self._ops = []

    def _turn_to(self, scope: Scope) -> None:
        self.flush()
        self._scope = scope
        self._id_of, self._uniq_of = {}, {}
        after: str | None = None
        while page := self._store.facts(scope, after=after, limit=_PAGE):
            self._id_of |= {r.uniq: r.fact.id for r in page}
            self._uniq_of |= {r.fact.id: r.uniq for r in page}
            after = page[-1].fact.id

    def _upsert(
        self, record: FactRecord, history: list[FactVersion], mentions: tuple[Mention, ...]
    ) -> None:
        fact_id = record.fact.id
        if (before := self._uniq_of.get(fact_id)) is not None:
            del self._id_of[before]
        elif history:
            self._ops += _replay(record, history)
            # An upsert takes its time of learning as the end of the text before it.
            record = replace(record, fact=replace(record.fact, learnt_at=history[-1].replaced_at))
        self._ops.append(UpsertFact(record, mentions=mentions))
        self._id_of[record.uniq], self._uniq_of[fact_id] = fact_id, record.uniq

    def _merge(self, twin_id: str, record: FactRecord) -> None:
        """Widen the fact that says the same. Not counted up: a second import changes nothing."""
        assert self._scope is not None
        self.flush()
        ((twin,), new) = self._store.facts(self._scope, ids=[twin_id]), record.fact
        changes = {
            "times": max(twin.fact.times, new.times),
            "said_at": min(twin.fact.said_at, new.said_at),
            "last_said_at": max(twin.fact.last_said_at, new.last_said_at),
            "pinned": twin.fact.pinned or new.pinned,
        }
        self._ops.append(UpdateFact(twin_id, changes=changes))


def _replay(record: FactRecord, history: list[FactVersion]) -> Iterator[Op]:
    """What the fact said before, as operations that leave the same history."""
    learnt_at = record.fact.learnt_at
    for number, version in enumerate(history):
        # A key of its own: another fact may say today what this one said then.
        uniq = blake2b(f"{record.fact.id}/{number}".encode(), digest_size=16).digest()
        fact = replace(record.fact, content=version.content, learnt_at=learnt_at)
        yield UpsertFact(replace(record, fact=fact, uniq=uniq))
        learnt_at = version.replaced_at


def _mentions_by_fact(store: Store, scope: Scope) -> dict[str, list[Mention]]:
    found: dict[str, list[Mention]] = {}
    for linked in store.mentions(scope):
        for fact_id in linked.fact_ids:
            found.setdefault(fact_id, []).append(linked.mention)
    return found


def _check_header(line: str) -> None:
    try:
        header = json.loads(line)
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r}")
        version = int(header["version"])
    except (KeyError, TypeError, ValueError) as e:
        raise ConfigError(
            f"line 1 is not the header of an export ({e}): {line[:60]!r}. "
            "Give the lines of `export_jsonl` from the first one on."
        ) from e
    if version > VERSION:
        raise ConfigError(
            f"line 1: version {version} of the export is newer than this memori-core knows "
            f"({VERSION}). Upgrade: pip install -U memori-core"
        )


def _to_json(record: FactRecord, *, vectors: bool) -> dict[str, object]:
    line: dict[str, object] = {}
    for name in _FACT_FIELDS:
        value = getattr(record.fact, name)
        line[name] = value.isoformat() if isinstance(value, datetime) else value
    line["metadata"] = json.loads(metadata_json(record.fact))
    line["uniq"] = _encoded(record.uniq)
    line["terms"] = record.terms
    line["tokenizer"] = record.tokenizer
    line["vector"] = _encoded(record.vector, keep=vectors)
    line["embedder"] = record.embedder if vectors else None
    return line


def _from_json(values: dict[str, Any]) -> FactRecord:  # Any: see `_Importer.add`
    fact = {name: values[name] for name in (*_FACT_FIELDS, "metadata") if name in values}
    for name in _TIMES:
        if fact.get(name) is not None:
            fact[name] = datetime.fromisoformat(_text(fact, name))
    uniq = _decoded(values["uniq"])
    if uniq is None:
        raise ValueError("`uniq` is null")
    return checked(
        FactRecord(
            Fact(**fact),
            uniq=uniq,
            terms=_text(values, "terms"),
            tokenizer=int(values["tokenizer"]),
            vector=_decoded(values.get("vector")),
            embedder=values.get("embedder"),
        ),
        revision=0,
    )


def _text(values: dict[str, Any], name: str) -> str:
    value = values[name]
    if not isinstance(value, str):
        raise TypeError(f"`{name}` is not text: {value!r}")
    return value


def _encoded(blob: bytes | None, *, keep: bool = True) -> str | None:
    return b64encode(blob).decode() if blob is not None and keep else None


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text, validate=True)
