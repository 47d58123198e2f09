"""Entity indexes kept in memory, caught up with the store whenever they are asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import suppress

from memori_core.models import Scope
from memori_core.retrieval.index import EntityIndex, Snapshot
from memori_core.retrieval.mentions import Mentions, load_mentions
from memori_core.stores.base import Store

DEFAULT_CACHE_BYTES = 512 * 1024 * 1024
"""About 25 entities of 10,000 facts."""


class _Entry:
    def __init__(self, index: EntityIndex) -> None:
        self.index = index
        self.snapshot = index.snapshot()
        self.lock = threading.Lock()
        self.mentions: tuple[int, Mentions] | None = None
        """With the revision they are of."""

    def nbytes(self) -> int:
        mentions = self.mentions
        return self.index.nbytes() + (mentions[1].nbytes() if mentions else 0)


class IndexCache:
    """The indexes of the entities recalled last, within a number of bytes.

    A recall whose entity did not change takes no lock; a changed one costs a load of what changed.

    Args:
        store: Where the facts are.
        embedder: Name of the embedder whose vectors are used.
        dim: Their number of components.
        max_bytes: How much memory the indexes may take, roughly. The entity in use always fits.
    """

    def __init__(
        self,
        store: Store,
        *,
        embedder: str | None,
        dim: int,
        max_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._dim = dim
        self._max_bytes = max_bytes
        self._nothing = EntityIndex(embedder=embedder, dim=dim).snapshot()
        self._entries: OrderedDict[bytes, _Entry] = OrderedDict()
        self._lock = threading.Lock()

    def snapshot(self, scope: Scope) -> Snapshot:
        """The entity's facts as they are in the store now."""
        key = scope.entity_key
        revision = self._store.revision(scope)
        entry = self._entries.get(key)
        if revision == 0:  # nothing is stored: ids that are only asked about take no room
            if entry is not None:  # erased, perhaps by another process
                self.forget(scope)
            return self._nothing
        if entry is not None and entry.snapshot.revision == revision:
            with suppress(KeyError):  # another thread may just have made room
                self._entries.move_to_end(key)
            return entry.snapshot
        if entry is None:
            with self._lock:
                entry = self._entries.setdefault(key, self._empty())
        with entry.lock:
            if entry.snapshot.revision != revision:
                self._catch_up(scope, entry)
        self._make_room(key, entry)
        return entry.snapshot

    def mentions(self, scope: Scope, snapshot: Snapshot) -> Mentions:
        """The named entities of the facts of a snapshot."""
        entry = self._entries.get(scope.entity_key)
        if entry is not None and entry.mentions and entry.mentions[0] == snapshot.revision:
            return entry.mentions[1]
        mentions = load_mentions(self._store.mentions(scope), self._dim)
        if entry is not None:
            entry.mentions = (snapshot.revision, mentions)
        return mentions

    def catch_up(self, scope: Scope) -> None:
        """Have the entity's index follow the store, if it is in memory."""
        with self._lock:
            known = scope.entity_key in self._entries
        if known:
            self.snapshot(scope)

    def forget(self, scope: Scope) -> None:
        """Drop the entity's index."""
        with self._lock:
            self._entries.pop(scope.entity_key, None)

    def nbytes(self) -> int:
        """How much memory the indexes take, roughly."""
        with self._lock:
            return sum(entry.nbytes() for entry in self._entries.values())

    def _empty(self) -> _Entry:
        return _Entry(EntityIndex(embedder=self._embedder, dim=self._dim))

    def _catch_up(self, scope: Scope, entry: _Entry) -> None:
        entry.index.apply(self._store.changes(scope, since=entry.index.revision))
        if entry.index.wants_rebuild:
            entry.index = EntityIndex(embedder=self._embedder, dim=self._dim)
            entry.index.apply(self._store.changes(scope))
        entry.snapshot = entry.index.snapshot()
        entry.mentions = None

    def _make_room(self, key: bytes, entry: _Entry) -> None:
        with self._lock:
            if self._entries.get(key) is entry:
                self._entries.move_to_end(key)
            total = sum(other.nbytes() for other in self._entries.values())
            while total > self._max_bytes and len(self._entries) > 1:
                _, dropped = self._entries.popitem(last=False)
                total -= dropped.nbytes()
