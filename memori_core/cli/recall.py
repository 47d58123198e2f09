"""`memori recall` and `memori why`: what is found, and for which reasons."""

from __future__ import annotations

import logging
import warnings

import click

from memori_core.cli._failures import NOTHING_FOUND
from memori_core.cli._options import Command, Settings, common_options
from memori_core.cli._pairs import Pair, gathered, key_value
from memori_core.cli._records import recall_json
from memori_core.cli._text import printable, table
from memori_core.errors import EmbedderChangedWarning
from memori_core.results import Recall


def _question_options(function: Command) -> Command:
    for option in (
        click.option("--history", "include_history", is_flag=True, help="Also facts that ended."),
        click.option(
            "--where",
            type=key_value,
            metavar="KEY=VALUE",
            multiple=True,
            help="Metadata to have; one key several times: one of these values.",
        ),
        click.option(
            "--strictness",
            type=float,
            default=1.0,
            show_default=True,
            help="Scales the cut; 0 takes it away.",
        ),
        click.option(
            "--limit", "-k", type=int, default=5, show_default=True, help="At most this many facts."
        ),
        click.argument("query"),
    ):
        function = option(function)
    return function


@click.command("recall")
@_question_options
@common_options("entity", "embedder", "fusion", "conversation")
@click.pass_context
def recall_command(
    ctx: click.Context,
    settings: Settings,
    *,
    query: str,
    limit: int,
    strictness: float,
    where: tuple[Pair, ...],
    include_history: bool,
) -> None:
    """Find the facts that bear on a question, best first, with their scores.

    The columns between bm25 and text are the parts that add up to rank. The exit code is 1 if
    nothing is close enough; the reason is shown.
    """
    found = _ask(settings, query, limit, strictness, where, include_history)
    settings.report(recall_json(found), _table(found) if found else [printable(found.explain())])
    if not found:
        ctx.exit(NOTHING_FOUND)


@click.command("why")
@_question_options
@common_options("entity", "embedder", "fusion", "conversation")
def why_command(
    settings: Settings,
    *,
    query: str,
    limit: int,
    strictness: float,
    where: tuple[Pair, ...],
    include_history: bool,
) -> None:
    """Explain a recall and show the context block.

    Says which signal brought each fact, or why there is none. The exit code is 0 either way.
    """
    found = _ask(settings, query, limit, strictness, where, include_history)
    block = found.context or "(no context block: nothing to tell the model)"
    settings.report(recall_json(found), [printable(found.explain()), "", printable(block)])


def _ask(
    settings: Settings,
    query: str,
    limit: int,
    strictness: float,
    where: tuple[Pair, ...],
    include_history: bool,
) -> Recall:
    # Facts without a vector are told of with the answer (`Recall.without_vector`), not on the side.
    logging.getLogger("memori_core.retrieval").addHandler(logging.NullHandler())
    with settings.open_scoped() as memory, warnings.catch_warnings():
        warnings.simplefilter("ignore", EmbedderChangedWarning)
        return memory.recall(
            query,
            limit=limit,
            strictness=strictness,
            where=gathered(where),
            include_history=include_history,
        )


def _table(recall: Recall) -> list[str]:
    names = list(dict.fromkeys(name for found in recall for name in found.parts))
    header = ["", "rank", "relevance", "cosine", "bm25", *(f"+{name}" for name in names), "text"]
    rows = [
        [
            str(place),
            f"{found.rank_score:.3f}",
            f"{found.relevance:.3f}",
            f"{found.dense_score:.3f}",
            f"{found.lexical_score:.2f}",
            *(f"{found.parts.get(name, 0.0):.3f}" for name in names),
            found.content,
        ]
        for place, found in enumerate(recall, 1)
    ]
    lines = table(header, rows)
    if recall.without_vector:
        lines.append(
            f"facts searched by their words only: {recall.without_vector}; `memori reindex` makes "
            "their vectors"
        )
    return lines
