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
from dataclasses import dataclass, field
from typing import Any

from ._native import log_stem

#: ``host=NAME`` in a path, as Hive lays out a table.
_HOST = re.compile(r"^host=(.+)$")
#: A table of a recording: ``slices-0000.parquet``, or ``.arrows`` while it is written. ``part-…`` are rows.
_TABLE = re.compile(r"^(?!part-)[a-z_]+-[0-9]{4,}\.(parquet|arrows)$")
_SCHEME = re.compile(r"^([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


@dataclass(frozen=True)
class Piece:
    """What one task reads: all of a host, or a rotated log of one without recordings."""

    #: What it is called in messages.
    name: str
    #: The host, where a directory ``host=NAME`` says it.
    host: str | None
    #: What it is called where a recording does not say it either.
    directory: str
    #: Files and recordings; of an object store as its file system names them.
    paths: tuple[str, ...]
    #: The URL whose file system they are in; empty of local paths.
    url: str = ""


@dataclass
class _Host:
    logs: dict[str, list[str]] = field(default_factory=dict)
    recordings: dict[str, None] = field(default_factory=dict)
    rows: list[str] = field(default_factory=list)


def pieces(paths: Iterable[str]) -> list[Piece]:
    """Returns what the paths name, divided as the program does it. Directories are searched; what is not there is a
    piece, too: to read it is an error that is reported as all others are."""
    hosts: dict[tuple[str, str | None, str], _Host] = {}
    for given in paths:
        url = given if _is_remote(given) else ""
        found = list(_remote(given) if url else _local(given))
        recordings = {folder for _, path in found for folder, name in [os.path.split(path)] if _TABLE.match(name)}
        for root, path in found:
            folder, name = os.path.split(path)
            of = hosts.setdefault((url, *_host(root, folder)), _Host())
            if folder in recordings:
                # All that lies in a recording is a part of it.
                of.recordings[folder] = None
            elif name.endswith(".parquet"):
                of.rows.append(path)
            else:
                of.logs.setdefault(os.path.join(folder, log_stem(name)), []).append(path)
    return [it for (url, host, directory), of in hosts.items() for it in _divided(url, host, directory, of)]


def _divided(url: str, host: str | None, directory: str, of: _Host) -> Iterator[Piece]:
    """Yields all of a host where there are recordings or rows of it, as they and a log show the same pauses."""
    if of.recordings or of.rows:
        paths = [*of.recordings, *of.rows, *(path for log in of.logs.values() for path in log)]
        yield Piece(host or directory, host, directory, tuple(paths), url)
        return
    for name, log in of.logs.items():
        yield Piece(name, host, directory, tuple(log), url)


def _host(root: str, folder: str) -> tuple[str | None, str]:
    """Returns the host that a directory on the way names, or else what it is called: as the first directory below the
    one that was named, or as that."""
    parts = folder.split("/")
    # The first one: who can write below ``host=a/`` alone does not speak for others by a directory in it.
    for part in parts:
        if named := _HOST.match(part):
            return named[1], ""
    below = os.path.relpath(folder, root).split("/") if root else ["."]
    if below[0] != "." and "=" not in below[0]:
        return None, below[0]
    return None, os.path.basename(root or folder)


def _is_remote(path: str) -> bool:
    scheme = _SCHEME.match(path)
    return scheme is not None and scheme[1].lower() != "file"


def _local(path: str) -> Iterator[tuple[str, str]]:
    """Yields files, each with the directory that was searched for it."""
    path = re.sub(r"^file:(//)?(?=/)", "", path)
    if os.path.isdir(path):
        yield from ((os.path.normpath(path), it) for it in _walk(os.path.normpath(path)))
    elif not os.path.exists(path) and glob.has_magic(path):
        for match in sorted(glob.glob(path, recursive=True)):
            yield from _local(match)
    else:
        yield "", path


def _walk(folder: str) -> Iterator[str]:
    """Yields all files below, in the order of their names. No link is followed."""
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(it for it in folders if not it.startswith("."))
        for name in sorted(names):
            path = os.path.join(at, name)
            if not name.startswith(".") and os.path.isfile(path) and not os.path.islink(path):
                yield path


def file_system(url: str) -> tuple[Any, str]:
    """Returns pyarrow's file system of a URL, and the path in it. `s3a://` and `s3n://`, as Hadoop writes them, are
    `s3://`."""
    from pyarrow import fs

    system, path = fs.FileSystem.from_uri(re.sub(r"^s3[an]:", "s3:", url, flags=re.IGNORECASE))
    return system, path


def _remote(url: str) -> Iterator[tuple[str, str]]:
    from pyarrow import fs

    system, path = file_system(url)
    if system.get_file_info(path).type != fs.FileType.Directory:
        yield "", path
        return
    found = system.get_file_info(fs.FileSelector(path, recursive=True))
    root = path.rstrip("/")
    yield from sorted((root, it.path) for it in found if it.type == fs.FileType.File)


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
