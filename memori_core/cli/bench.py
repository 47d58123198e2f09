"""`memori bench`: how long recall, capture and calls of a model take."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from memori_core.cli._output import for_people, json_option, write_json
from memori_core.cli._tables import aligned
from memori_core.embedding import DEFAULT_EMBEDDER
from memori_core.evaluation.bench import BenchRow, bench_recall
from memori_core.evaluation.capture_bench import bench_capture
from memori_core.evaluation.llm_bench import bench_llm
from memori_core.evaluation.peer import serve
from memori_core.evaluation.versions import versions
from memori_core.retrieval.fusion import POLICIES

_TIMES = (
    "p50_ms",
    "p95_ms",
    "cpu_p50_ms",
    "rss_mb",
    "cold_ms",
    "remember_many_ms",
    "remember_ms",
    "numpy_dense_p50_ms",
    "bm25s_p50_ms",
    "probe_ms",
)

# The pause would show if the events of a stream were held back until the last has come.
_SERVE = """
import sys
from memori_core.testing import ProviderServer, Reply
with ProviderServer(Reply("Hello", pause_s=0.005)) as server:
    print(server.openai_url, flush=True)
    sys.stdin.read()
"""


class _Sizes(click.ParamType):  # pyright: ignore[reportMissingTypeArgument] (generic only in newer click)
    """Numbers between commas."""

    name = "N,N,…"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[int]:
        try:
            sizes = [int(part) for part in str(value).split(",")]
        except ValueError:
            sizes = []
        if not sizes or min(sizes) < 1:
            self.fail(
                f"{value!r} is no list of numbers from 1 upwards, like 1000,10000.", param, ctx
            )
        return sizes


@click.group("bench")
def bench_command() -> None:
    """Measure how long recall, capture and calls of a model take."""


@bench_command.command("recall")
@click.option("--sizes", type=_Sizes(), default="1000,10000", show_default=True, help="Facts.")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="locomo10.json, for real texts and vectors; without it they are made up.",
)
@json_option
def _recall(sizes: Sequence[int], data: Path | None, json_out: str | None) -> None:
    """Warm recall of 5 with the vector given, hybrid, from a SQLite file.

    Every size is measured in processes of its own, beside numpy and bm25s alone.
    """
    rows = bench_recall(sizes, data=data, progress=True)
    if for_people(json_out):
        click.echo(_table(rows))
    if json_out:
        machine = {"machine": platform.machine(), "system": platform.platform()}
        result = {"rows": [row.to_json() for row in rows], **machine, "versions": versions()}
        write_json(result, json_out)


@bench_command.command("capture")
@click.option("--turns", type=click.IntRange(10), default=300, show_default=True)
@json_option
def _capture(turns: int, json_out: str | None) -> None:
    """What a caller waits for a turn to be stored, beside one fsync in the same run."""
    times = bench_capture(turns).to_json()
    if for_people(json_out):
        click.echo("\n".join(aligned([[name, f"{value:.3f}"] for name, value in times.items()])))
    if json_out:
        write_json({**times, "versions": versions()}, json_out)


@bench_command.command("llm")
@click.option("--calls", type=click.IntRange(10), default=300, show_default=True)
@click.option("--facts", type=click.IntRange(1), default=1_000, show_default=True)
@click.option(
    "--extractor",
    type=click.Choice(["none", "rules"]),
    default="none",
    show_default=True,
    help="Whether facts are made of the turns between the calls.",
)
@json_option
def _llm(calls: int, facts: int, extractor: str, json_out: str | None) -> None:
    """What memory adds to a call of a model on this machine, plain and streamed.

    A registered client beside one that is not, call by call in one run; recall included.
    """
    rules = "rules" if extractor == "rules" else None
    with _provider() as base_url:
        found = bench_llm(base_url, calls=calls, facts=facts, extractor=rules)
    times = {**found.to_json(), "extractor": extractor}
    if for_people(json_out):
        cells = [[n, f"{v:.3f}" if isinstance(v, float) else str(v)] for n, v in times.items()]
        click.echo("\n".join(aligned(cells)))
    if json_out:
        write_json({**times, "versions": versions()}, json_out)


@contextmanager
def _provider() -> Generator[str]:
    """A provider in a process of its own, so that it shares no interpreter with the client."""
    with subprocess.Popen(  # noqa: S603 (our own lines, no input)
        [sys.executable, "-c", _SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()  # which ends it


@bench_command.command("peer")
@click.option("--fusion", type=click.Choice(list(POLICIES)), default="coverage", show_default=True)
@click.option(
    "--embedder",
    default=DEFAULT_EMBEDDER,
    show_default=True,
    help="The model that made the vectors which will be given.",
)
def _peer(fusion: str, embedder: str) -> None:
    """Serve the peer benchmark: JSON lines on standard input and output."""
    for line in serve(sys.stdin, fusion=fusion, embedder=embedder):
        click.echo(line)


def _table(rows: Sequence[BenchRow]) -> str:
    shown = [row.to_json() for row in rows]
    cells = [[f"{row['n']:,.0f}", *(f"{row[name]:.3f}" for name in _TIMES)] for row in shown]
    return "\n".join(aligned([["n", *_TIMES], *cells]))
