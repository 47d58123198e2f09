"""What can be set about an agent's memory, and what cannot be right."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self, get_args

from pydantic_ai.capabilities import AbstractCapability

from memori_core import Memori, Scope
from memori_core.errors import ConfigError
from memori_core.hooks import OnError
from memori_pydantic_ai._identity import Resolver
from memori_pydantic_ai.tools import TOOLS, ToolName

Inject = Literal["request", "history", "instructions", "off"]
CapturePartial = Literal["skip", "user", "both"]
OnMissingIdentity = Literal["skip", "raise"]


@dataclass
class MemoryOptions(AbstractCapability[Any]):
    """The fields of `MemoriCapability`."""

    memori: Memori
    """The memory."""
    _: KW_ONLY
    user_id: Resolver = None
    """Whose memory: a function of the run's context, or an id for programs with one user. None
    takes `user_id` of the deps, else of the run's metadata, else the scope of `memori`."""
    agent_id: Resolver = None
    """Which agent remembers; None for the agent's name."""
    session_id: Resolver = None
    """Which conversation goes on; None for the run's `conversation_id`."""
    recall: bool = True
    """Whether facts are recalled and shown to the model."""
    capture: bool = True
    """Whether turns are stored."""
    tools: bool | Collection[ToolName] = False
    """Tools for the model: all of `search_memory`, `remember` and `forget`, or those named."""
    inject: Inject = "request"
    """Where recalled facts stand: beside the prompt in each request of the run and nowhere else, in
    the history, in the instructions, or nowhere."""
    limit: int = 5
    """At most so many facts beside the pinned ones."""
    strictness: float = 1.0
    """Scales the cut below which nothing is recalled; 0 switches it off."""
    capture_partial: CapturePartial = "user"
    """What is stored of a turn without an answer: nothing, what the user said, or also what there
    is of the answer."""
    on_error: OnError = "log"
    """What to do with a failure of the memory: log it and go on without, or raise it, for tests."""
    on_missing_identity: OnMissingIdentity = "skip"
    """What to do if nobody is named: run without memory and warn once, or raise before the run."""
    id: str | None = "memori"
    """Stable, since durable engines and saved runs know the capability by it."""

    def __post_init__(self) -> None:
        for name, words in (
            ("inject", get_args(Inject)),
            ("capture_partial", get_args(CapturePartial)),
            ("on_missing_identity", get_args(OnMissingIdentity)),
        ):
            if (value := getattr(self, name)) not in words:
                raise ConfigError(f"`{name}` is one of {', '.join(words)}, got {value!r}.")
        if unknown := set(self.tool_names()) - set(TOOLS):
            raise ConfigError(f"`tools` are of {', '.join(TOOLS)}, got {sorted(unknown)}.")
        if self.limit < 1:
            raise ConfigError(f"`limit` must be at least 1, got {self.limit}.")
        if self.strictness < 0:
            raise ConfigError(f"`strictness` must be 0 or more, got {self.strictness}.")
        if isinstance(self.user_id, str):
            Scope(self.user_id)  # refuses what is no id

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[Any]]) -> AbstractCapability[Any]:
        """Two memories of one id are never one: which of the two users' would it be?

        Raises:
            ConfigError: Always.
        """
        raise ConfigError(
            f"{len(capabilities)} MemoriCapability have the id {capabilities[0].id!r}, and "
            "an agent has one. Leave one out, or give the others an `id` of their own."
        )

    @classmethod
    def from_spec(
        cls,
        path: str | None = None,
        *,
        embedder: str | None = "all-MiniLM-L6-v2",
        user_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        recall: bool = True,
        capture: bool = True,
        tools: bool | list[ToolName] = False,
        inject: Inject = "request",
        limit: int = 5,
        strictness: float = 1.0,
        capture_partial: CapturePartial = "user",
        on_missing_identity: OnMissingIdentity = "skip",
        id: str = "memori",
    ) -> Self:
        """The capability that an agent's YAML or JSON file describes.

        Args:
            path: The SQLite file of the memory; None for `memori.db`.
            embedder: As `Memori` takes it, by name; None recalls by words only.
            user_id: As in the class, like all that follow; functions cannot be written in a file.
        """
        return cls(
            Memori(path, embedder=embedder),
            user_id=user_id,
            agent_id=agent_id,
            session_id=session_id,
            recall=recall,
            capture=capture,
            tools=tools,
            inject=inject,
            limit=limit,
            strictness=strictness,
            capture_partial=capture_partial,
            on_missing_identity=on_missing_identity,
            id=id,
        )

    def tool_names(self) -> Collection[ToolName]:
        """Which tools the model gets."""
        if isinstance(self.tools, bool):
            return TOOLS if self.tools else ()
        return self.tools

    @property
    def recalls(self) -> bool:
        """Whether facts are looked for before the model is asked."""
        return self.recall and self.inject != "off"
