#!/bin/sh
# submit --remove leaves the directory of a job whose recorded processes live, and says so: what they start
# later is recorded, and another submit has it.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

jobs=$PERFMON_OUTPUT_PREFIX/$(id -un)
cat >daemon.sh <<'DAEMON'
: >began
read -r line <go
/bin/true
/bin/date
DAEMON
mkfifo go
rows() { query "select group_concat(exename, ' ') from (select exename from process where exename in ('true', 'date') order by 1)"; }
without_end() { query "select count(*) from process where exename = 'sh' and usertime is null"; }

"$PERFMON" -q -a -j one run sh -c 'setsid sh daemon.sh >/dev/null 2>&1 & echo $! >pid'
tries=600
while [ ! -e began ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
"$PERFMON" submit --remove -n -j one >out 2>err
is "$?:$(grep -c '^would remove' out):$(grep -c 'still there: sh' err)" 1:0:1 "a daemon lives: -n says that its job would stay"
"$PERFMON" submit --remove -j one >out 2>err
is "$?:$(grep -v ': loaded' err | sed 's/([0-9]*)/(N)/g')" \
	"1:perfmon: warning: not removed: $jobs/one: 1 process of the job is still there: sh (N); submit it again later" \
	"the job is loaded and stays, with the reason"
is "$(ls -d "$jobs/one"):$(query "select count(*) from job")" "$jobs/one:1" "its directory is there"
echo >go
while kill -0 "$(cat pid)" 2>/dev/null && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
"$PERFMON" submit --remove -j one >out 2>err
is "$?:$(find "$jobs" -name one | wc -l | tr -d " ")" 0:0 "it has ended: the next one removes the directory"
is "$(rows):$(without_end)" "date true:0" "and the database has what the daemon started, and its end"

# An excluded program has no record; what it starts has.
if cp "$(command -v sh)" quiet; then
	rm -f began
	"$PERFMON" -q -a -j two run --exclude=quiet sh -c 'setsid ./quiet daemon.sh >/dev/null 2>&1 & echo $! >pid'
	tries=600
	while [ ! -e began ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
	"$PERFMON" stage -j two >out 2>err
	is "$?:$(grep -c 'still there: quiet (' err):$(ls -d "$jobs/two")" "0:1:$jobs/two" "stage knows an excluded one that lives"
	"$PERFMON" submit --remove "$jobs/two" >out 2>err
	is "$?:$(grep -c 'still there: quiet (' err):$(ls -d "$jobs/two")" "1:1:$jobs/two" "so does submit --remove"
	echo >go
	while kill -0 "$(cat pid)" 2>/dev/null && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
	"$PERFMON" submit --remove "$jobs/two" >out 2>err
	is "$?:$(find "$jobs" -name two | wc -l | tr -d " "):$(rows)" "0:0:date date true true" "it has ended"
fi
done_testing
