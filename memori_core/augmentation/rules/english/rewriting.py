"""From what somebody says of themselves to a sentence about them."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english import lexicon, verbs

_TOKEN = re.compile(r"([^\w']*)(.*?)([^\w']*)", re.DOTALL)
_CONTRACTED = re.compile(rf"\b(?:{'|'.join(lexicon.CONTRACTED)})\b(?!['’.@])", re.IGNORECASE)
_LETTERS = re.compile("[A-Za-z]+")
_NAME_IS = re.compile(r" name'?s(?= [^\W\d_][\w'-]*(?:$|[,.!;]| [A-Z]| and\b| from\b))")
_IS_CALLED = re.compile(r"(?<=\w)'s (called|named)\b")
_FIRST_PERSON = re.compile(r"(i|we)(?:'(m|ve|d|ll|re))?", re.IGNORECASE)
_CLITICS = {"m": "is", "re": "is", "ve": "has", "ll": "will"}
_LOOSE_ENDS = frozenset(
    """
and or but not to of the a an with at in for from is was are has had been my their because so that
than as if by very really just also am be will would can could like
""".split()
)


_DROPPED_G = re.compile(
    r"(?<=\w )(?<!\ba )(?<!\bthe )(?<!\bmy )(?<!\bof )(?<!\bin )(?<!\bto )"
    r"([a-z]{2,})in\b'?(?![\w-])"
)


def _with_g(found: re.Match[str]) -> str:
    """A participle as it is spelled: "learnin" → "learning"; other words as they are."""
    stem = found.group(1)
    short = len(stem) < 4 and not found.group().endswith("'")
    known = verbs.is_base(stem) or (
        len(stem) > 3 and verbs.is_base(stem[:-1]) and stem[-1] == stem[-2]
    )
    known = known or (verbs.is_base(stem + "e") and stem not in ("rais", "bas"))
    return f"{stem}ing" if known and not short and stem != "check" else found.group()


def spelled_out(text: str) -> str:
    """Spellings of chat as the rules know them: "im gonna" → "I'm going to"."""
    if any(word != "I" and word.lower() in lexicon.CONTRACTED for word in _LETTERS.findall(text)):
        text = _CONTRACTED.sub(
            lambda found: lexicon.CONTRACTED.get(found.group().lower(), found.group()), text
        )
    if "'s " in text:
        text = _IS_CALLED.sub(r" is \1", text)
    if "in" in text:
        text = _DROPPED_G.sub(_with_g, text)
    text = text.replace(" n ", " and ")
    return _NAME_IS.sub(" name is", text) if " name" in text else text


def rewritten(clause: str, *, name: str, start: str = "") -> str | None:
    """A clause with its writer called by name, verbs agreeing.

    Args:
        clause: What was said, for example "I love my dog".
        name: Who said it.
        start: What the result begins with in place of the clause's beginning, if it does; the
            clause is then the rest.

    Returns:
        "User loves their dog"; None if a word after "I" is no verb we know.
    """
    words = clause.split()
    out: list[str] = [start] if start else []
    named = False
    at = 0
    while at < len(words):
        lead, core, trail = _parts(words[at])
        lower = core.lower()
        at += 1
        first = _FIRST_PERSON.fullmatch(core)
        if first is not None and not (lower == "i" and trail.startswith((".", ")")) and at > 1):
            plural = bool(out) and out[-1].lower() == "and"
            named = True
            out.append(lead + name + trail)
            agreed = _verb_group(words, at, clitic=first.group(2), plural=plural)
            if agreed is None:
                return None
            new, at = agreed
            out.extend(new)
        elif lower in ("my", "our"):
            out.append(lead + ("their" if named else f"{name}'s") + trail)
        elif lower in ("me", "us"):
            out.append(lead + name + trail)
            named = named or len(out) == 1
        elif lower in ("myself", "ourselves"):
            out.append(lead + "themselves" + trail)
        elif lower in ("mine", "ours"):
            out.append(lead + ("theirs" if named else f"{name}'s") + trail)
        elif lower.startswith(("my-", "i'")):
            return None
        else:
            out.append(words[at - 1])
    return " ".join(out)


def _parts(word: str) -> tuple[str, str, str]:
    found = _TOKEN.fullmatch(word)
    return (found.group(1), found.group(2), found.group(3)) if found else ("", word, "")


def _verb_group(
    words: list[str], at: int, *, clitic: str | None, plural: bool
) -> tuple[list[str], int] | None:
    """What stands after the name up to and with its verb, and where the rest begins."""
    out: list[str] = []
    if clitic is not None:
        out.append(_would_or_had(words, at) if clitic.lower() == "d" else _CLITICS[clitic.lower()])
        return out, at
    while at < len(words):
        lead, core, trail = _parts(words[at])
        lower = core.lower()
        at += 1
        if lower in ("both", "all", "myself", "ourselves"):
            continue
        if verbs.is_adverb(lower) and trail != ".":
            out.append(words[at - 1])
            continue
        if plural:
            return [*out, words[at - 1]], at
        agreed = verbs.third_person(core) if core.isalpha() or "'" in core else None
        if agreed is None:
            return None
        keep = agreed == lower and not core.isupper()
        return [*out, lead + (core if keep else agreed) + trail], at
    return out, at


def _would_or_had(words: list[str], at: int) -> str:
    for word in words[at : at + 3]:
        lower = word.strip(",.").lower()
        if lower == "better" or lower in lexicon.PARTICIPLES - lexicon.PAST_IS_BASE:
            return "had" if lower not in ("come", "become", "run") else "would"
        if not verbs.is_adverb(lower):
            return "had" if verbs.is_past(lower) and not verbs.is_base(lower) else "would"
    return "would"


def is_sound(sentence: str) -> bool:
    """Whether a sentence is whole: three words at least, nothing cut off or left open."""
    words = sentence.rstrip(".").split()
    return (
        len(words) >= 3
        and words[-1].lower().strip(",;:") not in _LOOSE_ENDS
        and "?" not in sentence
        and sentence.count('"') % 2 == 0
        and sentence.count("(") == sentence.count(")")
    )


def finished(sentence: str) -> str:
    """The sentence with a capital and a full stop."""
    text = sentence.strip().rstrip(".,;:!…-– ").strip()
    return text[:1].upper() + text[1:] + "."
