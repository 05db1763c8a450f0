#!/bin/sh
# A `perfmon -a run` that was killed leaves an open job: every verb says which, and how to close it.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

export PERFMON_DB="$work/x.db"
mkfifo gate
"$PERFMON" -a run sh -c 'echo >ready; read -r line <gate' &
for _ in $(seq 200); do
	[ ! -e ready ] || break
	sleep 0.05
done
kill -9 $!
wait $! 2>/dev/null
echo go >gate
job=$("$PERFMON" status --json | sed -n 's/.*"jobid": *"\([^"]*\)".*/\1/p' | head -n 1)

"$PERFMON" status --width 200 >out 2>&1
is "$(grep -c "^$job  *stale .*its perfmon run has ended: perfmon stop -j $job" out)" 1 "status: stale, and what to do"
for verb in stop submit; do
	"$PERFMON" $verb >out 2>&1
	is "$?:$(grep -c "job $job .*with perfmon -j $job stop\|job $job is open; perfmon -j $job stop" out)" 1:1 \
		"$verb names the job and the command"
done
"$PERFMON" -j "$job" stop >out 2>&1 && "$PERFMON" submit >out 2>&1
is "$?:$("$PERFMON" list --csv jobs | grep -c "$job")" 0:1 "which closes it, so that it can be loaded"

"$PERFMON" report "$job" | tr -s ' \n' ' ' >out
is "$(grep -c 'Result unknown: .perfmon -a run. ended before the command.s end was recorded' out)" 1 "the report says why the result is unknown"

# One that lives is not stale.
"$PERFMON" -a run sh -c 'rm -f ready; echo >ready; read -r line <gate' &
run=$!
for _ in $(seq 200); do
	[ ! -e ready ] || [ -z "$("$PERFMON" status | grep open)" ] || break
	sleep 0.05
done
is "$("$PERFMON" status | grep -c ' stale ')" 0 "a run that lives is not stale"
echo go >gate
wait $run

done_testing
