"""Which releases of Pydantic AI this integration works with: pydantic-ai-slim 2, from 2.58."""

from __future__ import annotations

import re

from memori_core.errors import MissingExtraError
from memori_core.frameworks import release, require_framework
from memori_core.hooks import TAG

FRAMEWORK_VERSION = require_framework(
    "memori_pydantic_ai",
    module="pydantic_ai",
    package="pydantic-ai-slim",
    floor=(2,),  # as in the extra, pyproject.toml
    extra="pydantic-ai",
)
"""The release that is installed. Differences between releases are settled in this file."""

if release(FRAMEWORK_VERSION) < (2, 58):  # to become the floor above, with that of the extra
    # Before, what a hook puts into a request stays in the history: recalled facts would, too.
    raise MissingExtraError(
        "memori_pydantic_ai",
        package=f"pydantic-ai-slim>=2.58, not {FRAMEWORK_VERSION}",
        extra="pydantic-ai",
    )

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
