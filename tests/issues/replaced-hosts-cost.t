#!/bin/sh
# What replacing a job costs grows with the job: for each host that went, the database looked through the
# processes of all hosts. Instructions, not seconds, are counted.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need sqlite3 valgrind; then
	skip "cost of replacing a job" "no $missing"
	done_testing
fi
# loaded HOSTS: a job with five processes a host, and its database.
loaded()
{
	"$abs_top_builddir/tests/progs/generate" "job$1" "$((5 * $1))" "$1" >/dev/null
	PERFMON_DB=$work/$1.db "$PERFMON" -q submit "job$1" || exit 99
}
# cost HOSTS: instructions of replacing that job.
cost()
{
	PERFMON_DB=$work/$1.db valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$PERFMON" -q submit --replace "job$1" 2>&1 | sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
}
rows() { sqlite3 "$work/$1.db" 'SELECT (SELECT count(*) FROM host), (SELECT count(*) FROM process)'; }

loaded 50
loaded 200
if [ "$PM_SANITIZED" != yes ]; then
	few=$(cost 50)
	many=$(cost 200)
	test "${few:-0}" -gt 1000000 && test "${many:-0}" -lt $((5 * few))
	ok $? "four times the hosts and processes cost less than five times as much ($few, $many)"
	is "$(rows 200)" "200|1000" "and are all there"
else
	skip "what replacing costs" "built with sanitizers"
fi

# Newer metadata of every host: all are made anew. Of all but one: that one stays.
for hosts in 50 49; do
	mkdir "newer$hosts"
	for n in $(seq 0 $((hosts - 1))); do
		sed "s/\"exit_status\":0/\"exit_status\":$hosts/" "job50/job-n$n.json" >"newer$hosts/job-n$n.json"
	done
	PERFMON_DB=$work/50.db "$PERFMON" -q submit "newer$hosts"
	is "$?|$(rows 50)|$(sqlite3 50.db 'SELECT stop_exit_status, count(*) FROM host GROUP BY 1 ORDER BY 1' | tr '\n' ' ')" \
		"0|50|250|$([ $hosts = 50 ] && echo '50|50 ' || echo '49|49 50|1 ')" "late metadata of $hosts hosts"
	is "$(PERFMON_DB=$work/50.db "$PERFMON" verify | tail -n 1)" "$work/50.db: 1 job checked, 0 faults" "whose sums hold"
done
done_testing
