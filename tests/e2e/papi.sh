# For tests of events that PAPI reads. Sets progs, and the CPUs first and second.
# shellcheck shell=sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

progs=$abs_top_builddir/tests/progs
if ! need taskset prlimit sqlite3; then
	skip "PAPI" "no $missing"
	done_testing
fi
if [ ! -x "$progs/papi_host" ]; then
	PERFMON_OPTIONS=papi:fake::ticks "$PERFMON" -a run true 2>err
	grep -q "papi:fake::ticks: not counted: PAPI is missing: perfmon was built without it" err
	ok $? "without PAPI the reason says so"
	done_testing
fi

# The first two CPUs that we may use; second is empty where there is one alone.
# shellcheck disable=SC2046 # one word each
set -- $(awk '/^Cpus_allowed_list:/ { n = split($2, part, ",")
	for (i = 1; i <= n; i++) { split(part[i], end, "-")
		for (c = end[1]; c <= (end[2] == "" ? end[1] : end[2]); c++) print c } }' /proc/self/status)
first=$1 second=$2

# papi SCOPE TYPE COMPONENT EVENT NAME: an entry as the wrapper hands it on.
papi()
{
	printf '@%s:%s:%x:%s:%s:%s' "$1" "$2" $((${#3} + ${#4} + 1)) "$3" "$4" "$5"
}
