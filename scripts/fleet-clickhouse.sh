#!/usr/bin/env bash
# Has ClickHouse, as the library chdb, read the tables that the program writes as Parquet, and compares what it says
# with what DuckDB says: python/whypause/sql/clickhouse.sql.
#
# chdb is 534 MB from PyPI; it is installed once, into target/python/clickhouse.
# WHYPAUSE_WHEEL=FILE tries that wheel, WHYPAUSE=PROGRAM has that program write.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
log=target/test-logs/clickhouse.log
# shellcheck source=scripts/python/lib.sh
source scripts/python/lib.sh

mkdir -p "${log%/*}"
: >"$log"
step "ClickHouse"
if ! has_environment clickhouse python/requirements-clickhouse.txt; then
    skip "ClickHouse: chdb could not be downloaded, or there is no Python for it"
    exit 0
fi
find_wheel --check
[ -n "$wheel" ] || exit 0
install_wheel clickhouse
[ -n "${WHYPAUSE:-}" ] || cargo build --locked -q -p whypause
run_pytest "$python_dir/clickhouse" python/tests/clickhouse || true
verdict "ClickHouse"
