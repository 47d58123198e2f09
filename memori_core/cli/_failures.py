"""What the command line says, and which exit code it ends with, when something cannot be done."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager

import click

from memori_core.cli._text import printable
from memori_core.errors import (
    ConfigError,
    EmbeddingError,
    MemoriError,
    MissingExtraError,
    ScopeError,
    StoreError,
)

NOTHING_FOUND = 1
WRONG_USAGE = 2
STORE_FAILED = 3
EMBEDDER_FAILED = 4
INTERRUPTED = 130
"""What shells expect of a program that Ctrl-C ended."""

_CODES: tuple[tuple[type[MemoriError], int], ...] = (
    (StoreError, STORE_FAILED),
    (EmbeddingError, EMBEDDER_FAILED),
    (MissingExtraError, EMBEDDER_FAILED),
    (ConfigError, WRONG_USAGE),
    (ScopeError, WRONG_USAGE),
)


@contextmanager
def plain_failures() -> Generator[None]:
    """Ends the program with one line on stderr for our errors and those of the system."""
    try:
        yield
    except MemoriError as e:
        code = next((code for kind, code in _CODES if isinstance(e, kind)), NOTHING_FOUND)
        raise _told(e, code) from e
    except OSError as e:
        if e.errno == errno.EPIPE:
            raise  # `memori list | head`: click ends quietly
        raise _told(e, STORE_FAILED) from e
    except (UnicodeError, RecursionError, OverflowError) as e:
        # Data that nothing above has refused: other bytes than UTF-8, JSON of a thousand levels,
        # numbers of more than 64 bits.
        raise _told(e, WRONG_USAGE) from e
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None


def _told(error: Exception, exit_code: int) -> click.exceptions.Exit:
    click.echo(f"Error: {printable(str(error))}", err=True)
    return click.exceptions.Exit(exit_code)
