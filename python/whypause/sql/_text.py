"""Answers as text, CSV and JSON, whatever is in them."""

from __future__ import annotations

import datetime
import decimal
import itertools
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

#: Rows of an answer that is shown to people.
MOST_ROWS = 1000
#: Characters of a cell that is shown to people.
MOST_CELL = 60
#: Characters of a message.
_MOST_LINE = 400
#: What a spreadsheet takes for a formula.
_FORMULA = re.compile(r"[=+\-@\t\r]")
_SPECIAL = re.compile(r'[",\r\n]')
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def escaped(text: str) -> str:
    """Returns it without what a terminal would obey: control characters, line ends and marks of direction as escapes."""
    return "".join(it if it == " " or it.isprintable() else _escape(it) for it in text)


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character, f"\\x{code:02x}")
    return f"\\u{{{code:x}}}"


def one_line(text: str) -> str:
    """Returns a message as one line of bounded length."""
    line = escaped(" ".join(text.split()))
    return line if len(line) <= _MOST_LINE else line[: _MOST_LINE - 1] + "…"


def plain(value: Any) -> Any:
    """Returns a value as JSON has it: times as RFC 3339 in UTC, bytes as hexadecimal digits, NaN as null."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            return value.isoformat()
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat() + "Z"
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(plain(key)): plain(it) for key, it in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(it) for it in value]
    return str(value)


def _cell(value: Any) -> str:
    value = plain(value)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def harmless(text: str) -> str:
    """Returns a cell that no spreadsheet runs."""
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def write_csv(columns: list[str], rows: Iterable[tuple[Any, ...]], out: TextIO) -> None:
    """Writes all rows, after a line of names."""
    out.write(",".join(_quoted(harmless(it)) for it in columns) + "\n")
    for row in rows:
        out.write(",".join(_quoted(harmless(_cell(it))) for it in row) + "\n")


def _quoted(cell: str) -> str:
    """Returns a cell as RFC 4180 has it. Python's own writer leaves a carriage return bare."""
    return '"' + cell.replace('"', '""') + '"' if _SPECIAL.search(cell) else cell


def write_json(columns: list[str], rows: Iterable[tuple[Any, ...]], out: TextIO) -> None:
    """Writes a list of objects, one on each line. Of columns with the same name, the later ones get a number."""
    names = list(_different(columns))
    before = "[\n"
    for row in rows:
        values = {name: plain(it) for name, it in zip(names, row)}
        out.write(before + json.dumps(values, ensure_ascii=False, allow_nan=False))
        before = ",\n"
    out.write("[]\n" if before == "[\n" else "\n]\n")


def _different(columns: list[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in columns:
        number, other = 1, name
        while other in seen:
            other, number = f"{name}_{number}", number + 1
        seen.add(other)
        yield other


def write_text(columns: list[str], rows: Iterator[tuple[Any, ...]], out: TextIO) -> bool:
    """Writes a table for people; returns whether there are more rows than it shows."""
    shown = list(itertools.islice(rows, MOST_ROWS))
    is_cut = next(rows, None) is not None
    numbers = [
        any(row[at] is not None for row in shown)
        and all(row[at] is None or _is_number(row[at]) for row in shown)
        for at in range(len(columns))
    ]
    lines = [[_short(it) for it in columns], *([_short(_cell(it)) for it in row] for row in shown)]
    widths = [max(_width(line[at]) for line in lines) for at in range(len(columns))]
    for line in lines:
        cells = (_padded(*it) for it in zip(line, widths, numbers))
        out.write("  ".join(cells).rstrip() + "\n")
    return is_cut


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool)


def _short(text: str) -> str:
    # What is cut off need not be escaped.
    text = escaped(text[: MOST_CELL + 1])
    return text if len(text) <= MOST_CELL else text[: MOST_CELL - 1] + "…"


def _width(text: str) -> int:
    """Returns how many places of a terminal it takes."""
    wide = sum(unicodedata.east_asian_width(it) in "WF" for it in text)
    return len(text) + wide - sum(unicodedata.combining(it) != 0 for it in text)


def _padded(text: str, width: int, is_number: bool) -> str:
    blank = " " * (width - _width(text))
    return blank + text if is_number else text + blank
