#!/bin/sh
# Children by clone and by raw system calls, waits by the latter, threads of C11.
# shellcheck disable=SC2154 # set by lib.sh and collector.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"
# shellcheck source=tests/e2e/loaded.sh
. "$abs_top_srcdir/tests/e2e/loaded.sh"

clones=$abs_top_builddir/tests/progs/clones

# count PATTERN...: how many lines of the records hold them
count()
{
	field record "$@" | grep -c .
}

"$clones" children >bare.children 2>/dev/null
"$clones" refused >bare.refused
"$clones" threads >bare.threads
is "$(cat bare.* | grep -c .)" 24 "the program makes its observations"

for layout in $layouts; do
	collect "$layout" "$clones" children >out 2>pids
	is "$?:$(diff bare.children out)" 0: "$layout: clone and raw calls do what they do"
	is "$(table | grep -c DAMAGED)" 0 "$layout: records are whole"
	while read -r pid status; do
		name="$layout: the child that ended with $status"
		case $status in
		29) want="0 - 1 $status" ;; # shares the memory
		27 | 28) want="1 - 1 $status" ;; # ended by a raw call
		*) want="1 $status 1 $status" ;;
		esac
		is "$(count record=start "pid=$pid") $(field exitcode record=end "pid=$pid" | grep . ||
			echo -) $(count record=reaped "pid=$pid") $(field exitcode record=reaped "pid=$pid")" \
			"$want" "$name: start, end, wait"
	done <pids
	is "$(count record=start) $(count record=end)" "9 7" "$layout: and nothing else"

	collect "$layout" "$clones" refused >out
	is "$?:$(diff bare.refused out)" 0: "$layout: what is refused is refused in the same way"
	is "$(count record=start) $(count record=end) $(count record=reaped)" "1 1 0" \
		"$layout: and leaves no records"

	collect "$layout" "$clones" threads >out
	is "$?:$(diff bare.threads out)" 0: "$layout: threads of C11 return what they do"
	is "$(field tid record=thread | sort -u | grep -c .) $(field numtids record=end)" "5 5" \
		"$layout: each has its record"

	collect "$layout" "$clones" inits >out
	status=$?
	if [ $status -eq 77 ]; then
		skip "$layout: inits of nested pid namespaces" "no pid namespaces here"
	elif ! need sqlite3; then
		skip "$layout: inits of nested pid namespaces" "no $missing"
	else
		is "$status:$(cat out)" 0:42 "$layout: inits of nested pid namespaces do what they do"
		load
		ok $? "$layout: their records load"
		is "$(rows 1)" "0 clones e 0
1 clones e 42
2 clones e 41
2 true e 0" "$layout: each is a process, below the one that waited for it outside"
		is "$(query 'SELECT count(DISTINCT pid_ns) FROM process WHERE pid = 1')" 3 \
			"$layout: each in a namespace of its own"
	fi
done
done_testing
