#!/bin/sh
# Operations of made-up jobs of 10 to 100 000 processes, of several hosts whose clocks differ, with times that are not known, overlap, touch or
# have no length: all counts, durations, runs and sums are those of an account in Python, in SQLite and in PostgreSQL.
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"

if ! need python3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "operations" "no python3 with sqlite3"
	done_testing
fi
account=$abs_top_srcdir/tests/e2e/report/ops.py
TZ=UTC
export TZ PERFMON
cp -R "$abs_top_srcdir/tests/golden/report/busy" "$work/busy" && chmod -R u+w "$work/busy"
PERFMON_DB=$work/one.db "$PERFMON" -q submit "$work/busy" 2>/dev/null
postgres_start || diag "SQLite alone: $postgres_missing"

# The larger the seed, the more processes: those of a short run are few.
operations()
{
	cp "$work/one.db" made.db || return 1
	processes=$(awk -v s="$1" 'BEGIN { srand(s); p = int(10 * 10 ^ (s <= 10 ? rand() * 2 : s / 15)); print (p > 100000 ? 100000 : p) }')
	jobs=$(awk -v s="$1" -v p="$processes" 'BEGIN { srand(s + 1000); j = 1 + int(rand() * 12); print (j > p ? p : j) }')
	echo "$jobs jobs of $processes processes"
	python3 "$account" make made.db "$1" "$jobs" "$processes" || return 1
	python3 "$account" ask made.db "$PWD/made.db" >answers || return 1
	cat answers
	[ "$(tail -n 1 answers | cut -d ' ' -f 2)" = 0 ] || return 1
	[ "$(python3 "$account" ask made.db "$PWD/made.db" sum | tail -n 1 | cut -d ' ' -f 2)" -gt 0 ] || return 1
	# Those of large jobs are read from totals of their tags.
	python3 "$account" sums made.db || return 1
	python3 "$account" ask made.db "$PWD/made.db" >answers || return 1
	cat answers
	[ "$(tail -n 1 answers | cut -d ' ' -f 2)" = 0 ] || return 1
	PERFMON_DB=$PWD/made.db "$PERFMON" verify 2>&1 | grep 'tags in set' && return 1
	[ -z "$postgres_missing" ] || return 0
	postgres_sql postgres -c "DROP DATABASE IF EXISTS ops" -c "CREATE DATABASE ops" || return 1
	"$PERFMON" -q copy "$PWD/made.db" "$(postgres_url ops)" || return 1
	python3 "$account" ask made.db "$(postgres_url ops)" >answers || return 1
	cat answers
	[ "$(tail -n 1 answers | cut -d ' ' -f 2)" = 0 ]
}

postgres_missing=${postgres_missing:-}
rounds 60 operations "operations are those of the account"
done_testing
