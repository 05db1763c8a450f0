#!/bin/sh
# Switches that turn recording off: by file, user, account, partition, share of the jobs, and by the
# user. Scripts run as without perfmon then.
# shellcheck disable=SC2154,SC2016,SC2119,SC2120 # set by lib.sh; the scripts' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

export PERFMON
conf=$XDG_CONFIG_HOME/perfmon
mkdir -p "$conf"
# The machine's own switch has no say in a test.
export PERFMON_OFF_FILE="$work/off"

cat >script <<'SCRIPT'
set -e
"$PERFMON" start
eval $("$PERFMON" source)
/bin/echo "one $(env | grep -c -e ^PERFMON_OUTPUT= -e ^LD_PRELOAD=)"
perfmon_uninstrument
perfmon_instrument
/bin/echo two
perfmon_uninstrument
"$PERFMON" run sh -c 'echo three; exit 4' || echo "four $?"
"$PERFMON" stop
"$PERFMON" -a run echo five
"$PERFMON" submit
SCRIPT
want='one 0
two
three
four 4
five'

# off NAME [COMMAND...]: the script runs in silence and leaves nothing.
off()
{
	name=$1
	shift
	rm -rf "$PERFMON_OUTPUT_PREFIX"
	"$@" sh script >out 2>err
	is "$?:$(cat out err)" "0:$want" "$name: a script runs as without perfmon"
	is "$(find "$PERFMON_OUTPUT_PREFIX" -mindepth 1 2>/dev/null)" "" "$name: and leaves nothing"
}

# on NAME [COMMAND...]: it is recorded.
on()
{
	name=$1
	shift
	rm -rf "$PERFMON_OUTPUT_PREFIX"
	"$@" "$PERFMON" -a run true >out 2>err
	is "$?:$(cat out err):$(find "$PERFMON_OUTPUT_PREFIX" -name 'job-*.json' | wc -l)" "0::1" \
		"$name: recorded"
}

on "nothing set" env
off "recording = off" env PERFMON_RECORDING=off
touch off
off "the file is there" env
on "another file" env PERFMON_OFF_FILE="$work/none"
rm off
touch "$conf/off"
off "the user's file is there" env
rm "$conf/off"
echo 'recording = off' >"$conf/perfmon.conf"
off "the user's configuration says so" env
on "the environment says otherwise" env PERFMON_RECORDING=on
rm "$conf/perfmon.conf"
off "the user's number is listed" env PERFMON_OFF_USERS="12345, $(id -u)"
off "the user's name matches" env PERFMON_OFF_USERS="nobody,$(id -un | cut -c1)*"
on "other users are listed" env PERFMON_OFF_USERS="1$(id -u),x$(id -un),,"
slurm='env SLURM_JOB_ID=7 SLURM_JOB_PARTITION=debug SLURM_JOB_ACCOUNT=proj-1'
# shellcheck disable=SC2086 # words
{
	off "the account is listed" $slurm PERFMON_OFF_ACCOUNTS='x,proj-*'
	on "other accounts are listed" $slurm PERFMON_OFF_ACCOUNTS='proj,debug'
	off "the partition is listed" $slurm PERFMON_OFF_PARTITIONS='debug'
	on "other partitions are listed" $slurm PERFMON_OFF_PARTITIONS='proj-1'
	off "no job is chosen" $slurm PERFMON_FRACTION=0
	on "every job is chosen" $slurm PERFMON_FRACTION=100%
}
off "no job of no batch system is chosen" env PERFMON_FRACTION=0%
on "lists without a batch system match nothing" env PERFMON_OFF_ACCOUNTS='*' PERFMON_OFF_PARTITIONS='*'

# --- what is said -----------------------------------------------------------------------------------
touch off
"$PERFMON" -v start >out 2>err
is "$?:$(cat out err)" "0:perfmon: no job is started: $work/off exists" "-v says why"
"$PERFMON" -n start >out
is "$?:$(cat out)" "0:would start no job: $work/off exists" "so does -n"
for shell in sh csh fish; do
	"$PERFMON" source --shell $shell >out 2>err
	is "$?:$(wc -l <out):$(cat err)" "0:1:" "source --shell $shell defines the functions"
done
"$PERFMON" source --slurm >out 2>err
is "$?:$(cat out err)" "0:" "source --slurm prints nothing"
if need tcsh; then
	printf '%s\n' 'eval `$PERFMON source`' perfmon_uninstrument perfmon_instrument 'echo on' >script
	is "$(tcsh -f script 2>&1)" on "csh finds its aliases"
else
	skip "csh finds its aliases" "no $missing"
fi
if need fish; then
	config=--no-config
	fish $config -c true 2>/dev/null || config=
	is "$(fish ${config:+"$config"} -c 'eval ($PERFMON source); perfmon_uninstrument; perfmon_instrument; echo on' 2>&1)" \
		on "fish finds its functions"
else
	skip "fish finds its functions" "no $missing"
fi
rm off
"$PERFMON" start -j early
touch off
"$PERFMON" -jearly stop
is "$?:$("$PERFMON" dump early | grep -c ^stop_time_us)" 0:1 "a job that is open already is closed"
rm off
PERFMON_FRACTION=2 "$PERFMON" -n start >out 2>err
is "$?:$(cat err)" \
	"0:perfmon: warning: environment PERFMON_FRACTION: '2' is not a fraction such as 0.05 or 12.5%; ignored" \
	"a fraction above 1 is refused"

# --- the share of the jobs --------------------------------------------------------------------------
# chosen FRACTION: the ids of 1 to 400 that are recorded.
chosen()
{
	i=0
	while [ $i -lt 400 ]; do
		i=$((i + 1))
		SLURM_JOB_ID=$i SLURM_NODEID=${2:-0} SLURM_PROCID=${2:-0} PERFMON_FRACTION=$1 \
			"$PERFMON" -n start
	done | sed -n 's/^would start job \([0-9]*\) .*/\1/p'
}
chosen 25% >quarter
# Hosts of a job may have other versions of perfmon: the choice is the same for ever.
is "$(head -n 8 quarter | tr '\n' ' ')" "1 4 10 13 15 25 26 27 " "which jobs are chosen never changes"
chosen 0.25 3 | cmp -s - quarter
ok $? "every task of a job comes to the same choice"
chosen 0.5 >half
is "$(sort quarter half | uniq -d | sort -n | cmp -s - quarter; echo $?)" 0 \
	"a greater share holds the jobs of a smaller one"
# Five standard deviations: chance alone fails it never, and the choice does not change.
n=$(wc -l <quarter)
[ "$n" -gt 57 ] && [ "$n" -lt 143 ]
ok $? "a quarter is about a quarter"

done_testing
