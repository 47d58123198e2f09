"""Reading other programs' SQLite files, which stay as they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from memori_core.errors import ConfigError, StoreError

_MAGIC = b"SQLite format 3\0"  # https://www.sqlite.org/fileformat.html, section 1.3
_HEADER = 20
_READ_VERSION = 19
_WAL = 2
_IN_USE = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def is_sqlite(path: Path) -> bool:
    """Whether a file begins as SQLite's files do."""
    return _header(path).startswith(_MAGIC)


@contextmanager
def reading(path: Path) -> Generator[sqlite3.Connection]:
    """A connection that cannot write.

    Raises:
        ConfigError: The file is no database, or a broken one.
        StoreError: Another program holds it.
        OSError: The file cannot be read.
    """
    check_not_empty(path)
    header = _header(path)
    if not header.startswith(_MAGIC):
        raise ConfigError(
            f"{path} is no SQLite database: another program's file, or an encrypted one."
        )
    # A file in WAL mode that nobody has open: SQLite need not make files beside it.
    alone = header[_READ_VERSION] == _WAL and not Path(f"{path}-wal").exists()
    mode = "mode=ro&immutable=1" if alone else "mode=ro"
    try:
        uri = f"{path.absolute().as_uri()}?{mode}"
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            yield connection
    except sqlite3.DatabaseError as e:
        if getattr(e, "sqlite_errorcode", None) in _IN_USE:
            raise StoreError(f"{path} is in use: {e}. End the program that writes to it.") from e
        raise ConfigError(f"{path} cannot be read: {e}") from e


def tables(connection: sqlite3.Connection) -> frozenset[str]:
    """The names of the tables."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return frozenset(name for (name,) in found)


def check_not_empty(path: Path) -> None:
    """Raise unless there is something in the file.

    Raises:
        ConfigError: It is empty.
    """
    if path.stat().st_size == 0:
        raise ConfigError(f"{path} is empty.")


def _header(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEADER)
