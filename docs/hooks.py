"""What `mkdocs build` does to our pages before they are read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

# Our tests read options behind the language of a code block; Python-Markdown does not know them.
_OPTIONS = re.compile(r"^(```\w+) \{[^\n]*\}$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: object) -> str:
    """A page without the options of its code blocks."""
    return _OPTIONS.sub(r"\1", markdown)


_ROOT = Path(__file__).parents[1]
_OF_THE_REPOSITORY = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}


def on_files(files: Files, *, config: Any) -> Files:
    """The pages, with two that stand at the top of the repository."""
    for name, page in _OF_THE_REPOSITORY.items():
        text = (_ROOT / name).read_text(encoding="utf-8").replace("](docs/pages/", "](")
        files.append(File.generated(config, page, content=text))
    return files
