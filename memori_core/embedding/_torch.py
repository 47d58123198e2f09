"""Keeping torch and transformers quiet: few threads, no bars. Imports neither by itself."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module

from tqdm import TqdmWarning

# Up to here one core is as quick as several, and many times as quick where the cores are busy:
# a query took 8-17 ms with one thread and 7-549 ms with two, on two shared cores.
_ONE_THREAD_CHARS = 2_000


@contextmanager
def few_threads(chars: int) -> Generator[None]:
    """Keeps torch to one thread for short texts. Threads that ran torch before are not touched.

    To be entered under the model's lock: a thread that runs torch for the first time takes over
    the number that holds at that moment, and must not meet ours.
    """
    import torch

    before = torch.get_num_threads()
    if chars > _ONE_THREAD_CHARS or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def settle_bars() -> None:
    """Keeps transformers and huggingface_hub from warning, in a notebook, about ipywidgets.

    `tqdm.auto`, which they import, warns once where they are missing. No bar of ours needs them.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)
        import_module("tqdm.auto")


@contextmanager
def without_bars() -> Generator[None]:
    """Keeps transformers from drawing a bar to stderr while weights are read."""
    from transformers.utils import logging as transformers_logging

    if not transformers_logging.is_progress_bar_enabled():
        yield
        return
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.enable_progress_bar()
