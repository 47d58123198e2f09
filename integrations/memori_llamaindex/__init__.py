"""memori-core for LlamaIndex. **Its classes are not built yet in this release.**

Importing it checks that a release of LlamaIndex is installed that it will work with
(llama-index-core 0.14), and says which pip line brings one if not. What will be here:
`MemoriMemory`, `MemoriMemoryBlock`, `MemoriRetriever` and `MemoriToolSpec`.

Until then, call `memori_core` from your own code: `recall(...).context` goes into the prompt.
"""

from __future__ import annotations

from memori_core import __version__
from memori_llamaindex._compat import FRAMEWORK_VERSION

__all__ = ["FRAMEWORK_VERSION", "__version__"]
