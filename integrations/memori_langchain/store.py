"""A LangGraph store whose search is that of memory: hybrid, by meaning and by words."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from memori_core import Fact, Memori, NewFact, ScopedMemory
from memori_core.errors import ConfigError
from memori_core.hooks import JSONValue, run_sync, uuid7
from memori_langchain._items import passes, text_of_value
from memori_langchain._namespaces import Namespace, below, entity_of, listed
from memori_langchain._store_verbs import StoreVerbs


class MemoriStore(StoreVerbs):
    """Keeps LangGraph's items as facts of a `Memori`, so that `search` is hybrid.

    ```python
    from memori_core import InMemoryStore, Memori
    from memori_langchain import MemoriStore

    store = MemoriStore(Memori(InMemoryStore(), embedder=None))
    store.put(("memories", "alice@example.com"), "food", {"text": "User likes green tea."})
    found = store.search(("memories", "alice@example.com"), query="Which tea?")
    print(found[0].key, found[0].value)
    #> food {'text': 'User likes green tea.'}
    ```

    A namespace is one entity of the memory, `MemoriStore.entity_id(namespace)`; an item is one
    fact of it. What is found by a `query` comes first, with a score; then come the others, without
    one, as far as `limit` asks for them.

    Args:
        memori: The memory. Its embedder and fusion decide how items are found.
        fields: Paths of what is searched in a value, as `put(index=...)` takes them; None for all
            texts and numbers in it.
        strictness: Scales the cut below which a query finds nothing, as in `Memori.recall`. Above
            0, what is not found is left out.
    """

    supports_ttl = False

    def __init__(
        self, memori: Memori, *, fields: Sequence[str] | None = None, strictness: float = 0.0
    ) -> None:
        if isinstance(fields, str):
            raise ConfigError(f"`fields` is a list of paths, for example [{fields!r}].")
        self._memori = memori
        self._fields = fields
        self._strictness = strictness

    @staticmethod
    def entity_id(namespace: Namespace) -> str:
        """The entity of the memory that holds a namespace, for example to erase it.

        ```python
        from memori_langchain import MemoriStore

        print(MemoriStore.entity_id(("memories", "alice@example.com")))
        #> langgraph:memories/alice@example.com
        ```
        """
        return entity_of(namespace)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations. All that read see what was there before any of them writes."""
        ops = list(ops)
        results = [self._read(op) for op in ops]
        writes: dict[Namespace, dict[str, PutOp]] = {}
        for op in ops:
            if isinstance(op, PutOp):
                writes.setdefault(tuple(op.namespace), {})[op.key] = op  # the last one counts
        new = {
            namespace: [self._item(op) for op in puts.values() if op.value is not None]
            for namespace, puts in writes.items()
        }  # all are checked before the first is stored
        for namespace, puts in writes.items():
            memory = self._memory(namespace)
            memory.forget([_id(key) for key, op in puts.items() if op.value is None])
            _store(memory, new[namespace])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """`batch` without blocking the event loop."""
        return await run_sync(self.batch, list(ops))

    def _memory(self, namespace: Namespace) -> ScopedMemory:
        return self._memori.scoped(entity_of(namespace))

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                fact = self._memory(op.namespace).get(_id(op.key))
                return None if fact is None else Item(**_fields_of(tuple(op.namespace), fact))
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return listed(below((), self._memori.entities()), op)
            case PutOp():
                return None
            case _:
                raise ValueError(f"unknown operation of a store: {op!r}")

    def _item(self, op: PutOp) -> NewFact:
        value = dict(op.value or {})
        if "\0" in op.key:
            raise ConfigError(f"a key cannot hold NUL characters, got {op.key!r}.")
        try:
            text = json.dumps({"key": op.key, "value": value}, ensure_ascii=False, allow_nan=False)
            text.encode()
        except (TypeError, ValueError) as e:
            raise ConfigError(f"item {op.key!r} is no JSON: {e}.") from e
        kept: dict[str, JSONValue] = json.loads(text)
        index = self._fields if op.index is None else op.index
        words = "" if index is False else text_of_value(value, index).replace("\0", " ").strip()
        return NewFact(
            words or f"({op.key})", id=_id(op.key), metadata={**kept, "indexed": bool(words)}
        )

    def _search(self, op: SearchOp) -> list[SearchItem]:
        places = below(tuple(op.namespace_prefix), self._memori.entities())
        window = slice(op.offset, op.offset + op.limit)
        found = self._found(places, op) if op.query else []
        enough = min(op.offset, op.limit) >= 0 and len(found) >= op.offset + op.limit
        if not enough and not (op.query and self._strictness > 0):
            found += self._others(places, op, seen={(hit.namespace, hit.fact.id) for hit in found})
        return [
            SearchItem(**_fields_of(hit.namespace, hit.fact), score=hit.score)
            for hit in found[window]
        ]

    def _found(self, places: Sequence[Namespace], op: SearchOp) -> list[_Hit]:
        """What a query finds, best first."""
        found: list[_Hit] = []
        wanted = op.offset + op.limit
        for namespace in places:
            memory = self._memory(namespace)
            count = int(memory.stats()["facts"])
            hits = memory.recall(
                op.query,
                limit=count if op.filter or wanted < 0 else min(count, wanted),
                strictness=self._strictness,
                where={"indexed": True},
            )
            found += [
                _Hit(namespace, hit.fact, hit.score)
                for hit in hits
                if passes(_value(hit.fact), op.filter)
            ]
        return sorted(found, key=lambda hit: -(hit.score or 0.0))

    def _others(
        self, places: Sequence[Namespace], op: SearchOp, *, seen: set[tuple[Namespace, str]]
    ) -> list[_Hit]:
        """What was not found, by namespace and as it was stored."""
        return [
            _Hit(namespace, fact, None)
            for namespace in places
            for fact in _items(self._memory(namespace))
            if (namespace, fact.id) not in seen and passes(_value(fact), op.filter)
        ]


class _Hit(NamedTuple):
    namespace: Namespace
    fact: Fact
    score: float | None


def _id(key: str) -> str:
    return f"item:{key}"


def _items(memory: ScopedMemory) -> list[Fact]:
    """The items of a namespace in the order in which they were stored first."""
    facts = [fact for fact in memory.list() if "order" in fact.metadata]
    return sorted(facts, key=lambda fact: str(fact.metadata["order"]))


def _value(fact: Fact) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", fact.metadata["value"])


def _fields_of(namespace: Namespace, fact: Fact) -> dict[str, Any]:
    return {
        "namespace": namespace,
        "key": str(fact.metadata["key"]),
        "value": copy.deepcopy(dict(_value(fact))),  # theirs to change
        "created_at": fact.learnt_at,
        "updated_at": fact.said_at,
    }


def _store(memory: ScopedMemory, items: Sequence[NewFact]) -> None:
    """Store items: in one transaction, unless another one has the same text already."""
    new = [_placed(memory, item) for item in items]
    stored: Sequence[Fact | None]
    try:
        stored = memory.remember_many(new)
    except ConfigError:  # an item that is there gets the text of another one
        stored = [None] * len(new)
    for item, fact in zip(new, stored, strict=True):
        if fact is None or fact.id != item.id:
            _store_apart(memory, item)


def _placed(memory: ScopedMemory, item: NewFact) -> NewFact:
    """The item with its time, and its place among the others: that of the one it replaces."""
    old = memory.get(str(item.id))
    order = uuid7() if old is None else old.metadata["order"]
    metadata = {**item.metadata, "order": order}
    return replace(item, said_at=datetime.now(UTC), metadata=metadata)


def _store_apart(memory: ScopedMemory, item: NewFact) -> None:
    """Store an item whose text may be another one's: facts are told apart by their text.

    Raises:
        ConfigError: It cannot be stored, whatever its text.
    """
    key = item.metadata["key"]
    for content in (item.content, f"{item.content}\n({key})"):
        try:
            stored = memory.remember_many([replace(item, content=content)])
        except ConfigError:
            continue
        if stored[0].id == item.id:
            return
    memory.remember_many([replace(item, content=f"{item.content}\n({key} {uuid7()})")])
