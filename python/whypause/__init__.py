"""Why JVMs pause: tables of pauses of one host or of thousands, and the answer about one of them.

>>> import whypause, duckdb
>>> pauses = whypause.pauses("/var/log/kafka", host="k1")
>>> duckdb.sql("select cause, count(*), max(duration_ns) from pauses group by 1").fetchall()

Times are nanoseconds since 1970-01-01 UTC, lengths are nanoseconds, sizes are bytes: a column says it in its
name. All functions release Python's lock while they read.
"""

from __future__ import annotations

import glob
import io
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, Union, cast

from . import _native
from ._native import WhypauseError
from ._rows import Failure, Rows, warn_without_tqdm

__all__ = [
    "Failure",
    "Rows",
    "Source",
    "WhypauseError",
    "explain",
    "hours",
    "merge_hours",
    "pauses",
    "quantile_ns",
    "stalls",
    "version",
]

__version__ = _native.VERSION


class BinaryFile(Protocol):
    """A file object that gives bytes, as ``open(path, "rb")`` does."""

    def read(self, size: int, /) -> bytes: ...


Path = Union[str, "os.PathLike[str]"]

#: What is read: a path, several paths, the bytes of a log, or a file object that gives them.
Source = Union[Path, Iterable[Path], bytes, bytearray, memoryview, BinaryFile]


def pauses(
    source: Source,
    *,
    host: str | None = None,
    cluster: str | None = None,
    labels: Mapping[str, str] | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    skip: bool | None = None,
) -> Rows:
    """Returns a row for each pause: when, how long, why, and who did it.

    Args:
        source: GC logs (also compressed, in archives or rotated), recordings, rows (Parquet files that
            ``whypause watch --rows`` or ``whypause explain --format parquet`` wrote), directories with all that is
            below them, or patterns such as ``"logs/*/gc.log*"``. Files of one rotated log belong together however
            they are named, and what logs, recordings and rows of one host show is one row. Bytes and file objects are
            one log; a file object is read to its end at once, and what is over 64 MiB goes to a temporary file.
        host: name of the host; where it is not given, a directory ``host=NAME`` on the way says it, or else a
            recording, or else it is called as the first directory below ``source``.
        cluster: the cluster that it belongs to.
        labels: what its owners call it, as ``{"rack": "r7"}``.
        threads: number of threads that read; all CPUs that this process may use where it is not given.
        progress: whether to show a bar, which takes `tqdm`; where it is not given, on a terminal.
        skip: whether inputs that cannot be read are left out and listed in `Rows.failed`; otherwise the first of
            them ends the stream. Where it is not given, what was found in a directory or by a pattern is left
            out, and what was named is an error.

    Raises:
        WhypauseError: a path that is not there or cannot be read, as far as it is not left out.
        TypeError: ``source`` is none of these.
    """
    return _rows("pauses", source, host, cluster, labels, threads, progress, skip)


def hours(
    source: Source,
    *,
    host: str | None = None,
    cluster: str | None = None,
    labels: Mapping[str, str] | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    skip: bool | None = None,
) -> Rows:
    """Returns a row for each JVM and hour: sums of its pauses, which merge to sums of any group.

    Its column ``lengths`` is for `merge_hours` and `quantile_ns`. For arguments and errors see `pauses`.
    """
    return _rows("hours", source, host, cluster, labels, threads, progress, skip)


def stalls(
    source: Source,
    *,
    host: str | None = None,
    cluster: str | None = None,
    labels: Mapping[str, str] | None = None,
    threads: int | None = None,
    progress: bool | None = None,
    skip: bool | None = None,
) -> Rows:
    """Returns a row for each stall: threads that stood while the JVM ran. Only recordings have some.

    For arguments and errors see `pauses`.
    """
    return _rows("stalls", source, host, cluster, labels, threads, progress, skip)


def explain(path: Path) -> dict[str, Any]:
    """Returns the answer about one log or recording: what ``whypause explain --format json`` prints.

    `whypause schema` describes it; its ``schema_version`` is the version of that.

    Raises:
        WhypauseError: it cannot be read, or is several.
    """
    return cast("dict[str, Any]", json.loads(_native.explain(os.fspath(path))))


def merge_hours(lengths: Iterable[bytes]) -> bytes:
    """Returns the sum of values of the column ``lengths`` of `hours`, as one of them; in any order the same.

    They are histograms in HdrHistogram's format V2, exact to three digits, and so is their sum.

    Raises:
        WhypauseError: bytes that are something else.
    """
    return _native.merge_hours(lengths)


def quantile_ns(lengths: bytes, q: float) -> int:
    """Returns the length that the share ``q`` of the pauses does not exceed, in nanoseconds; 0 of no pauses.

    ``quantile_ns(merge_hours(column), 0.999)`` is the p99.9 of all of them, to three digits.

    Raises:
        WhypauseError: bytes that are something else, or a share that is not from 0 to 1.
    """
    return _native.quantile_ns(lengths, q)


def version() -> str:
    """Returns the version of whypause, which is that of the program."""
    return _native.VERSION


def _rows(
    table: str,
    source: Source,
    host: str | None,
    cluster: str | None,
    labels: Mapping[str, str] | None,
    threads: int | None,
    progress: bool | None,
    skip: bool | None,
    otherwise: str | None = None,
    instead: tuple[str, str] | None = None,
) -> Rows:
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, and not {threads}")
    warn_without_tqdm(progress)
    paths, content, name = _sorted_out(source)
    named = paths
    paths = [path for it in named for path in _matching(it)]
    if paths != named and skip is None:
        skip = True
    native = _native.rows(
        table,
        paths=paths,
        content=content,
        name=name,
        host=host,
        cluster=cluster,
        labels=sorted((labels or {}).items()),
        threads=threads,
        skip=skip,
        otherwise=otherwise,
        instead=instead,
    )
    return Rows(native, progress)


def _matching(path: str) -> list[str]:
    """Returns what matches, of a pattern; of what matches nothing itself, which is an error that names it."""
    if glob.has_magic(path) and not os.path.lexists(path):
        return sorted(glob.glob(path, recursive=True)) or [path]
    return [path]


def _sorted_out(source: Source) -> tuple[list[str], bytes | BinaryFile | None, str]:
    """Returns paths, or content and its name."""
    if isinstance(source, (str, os.PathLike)):
        return [os.fspath(source)], None, ""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return [], bytes(source), "<bytes>"
    if isinstance(source, io.TextIOBase):
        raise TypeError("a file that is open for text: open it with mode 'rb'")
    if hasattr(source, "read"):
        name = getattr(source, "name", None)
        return [], cast("BinaryFile", source), name if isinstance(name, str) else "<file>"
    if isinstance(source, Iterable):
        return [os.fspath(it) for it in source], None, ""
    raise TypeError(f"no path, bytes or file object, but {type(source).__name__}")
