#!/bin/sh
# Children that libc waits for itself: system, pclose, wordexp.
# shellcheck disable=SC2154,SC2016 # set by lib.sh and collector.sh; commands of other shells
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"
# shellcheck source=tests/e2e/loaded.sh
. "$abs_top_srcdir/tests/e2e/loaded.sh"

if ! need sqlite3; then
	skip "children that libc waits for" "no $missing"
	done_testing
fi
children=$abs_top_builddir/tests/progs/children
sh=$(basename "$(readlink -f /bin/sh)")
env=$(basename "$(readlink -f "$(command -v env)")")

# run NAME WANT ARGUMENT...: the program prints WANT (but for its last line) and its records load.
run()
{
	name="$layout: $1"
	want=$2
	shift 2
	collect "$layout" "$children" "$@" >out 2>err
	is "$?:$(sed '$d' out):$(cat err)" "0:$want:" "$name: the program learns what it should"
	used=$(sed -n '$s/^used //p' out)
	is "$(table | grep -c DAMAGED)" 0 "$name: records are whole"
	load
	ok $? "$name: they load"
}

# all_used: what all processes but the program itself used is what it waited for, up to the
# collector's own part, which the loader takes off.
all_used()
{
	is "$(query "SELECT sum(cpu_time + coalesce(own_cpu_us, 0)) BETWEEN $used - 2000 AND $used + 2000
		FROM process WHERE depth > 0")" 1 "$name: CPU time is what was waited for ($used)"
	[ "$(query "SELECT count(*) FROM process WHERE depth > 0 AND cpu_time IS NULL")" = 0 ]
	ok $? "$name: and known of each"
}

for layout in $layouts; do
	run "a shell that is killed" 9 system 'kill -9 $$'
	is "$(rows)" "0 children e 0
1 $sh s 9" "$name: its end is told"
	all_used

	run "a shell that exits" 1280 system "$children spin 20; exit 5"
	# Some shells have images of their own between fork and exec.
	is "$(rows "end_reason <> 'exec'")" "0 children e 0
1 $sh e 5
2 children e 3" "$name: once"
	all_used

	run "an exec into a program that is not recorded" 768 system "exec env -i $children spin 20"
	is "$(rows)" "0 children e 0
1 $sh exec
1 $env exec
1 children e 3" "$name: one process"
	all_used
	# The program spins until its process has used 20 ms, those of its images before it included.
	is "$(query 'SELECT min(cpu_time) > 0 AND sum(cpu_time + coalesce(own_cpu_us, 0)) >= 19000 FROM process
		WHERE pid = (SELECT pid FROM process WHERE last_call IS NOT NULL)')" 1 "$name: and its time"

	run "an empty environment" 1280 bare "$children spin 20; exit 5"
	is "$(rows)" "0 children e 0
1 unknown e 5" "$name: a row without a name"
	is "$(query 'SELECT pid, start_us > (SELECT start_us FROM process WHERE id = 1), duration_us >= 20000 FROM process WHERE id = 2')" \
		"- 1 1" "$name: and without a pid, with the time of the call"
	all_used

	run "a handler that waits for another child" 2304 handler "$children spin 60; exit 9"
	is "$(rows "end_reason <> 'exec'" | sort)" "0 children e 0
1 children e 17
1 $sh e 9
2 children e 3" "$name: both ends are told"
	all_used

	run "another thread that waits meanwhile" 9 blocked 'kill -9 $$'
	is "$(rows "exename = '$sh'")" "1 $sh s 9" "$name: the end is told"
	is "$(query "SELECT cpu_time FROM process WHERE exename = '$sh'")" - "$name: what it used is not known"

	run "threads that call it at once" 36 threads 8
	is "$(rows 'depth > 0' | sort | tr '\n' ,)" "$(for i in 1 2 3 4 5 6 7 8; do printf '1 %s e %s,' "$sh" $i; done)" \
		"$name: each has its status, and there is no row too many"

	run "streams" "9
1792
15
768" popen 'kill -9 $$' "$children spin 10; exit 7" 'kill -TERM $$' "exec env -i $children spin 0"
	is "$(rows "depth = 1 AND end_reason <> 'exec'" | sort)" \
		"$(printf '1 %s\n' "$sh e 7" "$sh s 15" "$sh s 9" "children e 3" | sort)" "$name: every end is told"

	run "words without commands" 2 wordexp 'a b'
	is "$(field record record=reaped)" "" "$name: nothing was waited for"
	run "words of commands" 3 wordexp '$(echo a b) c'
	is "$(rows 'depth = 1')" "1 $sh e 0" "$name: no row too many"

	# libc asks a second shell whether the first one failed for the words' syntax.
	run "words of a shell that is killed" 1 wordexp '$(kill -9 $$)x'
	is "$(rows 'depth = 1' | sort)" "1 $sh e 0
1 $sh running" "$name: which of two it was is not told"
done
done_testing
