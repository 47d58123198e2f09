"""`memori import --from`: the facts of another memory."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memori_core.cli._options import Settings
from memori_core.errors import ConfigError
from memori_core.moving import from_mem0, from_memori, move

ORIGINS = {"memori": from_memori, "mem0": from_mem0}


def import_from(origin: str, settings: Settings, *, file: str, everybody: bool) -> None:
    """Store the facts of another memory's file, and report how many there were."""
    if file == "-":
        raise click.UsageError("--from needs the path of a file or folder.")
    db = Path(settings.db).expanduser()
    if db.exists() and db.samefile(file):
        raise ConfigError(f"{file} is where the facts would go. Name another file with --db.")
    facts = list(ORIGINS[origin](file))  # before the store is made: the file may be a wrong one
    whose = None if everybody else settings.entity
    chosen = [fact for fact in facts if whose in (None, fact.entity_id)]
    with settings.open_memori(create=True) as memori:
        moved = move(chosen, into=memori, progress=sys.stderr.isatty())
    if moved.left_out and not moved.facts:
        raise ConfigError(f"nothing of {file} can be stored: {moved.left_out[0]}")
    said = f"imported {moved.facts} facts of {moved.users} users into {settings.db}"
    lines = [f"{said} ({moved.new} new)"]
    if moved.left_out:
        lines.append(f"left out {len(moved.left_out)}, the first: {moved.left_out[0]}")
    if others := len(facts) - len(chosen):
        lines.append(f"not taken: {others} facts of other users (--all takes them)")
    counts = {"imported": moved.facts, "new": moved.new, "users": moved.users}
    settings.report({**counts, "left_out": moved.left_out, "others": others}, lines)
