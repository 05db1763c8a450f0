#!/bin/sh
# Where libpq has no memory for rows on their way to PostgreSQL, the load fails and says so, and the next one is whole. It
# went on for ever: in a COPY that could not be ended, libpq gives the same result again and again.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

sites=$abs_top_builddir/tests/progs/sites.so
if [ ! -e "$sites" ] || [ "${PM_SANITIZED:-no}" != no ]; then
	skip "no memory for rows" "needs a build with SQLite, without sanitizers"
	done_testing
fi
postgres_needed "no memory for rows"
postgres_sql postgres -c 'CREATE DATABASE jobs' || exit 99
PERFMON_DB=$(postgres_url jobs)
export PERFMON_DB
"$abs_top_builddir/tests/progs/generate" --jobid 81 job 1500 >/dev/null || exit 99
"$abs_top_builddir/tests/progs/generate" --jobid 80 first 3 >/dev/null || exit 99
"$PERFMON" -q submit first || exit 99

# short HOW HIT: submit the job; realloc() of libpq fails at the HITth call.
short()
{
	rm -f said
	SITES_AT="realloc libpq.so.5" SITES_HOW=$1 SITES_HIT=$2 SITES_SAID=$work/said LD_PRELOAD=$sites \
		timeout 60 "$PERFMON" -q submit job >out 2>err
	echo "$?:$(cat said 2>/dev/null)"
}
is "$(short lasting 1)" "1:realloc libpq.so.5" "it fails, and comes to an end"
is "$(grep -c . err)" 1 "in one line: $(cat err)"
is "$("$PERFMON" list jobs --csv | wc -l)" 2 "nothing of the job is there"
"$PERFMON" -q submit job
is "$?:$("$PERFMON" list jobs --csv | wc -l)" 0:3 "the next load is whole"
done_testing
