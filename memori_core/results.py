"""What a recall answers: the facts, why these, and why no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, overload

from memori_core._extras import load_extra
from memori_core.models import Fact, Scope
from memori_core.rendering import context_block

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

Reason = Literal[
    "ok",
    "empty_query",
    "no_scope",
    "no_facts",
    "chit_chat",
    "below_cut",
    "timeout",
    "error",
]

REASONS: Mapping[Reason, str] = {
    "ok": "facts were found",
    "empty_query": "the question holds no text and no vector",
    "no_scope": "nobody was named whose memory to search",
    "no_facts": "there is nothing to search",
    "chit_chat": "the line is courtesy and asks for nothing",
    "below_cut": "nothing stored is close enough to the question",
    "timeout": "the recall took longer than it may",
    "error": "the recall failed; see the log",
}


@dataclass(frozen=True, slots=True)
class RecalledFact:
    """A fact with the scores that brought it here."""

    fact: Fact
    _: KW_ONLY
    dense_score: float
    """Cosine similarity to the question, -1 to 1."""
    lexical_score: float
    """BM25 of the question's words, 0 upwards."""
    entity_score: float = 0.0
    """What shared names added (`Mem0Fusion`)."""
    rank_score: float
    """What the order follows: the sum of `parts`."""
    relevance: float
    """What the cut is compared with."""
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    """What each signal added to `rank_score`."""

    @property
    def id(self) -> str:
        """The fact's id."""
        return self.fact.id

    @property
    def content(self) -> str:
        """The fact's text."""
        return self.fact.content

    @property
    def said_at(self) -> datetime:
        """When it was said."""
        return self.fact.said_at

    @property
    def score(self) -> float:
        """The rank score."""
        return self.rank_score


@dataclass(frozen=True, slots=True)
class Recall(Sequence[RecalledFact]):
    """The answer to one question: a sequence of facts, best first.

    ```python
    from memori_core import Memori
    from memori_core.stores import InMemoryStore

    with Memori(InMemoryStore(), embedder=None).scoped("alice") as alice:
        alice.remember("User is allergic to peanuts.")
        found = alice.recall("Which nuts, peanuts?")
        print(len(found), found[0].content, found.reason)
        #> 1 User is allergic to peanuts. ok
        print(alice.recall("thanks!").reason)
        #> chit_chat
    ```
    """

    query: str
    _: KW_ONLY
    scope: Scope | None
    reason: Reason
    facts: tuple[RecalledFact, ...] = ()
    pinned: tuple[Fact, ...] = ()
    """Facts that stand in every block, whether relevant or not."""
    searched: int = 0
    """How many facts could have been recalled."""
    cut: float = 0.0
    """The relevance that the best fact had to reach."""
    best_rejected: RecalledFact | None = None
    """With `below_cut`: the most relevant fact that did not reach it."""
    without_vector: int = 0
    """Facts that only their words could find, because their vector is missing or of another
    embedder."""
    policy: str = ""
    """The name of the fusion policy."""
    timings_ms: Mapping[str, float] = field(default_factory=dict[str, float])
    """Milliseconds spent, by step: `embed`, `load`, `rank`, `total`."""

    @overload
    def __getitem__(self, index: int) -> RecalledFact: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RecalledFact, ...]: ...
    def __getitem__(self, index: int | slice) -> RecalledFact | tuple[RecalledFact, ...]:
        return self.facts[index]

    def __len__(self) -> int:
        return len(self.facts)

    def __iter__(self) -> Iterator[RecalledFact]:
        return iter(self.facts)

    @property
    def context(self) -> str:
        """The `<memori_context>` block for a prompt: pinned facts first; empty without any."""
        pinned = {fact.id for fact in self.pinned}
        recalled = [found.fact for found in self.facts if found.id not in pinned]
        return context_block([*self.pinned, *recalled])

    @property
    def gap(self) -> float | None:
        """With `below_cut`: how much relevance the best rejected fact lacked."""
        return None if self.best_rejected is None else self.cut - self.best_rejected.relevance

    def explain(self) -> str:
        """Why these facts came back, or why none did, as text for people."""
        from memori_core._display.recalls import explain

        return explain(self)

    def to_pandas(self) -> DataFrame:
        """A table with one row per fact and one column per score and part.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        from memori_core._display.recalls import to_pandas

        return to_pandas(self)

    def plot(self, ax: Any = None) -> Figure:
        """Bars of the parts of each fact's score, beside the cut.

        Args:
            ax: matplotlib axes to draw on; None makes a new figure.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        load_extra("matplotlib", feature="Recall.plot()", package="matplotlib", extra="notebooks")
        from memori_core._display.figures import plot_recall

        return plot_recall(self, ax)

    def _repr_html_(self) -> str:
        from memori_core._display.recalls import to_html

        return to_html(self)
