"""Which releases of LlamaIndex this integration works with: llama-index-core 0.14, from 0.14.23."""

from __future__ import annotations

from memori_core.frameworks import require_framework

FRAMEWORK_VERSION = require_framework(
    "memori_llamaindex",
    module="llama_index",
    package="llama-index-core",
    floor=(0, 14, 23),  # as in the extra, pyproject.toml
    extra="llama-index",
)
"""The release that is installed. Differences between releases are settled in this file."""
