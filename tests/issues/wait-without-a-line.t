#!/bin/sh
# A process that a signal kills as its wait returns has not written what it waited for: the child's CPU time
# counts once.
# shellcheck disable=SC2016 # inner shells expand
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need sqlite3; then
	skip "a wait without a line" "no $missing"
	done_testing
fi
# Processes one after the other, each of so many milliseconds of CPU time.
burn=$abs_top_builddir/tests/progs/sampler_burn
export burn
export PERFMON_DB=$work/whole.db

# of COLUMN: of the killed shell.
of()
{
	query "SELECT $1 FROM process WHERE exitsignal = 9" "${2:-}"
}

"$PERFMON" -a -j waited run sh -c 'sh -c "\"$burn\" 4 60; kill -9 \$\$"; :' >out 2>&1
cp -R "$PERFMON_OUTPUT_PREFIX"/*/waited cut
"$PERFMON" -q submit "$PERFMON_OUTPUT_PREFIX"/*/waited
cpu=$(query 'SELECT cpu_time FROM job') own=$(of cpu_time)
[ "$cpu" -gt 240000 ] && [ "$own" -lt 60000 ]
ok $? "the line says what the child used: $own us of $cpu are the shell's"
# The shell's own wait, not that for the shell.
awk -v pid="$(of pid)" -F '\t' '$1 == "perfmon-tsv-1" { for (i = 1; i <= NF; i++) at[$i] = i }
	!($(at["record"]) == "reaped" && $(at["ppid"]) == pid)' OFS='\t' "$(echo cut/*.tsv)" >less
is "$(($(wc -l <"$(echo cut/*.tsv)") - $(wc -l <less)))" 1 "without that line"
cp less "$(echo cut/*.tsv)"
PERFMON_DB=$work/less.db "$PERFMON" -q submit cut
less=$(query 'SELECT cpu_time FROM job' less.db)
[ "$less" -gt $((cpu * 9 / 10)) ] && [ "$less" -le $((cpu + 10000)) ]
ok $? "it counts once: $less us"

# It was not waited for: what the shell used is no less.
"$PERFMON" -a -j left run sh -c 'sh -c "\"$burn\" 1 300 & \"$burn\" 1 30; sleep 1; kill -9 \$\$"; :' >out 2>&1
PERFMON_DB=$work/left.db "$PERFMON" -q submit "$PERFMON_OUTPUT_PREFIX"/*/left
cpu=$(query 'SELECT cpu_time FROM job' left.db)
own=$(of cpu_time left.db)
[ "$cpu" -gt 320000 ] && [ "$own" -gt 0 ]
ok $? "what was not waited for is not subtracted: the shell used $own us"
is "$(of 'vol_ctxsw IS NULL' left.db)" 0 "and nothing of it becomes unknown"
done_testing
