"""Whether a fact says no more than the text that it came from. Pure functions.

A model may invent, repeat the example of its prompt, or take the assistant's words for the user's.
None of that passes here, since its words, names and numbers do not occur in what the user said.
What is *not* seen: a negation that was dropped, and words of the source put together wrongly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memori_core.augmentation._irregular_forms import BASE_FORM
from memori_core.augmentation.prompts import EXAMPLE_FACTS, EXAMPLE_SUMMARY
from memori_core.conversation import ExtractedFact
from memori_core.models import unique_key
from memori_core.retrieval.stemming import stem
from memori_core.retrieval.stopwords import CJK, ENGLISH
from memori_core.retrieval.tokenization import has_cjk

MIN_SUPPORT = 0.6
"""Share of a fact's content words that must occur in its source: with two words both of them.

Of 209 facts that people wrote for 187 messages (fixtures/extraction_dev.json) 208 pass on their own
message, and 6 of 4,141 on a foreign one, most of these because it says the same."""

MIN_SUPPORT_DENSE = 0.75
"""The same where characters stand for words: an invented word often shares some with another."""

_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
_WORD = re.compile(rf"[{_DENSE}]|[^\W_{_DENSE}]+(?:\+\+|\#(?!\w))?")
_THOUSANDS = re.compile(r"(?<=\d)[,\u202f](?=\d{3}(?!\d))")
# "1.5", "10:30" and "2024" are one number each.
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")

# What a fact is framed with, in the languages that facts are mostly written in.
_OWN_NAMES = re.compile(
    r"用户|用戶|使用者|ユーザー?|사용자|\b(?:users?|utilisat(?:eur|rice)|usuari[oa]|utente"
    r"|(?:be)?nutzer(?:in|s)?|usu[aá]ri[oa]|пользовател\w{0,3}|gebruiker)\b",
    re.IGNORECASE,
)
_FRAME = frozenset(
    """
cannot also currently week weekend day month year name named call called want wants
disease condition appointment see sees go goes going plan plans planned planning l d j qu
est sont ont son sa ses leur leurs une un le la les de du des et elle il
es está tiene su sus el los las y
ist sind hat haben sein seine seinen seiner seinem ihr ihre ihren ihrer ihrem er sie der die das den
dem ein eine einen und
è ha suo sua suoi sue lo gli e di
é tem seu seus suas o os as um uma
""".split()
)
_FRAME_CJK = CJK | frozenset("年月日周號号星期希望名字叫")

_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DATE = re.compile(
    r"\b\d{4}-\d{2}(?:-\d{2})?\b"
    rf"|\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?)(?:{_MONTH})\b(?:,?\s+\d{{4}}\b)?"
    rf"|\b(?:{_MONTH})\s+(?:\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}}\b)?|\d{{4}}\b)"
    r"|\d{4}\s?年(?:\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?[日号號])?)?|\d{1,2}\s?月\s?\d{1,2}\s?[日号號]"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期)[一二三四五六日天]",
    re.IGNORECASE,
)
_MONTH_NAME = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december)",
    re.IGNORECASE,
)

_NUMBER_WORDS = {
    word: str(number)
    for number, words in enumerate(
        "two second twice 二 两 兩|three third 三|four fourth 四|five fifth 五|six sixth 六"
        "|seven seventh 七|eight eighth 八|nine ninth 九|ten tenth 十|eleven eleventh"
        "|twelve twelfth".split("|"),
        start=2,
    )
    for word in words.split()
}

_EXAMPLES = frozenset(unique_key(text) for text in (*EXAMPLE_FACTS, EXAMPLE_SUMMARY))


def supported(fact: ExtractedFact, source_text: str) -> bool:
    """Whether a fact says no more than its source.

    Its content words occur there by `MIN_SUPPORT`, and its names and numbers all of them.
    Inflection is folded (goes/go, allergic/allergy), Chinese counts by character; our own words
    (User, 用户, their), function words and resolved dates do not count. A fact that equals an
    example of our prompt is refused.

    ```python
    from memori_core.augmentation.support import supported
    from memori_core.conversation import ExtractedFact

    said = "Great, I finished Dune and loved it"
    print(supported(ExtractedFact("User loves Dune."), said))
    #> True
    print(supported(ExtractedFact("User loves deserts."), said))
    #> False
    ```
    """
    return SourceText(source_text).supports(fact)


def supported_share(facts: Iterable[tuple[ExtractedFact, str]]) -> float:
    """The share of facts, each given with its source, that is supported; 1.0 for none."""
    verdicts = [supported(fact, source) for fact, source in facts]
    return sum(verdicts) / len(verdicts) if verdicts else 1.0


def is_prompt_example(text: str) -> bool:
    """Whether a text equals one that our prompt shows as an example."""
    return unique_key(text) in _EXAMPLES


class SourceText:
    """What was said, read once for checking many facts against it."""

    def __init__(self, text: str) -> None:
        words = list(_words(text))
        self._forms = frozenset(form for word in words for form in word.forms)
        self._exact = frozenset(form for word in words for form in word.exact)
        self._numbers = _numbers(text) | {
            _NUMBER_WORDS[word.lower] for word in words if word.lower in _NUMBER_WORDS
        }

    def supports(self, fact: ExtractedFact) -> bool:
        """Whether the fact says no more than this."""
        return self.supports_text(fact.content, dates=fact.dates)

    def supports_text(self, text: str, *, dates: Iterable[str] = ()) -> bool:
        """Whether a sentence, with the dates that were resolved for it, says no more than this."""
        if is_prompt_example(text):
            return False
        undated = _without_dates(text, dates)
        return (
            self.share(undated) >= (MIN_SUPPORT_DENSE if has_cjk(undated) else MIN_SUPPORT)
            and _numbers(undated, words=True) <= self._numbers
            and all(not name.exact.isdisjoint(self._exact) for name in _names(undated))
        )

    def share(self, text: str) -> float:
        """The share of the text's content words that occur in the source; 0.0 for none at all."""
        content = [word for word in _words(_OWN_NAMES.sub(" ", text)) if not word.frames]
        found = sum(1 for word in content if self._has(word))
        return found / len(content) if content else 0.0

    def _has(self, word: _Word) -> bool:
        number = _NUMBER_WORDS.get(word.lower, word.text)
        return not word.forms.isdisjoint(self._forms) or number in self._numbers


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    starts_sentence: bool

    @property
    def lower(self) -> str:
        return self.text.casefold()

    @property
    def frames(self) -> bool:
        lower = self.lower
        return lower in ENGLISH or lower in _FRAME or lower in _FRAME_CJK

    @property
    def exact(self) -> frozenset[str]:
        """The word and its stem, with and without accents."""
        plain = "".join(
            c for c in unicodedata.normalize("NFKD", self.lower) if not unicodedata.combining(c)
        )
        return frozenset({self.lower, plain, stem(self.lower), stem(BASE_FORM.get(plain, plain))})

    @property
    def forms(self) -> frozenset[str]:
        """These, and beginnings that lack one or two letters: endings of any language."""
        word = self.lower
        cuts = range(max(4, len(word) - 2), len(word)) if word.isalpha() else ()
        return self.exact | {word[:cut] for cut in cuts}


def _words(text: str) -> Iterator[_Word]:
    text = _THOUSANDS.sub("", unicodedata.normalize("NFKC", text))
    for match in _WORD.finditer(text):
        before = text[max(0, match.start() - 3) : match.start()].rstrip(" \"'“‘(")[-1:]
        yield _Word(match.group(), starts_sentence=before in ("", ".", "!", "?", "\n"))


def _names(text: str) -> Iterator[_Word]:
    """Words with a capital letter that no rule of spelling put there."""
    for word in _words(_OWN_NAMES.sub(" ", text)):
        capital = word.text[0].isupper() and not word.starts_sentence
        inner_capital = any(c.isupper() for c in word.text[1:])
        if (capital or inner_capital) and not word.frames and not _MONTH_NAME.fullmatch(word.text):
            yield word


def _numbers(text: str, *, words: bool = False) -> set[str]:
    """The numbers of a text, written in digits; on request those in words from two on."""
    text = _THOUSANDS.sub("", unicodedata.normalize("NFKC", text))
    numbers = {_normal(match.group()) for match in _NUMBER.finditer(text)}
    if words:
        numbers |= {_NUMBER_WORDS[w.lower] for w in _words(text) if w.lower in _NUMBER_WORDS}
    return numbers


def _normal(number: str) -> str:
    return number.lstrip("0") or "0"


def _without_dates(text: str, dates: Iterable[str]) -> str:
    """The text without full dates, and without the years that were resolved for it."""
    text = _DATE.sub(" ", unicodedata.normalize("NFKC", text))
    for year in {date[:4] for date in dates}:
        text = re.sub(rf"(?<!\d){re.escape(year)}(?!\d)", " ", text)
    return text
