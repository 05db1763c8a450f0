#!/bin/sh
# The page of a job for browsers: what it takes to make, and, where node and Chromium are, in the browser.
#
#   bench/page.sh BUILD [ROUNDS [DATABASE...]]
#
# Each database holds one job, such as a build that was recorded; without one, jobs of 180 000 and a million processes are made up.
# Prints wall and CPU time of the fastest round, peak memory, and bytes; then what bench/web.mjs does.
build=${1:?name the build directory}
rounds=${2:-5}
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"
shift
[ $# -eq 0 ] || shift

if [ $# -eq 0 ]; then
	for n in 180000 1000000; do
		a_job page "$n"
		PERFMON_DB=$work/$n.db "$build/perfmon" -q submit "$work/job" || exit 1
		set -- "$@" "$work/$n.db"
	done
fi
pages=
for db in "$@"; do
	name=$(basename "$db" .db)
	for _ in $(seq "$rounds"); do
		timed "$name" env PERFMON_DB="$db" "$build/perfmon" report '#1' --html="$work/$name.html"
	done
	sort -n "$work/$name.all" | head -n 1 | awk -v name="$name" -v bytes="$(wc -c <"$work/$name.html")" '{
		printf "%-12s %6.2f s, CPU %6.2f s, peak %6.1f MB, page %6.2f MB\n", name, $1, $2 + $3, $4 / 1024, bytes / 1e6 }'
	pages="$pages $work/$name.html"
done
if command -v node >/dev/null 2>&1 && command -v chromium >/dev/null 2>&1; then
	# shellcheck disable=SC2086 # paths of ours, without blanks
	node "$here/web.mjs" $pages
else
	echo "bench/page.sh: no node or no chromium: the browser's part is left out" >&2
fi
