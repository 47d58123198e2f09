"""SQLite connections that are used under a lock, survive a fork, and raise our errors."""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from memori_core.errors import ConfigError, MemoriError, StorageFullError, StoreError

BUSY_TIMEOUT_S = 10.0
"""How long a write waits for another process. SQLite's queue is not fair: under four processes that
write without pause a single write was seen to wait 2 s."""


class Handle:
    """A connection with its lock, opened on first use."""

    def __init__(self, path: str, open_connection: Callable[[], sqlite3.Connection]) -> None:
        self._path = path
        self._open = open_connection
        self._in_memory = path == ":memory:"
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @contextmanager
    def use(self) -> Generator[sqlite3.Connection]:
        """Hold the lock, and turn `sqlite3` errors into ours."""
        # `with lock`, and not acquire and release in methods of our own: a Ctrl-C between those
        # and their bodies would leave it locked for good.
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._open()
                yield self._connection
            except sqlite3.Error as e:
                raise as_store_error(e, self._path) from e

    def close(self) -> None:
        """Close the connection once nobody uses it; the next use opens another."""
        with self._lock:
            self._close()

    def pause(self) -> None:
        """Close the connection and keep others from opening it until `resume`.

        What is in memory stays open: closing would lose it, and there is no file to protect.
        """
        self._lock.acquire()
        if not self._in_memory:
            self._close()

    def resume(self) -> None:
        """End a `pause`."""
        self._lock.release()

    def __del__(self) -> None:
        # A thread that ends takes its reader with it; nobody can hold the lock any more.
        self._close()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


class HandleSet:
    """The handles of one store: those of threads that ended drop out by themselves."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handles: weakref.WeakSet[Handle] = weakref.WeakSet()
        self._paused: list[Handle] = []
        _sets.add(self)

    def add(self, handle: Handle) -> Handle:
        """Take part in `close` and in what happens around a fork."""
        with self._lock:
            self._handles.add(handle)
        return handle

    def close(self) -> None:
        """Close all, each once nobody uses it."""
        with self._lock:
            handles = list(self._handles)
        for handle in handles:
            handle.close()

    def before_fork(self) -> None:
        """Close all and keep them closed."""
        self._lock.acquire()
        self._paused = list(self._handles)
        for handle in self._paused:
            handle.pause()

    def after_fork(self) -> None:
        """Let both processes go on, with connections of their own."""
        for handle in self._paused:
            handle.resume()
        self._paused = []
        self._lock.release()


_sets: weakref.WeakSet[HandleSet] = weakref.WeakSet()
_forking: list[HandleSet] = []


def _before_fork() -> None:
    _forking.extend(_sets)
    for handles in _forking:
        handles.before_fork()


def _after_fork() -> None:
    for handles in _forking:
        handles.after_fork()
    _forking.clear()


# An open SQLite file must not cross a fork: file locks are not inherited, but SQLite in the child
# believes it holds them (https://www.sqlite.org/howtocorrupt.html, "Carrying an open database
# connection across a fork"). So all connections are closed before, and reopened by their next use.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


@dataclass(slots=True)
class Transaction:
    """How a transaction ended."""

    committed: bool = False


@contextmanager
def transaction(
    connection: sqlite3.Connection, mode: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE"
) -> Generator[Transaction]:
    """All or nothing: commits at the end, rolls back on an error.

    Writers use IMMEDIATE: a DEFERRED one that reads first fails at once when another process
    writes, however long the busy timeout.
    """
    state = Transaction()
    committing = False
    try:
        connection.execute(f"BEGIN {mode}")
        yield state
        committing = True
        connection.execute("COMMIT")
        state.committed = True
    except BaseException as e:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        else:
            # On a full disk SQLite has rolled back by itself. A Ctrl-C during the commit is raised
            # when the commit is done.
            state.committed = committing and not isinstance(e, sqlite3.Error)
        raise


def as_store_error(error: sqlite3.Error, path: str) -> MemoriError:
    """What went wrong, in our words, naming the file."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return StorageFullError(
            f"there is no room left to write to {path}; nothing of this batch was stored. "
            "Free some space; what was stored before can still be read."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreError(
            f"{path} was locked by another process for more than {BUSY_TIMEOUT_S:.0f} s; "
            "nothing of this batch was stored. Look for a program that keeps a write open."
        )
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return StoreError(
            f"{path} is damaged, or is no SQLite database ({error}). Move it away and restore a "
            'backup; `sqlite3 FILE ".recover"` may save what is left.'
        )
    if code == sqlite3.SQLITE_READONLY:
        return StoreError(f"{path} cannot be written: the file or its folder is read-only.")
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreError(
            f"{path} cannot be opened. Check that its folder can be read and written."
        )
    if isinstance(error, (sqlite3.ProgrammingError, sqlite3.InterfaceError)):
        return ConfigError(f"a value cannot be stored in SQLite: {error}")
    return StoreError(f"{path}: {error}")
