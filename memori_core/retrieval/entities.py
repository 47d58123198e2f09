"""Named entities of texts: what facts are linked by, and what questions ask for."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memori_core.models import Mention
from memori_core.retrieval import spacy_models
from memori_core.retrieval.cohort import cohort
from memori_core.retrieval.name_words import (
    CALENDAR,
    CONNECTORS,
    EXCLAMATIONS,
    FOREIGN_OPENERS,
    OPENERS,
    TITLES,
)
from memori_core.retrieval.tokenization import has_cjk, index_terms

EntityType = Literal["PROPER", "QUOTED", "IDENTIFIER", "TOPIC"]

LONGEST = 100
SHORTEST = 3
SHORTEST_CJK = 2
LONGEST_QUOTE_WORDS = 8
"""A longer quotation is speech, not a title."""

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_LETTER = rf"[^\W\d_{_CJK}]"
_MARKDOWN = re.compile(
    r"^\s*(?:[-*+>]|#{1,6}|\d+[.)])\s+|\*\*|__(?=\s|$)|(?<!\w)__|\[(?=[^\]]+\]\()|\]\([^)\s]*\)",
    re.MULTILINE,
)
_QUOTE = re.compile(
    r'"([^"\n]+)"|“([^”\n]+)”|«([^»\n]+)»|`([^`\n]+)`|(?<!\w)[\'‘]([^\'’\n]+)[\'’](?!\w)'
    r"|「([^」\n]+)」|『([^』\n]+)』|《([^》\n]+)》|〈([^〉\n]+)〉"
)
_IDENTIFIER = re.compile(
    r"https?://[^\s<>\"'）)」]+[\w/]"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w.])\w[\w-]*(?:[./:]\w[\w-]*)+(?![\w.]*\w)"
    r"|(?<!\w)\w*_\w+"
    r"|(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w-])"
    r"|(?<!\w)[A-Za-z]+(?:\+\+|#)(?!\w)",
    re.ASCII,
)
_CAMEL = re.compile(r"(?<!\w)(?:[a-z]+|[A-Z][a-z]+)(?:[A-Z][a-z]+)+(?!\w)", re.ASCII)
_WORD = re.compile(rf"{_LETTER}+(?:['’-]{_LETTER}+)*\.?|&|[^\s{_CJK}]|[{_CJK}]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_MEASURE = re.compile(r"\d+(?:st|nd|rd|th|[a-z]{1,3})|\d+(?:[./:-]\d+)+", re.IGNORECASE)
_ABBREVIATION = re.compile(r"(?:[a-z]\.)+[a-z]?", re.IGNORECASE)


class EntityExtractor(ABC):
    """Finds the named entities of texts. Safe to call from many threads."""

    @abstractmethod
    def extract(self, texts: Sequence[str]) -> list[list[Mention]]:
        """The entities of each text, in the order of the text, each once, without vectors.

        Their types are PROPER (names), QUOTED (titles in quotation marks), IDENTIFIER (code,
        numbers of things, addresses) and TOPIC (phrases).
        """


class RuleEntityExtractor(EntityExtractor):
    """Names by their capitals, titles by their quotation marks, identifiers by their form.

    Needs no model. Greetings ("Hey Caroline"), months, weekdays, pronouns and the first words of
    sentences are left out. Names in lower case are not found, nor Chinese ones without quotation
    marks; a sentence in capitals gives none.

    Example:
        ```python
        from memori_core.retrieval.entities import RuleEntityExtractor

        found = RuleEntityExtractor().extract(["Hey Caroline, NLR-2207 is due in May"])
        print([(mention.text, mention.type) for mention in found[0]])
        #> [('Caroline', 'PROPER'), ('NLR-2207', 'IDENTIFIER')]
        ```
    """

    def extract(self, texts: Sequence[str]) -> list[list[Mention]]:
        return [as_mentions(rule_spans(clean(text))) for text in texts]


def default_extractor() -> EntityExtractor:
    """spaCy's where it and its small English model are installed, else our rule."""
    if spacy_models.installed_model() is None:
        return RuleEntityExtractor()
    from memori_core.retrieval.spacy_entities import SpacyEntityExtractor

    return SpacyEntityExtractor()


@dataclass(frozen=True, slots=True)
class Span:
    """An entity's place in a text."""

    start: int
    end: int
    text: str
    type: EntityType

    def overlaps(self, other: Span) -> bool:
        """Whether they share a character."""
        return self.start < other.end and other.start < self.end


def clean(text: str) -> str:
    """The text without the marks of Markdown."""
    return _MARKDOWN.sub("", text)


def rule_spans(text: str) -> list[Span]:
    """Quotations, identifiers and capitalised names, without overlaps."""
    spans = list(_quotes(text))
    spans += without_overlaps(_identifiers(text), spans)
    camel = [Span(m.start(), m.end(), m.group(), "IDENTIFIER") for m in _CAMEL.finditer(text)]
    camel = without_overlaps(camel, spans)
    # "LinguaFern" is an identifier, "MacBook Pro" a name.
    names = [name for name in _names(text, spans) if name.text not in {c.text for c in camel}]
    return spans + names + without_overlaps(camel, names)


def without_overlaps(spans: Iterable[Span], taken: Sequence[Span]) -> list[Span]:
    """The spans that share nothing with those taken."""
    return [span for span in spans if not any(span.overlaps(other) for other in taken)]


def as_mentions(spans: Iterable[Span]) -> list[Mention]:
    """The spans in text order as mentions, each name once, unfit lengths left out."""
    mentions: dict[str, Mention] = {}
    for span in sorted(spans, key=lambda span: span.start):
        shortest = SHORTEST_CJK if has_cjk(span.text) else SHORTEST
        if shortest <= len(span.text) <= LONGEST:
            mention = Mention(span.text, type=span.type)
            mentions.setdefault(mention.norm, mention)
    return list(mentions.values())


def _quotes(text: str) -> Iterator[Span]:
    for match in _QUOTE.finditer(text):
        group = match.lastindex or 0
        quoted = match.group(group).strip(" ,.!?;:，。！？")
        if quoted and len(quoted.split()) <= LONGEST_QUOTE_WORDS:
            yield Span(match.start(), match.end(), quoted, "QUOTED")


def _identifiers(text: str) -> Iterator[Span]:
    for match in _IDENTIFIER.finditer(text):
        found = match.group()
        if any(c.isalpha() for c in found) and not _is_prose(found):
            yield Span(match.start(), match.end(), found, "IDENTIFIER")


def _is_prose(found: str) -> bool:
    """Whether it only looks like an identifier: "10am", "e.g.", "and/or", "3-year-old"."""
    if _MEASURE.fullmatch(found) or _ABBREVIATION.fullmatch(found):
        return True
    if not any(c in "._#+@:/" for c in found):
        return "-" in found and found.islower()
    return not any(c.isdigit() or c in "._#+@" for c in found)


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    word: str
    opens: bool
    """Whether it begins a sentence."""

    @property
    def key(self) -> str:
        return self.word.replace("’", "'").casefold()

    @property
    def capital(self) -> bool:
        return self.word[0].isupper()


def _names(text: str, taken: Sequence[Span]) -> Iterator[Span]:
    """Runs of capitalised words, with connectors inside."""
    for sentence in _sentences(text):
        if _shouts(sentence):
            continue
        run: list[_Token] = []
        for token in sentence:
            part = Span(token.start, token.start + len(token.word), "", "PROPER")
            free = not any(part.overlaps(span) for span in taken)
            if free and _may_be_name(token):
                owner = _POSSESSIVE.sub("", token.word)
                run.append(_Token(token.start, owner, token.opens))
                if owner != token.word:
                    yield from _name(text, run)
                    run = []
            elif run and free and token.key in CONNECTORS:
                run.append(token)
            else:
                yield from _name(text, run)
                run = []
        yield from _name(text, run)


def _may_be_name(token: _Token) -> bool:
    return token.capital and token.key not in EXCLAMATIONS


def _name(text: str, run: Sequence[_Token]) -> Iterator[Span]:
    """The run without what is no name at its ends; nothing where nothing is left."""
    first, last = 0, len(run)
    while last > first and _ends_no_name(run[last - 1]):
        last -= 1
    opens = bool(run) and run[0].opens  # behind "Good", "Morning" opens the sentence
    while first < last and _begins_no_name(run[first], opens, alone=last - first == 1):
        first += 1
    if first < last:
        start, end = run[first].start, run[last - 1].start + len(run[last - 1].word)
        yield Span(start, end, " ".join(text[start:end].split()), "PROPER")


def _ends_no_name(token: _Token) -> bool:
    return token.key in CONNECTORS or token.key in CALENDAR or len(token.word) == 1


def _begins_no_name(token: _Token, opens: bool, *, alone: bool) -> bool:
    key = token.key
    if key in CONNECTORS or key in CALENDAR or key in TITLES:
        return True
    if not opens:
        return False
    if key in OPENERS or not alone:
        return key in OPENERS
    # A capital at the beginning of a sentence says nothing: an everyday word is taken as one, and
    # so is any word of a script whose everyday words we do not know.
    everyday = all(term in cohort("en").holding for term in index_terms(key))
    return everyday or key in FOREIGN_OPENERS or token.word[0] > "\u024f"


def _sentences(text: str) -> Iterator[list[_Token]]:
    sentence: list[_Token] = []
    opens = True
    end = 0
    for match in _WORD.finditer(text):
        word = match.group()
        if "\n" in text[end : match.start()]:
            yield sentence
            sentence, opens = [], True
        end = match.end()
        if not word[0].isalpha() or has_cjk(word):
            stop = word in ".!?。！？…"
            # Behind a number a capital says something, behind a quotation mark it does not.
            opens = opens and not word[0].isalnum()
            sentence.append(_Token(match.start(), word, False))
        else:
            bare = word.rstrip(".")
            stop = bare != word and bare.casefold() not in TITLES and len(bare) > 1
            sentence.append(_Token(match.start(), bare, opens))
            opens = False
        if stop:
            yield sentence
            sentence, opens = [], True
    yield sentence


def _shouts(sentence: Sequence[_Token]) -> bool:
    """Whether capitals mean nothing here: a line in capitals, or every word of it with one."""
    words = [token.word for token in sentence if token.word[0].isalpha() and len(token.word) > 1]
    cased = [word for word in words if word.upper() != word.lower()]
    return (len(cased) >= 3 and all(word.isupper() for word in cased)) or (
        len(cased) >= 5 and all(word[0].isupper() for word in cased)
    )
