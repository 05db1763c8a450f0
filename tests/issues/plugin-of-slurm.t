#!/bin/sh
# The SPANK plugin takes over whole output alone, gives up what was root's, and fails no step.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

plugin=$abs_top_builddir/spank_perfmon.so
host=$abs_top_builddir/tests/progs/spank_host
if [ ! -e "$plugin" ] || [ ! -x "$host" ]; then
	skip "the SPANK plugin" "built without slurm/spank.h"
	done_testing
fi
# perfmon, as far as the plugin sees it: prints a file, and says whose it runs as.
cat >perfmon <<END
#!/bin/sh
echo "\$*:\$(id -u):\$(id -G)" >"$work/told/run"
env >"$work/told/env"
readlink /proc/self/fd/0 >"$work/told/input"
ls /proc/self/fd | tr '\n' ' ' >"$work/told/descriptors"
sed -n 's/^SigIgn:[^0-9a-f]*/0x/p' /proc/self/status >"$work/told/signals"
echo "to be seen by nobody" >&2
cat "$work/out"
exit "\$(cat "$work/status")"
END
chmod 755 perfmon
chmod 755 "$work"
mkdir told && chmod 777 told
echo 0 >status
# said WHAT VARIABLES ARGUMENT...: what the plugin did, in one line.
said()
{
	what=$1 with=$2
	shift 2
	rm -f told/run
	# shellcheck disable=SC2086 # one word each
	env $with "$host" "$plugin" "$what" "perfmon=$work/perfmon" "$@" 2>err | sed '/^SLURM_TASK_PID=/d' | tr '\n' ' '
}

echo 'export A=b=c' >out
is "$(said task_init '')$(ls told)" "init: 0 task_init: 0 " "without the option nothing is run"
is "$(said task_init '' always)" "init: 0 A=b=c task_init: 0 " "always: what perfmon prints is set"
is "$(said task_init HOST_OPTION=)$(cut -d: -f1 told/run)" "init: 0 A=b=c task_init: 0 -q source --slurm" "so with the option"
is "$(said task_init HOST_OPTION=cycles)" "init: 0 PERFMON_OPTIONS=cycles A=b=c task_init: 0 " "and its value are the events"
is "$(said task_init '' alwys always)|$(cat err)" \
	"init: 0 A=b=c task_init: 0 |spank_perfmon: unknown argument alwys in plugstack.conf" "an unknown argument fails no step"
is "$(said task_init "LD_PRELOAD=/x.so:$work/libperfmon.so HOST_OPTION=off" always)" \
	"init: 0 PERFMON_RECORDING=off LD_PRELOAD=/x.so task_init: 0 " "off: not recorded, whatever the step inherits"

# --- the batch script, whose environment lost the option ------------------------------------------
copy=SLURM_SPANK__SLURM_SPANK_OPTION_perfmon_perfmon
is "$(said task_init "$copy=cycles HOST_STEP=0xfffffffb")" "init: 0 PERFMON_OPTIONS=cycles A=b=c task_init: 0 " \
	"a batch script finds the option in its copy"
is "$(said task_init "$copy=cycles HOST_STEP=0")" "init: 0 task_init: 0 " "which is not for other steps"

# --- what else a task gets -------------------------------------------------------------------------
is "$(said task_init 'HOST_OPTION=(null)')" "init: 0 A=b=c task_init: 0 " "what Slurm makes of an option without a value is none"
is "$(said task_init "HOST_OPTION=$(printf '%04095d' 7)" | wc -c | tr -d ' '):$(said task_init "HOST_OPTION=$(printf '%04096d' 7)")" \
	"4139:init: 0 A=b=c task_init: 0 " "events that do not fit are left out, not cut"
id="SLURM_JOB_ID=77 SLURM_STEP_ID=3 SLURM_PROCID=12"
is "$(said task_init "$id" always)" "init: 0 A=b=c PERFMON_TASK=77.3.12 task_init: 0 " "the task is marked as recorded"
is "$(said task_init "${id% *}" always)" "init: 0 A=b=c task_init: 0 " "but one that has no name"
printf 'A=1\nexport B\nexport C=\n\nexportD=1\n' >out
is "$(said task_init '' always)" "init: 0 C= task_init: 0 " "of what perfmon prints only exports are taken over"
echo 'export A=b=c' >out
is "$("$host" "$plugin" task_init "perfmon=$work/perfmon" always | sed -n 's/^SLURM_TASK_PID=//p' | grep -c '^[1-9][0-9]*$'):$(
	grep -c '^SLURM_TASK_PID=[1-9]' told/env)" 1:1 "perfmon and the task know the task's process"
for list in "$work/libperfmon.so" "$work/libperfmon.so:/y/libperfmon.so"; do
	is "$(said task_init "LD_PRELOAD=$list HOST_OPTION=off")" "init: 0 PERFMON_RECORDING=off no LD_PRELOAD task_init: 0 " \
		"off: nothing is preloaded where nothing else was"
done
is "$(said task_init "LD_PRELOAD=/x.so:/libperfmon.so:/libperfmon.so.1:libperfmon.so:/z.so HOST_OPTION=off")" \
	"init: 0 PERFMON_RECORDING=off LD_PRELOAD=/x.so:/libperfmon.so.1:libperfmon.so:/z.so task_init: 0 " "what only looks like it stays"
# Descriptor 3 is that of the listing.
is "$(env -u LD_PRELOAD sh -c 'trap "" INT USR1; exec 5</dev/null 9</dev/null; exec "$@"' sh "$host" "$plugin" task_init \
	"perfmon=$work/perfmon" always 2>&1 <out | grep -c nobody):$(cat told/input told/descriptors):$(($(cat told/signals) & 0x202))" "0:/dev/null
0 1 2 3 :0" \
	"perfmon has no descriptors and no ignored signals of the task's, and what it complains of is not seen"

# --- output that is not whole ----------------------------------------------------------------------
printf 'export A=1\nexport B=2' >out
is "$(said task_init '' always)" "init: 0 task_init: 0 " "cut: nothing is taken over"
# 64 KiB to the byte, the last of which ends a line.
i=0
while [ $i -lt 4096 ]; do printf 'export A%04d=12\n' $i; i=$((i + 1)); done >out
head -n 4095 out >fits
is "$(wc -c <out | tr -d ' ')" 65536 "lines as long as the room is"
is "$(said task_init '' always | cut -c1-40)" "init: 0 task_init: 0 " "too long: nothing is taken over"
mv fits out
is "$(said task_init '' always | tr ' ' '\n' | grep -c '^A.*=12$')" 4095 "what just fits is"
echo 'export A=1' >out
echo 3 >status
is "$(said task_init '' always)" "init: 0 task_init: 0 " "perfmon failed: nothing is taken over"
echo 0 >status

# --- the environment at the end of a task, and whether there is one ------------------------------------
uid="HOST_UID=$(id -u) HOST_GID=$(id -g)"
said task_exit "$uid LD_BIND_NOW=1 LD_LIBRARY_PATH=/x GCONV_PATH=/x GLIBC_TUNABLES=x=y LOCPATH=/x MALLOC_CHECK_=1 OPENSSL_CONF=/x \
	ASAN_OPTIONS=x=1 OLD_LD_X=1 LOCPATHS=1 SLURM_JOB_ID=77" always >/dev/null
is "$(grep -E '^(LD_|GCONV_|GLIBC_|LOCPATH|MALLOC_|OPENSSL_|ASAN_|OLD_LD_X|SLURM_)' told/env | sort | tr '\n' ' ')" \
	"LOCPATHS=1 OLD_LD_X=1 SLURM_JOB_ID=77 " "perfmon gets the job's variables, but those that name code"
is "$(said task_exit "$uid")$(said task_exit "$uid HOST_OPTION=off" always)$([ -e told/run ]; echo $?)" \
	"init: 0 task_exit: 0 init: 0 task_exit: 0 1" "a task that is not recorded has no such end"
is "$(said task_exit "$uid $copy=cycles HOST_STEP=0xfffffffb")$(cut -d: -f1 told/run)" "init: 0 task_exit: 0 -q stop --slurm" \
	"that of a batch script is found by the copy, too"

# --- the end of a task --------------------------------------------------------------------------------
if [ "$(id -u)" -ne 0 ]; then
	is "$(said task_exit "HOST_UID=$(id -u)" always)$(cut -d: -f1,2 told/run)" \
		"init: 0 task_exit: 0 -q stop --slurm:$(id -u)" "perfmon is run at the end"
elif need setpriv; then
	rm -f told/run
	setpriv --groups 0,54099 env HOST_UID=54001 HOST_GID=54011 HOST_GROUP=54012 \
		"$host" "$plugin" task_exit "perfmon=$work/perfmon" always >said 2>&1
	is "$(tr '\n' ' ' <said)$(cat told/run)" "init: 0 task_exit: 0 -q stop --slurm:54001:54011 54012" \
		"perfmon is run at the end as the user, with the user's groups alone"
fi
done_testing
