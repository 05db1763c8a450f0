#!/bin/sh
# Every process is recorded: one record per image, and how the last one ended.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

family=$abs_top_builddir/tests/progs/family

for layout in $layouts; do
	collect "$layout" "$family" >"$work/expected"
	is $? 0 "$layout: the family ran"
	is "$(wc -l <"$work/expected" | tr -d ' ')" 24 "$layout: every member reported"
	is "$(table | grep -c DAMAGED)" 0 "$layout: every line is whole"
	while read -r pid images how value; do
		name="$layout: process that ended by $how $value after $images images"
		is "$(field image_us record=start "pid=$pid" | wc -l | tr -d ' ')" "$images" "$name: images"
		case $how in
		exit) is "$(field exitcode record=reaped "pid=$pid")" "$value" "$name: reaped" ;;
		signal) is "$(field exitsignal record=reaped "pid=$pid")" "$value" "$name: reaped" ;;
		esac
		ends=$(field end_reason record=end "pid=$pid" | tr '\n' ' ')
		last=$(field exitcode record=end end_reason=exit "pid=$pid")
		resumed=$(table | grep -c "	record=resumed	.*	pid=$pid	")
		case $how:$value:$images in
		signal:* | exit:7:* | exit:19:*) is "$ends$last" "" "$name: no end record, the wait tells" ;;
		exit:9:*) is "$ends$last $resumed" "exec exit 9 1" "$name: a failed exec is taken back" ;;
		*:4) is "$ends$last" "exec exec exec exit $value" "$name: end records" ;;
		*:2) is "$ends$last" "exec exit $value" "$name: end records" ;;
		*) is "$ends$last $resumed" "exit $value 0" "$name: end record" ;;
		esac
	done <"$work/expected"
	pid=$(awk '$3 " " $4 == "exit 16" { print $1 }' "$work/expected")
	is "$(field numtids record=end "pid=$pid") $(field tid record=thread "pid=$pid" | sort -u | wc -l | tr -d ' ')" \
		"9 9" "$layout: all threads of a forked child"
	pid=$(awk '$3 " " $4 == "exit 15" { print $1 }' "$work/expected")
	is "$(field tid record=thread "pid=$pid" | sort -u | wc -l | tr -d ' ')" 2 \
		"$layout: exit from another thread: main thread and caller have their records"
	all=$(find "$records" -name '*.tsv' | wc -l | tr -d ' ')
	# shellcheck disable=SC2016
	collect "$layout" sh -c '"$1" daemon 23 >"$2"; while [ ! -s "$2" ]; do sleep 0.05; done' \
		x "$family" "$work/pids"
	read -r pid parent <"$work/pids"
	until [ -n "$(field exitcode record=end "pid=$pid")" ]; do sleep 0.05; done
	is "$(field exitcode record=end "pid=$pid") $(field ppid record=start "pid=$pid")" "23 $parent" \
		"$layout: a daemon is recorded, with the process that became it as its parent"
	is "$(field exitcode record=end "pid=$parent")" 0 "$layout: and so is the end of that process"
	if pid=$(collect "$layout" "$family" pty 24); then
		is "$(field exitcode record=end "pid=$pid") $(field end_reason record=end "pid=$pid")" "24 exit" \
			"$layout: the child of forkpty"
	else
		skip "$layout: the child of forkpty" "no pseudo terminals here"
	fi
	# The second process leaves its main thread by pthread_exit when the others are gone.
	collect "$layout" "$abs_top_builddir/tests/progs/crowd" 1 threads 2
	is "$(field tid record=thread | wc -l | tr -d ' ') $(field tid record=thread | sort -u | wc -l | tr -d ' ')" \
		"10 10" "$layout: each of ten threads has one record"
	case $layout in
	COLLATED_TSV) want=1 ;;
	PER_PROCESS) want=25 ;;
	esac
	is "$all" "$((want - (want > 1)))" "$layout: files"
done
done_testing
