"""`memori doctor`: is everything as it should be?"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from memori_core.cli import _checks
from memori_core.cli._checks import Check
from memori_core.cli._failures import NOTHING_FOUND
from memori_core.cli._options import NO_EMBEDDER, Settings, common_options
from memori_core.cli._output import for_people
from memori_core.cli._text import one_line
from memori_core.embedding import Embedder, make_embedder
from memori_core.errors import MissingExtraError
from memori_core.stores import SQLiteStore

_MARKS = {"ok": ("ok", "green"), "failed": ("FAILED", "red"), "skipped": ("-", "yellow")}


@click.command("doctor")
@common_options("entity", "embedder")
@click.pass_context
def doctor_command(ctx: click.Context, settings: Settings) -> None:
    """Check the installation and a store; with --user the facts of one user only.

    Looks at versions, the database file, the embedder, the vectors, and at whether word scores are
    those of bm25s. Changes nothing. The exit code is 1 if a check fails.
    """
    checks: list[Check] = []
    for check in _all_checks(settings):
        checks.append(check)
        if for_people(settings.json_out):
            mark, colour = _MARKS[check.status]
            click.echo(
                f"{click.style(f'{mark:<6}', fg=colour)}  {check.name:<9}  {one_line(check.detail)}"
            )
    passed = all(check.status != "failed" for check in checks)
    settings.report({"ok": passed, "checks": [asdict(check) for check in checks]}, [])
    if not passed:
        ctx.exit(NOTHING_FOUND)


def _all_checks(settings: Settings) -> Iterator[Check]:
    yield from _checks.check_versions()
    embedder = None
    if settings.embedder != NO_EMBEDDER:
        embedder, check = _embedder(settings.embedder)
        yield check
    path = Path(settings.db).expanduser()
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        yield Check("store", "skipped", f"no such store: {path}; `memori remember` makes it")
        return
    try:
        with _checks.opened_to_look(path) as connection:
            file_checks = list(_checks.check_file(path, connection))
            yield from file_checks
            if all(check.status == "ok" for check in file_checks):
                yield from _store_checks(path, settings, embedder)
    except sqlite3.Error as e:
        yield Check("store", "failed", f"{path}: {e}")


def _store_checks(path: Path, settings: Settings, embedder: Embedder | None) -> Iterator[Check]:
    with SQLiteStore(path) as store:
        users = store.entities() if settings.entity is None else [settings.entity]
        if embedder is not None:
            yield _checks.check_vectors(store, users, embedder.name)
        yield _checks.check_bm25(store, users)


def _embedder(name: str) -> tuple[Embedder | None, Check]:
    try:
        embedder = make_embedder(name)
    except MissingExtraError as e:
        return None, Check("embedder", "failed", str(e))
    assert embedder is not None
    return embedder, _checks.check_embedder(embedder)
