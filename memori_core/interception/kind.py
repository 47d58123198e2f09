"""What a kind of client must offer so that `register` can serve it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from memori_core.interception.interceptor import Interceptor


class ClientKind(ABC):
    """How one SDK's clients are registered. Objects hold no clients.

    What a registration needs (our interceptor, and what was there before) lives on the client, so
    that it goes when the client goes. A module of ours has its kinds in `KINDS`, and imports no
    SDK: looking at a client that somebody made is enough.
    """

    name: ClassVar[str]
    """For error texts and reports: `"OpenAI"`."""

    @abstractmethod
    def matches(self, client: Any) -> bool:
        """Whether the client is of this kind. Must not raise for any object."""

    @abstractmethod
    def installed(self, client: Any) -> Interceptor | None:
        """The interceptor of a registered client; None for one that is not registered."""

    @abstractmethod
    def install(self, client: Any, interceptor: Interceptor) -> None:
        """Put the interceptor in. The client is not registered.

        Raises:
            UnsupportedClientError: This client cannot be served, though others of its kind can.
        """

    @abstractmethod
    def remove(self, client: Any) -> None:
        """Put everything back as it was. The client is registered."""
