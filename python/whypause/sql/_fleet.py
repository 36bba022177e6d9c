"""Tables in DuckDB, which are read when a query names them."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from importlib import resources
from pathlib import Path as _Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Union

import whypause

from ._inventory import FILLED, Inventory, QueryError, read_inventory
from ._text import one_line

if TYPE_CHECKING:
    import duckdb

Path = Union[str, "os.PathLike[str]"]

#: The tables, in the order in which they are named to people.
TABLES = ("pauses", "hours", "stalls")
#: What the rows that are being read are called in DuckDB.
_ROWS = "whypause_rows"
#: The inventory as it fills columns.
_KNOWN = "whypause_known"
#: Where rows are kept now.
_folders: set[str] = set()
#: What DuckDB says before its message: the kind of error.
_KIND = re.compile(r"^(?:TransactionContext Error: )?[A-Z][A-Za-z-]*(?: [A-Z][A-Za-z-]*)* Error: ")
#: What a function in Python raises.
_RAISED = re.compile(r"executing the UDF: \w+: (.*)(?:\nhint: (.*))?")
#: A view in `views.sql`.
_VIEW = re.compile(r"(?ms)^create or replace view (\w+) as\n(.*?);$")


class Fleet:
    """Tables of what the paths name, for queries.

    Each table is read when the first query names it, or a view over it, and is kept in a temporary file until
    `close`. DuckDB opens nothing else: a query cannot read other files, load extensions, or change settings.
    """

    def __init__(self, paths: Union[Path, Iterable[Path]], *, inventory: Path | None = None) -> None:
        """Begins with nothing read.

        Args:
            paths: GC logs, recordings, rows, and directories of them, as for `whypause.pauses`.
            inventory: a CSV file with a column ``host``: ``cluster``, ``kernel`` and ``boot`` fill those columns
                where they are null, and others become labels.

        Raises:
            QueryError: no DuckDB, a path that is not there, or an inventory that cannot be read.
        """
        given = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        self._paths = [os.fspath(it) for it in given]
        for it in self._paths:
            if not os.path.lexists(it):
                raise QueryError(f"no such file or directory: `{it}`", _NOTHING_HINT)
        known = read_inventory(inventory) if inventory is not None else None
        self._failed: dict[str, whypause.Failure] = {}
        self._loaded: dict[str, int] = {}
        self._folder = tempfile.mkdtemp(prefix="whypause-")
        _folders.add(self._folder)
        try:
            self._connection = _connected(_Path(self._folder))
            self._prepare(known)
        except BaseException:
            self._remove()
            raise

    def query(self, sql: str) -> duckdb.DuckDBPyRelation:
        """Returns the answer to one query. What it names and was not read yet is read before.

        Raises:
            QueryError: the query is wrong, which is found out before anything is read; or there is nothing about
                pauses in the paths.
        """
        self._read_for(sql)
        return self._connection.sql(sql)

    def execute(self, sql: str) -> duckdb.DuckDBPyConnection:
        """Begins to answer one query, for ``fetchmany``; otherwise as `query`."""
        self._read_for(sql)
        try:
            return self._connection.execute(sql)
        except errors() as error:
            raise clear(error) from None

    def _read_for(self, sql: str) -> None:
        """Checks a query, and reads what it names."""
        from duckdb import StatementType

        try:
            statements = self._connection.extract_statements(sql)
            if len(statements) != 1 or statements[0].type != StatementType.SELECT:
                raise QueryError(
                    "`--sql` takes one query, and nothing that changes tables or settings",
                    "begin it with `select`, `with` or `from`",
                )
            self._connection.execute(f"explain {statements[0].query}").fetchall()
            for table in self._named(sql):
                self._load(table)
        except errors() as error:
            raise clear(error) from None
        self._check_that_there_is_something()

    @property
    def failed(self) -> list[whypause.Failure]:
        """What could not be read, as far as it was tried, in the order of names."""
        return [self._failed[it] for it in sorted(self._failed)]

    def close(self) -> None:
        """Forgets all rows."""
        self._connection.close()
        self._remove()

    def _remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        _folders.discard(self._folder)

    def __enter__(self) -> Fleet:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self, known: Inventory | None) -> None:
        """Makes empty tables, views and functions, so that a query can be checked."""
        self._is_filled = known is not None
        known = known or Inventory(["host"], [])
        known.write(self._connection, "inventory", _KNOWN)
        register(self._connection)
        for table in TABLES:
            self._write(table, _rows_of(table, []))
        self._connection.execute(views())

    def _load(self, table: str) -> None:
        if table in self._loaded:
            return
        rows = _rows_of(table, self._paths)
        self._write(table, rows)
        self._failed.update((it.source, it) for it in rows.failed)
        self._loaded[table] = self._connection.execute(f"select count(*) from {table}").fetchall()[0][0]

    def _write(self, table: str, rows: whypause.Rows) -> None:
        """Keeps rows as a table; names in this SQL are constants."""
        self._connection.register(_ROWS, rows)
        try:
            fill = _FILL if self._is_filled else f"from {_ROWS}"
            self._connection.execute(f"create or replace table {table} as {fill}")
        finally:
            self._connection.unregister(_ROWS)

    def _named(self, sql: str) -> list[str]:
        """Returns the tables that a query names, and those of the views that it names."""
        bodies = dict(_VIEW.findall(views()))
        found: set[str] = set()
        left = [sql]
        while left:
            parsed = self._connection.execute("select json_serialize_sql(?::varchar)", [left.pop()]).fetchall()
            for name in _names(json.loads(parsed[0][0])) - found:
                found.add(name)
                left += [bodies[name]] if name in bodies else []
        return [it for it in TABLES if it in found]

    def _check_that_there_is_something(self) -> None:
        """Many inputs have no stalls, but what has no pauses either is none."""
        if sum(self._loaded.values()) or not {"pauses", "hours"} & set(self._loaded):
            return
        paths = ", ".join(f"`{it}`" for it in self._paths)
        why = next((f": {it.message}" for it in self.failed), "")
        raise QueryError(f"there is nothing about pauses in {paths}{why}", _NOTHING_HINT)


def remove_folders() -> None:
    """Removes what is left on the disk, where a signal ends the process."""
    for it in list(_folders):
        shutil.rmtree(it, ignore_errors=True)


def register(connection: duckdb.DuckDBPyConnection) -> None:
    """Makes ``merge_hours(list(lengths))`` and ``quantile_ns(lengths, q)`` known to a connection of one's own: the
    functions of `whypause` of the same names, exact to three digits. Null is no pause."""
    connection.create_function(
        "merge_hours",
        lambda lengths: whypause.merge_hours(it for it in lengths if it is not None),
        ["BLOB[]"],
        "BLOB",
    )
    connection.create_function(
        "quantile_ns",
        whypause.quantile_ns,
        ["BLOB", "DOUBLE"],
        "BIGINT",
    )


def views() -> str:
    """Returns the SQL of the views, for a connection that has the table `hours` and the functions of `register`."""
    return resources.files(__package__).joinpath("views.sql").read_text(encoding="utf-8")


_NOTHING_HINT = "give a directory of GC logs, of recordings, or of rows that `whypause explain` wrote"

#: Rows with what an inventory knows of their hosts: what a row says itself goes before that.
_FILL = f"""
select r.* replace (
    map_concat(coalesce(k.labels, map {{}}), r.labels) as labels,
    {", ".join(f"coalesce(r.{it}, k.{it}) as {it}" for it in FILLED)})
from {_ROWS} as r left join {_KNOWN} as k on r.host = k.host
"""


def _rows_of(table: str, paths: list[str]) -> whypause.Rows:
    of = {"pauses": whypause.pauses, "hours": whypause.hours, "stalls": whypause.stalls}[table]
    return of(paths, skip=True)


def _names(tree: Any) -> set[str]:
    """Returns the names of tables in a query that DuckDB has parsed, in lower case; what is asked for by a text may be
    any of them."""
    if isinstance(tree, list):
        return {name for it in tree for name in _names(it)}
    if not isinstance(tree, dict):
        return set()
    if tree.get("function_name") in ("query", "query_table"):
        return set(TABLES)
    own = {tree["table_name"].lower()} if isinstance(tree.get("table_name"), str) else set()
    return own.union(*map(_names, tree.values()))


def errors() -> type[Exception]:
    """Returns what DuckDB raises, which is there once a `Fleet` is."""
    import duckdb

    return duckdb.Error


def _connected(folder: _Path) -> duckdb.DuckDBPyConnection:
    """Returns a database in that folder that opens nothing outside of it, for good."""
    try:
        import duckdb
        import numpy  # noqa: F401  # which DuckDB takes for functions in Python
    except ModuleNotFoundError as error:
        if error.name not in ("duckdb", "numpy"):
            raise
        name = "DuckDB" if error.name == "duckdb" else "NumPy"
        raise QueryError(f"`--sql` needs {name}", "pip install 'whypause[fleet]'") from None
    spill = folder / "spill"
    config: dict[str, Any] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "memory_limit": f"{_memory_bytes() // 2 >> 20}MiB",
        "temp_directory": str(spill),
        "max_temp_directory_size": f"{shutil.disk_usage(folder).free // 2 >> 20}MiB",
        "python_enable_replacements": "false",
    }
    connection = duckdb.connect(str(folder / "rows.duckdb"), config=config)
    connection.execute("set enable_progress_bar = false")
    connection.execute("set timezone = 'UTC'")
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def _memory_bytes() -> int:
    """Returns how much memory there is, of the machine or of the control group."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            found = min(found, int(_Path(path).read_text()))
        except (OSError, ValueError):
            continue
    return max(found, 256 << 20)


def clear(error: Exception) -> QueryError:
    """Returns what DuckDB says, as one line, with a hint."""
    text = str(error)
    if raised := _RAISED.search(text):
        return QueryError(f"the query: {one_line(raised[1])}", one_line(raised[2] or ""))
    lines = [it.strip() for it in text.split("\n\nLINE ")[0].splitlines() if it.strip()]
    said = _KIND.sub("", lines[0]) if lines else type(error).__name__
    message = one_line(said[:1].lower() + said[1:]).rstrip("!. ")
    hints = [it for it in lines[1:] if it.startswith("Candidate bindings")]
    if re.search(r"Table with name .* does not exist", said):
        names = [name for name, _ in _VIEW.findall(views())]
        hints = [f"there are {', '.join([*TABLES, 'inventory'])}, and the views {', '.join(names)}"]
    hint = one_line(hints[0].replace("Candidate bindings:", "did you mean")) if hints else ""
    return QueryError(f"the query: {message}", hint)
