"""From text to terms, by one rule for what is stored and what is asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass

from memori_core.retrieval import stopwords
from memori_core.retrieval.stemming import stem

TOKENIZER_VERSION = 2
"""Stored beside terms; terms of another version are made again from the text."""

STOP_MARK = "~"
"""Leads a stop word in the index: it is found by queries made of nothing else ("The Who")."""

_HAN_KANA = "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff" + (
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_THAI_AND_KIN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_DENSE = _HAN_KANA + _HANGUL + _THAI_AND_KIN
"""Scripts that are cut into short pieces, for want of spaces between words."""

_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_LETTER = rf"(?:[^\W{_DENSE}]|[{_MARKS}])"
_FIRST = rf"[^\W{_DENSE}]"
_EMOJI = "[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
_TOKEN = re.compile(
    rf"(?P<cjk>[{_HAN_KANA}{_HANGUL}]+)"
    rf"|(?P<thai>[{_THAI_AND_KIN}]+)"
    rf"|(?P<word>{_FIRST}{_LETTER}*(?:[.'@&-]{_LETTER}+)*(?:(?:\+\+|\#)(?!\w))?)"
    rf"|(?P<emoji>{_EMOJI}(?:[\ufe0f\U0001f3fb-\U0001f3ff]|\u200d{_EMOJI})*)"
)
_CJK = re.compile(f"[{_DENSE}]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PIECE = re.compile(r"[^.'@&_-]+")
# "getUserById", "HTTPServer", "A002": humps, capitals before a hump, digits.
_PART = re.compile(r"\d+|[^\W\d_]*?[^\W\d_](?=\d|$)|[^\W\d_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CONTRACTED = re.compile(r"'(?:s|m|re|ve|ll|d|t)$")
_UNDECOMPOSED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text. It counts once, however many terms stand for it."""

    alternatives: tuple[tuple[str, ...], ...]
    """Ways to find it, the exact one first; a way is found by all of its terms, or in part."""
    _: KW_ONLY
    extra: tuple[str, ...] = ()
    """Terms that only the index needs: an identifier's inner compounds."""
    stop: bool = False
    function: bool = False
    """Whether it is grammar of Chinese or Japanese, not content."""

    @property
    def terms(self) -> tuple[str, ...]:
        """Every term that stands for the word, each once."""
        flat = [term for way in self.alternatives for term in way]
        return tuple(dict.fromkeys([*flat, *self.extra]))


def index_terms(text: str) -> list[str]:
    """The terms under which a text is found, repeats included, stop words marked."""
    return [term for word in _words(text) for term in word.terms]


def query_words(text: str) -> tuple[Word, ...]:
    """The words of a question, each once. Stop words count only if there is nothing else."""
    words = list(dict.fromkeys(_words(text)))
    return tuple([word for word in words if not word.stop] or words)


def content_terms(terms: list[str]) -> list[str]:
    """The terms that count for a text's length: all but stop words, if there are others."""
    return [term for term in terms if not term.startswith(STOP_MARK)] or terms


def has_cjk(text: str) -> bool:
    """Whether the text holds characters of a script that is written without spaces."""
    return _CJK.search(unicodedata.normalize("NFKC", text)) is not None


def beyond_latin(text: str) -> bool:
    """Whether an encoder for English cannot be expected to understand the text."""
    letters = [c for c in text if c.isalpha()]
    foreign = sum(1 for c in letters if c > "\u024f")
    return has_cjk(text) or foreign * 2 > len(letters)


def _words(text: str) -> Iterator[Word]:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("’", "'")
    if "," in text:
        text = _THOUSANDS.sub("", text)
    for match in _TOKEN.finditer(text):
        token = match.group()
        if match.lastgroup == "word":
            yield _word(token)
        elif match.lastgroup == "cjk":
            yield from _grams(token, 1, 2)
        elif match.lastgroup == "thai":
            yield from _grams(token, 2, 3)
        else:
            yield Word(((token.replace("\ufe0f", ""),),))


def _grams(run: str, short: int, long: int) -> Iterator[Word]:
    """Overlapping pieces, of two lengths, of a run of characters without spaces."""
    for size in (min(short, len(run)), long):
        for start in range(len(run) - size + 1):
            gram = run[start : start + size]
            yield Word(((gram,),), function=all(c in stopwords.CJK for c in gram))


def _word(token: str) -> Word:
    lower = token.casefold()
    if lower in stopwords.ENGLISH:
        return Word(((STOP_MARK + lower,),), stop=True)
    if token.isalpha() and (token.islower() or token.istitle() or token.isupper()):
        return Word(_spellings(lower))
    if "'" in token:
        bare = _CONTRACTED.sub("", lower)
        if bare != lower:
            return _word(token[: len(bare)])
    return _compound(token, lower)


def _spellings(word: str) -> tuple[tuple[str, ...], ...]:
    """A plain word's stem and, where it has accents, the stem of the word without them."""
    if word.isascii():
        return ((stem(word),),)
    folded = unicodedata.normalize("NFKD", word.translate(_UNDECOMPOSED))
    folded = "".join(c for c in folded if not unicodedata.combining(c))
    if folded == word or not folded.isascii():
        return ((stem(word),),)
    return ((stem(word),), (stem(folded),))


def _compound(token: str, lower: str) -> Word:
    """An identifier: found whole, by its joined spelling, or by its parts."""
    pieces = _PIECE.findall(token)
    parts = [part for piece in pieces for part in _parts(piece)]
    if len(parts) < 2:
        return Word(_spellings(lower))
    ways: list[tuple[str, ...]] = [(lower,)]
    if "-" in token and all(piece.isalpha() for piece in pieces):
        ways.append((stem("".join(pieces).casefold()),))
    content = [part for part in parts if part not in stopwords.ENGLISH]
    if content:
        ways.append(tuple(dict.fromkeys(stem(part) for part in content)))
    inner = [name for name in lower.replace("@", ".").split(".") if name != lower]
    extra = [*inner, *(piece.casefold() for piece in pieces)] if len(pieces) > 1 else []
    return Word(tuple(ways), extra=tuple(term for term in extra if term not in stopwords.ENGLISH))


def _parts(piece: str) -> list[str]:
    return [part.casefold() for hump in _HUMP.split(piece) for part in _PART.findall(hump) if part]
