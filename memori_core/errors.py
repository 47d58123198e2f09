"""Everything memori-core raises on purpose.

```
MemoriError
├── ConfigError (ValueError)            a setting or argument cannot be right
├── ScopeError (ValueError)             no entity to remember for
├── QueueFullError                      the background queue has no room; nothing was stored
├── UnsupportedClientError (TypeError)  `register` does not know this client; lists those it does
├── MissingExtraError (ImportError)     names the pip line that fixes it
├── StoreError
│   ├── StoreClosedError
│   ├── StorageFullError
│   ├── SchemaVersionError
│   ├── LeaseLostError                  another worker has the job now; nothing was stored
│   └── DimensionMismatchError (ValueError)
├── EmbeddingError
└── ExtractionError
```
"""

from __future__ import annotations


class MemoriError(Exception):
    """The root of every error of this package."""


class ConfigError(MemoriError, ValueError):
    """A setting or argument cannot be right. The message names it, with its value."""


class ScopeError(MemoriError, ValueError):
    """There is no entity to remember for, or its id cannot be one."""


class QueueFullError(MemoriError):
    """The background queue has no room; nothing was stored."""


class UnsupportedClientError(MemoriError, TypeError):
    """`register` does not know this client. The message lists those it does."""


class MissingExtraError(MemoriError, ImportError):
    """An optional package is not installed. The message is a line to paste.

    Args:
        feature: What was asked for, as the user wrote it.
        package: The distribution that is missing.
        extra: The extra of memori-core that brings it.
    """

    def __init__(self, feature: str, *, package: str, extra: str) -> None:
        super().__init__(
            f'{feature} needs the package `{package}`: pip install "memori-core[{extra}]"'
        )


class StoreError(MemoriError):
    """A store could not do what was asked. What was stored before is untouched."""


class StoreClosedError(StoreError):
    """The store was used after `close()`."""


class StorageFullError(StoreError):
    """There is no room left to write. Everything stored before can still be read."""


class SchemaVersionError(StoreError):
    """The database was written by a newer version of this package."""


class LeaseLostError(StoreError):
    """A job is not, or no longer, leased as a batch says. Nothing of the batch was stored.

    It was given to another worker, was finished by one, or its entity was erased.
    """


class DimensionMismatchError(StoreError, ValueError):
    """A vector has not the number of components that the store or the embedder works with."""


class EmbeddingError(MemoriError):
    """A text could not be turned into a vector."""


class ExtractionError(MemoriError):
    """An extractor failed. The conversation it was given is kept."""


class EmbedderChangedWarning(UserWarning):
    """Some facts were embedded by another model, so they are found by their words only."""
