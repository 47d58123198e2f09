"""Finding model files on this machine, and making sure that they are the right ones."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from memori_core._extras import is_installed
from memori_core.embedding._torch import settle_bars
from memori_core.errors import EmbeddingError


def package_folder(module: str) -> Path | None:
    """The folder of an installed package, without importing it. None when it is not installed."""
    if not is_installed(module):
        return None
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent


def sha256_of(path: Path) -> str:
    """The sha256 of a file as hexadecimal text."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(path: Path, *, sha256: str, package: str) -> None:
    """Make sure that a packaged model file is the one this release was tested with.

    Raises:
        EmbeddingError: It is missing, or its bytes are others.
    """
    try:
        found = sha256_of(path)
    except OSError as e:
        raise EmbeddingError(f"The weights of `{package}` cannot be read: {e}") from e
    if found != sha256:
        raise EmbeddingError(
            f"The weights of `{package}` at {path} are not those this release was tested with: "
            f"sha256 {found}, expected {sha256}. They were not loaded; reinstall the package."
        )


def hub_folder(repository: str) -> Path | None:
    """The folder of a model in the local Hugging Face cache. Never asks the network."""
    settle_bars()
    from huggingface_hub import snapshot_download  # pyright: ignore[reportUnknownVariableType] (a bare `dict` in its signature)
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(repository, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError):
        return None
