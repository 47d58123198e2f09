"""Saying that a call has its memory already, so that nothing is done twice."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

_handled: ContextVar[bool] = ContextVar("memori_handled", default=False)
_runs: ContextVar[tuple[Callable[[], bool], ...]] = ContextVar("memori_runs", default=())


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


def handle_while(goes_on: Callable[[], bool]) -> None:
    """From here on, leave each call of this task or thread alone while a function says so.

    For hooks that see a run begin, but not always how it ends; where there is a block, `handled`
    is plainer.

    Args:
        goes_on: Whether the run is still going on. Quick, and never raises.
    """
    _runs.set((*(run for run in _runs.get() if run()), goes_on))


def is_handled() -> bool:
    """Whether memory is somebody else's work here."""
    return _handled.get() or any(goes_on() for goes_on in _runs.get())
