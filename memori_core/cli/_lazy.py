"""Commands that are imported when they are asked for, so that `memori --help` is quick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click

from memori_core.cli._failures import plain_failures
from memori_core.cli._text import let_any_text_out


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """Where a command is, and the line that `--help` shows for it."""

    module: str
    """Its module in `memori_core.cli`."""
    attribute: str
    summary: str

    def load(self) -> click.Command:
        """The command itself."""
        command: click.Command = getattr(
            import_module(f"memori_core.cli.{self.module}"), self.attribute
        )
        return command


class LazyGroup(click.Group):
    """A group that knows its commands by name only, and shows errors as one line.

    Args:
        commands_by_name: The commands, in the order that `--help` shows them.
        kwargs: See `click.Group`.
    """

    def __init__(self, *, commands_by_name: Mapping[str, LazyCommand], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._lazy = commands_by_name

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = self._lazy.get(cmd_name)
        return None if found is None else found.load()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self._lazy.items()])

    def invoke(self, ctx: click.Context) -> Any:
        let_any_text_out()
        with plain_failures():
            return super().invoke(ctx)
