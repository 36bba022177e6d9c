"""What is written in Rust. Use what the package `whypause` has instead, which explains it."""

from collections.abc import Iterable, Sequence
from typing import Protocol, final

__all__ = ["VERSION", "Rows", "WhypauseError", "explain", "log_stem", "merge_hours", "quantile_ns", "rows"]

VERSION: str

class _Reads(Protocol):
    def read(self, size: int, /) -> bytes: ...

class WhypauseError(ValueError):
    message: str
    hint: str

@final
class Rows:
    def metadata(self, key: str) -> str | None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def progress(self) -> tuple[int, int | None, bool]: ...
    def failed(self) -> list[tuple[str, str, str]]: ...

def rows(
    table: str,
    *,
    paths: Sequence[str],
    content: bytes | _Reads | None,
    name: str,
    host: str | None,
    cluster: str | None,
    labels: Sequence[tuple[str, str]],
    threads: int | None,
    skip: bool | None,
    otherwise: str | None,
    instead: tuple[str, str] | None,
) -> Rows: ...
def explain(path: str) -> str: ...
def log_stem(file_name: str) -> str: ...
def merge_hours(histograms: Iterable[bytes]) -> bytes: ...
def quantile_ns(histogram: bytes, q: float) -> int: ...
