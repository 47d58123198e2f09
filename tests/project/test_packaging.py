"""B76: the wheel holds what it should, and the ranges resolve."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
PACKAGES = (
    "memori_core",
    "memori_langchain",
    "memori_llamaindex",
    "memori_pydantic_ai",
    "memori_agno",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    out = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(out), str(ROOT)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_each_package_with_its_type_marker(wheel: zipfile.ZipFile):
    names = set(wheel.namelist())
    for package in PACKAGES:
        assert f"{package}/__init__.py" in names
        assert f"{package}/py.typed" in names


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel: zipfile.ZipFile):
    sources = [
        (ROOT / "memori_core", ROOT),
        *((ROOT / "integrations" / name, ROOT / "integrations") for name in PACKAGES[1:]),
    ]
    expected = {
        path.relative_to(base).as_posix()
        for folder, base in sources
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert packed == expected


def test_data_files_are_packed(wheel: zipfile.ZipFile):
    data = {Path(name).suffix for name in wheel.namelist() if name.startswith("memori_core/")}
    assert ".txt" in data  # the cohort sentences


def test_the_wheel_carries_licence_version_and_command(wheel: zipfile.ZipFile):
    import memori_core

    names = wheel.namelist()
    info = next(name.split("/")[0] for name in names if ".dist-info/" in name)
    assert f"{info}/licenses/LICENSE" in names
    assert f"Version: {memori_core.__version__}" in wheel.read(f"{info}/METADATA").decode()
    assert "memori = memori_core.cli:main" in wheel.read(f"{info}/entry_points.txt").decode()


def test_b76_core_dependencies_are_ranges_with_a_floor_and_no_pin():
    for line in PROJECT["dependencies"]:
        operators = {clause.operator for clause in Requirement(line).specifier}
        assert operators == {">="}, line


@pytest.mark.parametrize("extra", EXTRAS)
def test_b76_each_extra_is_ranges_with_floors(extra: str):
    for line in EXTRAS[extra]:
        requirement = Requirement(line)
        if requirement.name == "memori-core":
            assert requirement.extras <= set(EXTRAS), line
            continue
        operators = {clause.operator for clause in requirement.specifier}
        assert ">=" in operators, line
        assert operators <= {">=", "<"}, line


def test_all_is_every_feature():
    named = set[str]().union(*(Requirement(line).extras for line in EXTRAS["all"]))
    assert named == set(EXTRAS) - {"all", "dev", "partners", "providers"}  # for our own tests


def test_every_missing_extra_that_is_raised_exists():
    """Memori's messages name extras that its package does not have."""
    used = {
        extra
        for folder in ("memori_core", "integrations")
        for path in (ROOT / folder).rglob("*.py")
        for extra in re.findall(r'extra="([^"]+)"', path.read_text(encoding="utf-8"))
    }
    pydantic = {"forbid", "allow", "ignore"}  # its setting of the same name
    assert used - pydantic <= set(EXTRAS)


def test_constraints_pin_what_the_core_and_the_tests_need():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    pinned = {pin.name.lower() for pin in pins}
    assert all(str(pin.specifier).startswith("==") for pin in pins)
    assert "torch" in pinned
    for line in (*PROJECT["dependencies"], *EXTRAS["offline"], *EXTRAS["fast"]):
        name = Requirement(line).name.lower()
        assert name in pinned | {"memori-core"}, name


@pytest.mark.slow
@pytest.mark.parametrize("extra", EXTRAS)
def test_b76_pip_resolves_each_extra(extra: str):
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "-qq", "--dry-run", "--ignore-installed"),
            *("-c", str(ROOT / "constraints.txt"), f"{ROOT}[{extra}]"),
        ],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_b76_what_is_installed_agrees():
    done = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


# ---------------------------------------------------------------------- the wheel, installed

LATER = {"chroma", "postgres", "mysql", "oracle", "mongo"}
"""Their stores come with later releases: nothing uses them yet, so resolving is all there is."""
OURS = {"providers", "partners", "dev"}
"""For this repository's own tests, which `make setup` installs."""

MEANING = """
    from memori_core import Memori

    with Memori(":memory:", embedder={embedder!r}) as memori:
        alice = memori.scoped("alice")
        alice.remember_many(["I'm allergic to peanuts.", "我住在上海。", "I have a dog: Rex."])
        print(alice.recall({query!r}, strictness={strictness})[0].content)
"""

USES: dict[str, tuple[str, str]] = {
    "local": (
        """
        from pathlib import Path

        from sentence_transformers import SentenceTransformer
        from transformers import BertConfig, BertModel, BertTokenizerFast

        from memori_core import Memori
        from memori_core.embedding import SentenceTransformerEmbedder

        # A model of three words that has learnt nothing: the extra brings no weights.
        vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "i", "play", "cello"]
        Path("vocab.txt").write_text("\\n".join(vocabulary))
        shape = {"num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
        config = BertConfig(vocab_size=len(vocabulary), hidden_size=8, **shape)
        BertModel(config).save_pretrained("words")
        BertTokenizerFast("vocab.txt").save_pretrained("words")
        SentenceTransformer("words").save("words")
        with Memori(":memory:", embedder=SentenceTransformerEmbedder("words")) as memori:
            alice = memori.scoped("alice")
            alice.remember("i play cello")
            print(alice.recall("play cello", strictness=0)[0].content)
        """,
        "i play cello",
    ),
    "offline": (
        MEANING.format(embedder="all-MiniLM-L6-v2", query="Which pet do I own?", strictness=1.0),
        "I have a dog: Rex.",
    ),
    "multilingual": (
        MEANING.format(embedder="multilingual", query="我家在哪个城市？", strictness=1.0),
        "我住在上海。",
    ),
    "static": (
        MEANING.format(embedder="static", query="What pet do I have?", strictness=0),
        "I have a dog: Rex.",
    ),
    "http": (
        """
        import json
        import threading
        from http.server import BaseHTTPRequestHandler, HTTPServer

        from memori_core import Memori


        class Vectors(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                pets = ["dog" in text or "pet" in text for text in body["input"]]
                data = [{"index": i, "embedding": [p, not p]} for i, p in enumerate(pets)]
                answer = json.dumps({"data": data}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *args):
                pass


        server = HTTPServer(("127.0.0.1", 0), Vectors)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1#any"
        with Memori(":memory:", embedder=url) as memori:
            alice = memori.scoped("alice")
            alice.remember_many(["I'm allergic to peanuts.", "I have a dog called Rex."])
            print(alice.recall("Which pet?", strictness=0)[0].content)
        """,
        "I have a dog called Rex.",
    ),
    # What the benchmark compares recall with: bm25s takes numba where it finds it.
    "fast": (
        """
        import sys

        import simsimd
        from memori_core.evaluation.baselines import bm25s_times
        from memori_core.evaluation.pools import made_up_pool

        print(bm25s_times(made_up_pool(100), limit=5).p50_ms > 0, "numba" in sys.modules)
        """,
        "True True",
    ),
    "spacy": (
        """
        from memori_core.retrieval.lemmas import default_lemmatizer
        from memori_core.retrieval.spacy_entities import SpacyEntityExtractor

        (found,) = SpacyEntityExtractor().extract(["yesterday we met Angela Merkel"])
        print([mention.text for mention in found], default_lemmatizer().lemmas(["mice ran"]))
        """,
        "['Angela Merkel'] [['mouse', 'run']]",
    ),
    "graph": (
        """
        from memori_core import Memori
        from memori_core.graph import to_networkx

        with Memori(":memory:", embedder=None) as memori:
            alice = memori.scoped("alice")
            alice.capture("I'm allergic to peanuts. I live in Porto.")
            memori.flush()
            print(sorted(to_networkx(alice.triples()).successors("User")))
        """,
        "['Porto', 'peanuts']",
    ),
    "notebooks": (
        """
        import nbformat
        from nbclient import NotebookClient

        cell = (
            "import matplotlib; matplotlib.use('agg')\\n"
            "from memori_core import Memori\\n"
            "memori = Memori(':memory:', embedder=None)\\n"
            "alice = memori.scoped('alice')\\n"
            "alice.remember('I play the cello.')\\n"
            "found = alice.recall('cello')\\n"
            "found.plot()\\n"
            "print(found.to_pandas()['content'].tolist())"
        )
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
        NotebookClient(notebook).execute()
        print(*(o.text for o in notebook.cells[0].outputs if o.get("name") == "stdout"))
        """,
        "['I play the cello.']",
    ),
    "classic": (
        """
        import warnings

        warnings.simplefilter("ignore")  # LangChain says that all of this is old
        from langchain_classic.chains import LLMChain
        from langchain_core.language_models import FakeListChatModel
        from langchain_core.prompts import PromptTemplate
        from memori_core import Memori
        from memori_langchain import MemoriMemory

        memori = Memori(":memory:", embedder=None)
        chain = LLMChain(
            llm=FakeListChatModel(responses=["Noted.", "No."]),
            prompt=PromptTemplate.from_template("{memories} {input}"),
            memory=MemoriMemory(memori=memori, entity_id="alice"),
        )
        chain.invoke({"input": "I am allergic to peanuts."})
        memori.flush()
        print(memori.scoped("alice").recall("peanuts")[0].content)
        """,
        "User is allergic to peanuts.",
    ),
    # Each framework is asked from the same memory.
    "all": (
        """
        from memori_core.cli import main

        try:
            main(["demo"])
        except SystemExit as e:
            assert not e.code
        """,
        "",
    ),
}

PAGES = {
    "langchain": "langchain",
    "llama-index": "llamaindex",
    "pydantic-ai": "pydantic_ai",
    "agno": "agno",
}
"""The docs page of each framework. Its first example is run, after its own pip line."""


class Venv:
    """An empty environment in a folder, away from this repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "venv" / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)

    def pip(self, *arguments: str | Path) -> None:
        done = subprocess.run(
            [self.python, "-m", "pip", *arguments], capture_output=True, text=True, timeout=1800
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def run(self, code: str) -> str:
        """What a script prints."""
        script = self.folder / "script.py"
        script.write_text(dedent(code), encoding="utf-8")
        done = subprocess.run(
            [self.python, script.name], cwd=self.folder, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()


@pytest.fixture
def venv() -> Iterator[Venv]:
    """Gone after the test: pytest would keep the gigabytes of its last three runs."""
    with TemporaryDirectory(prefix="memori-") as folder:
        yield Venv(Path(folder))


def example(page: str) -> tuple[str, str, list[str]]:
    """The extras in a page's pip line, its first example, and what that prints."""
    text = (ROOT / "docs" / "pages" / "tutorials" / f"{page}.md").read_text(encoding="utf-8")
    extras = re.search(r'^pip install "memori-core\[(.+)\]"$', text, re.MULTILINE)
    code = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert extras is not None
    assert code is not None
    return extras[1], code[1], re.findall(r"^ *#> (.*)$", code[1], re.MULTILINE)


def test_b76_the_lowest_versions_are_the_floors():
    text = (ROOT / "constraints-lowest.txt").read_text()
    ours, _, theirs = text.partition("# What they and the tests bring")
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)", ours, re.MULTILINE))
    frameworks = ("classic", *PAGES)
    lines = [*PROJECT["dependencies"], *(line for name in frameworks for line in EXTRAS[name])]
    for requirement in map(Requirement, lines):
        if requirement.name == "memori-core":
            continue
        pin = Version(pins.pop(requirement.name))
        (floor,) = [Version(c.version) for c in requirement.specifier if c.operator == ">="]
        assert pin == floor, requirement
    assert not pins
    newest = (ROOT / "constraints.txt").read_text().splitlines()
    assert set(theirs.splitlines()[1:]) <= set(newest)


def test_each_extra_of_users_is_put_to_use():
    assert set(USES) | set(PAGES) | LATER | OURS == set(EXTRAS)


@pytest.mark.slow
@pytest.mark.parametrize("extra", USES)
def test_b76_the_wheel_with_an_extra_does_what_the_extra_is_for(
    wheel: zipfile.ZipFile, venv: Venv, extra: str
):
    venv.pip("install", "-qq", "-c", ROOT / "constraints.txt", f"{wheel.filename}[{extra}]")
    venv.pip("check")
    code, printed = USES[extra]
    answer = venv.run(code)
    assert answer.endswith(printed)


@pytest.mark.slow
@pytest.mark.parametrize("extra", PAGES)
def test_b76_the_wheel_with_a_framework_runs_the_first_example_of_its_page(
    wheel: zipfile.ZipFile, venv: Venv, extra: str
):
    pinned = ("install", "-qq", "-c", ROOT / "constraints.txt")
    venv.pip(*pinned, f"{wheel.filename}[{extra}]")
    venv.pip("check")
    extras, code, printed = example(PAGES[extra])
    assert extra in extras.split(",")
    imports = re.findall(r"^from memori_.* import .*$", code, re.MULTILINE)
    assert imports
    assert venv.run("\n".join(imports)) == ""

    venv.pip(*pinned, f"{wheel.filename}[{extras}]")
    venv.pip("check")
    assert venv.run(code).splitlines() == printed


def floors() -> list[str]:
    """The lowest version that we claim, for each dependency of the core."""
    lines = [Requirement(line) for line in PROJECT["dependencies"]]
    return [f"{line.name}=={next(iter(line.specifier)).version}" for line in lines]


@pytest.mark.slow
@pytest.mark.parametrize("versions", ["as tested", "lowest"])
def test_b76_the_built_wheel_recalls_in_an_environment_of_its_own(
    wheel: zipfile.ZipFile, tmp_path: Path, versions: str
):
    """The core alone, without extras and without this repository on the path."""
    assert wheel.filename is not None
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "v")], check=True)
    python = tmp_path / "v" / "bin" / "python"
    pinned = ["-c", str(ROOT / "constraints.txt")] if versions == "as tested" else floors()
    subprocess.run(
        [python, "-m", "pip", "install", "-qq", *pinned, wheel.filename], check=True, timeout=900
    )
    code = (
        "from memori_core import Memori\n"
        "memori = Memori('memories.db', embedder=None)\n"
        "alice = memori.scoped('alice')\n"
        "alice.remember('User is allergic to peanuts.')\n"
        "print(alice.recall('peanuts')[0].content)\n"
        "memori.close()\n"
    )
    done = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == "User is allergic to peanuts.", done.stderr
