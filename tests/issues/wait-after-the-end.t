#!/bin/sh
# A signal handler may wait for a child while its process exits, after the end record: ssh does so for its proxy
# command. The parent's wait then includes the child, whose CPU time counts once.
# shellcheck disable=SC2016 # inner shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need sqlite3; then
	skip "a wait after the end" "no $missing"
	done_testing
fi
# Processes one after the other, each of so many milliseconds of CPU time.
burn=$abs_top_builddir/tests/progs/sampler_burn
export burn

# cpu DATABASE WHOSE: CPU time in us of the job or of a process.
cpu()
{
	case $2 in
	job) query 'SELECT cpu_time FROM job' "$1" ;;
	*) query "SELECT cpu_time FROM process WHERE parent_id = 1" "$1" ;;
	esac
}

# late NAME COMMAND: the shell in the middle waits for two children, the last of them the command, while it exits.
late()
{
	last=$2 "$PERFMON" -a -j "$1" run sh -c 'sh -c "\"$burn\" 1 60; $last; :"; :' >out 2>&1
	whole=$(echo "$PERFMON_OUTPUT_PREFIX"/*/"$1")
	PERFMON_DB=$work/$1.db "$PERFMON" -q submit "$whole"
	cp -R "$whole" late
	# Its end record, as it had been before that wait.
	pid=$(query "SELECT pid FROM process WHERE parent_id = 1" "$1.db")
	awk -v pid="$pid" -F '\t' '
		$1 ~ /^perfmon-tsv-/ { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == FNR { if ($at["record"] == "reaped" && $at["ppid"] == pid) {
			n++; time[n] = $at["end_us"]; u[n] = $at["usertime"]; s[n] = $at["systemtime"] } next }
		$at["record"] == "end" && $at["pid"] == pid {
			$at["end_us"] = sprintf("%.0f", time[n] - 1); $at["cutime"] -= u[n]; $at["cstime"] -= s[n] }
		{ print }' OFS='\t' "$(echo "$whole"/*.tsv)" "$(echo "$whole"/*.tsv)" >edited
	cp edited "$(echo late/*.tsv)"
	PERFMON_DB=$work/late.db "$PERFMON" -q submit late
	cmp -s edited "$(echo "$whole"/*.tsv)"
	ok $((!$?)) "$1: the end record is from before the wait"
	[ "$(cpu "$1.db" job)" -gt 57000 ] && [ "$(cpu "$1.db" shell)" -lt 50000 ]
	ok $? "$1: $(cpu "$1.db" shell) us of $(cpu "$1.db" job) are the shell's"
	for whose in shell job; do
		# The end record and the wait round differently.
		before=$(cpu "$1.db" $whose) after=$(cpu late.db $whose)
		[ $((after - before)) -ge -20 ] && [ $((after - before)) -le 20 ]
		ok $? "$1: the $whose has used $after us, $before us before"
	done
	rm -rf late late.db
}

late much '"$burn" 2 60'
late little /bin/true
done_testing
