"""Reading the files of data sets, with errors that say what was expected."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memori_core.errors import ConfigError


def read_text(path: str | Path, *, expected: str) -> str:
    """The text of a file.

    Raises:
        ConfigError: It cannot be read, or is no UTF-8.
    """
    try:
        return Path(path).expanduser().read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise ConfigError(f"{path} cannot be read ({e}). Expected {expected}.") from e


def read_json(path: str | Path, *, expected: str) -> Any:
    """The content of a JSON file.

    Raises:
        ConfigError: It cannot be read, or is no JSON.
    """
    text = read_text(path, expected=expected)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as e:
        raise ConfigError(f"{path} is no JSON ({e}). Expected {expected}.") from e


def text_of(value: object) -> str:
    """A text of a data set, if it can be stored and asked.

    Raises:
        TypeError: It is no text.
        ValueError: It is blank, or holds half a character.
    """
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.60} is no text")
    if not value.strip():
        raise ValueError(f"{value!r:.60} is a blank text")
    value.encode()  # a lone surrogate, which JSON can spell, raises UnicodeEncodeError
    return value


@contextmanager
def shape(path: str | Path, *, expected: str) -> Generator[None]:
    """In this block, data of another shape than the code takes it for becomes a `ConfigError`."""
    try:
        yield
    except ConfigError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as e:
        raise ConfigError(
            f"{path} is of another format ({type(e).__name__}: {e}). Expected {expected}."
        ) from e
