#!/bin/sh
# A disk that fills up while a job runs: the job's end is recorded all the same, in room that was kept for it,
# and what could not be written is told once, with its place; the command's status stands.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need unshare mount || ! unshare -m true 2>/dev/null; then
	skip "a full disk" "no ${missing:-way to mount}"
	done_testing
fi

# on DISK SCRIPT: a shell where $work/disk is a file system of its own.
cat >on <<'ON'
mkdir -p disk && eval "$1" || exit 99
PERFMON_OUTPUT_PREFIX=$PWD/disk
fill() { cat /dev/zero >disk/fill 2>/dev/null; cat /dev/zero >>disk/fill 2>/dev/null; }
job() { ls -d disk/*/"$1"; }
value() { "$PERFMON" dump -k "$1" "$(job "$2")" 2>/dev/null; }
state() { "$PERFMON" status | awk -v job="$1" '$1 == job { print $2 }'; }
export PERFMON_OUTPUT_PREFIX
eval "$2"
ON
on() { unshare -m sh "$work/on" "$@"; }
export PERFMON

ends()
{
	on "$1" 'for layout in COLLATED_TSV PER_PROCESS; do
		PERFMON_OPTIONS=$layout "$PERFMON" -a -j $layout run sh -c "
			true
			cat /dev/zero >disk/fill 2>/dev/null
			sync -f disk
			cat /dev/zero >>disk/fill 2>/dev/null
			/bin/echo out
			exit 9" >out 2>err
		echo "$layout:$?:$(cat out):$(state $layout):$(value stop_exit_status $layout)"
		grep -v "^perfmon: warning: .*disk/" err
		cut -d: -f3 err | sort | uniq -d
		ls -A "$(job $layout)" | grep -e ^.room -e new
		rm disk/fill
	done' 2>&1
}
cat >want <<'WANT'
COLLATED_TSV:9:out:recorded:9
PER_PROCESS:9:out:recorded:9
WANT
ends 'mount -t tmpfs -o size=400k,mode=1777 none disk' >got
diff want got >diff.out
ok $? "on a full tmpfs a job's end is recorded; messages name the place:$(tr '\n' ';' <diff.out)"
grep -q 'warning: .* is not recorded: .*/disk/.*No space left' err
ok $? "what is missing is told"
if truncate -s 6m image && mkfs.ext4 -q -N 100 image >/dev/null 2>&1 &&
	on 'mount -o loop image disk' true 2>/dev/null; then
	ends 'mount -o loop image disk' >got
	diff want got >diff.out
	ok $? "on another file system, too:$(tr '\n' ';' <diff.out)"
else
	skip "on another file system, too" "no ext4"
fi

# start, stop: the room is given back.
on 'mount -t tmpfs -o size=400k,mode=1777 none disk' '
	"$PERFMON" -q start -j one
	ls -A "$(job one)" | grep -c "^\.room"
	"$PERFMON" -j one stop
	ls -A "$(job one)" | grep -c "^\."
	"$PERFMON" -q start -j two
	fill
	"$PERFMON" -j two stop
	echo "$? $(state two)"' >got 2>err
is "$(tr '\n' ' ' <got)$(cat err)" "1 0 0 recorded " "stop finds the room of start, and leaves none"

# No room could be kept: the message says where it failed and what to do.
on 'mount -t tmpfs -o size=400k,mode=1777 none disk' '
	"$PERFMON" -a -j j run sh -c "rm disk/*/j/.room*; cat /dev/zero >disk/fill; cat /dev/zero >>disk/fill; exit 9" 2>err
	echo "$? $(state j)"
	rm disk/fill
	"$PERFMON" -j j stop
	echo "$? $(state j)"' >got
is "$(tr '\n' ' ' <got)" "9 stale 0 recorded " "without, the status stands, and stop does it later"
is "$(grep -c "warning: job j is not stopped: $work/disk/.*/j: write .*No space left on device; stop it later with .perfmon stop -j j." err)" 1 \
	"which is said"
done_testing
