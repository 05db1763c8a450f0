#!/bin/sh
# `perfmon run` runs the command, once, whichever of its own allocations fails, and hands on its status.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

starve=$abs_top_builddir/tests/progs/starve.so
cat >work.sh <<'END'
echo ran >>ran
exit 7
END
# starved AT: run the command with this allocation failing.
starved()
{
	rm -f ran
	LD_PRELOAD=$starve STARVE_ONLY=perfmon STARVE_AT=$1 STARVE_COUNT=$work/count PERFMON_TAGS=a:b \
		PERFMON_OPTIONS=page-faults \
		timeout 60 "$PERFMON" -q -a --environment all run sh work.sh >out 2>err
	status=$?
}
starved 0
if [ "$PM_SANITIZED" = yes ] || [ ! -s count ]; then
	skip "the command runs" "the allocations of perfmon cannot be counted here"
	done_testing
fi
calls=$(cat count)
: >wrong
# Of the first, glibc's getpwuid(3) dies by itself.
step=$(((calls - 4) / ${PM_STARVED_RUNS:-80} + 1))
at=$((4 + step / 2 + 1))
while [ $at -le "$calls" ]; do
	starved $at
	[ "$status:$(cat ran 2>/dev/null)" = 7:ran ] ||
		echo "allocation $at of $calls: status $status, ran $(grep -c . ran), $(head -n 1 err)" >>wrong
	at=$((at + step))
done
is "$(cat wrong)" "" "the command runs once, with its status, whichever allocation fails"

done_testing
