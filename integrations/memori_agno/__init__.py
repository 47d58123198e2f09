"""memori-core for Agno. **Its classes are not built yet in this release.**

Importing it checks that a release of Agno is installed that it will work with
(agno 3.1 or newer, below 4), and says which pip line brings one if not. What will be here:
`MemoriMemory`, `MemoriLearningStore`, `MemoriTools` and `MemoriKnowledgeRetriever`.

Until then, call `memori_core` from your own code: `recall(...).context` goes into the prompt.
"""

from __future__ import annotations

from memori_agno._compat import FRAMEWORK_VERSION
from memori_core import __version__

__all__ = ["FRAMEWORK_VERSION", "__version__"]
