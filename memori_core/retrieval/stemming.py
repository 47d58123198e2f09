"""Stems of words, by Snowball's rules for their script."""

from __future__ import annotations

import threading
from typing import Protocol, cast

import Stemmer

_LANGUAGES = {"latin": "english", "cyrillic": "russian", "arabic": "arabic"}


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 (PyStemmer's name)


class _Stemmers(threading.local):
    """One set a thread: PyStemmer's objects are not made for several."""

    def __init__(self) -> None:
        self.by_script = {
            script: cast("_Stemmer", Stemmer.Stemmer(language))  # pyright: ignore[reportUnknownMemberType] (PyStemmer has no types)
            for script, language in _LANGUAGES.items()
        }


_stemmers = _Stemmers()


def english_stem(word: str) -> str:
    """The stem of a lower-case word by the English rules, whatever it is made of."""
    return _stemmers.by_script["latin"].stemWord(word)


def stem(word: str) -> str:
    """The stem of a lower-case word: English, Russian or Arabic by its script.

    Words with digits or signs stay as they are.
    """
    if not word.isalpha():
        return word
    first = word[0]
    if "\u0400" <= first <= "\u04ff":
        script = "cyrillic"
    elif "\u0600" <= first <= "\u06ff":
        script = "arabic"
    else:
        script = "latin"
    return _stemmers.by_script[script].stemWord(word)
