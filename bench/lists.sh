#!/bin/sh
# What list --limit 20 takes in each order, and with filters, where an SQLite database has JOBS jobs: rows of table job of
# random figures, made by SQL from that of one job which is loaded.
#   bench/lists.sh BUILD-DIRECTORY [JOBS [ROUNDS]]
# Shown is the fastest of the rounds. Needs python3, and 700 bytes per job in TMPDIR.
build=${1:?usage: bench/lists.sh BUILD-DIRECTORY [JOBS [ROUNDS]]}
jobs=${2:-1000000}
rounds=${3:-5}
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"
PERFMON_DB=$work/site.db
export PERFMON_DB
"$build/tests/progs/generate" "$work/job" 20 >/dev/null && "$build/perfmon" -q submit "$work/job" || exit 1
python3 - "$work/site.db" "$jobs" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("PRAGMA synchronous = OFF")
value = {"id": "1000 + n", "jobid": "CAST(1000000 + n AS TEXT)", "user": "'user' || (n % 50)", "name": "'name' || (n % 1000)",
    "account": "'p' || (n % 20)", "queue": "'q' || (n % 5)", "start_us": "1700000000000000 + n * 60000000",
    "end_us": "1700000000000000 + n * 60000000 + abs(random() % 7200000000)", "epoch_us": "1700000000000000 + n * 60000000",
    "duration_us": "abs(random() % 7200000000)", "cpu_time": "abs(random() % 1000000000000)", "rssmax": "abs(random() % 64000000)",
    "processes": "abs(random() % 10000)", "efficiency": "abs(random() % 1000) / 1000.0",
    "exit_status": "CASE WHEN n % 20 = 7 THEN 1 ELSE 0 END"}
of = lambda t: [c[1] for c in db.execute("PRAGMA table_info(%s)" % t)]
indexes = list(db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name IN ('job', 'host') AND sql IS NOT NULL"))
for name, _ in indexes:
    db.execute("DROP INDEX " + name)
numbers = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < %s) " % sys.argv[2]
db.execute(numbers + "INSERT INTO job SELECT %s FROM c JOIN job j ON j.id = 1" % ", ".join(value.get(c, 'j."%s"' % c) for c in of("job")))
value = {"job_id": "1000 + n", "hostname": "'n' || (n % 500)"}
db.execute(numbers + "INSERT INTO host SELECT %s FROM c JOIN host h ON h.job_id = 1" % ", ".join(value.get(c, 'h."%s"' % c) for c in of("host")))
for _, sql in indexes:
    db.execute(sql)
db.commit()
END
echo "list --limit 20, $jobs jobs in SQLite"
while read -r words; do
	rm -f "$work/look" "$work/look.all"
	for _ in $(seq "$rounds"); do
		# shellcheck disable=SC2086 # words
		timed look "$build/perfmon" list --limit 20 $words
	done
	awk -v what="$words" '{ printf "  %-44s %8.1f ms\n", what, $1 * 1000 }' "$work/look"
done <<END
--order start
--order start:asc
--order end
--order user
--order name:desc
--order account
--order queue
--order status
--order duration
--order cpu
--order memory:asc
--order processes
--order efficiency:asc
--order cpu --after @$((1700000000 + jobs * 54))
--user user7
--user user7 --order cpu
--status failed
--status ok --name name7
--status running
--host n7
--host n7 --status failed
--tag none:1
--after @$((1700000000 + jobs * 30)) --before @$((1700000000 + jobs * 31))
--when @$((1700000000 + jobs * 30))
END
