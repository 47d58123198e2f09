"""The one hop between async callers and the synchronous core."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def run_sync(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function in a worker thread that sees the caller's context variables.

    Cancelling the await does not stop the thread: what has started is finished.
    """
    return await asyncio.to_thread(function, *args, **kwargs)
