"""Which files are of one host, or of one rotated log: the pieces that a task of a cluster reads.

Only names are looked at. Whether a file is a log, the reader finds out.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ._native import log_stem

#: ``host=NAME`` in a path, as Hive lays out a table.
_HOST = re.compile(r"(?:^|/)host=([^/]+)/")
#: A table of a recording: ``slices-0000.parquet``, or ``.arrows`` while it is written. ``part-…`` are rows.
_TABLE = re.compile(r"^(?!part-)[a-z_]+-[0-9]{4,}\.(parquet|arrows)$")
_SCHEME = re.compile(r"^([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


@dataclass(frozen=True)
class Piece:
    """What one task reads: all of a host, a rotated log, or a recording."""

    #: What it is called in messages.
    name: str
    #: The host, where the paths say it.
    host: str | None
    #: Files and recordings; of an object store as its file system names them.
    paths: tuple[str, ...]
    #: The URL whose file system they are in; empty of local paths.
    url: str = ""


def pieces(paths: Iterable[str]) -> list[Piece]:
    """Returns what the paths name, divided. Directories are searched; what is not there is a piece, too: to read
    it is an error that is reported as all others are."""
    found: dict[tuple[str, str], tuple[str | None, dict[str, None]]] = {}
    for given in paths:
        url = given if _is_remote(given) else ""
        files = list(_remote(given) if url else _local(given))
        recordings = {folder for folder, name in map(os.path.split, files) if folder and _TABLE.match(name)}
        for path in files:
            folder, name = os.path.split(path)
            # All that lies in a recording is a part of it.
            item = folder if folder in recordings else path
            host = _HOST.search(path)
            of_log = item if folder in recordings else os.path.join(folder, log_stem(name))
            called = f"host={host[1]}" if host else of_log
            _, items = found.setdefault((url, called), (host[1] if host else None, {}))
            items[item] = None
    return [Piece(name, host, tuple(items), url) for (url, name), (host, items) in found.items()]


def _is_remote(path: str) -> bool:
    scheme = _SCHEME.match(path)
    return scheme is not None and scheme[1].lower() != "file"


def _local(path: str) -> Iterator[str]:
    path = re.sub(r"^file:(//)?(?=/)", "", path)
    if os.path.isdir(path):
        yield from _walk(path)
    elif not os.path.exists(path) and glob.has_magic(path):
        for match in sorted(glob.glob(path, recursive=True)):
            yield from _local(match)
    else:
        yield path


def _walk(folder: str) -> Iterator[str]:
    """Yields all files below, in the order of their names. No link is followed."""
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(at, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def file_system(url: str) -> tuple[Any, str]:
    """Returns pyarrow's file system of a URL, and the path in it. `s3a://` and `s3n://`, as Hadoop writes them, are
    `s3://`."""
    from pyarrow import fs

    system, path = fs.FileSystem.from_uri(re.sub(r"^s3[an]:", "s3:", url, flags=re.IGNORECASE))
    return system, path


def _remote(url: str) -> Iterator[str]:
    from pyarrow import fs

    system, path = file_system(url)
    info = system.get_file_info(path)
    if info.type != fs.FileType.Directory:
        yield path
        return
    found = system.get_file_info(fs.FileSelector(path, recursive=True))
    yield from sorted(it.path for it in found if it.type == fs.FileType.File)


@contextmanager
def at_hand(piece: Piece) -> Iterator[tuple[list[str], tuple[str, str] | None]]:
    """Gives local paths of a piece while it is read, and what stands for their beginning: of an object store a
    temporary directory has them. All of one piece has to fit there."""
    if not piece.url:
        yield list(piece.paths), None
        return
    scheme = piece.url.partition("://")[0]
    system, _ = file_system(piece.url)
    with tempfile.TemporaryDirectory(prefix="whypause-") as folder:
        for path in piece.paths:
            for file in _files_of(system, path):
                _fetch(system, file, folder)
        yield [os.path.join(folder, it) for it in piece.paths], (f"{folder}/", f"{scheme}://")


def _files_of(system: Any, path: str) -> list[str]:
    from pyarrow import fs

    if system.get_file_info(path).type != fs.FileType.Directory:
        return [path]
    found = system.get_file_info(fs.FileSelector(path))
    return [it.path for it in found if it.type == fs.FileType.File]


def _fetch(system: Any, path: str, folder: str) -> None:
    target = os.path.normpath(os.path.join(folder, path.lstrip("/")))
    if not target.startswith(f"{folder}/"):
        raise ValueError(f"`{path}` leads out of its directory")
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with system.open_input_stream(path, compression=None) as source, open(target, "wb") as sink:
        shutil.copyfileobj(source, sink, 1 << 20)
