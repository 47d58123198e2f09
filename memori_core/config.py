"""The only file that reads the environment. Nothing is read at import.

Order, everywhere: argument, then environment, then default.
"""

from __future__ import annotations

import math
import os
from typing import overload

from memori_core.errors import ConfigError


@overload
def env(name: str) -> str | None: ...
@overload
def env(name: str, default: str) -> str: ...
def env(name: str, default: str | None = None) -> str | None:
    """The value of an environment variable. Unset and blank are the same: the default."""
    value = os.environ.get(name, "").strip()
    return value or default


def env_number(name: str, default: float) -> float:
    """The number in an environment variable; the default where it is unset or blank.

    Raises:
        ConfigError: The value is not a number.
    """
    value = env(name)
    if value is None:
        return default
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ConfigError(f"`{name}` must be a number, got {value!r}. Correct it or unset it.")
    return number
