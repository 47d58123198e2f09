"""What `memori doctor` looks at. Each check answers, and none changes anything."""

from __future__ import annotations

import platform
import sqlite3
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np

from memori_core._extras import is_installed
from memori_core.embedding import Embedder
from memori_core.errors import MemoriError
from memori_core.evaluation.versions import versions
from memori_core.models import Scope
from memori_core.retrieval.index import EntityIndex
from memori_core.retrieval.lexical import K1, B, LexicalView
from memori_core.retrieval.tokenization import Word, content_terms
from memori_core.stores import Store
from memori_core.stores.migrations import MIGRATIONS, is_current

MINIMAL_PYTHON = (3, 11)
MINIMAL_SQLITE = (3, 24)
"""The first that knows `ON CONFLICT DO UPDATE`."""
BM25_TOLERANCE = 1e-5
UNIT_TOLERANCE = 1e-4
QUERIES_PER_USER = 20

Status = Literal["ok", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, and how it is."""

    name: str
    status: Status
    detail: str


def _check(name: str, passed: bool, detail: str) -> Check:
    return Check(name, "ok" if passed else "failed", detail)


def check_versions() -> Iterator[Check]:
    """Python, SQLite and the packages that recall stands on."""
    yield _check("python", sys.version_info >= MINIMAL_PYTHON, platform.python_version())
    yield _check("sqlite", sqlite3.sqlite_version_info >= MINIMAL_SQLITE, sqlite3.sqlite_version)
    packages = ", ".join(f"{name} {number}" for name, number in versions().items())
    yield _check("packages", True, packages)


@contextmanager
def opened_to_look(path: Path) -> Generator[sqlite3.Connection]:
    """The database, past our store: a store would make, migrate or convert what it opens.

    Raises:
        sqlite3.Error: It cannot be opened.
    """
    # Without a -wal nobody writes, and SQLite need not make files beside ours. With one, this
    # connection keeps the store that is opened meanwhile from moving it into the file.
    mode = "mode=ro" if Path(f"{path}-wal").exists() else "mode=ro&immutable=1"
    uri = f"{path.absolute().as_uri()}?{mode}"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        yield connection


def check_file(path: Path, connection: sqlite3.Connection) -> Iterator[Check]:
    """Whether the database is ours, has today's schema and is whole."""
    try:
        current = is_current(connection, str(path))
        schema = int(_pragma(connection, "user_version"))
        integrity = str(_pragma(connection, "integrity_check"))
        counts = _counts(connection) if current else "made by an older memori-core"
    except MemoriError as e:
        yield _check("store", False, str(e))
        return
    except sqlite3.Error as e:
        yield _check("store", False, f"{path}: {e}")
        return
    yield _check("store", True, f"{path}: {counts}")
    version = f"version {schema} of {len(MIGRATIONS)}"
    yield _check("schema", current, version if current else f"{version}, {_NEEDS_MIGRATION}")
    yield _check("integrity", integrity == "ok", integrity)
    wal = _is_wal(path)
    yield _check("journal", wal, "wal" if wal else _NOT_WAL)


def _counts(connection: sqlite3.Connection) -> str:
    users, facts = connection.execute(
        "SELECT count(DISTINCT entity_key), count(*) FROM facts "
        "WHERE NOT deleted AND kind != 'message'"
    ).fetchone()
    return f"{facts} facts, {users} users"


_NEEDS_MIGRATION = (
    "needs migration: any other command that opens the store does it. Copy the file before."
)

_NOT_WAL = "not wal: any other command that opens the store mends it"


def _is_wal(path: Path) -> bool:
    # Not by `PRAGMA journal_mode`, which knows no wal where `immutable` is set. Offset 18 and 19 of
    # the header, https://www.sqlite.org/fileformat.html#file_format_version_numbers
    with path.open("rb") as file:
        return file.read(20)[18:] == b"\2\2"


def check_embedder(embedder: Embedder) -> Check:
    """Whether the embedder loads and gives unit vectors of one size, questions and texts alike."""
    name = "embedder"
    try:
        rows = embedder.embed_documents(["I live in Porto.", "我对花生过敏。"])
        query = embedder.embed_query("Where do I live?")
    except MemoriError as e:
        return _check(name, False, str(e))
    if rows.shape != (2, embedder.dim) or query.shape != (embedder.dim,):
        return _check(name, False, f"{embedder.name}: shapes {rows.shape} and {query.shape}")
    lengths = np.linalg.norm(np.vstack([rows, query[None]]).astype(np.float64), axis=1)
    off = float(np.abs(lengths - 1).max())
    detail = f"{embedder.name}: {embedder.dim}-d, lengths within {off:.0e} of 1"
    return _check(name, bool(np.isfinite(off)) and off <= UNIT_TOLERANCE, detail)


def check_vectors(store: Store, users: list[str], embedder_name: str) -> Check:
    """Whether every fact has a vector of the embedder."""
    total = missing = 0
    for user in users:
        for record in store.facts(Scope(user)):
            total += 1
            missing += record.vector is None or record.embedder != embedder_name
    if missing:
        detail = (
            f"{missing} of {total} facts have no vector of {embedder_name} and are found by their "
            "words only. Make them: memori reindex"
        )
        return _check("vectors", False, detail)
    return _check("vectors", True, f"all {total} facts have one of {embedder_name}")


def check_bm25(store: Store, users: list[str]) -> Check:
    """Whether our word scores are those of bm25s on the same terms, on the users' own facts."""
    name = "bm25"
    if not is_installed("bm25s"):
        return Check(name, "skipped", "bm25s is not installed")
    largest = 0.0
    queries = 0
    for user in users:
        changes = store.changes(Scope(user))
        texts = [content_terms(record.terms.split()) for record in changes.records if record.terms]
        index = EntityIndex(embedder=None, dim=0)
        index.apply(changes)
        view = index.snapshot().lexical
        if len(texts) != view.total:
            continue  # a text without any term: bm25s has no row for it
        for terms, expected in _expected_scores(texts):
            queries += 1
            largest = max(largest, _difference(view, terms, expected))
    detail = f"within {largest:.0e} of bm25s on {queries} questions made of your facts"
    if not queries:
        return Check(name, "skipped", "no facts to compare on")
    return _check(name, largest <= BM25_TOLERANCE, detail)


def _expected_scores(texts: list[list[str]]) -> Iterator[tuple[list[str], Any]]:
    """Some questions made of the texts, with the score of each text as bm25s has it."""
    bm25s: Any = import_module("bm25s")  # Any: it has no types
    oracle = bm25s.BM25(method="lucene", k1=K1, b=B)
    oracle.index(texts, show_progress=False)
    step = max(1, len(texts) // QUERIES_PER_USER)
    for text in texts[::step]:
        terms = sorted(set(text))
        yield terms, oracle.get_scores(terms)


def _difference(view: LexicalView, terms: list[str], expected: Any) -> float:
    words = [Word(((term,),)) for term in terms]
    return float(np.abs(view.scores(words) - expected).max())


def _pragma(connection: sqlite3.Connection, name: str) -> int | str:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]
