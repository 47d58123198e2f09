"""`memori eval capture`: what is found again of conversations that were captured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from memori_core.cli._evaluating import (
    embedder_option,
    limit_questions_option,
    only_option,
)
from memori_core.cli._options import embedder_named
from memori_core.cli._output import for_people, json_option, write_json
from memori_core.cli._tables import aligned
from memori_core.evaluation.capturing import CaptureEvaluation, evaluate_capture
from memori_core.evaluation.datasets import load_conversations


@click.command("capture")
@click.argument("path", type=click.Path(path_type=Path))
@only_option
@limit_questions_option
@embedder_option
@json_option
def capture_command(
    path: Path,
    only: Sequence[str],
    limit_questions: int | None,
    embedder: str,
    json_out: str | None,
) -> None:
    """Conversations captured by the rules, and then asked about. PATH is locomo10.json.

    Evidence counts by the message that an item comes from; the cut is off.
    """
    dataset = load_conversations(path).only(only).first_questions(limit_questions)
    result = evaluate_capture(dataset, embedder=embedder_named(embedder), progress=True)
    if for_people(json_out):
        click.echo(_table(result))
    if json_out:
        write_json(result.to_json(), json_out)


def _table(result: CaptureEvaluation) -> str:
    head = (
        f"{result.dataset}, captured: {result.messages} messages, {result.questions} questions, "
        f"embedder {result.embedder}, {result.seconds:.1f} s"
    )
    rows = [["", "recall@10", "ndcg@10", "tokens"]]
    for name, scores in result.ways.items():
        figures = [f"{scores[measure]:.4f}" for measure in ("recall@10", "ndcg@10")]
        rows.append([name, *figures, f"{scores['tokens']:.0f}"])
    tail = (
        f"{result.facts_per_100_turns:.1f} facts per 100 turns, "
        f"{100 * result.supported_share:.2f} % of them supported by what was said"
    )
    return "\n".join([head, *aligned(rows), tail])
