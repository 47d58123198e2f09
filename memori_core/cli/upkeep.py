"""`memori reindex` and `memori stats`: looking after a store."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping

import click

from memori_core.cli._options import Settings, common_options
from memori_core.cli._text import one_line
from memori_core.memori import Memori
from memori_core.models import Scope


@click.command("reindex")
@common_options("embedder", "fusion")
def reindex_command(settings: Settings) -> None:
    """Make vectors anew that another embedder made, for every user.

    With --fusion mem0 also the named entities that this policy reads.
    """
    with settings.open_memori() as memori:
        count = memori.reindex(progress=sys.stderr.isatty())
    settings.report({"reindexed": count}, [f"facts made anew for {settings.embedder}: {count}"])


@click.command("stats")
@common_options("entity")
def stats_command(settings: Settings) -> None:
    """Count what is stored: in the whole file or, with --user, about one user."""
    with settings.open_memori() as memori:
        if settings.entity is None:
            counts: Mapping[str, int | str] = memori.retriever.store.stats()
        else:
            counts = _counts_of(memori, settings.entity)
    width = max(map(len, counts))
    lines = [f"{name:<{width}}  {one_line(str(value))}" for name, value in counts.items()]
    settings.report(dict(counts), lines)


def _counts_of(memori: Memori, entity_id: str) -> Mapping[str, int | str]:
    records = memori.retriever.store.facts(Scope(entity_id))
    vectors = Counter(record.embedder or "none" for record in records)
    return {
        **memori.scoped(entity_id).stats(),
        **{f"vectors of {name}": count for name, count in sorted(vectors.items())},
    }
