"""B76: the wheel holds what it should, and the ranges resolve."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

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
