"""memori-core for LangChain. **Its classes are not built yet in this release.**

Importing it checks that a release of LangChain is installed that it will work with
(langchain-core 1.8 or newer, below 2), and says which pip line brings one if not.
What will be here:
`MemoriMiddleware`, `MemoriRetriever`, `MemoriCallbackHandler`, `MemoriStore` and tools.

Until then, call `memori_core` from your own code: `recall(...).context` goes into the prompt.
"""

from __future__ import annotations

from memori_core import __version__
from memori_langchain._compat import FRAMEWORK_VERSION

__all__ = ["FRAMEWORK_VERSION", "__version__"]
