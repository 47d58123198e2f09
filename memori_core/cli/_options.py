"""The options that commands share: which store, whose memory, how it recalls."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click

from memori_core.cli._output import for_people, json_option, write_json
from memori_core.config import env
from memori_core.embedding import DEFAULT_EMBEDDER
from memori_core.errors import ScopeError, StoreError
from memori_core.memori import Memori, ScopedMemory
from memori_core.retrieval.fusion import POLICIES
from memori_core.stores.opening import DEFAULT_PATH

NO_EMBEDDER: Final = "none"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the common options of a command say. A command has those that it asked for."""

    db: str = DEFAULT_PATH
    entity: str | None = None
    embedder: str = NO_EMBEDDER
    fusion: str = "coverage"
    conversation: bool = False
    json_out: str | None = None

    @property
    def entity_id(self) -> str:
        """Whose memory is meant.

        Raises:
            ScopeError: Nobody's.
        """
        if self.entity is None:
            raise ScopeError("Whose memory? Name the user with --user ID, or set MEMORI_ENTITY_ID.")
        return self.entity

    @contextmanager
    def open_memori(self, *, create: bool = False) -> Generator[Memori]:
        """The memory that the options describe, open for a while.

        Args:
            create: Whether the file may be new.

        Raises:
            StoreError: The file is not there, or cannot be opened.
        """
        if not create and not Path(self.db).expanduser().exists() and "://" not in self.db:
            raise StoreError(
                f"{self.db} does not exist. `memori remember` makes it; --db names another file."
            )
        with Memori(
            self.db,
            embedder=embedder_named(self.embedder),
            fusion=self.fusion,
            boosts="conversation" if self.conversation else (),
        ) as memori:
            yield memori

    @contextmanager
    def open_scoped(
        self, *, create: bool = False, session_id: str | None = None
    ) -> Generator[ScopedMemory]:
        """The memory of the user who is named, open for a while; see `open_memori`."""
        entity_id = self.entity_id
        with self.open_memori(create=create) as memori:
            yield memori.scoped(entity_id, session_id=session_id)

    def report(self, data: object, lines: Sequence[str]) -> None:
        """Show a result: as JSON where that was asked for, and as text unless JSON takes stdout."""
        if self.json_out is not None:
            write_json(data, self.json_out)
        if for_people(self.json_out):
            for line in lines:
                click.echo(line)


def embedder_named(name: str) -> str | None:
    """What `make_embedder` takes for a value of `--embedder`."""
    return None if name == NO_EMBEDDER else name


Command = Callable[..., None]

_OPTIONS: dict[str, Callable[[Command], Command]] = {
    "db": click.option(
        "--db",
        metavar="PATH",
        default=lambda: env("MEMORI_DB", DEFAULT_PATH),
        show_default=f"{DEFAULT_PATH}, or MEMORI_DB",
        help="The SQLite file.",
    ),
    "entity": click.option(
        "--user",
        "--entity",
        "-u",
        "entity",
        metavar="ID",
        default=lambda: env("MEMORI_ENTITY_ID"),
        show_default="MEMORI_ENTITY_ID",
        help="Whose memory.",
    ),
    "embedder": click.option(
        "--embedder",
        metavar="NAME",
        default=lambda: env("MEMORI_EMBEDDER", DEFAULT_EMBEDDER),
        show_default=f"{DEFAULT_EMBEDDER}, or MEMORI_EMBEDDER",
        help="static, multilingual, a model's name or folder, http://host/v1#model, or none.",
    ),
    "fusion": click.option(
        "--fusion",
        type=click.Choice(list(POLICIES)),
        default="coverage",
        show_default=True,
        help="How the signals become one order.",
    ),
    "conversation": click.option(
        "--conversation",
        is_flag=True,
        help="The facts are turns: neighbours, sessions, speakers and dates count.",
    ),
    "json_out": json_option,
}


def common_options(*names: str) -> Callable[[Command], Command]:
    """Gives a command `--db`, `--json` and the options named, as its first argument `Settings`.

    Args:
        names: Of `entity`, `embedder`, `fusion`, `conversation`.
    """
    chosen = ("db", *names, "json_out")

    def decorate(function: Command) -> Command:
        @wraps(function)
        def command(**values: Any) -> None:  # Any: whatever types the options of a command have
            settings = Settings(**{name: values.pop(name) for name in chosen})
            function(settings, **values)

        decorated: Command = command
        for name in reversed(chosen):
            decorated = _OPTIONS[name](decorated)
        return decorated

    return decorate
