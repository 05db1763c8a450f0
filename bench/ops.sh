#!/bin/sh
# What perfmon ops, and outliers of operations, processes and threads, take where a database has JOBS jobs of PROCESSES tagged processes: of one
# job, and of half of them at once.
# One made-up job is loaded by submit; its processes have 200 sets of tags, 20 values of op and 10 of op_instance, and the other jobs are copies of
# its rows, made by SQL; in SQLite, then in PostgreSQL where a server is.
#   bench/ops.sh BUILD-DIRECTORY [JOBS [PROCESSES [ROUNDS]]]
# Shown is the fastest of the rounds. Needs python3, and 1 kB per process in TMPDIR.
build=${1:?usage: bench/ops.sh BUILD-DIRECTORY [JOBS [PROCESSES [ROUNDS]]]}
jobs=${2:-200}
processes=${3:-50000}
rounds=${4:-3}
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"
"$build/tests/progs/generate" "$work/job" "$processes" >/dev/null || exit 1
for file in "$work"/job/*.tsv; do
	awk '{ n = NR * 7919 % 200; sub("op:build;stage:one=1", sprintf("op:o%d;op_instance:%d", n / 10, n % 10)) } 1' "$file" >"$work/tagged" &&
		mv "$work/tagged" "$file" || exit 1
done
PERFMON_DB=$work/ops.db "$build/perfmon" -q submit "$work/job" || exit 1

# statements: each a line, for both engines; the columns of a table are those of SQLite's.
python3 - "$work/ops.db" "$jobs" >"$work/sql" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
jobs = int(sys.argv[2])
of = lambda t: [c[1] for c in db.execute("PRAGMA table_info(%s)" % t)]
numbers = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < %d) " % (jobs - 1)
for table, key in ("job", "id"), ("host", "job_id"), ("tag_set", "job_id"), ("tag_summary", "job_id"), ("process", "job_id"):
    value = {key: '%s + n' % key}
    if table == "job":
        value["jobid"] = "'j' || n"
    columns = ", ".join('"%s"' % c for c in of(table))
    source = ", ".join(value.get(c, '"%s"' % c) for c in of(table))
    print("%sINSERT INTO %s (%s) SELECT %s FROM c CROSS JOIN %s t WHERE t.%s = (SELECT min(id) FROM job);"
        % (numbers, table, columns, source, table, key))
END

# asked NAME DATABASE
asked()
{
	echo "$1: $jobs jobs of $processes tagged processes"
	while read -r words; do
		rm -f "$work/look" "$work/look.all"
		for _ in $(seq "$rounds"); do
			# shellcheck disable=SC2086 # words
			timed look env PERFMON_DB="$2" "$build/perfmon" $words
		done
		sort -n "$work/look.all" | awk -v what="$words" -v half="$half" -v said="j1 ... j$((jobs / 2))" 'NR == 1 {
			at = index(what, half)
			if (at == 1) what = said substr(what, length(half) + 1)
			printf "  %-44s %8.1f ms, of CPU time %8.1f ms\n", what, $1 * 1000, ($2 + $3) * 1000 }'
	done <<-END
		ops j1
		ops j1 --by op
		ops j1 --tag op:o3
		ops j1 --by op --json
		ops j1 --by op --roots
		ops j1 --data-movement
		ops $half --by op
		ops $half
		ops $half --by op --json
		ops $half --data-movement
		outliers ops $half --by op
		outliers ops $half --by op --json
		outliers processes j1 --by op
		outliers processes j1
		outliers threads j1 --by op
		outliers processes $half --by op
	END
}

# view COMMAND...: what the view operation takes for half of the jobs, by a program that runs SQL
view()
{
	rm -f "$work/look" "$work/look.all"
	for _ in $(seq "$rounds"); do
		timed look "$@" "SELECT job_id, name, value, processes, duration_sum_us, cpu_time FROM operation WHERE job_id <= (SELECT min(id) FROM job) + $jobs / 2 - 1"
	done
	sort -n "$work/look.all" | awk 'NR == 1 { printf "  %-44s %8.1f ms\n", "view operation, half of the jobs", $1 * 1000 }'
}

half=$(seq -s ' ' -f 'j%.0f' 1 $((jobs / 2)))
{ echo "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; BEGIN;" && cat "$work/sql" && echo "COMMIT; ANALYZE;"; } | sqlite3 "$work/ops.db" >/dev/null || exit 1
asked SQLite "$work/ops.db"
view sqlite3 "$work/ops.db"
rm -f "$work"/ops.db*
server || { echo "bench/ops.sh: $postgres_missing" >&2; exit 0; }
postgres_sql postgres -c "CREATE DATABASE ops" || exit 1
PERFMON_DB=$(postgres_url ops) "$build/perfmon" -q submit "$work/job" || exit 1
{ echo "BEGIN;" && cat "$work/sql" && echo "COMMIT; ANALYZE;"; } | postgres_sql ops || exit 1
asked PostgreSQL "$(postgres_url ops)"
view psql "$(postgres_url ops)" -q -A -t -c
