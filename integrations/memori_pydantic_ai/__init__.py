"""memori-core for Pydantic AI: memory as a capability of an agent, or as one of its dependencies.

`MemoriCapability` gives every run of an agent memory without a change to its code.
`memory_toolset` and `memory_instructions` take a `ScopedMemory` from the agent's deps, for those
who want to see every step. `AgentExtractor` and `from_embedder` let Pydantic AI's own models find
the facts and embed them.

Importing it checks that a release of Pydantic AI is installed that it works with
(pydantic-ai-slim 2, from 2.58), and says which pip line brings one if not.
"""

from __future__ import annotations

from memori_core import __version__
from memori_pydantic_ai._compat import FRAMEWORK_VERSION
from memori_pydantic_ai._identity import Resolver
from memori_pydantic_ai.capability import MemoriCapability
from memori_pydantic_ai.embeddings import from_embedder
from memori_pydantic_ai.extractor import AgentExtractor
from memori_pydantic_ai.instructions import memory_instructions
from memori_pydantic_ai.tools import memory_toolset

__all__ = [
    "AgentExtractor",
    "FRAMEWORK_VERSION",
    "MemoriCapability",
    "Resolver",
    "__version__",
    "from_embedder",
    "memory_instructions",
    "memory_toolset",
]
