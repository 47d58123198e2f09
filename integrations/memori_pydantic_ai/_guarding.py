"""A memory that fails or hangs must not end the agent's turn."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from typing import TypeVar

from memori_core.hooks import OnError

logger = logging.getLogger(__name__)

T = TypeVar("T")

LIMIT_S = 15.0
"""How long a run waits for memory. The first recall may have to load the embedder."""


async def guarded(doing: Awaitable[T], otherwise: T, *, what: str, on_error: OnError) -> T:
    """What the awaitable gives, or something else if it fails or takes too long."""
    try:
        async with asyncio.timeout(LIMIT_S):
            return await doing
    except Exception as e:
        if on_error == "raise":
            raise
        logger.warning("memory failed (%s): %r; the agent goes on without", what, e, exc_info=e)
        return otherwise
