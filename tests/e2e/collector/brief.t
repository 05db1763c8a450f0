#!/bin/sh
# What lives for a moment is told from system calls, what lives longer from /proc, too; both know
# when they were born.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

brief=$abs_top_builddir/tests/progs/brief

for layout in $layouts; do
	collect "$layout" "$brief" born 30 >"$work/truth"
	is $? 0 "$layout: children and threads were born"
	table | awk -F '\t' '
		{
			delete v
			for (i = 1; i <= NF; i++)
				if ((at = index($i, "=")) > 0)
					v[substr($i, 1, at - 1)] = substr($i, at + 1)
		}
		v["record"] == "start" || v["record"] == "thread" {
			print v["pid"], v["tid"], "starttime" in v ? v["starttime"] : "unknown"
		}' | sort -u >"$work/said"
	cut -d ' ' -f 1-3 "$work/truth" | sort | comm -23 - "$work/said" >"$work/missed"
	# A thread that a clock tick overtook does not know; a child asks the kernel then.
	is "$(awk '$1 == $2' "$work/missed" | wc -l | tr -d ' ')" 0 \
		"$layout: every fork child has the kernel's start time"
	wrong=$(while read -r pid tid _; do grep "^$pid $tid " "$work/said" | grep -v unknown; done <"$work/missed")
	is "$wrong" "" "$layout: no thread has a wrong start time"
	sed -n 's/ certain$//p' "$work/truth" | awk '$1 != $2' | sort >"$work/certain"
	is "$(wc -l <"$work/certain" | tr -d ' ') $(comm -12 "$work/certain" "$work/missed")" "30 " \
		"$layout: and each that no tick overtook has it"

	collect "$layout" "$brief" lives >"$work/who"
	is $? 0 "$layout: short and longer lives"
	who() { awk -v name="$1" '$1 == name { print $2 }' "$work/who"; }
	longer=$(who longer)
	is "$(field rchar record=end "pid=$longer" | grep -c unknown)$(field vmpeak record=end "pid=$longer" | grep -c unknown)" 00 \
		"$layout: a child that lived for milliseconds has every column"
	for name in moment longer; do
		pid=$(who "$name")
		is "$(field exitcode record=end "pid=$pid")" 0 "$layout: $name: the end"
		test "$(field rssmax record=end "pid=$pid")" -gt 100
		ok $? "$layout: $name: its peak of memory is known"
		test "$(field usertime record=end "pid=$pid")" != unknown
		ok $? "$layout: $name: its CPU time is known"
	done
	pid=$(who killed)
	is "$(field ppid record=start "pid=$pid") $(field exitsignal record=reaped "pid=$pid")" \
		"$(field pid record=start exename=brief | head -1) 9" "$layout: one that is killed at once is known"
	pid=$(who exec)
	is "$(field exename record=start "pid=$pid" | tr '\n' ' ')" "brief true " "$layout: fork and exec: two images"
	is "$(field thread_name record=thread "tid=$(who thread-moment)")" brief "$layout: a thread of a moment: its name"
	test "$(field time_oncpu record=thread "tid=$(who thread-moment)")" -gt 0
	ok $? "$layout: a thread of a moment: its CPU time"
	is "$(field rchar record=thread "tid=$(who thread-longer)" | grep -c unknown)" 0 "$layout: a longer one has every column"

	# Whatever the fork child did before its exec, the collector's own writing is in no image.
	collect "$layout" "$brief" lives >"$work/who"
	PERFMON_DB=$work/$layout.db "$PERFMON" -q submit "$records"
	is "$(sqlite3 "$work/$layout.db" "SELECT sum(wchar) FROM process WHERE pid = $(who exec)")" 1000 \
		"$layout: fork, write, exec: what was written is counted once"
done
done_testing
