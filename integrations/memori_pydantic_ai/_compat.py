"""Which releases of Pydantic AI this integration works with: pydantic-ai-slim 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from memori_core.frameworks import require_framework
from memori_core.hooks import TAG

FRAMEWORK_VERSION = require_framework(
    "memori_pydantic_ai",
    module="pydantic_ai",
    package="pydantic-ai-slim",
    floor=(2,),  # as in the extra, pyproject.toml
    extra="pydantic-ai",
)
"""The release that is installed. Differences between releases are settled in this file."""

F = TypeVar("F", bound=Callable[..., Any])

try:  # since 2.63
    from pydantic_ai.framing import register_tag, wrap

    _TAG = register_tag(TAG)

    def framed(body: str) -> str:
        """Data in our tag. Nothing in it can end the frame, or open one of the framework's."""
        return wrap(_TAG, body)

except ImportError:  # the core has taken our own tag out, and made ‹ › of other tags

    def framed(body: str) -> str:
        """Data in our tag."""
        return f"<{TAG}>{body}</{TAG}>"


try:  # since 2.45
    from pydantic_ai.capabilities import durable_operation as durable_operation
except ImportError:

    def durable_operation(name: str) -> Callable[[F], F]:  # noqa: ARG001 (it names a journal entry)
        """Before durable operations, the method itself."""
        return lambda method: method
