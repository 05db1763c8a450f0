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
