"""Which words are verbs, and how they agree with a name."""

from __future__ import annotations

from memori_core.augmentation.rules.english import lexicon

_BASES = lexicon.BASE_VERBS - lexicon.NOT_BASE


def is_adverb(word: str) -> bool:
    """Whether a lower-case word can stand between a subject and its verb."""
    return word in lexicon.ADVERBS or (len(word) > 4 and word.endswith("ly") and not is_base(word))


def is_base(word: str) -> bool:
    """Whether a lower-case word is the base form of a verb that we know."""
    if word in _BASES:
        return True
    for prefix in ("re", "un", "over", "out", "co-", "re-"):
        if word.startswith(prefix) and word[len(prefix) :] in _BASES and len(word) > 5:
            return True
    return False


def is_past(word: str) -> bool:
    """Whether a lower-case word is a simple past."""
    if word in lexicon.IRREGULAR_PAST:
        return True
    return len(word) > 3 and word.endswith("ed") and word not in lexicon.ED_BASE and word.isalpha()


def is_third_person(word: str) -> bool:
    """Whether a lower-case word is a verb as it stands after "she"."""
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return False
    if word in ("goes", "does"):
        return True
    stems = [word[:-1]]
    if word.endswith("es"):
        stems.append(word[:-2])
    if word.endswith("ies"):
        stems.append(word[:-3] + "y")
    return any(is_base(stem) for stem in stems)


def is_finite(word: str) -> bool:
    """Whether a lower-case word can be the verb of a sentence about a third person."""
    return word in lexicon.AUXILIARIES or is_past(word) or is_third_person(word)


def third_person(verb: str) -> str | None:
    """The form of a verb after a name, for what stands after "I"; None for no verb we know."""
    lower = verb.lower()
    if lower in lexicon.AGREE:
        return lexicon.AGREE[lower]
    if lower in lexicon.AUXILIARIES or lower == "quit":
        return lower
    if lower == "workout":
        return "works out"
    if lower in lexicon.PAST_IS_BASE or is_base(lower):
        return inflect(lower)
    return lower if is_past(lower) else None


def inflect(base: str) -> str:
    """The third person of a base form."""
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return base[:-1] + "ies"
    return base + "s"
