"""Questions that should recall something, and lines that should recall nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, Literal, cast

from memori_core.errors import ConfigError
from memori_core.evaluation.datasets._files import read_json, shape, text_of
from memori_core.evaluation.datasets.base import Collection
from memori_core.models import NewFact

Group = Literal["relevant", "unrelated", "chit_chat", "absent", "foreign", "renamed"]

EXPECTED: Mapping[Group, bool] = {
    "relevant": True,
    "unrelated": False,
    "chit_chat": False,
    "absent": False,
    "foreign": False,
    "renamed": False,
}
"""Whether something should be recalled. `renamed` is hard: a question about another conversation
that names the people of this one."""

CHINESE_SET = Path(__file__).parent.parent / "data" / "relevance_zh.json"
"""An original set of short Chinese facts that comes with this package."""

_EXPECTED = (
    "`stores` (each with `facts`, `relevant` as [{`query`, `fact`}], `unrelated`, `absent`) and "
    "`chit_chat`, all lines of text"
)


@dataclass(frozen=True, slots=True)
class Probe:
    """One line put to a store."""

    text: str
    _: KW_ONLY
    group: Group
    gold: frozenset[str] = frozenset()
    """The ids of the facts that answer it, where it should recall something."""


@dataclass(frozen=True, slots=True)
class ProbeStore:
    """The facts of one entity, and what is asked of them."""

    id: str
    _: KW_ONLY
    facts: tuple[NewFact, ...]
    probes: tuple[Probe, ...]


def load_relevance(path: str | Path) -> tuple[ProbeStore, ...]:
    """Stores of short facts, each asked its own questions and every line of chit-chat.

    Raises:
        ConfigError: The file cannot be read or is something else.
    """
    content = read_json(path, expected=_EXPECTED)
    with shape(path, expected=_EXPECTED):
        chit_chat = _lines(content["chit_chat"])
        stores = tuple(_store(name, store, chit_chat) for name, store in content["stores"].items())
    if not stores:
        raise ConfigError(f"{path} holds no store. Expected {_EXPECTED}.")
    return stores


def from_conversations(conversations: Sequence[Collection]) -> tuple[ProbeStore, ...]:
    """Conversations, each asked its own questions and those of the next one.

    `foreign` are the questions of the next conversation, the last one's those of the first;
    `renamed` the same with the names of its speakers replaced by those of this one's.

    Raises:
        ConfigError: There are fewer than two, or one has not two speakers.
    """
    if len(conversations) < 2:
        raise ConfigError("foreign questions need at least two conversations.")
    following = [*conversations[1:], conversations[0]]
    return tuple(
        ProbeStore(own.id, facts=own.facts, probes=tuple(_asked(own, other)))
        for own, other in zip(conversations, following, strict=True)
    )


def _asked(own: Collection, other: Collection) -> Iterator[Probe]:
    for question in own.questions:
        yield Probe(question.text, group="relevant", gold=question.gold)
    names = dict(zip(other.speakers, own.speakers, strict=True))
    for question in other.questions:
        yield Probe(question.text, group="foreign")
    for question in other.questions:
        yield Probe(renamed(question.text, names), group="renamed")


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The text with each name replaced, all at once, whole words only.

    ```python
    from memori_core.evaluation.datasets.relevance import renamed

    print(renamed("Did Ann's brother meet Bo?", {"Ann": "Bo", "Bo": "Cy"}))
    #> Did Bo's brother meet Cy?
    ```
    """
    pattern = "|".join(map(re.escape, names))
    return re.sub(rf"\b(?:{pattern})\b", lambda match: names[match[0]], text) if names else text


def _store(name: str, store: Mapping[str, Any], chit_chat: Sequence[str]) -> ProbeStore:
    facts = tuple(NewFact(text, id=str(i)) for i, text in enumerate(_lines(store["facts"])))
    relevant = [
        Probe(text_of(entry["query"]), group="relevant", gold=_gold(facts[int(entry["fact"])]))
        for entry in store["relevant"]
    ]
    lines: Mapping[Group, Sequence[str]] = {
        "unrelated": _lines(store["unrelated"]),
        "absent": _lines(store["absent"]),
        "chit_chat": chit_chat,
    }
    others = [Probe(text, group=group) for group, texts in lines.items() for text in texts]
    return ProbeStore(name, facts=facts, probes=(*relevant, *others))


def _gold(fact: NewFact) -> frozenset[str]:
    return frozenset({str(fact.id)})


def _lines(value: Any) -> Sequence[str]:
    if not isinstance(value, list):
        raise TypeError(f"a list of texts was expected, got {value!r:.60}")
    return [text_of(text) for text in cast("list[object]", value)]
