"""How facts are searched for, checked when a hook is made rather than in every run."""

from __future__ import annotations

from typing import Any

from memori_core import Memori
from memori_core.hooks import Where


def recall_options(
    memori: Memori, *, k: int, strictness: float, where: Where | None
) -> dict[str, Any]:
    """The options of `Memori.recall`, by its own names.

    Raises:
        ConfigError: One of them cannot be right.
    """
    options: dict[str, Any] = {"limit": k, "strictness": strictness, "where": where}
    memori.scoped("nobody").recall("", **options)  # an empty question: checked, and not searched
    return options
