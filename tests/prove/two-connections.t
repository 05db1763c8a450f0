#!/bin/sh
# Two processes on one database of PostgreSQL: one fails, is killed, loses its connection or has no memory or no disk at
# each call of files and sockets and for memory; the other loads, reads and cleans up. Nothing is damaged, and no job
# that was said to be loaded is lost.
# shellcheck disable=SC2154 # set by lib.sh
# Nothing here loses power: what is synced need not reach a disk.
[ -n "${TMPDIR-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"
# shellcheck source=tests/prove/two.sh
. "$abs_top_srcdir/tests/prove/two.sh"

two_needed 1500 1000
postgres_needed "two processes on one database of PostgreSQL" -c autovacuum=off
export PM_TWO_SERVER="$postgres_host"
postgres_sql postgres -c "CREATE DATABASE base" || exit 99
PERFMON_DB=$(postgres_url base) "$PERFMON" -q submit "$PM_TWO/base" "$PM_TWO/old" || exit 99
two_sites
rounds 2000 two_round "two processes on one database of PostgreSQL"
two_done
done_testing
