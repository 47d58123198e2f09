"""The options that the commands of `memori eval` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from memori_core.embedding import DEFAULT_EMBEDDER
from memori_core.retrieval.fusion import POLICIES

F = TypeVar("F", bound=Callable[..., Any])


def embedder_option(command: F) -> F:
    """Adds `--embedder` to a command; `_options.embedder_named` reads its value."""
    option = click.option(
        "--embedder",
        default=DEFAULT_EMBEDDER,
        show_default=True,
        help="static, multilingual, a model's name or folder, http://host/v1#model, or none.",
    )
    return option(command)


def fusion_option(command: F) -> F:
    """Adds `--fusion` to a command."""
    option = click.option(
        "--fusion",
        type=click.Choice(list(POLICIES)),
        default="coverage",
        show_default=True,
        help="How signals become one order.",
    )
    return option(command)


def only_option(command: F) -> F:
    """Adds `--only` to a command."""
    option = click.option(
        "--only", multiple=True, metavar="ID", help="Only this conversation; repeatable."
    )
    return option(command)


def limit_questions_option(command: F) -> F:
    """Adds `--limit-questions` to a command."""
    option = click.option(
        "--limit-questions",
        type=click.IntRange(min=1),
        metavar="N",
        help="At most N questions per store, for a quick trial.",
    )
    return option(command)
