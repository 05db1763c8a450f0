#!/bin/sh
# Two processes on one SQLite database: one fails, is killed, or has no memory, no disk or no lock at each call of
# files, of SQLite and for memory; the other loads, reads and checkpoints. Nothing is damaged, and no job that was
# said to be loaded is lost.
# shellcheck disable=SC2154 # set by lib.sh
# Nothing here loses power: what is synced need not reach a disk.
[ -n "${TMPDIR-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"
# shellcheck source=tests/prove/two.sh
. "$abs_top_srcdir/tests/prove/two.sh"

# More than SQLite keeps in its cache, and less than it copies from its log by itself.
two_needed 18000 16000
PERFMON_DB=$PM_TWO/base.db "$PERFMON" -q submit "$PM_TWO/base" "$PM_TWO/old" || exit 99
two_sites
rounds 2000 two_round "two processes on one SQLite database"
two_done
done_testing
