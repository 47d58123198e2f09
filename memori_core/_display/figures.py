"""Figures of recalls, of what holds when, and of the knowledge graph. Needs matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from memori_core._display.fonts import drawable, families
from memori_core._display.texts import COLOURS, shorten
from memori_core.models import KINDS, Fact

if TYPE_CHECKING:
    from networkx import MultiDiGraph

    from memori_core.results import Recall

_GREY = "#888888"
_INK = "#7e7e7e"
"""Of texts and axes: as far from white (4.1 to 1) as from the black of dark themes."""

_DARK = "#111111"
"""Of names on a colour: 4 to 1 and more on each of `COLOURS`."""
_LEGEND_ROWS = 3
"""So many bars are as high as the legend beside them."""
_NAME_SIZE = 9.0
_PALE = "#9a9a9a"
_CHIP = "#5f6b76"
"""Behind white predicates: 5.5 to 1."""
_WIDER = np.array([1.5, 1.0])
"""Names are wider than high, and so is the page."""
_LAST_NARROW = 0x2E7F
"""Beyond it, scripts are as wide as they are high."""

# Any, here and below: axes of matplotlib, whose stubs do not say what their methods take.


class Canvas(Figure):
    """A figure that a notebook shows also where nothing was set up for matplotlib."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        self.savefig(picture, format="png", dpi=110, bbox_inches="tight")  # pyright: ignore[reportUnknownMemberType] (stubs)
        return picture.getvalue()


def _axes(ax: Any, *, width: float, height: float) -> Any:
    """The axes given, or new ones, transparent and grey, to be read on white and on black."""
    if ax is not None:
        return ax
    ax = Canvas(figsize=(width, height), layout="constrained", facecolor="none").subplots()
    ax.set_facecolor("none")
    ax.tick_params(colors=_INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(_INK)
    for text in (ax.title, ax.xaxis.label, ax.yaxis.label):
        text.set_color(_INK)
    return ax


def _ink(ax: Any) -> Any:
    """The colour of texts on these axes, ours or the user's own."""
    return ax.xaxis.label.get_color()


def _legend(ax: Any) -> None:
    """Beside the axes, where it hides nothing."""
    ax.legend(
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        fontsize="small",
        frameon=False,
        labelcolor=_ink(ax),
    )


def _label_rows(ax: Any, texts: Sequence[str], *, width: int) -> None:
    labels = [
        shorten(drawable(text, instead=f"fact {place}"), width)
        for place, text in enumerate(texts, 1)
    ]
    ax.set_yticks(range(len(labels)), labels, family=families())
    ax.invert_yaxis()


def plot_recall(recall: Recall, ax: Any = None) -> Figure:
    """See `Recall.plot`."""
    from memori_core.results import REASONS

    missed = recall.best_rejected
    rows = list(recall) if missed is None else [missed]
    room = max(len(rows), _LEGEND_ROWS) if rows else 0
    ax = _axes(ax, width=10, height=1.2 + 0.4 * room)
    places = list(range(len(rows)))
    left = [0.0] * len(rows)
    names = list(dict.fromkeys(name for found in rows for name in found.parts))
    for name, colour in zip(names, COLOURS * 3, strict=False):
        widths = [max(0.0, found.parts.get(name, 0.0)) for found in rows]
        ax.barh(
            places,
            widths,
            left=left,
            label=name,
            color=colour,
            height=0.6,
            alpha=1 if missed is None else 0.6,
        )
        left = [start + width for start, width in zip(left, widths, strict=True)]
    if rows:
        ax.plot(
            [found.relevance for found in rows],
            places,
            "D",
            color=_ink(ax),
            markeredgecolor="white",
            label="relevance",
        )
        ax.axvline(recall.cut, color=_ink(ax), linestyle="--", linewidth=1, label="cut")
    _label_rows(ax, [found.content for found in rows], width=50)
    ax.set_ylim(max(room, 1) - 0.5, -0.5)  # bars of one thickness, however few
    ax.set_xlabel("score")
    title = shorten(drawable(recall.query, instead="the question"), 70)
    if not recall:
        closest = "" if missed is None else "; the closest is shown"
        title = f"{title}\n{REASONS[recall.reason]}{closest}"
    ax.set_title(title, family=families())
    if rows:
        _legend(ax)
    else:
        ax.set_axis_off()
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
    _label_rows(ax, [fact.content for fact in facts], width=60)
    ax.tick_params(axis="x", labelrotation=30)
    if facts:
        _legend(ax)
    return ax.figure


def plot_graph(graph: MultiDiGraph[str], ax: Any = None) -> Figure:
    """Names in boxes, statements as arrows with their predicates; dotted ones no longer hold."""
    nx: Any = import_module("networkx")  # Any: its stubs leave most types open

    ax = _axes(ax, width=9, height=6)
    ax.set_aspect("equal", adjustable="datalim")  # so that directions on paper are those in data
    laid: Mapping[str, Any] = nx.spring_layout(graph, seed=7, k=1.2, iterations=200)
    places = {name: place * _WIDER for name, place in laid.items()}
    colour_of = _colours_of_types(graph)
    sizes: dict[str, tuple[float, float]] = {}
    for number, (name, kind) in enumerate(graph.nodes(data="type"), 1):
        text = shorten(drawable(name, instead=f"name {number}"), 28)
        sizes[name] = _half_size(text)
        ax.text(
            *places[name],
            text,
            ha="center",
            va="center",
            fontsize=_NAME_SIZE,
            family=families(),
            color=_DARK,
            bbox={"boxstyle": "round", "facecolor": colour_of[kind], "edgecolor": "none"},
            zorder=4,
        )
    said: dict[tuple[str, str, bool], list[str]] = {}
    for subject, object, data in graph.edges(data=True):
        holds = data["valid_until"] is None
        said.setdefault((subject, object, holds), []).append(data["predicate"])
    for (subject, object, holds), predicates in said.items():
        if subject != object:
            _arrow(ax, places, sizes, subject, object, dotted=not holds)
        # Nearer to the object: the way back, if it is said too, has its own place.
        x, y = places[subject] + 0.6 * (places[object] - places[subject])
        below = 14 if subject == object else 0
        ax.annotate(
            "\n".join(drawable(text, instead="…") for text in dict.fromkeys(predicates)),
            (x, y),
            (0, -below),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=8,
            family=families(),
            color="white",
            bbox={"boxstyle": "round,pad=0.2", "facecolor": _CHIP, "edgecolor": "none"},
            zorder=3,
        )
    for kind, colour in colour_of.items():
        if kind:
            ax.plot([], [], "s", color=colour, label=kind)
    if any(colour_of):
        _legend(ax)
    ax.set_axis_off()
    ax.margins(0.15)
    if len(graph):
        ax.update_datalim(list(places.values()))
        ax.autoscale_view()
    return ax.figure


def _colours_of_types(graph: MultiDiGraph[str]) -> dict[str, str]:
    """A colour for each type of name; grey where it is not known."""
    kinds: Any = graph.nodes(data="type")  # Any: the stubs take the value for all attributes
    named = sorted({kind for _, kind in kinds if kind})
    return {"": _PALE, **dict(zip(named, COLOURS * 3, strict=False))}


def _half_size(text: str) -> tuple[float, float]:
    """Half the width and height of a name's box, in points; letters beyond Latin are wide."""
    em = sum(1.0 if ord(letter) > _LAST_NARROW else 0.58 for letter in text)
    return 0.5 * _NAME_SIZE * em + 5, 0.5 * _NAME_SIZE + 6


def _arrow(
    ax: Any,
    places: Mapping[str, Any],
    sizes: Mapping[str, tuple[float, float]],
    subject: str,
    object: str,
    *,
    dotted: bool,
) -> None:
    """An arrow from the edge of one box to the edge of the other."""
    x, y = np.abs(places[object] - places[subject])
    length = max(float(np.hypot(x, y)), 1e-9)

    def shrink(name: str) -> float:
        width, height = sizes[name]
        ways = [side * length / part for side, part in ((width, x), (height, y)) if part > 0]
        return float(min(ways, default=height))

    ax.add_patch(
        FancyArrowPatch(
            places[subject],
            places[object],
            arrowstyle="-|>",
            mutation_scale=10,
            shrinkA=shrink(subject),
            shrinkB=shrink(object),
            color=_GREY,
            linestyle=":" if dotted else "-",
        )
    )
