"""How a clause begins: with a name, a role, or somebody set off by commas."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english import lexicon, verbs

_FOR_NAME = r"(?-i:[A-Z\u00c0-\u00de\u3400-\u9fff])[\w'’-]*"
_I_AM = re.compile(
    (
        rf"I(?:'m| am) (?P<name>{_FOR_NAME}(?: {_FOR_NAME}){{0,2}})(?P<rest>$|[,;] .+| "
        rf"(?:from|and|by the way|btw) .+| here$)"
    ),
    re.IGNORECASE,
)
_IT_IS = re.compile(
    (
        rf"(?:it's|it is|this is|the name's|the name is|name's) "
        rf"(?P<name>{_FOR_NAME})(?: here| again)?$"
    ),
    re.IGNORECASE,
)
_ME_AND = re.compile(
    r"we(?P<be>'re| are|'ve| have) (?P<rest>[^,;]{3,80}), me and "
    rf"(?P<who>my (?:{'|'.join(sorted(lexicon.RELATIVES, key=len, reverse=True))})\b)",
    re.IGNORECASE,
)
_DISLOCATED = re.compile(
    r"(?:(?<=^)|(?<=[,;] )|(?<=\band )(?<!\bme and )|(?<=\bbut )|(?<=\bso ))"
    r"(?P<who>my (?:[\w'-]+ ){0,2}[\w'-]+)(?P<name>,? (?-i:[A-Z])[\w'-]+)?, "
    r"(?:s?he|they)(?:'(?P<clitic>s|re|ve|ll|d))? ",
    re.IGNORECASE,
)
_KIN = "|".join(sorted(lexicon.RELATIVES - {"old"}, key=len, reverse=True))
_TITLED = r"(?:(?:Mrs?|Ms|Dr|Prof)\.? )?[A-Z\u00c0-\u00de][\w'-]*(?: [A-Z\u00c0-\u00de][\w'-]*)?"
_NAMED_KIN = re.compile(
    rf"\b(?P<who>(?i:my|our) (?:[a-z]+ )?(?:{_KIN})), "
    rf"(?P<name>{_TITLED}), (?!(?:and|or|who|s?he|they|it|I)\b)(?=[a-z])"
)
_KIN_NAMED = re.compile(
    rf"^(?P<name>{_TITLED}), (?:my|our) (?P<who>(?:[a-z]+ )?(?:{_KIN})), "
    r"(?!(?:and|or|who|s?he|they|it|I)\b)(?=[a-z])"
)
_WHO = re.compile(
    rf"\b(?P<who>(?i:my|our) (?:[a-z]+ )?(?:{_KIN})(?:,? {_TITLED})?), who (?=[^,;?]+$)"
)
_DONE = re.compile(rf"(?:\w+ly |just |already |never )?(?:{'|'.join(lexicon.PARTICIPLES)})\b")
_A_TIME = re.compile(
    r"(?:.+day|january|february|march|april|may|june|july|august|.+ber|.*christmas|easter|spring|"
    r"summer|autumn|winter|ramadan|diwali|me|you|us)$",
    re.IGNORECASE,
)
_NAME_HERE = re.compile(rf"(?P<name>{_FOR_NAME}) here$")
_ROLE = re.compile(
    (
        r"(?:as|being|speaking as|coming from) (?P<role>an? .+?)(?:,? (?P<rest>(?:I|"
        r"I'm|I've|I'd|my|we|our)\b.+))?$"
    ),
    re.IGNORECASE,
)
_NOT_ROLE = re.compile(
    (
        r"an? (?:\w+ )?(?:kid|child|teen\w*|boy|girl|toddler|baby|student back|rule|"
        r"result|consequence|matter|bonus|start|first|last|follow|side|test|joke|gift|"
        r"treat|reward|precaution|user|customer|language model|developer i)\b"
    ),
    re.IGNORECASE,
)
_NOT_HERE = frozenset(
    "same look looky everyone everything nobody all still only right up over down out me it"
    " come sitting stay there nothing something one you we".split()
)


def as_name(clause: str, *, greeted: bool) -> tuple[str, str] | None:
    """The name that a clause tells, and the rest of the clause as one of its own."""
    found = _I_AM.match(clause)
    if found is None:
        lower = (
            re.match(
                r"I(?:'m| am) (?P<name>[a-z]{3,12})(?P<rest>$|, .+| from .+| and i .+)", clause
            )
            if greeted
            else None
        )
        if lower is None or _is_word(lower.group("name")):
            return None
        found = lower
    name = found.group("name")
    parts = name.split()
    if any(
        part.lower() in lexicon.NOT_NAMES or part.lower() in lexicon.OCCUPATIONS for part in parts
    ) or (parts[0].isupper() and len(parts[0]) > 1):
        return None
    rest = found.group("rest").strip(" ,;")
    if rest.lower() == "here":
        rest = ""
    for word in ("and ", "btw ", "by the way "):
        rest = rest.removeprefix(word)
    return (name if name[:1].isupper() or not name.isascii() else name.capitalize()), rest


def _is_word(word: str) -> bool:
    return (
        word in lexicon.NOT_NAMES
        or word in lexicon.OCCUPATIONS
        or verbs.is_base(word)
        or verbs.is_adverb(word)
        or verbs.is_past(word)
        or word in lexicon.AUXILIARIES
        or word.endswith(("ing", "ful", "ous", "ive", "able", "ed", "less", "ish", "est"))
    )


def _is_a_name(name: str) -> bool:
    lower = name.lower()
    return not (
        lower in _NOT_HERE
        or lower in lexicon.NOT_NAMES
        or lower in lexicon.OCCUPATIONS
        or _is_word(lower)
    )


def introduced(clause: str, *, greeted: bool) -> str | None:
    """The name in "it's Maria here", and in "hi, Maria here"."""
    here = _NAME_HERE.match(clause) if greeted else None
    if here is not None and _is_a_name(here.group("name")):
        return here.group("name")
    found = _IT_IS.match(clause)
    if (
        found is None
        or found.group("name").lower() in lexicon.NOT_NAMES
        or (
            not clause.lower().endswith(("here",))
            and not clause.lower().startswith(("the name", "name's"))
            and not (
                greeted
                and clause.lower().endswith(" again")
                and not _A_TIME.match(found.group("name"))
            )
        )
    ):
        return None
    return found.group("name")


def accompanied(sentence: str) -> str:
    """A sentence with the subject it has: "we're off, me and my dad" → "I'm off with my dad".

    So too "my son, Bo, he's four" → "my son Bo is four".
    """
    if "," in sentence and "my " in sentence.lower():
        sentence = _NAMED_KIN.sub(r"\g<who> \g<name> ", sentence)
        sentence = _KIN_NAMED.sub(r"my \g<who> \g<name> ", sentence)
        sentence = _WHO.sub(r"\g<who>; \g<who> ", sentence)
    if " my " in f" {sentence[:1].lower()}{sentence[1:]}" and "he" in sentence:
        sentence = _DISLOCATED.sub(_in_place, sentence)
    found = _ME_AND.match(sentence)
    if found is None:
        return sentence
    verb = "'m" if found.group("be").lower() in ("'re", " are") else found.group("be")
    return f"I{verb} {found.group('rest')} with {found.group('who')}{sentence[found.end() :]}"


def _in_place(found: re.Match[str]) -> str:
    who = found.group("who") + (found.group("name") or "").replace(",", "")
    clitic = (found.group("clitic") or "").lower()
    if clitic == "s":
        clitic = "has" if _DONE.match(found.string, found.end()) is not None else "is"
    else:
        clitic = {"re": "are", "ve": "have", "ll": "will", "d": "would"}.get(clitic, "")
    return f"{who} {clitic} " if clitic else f"{who} "


def role(clause: str) -> tuple[str | None, str]:
    """What the writer is, in "as a nurse I work nights", and the rest, each about "I"."""
    found = _ROLE.match(clause)
    if found is None or _NOT_ROLE.match(found.group("role")) is not None:
        return None, clause
    return f"I am {found.group('role')}", found.group("rest") or ""
