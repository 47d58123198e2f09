"""How the demo talks: headings, questions, and answers with their reasons."""

from __future__ import annotations

from collections.abc import Collection

import click

from memori_core.cli._text import one_line, printable
from memori_core.results import REASONS, Recall, RecalledFact

_TEXT_COLUMNS = 100


def heading(title: str) -> None:
    """The start of a part."""
    click.echo()
    click.secho(title, bold=True, fg="cyan")


def line(text: str) -> None:
    """One line of a part."""
    click.echo(f"  {text}")


def dim(text: str) -> None:
    """A line that explains the one above."""
    click.secho(f"      {text}", dim=True)


def block(text: str) -> None:
    """A context block, as a model is shown it."""
    for row in printable(text).splitlines():
        click.secho(f"    | {row}", fg="yellow")


def answer(who: str, recall: Recall, *, evidence: Collection[str] = (), note: str = "") -> None:
    """A question with all that it recalled, and why; facts among the evidence get a ✓."""
    aside = click.style(f"  ({note})", dim=True) if note else ""
    line(click.style(f"{who}: {one_line(recall.query)}", bold=True) + aside)
    for found in recall:
        mark = click.style("✓", fg="green") if found.id in evidence else "·"
        line(f"  {mark} {one_line(found.content, _TEXT_COLUMNS)}")
        dim(reasons(found, recall.cut))
    if not recall:
        line(click.style(f"  nothing: {_why_nothing(recall)}", fg="magenta"))


def reasons(found: RecalledFact, cut: float) -> str:
    """The parts that add up to the rank, and the relevance beside the cut."""
    parts = " + ".join(f"{name} {value:.2f}" for name, value in found.parts.items() if value)
    return f"rank {found.rank_score:.2f} = {parts} | relevance {found.relevance:.2f}, cut {cut:.2f}"


def _why_nothing(recall: Recall) -> str:
    reason = REASONS[recall.reason]
    if recall.best_rejected is None:
        return reason
    return f"{reason} (best relevance {recall.best_rejected.relevance:.2f}, cut {recall.cut:.2f})"
