"""Output for machines: the option `--json`, alike in every command."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

from memori_core._files import whole_file

F = TypeVar("F", bound=Callable[..., Any])

STDOUT = "-"


def json_option(command: F) -> F:
    """Adds `--json OUT` to a command, as its argument `json_out`."""
    option = click.option(
        "--json",
        "json_out",
        metavar="OUT",
        help="Write JSON to this file; `-` writes JSON, and nothing else, to standard output.",
    )
    return option(command)


def write_json(data: Any, out: str) -> None:
    """Write a value as indented JSON to a file, or to standard output for `-`.

    Raises:
        ConfigError: The file is a SQLite database.
        OSError: The file cannot be written.
    """
    text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    if out == STDOUT:
        # Bytes, so that a terminal's encoding does not stop texts in any language.
        click.echo(text.encode(), nl=False)
        return
    with whole_file(out) as file:
        file.write(text)


def for_people(json_out: str | None) -> bool:
    """Whether standard output is for people, that is, not taken by `--json -`."""
    return json_out != STDOUT
