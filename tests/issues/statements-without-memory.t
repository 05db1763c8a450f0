#!/bin/sh
# A statement that could not be written whole without memory is not run: a text in memory whose end was dropped was
# taken for whole, or for a text where there was none.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

sites=$abs_top_builddir/tests/progs/sites.so
if [ "${PM_SANITIZED:-no}" = yes ] || ! need sqlite3 || [ ! -e "$sites" ]; then
	skip "statements without memory" "no ${missing:-allocations of its own alone}"
	done_testing
fi
export PERFMON_DB=$work/x.db
"$abs_top_builddir/tests/progs/generate" job 20 2 >/dev/null && "$abs_top_builddir/tests/progs/generate" --jobid 1 before 20 >/dev/null &&
	"$PERFMON" -q submit before && cp x.db before.db || exit 99
LD_PRELOAD=$sites SITES_LIST=$work/sites "$PERFMON" -q submit job || exit 99
# libc's own are those of such texts, and a few of others.
calls=$(sed -n 's/^realloc libc.so.6 //p' sites)
test "${calls:-0}" -gt 0
ok $? "there are such allocations"
for at in $(seq "${calls:-0}"); do
	cp before.db x.db
	LD_PRELOAD=$sites SITES_AT="realloc libc.so.6" SITES_HIT=$at SITES_HOW=error "$PERFMON" -q submit job >out 2>&1
	status=$?
	[ $status -le 1 ] || echo "allocation $at: exit status $status"
	[ $status -eq 0 ] || grep -q -i 'out of memory\|cannot allocate' out || echo "allocation $at: $(cat out)"
	[ $status -ne 0 ] || [ "$(query 'SELECT count(*) FROM job')" = 2 ] || echo "allocation $at: a success without the job"
	"$PERFMON" -q verify || echo "allocation $at: not sound"
done >wrong
is "$(head -n 5 wrong)" "" "each of them fails once"
done_testing
