"""From what the user writes for a store to a store."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from memori_core.errors import ConfigError
from memori_core.stores.base import Store
from memori_core.stores.memory import InMemoryStore
from memori_core.stores.sqlite import SQLiteStore

DEFAULT_PATH = "memori.db"


def open_store(path: str | PathLike[str] | Store | None) -> Store:
    """The store of a path: a SQLite file, or `":memory:"`; None for `memori.db`; a store as it is.

    Raises:
        ConfigError: It is no path, or of a kind of store that is not part of this version.
        StoreError: The file cannot be opened; it was not touched.
    """
    if isinstance(path, Store):
        return path
    name = DEFAULT_PATH if path is None else fspath(path)
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] (callers without a checker)
        raise ConfigError(f"a store is a path or a Store, got {path!r}.")
    if not name.strip():
        raise ConfigError("the path of the store is empty. Leave it out for `memori.db`.")
    if name == ":memory:":
        return InMemoryStore()
    if "://" in name:
        raise ConfigError(
            f"{name.split('://')[0]}:// stores are not part of this version. Give the path of a "
            "SQLite file, or a Store."
        )
    return SQLiteStore(Path(name).expanduser())
