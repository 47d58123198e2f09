"""Memory for any model client: see `Memori.llm` and docs/pages/providers.md."""

from __future__ import annotations

from memori_core.interception.handling import handled
from memori_core.interception.llm import Llm

__all__ = ["Llm", "handled"]
