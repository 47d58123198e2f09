"""Which releases of Pydantic AI this integration works with: pydantic-ai-slim 2, from 2.58."""

from __future__ import annotations

import re

from memori_core.frameworks import require_framework
from memori_core.hooks import TAG

FRAMEWORK_VERSION = require_framework(
    "memori_pydantic_ai",
    module="pydantic_ai",
    package="pydantic-ai-slim",
    # As in the extra, pyproject.toml. Before, what a hook puts into a request stays in the history:
    # recalled facts would, too.
    floor=(2, 58),
    extra="pydantic-ai",
)
"""The release that is installed. Differences between releases are settled in this file."""

# With a space in it the core takes a tag for a comparison.
_SPACED_TAG = re.compile(
    r"<(?=\s+/?\s*(?:system|pyai|assistant_thinking|tool_result)\b|\s*/\s+\w)", re.IGNORECASE
)


def framed(body: str) -> str:
    """Data in our tag. Nothing in it can end the frame, or open one of the framework's."""
    return _framed(_SPACED_TAG.sub("‹", body))


try:  # since 2.63
    from pydantic_ai.framing import register_tag, wrap

    _TAG = register_tag(TAG)

    def _framed(body: str) -> str:
        return wrap(_TAG, body)

except ImportError:  # the core has taken our own tag out, and made ‹ › of other tags

    def _framed(body: str) -> str:
        return f"<{TAG}>{body}</{TAG}>"
