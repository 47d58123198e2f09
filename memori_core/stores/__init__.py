"""Where memory is kept. `Store` is the interface; every store passes `StoreConformance`."""

from memori_core.stores.base import Store
from memori_core.stores.memory import InMemoryStore
from memori_core.stores.opening import open_store
from memori_core.stores.sqlite import SQLiteStore

__all__ = ["InMemoryStore", "SQLiteStore", "Store", "open_store"]
