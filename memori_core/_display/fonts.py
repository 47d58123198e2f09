"""Which fonts a figure needs so that every script is read, and what to do where there is none."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import matplotlib
from matplotlib import font_manager

from memori_core.rendering import one_line

_FAMILIES = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Noto Sans JP",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans",
    "Hiragino Sans GB",
    "Heiti TC",
    "Microsoft YaHei",
    "SimHei",
    "Yu Gothic",
    "MS Gothic",
    "Malgun Gothic",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "Arial Unicode MS",
)
"""What Linux, macOS and Windows bring for Chinese, Japanese and Korean."""

_BOX = "□"

# Any: the stubs of matplotlib know settings by literal names, and its font reader in part.
_settings: Any = matplotlib.rcParams
_fonts: Any = font_manager


def families() -> list[str]:
    """The families of matplotlib's settings, then those here that draw Chinese and its kin."""
    named: list[str] = _settings["font.family"]
    return [*named, *(name for name in _FAMILIES if name in _installed())]


def drawable(text: str, *, instead: str) -> str:
    """A text as the fonts here can draw it: boxes for a few characters, `instead` for most.

    matplotlib would warn of each character, and draw boxes for all of them.
    """
    line = one_line(text)
    known = _characters(tuple(_resolved()))
    missing = {character for character in line if ord(character) not in known}
    if 2 * sum(character in missing for character in line) > len(line.replace(" ", "")):
        return instead
    return "".join(_BOX if character in missing else character for character in line)


def _installed() -> set[str]:
    return {font.name for font in _fonts.fontManager.ttflist}


def _resolved() -> list[str]:
    """The families with generic names such as `sans-serif` written out, if they are here."""
    installed = _installed()
    names: list[str] = [
        n for family in families() for n in _settings.get(f"font.{family}", [family])
    ]
    return [name for name in names if name in installed]


@lru_cache(maxsize=8)
def _characters(names: tuple[str, ...]) -> frozenset[int]:
    found: set[int] = set()
    for name in names:
        found.update(_fonts.get_font(_fonts.findfont(name)).get_charmap())
    return frozenset(found)
