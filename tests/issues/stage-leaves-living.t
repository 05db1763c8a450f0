#!/bin/sh
# stage packs a job of which processes still live, says so and leaves its directory to them: what
# they start later is recorded, and another stage has it.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! "$PERFMON" -q -a -j probe run true || ! "$PERFMON" -q stage -j probe >out 2>err; then
	grep -q 'built without' err && skip "stage" "$(cut -d: -f2- <err)" && done_testing
fi
rm -f ./*.tgz
jobs=$PERFMON_OUTPUT_PREFIX/$(id -un)
host=$(uname -n)
cat >daemon.sh <<'END'
: >began.$1
read -r line <go.$1
i=0
while [ $i -lt 30 ]; do /bin/true; i=$((i + 1)); done
END
mkfifo go.one go.two
# until_gone PID
until_gone()
{
	tries=600
	while kill -0 "$1" 2>/dev/null && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
}
began() { while [ ! -e "began.$1" ]; do sleep 0.1; done; }
rows() { query "select count(*) from process p join job j on j.id = p.job_id where j.jobid = '$1' and exename = '$2'"; }

"$PERFMON" -q -a -j one run sh -c 'setsid sh daemon.sh one >/dev/null 2>&1 & echo $! >pid.one; date >/dev/null'
began one
"$PERFMON" stage -j one >out 2>err
is "$?:$(cat out):$(sed 's/([0-9]*)/(N)/g' err)" \
	"0:$work/one.$host.tgz:perfmon: warning: $jobs/one: 1 process of the job is still there: sh (N); what it has written so far is packed; the job is kept: stage it again later" \
	"a daemon lives: stage packs what there is, and says why the job stays"
is "$(ls -d "$jobs/one")" "$jobs/one" "its directory is there"
"$PERFMON" stage -j one --json 2>/dev/null | grep -o '"kept": [a-z]*' >kept
is "$(cat kept)" '"kept": true' "--json says so, too"
rm -f "one.$host.2.tgz"
# In a pid namespace of its own it has another pid there.
if [ "$(id -u)" -eq 0 ] && need unshare && unshare --pid --fork true 2>/dev/null; then
	inner=yes
	"$PERFMON" -q -a -j two run sh -c 'unshare --pid --fork --mount-proc setsid sh daemon.sh two >/dev/null 2>&1 & echo $! >pid.two; date >/dev/null'
	began two
	"$PERFMON" stage -j two >out 2>err
	is "$?:$(grep -c ' process.* of the job .* still there' err):$(ls -d "$jobs/two")" "0:1:$jobs/two" \
		"one in a pid namespace of its own lives"
fi
echo >go.one
until_gone "$(cat pid.one)"
if [ -n "${inner-}" ]; then
	echo >go.two
	until_gone "$(cat pid.two)"
fi
"$PERFMON" stage -j one >out 2>err
is "$?:$(cat out err):$(find "$jobs" -name one | wc -l | tr -d " ")" "0:$work/one.$host.2.tgz:0" "it has ended: stage packs the rest, and the directory goes"
"$PERFMON" -q submit "one.$host.2.tgz" "one.$host.tgz"
is "$?:$(query "select count(*) from job where jobid = 'one'"):$(rows one true)" 0:1:30 \
	"the job is one and has what the daemon started after the first stage"
is "$(query "select count(*) from process p join job j on j.id = p.job_id where j.jobid = 'one' and exename = 'sh' and p.usertime is null")" 0 \
	"and its end"
if [ -n "${inner-}" ]; then
	"$PERFMON" -q stage -j two
	"$PERFMON" -q submit "two.$host.tgz"
	"$PERFMON" -q submit "two.$host.2.tgz"
	is "$?:$(rows two true)" 0:30 "so has that of the namespace, one archive after the other"
else
	skip "a daemon in a pid namespace" "needs root"
fi

# What is counted and has no line, beyond max_bytes, is in one of the archives.
mkfifo go.four
"$PERFMON" -q -a -j four --max-bytes=64k run sh -c 'setsid sh daemon.sh four >/dev/null 2>&1 & echo $! >pid.four
	while [ ! -e began.four ]; do sleep 0.1; done
	i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done'
"$PERFMON" -q stage -j four >out 2>err
is "$?:$(ls -d "$jobs/four")" "0:$jobs/four" "a job beyond max_bytes stays for its daemon"
echo >go.four
until_gone "$(cat pid.four)"
"$PERFMON" -q stage -j four
# The second archive has all that the first one has: alone it says what both say.
counts() { query "select sum(images) from folded_program f join job j on j.id = f.job_id where j.jobid = 'four'"; }
"$PERFMON" -q submit "four.$host.2.tgz"
alone=$(rows four true):$(counts)
"$PERFMON" -q delete --force four
"$PERFMON" -q submit "four.$host.tgz" "four.$host.2.tgz"
is "$(rows four true):$(counts):$([ "$(counts)" -gt 20 ]; echo $?)" "$alone:0" "what is counted in both archives counts once"

# A process that was killed and is nobody's to wait for has no end either, and lives no more: one
# that has its pid now began at another time. Who records nothing keeps nothing.
"$PERFMON" -q -a -j three run sh -c 'sh -c "echo \$\$ >pid.three; kill -9 \$\$"
	env -u LD_PRELOAD sleep 600 >/dev/null 2>&1 &
	echo $! >pid.five'
# Until then it is env or a shell, which are recorded.
tries=600
while [ "$(cat "/proc/$(cat pid.five)/comm")" != sleep ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
sed "s/	$(cat pid.three)	/	$$	/" "$jobs"/three/*.tsv >edited && cat edited >"$(echo "$jobs"/three/*.tsv)"
"$PERFMON" -q stage -j three >out 2>err
is "$?:$(cat err):$(find "$jobs" -name three | wc -l | tr -d " ")" 0::0 "a process that was killed keeps no directory"
kill "$(cat pid.five)"
done_testing
