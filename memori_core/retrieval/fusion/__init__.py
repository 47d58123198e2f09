"""How signals become one order: policies by name and as objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memori_core.errors import ConfigError
from memori_core.retrieval.fusion.base import Fusion, Pool, Search
from memori_core.retrieval.fusion.coverage import CoverageFusion, DenseFusion, LexicalFusion
from memori_core.retrieval.fusion.mem0 import Mem0Fusion
from memori_core.retrieval.fusion.memori import MemoriFusion

POLICIES: Mapping[str, Callable[[], Fusion]] = {
    policy.name: policy
    for policy in (CoverageFusion, MemoriFusion, Mem0Fusion, DenseFusion, LexicalFusion)
}
"""The policies that can be asked for by name."""


def make_fusion(spec: Fusion | str, *, has_embedder: bool = True) -> Fusion:
    """A policy by name, or the one given.

    ```python
    from memori_core.retrieval.fusion import make_fusion

    print(make_fusion("coverage").name)
    #> coverage
    ```

    Raises:
        ConfigError: There is no policy of this name, it is neither a policy nor a name, or it needs
            an embedder and there is none.
    """
    policy = _policy(spec)
    if policy.needs_vector and not has_embedder:
        raise ConfigError(
            f'fusion "{policy.name}" chooses its candidates by vectors, so it needs an embedder. '
            'Without one take "coverage" or "lexical".'
        )
    return policy


def _policy(spec: Fusion | str) -> Fusion:
    if isinstance(spec, Fusion):
        return spec
    names = ", ".join(f'"{name}"' for name in POLICIES)
    if not isinstance(spec, str):  # pyright: ignore[reportUnnecessaryIsInstance] (user input)
        raise ConfigError(
            f"`fusion` must be one of {names} or a Fusion object, "
            f"got {type(spec).__name__}: {spec!r}"
        )
    if spec not in POLICIES:
        raise ConfigError(f"`fusion` must be one of {names}, got {spec!r}.")
    return POLICIES[spec]()


__all__ = [
    "CoverageFusion",
    "DenseFusion",
    "Fusion",
    "LexicalFusion",
    "Mem0Fusion",
    "MemoriFusion",
    "Pool",
    "Search",
    "make_fusion",
]
