"""Saying that a call has its memory already, so that nothing is done twice."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_handled: ContextVar[bool] = ContextVar("memori_handled", default=False)


@contextmanager
def handled() -> Generator[None]:
    """Within this block, registered clients leave every call alone.

    For framework hooks that recall and capture themselves, and for your own calls that are not
    part of a conversation (a classifier, an extractor):

    ```python
    from memori_core.interception import handled

    with handled():
        pass  # client.chat.completions.create(...): no memory in, nothing captured
    ```

    It holds in this task or thread, and in tasks that are started inside the block.
    """
    token = _handled.set(True)
    try:
        yield
    finally:
        _handled.reset(token)


def is_handled() -> bool:
    """Whether memory is somebody else's work here."""
    return _handled.get()
