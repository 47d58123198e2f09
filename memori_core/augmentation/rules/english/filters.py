"""What is taken off a clause, and which clauses are left out."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english import lexicon, patterns, talk_patterns, verbs

MAX_PREFIXES = 12
"""So many words in front of a clause are taken off."""


def _compiled(pattern: str, *, end: str = "") -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern}){end}", re.IGNORECASE)


_PREFIX = _compiled(patterns.PREFIXES, end=r"(?P<mark>\s*[,.!:;…]+\s*|\s+[-–—]+\s*|\s+)")
_TAIL = re.compile(rf",?\s+{patterns.TAILS}[.!, ]*$", re.IGNORECASE)
_CONTRAST = re.compile(
    r"(?<=[\w)])(?<!\bam)(?<!\bis)(?<!\bare)(?<!\bwas)(?<!'m)(?<!'s)(?<!\bor)(?<!\bwhy)(?<!\bbut)"
    r",? not (?:(?:in|at|on|from|with|the|a) )?(?:[A-Z][\w-]*|\d[\d:.]*\w*)$"
)
_FRAME = _compiled(rf"{patterns.ASKING}(?:{patterns.FRAMES})", end=r"(?:\b|(?<=\W))")
_REQUEST = _compiled(rf"{patterns.ASKING}(?:{patterns.REQUESTS})", end=r"\b")
_ASKED = _compiled(
    (
        r"(?:please|can you|could you|would you|will you|help me|i want you to|i need "
        r"you to|your task)"
    ),
    end=r"\b",
)
_QUESTION = _compiled(patterns.QUESTIONS)
_CONDITION = _compiled(rf"(?:(?:and|but|so|or|ok|okay|well) )*(?:{patterns.CONDITIONS})")
_SUBORDINATE = _compiled(patterns.SUBORDINATE)
_META = _compiled(talk_patterns.META)
_META_PASSES = _compiled(talk_patterns.META_PASSES)
_POINTING = _compiled(patterns.POINTING)
_ERROR = _compiled(patterns.ERRORS)
_ERROR_NAME = re.compile(
    r"\b\w*(?:Error|Exception|Traceback)\b|\b(?:stack ?trace|segfault|npm ERR)\b|"
    r"\w+\(\)|[{}<>]|\\\\|==|=>|->"
)
_IDIOM = _compiled(patterns.IDIOMS)
_ADDRESSED = re.compile(rf"\b{patterns.ADDRESSED}\b", re.IGNORECASE)
_COMPLAINT = _compiled(
    rf"(?:[\w-]+ ){{0,3}}?(?:{patterns.COMPLAINED_OF})(?: [\w-]+)? (?:{patterns.COMPLAINTS})"
)
_IMPERSONAL = _compiled(
    rf"(?:[\w-]+ )?(?:{patterns.IMPERSONAL})", end=r"(?:'s)? (?!.{0,40}\bwritten in\b)"
)
_SINGLE_QUOTED = re.compile(r"(?<!\w)'([^']{1,300})'(?!\w)")
_SELF = re.compile(r"\b(?:I|I'm|me|my|we|our)\b", re.IGNORECASE)
_SAID = re.compile(r"\b(?:like|goes|went|shouted|yelled|screamed) I(?:'m)?\b", re.IGNORECASE)


def without_prefixes(clause: str) -> str:
    """A clause without the words in front that say nothing ("so, by the way, I think")."""
    clause = clause.lstrip(" ,.;:!-–—*•\"'")
    for _ in range(MAX_PREFIXES):
        found = _PREFIX.match(clause)
        if found is None:
            break
        word = clause[: found.start("mark")].lower()
        if word in patterns.COLON_ONLY and not found.group("mark").strip(" "):
            break
        if (
            word
            in (
                "me",
                "for me",
                "good",
                "right",
                "nice",
                "cool",
                "great",
                "perfect",
                "sure",
                "first",
                "next",
                "look",
                "see",
                "listen",
            )
            and not found.group("mark").strip()
        ):
            break
        rest = clause[found.end() :]
        if not rest:
            break
        clause = rest
    return clause


def without_tails(clause: str) -> str:
    """A clause without the words behind it that say nothing ("btw", "thanks")."""
    clause = clause.rstrip(' ,.;:!…-–—*"')
    while (
        found := _TAIL.search(clause, max(0, len(clause) - 40))
    ) is not None and found.start() > 0:
        clause = clause[: found.start()].rstrip(" ,.;:!…")
    return clause


def without_contrast(clause: str) -> str:
    """A clause without what it corrects: "I'm 34 not 33", "in Leeds, not Hull"."""
    found = _CONTRAST.search(clause) if " not " in clause else None
    return clause[: found.start()] if found is not None else clause


def is_frame(sentence: str) -> bool:
    """Whether a sentence makes the rest of its message material of a task."""
    if _FRAME.match(sentence) is not None:
        return True
    colon = sentence.find(":")
    if colon < 0 or sentence[colon : colon + 3] == "://":
        return False
    if sentence[colon + 1 : colon + 2].isdigit() and sentence[colon - 1 : colon].isdigit():
        return False
    return _ASKED.match(sentence) is not None or (
        _REQUEST.match(sentence) is not None
        and sentence.split(" ", 1)[0].lower().strip(",:")
        not in ("no", "remember", "note", "please")
    )


def is_request(clause: str) -> bool:
    """Whether a clause asks for something to be done."""
    return _REQUEST.match(clause) is not None


def is_question(clause: str) -> bool:
    """Whether a clause begins as a question, with its mark or without."""
    return _QUESTION.match(clause) is not None


def is_condition(clause: str) -> bool:
    """Whether a clause supposes something."""
    return _CONDITION.match(clause) is not None


def is_subordinate(clause: str) -> bool:
    """Whether a clause says when the clause after it happens."""
    return _SUBORDINATE.match(clause) is not None


def is_quoted(sentence: str) -> bool:
    """Whether the "I" of a sentence stands in quotes, so that somebody else may be speaking."""
    parts = sentence.split('"')
    if len(parts) > 2 and any(_SELF.search(part) for part in parts[1::2]):
        return True
    if "'" in sentence and any(_SELF.search(q) for q in _SINGLE_QUOTED.findall(sentence)):
        return True
    if sentence[:1] in ('"', "'") and sentence.rstrip(" .!?,")[-1:] == sentence[0]:
        return True
    return _SAID.search(sentence) is not None and _SELF.match(sentence) is None


def is_addressed(clause: str) -> bool:
    """Whether a clause speaks to its reader."""
    return _ADDRESSED.search(clause) is not None


def is_about_code(clause: str) -> bool:
    """Whether a clause holds the name of an error or a piece of code."""
    return _ERROR_NAME.search(clause) is not None


def is_idiom(clause: str) -> bool:
    """Whether a clause is a figure of speech."""
    return _IDIOM.match(clause) is not None


def is_talk(rest: str) -> bool:
    """Whether what follows "I" is about the conversation, an error or an idiom, or only points."""
    if _ERROR.match(rest) is not None:
        return True
    if _META.match(rest) is not None and _META_PASSES.match(rest) is None:
        return True
    return _points(rest)


def _points(rest: str) -> bool:
    words = rest.split()
    at = 1 if rest.startswith("'") else 0
    last = at
    while at < len(words):
        word = words[at].lower().strip(",.")
        at += 1
        if word in lexicon.AUXILIARIES or verbs.is_adverb(word) or word == "to":
            continue
        last = at
        break
    tail = " ".join(words[last:]).split(",")[0].rstrip(" .!")
    return bool(tail) and _POINTING.fullmatch(tail) is not None


def is_complaint(rest: str) -> bool:
    """Whether what follows "my" is about a thing that fails, or about the conversation."""
    return _COMPLAINT.match(rest) is not None or _IMPERSONAL.match(rest) is not None
