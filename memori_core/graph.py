"""The knowledge graph of a memory for networkx, to look at it and to walk it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memori_core._extras import load_extra
from memori_core.conversation import StoredTriple
from memori_core.models import unique_key

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from networkx import MultiDiGraph


def to_networkx(triples: Iterable[StoredTriple]) -> MultiDiGraph[str]:
    """Statements as a directed graph: an edge from each subject to its object.

    Nodes are the names, with their `type`. Edges are keyed by predicate and fact, and carry
    `predicate`, `fact_id`, `times` (how often it was said) and `valid_until` (None while it holds).

    ```python
    from memori_core import Memori
    from memori_core.graph import to_networkx

    with Memori(":memory:", embedder=None) as memori:
        alice = memori.scoped("alice")
        alice.capture("I'm allergic to peanuts. I live in Porto.")
        memori.flush()
        graph = to_networkx(alice.triples())
    print(sorted(graph.successors("User")))
    #> ['Porto', 'peanuts']
    ```

    Args:
        triples: What `triples()` gives. Names that differ only in case, composition (NFC), letter
            width or white space are one node, which is called as the first of them.

    Raises:
        MissingExtraError: networkx is not installed.
    """
    networkx = load_extra("networkx", feature="to_networkx", package="networkx", extra="graph")
    graph: MultiDiGraph[str] = networkx.MultiDiGraph()
    names: dict[bytes, str] = {}

    def node(name: str, kind: str) -> str:
        known = names.setdefault(unique_key(name), name)
        if known not in graph or not graph.nodes[known]["type"]:
            graph.add_node(known, type=kind)
        return known

    for kept in triples:
        triple = kept.triple
        graph.add_edge(
            node(triple.subject, triple.subject_type),
            node(triple.object, triple.object_type),
            key=f"{triple.predicate} {kept.fact_id}",
            predicate=triple.predicate,
            fact_id=kept.fact_id,
            times=kept.times,
            valid_until=kept.valid_until,
        )
    return graph


def plot(triples: Iterable[StoredTriple], ax: Any = None) -> Figure:
    """Statements as a drawing: names as points, statements as arrows; dotted ones no longer hold.

    Args:
        triples: What `triples()` gives; with `include_ended=True` also what held once.
        ax: matplotlib axes to draw on; None makes a new figure.

    Raises:
        MissingExtraError: networkx or matplotlib is not installed.
    """
    graph = to_networkx(triples)
    load_extra("matplotlib", feature="graph.plot", package="matplotlib", extra="notebooks")
    from memori_core._display.figures import plot_graph

    return plot_graph(graph, ax)
