#!/bin/sh
# What recording costs, beside no preload, an empty one and a minimal one that writes.
#   bench/collector.sh BUILD-DIRECTORY [ROUNDS]
# Run by `make bench`. Wall times are medians of interleaved runs; look at the ratios. Instructions
# and system calls are counted and repeat.
build=${1:?usage: bench/collector.sh BUILD-DIRECTORY [ROUNDS]}
rounds=${2:-300}
build=$(cd "$build" && pwd) || exit 1
source=$(cd "$(dirname "$0")/.." && pwd) || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/perfmon-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
for file in libperfmon.so bench/pairs bench/loop bench/empty.so bench/minimal.so; do
	[ -e "$build/$file" ] || { echo "$0: no $build/$file: run make bench" >&2; exit 1; }
done
mkdir -m 700 "$work/collated" "$work/single"

# As `perfmon run` sets it.
host=$(uname -n):$(cat /proc/sys/kernel/random/boot_id):$(cut -c1 /proc/sys/kernel/task_delayacct)
perfmon="LD_PRELOAD=$build/libperfmon.so,PERFMON_HOST=$host,PERFMON_JOBID=1,PERFMON_EXE=$build/perfmon"
bare=bare
empty=empty,LD_PRELOAD=$build/bench/empty.so
minimal=minimal,LD_PRELOAD=$build/bench/minimal.so,BENCH_OUTPUT=$work/minimal
collated=perfmon,$perfmon,PERFMON_OUTPUT=$work/collated
single=PER_PROCESS,$perfmon,PERFMON_OUTPUT=$work/single,PERFMON_OPTIONS=PER_PROCESS

pairs()
{
	"$build/bench/pairs" "$@"
	# A job's files stay of a usual size.
	rm -f "$work/minimal" "$work"/collated/* "$work"/single/*
}

inside()
{
	BENCH_INSIDE=yes "$build/bench/pairs" "$@"
	rm -f "$work/minimal" "$work"/collated/* "$work"/single/*
}

echo "== /bin/true, started by a parent that is not recorded"
pairs "$rounds" "$bare" "$empty" "$minimal" "$collated" "$single" -- /bin/true

echo "== /bin/true, started and waited for by a recorded parent (per child)"
inside $((rounds / 50 + 3)) "$bare" "$empty" "$minimal" "$collated" "$single" -- "$build/bench/loop" spawn 200

echo "== fork without exec, waited for (per child)"
inside $((rounds / 50 + 3)) "$bare" "$empty" "$minimal" "$collated" "$single" -- "$build/bench/loop" fork 300

echo "== thread, created and joined"
inside $((rounds / 50 + 3)) "$bare" "$empty" "$collated" "$single" -- "$build/bench/loop" thread 2000

echo "== memory left behind by 10 000 threads, kB x 1000"
inside 3 "$bare" "$collated" -- "$build/bench/loop" memory 10000

whole=$((rounds / 30 + 3))
echo "== whole programs: gcc -c"
pairs "$whole" "$bare" "$collated" -- gcc -O1 -I"$source" -I"$build" -c -o "$work/x.o" "$source/common/buf.c"
echo "== whole programs: a shell script of 14 processes"
cat >"$work/script.sh" <<'END'
for i in 1 2 3 4; do echo $i | sed s/1/2/ | cat >/dev/null; done
date >/dev/null
ls / >/dev/null
END
pairs "$whole" "$bare" "$collated" -- sh "$work/script.sh"
if python=$(command -v python3) && python=$("$python" -c 'import sys; print(sys.executable)'); then
	echo "== whole programs: python3 -c pass"
	pairs "$whole" "$bare" "$collated" -- "$python" -c pass
fi

instructions()
{
	env -i "$@" valgrind --tool=callgrind --callgrind-out-file=/dev/null /bin/true 2>&1 |
		sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
}

calls()
{
	args=
	for word; do args="$args -E $word"; done
	# shellcheck disable=SC2086 # words without blanks
	env -i strace -c -o "$work/strace" $args /bin/true
	awk '$NF == "total" { print $4 }' "$work/strace"
}

count()
{
	for case in "$bare" "$empty" "$minimal" "$collated" "$single"; do
		name=${case%%,*}
		words=$(echo "${case#"$name"}" | tr ',' ' ')
		# shellcheck disable=SC2086 # words without blanks
		printf '%-20s %12s\n' "$name" "$("$1" $words)"
	done
}

# The first process of a job writes the header, too.
LD_PRELOAD=$build/libperfmon.so PERFMON_OUTPUT=$work/collated /bin/true
if command -v valgrind >/dev/null; then
	echo "== user instructions of /bin/true (callgrind)"
	count instructions
fi
if command -v strace >/dev/null; then
	echo "== system calls of /bin/true (strace -c)"
	count calls
fi
