"""The command line `memori`: what memory can do, without writing a program."""

from __future__ import annotations

import click

from memori_core._version import __version__
from memori_core.cli._lazy import LazyCommand, LazyGroup

EXIT_CODES = """\b
Exit codes:
  0  done
  1  nothing was found, or a check failed
  2  wrong usage: an option or a value cannot be right
  3  the store, or a file, cannot be read or written
  4  the embedder cannot be used: a package or a model is missing
"""

COMMANDS = {
    "demo": LazyCommand("demo", "demo_command", "Show the main job, offline."),
    "remember": LazyCommand("facts", "remember_command", "Store a fact."),
    "capture": LazyCommand(
        "capture",
        "capture_command",
        "Store a conversation, wait for its facts, and show the new ones.",
    ),
    "recall": LazyCommand("recall", "recall_command", "Find the facts that bear on a question."),
    "why": LazyCommand("recall", "why_command", "Explain a recall and show the context block."),
    "list": LazyCommand("facts", "list_command", "List facts, oldest first."),
    "triples": LazyCommand(
        "triples", "triples_command", "List the statements of the knowledge graph, oldest first."
    ),
    "forget": LazyCommand("facts", "forget_command", "Delete facts for good."),
    "erase": LazyCommand("facts", "erase_command", "Remove everything about one user for good."),
    "export": LazyCommand(
        "transfer", "export_command", "Write facts, with history and vectors, as JSON Lines."
    ),
    "import": LazyCommand("transfer", "import_command", "Store the facts of an export."),
    "reindex": LazyCommand(
        "upkeep", "reindex_command", "Make vectors anew that another embedder made."
    ),
    "stats": LazyCommand("upkeep", "stats_command", "Count what is stored."),
    "doctor": LazyCommand("doctor", "doctor_command", "Check the installation and a store."),
    "eval": LazyCommand("evaluate", "eval_command", "Measure recall on real data."),
    "bench": LazyCommand(
        "bench", "bench_command", "Measure how long recall, capture and calls of a model take."
    ),
}


@click.group(
    cls=LazyGroup,
    commands_by_name=COMMANDS,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="memori")
def main() -> None:
    """Long-term memory for agents, in a SQLite file on this machine."""
