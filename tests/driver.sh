#!/bin/sh
# Run one test of `make check` under automake's TAP driver, with a limit in time. Of a test that failed, say what
# repeats it alone.
#
#   driver.sh TAP-DRIVER OPTION... -- TEST...
#
# A test that has not ended after PM_TEST_SECONDS (300, or 1200 with sanitizers) is stopped with its processes, and
# fails. Its processes have its mark in their environment, or descend from one that has: sessions and process groups
# of their own do not hide them.

tap_driver=$1
shift
name='' log='' trs='' count=0 previous=''
for word in "$@"; do
	[ "$word" != -- ] || break
	count=$((count + 1))
	case $previous in
	--test-name) name=$word ;;
	--log-file) log=$word ;;
	--trs-file) trs=$word ;;
	esac
	previous=$word
done
limit=${PM_TEST_SECONDS:-300}
[ -n "${PM_TEST_SECONDS-}" ] || [ "${PM_SANITIZED-}" != yes ] || limit=1200
case $limit in
'' | *[!0-9]*)
	echo "PM_TEST_SECONDS=$limit is no number of seconds" >&2
	exit 1
	;;
esac
mark=PM_TEST=$$.$log

# Tests make and remove many small files, for which ext4 passes each inode that was removed lately, and wait until they
# are written: in memory, where the host has 4 GB to spare and nobody chose a folder. check-NAME, whose tests have a
# limit of their own, stays on the disk.
if [ -z "${TMPDIR-}${PM_TEST_SECONDS-}" ] && [ -w /dev/shm ]; then
	memory=$(awk '
		$1 == "MemAvailable:" { free = $2 }
		$2 == "/dev/shm" {
			size = match($4, /size=[0-9]+k/) ? substr($4, RSTART + 5) + 0 : free
			fit = $3 == "tmpfs" && ("," $4 ",") !~ /,(ro|noexec),/ && size >= 4000000
		}
		END { if (fit && free >= 4000000) print "/dev/shm" }' /proc/meminfo /proc/mounts)
	[ -z "$memory" ] || export TMPDIR="$memory"
fi
expired=${log%.log}.expired
[ ! -e "$expired" ] || rm -f "$expired"

# processes MARKED OTHER: "kill -s MARKED PID" for each process with the mark, one with OTHER for what descends from
# them without it.
processes()
{
	{
		grep -l -s -z -x -F "$mark" /proc/[0-9]*/environ
		grep -s '^PPid:' /proc/[0-9]*/status
	} | awk -F '[/:\t]+' -v marked="$1" -v other="$2" '
		$4 == "environ" { found[$3] = marked; next }
		{ parent[$3] = $6 }
		END {
			do {
				more = 0
				for (pid in parent)
					if (!(pid in found) && parent[pid] in found) {
						found[pid] = other
						more = 1
					}
			} while (more)
			for (pid in found)
				print "kill -s " found[pid] " " pid
		}'
}

# gone TENTHS PATTERN: wait until no process has the line in its environment, for that long.
gone()
{
	tenths=$1
	while grep -q -s -z -x -F "$2" /proc/[0-9]*/environ; do
		[ "$tenths" -gt 0 ] || return 1
		tenths=$((tenths - 1))
		sleep 0.1
	done
}

# Runs beside the test. What the test has no mark on may hold its output: then the driver's reader has to end.
stop_late()
{
	trap '[ -z "$!" ] || kill "$!"; exit' TERM
	sleep "$limit" &
	wait "$!" || exit
	trap '' TERM
	: >"$expired"
	# A test that is asked to end removes what it made.
	eval "$(processes TERM KILL)"
	gone 50 "$mark" || eval "$(processes KILL KILL)"
	gone 20 "$mark.reader" || { mark=$mark.reader && eval "$(processes KILL KILL)"; }
}

# Make the expired test a failed one: of what it had said until then, the results stay.
fail_expired()
{
	echo "FAIL: $name - stopped after $limit s" | tee -a "$log"
	{
		echo ":global-test-result: FAIL"
		echo ":recheck: yes"
		echo ":copy-in-global-log: yes"
		grep -s '^:test-result:' "$trs"
		echo ":test-result: FAIL stopped after $limit s"
	} >"$trs.new" && mv "$trs.new" "$trs"
}

# What repeats the test; libcheck runs the cases of one name alone. Variables that chose its size or seed belong to it.
explain_failure()
{
	given=$(env | sed -n 's/^\(PM_[A-Z_]*=[A-Za-z0-9.,:\/_-]*\)$/\1/p' |
		grep -v -E '^PM_(SANITIZED|SIGNALS|RESULTS|TEST)=' | sort | tr '\n' ' ')
	echo "  repeat: cd $(pwd) && ${given}make check TESTS=$name"
	sed -n 's/^not ok [0-9]* - [^: ]*[.]c:\([^:]*\):.*/\1/p' "$log" | sort -u | head -n 3 | while read -r case; do
		echo "  or its case alone: CK_RUN_CASE='$case' make check TESTS=$name"
	done
	echo "  log: $(pwd)/$log"
}

stop_late >/dev/null 2>&1 </dev/null &
watch=$!
trap 'kill "$watch" 2>/dev/null; exit 130' INT
trap 'kill "$watch" 2>/dev/null; exit 143' TERM HUP

# The options, then the test under its mark.
at=0
for word in "$@"; do
	shift
	set -- "$@" "$word"
	[ $at -ne $count ] || set -- "$@" env "$mark" AM_TAP_AWK="${AM_TAP_AWK:-awk}"
	at=$((at + 1))
done
AM_TAP_AWK="env $mark.reader ${AM_TAP_AWK:-awk}" ${CONFIG_SHELL:-/bin/sh} "$tap_driver" "$@"
status=$?

if [ -e "$expired" ]; then
	wait "$watch"
	fail_expired
	status=0
else
	kill "$watch" 2>/dev/null
	wait "$watch" 2>/dev/null
fi
[ ! -e "$expired" ] || rm -f "$expired"
result=''
[ ! -e "$trs" ] || read -r _ result <"$trs"
case $result in
FAIL | ERROR) explain_failure ;;
esac
exit $status
