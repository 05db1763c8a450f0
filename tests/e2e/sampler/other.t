#!/bin/sh
# perfmon sample where the kernel does not let the user read everything of a job: what is not known is
# unknown, the rest is complete. Needs root.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

if [ "$(id -u)" -ne 0 ] || ! need setpriv unshare mount ps; then
	skip "processes that the user may not read" "not root, or no $missing"
	done_testing
	exit
fi

chmod 755 "$work" "$work/home"
# What was built may lie where others may not look, as below /root.
cp "$PERFMON" "$work/perfmon" && PERFMON=$work/perfmon
nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

has_ticks()
{
	[ "$(series_ticks "$1")" -ge "$2" ]
}

# The last values of some series of a file.
lasts()
{
	in=$1
	shift
	for what in "$@"; do
		series_values "$in" process "$what" | tail -n 1
	done | paste -s -d ' ' -
}

# --- a set-user-id program in the tree --------------------------------------------------------

# It reads and writes as root: its io file is not for the user, its memory and CPU time are for all.
cp "$(command -v sleep)" as-root
chown 0:0 as-root
chmod 4755 as-root
setpriv --reuid=65534 --regid=65534 --clear-groups sh -c './as-root 20 & wait' &
job=$!
runs_as_root()
{
	ps -o euid=,comm= --ppid $job | grep -q '^ *0 as-root'
}
if wait_for runs_as_root; then
	nobody timeout 60 "$PERFMON" sample --pid $job -i 20ms --sources process >setuid.series &
	sampler=$!
	wait_for has_ticks setuid.series 20
	is "$(lasts setuid.series processes rchar write_bytes)" "2 \\N:permission \\N:permission" \
		"what a set-user-id program reads and writes is unknown, and so is the sum"
	is "$(lasts setuid.series rss usertime | grep -c N)" 0 "memory and CPU time are known"
	is "$(series_values setuid.series process rchar | grep -cv permission)" 0 "it never was taken for zero"
	kill "$(ps -o pid= --ppid $job | tr -d ' ')"
	wait $job
	wait $sampler
	is "$? $(lasts setuid.series processes)" "0 0" "the sampler ends with them"
else
	skip "a set-user-id program" "none may be run here"
fi

# --- a /proc that hides the processes of others -----------------------------------------------

# hidden COMMAND...: by a user for whom /proc shows no processes but his own.
hidden()
{
	timeout 60 unshare --mount --propagation private sh -c '
		mount -t proc -o hidepid=2 proc /proc || exit 77
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' sh "$@"
}
sleep 60 &
others=$!
if hidden test ! -d /proc/$others; then
	setpriv --reuid=65534 --regid=65534 --clear-groups sleep 60 &
	own=$!
	hidden "$PERFMON" sample --pid $own -i 20ms --sources process,programs,load >own.series &
	sampler=$!
	wait_for has_ticks own.series 20
	kill $own
	wait $own 2>/dev/null
	wait $sampler
	is "$? $(series_values own.series process processes | sort -n | tail -n 1)" "0 1" \
		"where others are hidden, the user's own job is sampled"
	is "$(series_values own.series process rchar | grep -c N)" 0 "and all of it is known"
	hidden "$PERFMON" sample --pid $others -i 20ms --sources process >hidden.series
	is "$? $(lasts hidden.series processes rss usertime)" "0 \\N:absent \\N:absent \\N:absent" \
		"another user's job is absent, not a job of nothing"
else
	skip "processes that are hidden" "no /proc with hidepid can be mounted here"
fi
kill $others
wait $others 2>/dev/null

done_testing
