"""Figures of recalls, of what holds when, and of the knowledge graph. Needs matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from memori_core._display.texts import COLOURS, shorten
from memori_core.models import KINDS, Fact

if TYPE_CHECKING:
    from networkx import MultiDiGraph

    from memori_core.results import Recall

_GREY = "#888888"

# Any, here and below: axes of matplotlib, whose stubs do not say what their methods take.


class Canvas(Figure):
    """A figure that a notebook shows also where nothing was set up for matplotlib."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        self.savefig(picture, format="png", dpi=110)  # pyright: ignore[reportUnknownMemberType] (stubs)
        return picture.getvalue()


def _axes(ax: Any, *, width: float, height: float) -> Any:
    if ax is not None:
        return ax
    return Canvas(figsize=(width, height), layout="constrained").subplots()


def _legend(ax: Any) -> None:
    """Beside the axes, where it hides nothing."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize="small", frameon=False)


def plot_recall(recall: Recall, ax: Any = None) -> Figure:
    """See `Recall.plot`."""
    ax = _axes(ax, width=10, height=1.4 + 0.5 * max(len(recall), 1))
    labels = [shorten(found.content, 50) for found in recall]
    places = list(range(len(recall)))
    left = [0.0] * len(recall)
    names = list(dict.fromkeys(name for found in recall for name in found.parts))
    for name, colour in zip(names, COLOURS * 3, strict=False):
        widths = [max(0.0, found.parts.get(name, 0.0)) for found in recall]
        ax.barh(places, widths, left=left, label=name, color=colour)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    ax.plot([found.relevance for found in recall], places, "D", color=_GREY, label="relevance")
    ax.axvline(recall.cut, color=_GREY, linestyle="--", linewidth=1, label="cut")
    ax.set_yticks(places, labels)
    ax.invert_yaxis()
    ax.set_xlabel("score")
    ax.set_title(shorten(recall.query, 70))
    _legend(ax)
    return ax.figure


def plot_timeline(facts: Sequence[Fact], *, now: datetime, ax: Any = None) -> Figure:
    """A line for each fact, from when it was said until it stopped being true, or now."""
    ax = _axes(ax, width=10, height=1.0 + 0.32 * max(len(facts), 1))
    colour_of = dict(zip(KINDS, COLOURS, strict=False))
    shown: set[str] = set()
    for place, fact in enumerate(facts):
        ended = fact.ended_by(now)
        until = max(fact.valid_until or now, fact.said_at)
        colour = _GREY if ended else colour_of[fact.kind]
        label = "no longer true" if ended else fact.kind
        ax.hlines(
            place, fact.said_at, until, color=colour, linewidth=2, linestyle=":" if ended else "-"
        )
        ax.plot([fact.said_at], [place], "o", color=colour, label=None if label in shown else label)
        if ended:
            ax.plot([until], [place], "|", color=colour, markersize=9)
        shown.add(label)
    ax.set_yticks(range(len(facts)), [shorten(fact.content, 60) for fact in facts])
    ax.invert_yaxis()
    ax.tick_params(axis="x", labelrotation=30)
    if facts:
        _legend(ax)
    return ax.figure


def plot_graph(graph: MultiDiGraph[str], ax: Any = None) -> Figure:
    """Names as points, statements as arrows with their predicates; dotted ones no longer hold."""
    nx: Any = import_module("networkx")  # Any: its stubs leave most types open

    ax = _axes(ax, width=8, height=6)
    places = nx.spring_layout(graph, seed=7, k=1.2)
    kinds: list[Any] = [kind for _, kind in graph.nodes(data="type")]  # Any: see `nx`
    colour_of = dict(zip(sorted(set(kinds) - {""}), COLOURS * 3, strict=False))
    colours = [colour_of.get(kind, _GREY) for kind in kinds]
    nx.draw_networkx_nodes(graph, places, ax=ax, node_color=colours, node_size=260)
    for name in graph:
        ax.annotate(
            shorten(name, 28), places[name], (0, 10), textcoords="offset points", ha="center"
        )
    for holds, style in ((True, "-"), (False, ":")):
        said: dict[tuple[str, str], list[str]] = {}
        for subject, object, data in graph.edges(data=True):
            if (data["valid_until"] is None) == holds:
                said.setdefault((subject, object), []).append(data["predicate"])
        nx.draw_networkx_edges(
            graph, places, ax=ax, edgelist=list(said), edge_color=_GREY, style=style
        )
        nx.draw_networkx_edge_labels(
            nx.DiGraph(list(said)),
            places,
            {pair: "\n".join(dict.fromkeys(predicates)) for pair, predicates in said.items()},
            ax=ax,
            font_size=7,
            rotate=False,
        )
    ax.set_axis_off()
    ax.margins(0.15)
    return ax.figure
