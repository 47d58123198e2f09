"""What `mkdocs build` does to our pages before they are read."""

from __future__ import annotations

import re

# Our tests read options behind the language of a code block; Python-Markdown does not know them.
_OPTIONS = re.compile(r"^(```\w+) \{[^\n]*\}$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: object) -> str:
    """A page without the options of its code blocks."""
    return _OPTIONS.sub(r"\1", markdown)
