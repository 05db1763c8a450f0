#!/bin/sh
# What sampling costs:
# - CPU time of the sampler per tick of a job of N processes (default 100), with the sources that are
#   read at every tick, where the processes do nothing and where each runs between any two ticks; and
#   beside it, as what this machine takes for the least of it, to read their stat, statm and io;
# - its memory, and CPU time per second, with all sources once a second;
# - by how much it slows down a job that keeps every CPU busy, in PAIRS pairs of spells of 500 ms with
#   and without it (default 0: not measured).
#   bench/sampler.sh BUILD-DIRECTORY [N [TICKS [PAIRS]]]
# Run by `make bench-sampler`.
build=$(cd "${1:?usage: bench/sampler.sh BUILD-DIRECTORY [N [TICKS [PAIRS]]]}" && pwd) || exit 1
n=${2:-100}
ticks=${3:-1000}
pairs=${4:-0}
# Those with a period of their own are read far less often than here.
fast=$("$build/perfmon" sources --json | awk -F '"' '
	/^    "name"/ { name = $4 }
	/^    "period_us": 0,/ { list = list (list ? "," : "") name }
	END { print list }')
work=$(mktemp -d) || exit 1
trap 'exec 9>&-; rm -rf "$work"' EXIT
file=$(uname -n).series

has_lines()
{
	[ "$(sed -n "/$2/p" "$work/$1" 2>/dev/null | wc -l)" -ge "$3" ]
}

wait_lines()
{
	until has_lines "$@"; do
		kill -0 $sampler || exit 1
		sleep 0.1
	done
}

# start_job DIRECTORY [MS]: N processes, which run every so many milliseconds; $root is the first.
start_job()
{
	mkdir "$work/$1"
	mkfifo "$work/$1/go"
	"$build/tests/progs/sampler_chain" "$n" 0 "${2:-0}" <"$work/$1/go" >"$work/$1/pids" &
	root=$!
	exec 9>"$work/$1/go"
	until has_lines "$1/pids" . "$n"; do
		kill -0 $root || exit 1
		sleep 0.1
	done
}

# sample DIRECTORY TICKS OPTION...: have so many of them.
sample()
{
	directory=$1
	count=$2
	shift 2
	"$build/perfmon" sample --pid "$root" -d "$work/$directory" "$@" 9>&- &
	sampler=$!
	wait_lines "$directory/$file" ^tick "$count"
}

end()
{
	kill $sampler
	wait $sampler
	exec 9>&-
}

# cost DIRECTORY WHAT FROM: what the sampler says of itself, per tick between that one and the last. The first tick
# opens files, and by the hundredth one a program is loaded into the kernel where that is done.
cost()
{
	awk -F '\t' -v what="$2" -v from="$3" '
$1 == "series" && $3 == "sampler" { name[$2] = $4 ($5 == "" ? "" : " " $5); unit[$2] = $6 }
$1 == "tick" {
	k = split($4, pair, " ")
	seen = 0
	for (i = 1; i <= k; i++) {
		split(pair[i], v, "=")
		if (name[v[1]] == "usertime") seen = 1
	}
	if (!seen) next
	count++
	for (i = 1; i <= k; i++) {
		split(pair[i], v, "=")
		if (count == from) first[v[1]] = v[2]
		last[v[1]] = v[2]
	}
}
END {
	for (i in name) {
		d = (last[i] - first[i]) / (count - from)
		if (name[i] ~ /^cost/ && d >= 500) list = list sprintf(", %s %.0f", substr(name[i], 6), d / 1000)
		if (name[i] ~ /time$/) sum += d
	}
	printf "%s: %.0f us of CPU time per tick (%d ticks)%s\n", what, sum, count - from, list
}' "$work/$1/$file"
}

for kind in idle running; do
	start_job $kind "$([ $kind = idle ] || echo 5)"
	sample $kind $((ticks + 100)) -i 10ms --max-samples 0 --sources "$fast"
	kill $sampler
	wait $sampler
	# shellcheck disable=SC2046 # one word each
	least=$("$build/bench/procread" "$ticks" $(cat "$work/$kind/pids")) || exit 1
	exec 9>&-
	cost $kind "$n $kind processes, sources of every tick, 10 ms" 100
	echo "$n $kind processes, stat, statm and io alone: ${least#* } us by kept descriptors, ${least% *} with open and close"
done

# Memory, shared pages in equal parts: the sampler's processes have the same program.
start_job all 100
sample all 12 -i 1s
processes=0
for pid in $sampler $(ps -o pid= --ppid $sampler); do
	processes=$((processes + 1))
	cat "/proc/$pid/smaps_rollup"
done >"$work/memory" 2>/dev/null
end
awk -v n="$processes" '$1 == "Rss:" { rss += $2 } $1 == "Pss:" { pss += $2 }
	END { printf "memory of %d processes, all sources: %.1f MB; each one'"'"'s resident memory added up %.1f MB\n",
		n, pss / 1e3, rss / 1e3 }' "$work/memory"
cost all "$n running processes, all sources, 1 s" 2

[ "$pairs" -gt 0 ] || exit 0
mkdir "$work/slow"
"$build/bench/slowdown" "$n" "$pairs" 500 -- "$build/perfmon" sample -q -d "$work/slow" -i 20ms --max-samples 0 |
	awk -v n="$n" -v pairs="$pairs" -v cpus="$(nproc)" -v own="$(cost all x 2 | sed 's/.*: \([0-9]*\) us.*/\1/')" '{
		# All of the ticks in a second, and one.
		printf "%d processes on %d CPUs, all busy: the same work takes %+.2f +- %.2f %% more CPU time of theirs at 50 ticks a second",
			n, cpus, $1, $2
		printf " (95 %%, %d pairs), so %+.4f +- %.4f %% at one;\nthe sampler takes %.4f %% of the CPUs at one: together %.2f to %.2f %%\n",
			pairs, $1 / 50, $2 / 50, own / 1e4 / cpus, own / 1e4 / cpus + ($1 - $2) / 50, own / 1e4 / cpus + ($1 + $2) / 50
	}'
