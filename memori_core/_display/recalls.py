"""How a recall looks: as text, and as a table in a notebook or for pandas."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from memori_core._display.texts import COLOURS, shorten
from memori_core._extras import load_extra
from memori_core.rendering import one_line

if TYPE_CHECKING:
    from pandas import DataFrame

    from memori_core.results import Recall, RecalledFact


def explain(recall: Recall) -> str:
    """See `Recall.explain`."""
    from memori_core.results import REASONS

    searched = f"searched {recall.searched}, policy {recall.policy or 'none'}"
    lines = [
        f"{one_line(recall.query)!r}: {REASONS[recall.reason]} ({searched}, cut {recall.cut:.3f})"
    ]
    for place, found in enumerate(recall, 1):
        parts = " + ".join(f"{name} {value:.3f}" for name, value in found.parts.items())
        lines.append(f"{place}. {shorten(found.content)}")
        lines.append(
            f"   rank {found.rank_score:.3f} = {parts}; relevance {found.relevance:.3f}; "
            f"cosine {found.dense_score:.3f}, BM25 {found.lexical_score:.2f}"
        )
    if recall.best_rejected is not None and recall.gap is not None:
        lines.append(
            f"The closest fact lacked {recall.gap:.3f}: {shorten(recall.best_rejected.content)} "
            f"(relevance {recall.best_rejected.relevance:.3f}). A lower `strictness` lets it in."
        )
    lines += [f"Pinned: {shorten(fact.content)}" for fact in recall.pinned]
    if recall.without_vector:
        lines.append(
            f"{recall.without_vector} facts were searched by their words only: their vectors are "
            "missing or of another embedder. `memori reindex` makes them anew."
        )
    return "\n".join(lines)


def to_html(recall: Recall) -> str:
    """See `Recall._repr_html_`. Every text is escaped."""
    from memori_core.results import REASONS

    longest = max((found.rank_score for found in recall), default=0.0) or 1.0
    rows = "".join(_html_row(place, found, longest) for place, found in enumerate(recall, 1))
    pinned = "".join(f"<li>{escape(fact.content)}</li>" for fact in recall.pinned)
    note = ""
    if recall.best_rejected is not None and recall.gap is not None:
        note = (
            f"<p>Closest: <i>{escape(recall.best_rejected.content)}</i>, "
            f"{recall.gap:.3f} below the cut.</p>"
        )
    return (
        f"<div><b>{escape(recall.query)}</b>: {REASONS[recall.reason]} "
        f"(searched {recall.searched}, cut {recall.cut:.3f})"
        + (f"<div>Pinned:<ul style='margin:0'>{pinned}</ul></div>" if pinned else "")
        + (f"<table>{_HTML_HEAD}{rows}</table>{_legend(recall)}" if rows else "")
        + f"{note}</div>"
    )


_HTML_HEAD = (
    "<tr><th>#</th><th style='text-align:left'>fact</th><th>stated</th><th>rank</th>"
    "<th>relevance</th><th style='text-align:left'>parts</th></tr>"
)


def _legend(recall: Recall) -> str:
    """Which colour is which part."""
    names = dict.fromkeys(name for found in recall for name in found.parts)
    keys = "".join(
        f"<span style='display:inline-block;height:0.8em;width:0.8em;background:{colour}'></span>"
        f" {escape(name)} &nbsp; "
        for name, colour in zip(names, COLOURS * 3, strict=False)
    )
    return f"<div>{keys}</div>"


def _html_row(place: int, found: RecalledFact, longest: float) -> str:
    bars = "".join(
        f"<span title='{escape(name)} {value:.3f}' style='display:inline-block;height:0.8em;"
        f"width:{max(0.0, value) / longest * 160:.0f}px;background:{colour}'></span>"
        for (name, value), colour in zip(found.parts.items(), COLOURS * 3, strict=False)
    )
    return (
        f"<tr><td>{place}</td><td style='text-align:left'>{escape(found.content)}</td>"
        f"<td>{found.said_at:%Y-%m-%d}</td><td>{found.rank_score:.3f}</td>"
        f"<td>{found.relevance:.3f}</td><td style='text-align:left'>{bars}</td></tr>"
    )


def to_pandas(recall: Recall) -> DataFrame:
    """See `Recall.to_pandas`."""
    pandas = load_extra("pandas", feature="Recall.to_pandas()", package="pandas", extra="notebooks")
    return pandas.DataFrame(
        [
            {
                "id": found.id,
                "content": found.content,
                "said_at": found.said_at,
                "rank_score": found.rank_score,
                "relevance": found.relevance,
                "dense_score": found.dense_score,
                "lexical_score": found.lexical_score,
                "entity_score": found.entity_score,
                **{f"part_{name}": value for name, value in found.parts.items()},
            }
            for found in recall
        ],
        columns=None if len(recall) else ["id", "content", "said_at", "rank_score", "relevance"],
    )
