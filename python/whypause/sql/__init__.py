"""SQL about the pauses of one host or of thousands, with DuckDB: ``pip install whypause[fleet]``.

Tables are ``pauses``, ``hours`` and ``stalls``, of logs, recordings and rows, and ``inventory``, what a CSV file says
of the hosts. Views over them are in ``views.sql`` beside this file: ``worst_hosts``, ``longest_pauses``, ``causes``,
``causes_by_host``, ``causes_by_hour``, ``culprits``, ``by_kernel``, ``by_flag``, ``by_label``, ``daily`` and
``new_causes``. ``quantile_ns(merge_hours(list(lengths)), 0.999)`` is a p99.9 of any group of rows of ``hours``.

>>> import whypause.sql
>>> with whypause.sql.Fleet("logs/", inventory="hosts.csv") as fleet:
...     fleet.query("from worst_hosts limit 10").show()

As a program, which is what ``whypause fleet PATH… --sql QUERY`` runs::

    python3 -I -m whypause.sql [--format text|csv|json] [--inventory FILE] --sql QUERY [--] PATH...

``--format``
    ``text``, where nothing is given: a table for people, at most 1,000 rows of it, long cells cut; ``csv``: all rows,
    with a line of names, in which no cell is a formula for a spreadsheet: one that begins as one and is no number
    has ``'`` before it; ``json``: a list of objects, one on each line. Binary values are hexadecimal digits, times
    are RFC 3339 in UTC, to the microsecond.
``--inventory FILE``
    A CSV file with a column ``host``. ``cluster``, ``kernel`` and ``boot`` fill those columns of the tables where
    they are null, all others are ``labels`` that a row does not have yet.
``--sql QUERY``
    One query. It is checked before anything is read.
``PATH``
    As for ``whypause fleet``. A path that is not there is an error; other inputs that cannot be read are said on
    standard error, 20 of them at most, and are left out.

It exits with 0, or with 2 where the arguments, the query or all of the input are wrong, or 130 where a signal ended
it; then ``error: …`` and mostly ``hint: …`` are on standard error, a line each.

A query reads nothing but the tables: DuckDB opens no other file, loads no extension, and does not let its settings be
changed. Rows are kept in a database below ``TMPDIR`` until the end, and half of the memory is the most that it takes.
"""

from __future__ import annotations

from ._fleet import Fleet, register, views
from ._inventory import QueryError

__all__ = ["Fleet", "QueryError", "register", "views"]
