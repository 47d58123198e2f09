"""Which releases of Pydantic AI this integration works with: pydantic-ai-slim 2."""

from __future__ import annotations

from memori_core.frameworks import require_framework

FRAMEWORK_VERSION = require_framework(
    "memori_pydantic_ai",
    module="pydantic_ai",
    package="pydantic-ai-slim",
    floor=(2,),  # as in the extra, pyproject.toml
    extra="pydantic-ai",
)
"""The release that is installed. Differences between releases are settled in this file."""
