"""Every notebook is committed without outputs, and runs from a clean kernel, each cell twice.

A cell that runs twice in a row without harm can be run any number of times. The kernel has a home,
a temporary folder and a working directory of its own, and an audit hook that writes down what
reaches beyond them: a file that is written elsewhere, an address that is not this machine's.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.font_manager  # builds matplotlib's list of fonts, which takes a while, only once
import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGE = ROOT / "docs" / "pages" / "tutorials" / "notebooks.md"

pytestmark = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

# Runs in the kernel before the first cell. It writes through a descriptor that is open already, so
# that it does not report itself.
WATCH = """
import os, sys
ROOTS = {roots!r}
LOG = os.open({log!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT

def outside(path):
    if not isinstance(path, (str, bytes, os.PathLike)):  # a descriptor that is open
        return False
    name = os.fsdecode(path).removeprefix("file:").partition("?")[0]
    if name == ":memory:":
        return False
    full = os.path.realpath(name)
    # Python's own compiled files are no trace of a notebook.
    return "__pycache__" not in full and not (full + os.sep).startswith(tuple(ROOTS))

def watch(event, args):
    seen = None
    if event == "open" and args[2] & WRITES and outside(args[0]):
        seen = args[0]
    elif event in ("sqlite3.connect", "os.mkdir", "os.rename") and outside(args[0]):
        seen = args[0]
    elif event == "socket.connect" and isinstance(args[1], tuple):
        seen = args[1] if args[1][0] not in ("127.0.0.1", "::1", "localhost") else None
    if seen is not None:
        os.write(LOG, f"{{event}} {{seen}}\\n".encode())

sys.addaudithook(watch)
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a short name: the kernel's sockets are in it, and their paths are limited."""
    with tempfile.TemporaryDirectory(prefix="nb") as name:
        yield Path(name).resolve()


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def every_cell_twice(notebook: Any) -> Any:
    cells: list[Any] = []
    for cell in notebook.cells:
        cells.append(cell)
        if cell.cell_type == "code":
            cells.append(nbformat.v4.new_code_cell(cell.source, id=f"{cell.id}-again"))
    notebook.cells = cells
    return notebook


# What other tests leave in this process: torch, for one, sets the folder of its caches when it is
# imported, below a temporary folder that may be another test's.
_NOT_OURS = ("MEMORI_", "OPENAI_", "JPY_", "TORCHINDUCTOR_", "TRITON_")


def watched_environment(place: Path) -> dict[str, str]:
    """What the kernel sees: no settings of ours, homes below `place`, the watch at its start."""
    for name in ("home", "tmp", "work", "ipython/profile_default/startup"):
        (place / name).mkdir(parents=True)
    # Reading and locking its list of fonts there is matplotlib's own affair.
    roots = [f"{place}{os.sep}", f"{mpl.get_cachedir()}{os.sep}", "/dev/", "/proc/"]
    watch = WATCH.format(roots=roots, log=str(place / "watched.log"))
    (place / "ipython/profile_default/startup/00_watch.py").write_text(watch, encoding="utf-8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_NOT_OURS)}
    return kept | {
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "tmp"),
        "IPYTHONDIR": str(place / "ipython"),
        "MPLCONFIGDIR": mpl.get_cachedir(),
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }


def test_is_committed_without_outputs_and_with_ids_that_stay(path: Path) -> None:
    notebook: Any = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    for cell in code_cells(notebook):
        assert cell.outputs == []
        assert cell.execution_count is None


def test_is_numbered_without_a_clash_and_listed_in_the_docs(path: Path) -> None:
    number = re.match(r"\d\d(?=_[a-z])", path.name)
    assert number, "a notebook is called like 01_quickstart.ipynb"
    assert [other.name for other in NOTEBOOKS if other.name.startswith(number[0])] == [path.name]
    assert f"`{path.name}`" in PAGE.read_text(encoding="utf-8")


async def test_runs_twice_from_a_clean_kernel_and_leaves_nothing_behind(
    path: Path, place: Path
) -> None:
    notebook = every_cell_twice(nbformat.read(path, as_version=4))
    before = sorted(path.parent.iterdir())
    environment = watched_environment(place)
    client = NotebookClient(
        notebook,
        # Over files rather than TCP, of which ipykernel warns: other users could listen.
        km=AsyncKernelManager(kernel_name="python3", transport="ipc", ip=str(place / "socket")),
        timeout=200,
        resources={"metadata": {"path": str(place / "work")}},
    )
    await client.async_execute(env=environment, cleanup_kc=True)  # the kernel ends with it
    for cell in code_cells(notebook):
        for output in cell.outputs:
            assert output.get("name") != "stderr", f"{cell.id}: {output.text}"
    assert (place / "watched.log").read_text(encoding="utf-8") == ""
    assert sorted(path.parent.iterdir()) == before
