"""How optional packages are brought in."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from memori_core.errors import MissingExtraError


def is_installed(module: str) -> bool:
    """Whether a module could be imported, without importing it."""
    return find_spec(module) is not None


def load_extra(module: str, *, feature: str, package: str, extra: str) -> ModuleType:
    """Import an optional module.

    Raises:
        MissingExtraError: It is not installed; the message is the pip line that fixes it.
    """
    try:
        return import_module(module)
    except ImportError as e:
        raise MissingExtraError(feature, package=package, extra=extra) from e


def require_extra(module: str, *, feature: str, package: str, extra: str) -> None:
    """Stop early where an optional module is missing, without paying for its import.

    Raises:
        MissingExtraError: It is not installed; the message is the pip line that fixes it.
    """
    if not is_installed(module):
        raise MissingExtraError(feature, package=package, extra=extra)
