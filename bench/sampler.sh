#!/bin/sh
# What a sample costs: CPU time of the sampler per tick of a job of N processes (default 100).
#   bench/sampler.sh BUILD-DIRECTORY [N [TICKS]]
# Needs the test programs: make tests/progs/sampler_chain
build=${1:?usage: bench/sampler.sh BUILD-DIRECTORY [N [TICKS]]}
n=${2:-100}
ticks=${3:-1000}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
file=$(uname -n).series
series=$work/$file

has_lines()
{
	[ "$(sed -n "/$2/p" "$work/$1" 2>/dev/null | wc -l)" -ge "$3" ]
}

mkfifo "$work/go"
"$build/tests/progs/sampler_chain" "$n" 0 <"$work/go" >"$work/pids" &
root=$!
exec 9>"$work/go"
until has_lines pids . "$n"; do sleep 0.1; done
"$build/perfmon" sample --pid $root -d "$work" -i 10ms 9>&- &
sampler=$!
until has_lines "$file" ^tick "$ticks"; do sleep 0.1; done
kill $sampler
wait $sampler
exec 9>&-

# Between the second tick and the last one: what opening files cost is left out.
awk -F '\t' -v n="$n" '
$1 == "series" && $3 == "sampler" { name[$2] = $4 ($5 == "" ? "" : " " $5); unit[$2] = $6 }
$1 == "tick" {
	count++
	k = split($4, pair, " ")
	for (i = 1; i <= k; i++) {
		split(pair[i], v, "=")
		if (count == 2) first[v[1]] = v[2]
		last[v[1]] = v[2]
	}
}
END {
	printf "%d idle processes, %d ticks\n", n, count
	fflush()
	order = "sort"
	for (i in name) {
		d = (last[i] - first[i]) / (count - 2)
		if (name[i] ~ /^cost/) printf "  %-16s %7.1f us per tick\n", name[i], d / 1000 | order
		if (name[i] ~ /time$/) printf "  %-16s %7.1f us per tick\n", name[i], d | order
		if (name[i] == "rssmax") printf "  %-16s %7.1f MB\n", name[i], last[i] / 1e6 | order
	}
	printf "  %-16s %7.1f bytes per tick\n", "file", size / count | order
}' size="$(wc -c <"$series")" "$series"
