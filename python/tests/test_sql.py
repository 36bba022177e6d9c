"""SQL over paths: `python3 -I -m whypause.sql`, which `whypause fleet --sql` runs."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whypause
import whypause.sql
from whypause.sql import _text


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory, logs: list[Path], recording: Path) -> Path:
    """Hosts `h0`, `h1`, …, with a log each, and `h0` with a recording, too."""
    fleet = tmp_path_factory.mktemp("fleet")
    for at, path in enumerate(logs):
        (fleet / f"host=h{at}").mkdir()
        shutil.copy(path, fleet / f"host=h{at}" / "gc.log")
    shutil.copytree(recording, fleet / "host=h0" / "recording")
    return fleet


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    given = [sys.executable, "-I", "-m", "whypause.sql", *map(str, words)]
    return subprocess.run(
        given, capture_output=True, text=True, timeout=300, env={**os.environ, **environment}, check=False
    )


def ask(sql: str, *words: object) -> list[dict[str, object]]:
    """The rows of an answer."""
    done = run("--format", "json", "--sql", sql, *words)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def check_error(sql: str, expected: str, hint: str, *words: object) -> None:
    """What is said is one line, and one about what to do."""
    done = run("--sql", sql, *words)
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert lines[0].startswith("error: ") and expected in lines[0], lines
    assert (lines[1].startswith("hint: ") and hint in lines[1]) if hint else len(lines) == 1, lines


def test_tables_are_those_of_the_library(fleet: Path) -> None:
    for of in ("pauses", "hours", "stalls"):
        rows = pa.table(getattr(whypause, of)(fleet)).to_pylist()
        (found,) = ask(f"select count(*) as rows, sum(unexplained_ns) as ns from {of}", fleet)
        assert found["rows"] == len(rows)
        assert (found["ns"] or 0) == sum(it["unexplained_ns"] for it in rows)


def test_quantiles_are_exact_over_any_group(fleet: Path) -> None:
    sql = "select host, quantile_ns(merge_hours(list(lengths)), 0.999) as p from hours group by host"
    hours = pa.table(whypause.hours(fleet)).to_pylist()
    for row in ask(sql, fleet):
        lengths = [it["lengths"] for it in hours if it["host"] == row["host"]]
        assert row["p"] == whypause.quantile_ns(whypause.merge_hours(lengths), 0.999)


def test_only_what_a_query_names_is_read_and_only_once(fleet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []

    def watched(table: str) -> object:
        read = getattr(whypause, table)

        def rows(paths: list[str], **options: bool) -> whypause.Rows:
            taken.extend([table] if paths else [])
            return read(paths, **options)  # type: ignore[no-any-return]

        return rows

    for table in ("pauses", "hours", "stalls"):
        monkeypatch.setattr(whypause, table, watched(table))
    with whypause.sql.Fleet(fleet) as tables:
        for sql, expected in [
            ("select 1", []),
            ("from inventory", []),
            ("select count(*) from pauses a join PAUSES b using (host), (from main.pauses)", ["pauses"]),
            ("select pauses from by_kernel", ["pauses", "hours"]),
            ("with a as (from worst_hosts) select (select max(host) from stalls), * from a", ["pauses", "hours", "stalls"]),
        ]:
            tables.query(sql).fetchall()
            assert taken == expected, sql


@pytest.mark.parametrize("function", ["query_table('hours')", "query('from hours')"])
def test_a_table_that_is_named_by_a_text_is_read_too(fleet: Path, function: str) -> None:
    assert ask(f"select count(*) as n from {function}", fleet) == ask("select count(*) as n from hours", fleet)


def view_names() -> list[str]:
    return re.findall(r"^create or replace view (\w+)", whypause.sql.views(), re.MULTILINE)


def test_views_are_documented() -> None:
    readme = (Path(__file__).resolve().parents[1] / "README.md").read_text()
    assert len(view_names()) > 8
    for name in view_names():
        assert f"`{name}`" in readme, name
        assert f"``{name}``" in str(whypause.sql.__doc__), name


def test_views_agree_with_the_tables(fleet: Path) -> None:
    (whole,) = ask("select sum(pauses) as pauses, sum(stopped_ns) as ns, max(longest_ns) as longest from hours", fleet)
    same = "select sum(pauses) as pauses, sum(stopped_ns) as ns, max(longest_ns) as longest from"
    for view in ("worst_hosts", "by_kernel", "daily"):
        assert ask(f"{same} {view}", fleet) == [whole], view
    of_causes = "select cause, sum(pauses) as pauses, sum(ns) as ns, max(longest_ns) as longest from"
    expected = ask("select cause, pauses, ns, longest_ns as longest from causes order by cause", fleet)
    assert {it["cause"] for it in expected} >= {"gc-log-write-blocked"}
    for view in ("causes_by_host", "causes_by_hour"):
        assert ask(f"{of_causes} {view} group by cause order by cause", fleet) == expected, view
    (longest,) = ask("select duration_ns, source from longest_pauses limit 1", fleet)
    assert longest["duration_ns"] == whole["longest"]
    assert ask("select count(*) > 0 as some from culprits", fleet) == [{"some": True}]
    for view in view_names():
        ask(f"from {view}", fleet)


def test_a_cause_is_new_where_no_day_before_had_it(tmp_path: Path) -> None:
    line = "[{}T10:00:{:02}.000+0000][1.000s][info][safepoint] Safepoint \"{}\", Time since last: 1000 ns, "
    line += "Reaching safepoint: 2000 ns, At safepoint: 900000000 ns, Total: 900002000 ns\n"
    text = "".join(line.format("2026-11-01", at, "Cleanup") for at in range(20))
    text += "".join(line.format("2026-11-02", at, "HandshakeFallback") for at in range(20))
    (tmp_path / "gc.log").write_text(text)
    days = ask("select day, pauses from daily", tmp_path)
    assert days == [{"day": f"2026-11-0{it}", "pauses": 20} for it in (1, 2)]
    known = {it["cause"] for it in ask("select cause from causes_by_hour where hour < timestamp '2026-11-02'", tmp_path)}
    later = {it["cause"] for it in ask("select cause from causes_by_hour where hour >= timestamp '2026-11-02'", tmp_path)}
    assert {it["cause"] for it in ask("from new_causes", tmp_path)} == later - known


def test_flags_are_compared(logs: list[Path], fleet: Path) -> None:
    found = ask("select flag, hosts, pauses from by_flag", fleet)
    assert found
    for it in found[:5]:
        (same,) = ask(
            f"select count(distinct host) as hosts, sum(pauses) as pauses from hours "
            f"where list_contains(string_split(flags, ' '), '{it['flag']}')",
            fleet,
        )
        assert (it["hosts"], it["pauses"]) == (same["hosts"], same["pauses"])


def test_an_inventory_fills_what_rows_do_not_say(fleet: Path, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.csv"
    hosts.write_text('host,kernel,rack,"odd ""name; drop"\n h1 ,9.9,r1,"=1,x"\nh2,6.1,r2,\nh0,9.9,,\nelsewhere,1,2,3\n')
    assert ask("from inventory where host = 'h1'", "--inventory", hosts, fleet) == [
        {"host": "h1", "kernel": "9.9", "rack": "r1", 'odd "name; drop': "=1,x"}
    ]
    sql = "select distinct host, kernel, labels from pauses where host in ('h1', 'h2', 'h3') order by host"
    h1, h2, h3 = ask(sql, "--inventory", hosts, fleet)
    assert (h1["kernel"], h1["labels"]) == ("9.9", {"rack": "r1", 'odd "name; drop': "=1,x"})
    assert (h2["kernel"], h2["labels"], h3["kernel"], h3["labels"]) == ("6.1", {"rack": "r2"}, None, {})
    # What a recording says goes before the inventory.
    recorded = "select distinct kernel from pauses where source_kind = 'recording'"
    assert ask(recorded, "--inventory", hosts, fleet) == ask(recorded, fleet) != [{"kernel": "9.9"}]
    assert {it["value"] for it in ask("from by_label", "--inventory", hosts, fleet)} >= {"r1", "r2"}


def test_numbers_of_one_host_that_cannot_be_break_no_view_of_the_others(fleet: Path, tmp_path: Path) -> None:
    (tmp_path / "host=honest").mkdir()
    shutil.copy(fleet / "host=h1" / "gc.log", tmp_path / "host=honest")
    rows = pa.table(whypause.hours(fleet / "host=h1"))
    most = pa.array([2**63 - 1] * len(rows), rows.schema.field("covered_ns").type)
    rows = rows.set_column(rows.schema.get_field_index("covered_ns"), rows.schema.field("covered_ns"), most)
    (tmp_path / "host=evil").mkdir()
    pq.write_table(pa.concat_tables([rows] * 5), tmp_path / "host=evil" / "hours.parquet")
    for view in ("worst_hosts", "daily", "by_kernel", "by_flag", "causes", "causes_by_host", "causes_by_hour"):
        ask(f"from {view}", tmp_path)
    (honest,) = ask("from worst_hosts where host = 'honest'", tmp_path)
    assert honest["pauses"] == len(pa.table(whypause.pauses(fleet / "host=h1")))


def test_an_inventory_beside_the_logs_is_none_of_them(fleet: Path, tmp_path: Path) -> None:
    shutil.copytree(fleet / "host=h0", tmp_path / "host=h0")
    hosts = tmp_path / "hosts.csv"
    hosts.write_text("host,rack\nh0,r1\n")
    for inventory, is_said in ((["--inventory", hosts], False), ([], True)):
        done = run("--sql", "from worst_hosts", *inventory, tmp_path)
        assert done.returncode == 0, done.stderr
        assert ("not read" in done.stderr) == is_said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name,rack\na,b\n", "it has no column `host`"),
        ("host,rack\na,b\na,c\n", "the host `a` is in it twice"),
        ("host,rack\na,b,c\n", "row 2 has 3 fields"),
        ("host,Rack,rack\n", "the column `Rack` is in it twice"),
        ("host,\n", "a column has no name"),
        ("\0\xff", "host"),
    ],
)
def test_what_is_no_inventory_is_said(text: str, expected: str, fleet: Path, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts.csv"
    hosts.write_bytes(text.encode("latin-1"))
    expected = "" if "\0" in text else expected
    check_error("from inventory", expected, "an inventory is a CSV file", "--inventory", hosts, fleet)


@pytest.mark.parametrize(
    "sql",
    [
        "from read_text('/etc/hostname')",
        "from '/etc/hostname'",
        "from glob('/*')",
        "from read_csv('{secret}')",
        "from parquet_metadata('{secret}')",
        "from sniff_csv('{secret}')",
    ],
)
def test_a_query_reads_no_files(sql: str, fleet: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("secret\n")
    done = run("--sql", sql.format(secret=secret), fleet)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the query: ")


@pytest.mark.parametrize(
    "sql",
    [
        "copy pauses to '{new}'",
        "attach '{new}'",
        "export database '{new}'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "pragma enable_profiling",
        "create table x as select 1",
        "drop view causes",
        "select 1; copy pauses to '{new}'",
        "",
        "-- nothing",
    ],
)
def test_a_query_changes_nothing(sql: str, fleet: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    done = run("--sql", sql.format(new=new), fleet)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: `--sql` takes one query") or "is disabled" in done.stderr
    assert not new.exists()


def test_settings_are_locked(fleet: Path) -> None:
    with whypause.sql.Fleet(fleet) as tables:
        connection = tables._connection
        for sql in ("set enable_external_access = true", "set memory_limit = '1TB'", "reset lock_configuration"):
            with pytest.raises(Exception, match="locked|Cannot"):
                connection.execute(sql)
        folder = Path(tables._folder)
        assert folder.stat().st_mode & 0o777 == 0o700
        assert {str(it) for (it,) in connection.execute("select current_setting('temp_directory')").fetchall()} == {
            str(folder / "spill")
        }
    assert not folder.exists()


def test_variables_of_python_are_no_tables(fleet: Path) -> None:
    check_error("from rows", "table with name rows does not exist", "there are pauses, hours, stalls", fleet)


def test_a_wrong_query_is_said_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "gc.log").touch()
    check_error("select kern from pauses", "referenced column \"kern\" not found", "did you mean \"kernel\"", tmp_path)
    check_error("selec 1", "syntax error at or near \"selec\"", "", tmp_path)
    check_error("from paws", "table with name paws does not exist", "worst_hosts", tmp_path)


def test_what_a_function_raises_is_said(fleet: Path) -> None:
    check_error("select quantile_ns('x'::blob, 0.5)", "not a histogram of pauses", "give the column `lengths`", fleet)
    check_error("select quantile_ns(lengths, 2) from hours", "`2` is no share", "give one from 0 to 1", fleet)
    assert ask("select quantile_ns(null, 0.5) as a, quantile_ns(merge_hours([]), 0.5) as b", fleet) == [{"a": None, "b": 0}]


def test_what_cannot_be_read_is_said_and_left_out(log: Path, tmp_path: Path) -> None:
    shutil.copy(log, tmp_path / "gc.log")
    for at in range(25):
        (tmp_path / f"bad{at:02}.log").touch()
    done = run("--format", "json", "--sql", "select (select count(*) from pauses) as n, count(*) from hours", tmp_path)
    assert json.loads(done.stdout)[0]["n"] == pa.table(whypause.pauses(log)).num_rows
    lines = done.stderr.splitlines()
    assert done.returncode == 0 and len(lines) == 21
    assert "bad00.log` is empty" in lines[0] and lines[-1] == "note: not read: 5 more"


def test_nothing_about_pauses_is_an_error(tmp_path: Path) -> None:
    check_error("from pauses", "no such file or directory", "give a directory", tmp_path / "missing")
    check_error("from pauses", "there is nothing about pauses in", "give a directory", tmp_path)
    (tmp_path / "gc.log").touch()
    check_error("from causes", "gc.log` is empty", "give a directory", tmp_path)


def test_names_in_messages_are_harmless(tmp_path: Path) -> None:
    (tmp_path / "\x1b[31m\nx.log").touch()
    check_error("from pauses", "\\x1b[31m", "give a directory", tmp_path)


def test_arguments_are_checked(fleet: Path) -> None:
    for words in ([fleet], ["--sql", "select 1"], ["--sql", "select 1", "--format", "xml", fleet]):
        done = run(*words)
        assert done.returncode == 2
        first, second = done.stderr.splitlines()
        assert first.startswith("error: ") and second.startswith("hint: whypause fleet PATH")


def test_csv_has_all_rows_and_no_formulas(fleet: Path) -> None:
    sql = (
        "select '=1+1' as \"=a\", '+x' as b, '-x' as c, '@x' as d, chr(9) || 'x' as e, chr(13) || 'x' as f, "
        "-5 as g, '-5.5e3' as h, '+1' as i, 'a,\"b\"' as j, null as k, [1, 2] as l, '-1-1' as m, 'é' as n"
    )
    words = [sys.executable, "-I", "-m", "whypause.sql", "--format", "csv", "--sql", sql, fleet]
    written = subprocess.run(words, capture_output=True, timeout=60, check=True).stdout.decode()
    head, row = csv.reader(io.StringIO(written, newline=""))
    assert head[0] == "'=a"
    assert row == ["'=1+1", "'+x", "'-x", "'@x", "'\tx", "'\rx", "-5", "-5.5e3", "+1", 'a,"b"', "", "[1, 2]", "'-1-1", "é"]
    assert len(run("--format", "csv", "--sql", "from range(5000)", fleet).stdout.splitlines()) == 5001


def test_json_has_what_tables_hold(fleet: Path) -> None:
    sql = (
        "select 1 as a, 2 as a, 'nan'::double as b, 'x'::blob as c, timestamptz '2026-11-30 12:00:00.25+02' as d, "
        "date '2026-11-30' as e, sum(9223372036854775807) as f, 1.5::decimal(9, 2) as g, {'x': [map {'k': 1}]} as h, "
        "true as i from range(2)"
    )
    (row,) = ask(sql, fleet)
    assert row == {
        "a": 1, "a_1": 2, "b": None, "c": "78", "d": "2026-11-30T10:00:00.250000Z", "e": "2026-11-30",
        "f": 18446744073709551614, "g": 1.5, "h": {"x": [{"k": 1}]}, "i": True,
    }  # fmt: skip
    assert ask("select 1 where false", fleet) == []


def test_text_is_a_table_that_a_terminal_can_show(fleet: Path) -> None:
    sql = "select chr(27) || '[2J' as a, repeat('x', 100) as b, chr(8238) as c, 5 as long_name, 'äö' as d, true as e"
    head, row = run("--sql", sql, fleet).stdout.splitlines()
    assert head.split() == ["a", "b", "c", "long_name", "d", "e"]
    assert row.split() == ["\\x1b[2J", "x" * 59 + "…", "\\u{202e}", "5", "äö", "true"]
    assert row.index(" 5 ") + 2 == head.index("long_name") + len("long_name")
    done = run("--sql", "from range(1001)", fleet)
    assert len(done.stdout.splitlines()) == 1001
    assert done.stderr == "note: there are more than these 1,000 rows: `--format csv` writes all\n"
    assert run("--sql", "from range(1000)", fleet).stderr == ""


def test_widths_are_those_of_a_terminal() -> None:
    out = io.StringIO()
    _text.write_text(["a", "b"], iter([("中文", "x"), ("e\u0301", "y")]), out)
    assert out.getvalue() == "a     b\n中文  x\ne\u0301     y\n"


@pytest.mark.parametrize(("missing", "name"), [("duckdb", "DuckDB"), ("numpy", "NumPy")])
def test_what_it_needs_is_said(missing: str, name: str, fleet: Path) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None\nfrom whypause.sql.__main__ import main\n"
    code += f"sys.exit(main(['--sql', 'select 1', {str(fleet)!r}]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr == f"error: `--sql` needs {name}\nhint: pip install 'whypause[fleet]'\n"


def test_it_works_without_pyarrow(fleet: Path) -> None:
    code = "import sys; sys.modules.update(pyarrow=None, pandas=None, polars=None)\n"
    code += "from whypause.sql.__main__ import main\n"
    code += f"sys.exit(main(['--sql', 'from worst_hosts', {str(fleet)!r}]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_who_has_seen_enough_is_no_error(fleet: Path) -> None:
    words = [sys.executable, "-I", "-m", "whypause.sql", "--format", "csv", "--sql", "from range(1000000)", str(fleet)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout and running.stderr
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


def test_a_signal_ends_it_and_nothing_is_left(fleet: Path, tmp_path: Path) -> None:
    sql = "select sum(a.range * b.range) from range(1000000) a, range(1000000) b"
    words = [sys.executable, "-I", "-m", "whypause.sql", "--sql", sql, str(fleet)]
    for number in (signal.SIGTERM, signal.SIGINT):
        with subprocess.Popen(words, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}) as running:
            deadline = time.monotonic() + 60
            while not list(tmp_path.glob("*/rows.duckdb")) and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.5)
            running.send_signal(number)
            try:
                _, said = running.communicate(timeout=60)
            finally:
                running.kill()
        assert (running.returncode, said) == (130, b"")
        assert list(tmp_path.iterdir()) == []
