"""`memori remember`, `list`, `forget` and `erase`: one user's facts."""

from __future__ import annotations

import click

from memori_core.cli._failures import NOTHING_FOUND
from memori_core.cli._options import Settings, common_options
from memori_core.cli._pairs import Pair, gathered, key_value
from memori_core.cli._records import fact_json
from memori_core.cli._text import one_line, table
from memori_core.models import Fact

_LARGEST = 2**63 - 1
"""What SQLite can keep."""


@click.command("remember")
@click.argument("text")
@click.option("--said-at", metavar="WHEN", help="2026-05-01 or 2026-05-01T12:00:00+02:00.")
@click.option("--speaker", metavar="NAME", help="Who said it.")
@click.option("--session", "session_id", metavar="ID", help="The conversation it is from.")
@click.option(
    "--position", type=click.IntRange(0, _LARGEST), help="Its place in the session, from 0."
)
@click.option("--pinned", is_flag=True, help="Let it stand in every context block.")
@click.option(
    "--meta",
    type=key_value,
    metavar="KEY=VALUE",
    multiple=True,
    help="Metadata; may come several times.",
)
@click.option("--id", "fact_id", metavar="ID", help="An id of your own; replaces what has it.")
@common_options("entity", "embedder", "fusion")
def remember_command(
    settings: Settings,
    *,
    text: str,
    said_at: str | None,
    speaker: str | None,
    session_id: str | None,
    position: int | None,
    pinned: bool,
    meta: tuple[Pair, ...],
    fact_id: str | None,
) -> None:
    """Store a fact. A repeat returns the fact that is there.

    Example: memori remember "I live in Porto." --user alice
    """
    with settings.open_scoped(create=True) as memory:
        fact = memory.remember(
            text,
            said_at=said_at,
            speaker=speaker,
            session_id=session_id,
            position=position,
            pinned=pinned,
            metadata=gathered(meta),
            id=fact_id,
        )
    again = f" (said {fact.times} times)" if fact.times > 1 else ""
    settings.report(fact_json(fact), [f"{one_line(fact.id)}  {one_line(fact.content)}{again}"])


@click.command("list")
@click.option("--limit", "-k", type=click.IntRange(min=0), help="At most this many.")
@click.option("--after", metavar="ID", help="Only facts behind this id.")
@common_options("entity")
def list_command(settings: Settings, *, limit: int | None, after: str | None) -> None:
    """List facts, oldest first."""
    with settings.open_scoped() as memory:
        facts = memory.list(limit=limit, after=after)
    lines = table(["id", "stated", "", "fact"], [_row(fact) for fact in facts])
    settings.report([fact_json(fact) for fact in facts], lines if facts else ["no facts"])


def _row(fact: Fact) -> list[str]:
    marks = [
        "pinned" if fact.pinned else "",
        f"x{fact.times}" if fact.times > 1 else "",
        f"until {fact.valid_until:%Y-%m-%d}" if fact.valid_until else "",
        "superseded" if fact.superseded_by else "",
    ]
    who = f"{fact.speaker}: " if fact.speaker else ""
    return [fact.id, f"{fact.said_at:%Y-%m-%d}", " ".join(filter(None, marks)), who + fact.content]


@click.command("forget")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@common_options("entity")
@click.pass_context
def forget_command(ctx: click.Context, settings: Settings, *, ids: tuple[str, ...]) -> None:
    """Delete facts for good.

    The exit code is 1 if there was none of them.
    """
    with settings.open_scoped() as memory:
        count = memory.forget(ids)
    settings.report({"forgotten": count}, [f"forgot {count} of {len(ids)} facts"])
    if count == 0:
        ctx.exit(NOTHING_FOUND)


@click.command("erase")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common_options("entity")
def erase_command(settings: Settings, *, yes: bool) -> None:
    """Remove everything about one user for good: facts, history, vectors.

    Asks first, unless --yes is given.
    """
    with settings.open_scoped() as memory:
        if not yes:
            question = f"Remove everything about {memory.scope.entity_id!r} for good?"
            click.confirm(question, abort=True, err=True)
        count = memory.erase()
    settings.report({"erased": count}, [f"erased {count} facts"])
