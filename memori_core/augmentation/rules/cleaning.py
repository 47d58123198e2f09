"""What a message is without the parts that its writer did not say: code, quotes, our own block."""

from __future__ import annotations

import re

from memori_core.rendering import without_block

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
_INLINE_CODE = re.compile(r"`[^`\n]{1,200}`")
_LINK = re.compile(r"https?://\S+|www\.\S+")
_EMOJI = re.compile(
    "[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0e\ufe0f\u200d\U0001f000-\U0001faff]+"
)
_STRANGE = re.compile(r"[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff]")
_LETTERS = str.maketrans({"’": "'", "‘": "'", "\u02bc": "'", "\u00a0": " ", "\t": " ", "\r": "\n"})
_CODE_LINE = re.compile(
    r"\s*(?:print\(|def \w+\(|class \w+[:(]|import \w+|from \w[\w.]* import|"
    r"return\b|const |let \w+ ?="
    r"|var \w+ ?=|function\b|#include|public |if \(|for \(|while \(|\$ |>>>|"
    r"SELECT |[{}\]]|\w+\([^ ]"
    r"|(?i:error|fatal|panic|uncaught|exception)(?:\[\w+\])?: |[\w.]*(?:Error|Exception): "
    r"|\[(?:ERROR|WARN|INFO|DEBUG)|npm ERR"
    r"|Traceback|File \"|at [\w.]+\()"
)


def clean(text: str) -> str:
    """A message without fenced code, lines of code, quoted lines and our own context block.

    Line breaks stay; typographic apostrophes become plain, emoji end a sentence.
    """
    text = _STRANGE.sub("", text.translate(_LETTERS))
    text = without_block(text)
    if "`" in text or "~~~" in text:
        text = _without_fences(text)
        text = _INLINE_CODE.sub(lambda found: found.group()[1:-1], text)
    lines = [
        line
        for line in text.split("\n")
        if not line.lstrip().startswith((">", "|")) and not _CODE_LINE.match(line)
    ]
    text = "\n".join(lines)
    if not text.isascii():
        text = _EMOJI.sub(" \n ", text)
    return text


def _without_fences(text: str) -> str:
    kept: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and mark.group(1).startswith(fence):
                fence = ""
        elif mark is not None:
            fence = mark.group(1)
        else:
            kept.append(line)
    return "\n".join(kept)


def without_links(text: str) -> str:
    """The text with links taken out."""
    return _LINK.sub(" ", text) if "://" in text or "www." in text else text
