"""`memori eval`: how well recall works, on real data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from memori_core.cli._evaluating import (
    embedder_option,
    fusion_option,
    limit_questions_option,
    only_option,
)
from memori_core.cli._options import embedder_named
from memori_core.cli._output import for_people, json_option, write_json
from memori_core.cli._tables import aligned
from memori_core.cli.evaluate_capture import capture_command
from memori_core.evaluation.datasets import (
    CHINESE_SET,
    Dataset,
    ProbeStore,
    Unit,
    from_conversations,
    load_cranfield,
    load_locomo,
    load_reading,
    load_relevance,
)
from memori_core.evaluation.gate import GateEvaluation, evaluate_gate
from memori_core.evaluation.runner import Evaluation, evaluate

F = TypeVar("F", bound=Callable[..., Any])

_SHOWN = ("hit@1", "recall@5", "recall@10", "recall@20", "gated_recall@10", "mrr@10", "ndcg@10")
_SINGLE_SIGNALS = ("dense", "lexical")
_PATH = click.Path(path_type=Path)
_UNIT = click.option(
    "--unit",
    type=click.Choice(get_args(Unit)),
    default="turns",
    show_default=True,
    help="What one memory is.",
)


@dataclass(frozen=True, slots=True)
class _Options:
    """What every ranking command is told."""

    _: KW_ONLY
    fusion: str
    embedder: str
    compare: bool
    limit_questions: int | None
    json_out: str | None


def _ranking_options(command: F) -> F:
    """The options of a command that measures a ranking."""
    for option in (
        json_option,
        limit_questions_option,
        click.option("--compare", is_flag=True, help="Also measure what each signal gives alone."),
        embedder_option,
        fusion_option,
    ):
        command = option(command)
    return command


@click.group("eval")
def eval_command() -> None:
    """Measure recall on real data. Vectors are kept in ~/.cache/memori-core."""


eval_command.add_command(capture_command)


@eval_command.command("locomo")
@click.argument("path", type=_PATH)
@_UNIT
@click.option("--conversation", is_flag=True, help="Conversation mode: neighbours, speakers, ….")
@only_option
@_ranking_options
def _locomo(
    path: Path, unit: Unit, conversation: bool, only: Sequence[str], **options: Any
) -> None:
    """Questions about long conversations. PATH is locomo10.json."""
    dataset = load_locomo(path, unit=unit).only(only)
    _rank(dataset, _Options(**options), conversation=conversation)


@eval_command.command("reading")
@click.argument("path", type=_PATH)
@_ranking_options
def _reading(path: Path, **options: Any) -> None:
    """Questions to paragraphs. PATH is a file in SQuAD's format."""
    _rank(load_reading(path), _Options(**options))


@eval_command.command("cranfield")
@click.argument("folder", type=_PATH)
@_ranking_options
def _cranfield(folder: Path, **options: Any) -> None:
    """Questions to abstracts. FOLDER holds cran.all.1400, cran.qry and cranqrel."""
    _rank(load_cranfield(folder), _Options(**options))


@eval_command.command("relevance")
@click.argument("path", type=_PATH, required=False)
@click.option(
    "--unit",
    type=click.Choice(get_args(Unit)),
    help="PATH is LoCoMo: ask each conversation its own questions and those of the next.",
)
@click.option("--strictness", type=click.FloatRange(min=0), default=1.0, show_default=True)
@fusion_option
@embedder_option
@json_option
def _relevance(
    path: Path | None,
    unit: Unit | None,
    strictness: float,
    fusion: str,
    embedder: str,
    json_out: str | None,
) -> None:
    """What the cut keeps and rejects.

    PATH holds stores of short facts with lines to ask, or with --unit LoCoMo. Without PATH the
    Chinese set that comes with this package is measured.
    """
    name, stores = _probes(path, unit)
    result = evaluate_gate(
        stores,
        dataset=name,
        unit=unit or "facts",
        embedder=embedder_named(embedder),
        fusion=fusion,
        strictness=strictness,
        progress=True,
    )
    if for_people(json_out):
        click.echo(_gate_table(result))
    if json_out:
        write_json(result.to_json(), json_out)


def _probes(path: Path | None, unit: Unit | None) -> tuple[str, Sequence[ProbeStore]]:
    if path is None:
        return "relevance_zh", load_relevance(CHINESE_SET)
    if unit is None:
        return path.stem, load_relevance(path)
    return "locomo", from_conversations(load_locomo(path, unit=unit).collections)


def _rank(dataset: Dataset, options: _Options, *, conversation: bool = False) -> None:
    chosen = dataset.first_questions(options.limit_questions)
    result = _run(chosen, options.fusion, options, conversation=conversation)
    alone = (
        {name: _run(chosen, name, options) for name in _SINGLE_SIGNALS} if options.compare else {}
    )
    if for_people(options.json_out):
        click.echo(_table(result, alone))
    if options.json_out:
        compared = {"compare": {name: other.to_json() for name, other in alone.items()}}
        write_json(result.to_json() | (compared if alone else {}), options.json_out)


def _run(
    dataset: Dataset, fusion: str, options: _Options, *, conversation: bool = False
) -> Evaluation:
    return evaluate(
        dataset,
        embedder=embedder_named(options.embedder),
        fusion=fusion,
        conversation=conversation,
        progress=True,
    )


def _table(result: Evaluation, alone: Mapping[str, Evaluation]) -> str:
    mode = ", conversation mode" if result.conversation else ""
    head = (
        f"{result.dataset}, {result.unit}: {result.questions} questions, "
        f"embedder {result.embedder}{mode}, {result.seconds:.1f} s"
    )
    rows = [["", *_SHOWN], [result.fusion, *(f"{result.scores[m]:.4f}" for m in _SHOWN)]]
    rows += [
        [f"  {name} ({scores['questions']:.0f})", *(f"{scores[m]:.4f}" for m in _SHOWN)]
        for name, scores in result.per_category.items()
        if len(result.per_category) > 1
    ]
    for name, other in alone.items():
        gains = (result.scores[m] - other.scores[m] for m in _SHOWN)
        rows.append([name, *(f"{other.scores[m]:.4f}" for m in _SHOWN)])
        rows.append([f"  gain over {name}", *(f"{gain:+.4f}" for gain in gains)])
    return "\n".join([head, *aligned(rows)])


def _gate_table(result: GateEvaluation) -> str:
    head = (
        f"{result.dataset}, {result.unit}: {result.facts} facts in {result.stores} stores, "
        f"embedder {result.embedder}, strictness {result.strictness:g}, {result.seconds:.1f} s"
    )
    rows = [["", "percent", "of"]]
    for rate in result.rates:
        rows.append([rate.name, f"{rate.percent:.1f}", f"{rate.right}/{rate.asked}"])
        if rate.group == "relevant":
            share = 100 * rate.answered / rate.asked
            rows.append(["  with its answer", f"{share:.1f}", f"{rate.answered}/{rate.asked}"])
    return "\n".join([head, *aligned(rows)])
