"""`memori triples`: the knowledge graph of one user."""

from __future__ import annotations

from dataclasses import asdict

import click

from memori_core.cli._options import Settings, common_options
from memori_core.cli._records import JSONObject
from memori_core.cli._text import table
from memori_core.conversation import StoredTriple


@click.command("triples")
@click.option("--subject", metavar="NAME", help="Only about this subject.")
@click.option("--predicate", metavar="NAME", help="Only with this predicate, as lives_in.")
@click.option("--object", "object_", metavar="NAME", help="Only with this object.")
@click.option("--history", "include_ended", is_flag=True, help="Also what no longer holds.")
@common_options("entity")
def triples_command(
    settings: Settings,
    *,
    subject: str | None,
    predicate: str | None,
    object_: str | None,
    include_ended: bool,
) -> None:
    """List the statements of the knowledge graph, oldest first."""
    with settings.open_scoped() as memory:
        found = memory.triples(
            subject=subject, predicate=predicate, object=object_, include_ended=include_ended
        )
    lines = table(["subject", "predicate", "", "object"], [_row(kept) for kept in found])
    settings.report([_json(kept) for kept in found], lines if found else ["no triples"])


def _row(kept: StoredTriple) -> list[str]:
    triple = kept.triple
    marks = [
        f"x{kept.times}" if kept.times > 1 else "",
        f"until {kept.valid_until:%Y-%m-%d}" if kept.valid_until else "",
    ]
    return [triple.subject, triple.predicate, " ".join(filter(None, marks)), triple.object]


def _json(kept: StoredTriple) -> JSONObject:
    return {
        **asdict(kept.triple),
        "fact_id": kept.fact_id,
        "times": kept.times,
        "valid_until": kept.valid_until and kept.valid_until.isoformat(),
    }
