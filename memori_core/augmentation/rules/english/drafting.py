"""From a sentence about somebody to a fact with its kind and statements."""

from __future__ import annotations

from memori_core.augmentation.rules.base import Draft
from memori_core.augmentation.rules.english.health import is_doctors_word, is_pinned
from memori_core.augmentation.rules.english.kinds import kind_of
from memori_core.augmentation.rules.english.rewriting import finished, is_sound
from memori_core.augmentation.rules.english.triples import triples_of
from memori_core.conversation import Triple
from memori_core.models import Kind


def drafted(sentence: str, *, name: str, kind: Kind | None = None) -> Draft | None:
    """The fact that a sentence tells of a person; None where it says nothing that could stand."""
    content = finished(sentence)
    if not is_sound(content):
        return None
    triples, ends = triples_of(content, name=name)
    own = f"{name} " in content and f"{name}'s " not in content
    own = own or is_doctors_word(content.removeprefix(f"{name}'s "))
    pinned = is_pinned(content, own=own) or (
        content.startswith(f"{name}'s ") and any(t.predicate == "name" for t in triples)
    )
    return Draft(
        content,
        kind=kind or kind_of(content, name=name),
        pinned=pinned,
        triples=triples,
        ends=ends,
    )


def named(name: str, sentence: str, *, whose: str) -> Draft:
    """The fact that somebody goes by a name, told as "{whose}{sentence} {name}"."""
    return Draft(
        finished(f"{whose}{sentence} {name}"),
        kind="identity",
        pinned=True,
        triples=(Triple(whose, "name", name, object_type="person"),),
    )
