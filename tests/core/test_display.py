"""How a recall shows itself: text, table, plot, HTML."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memori_core import InMemoryStore, Memori, Recall, Scope


@pytest.fixture
def recall() -> Recall:
    memori = Memori(InMemoryStore(), embedder=None, scope=Scope("alice"))
    memori.remember("User likes tea <script>alert(1)</script>\x1b[31m", pinned=True)
    memori.remember("User likes green tea with milk")
    return memori.recall("tea <b>green</b>")


def test_explain_names_every_part_and_nothing_steers_the_terminal(recall: Recall) -> None:
    text = recall.explain()
    assert "facts were found" in text
    assert "coverage" in text
    assert "bm25" in text
    assert "Pinned: User likes tea" in text
    assert "\x1b" not in text


def test_html_is_escaped(recall: Recall) -> None:
    html = recall._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "tea &lt;b&gt;green&lt;/b&gt;" in html
    assert html.count("<tr>") == 1 + len(recall)
    assert "color:" not in html  # the page's own, light or dark


def test_the_closest_is_named_where_nothing_was_recalled() -> None:
    memori = Memori(InMemoryStore(), embedder=None, scope=Scope("alice"))
    memori.remember_many(f"note {i} about the heron" for i in range(30))
    missed = memori.recall("Where did the old heron and the young zebra go to school together?")
    assert missed.reason == "below_cut"
    assert missed.gap is not None
    assert "lacked" in missed.explain()
    assert "below the cut" in missed._repr_html_()
    assert len(missed.to_pandas()) == 0


def test_a_table_has_a_row_a_fact_and_a_column_a_part(recall: Recall) -> None:
    table = recall.to_pandas()
    assert list(table["content"]) == [f.content for f in recall]
    assert {"rank_score", "relevance", "part_coverage", "part_bm25"} <= set(table.columns)


def test_a_plot_stacks_the_parts_beside_the_cut(recall: Recall) -> None:
    figure = recall.plot()
    (axes,) = figure.axes
    assert len(axes.patches) == len(recall) * len(recall[0].parts)
    widths = sum(bar.get_width() for bar in axes.patches)  # type: ignore[attr-defined]
    assert widths == pytest.approx(sum(f.rank_score for f in recall))
    assert recall.plot(ax=axes) is figure


def test_plots_and_tables_name_what_they_need() -> None:
    code = (
        "import sys; sys.modules['pandas'] = sys.modules['matplotlib'] = None\n"
        "from memori_core import Memori\n"
        "a = Memori(':memory:', embedder=None).scoped('a'); a.remember('tea')\n"
        "for show in ('to_pandas', 'plot'):\n"
        "    try: getattr(a.recall('tea'), show)()\n"
        "    except ImportError as e: print(e)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count('pip install "memori-core[notebooks]"') == 2
