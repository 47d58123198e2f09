"""`memori demo`: the main job, shown on a made-up or a real conversation."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from memori_core.cli._options import embedder_named
from memori_core.embedding import DEFAULT_EMBEDDER


@click.command("demo")
@click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="LoCoMo's locomo10.json: use a real conversation.",
)
@click.option("--sample", metavar="ID", help="With --data: which conversation; the first if none.")
@click.option(
    "--questions",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    help="With --data: how many of its questions are asked.",
)
@click.option("--embedder", metavar="NAME", default=DEFAULT_EMBEDDER, show_default=True)
def demo_command(data: Path | None, sample: str | None, questions: int, embedder: str) -> None:
    """Show the main job, offline, in a temporary folder that is removed at the end."""
    name = embedder_named(embedder)
    with tempfile.TemporaryDirectory(prefix="memori-demo-") as folder:
        path = Path(folder) / "memories.db"
        if data is None:
            from memori_core.cli._demo_story import tell

            tell(path, embedder=name)
        else:
            from memori_core.cli._demo_conversation import converse

            converse(path, data, sample=sample, questions=questions, embedder=name)
