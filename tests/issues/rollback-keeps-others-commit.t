#!/bin/sh
# A large load that is rolled back leaves what another process commits meanwhile alone: pages of it that were
# on their way to the log were written over the other's.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if [ "${PM_SANITIZED:-no}" = yes ] || ! need sqlite3; then
	skip "a load without memory beside another one" "no ${missing:-allocations of its own alone}"
	done_testing
fi
generate=$abs_top_builddir/tests/progs/generate starve=$abs_top_builddir/tests/progs/starve.so
export PERFMON_DB=$work/x.db

# More than the cache holds, and for the other one less than SQLite copies from its log by itself.
"$generate" --jobid 1 large 26000 >/dev/null && "$generate" --jobid 2 other 20000 >/dev/null &&
	"$generate" --jobid 3 small 20 >/dev/null && tar -cf small.tar small || exit 99
"$generate" --jobid 0 before 20 >/dev/null && "$PERFMON" -q submit before && cp x.db before.db || exit 99
LD_PRELOAD=$starve STARVE_COUNT=$work/count "$PERFMON" -q submit large || exit 99

# round PERCENT: of the load's allocations until one fails.
round()
{
	rm -f x.db* slow err
	cp before.db x.db && mkfifo slow
	LD_PRELOAD=$starve STARVE_AT=$(($(cat count) * $1 / 100)) "$PERFMON" -q submit large - <slow 2>err &
	exec 7>slow
	# It goes on with its standard input, which does not come yet.
	for _ in $(seq 200); do
		[ ! -s err ] || break
		sleep 0.05
	done
	"$PERFMON" -q submit other || echo "the other one fails"
	cat small.tar >&7
	exec 7>&-
	wait $!
	query 'SELECT group_concat(jobid) FROM (SELECT jobid FROM job ORDER BY jobid)'
	query 'PRAGMA integrity_check'
}
failures=0
for percent in 64 67 70 73 76 79; do
	round $percent >got 2>&1
	# One that can be done without is no failure.
	if grep -q 'large: ' err; then
		failures=$((failures + 1)) want="0,2,3 ok "
	else
		want="0,1,2,3 ok "
	fi
	is "$(tr '\n' ' ' <got)" "$want" "out of memory after $percent % of a load, another one meanwhile"
done
test $failures -ge 3
ok $? "$failures of the loads failed"
done_testing
