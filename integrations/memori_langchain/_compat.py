"""Which releases of LangChain this integration works with: langchain-core 1.8 or newer, below 2."""

from __future__ import annotations

from memori_core.frameworks import require_framework

FRAMEWORK_VERSION = require_framework(
    "memori_langchain",
    module="langchain_core",
    package="langchain-core",
    floor=(1, 8),  # as in the extra, pyproject.toml
    extra="langchain",
)
"""The release that is installed. Differences between releases are settled in this file."""
