"""Which releases of Agno this integration works with: agno 3.1 or newer, below 4."""

from __future__ import annotations

from memori_core.frameworks import require_framework

FRAMEWORK_VERSION = require_framework(
    "memori_agno",
    module="agno",
    package="agno",
    floor=(3, 1),  # as in the extra, pyproject.toml
    extra="agno",
)
"""The release that is installed. Differences between releases are settled in this file."""
