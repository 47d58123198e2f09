"""Lists, counts, timelines and graphs as a notebook shows them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from memori_core import InMemoryStore, Memori, Scope, ScopedMemory
from memori_core.graph import plot

HOSTILE = "User likes <script>alert(1)</script> & tea"


@pytest.fixture
def memori() -> Iterator[Memori]:
    with Memori(InMemoryStore(), embedder=None) as memori:
        yield memori


@pytest.fixture
def alice(memori: Memori) -> ScopedMemory:
    alice = memori.scoped("alice")
    alice.remember(HOSTILE, said_at="2026-01-01")
    alice.capture("I live in Porto.", at="2026-01-05")
    alice.capture("I moved from Porto to Ghent.", at="2026-03-10")
    memori.flush()
    return alice


def html(shown: object) -> str:
    made = shown._repr_html_()  # type: ignore[attr-defined]
    assert "<script" not in made
    return made


def test_facts_are_a_list_and_a_table(alice: ScopedMemory) -> None:
    facts = alice.list()
    assert isinstance(facts, list)
    table = html(facts)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; tea" in table
    assert table.count("<tr>") == 1 + len(facts)
    assert "2026-03-10" in table  # until when Porto held


def test_messages_sessions_and_statements_are_tables(alice: ScopedMemory) -> None:
    assert "I moved from Porto to Ghent." in html(alice.messages())
    assert html(alice.sessions()).count("<tr>") == 1 + len(alice.sessions())
    assert "lives_in" in html(alice.triples())


def test_the_history_of_a_fact_is_a_table(alice: ScopedMemory) -> None:
    (fact, *_) = alice.list()
    alice.update(fact.id, text="User likes coffee.")
    assert "&lt;script&gt;" in html(alice.history(fact.id))


def test_counts_are_a_table(memori: Memori, alice: ScopedMemory) -> None:
    assert "facts" in html(alice.stats())
    assert "embedder" in html(memori.stats())


def test_nothing_is_shown_as_empty(memori: Memori) -> None:
    bob = memori.scoped("bob")
    assert {html(shown) for shown in (bob.list(), bob.messages())} == {"<i>empty</i>"}


def test_a_long_list_is_shown_in_part_and_says_so(memori: Memori) -> None:
    bob = memori.scoped("bob")
    bob.remember_many(f"note {n}" for n in range(230))
    table = html(bob.list())
    assert table.count("<tr>") == 201
    assert "and 30 more" in table
    assert len(bob.list()) == 230
    assert html(bob.list()[:3]).count("<tr>") == 4  # a part is a table, too


# Figures


def test_a_timeline_shows_what_held_and_until_when(memori: Memori, alice: ScopedMemory) -> None:
    (axes,) = alice.timeline().axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[:2] == [HOSTILE, "User lives in Porto."]
    assert {text.get_text() for text in axes.get_legend().get_texts()} == {
        "fact",
        "no longer true",
    }
    (same,) = memori.timeline(Scope("alice")).axes
    assert [label.get_text() for label in same.get_yticklabels()] == labels
    (last,) = alice.timeline(limit=1).axes
    assert [label.get_text() for label in last.get_yticklabels()] == labels[-1:]


def test_a_timeline_without_a_limit_shows_all(alice: ScopedMemory) -> None:
    (axes,) = alice.timeline(limit=None).axes
    assert len(axes.get_yticklabels()) == len(alice.list()) == 3


def test_the_timeline_of_nobody_is_empty(memori: Memori) -> None:
    (axes,) = memori.scoped("bob").timeline().axes
    assert list(axes.get_yticklabels()) == []


def test_the_graph_is_drawn_with_what_held_once(alice: ScopedMemory) -> None:
    figure = plot(alice.triples(include_ended=True))
    (axes,) = figure.axes
    texts = {text.get_text() for text in axes.texts}
    assert {"User", "Porto", "Ghent", "lives_in"} <= texts


def test_figures_show_themselves_without_any_set_up(alice: ScopedMemory) -> None:
    for figure in (alice.timeline(), plot(alice.triples()), alice.recall("Porto?").plot()):
        assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


def test_figures_can_be_drawn_on_axes_of_ones_own(alice: ScopedMemory) -> None:
    from matplotlib.figure import Figure

    left, middle, right = Figure().subplots(1, 3)
    assert alice.timeline(ax=left) is left.figure
    assert plot(alice.triples(), ax=middle) is left.figure
    assert alice.recall("Porto?").plot(right) is left.figure


@pytest.mark.parametrize(
    ("module", "call"),
    [("matplotlib", "alice.timeline()"), ("networkx", "plot(alice.triples())")],
)
def test_without_the_extra_the_pip_line_is_given(module: str, call: str) -> None:
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from memori_core import Memori\nfrom memori_core.graph import plot\n"
        "alice = Memori(':memory:', embedder=None).scoped('alice')\n"
        f"try: {call}\nexcept ImportError as e: print(e)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert "pip install" in done.stdout


def test_a_figure_is_transparent_and_its_texts_are_read_on_white_and_on_black(
    alice: ScopedMemory,
) -> None:
    def luminance(colour: str) -> float:
        rgb = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]  # WCAG 2

    for figure in (alice.timeline(), plot(alice.triples()), alice.recall("Porto?").plot()):
        assert figure.get_facecolor()[3] == 0
        (axes,) = figure.axes
        grey = luminance(axes.xaxis.label.get_color())
        assert 1.05 / (grey + 0.05) > 4  # on white
        assert (grey + 0.05) / (luminance("#1f1f1f") + 0.05) > 4  # on a dark editor


def test_what_no_font_draws_is_numbered_rather_than_warned_of(memori: Memori) -> None:
    """Warnings are errors here: matplotlib has one for each character without a glyph."""
    cat = memori.scoped("cat")
    cat.remember("\U00013300\U00013301\U00013302")  # hieroglyphs
    cat.remember("I like tea \U00013300")
    figure = cat.timeline()
    assert figure._repr_png_()  # type: ignore[attr-defined]
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["fact 1", "I like tea □"]


def test_where_nothing_was_recalled_the_closest_is_drawn_below_the_cut(memori: Memori) -> None:
    bob = memori.scoped("bob")
    bob.remember_many(f"note {i} about the heron" for i in range(30))
    missed = bob.recall("Where did the old heron and the young zebra go to school together?")
    (axes,) = missed.plot().axes
    assert len(axes.get_yticklabels()) == 1
    assert "the closest is shown" in axes.get_title()
    assert bob.recall("thanks!").plot().axes[0].axison is False
