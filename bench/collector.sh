#!/bin/sh
# What recording costs, beside no preload, an empty one and a minimal one that writes.
#   bench/collector.sh BUILD-DIRECTORY [ROUNDS]
# Run by `make bench`. Environments take turns, so that ratios travel between machines where times do
# not; instructions and system calls are counted and repeat. Everything is per operation: per
# process, fork, child or thread. The last table holds the targets beside what was measured.
# shellcheck disable=SC2016,SC2317 # a text for other shells; functions called by name
build=${1:?usage: bench/collector.sh BUILD-DIRECTORY [ROUNDS]}
rounds=${2:-5}
build=$(cd "$build" && pwd) || exit 1
source=$(cd "$(dirname "$0")/.." && pwd) || exit 1
for file in libperfmon.so bench/pairs bench/loop bench/empty.so bench/minimal.so; do
	[ -e "$build/$file" ] || { echo "$0: no $build/$file: run make bench" >&2; exit 1; }
done
work=$(mktemp -d "$build/bench-records.XXXXXX") || exit 1
memory=$(mktemp -d /dev/shm/perfmon-bench.XXXXXX) || exit 1
trap 'rm -rf "$work" "$memory"' EXIT
trap 'exit 130' INT
for directory in "$work" "$memory"; do
	mkdir -m 700 "$directory/collated" "$directory/single"
done
loop=$build/bench/loop

# --- what is compared: NAME,VARIABLE=VALUE,... as bench/pairs takes it ---------------------------
host=$(cd "$work" && PERFMON_OUTPUT_PREFIX=$work/prefix PERFMON_LIBRARY=$build/libperfmon.so \
	"$build/perfmon" -q -a run env | sed -n "s/^PERFMON_HOST=//p")
# As `perfmon run` sets it.
recorded="LD_PRELOAD=$build/libperfmon.so,PERFMON_HOST=$host,PERFMON_JOBID=1,PERFMON_EXE=$build/perfmon"
bare=bare
empty=empty,LD_PRELOAD=$build/bench/empty.so
minimal=minimal,LD_PRELOAD=$build/bench/minimal.so,BENCH_OUTPUT=$work/minimal
perfmon=perfmon,$recorded,PERFMON_OUTPUT=$work/collated
tmpfs=perfmon/tmpfs,$recorded,PERFMON_OUTPUT=$memory/collated
single=PER_PROCESS,$recorded,PERFMON_OUTPUT=$work/single,PERFMON_OPTIONS=PER_PROCESS
single_tmpfs=PER_PROCESS/tmpfs,$recorded,PERFMON_OUTPUT=$memory/single,PERFMON_OPTIONS=PER_PROCESS

# measure KEY RUNS OPERATIONS TITLE COMMAND...: a table, kept in $work/KEY.
measure()
{
	key=$1 runs=$2 operations=$3 title=$4
	shift 4
	printf '\n== %s\n' "$title"
	"$build/bench/pairs" "$rounds" "$runs" "$operations" "$bare" "$empty" "$minimal" "$perfmon" \
		"$tmpfs" "$single" "$single_tmpfs" -- "$@" | tee "$work/$key"
	# A job's files stay of a usual size.
	rm -f "$work/minimal" "$work"/collated/* "$work"/single/* "$memory"/*/*
}

# --- wall time, CPU time, page faults, memory ------------------------------------------------------
shell_loop='i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i + 1)); done'
cat >"$work/script.sh" <<'END'
for i in 1 2 3 4; do echo $i | sed s/1/2/ | cat >/dev/null; done
date >/dev/null
ls / >/dev/null
END

echo "Record files: $(stat -f -c %T "$work"); of .../tmpfs: $(stat -f -c %T "$memory")"
measure process 500 1 "/bin/true, started by a parent that is not recorded: per process" /bin/true
for shell in dash bash; do
	command -v $shell >/dev/null &&
		measure $shell 1 1000 "$shell running 1 000 times /bin/true: per process" $shell -c "$shell_loop"
done
measure fork 1 1000 "fork without exec, waited for: per fork" "$loop" fork 1000
measure reap 1 500 "a child that is not recorded itself, waited for: per child" "$loop" reap 500
measure thread 1 5000 "threads, one after the other: per thread" "$loop" thread 5000
measure one 1 1 "the same program with one thread" "$loop" thread 1
measure crowd 1 1000 "threads, 1 000 alive at once: per thread" "$loop" crowd 1000
measure gcc 5 1 "gcc -c of a small file" \
	gcc -O1 -I"$source" -I"$build" -c -o "$work/x.o" "$source/common/safe/buf.c"
measure script 5 1 "a shell script of 14 processes" sh "$work/script.sh"
# The program itself: a launcher in front of it would be measured, too.
if python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null); then
	measure python 5 1 "python3 -c pass" "$python" -c pass
fi
if ${CC:-cc} -fopenmp -O1 -o "$work/openmp.bin" "$source/bench/openmp.c" 2>/dev/null; then
	measure openmp 5 1 "a program with OpenMP, 4 threads" "$work/openmp.bin"
fi

printf '\n== memory of a thread, bytes\n%-20s %12s %12s\n' '' 'ended' 'alive'
awk 'FNR == 1 { file++; next }
	{ kb[file, $1] = $9; if (file == 1) name[++n] = $1 }
	END { for (i = 1; i <= n; i++)
		printf "%-20s %12.0f %12.0f\n", name[i], (kb[2, name[i]] - kb[1, name[i]]) * 1024 / 5000,
			(kb[3, name[i]] - kb[1, name[i]]) * 1024 / 1000 }' \
	"$work/one" "$work/thread" "$work/crowd"

# --- counted: instructions and system calls ---------------------------------------------------------
# What valgrind collected in a command under the environment $words and in its children, a line each,
# the command's own last.
collected()
{
	# shellcheck disable=SC2086 # words without blanks
	env -i $words valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=/dev/null \
		"$@" 2>&1 | sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
	echo end
}

instructions()
{
	case $1 in
	process) collected /bin/true | head -n 1 ;;
	fork)
		# A fork child's count goes on from its parent's, so: in the loop alone, what the third
		# turn adds to the parent, and its child to what the parent had after two.
		{ collected --toggle-collect=fork_all "$loop" fork 2
		collected --toggle-collect=fork_all "$loop" fork 3; } |
			awk '$1 == "end" { t[++n] = last; c = before; next } { before = last; last = $1 }
				END { print t[2] - t[1] + c - t[1] }'
		;;
	*)
		{ collected "$loop" "$1" 10; collected "$loop" "$1" 20; } |
			awk '$1 == "end" { n++; next } { t[n] += $1 } END { printf "%d\n", (t[1] - t[0]) / 10 }'
		;;
	esac
}

traced()
{
	options=
	for word in $words; do options="$options -E $word"; done
	# shellcheck disable=SC2086 # words without blanks
	env -i strace -f -c -o "$work/strace" $options "$@"
	awk '$NF == "total" { print $4 }' "$work/strace"
}

calls()
{
	case $1 in
	process) traced /bin/true ;;
	*) echo $((($(traced "$loop" "$1" 20) - $(traced "$loop" "$1" 10)) / 10)) ;;
	esac
}

# count WHAT TITLE: a table over environments and operations, kept in $work/WHAT.
count()
{
	printf '\n== %s\n' "$2"
	{
		printf '%-20s %12s %12s %12s %12s\n' '' process fork reap thread
		for case in "$bare" "$empty" "$minimal" "$perfmon" "$single"; do
			name=${case%%,*}
			words=$(echo "${case#"$name"}" | tr ',' ' ')
			printf '%-20s' "$name"
			for operation in process fork reap thread; do
				printf ' %12s' "$("$1" $operation)"
			done
			echo
		done
	} | tee "$work/$1"
}

# The first process of a job writes the header, too.
LD_PRELOAD=$build/libperfmon.so PERFMON_OUTPUT=$work/collated /bin/true
command -v valgrind >/dev/null && count instructions "user instructions (callgrind)"
command -v strace >/dev/null && count calls "system calls (strace -c)"

# --- targets ----------------------------------------------------------------------------------------
# target KEY ratio|more LIMIT TITLE: of the wall time, or what was counted per process, the ratio to
# bare or what is more; behind it the same of CPU time, which says more where the machine is busy.
target()
{
	[ -s "$work/$1" ] || return
	awk -v how="$2" -v limit="$3" -v title="$4" '
		function against(column) { return how == "ratio" ? $column / bare[column] : $column - bare[column] }
		function number(v) { return sprintf(v > 1000 ? "%.0f" : how == "ratio" ? "%.3f" : "%.1f", v) }
		FNR == 1 { timed = NF > 5 }
		$1 == "bare" { bare[2] = $2; bare[6] = $6 }
		$1 == "perfmon" || $1 == "perfmon/tmpfs" {
			result = result sprintf(" %9s %-6s %9s", number(against(2)),
				against(2) <= limit ? "holds" : "missed", timed ? number(against(6)) : "")
		}
		END {
			sub(/ +$/, "", result)
			printf "%-40s %7s%s\n", title, (how == "ratio" ? "x " : "+ ") limit, result
		}' "$work/$1"
}

printf '\n== targets%39s%16s %9s%17s %9s\n' limit "$(stat -f -c %T "$work")" 'by CPU' \
	"$(stat -f -c %T "$memory")" 'by CPU'
target process ratio 1.30 "/bin/true, from an unrecorded parent"
target dash ratio 1.35 "dash running 1 000 children"
target bash ratio 1.35 "bash running 1 000 children"
target fork ratio 1.5 "fork without exec"
target thread more 20 "thread, us"
target instructions more 50000 "/bin/true, user instructions"
target calls more 45 "/bin/true, system calls"
exit 0
