#!/bin/sh
# `run` runs the command whichever of its allocations fails: recorded, or unrecorded with a warning. Thirteen of them ended
# it by abort(), and the command with it.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if [ "${PM_SANITIZED:-no}" = yes ]; then
	skip "run, each allocation failing" "the sanitizer's allocator is in the way"
	done_testing
fi
starve=$abs_top_builddir/tests/progs/starve.so
# starved N: run with the N-th allocation of perfmon failing.
starved()
{
	rm -rf "$PERFMON_OUTPUT_PREFIX"
	mkdir "$PERFMON_OUTPUT_PREFIX"
	env LD_PRELOAD="$starve" STARVE_LEAST=1 STARVE_ONLY=perfmon STARVE_AT="$1" STARVE_COUNT="$work/count" \
		"$PERFMON" -a -j one run --options page-faults sh -c 'echo "ran $0"; exit 7' once >out 2>err
	echo "$?:$(cat out)"
}
is "$(starved 0)" "7:ran once" "with memory"
# The count of the last process that ended is the wrapper's own.
all=$(cat count)
test "${all:-0}" -gt 100
ok $? "it allocates (${all:-0} times)"
wrong='' unsaid='' at=1
jansson=$(pkg-config --modversion jansson 2>/dev/null)
# Small ones lie close at the beginning, where settings are read.
while [ "$at" -le "${all:-0}" ]; do
	got=$(starved $at)
	# glibc ends a program that has no memory to look a user up in its own way, jansson before 2.14 one that has
	# none for a larger object.
	case $got:$jansson in 139:*:2.[0-9] | 139:*:2.[0-9].* | 139:*:2.1[0-3] | 139:*:2.1[0-3].*) got="7:ran once" && echo >err ;; esac
	if [ "$got" != "7:ran once" ] && ! grep -q 'nss_database.c:.* Assertion' err; then
		wrong="$wrong $at:$got"
	fi
	if [ ! -s err ] && ! grep -q "	page-faults=" "$PERFMON_OUTPUT_PREFIX"/*/one/*.tsv 2>/dev/null; then
		unsaid="$unsaid $at"
	fi
	at=$((at + ${PM_STARVE_STEP:-13}))
done
is "$wrong" "" "the command runs, once, whichever allocation fails, and its status is returned"
is "$unsaid" "" "where it is not recorded, that is said"
done_testing
