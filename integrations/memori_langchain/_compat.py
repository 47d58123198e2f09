"""Which releases of LangChain this integration works with: langchain-core 1.8 or newer, below 2."""

from __future__ import annotations

from typing import Final

from memori_core.frameworks import require_framework

FRAMEWORK_VERSION = require_framework(
    "memori_langchain",
    module="langchain_core",
    package="langchain-core",
    floor=(1, 8),  # as in the extra, pyproject.toml
    extra="langchain",
)
"""The release that is installed. Differences between releases are settled in this file."""

_FLOORS: Final[dict[str, tuple[str, tuple[int, ...]]]] = {
    "middleware": ("langchain", (1, 5)),
    "tools": ("langchain", (1, 5)),
    "store": ("langgraph", (1, 2, 12)),
}
"""What a module of this package needs beside langchain-core, as in the extra."""


def require_for(module: str, *, name: str) -> None:
    """Raise unless the package that a module needs is there and new enough.

    Raises:
        MissingExtraError: It is not; the message is the pip line that fixes it.
    """
    if module in _FLOORS:
        package, floor = _FLOORS[module]
        require_framework(name, module=package, package=package, floor=floor, extra="langchain")
