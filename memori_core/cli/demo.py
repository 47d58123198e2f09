"""`memori demo`: the main job, shown on a made-up or a real conversation."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from memori_core._http_endpoint import API_KEY_VARIABLE
from memori_core.cli._demo_model import OPENAI_URL, Ask, chat_model
from memori_core.cli._options import embedder_named
from memori_core.config import env
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
@click.option(
    "--base-url",
    metavar="URL",
    help="Also ask a real model of this OpenAI-compatible server; OPENAI_API_KEY is its key.",
)
@click.option("--model", metavar="NAME", help="With --base-url: which model.")
def demo_command(
    data: Path | None,
    sample: str | None,
    questions: int,
    embedder: str,
    base_url: str | None,
    model: str | None,
) -> None:
    """Show the main job, offline, in a temporary folder that is removed at the end.

    Offline, unless a real model is to answer at the end: with --base-url and --model, or
    with --model alone and OPENAI_API_KEY set.
    """
    name = embedder_named(embedder)
    ask = _model(base_url, model)
    with tempfile.TemporaryDirectory(prefix="memori-demo-") as folder:
        path = Path(folder) / "memories.db"
        if data is None:
            from memori_core.cli._demo_story import tell

            tell(path, embedder=name, ask=ask)
        else:
            from memori_core.cli._demo_conversation import converse

            converse(path, data, sample=sample, questions=questions, embedder=name)


def _model(base_url: str | None, model: str | None) -> Ask | None:
    if base_url is None and model is None:
        return None
    if model is None:
        raise click.UsageError("--base-url needs --model NAME: which model of the server.")
    if base_url is None and env(API_KEY_VARIABLE) is None:
        raise click.UsageError(f"--model needs --base-url URL, or {API_KEY_VARIABLE} for OpenAI.")
    return chat_model(base_url or OPENAI_URL, model)
