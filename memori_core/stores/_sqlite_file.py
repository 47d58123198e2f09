"""How the database file is opened: its place, its modes, its schema."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import Literal

from memori_core.errors import StoreClosedError, StoreError
from memori_core.stores._connections import BUSY_TIMEOUT_S
from memori_core.stores.migrations import is_current, migrate

MEMORY = ":memory:"


class SQLiteFile:
    """A database file, or one in memory, and the connections to it."""

    def __init__(self, path: str, *, synchronous: Literal["FULL", "NORMAL"]) -> None:
        self.path = path
        self.in_memory = path == MEMORY
        self.read_only = not self.in_memory and _is_read_only(Path(path))
        self.closed = False
        self.synchronous: Literal["FULL", "NORMAL"] = synchronous

    def open_writer(self) -> sqlite3.Connection:
        """A connection that may write, to a file with the newest schema."""
        if self.read_only:
            raise StoreError(f"{self.path} cannot be written: the file or its folder is read-only.")
        connection = self._connect(self.path)
        try:
            # Looked at before anything is written: a file of another program stays as it is.
            current = is_current(connection, self.path)
            _enter_wal_mode(connection)
            if not current:
                migrate(connection, self.path)
            connection.execute(f"PRAGMA synchronous = {self.synchronous}")
            connection.execute("PRAGMA secure_delete = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def open_reader(self) -> sqlite3.Connection:
        """A connection that only reads."""
        if self.read_only:
            return self._open_read_only()
        connection = self._connect(self.path)
        connection.execute("PRAGMA query_only = ON")
        return connection

    def size(self) -> int:
        """The bytes of the file and of its -wal; 0 in memory."""
        paths = (Path(self.path), Path(f"{self.path}-wal"))
        return 0 if self.in_memory else sum(p.stat().st_size for p in paths if p.exists())

    def _open_read_only(self) -> sqlite3.Connection:
        # Without a -wal there is nobody who writes, and SQLite need not make files beside ours.
        mode = "mode=ro" if Path(f"{self.path}-wal").exists() else "mode=ro&immutable=1"
        connection = self._connect(f"{Path(self.path).absolute().as_uri()}?{mode}", uri=True)
        try:
            if not is_current(connection, self.path):
                raise StoreError(
                    f"{self.path} is read-only and has no schema, or an older one. Open a copy."
                )
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self, database: str, *, uri: bool = False) -> sqlite3.Connection:
        if self.closed:
            raise StoreClosedError(f"the store of {self.path} was closed. Open a new one.")
        if not self.in_memory:
            _check_place(Path(self.path))
        return sqlite3.connect(
            database,
            uri=uri,
            timeout=BUSY_TIMEOUT_S,
            isolation_level=None,
            check_same_thread=False,
        )


def _enter_wal_mode(connection: sqlite3.Connection) -> None:
    # When two processes do this to a new file at once, SQLite does not wait by itself.
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as e:
            if e.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _is_read_only(path: Path) -> bool:
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _check_place(path: Path) -> None:
    if not path.parent.is_dir():
        raise StoreError(f"the folder {path.parent} of {path.name} does not exist. Make it first.")
    if path.is_dir():
        raise StoreError(f"{path} is a folder. Give the path of a file.")
    if not path.exists() and not os.access(path.parent, os.W_OK):
        raise StoreError(f"{path} cannot be made: the folder {path.parent} is read-only.")
