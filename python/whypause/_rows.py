"""Rows that any library for Arrow takes, read while they are taken."""

from __future__ import annotations

import sys
import threading
import warnings
from dataclasses import dataclass
from typing import Any

from . import _native

#: How often a bar is drawn, in seconds.
_EVERY_S = 0.2


@dataclass(frozen=True)
class Failure:
    """An input that could not be read."""

    #: Its path, or what it is called.
    source: str
    #: What is wrong, in one line.
    message: str
    #: What to do; empty where there is nothing to say.
    hint: str


class Rows:
    """Rows of one table, as a stream of Arrow batches.

    Give it to whatever takes Arrow: ``pyarrow.table(rows)``, ``polars.DataFrame(rows)``,
    ``pandas.DataFrame.from_arrow(rows)``, or DuckDB, which takes a variable by its name. None of them needs
    pyarrow, but for pyarrow itself.

    Nothing is read before it is taken, and each time it is taken it is read anew. Some batches are ahead of
    what was taken, and no more than that is in memory. Batches come in the order of the inputs.
    """

    def __init__(self, native: _native.Rows, progress: bool | None) -> None:
        self._native = native
        self._progress = progress

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Begins to read and returns the stream as a PyCapsule of the name ``arrow_array_stream``.

        What cannot be read is an error of the stream, and whatever takes it raises it as an exception of its
        own, with the text of `WhypauseError`; unless ``skip`` was given.
        """
        capsule = self._native.__arrow_c_stream__(requested_schema)
        if _wants_bar(self._progress):
            threading.Thread(target=_show, args=(self._native,), daemon=True).start()
        return capsule

    def __arrow_c_schema__(self) -> object:
        """Returns the schema as a PyCapsule of the name ``arrow_schema``."""
        return self._native.__arrow_c_schema__()

    @property
    def schema_version(self) -> int:
        """Version of the table's schema. A new column does not change it."""
        return int(self._native.metadata("whypause.schema_version") or 0)

    @property
    def failed(self) -> list[Failure]:
        """What could not be read, of the reading that began last, as far as it has come."""
        return [Failure(*it) for it in self._native.failed()]


def _wants_bar(progress: bool | None) -> bool:
    return sys.stderr.isatty() if progress is None else progress


def _show(native: _native.Rows) -> None:
    """Draws a bar until all is read. It runs in a thread of its own: what reads does not know of Python."""
    try:
        from tqdm.auto import tqdm
    except ModuleNotFoundError:
        return
    read, size, is_over = native.progress()
    bar: Any = tqdm(total=size, unit="B", unit_scale=True, desc="whypause", leave=False)
    pause = threading.Event()
    while not is_over:
        bar.update(read - bar.n)
        pause.wait(_EVERY_S)
        read, _, is_over = native.progress()
    bar.update(read - bar.n)
    bar.close()


def warn_without_tqdm(progress: bool | None) -> None:
    """Says that no progress will be shown, to who asked for it."""
    if not progress:
        return
    try:
        import tqdm  # noqa: F401
    except ModuleNotFoundError:
        warnings.warn("no progress is shown: tqdm is not installed", stacklevel=3)
