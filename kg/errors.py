"""The one error tree.

StepladderError
├── UsageError            the caller asked for something that cannot be: wrong name, wrong value
├── ReadError             a file could not be read as a trajectory
├── StoreError            the store could not be opened, read or written
│   └── SchemaError       the store was written by another, incompatible version
├── EmbeddingError        the embedder could not be loaded or does not fit the store
├── LlmError              a language model could not be asked, or may not be
└── PluginError           a reader, store, embedder or distiller could not be loaded
"""


class StepladderError(Exception):
    """What failed, with the value and the place, and in `hint` what to do next."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(StepladderError):
    """The caller asked for something that cannot be."""


class ReadError(StepladderError):
    """A file could not be read as a trajectory."""


class StoreError(StepladderError):
    """The store could not be opened, read or written."""


class SchemaError(StoreError):
    """The store was written by another, incompatible version."""


class EmbeddingError(StepladderError):
    """The embedder could not be loaded or does not fit the store."""


class LlmError(StepladderError):
    """A language model could not be asked, or may not be."""


class PluginError(StepladderError):
    """A reader, store, embedder or distiller could not be loaded."""
