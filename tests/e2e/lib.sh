# shellcheck shell=sh
# Sourced by every end-to-end test: TAP output and a private place to work in.
#
#   ok STATUS NAME      passed when STATUS is 0:   cmp a b; ok $? "files are equal"
#   is GOT WANT NAME    passed when the texts are equal
#   skip NAME REASON    counted as skipped
#   diag TEXT           a comment in the test's log
#   need PROGRAM...     0 when every program is there, else 1 and the first missing one in $missing
#   python_with MODULE...  0 when a Python has them, which is $python then; else 1 and the package in $missing
#   done_testing        prints the plan; the last line of a test
#
# Set here: $work (private, current, removed at the end), $PERFMON (the built program), and
# PERFMON_LIBRARY, PERFMON_OUTPUT_PREFIX, HOME, XDG_DATA_HOME, XDG_CONFIG_HOME inside $work.
# PM_SANITIZED is yes where the programs are built with --enable-sanitizers.
# A test that cannot do with /dev/shm, where tests/driver.sh has them work, sets PM_ON_DISK before.

: "${abs_top_srcdir:?run by make check}" "${abs_top_builddir:?run by make check}"

# What runs in the background, as by `make check &`, may have signals ignored, which a shell cannot take back;
# tests send them, and wait for what they do.
if [ -z "${PM_SIGNALS-}" ]; then
	PM_SIGNALS=default
	export PM_SIGNALS
	while read -r name value <&3; do
		case $name:$value in
		SigIgn:0000000000000000) ;;
		SigIgn:*) ! env --default-signal true 2>/dev/null || exec env --default-signal "$0" "$@" 3<&- ;;
		esac
	done 3</proc/self/status
fi

for name in $(env | sed -n 's/^\(\(PERFMON\|PAPIEX\|EPMT\|SLURM\|PBS\|OAR\|LSB\|SGE\|FLUX\|COBALT\|PMI\|PMIX\|OMPI\|MV2\)_[A-Za-z0-9_]*\)=.*/\1/p'); do
	unset "$name"
done
unset LD_PRELOAD CDPATH ENV BASH_ENV
# A version manager's python3 is a script that starts dozens of processes each time: these are neither
# what a test means to look at nor quick.
name=$(command -v python3)
case $name in
*/shims/python3)
	path=:$PATH:
	path=${path%%":${name%/*}:"*}:${path#*":${name%/*}:"}
	path=${path#:} path=${path%:}
	! (PATH=$path && command -v python3 >/dev/null) || PATH=$path
	;;
esac
unset name path
LC_ALL=C
TZ=UTC
umask 022

[ -z "${PM_ON_DISK-}" ] || [ "${TMPDIR-}" != /dev/shm ] || unset TMPDIR
work=$(mktemp -d "${TMPDIR:-/tmp}/perfmon-test.XXXXXX") || exit 99
# Tests may close doors behind them, for instance with chmod 0.
trap 'status=$?; cd /; chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"; exit $status' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$work/home" "$work/prefix" || exit 99
cd "$work" || exit 99

HOME=$work/home
XDG_DATA_HOME=$work/home/data
XDG_CONFIG_HOME=$work/home/config
PERFMON_OUTPUT_PREFIX=$work/prefix
PERFMON=$abs_top_builddir/perfmon
PERFMON_LIBRARY=$abs_top_builddir/libperfmon.so
export LC_ALL TZ HOME XDG_DATA_HOME XDG_CONFIG_HOME PERFMON_OUTPUT_PREFIX PERFMON_LIBRARY
if [ "${PM_SANITIZED:-no}" = yes ]; then
	# A preload in front of a sanitizer's runtime is what the tests do on purpose.
	ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS:-}
	# What libraries that draw keep until a program ends is no leak of ours.
	LSAN_OPTIONS=print_suppressions=0:suppressions=$abs_top_srcdir/tests/e2e/lsan.supp:${LSAN_OPTIONS:-}
	export ASAN_OPTIONS LSAN_OPTIONS
fi

tap_count=0
tap_failed=0

ok()
{
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
	fi
}

is()
{
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "got:  $1"
		diag "want: $2"
	fi
}

skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

diag()
{
	printf '%s\n' "$1" | sed 's/^/# /'
}

# taken: CPU time in us that interrupts and the hypervisor have taken from programs since boot, proc_stat(5). The
# clock that descendants inherit counts it as the job's; control groups do not.
taken()
{
	awk -v tick="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%d\n", ($7 + $8 + $9) * 1000000 / tick }' /proc/stat
}

need()
{
	for missing in "$@"; do
		command -v "$missing" >/dev/null 2>&1 || return 1
	done
	missing=
}

python_with()
{
	for python in python3 /usr/bin/python3; do
		missing=
		for module in "$@"; do
			"$python" -c "import $module" 2>/dev/null || missing=python3-$module
		done
		[ "$missing" ] || return 0
	done
	return 1
}

done_testing()
{
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}
