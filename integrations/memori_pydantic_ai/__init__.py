"""memori-core for Pydantic AI. **Its classes are not built yet in this release.**

Importing it checks that a release of Pydantic AI is installed that it will work with
(pydantic-ai-slim 2), and says which pip line brings one if not. What will be here:
`memory_toolset()` and `MemoriCapability`.

Until then, call `memori_core` from your own code: `recall(...).context` goes into the prompt.
"""

from __future__ import annotations

from memori_core import __version__
from memori_pydantic_ai._compat import FRAMEWORK_VERSION

__all__ = ["FRAMEWORK_VERSION", "__version__"]
