"""`memori export` and `memori import`: facts as JSON Lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import IO

import click
from click.core import ParameterSource
from tqdm import tqdm

from memori_core._files import whole_file
from memori_core.cli._options import NO_EMBEDDER, Settings, common_options
from memori_core.cli.moving import ORIGINS, import_from
from memori_core.models import Scope
from memori_core.stores.transfer import export_jsonl, import_jsonl, write_jsonl

_ALL = click.option("--all", "everybody", is_flag=True, help="Every user's facts.")


@click.command("export")
@click.argument("file", metavar="FILE|-", type=click.Path(dir_okay=False, allow_dash=True))
@_ALL
@click.option("--no-vectors", is_flag=True, help="Leave the vectors out: a tenth of the size.")
@common_options("entity")
def export_command(settings: Settings, *, file: str, everybody: bool, no_vectors: bool) -> None:
    """Write facts, with history and vectors, as JSON Lines.

    A file that is there is replaced once all is written.
    """
    if file == "-" == settings.json_out:
        raise click.UsageError('FILE and --json cannot both be "-".')
    scope = _scope(settings, everybody)
    with settings.open_memori() as memori:
        lines = export_jsonl(memori.retriever.store, scope, vectors=not no_vectors)
        with _output(file) as out:
            count = write_jsonl(out, _bar(lines, "export"))
    said = [] if file == "-" else [f"exported {count} facts to {file}"]
    settings.report({"exported": count}, said)


@click.command("import")
@click.argument("file", metavar="FILE|-", type=click.Path(exists=True, allow_dash=True))
@click.option(
    "--from",
    "origin",
    type=click.Choice(list(ORIGINS)),
    help="FILE is Memori's database, or Mem0's Qdrant folder or get_all() as JSON.",
)
@_ALL
@common_options("entity", "embedder")
def import_command(settings: Settings, *, file: str, origin: str | None, everybody: bool) -> None:
    """Store the facts of an export, for --user or, with --all, for those it names.

    Facts that are there already are kept once. A line that is no fact ends the import; the facts
    before it stay.

    With --from, the facts of another memory, embedded with --embedder: those of --user or, without
    it, of everybody. They keep their users and dates; FILE is read only.
    """
    if origin is not None:
        import_from(origin, settings, file=file, everybody=everybody)
        return
    source = click.get_current_context().get_parameter_source("embedder")
    if source is ParameterSource.COMMANDLINE:
        raise click.UsageError("--embedder goes with --from: an export brings its vectors.")
    settings = replace(settings, embedder=NO_EMBEDDER)
    scope = _scope(settings, everybody)
    with settings.open_memori(create=True) as memori, click.open_file(file, encoding="utf-8") as f:
        count = import_jsonl(memori.retriever.store, _bar(f, "import"), scope=scope)
    settings.report({"imported": count}, [f"imported {count} facts into {settings.db}"])


def _scope(settings: Settings, everybody: bool) -> Scope | None:
    return None if everybody else Scope(settings.entity_id)


def _output(file: str) -> AbstractContextManager[IO[str]]:
    if file == "-":
        return click.open_file(file, "w", encoding="utf-8")
    return whole_file(file)


def _bar(lines: Iterable[str], title: str) -> Iterable[str]:
    return tqdm(lines, desc=title, unit=" facts", delay=1, disable=not sys.stderr.isatty())
