"""Storing what comes from another memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from tqdm import tqdm

from memori_core import _intake
from memori_core._threads import run_sync
from memori_core.core import BATCH, MemoryCore
from memori_core.errors import ConfigError, ScopeError
from memori_core.memori import Memori
from memori_core.models import Scope, unique_key
from memori_core.moving._facts import MovedFact
from memori_core.stores._transfer_json import encoded, fact_to_json
from memori_core.stores.transfer import FORMAT, VERSION, import_jsonl


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What was moved."""

    facts: int
    """How many facts arrived, also those that say what another one says."""
    new: int
    """By how many facts the memory grew."""
    users: int
    """How many entities they belong to."""
    left_out: tuple[str, ...]
    """Why some facts could not be stored, a line for each."""


def move(facts: Iterable[MovedFact], *, into: Memori, progress: bool = False) -> Moved:
    """Store facts that come from another memory, embedded anew; twice changes nothing.

    Facts of one entity that say the same become one. What cannot be a fact (blank, or nobody's) is
    left out. All is read before the first is stored.

    Args:
        facts: What `from_memori` or `from_mem0` gives, or `MovedFact`s of your own.
        into: Where to.
        progress: Show a progress bar.

    Raises:
        ConfigError: The source cannot be read; nothing was stored.
    """
    store = into.retriever.store
    kept, left_out = _checked(facts)
    scopes = [Scope(entity_id) for entity_id in sorted({entity_id for entity_id, _ in kept})]
    before = sum(store.count(scope) for scope in scopes)
    lines = _lines(MemoryCore(store, into.retriever), _merged(kept))
    bar = tqdm(lines, desc="import", unit=" facts", delay=1, disable=not progress)
    import_jsonl(store, bar)
    return Moved(
        facts=len(kept),
        new=sum(store.count(scope) for scope in scopes) - before,
        users=len(scopes),
        left_out=tuple(left_out),
    )


async def amove(facts: Iterable[MovedFact], *, into: Memori, progress: bool = False) -> Moved:
    """`move` without blocking the event loop."""
    return await run_sync(move, facts, into=into, progress=progress)


Kept = dict[tuple[str, str], MovedFact]
"""By entity and id."""


def _checked(facts: Iterable[MovedFact]) -> tuple[Kept, list[str]]:
    kept: Kept = {}
    left_out: list[str] = []
    for moved in facts:
        fact_id = moved.fact.id
        try:
            _scope(moved)
            (checked,) = _intake.new_facts([moved.fact])
            if checked.id is None:
                raise ConfigError("it has no `id`.")
        except (ConfigError, ScopeError) as e:
            left_out.append(f"fact {fact_id}: {str(e).removeprefix('item 0: ')}")
        else:
            kept[moved.entity_id, checked.id] = moved
    return kept, left_out


def _merged(kept: Kept) -> list[MovedFact]:
    """One fact where several of an entity say the same; those of an entity follow each other."""
    merged: dict[tuple[str, bytes], MovedFact] = {}
    for moved in kept.values():
        key = moved.entity_id, unique_key(moved.fact.content)
        twin = merged.get(key)
        merged[key] = moved if twin is None else _one_of(twin, moved)
    return sorted(merged.values(), key=lambda moved: (moved.entity_id, moved.process_id or ""))


def _one_of(first: MovedFact, other: MovedFact) -> MovedFact:
    said = [at for m in (first, other) if (at := m.fact.said_at)]
    last = [at for m in (first, other) if (at := m.last_said_at or m.fact.said_at)]
    return replace(
        first,
        fact=replace(first.fact, said_at=min(said, default=None)),
        times=first.times + other.times,
        last_said_at=max(last, default=None),
    )


def _lines(core: MemoryCore, facts: Sequence[MovedFact]) -> Iterator[str]:
    """The facts as an export has them: its import knows how to meet what is there already."""
    yield json.dumps({"format": FORMAT, "version": VERSION})
    for scope, group in groupby(facts, key=_scope):
        same = list(group)
        for start in range(0, len(same), BATCH):
            some = same[start : start + BATCH]
            for moved, op in zip(some, core.creations(scope, [m.fact for m in some]), strict=True):
                said_at = op.record.fact.said_at
                fact = replace(
                    op.record.fact,
                    times=moved.times,
                    last_said_at=moved.last_said_at or said_at,
                    learnt_at=moved.learnt_at or said_at,
                )
                values = fact_to_json(replace(op.record, fact=fact), vectors=True)
                values["mentions"] = [
                    {"text": m.text, "type": m.type, "vector": encoded(m.vector)}
                    for m in op.mentions
                ]
                yield json.dumps({"type": "fact", "entity_id": scope.entity_id, **values})


def _scope(moved: MovedFact) -> Scope:
    return Scope(moved.entity_id, process_id=moved.process_id)
