"""``python3 -I -m whypause.sql``: what the package `whypause.sql` explains."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Any, NoReturn

import whypause

from . import _fleet, _text
from ._fleet import Fleet
from ._inventory import QueryError

#: Inputs that are named where they cannot be read.
_MOST_NAMED = 20
#: Rows that are fetched at once.
_ROWS = 1024

_USAGE = 2
_INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise QueryError(message, "whypause fleet PATH... --sql QUERY [--format text|csv|json] [--inventory FILE]")


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = _Parser(prog="whypause.sql", description="Asks in SQL about pauses.", allow_abbrev=False)
    parser.add_argument("--format", choices=("text", "csv", "json"), default="text", help="how to write the answer")
    parser.add_argument("--inventory", metavar="FILE", help="a CSV file of what is known of the hosts")
    parser.add_argument("--sql", metavar="QUERY", required=True, help="one query")
    parser.add_argument("paths", metavar="PATH", nargs="+", help="logs, recordings, rows, or directories of them")
    return parser.parse_args(words)


def _run(words: list[str]) -> None:
    args = _arguments(words)
    with Fleet(args.paths, inventory=args.inventory) as fleet:
        try:
            answer = fleet.execute(args.sql)
            _say_failed([it for it in fleet.failed if not _is(it.source, args.inventory)])
            _write(args.format, answer)
        except _fleet.errors() as error:
            raise _fleet.clear(error) from None


def _write(form: str, answer: Any) -> None:
    columns = [it[0] for it in answer.description]
    rows = (row for rows in iter(lambda: answer.fetchmany(_ROWS), []) for row in rows)
    if form == "csv":
        _text.write_csv(columns, rows, sys.stdout)
    elif form == "json":
        _text.write_json(columns, rows, sys.stdout)
    elif _text.write_text(columns, rows, sys.stdout):
        sys.stdout.flush()
        _say(f"note: there are more than these {_text.MOST_ROWS:,} rows: `--format csv` writes all")
    sys.stdout.flush()


def _is(source: str, inventory: str | None) -> bool:
    """Whether an input is the inventory, which may lie beside what it is about."""
    try:
        return inventory is not None and os.path.samefile(source, inventory)
    except OSError:
        return False


def _say_failed(failed: list[whypause.Failure]) -> None:
    for it in failed[:_MOST_NAMED]:
        _say(f"note: not read: {it.message}")
    if len(failed) > _MOST_NAMED:
        _say(f"note: not read: {len(failed) - _MOST_NAMED} more")


def _say(line: str) -> None:
    print(_text.one_line(line), file=sys.stderr)


def _end(*_: object) -> NoReturn:
    """Ends it at once: an exception of a handler may be lost on its way through DuckDB."""
    _fleet.remove_folders()
    os._exit(_INTERRUPTED)


def _ended(error: Exception) -> int:
    """Says what went wrong, and returns the exit code."""
    if isinstance(error, BrokenPipeError):
        # Who reads has seen enough; what Python still holds goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if not isinstance(error, (QueryError, OSError, MemoryError)):
        raise error
    _say(f"error: {error.message if isinstance(error, QueryError) else error}")
    if isinstance(error, QueryError) and error.hint:
        _say(f"hint: {error.hint}")
    return _USAGE


def main(words: list[str] | None = None) -> int:
    """Runs it, and returns the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    for stream in (sys.stdout, sys.stderr):
        # Names in logs need be no UTF-8, and a terminal need not have it.
        getattr(stream, "reconfigure")(encoding="utf-8", errors="backslashreplace")
    try:
        _run(sys.argv[1:] if words is None else words)
    except Exception as error:
        return _ended(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
