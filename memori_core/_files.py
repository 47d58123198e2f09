"""Text files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from memori_core.errors import ConfigError

_DATABASE_HEADER = b"SQLite format 3\0"  # https://www.sqlite.org/fileformat.html, section 1.3
_BESIDE_DATABASES = ("-wal", "-shm", "-journal")


@contextmanager
def whole_file(path: str | Path) -> Generator[IO[str]]:
    """A UTF-8 text file to write to, which takes its place when all of it is written.

    After an error the place is as it was. What is no regular file, such as a pipe, is written to
    directly.

    Raises:
        ConfigError: A SQLite database is there, or the file belongs to one.
        OSError: The file cannot be written.
    """
    target = Path(path).expanduser()
    _check_no_database(target)
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    target = target.resolve()  # a link goes on pointing where it did
    part = target.with_name(f".memori-{secrets.token_hex(4)}.part")
    try:
        file = part.open("x", encoding="utf-8", newline="\n")
    except OSError as e:
        raise OSError(e.errno, os.strerror(e.errno or 0), str(path)) from e
    try:
        with file:
            yield file
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _check_no_database(target: Path) -> None:
    endings = [end for end in _BESIDE_DATABASES if target.name.endswith(end)]
    databases = [target, *(target.with_name(target.name.removesuffix(end)) for end in endings)]
    for database in databases:
        if database.is_file():
            with database.open("rb") as file:
                if file.read(len(_DATABASE_HEADER)) == _DATABASE_HEADER:
                    raise ConfigError(
                        f"{target} belongs to a SQLite database, which the output would replace. "
                        "Name another file."
                    )
