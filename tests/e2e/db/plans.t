#!/bin/sh
# The cost of a verb does not grow with the jobs in the database: no statement reads a whole table that grows with
# them, unless the whole table is the answer.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if [ "$PM_SANITIZED" = yes ]; then
	skip "plans of statements" "tested without sanitizers"
	done_testing
fi
if ! need sqlite3 python3; then
	skip "plans of statements" "no $missing"
	done_testing
fi

# Five jobs: of one host and of two, one of them archived, one of records alone, one of an array.
generate=$abs_top_builddir/tests/progs/generate
for n in 1 2 3 4 5; do
	"$generate" job$n 40 2 >/dev/null || exit 99
	sed -i "s/\"4711\"/\"400$n\"/" job$n/*.json && sed -i "s/	4711	/	400$n	/" job$n/*.tsv || exit 99
done
mkdir late && mv job2/*n1* late && tar -C job3 -cf job3.tar . && rm job4/*.json || exit 99
cp -R "$abs_top_srcdir/tests/golden/schema/job" sampled || exit 99

# verbs DATABASE: what loaders and people do with a few jobs of a site's database.
verbs()
{
	PERFMON_DB=$1
	export PERFMON_DB
	while read -r words <&3; do
		# shellcheck disable=SC2086 # words
		$with "$PERFMON" $words >>out 2>&1 </dev/null
		[ $? -le 1 ] || diag "perfmon $words: $(tail -n 1 out)"
	done 3<lines
	unset PERFMON_DB
}
cat >lines <<-END
		submit job1
		submit job2 job3.tar
		submit job1
		submit --replace job1
		submit late
		submit job4
		submit job5 sampled
		list --limit 20
		list jobs --limit 5 --json
		list jobs 4001
		model create m 4001 4002 4003 4005 --method z
		model list
		model show m
		analyze --feature cpu_time
		analyze --all --user tester --feature duration_us
		list analyses 4001
		rootcause 4001
		compare 4001 4002
		compare 4001,4003 4002 --json
		compare --name spin --after -7000d --split 4002
		compare --user root --after -7000d --split tag:a
		trend spin
		trend --tag a:b --figure rssmax --csv
		summary --user root
		summary --by program --name spin
		summary --by tag:a --after -7d --json
		summary --by month --account x
		outliers --model m --user tester
		model disable m
		list --limit 5 --order end
		list --limit 5 --order duration:asc
		list --limit 5 --order cpu
		list --limit 5 --order memory:asc
		list --limit 5 --order processes
		list --limit 5 --order efficiency:asc
		list --limit 5 --order status
		list --limit 5 --order user:desc
		list --limit 5 --order name
		list --limit 5 --order account:desc
		list --limit 5 --order queue
		list --user root --status 1 --limit 5
		list --status failed --limit 5
		list --status running --limit 5
		list --name spin --account x,y --limit 5
		list --queue main --limit 5
		list --host n0,n1 --limit 5
		list --tag a:b;c,d: --limit 5
		list --annotation note:x --limit 5
		list --after -7d --before today --limit 5
		list --when @1700000000 --limit 5
		list --when 4001 --limit 5
		list processes 4001
		list threads 4001 --json
		list counters 4001
		list hosts 4001
		list summaries 4001
		list phases 4001
		list tags 4001
		list processes --user root --limit 5
		list processes --tag a:b;c,d: --limit 5
		list processes --host n0 --program spin --longer 1h --limit 5
		list processes --when 4001 --process-tag a:b --limit 5 --order id
		list threads --name spin --pid 7 --limit 5
		list samples --annotation note:x --limit 5
		list annotations --user root --limit 5
		list rejects --after -7d --before today --limit 5
		show 4001
		show 4001 --json
		show 40
		show user/4001
		show root/4001
		show 4001 --tag op:build --timeline
		show 4001 --subtree #2
		show 4001 --alive +1s --json
		ops 4001
		ops 4001 4002 --by op --per-job --json
		ops --user root --after -7000d --roots
		ops --job-tag a:b --data-movement
		ops --user root --where failed>0 --by op
		ops 4001 4005 --processes
		ops 4001 --keys
		ops 4001 --data-movement
		report 4001
		report 4001 --json
		report 4001 --pdf /dev/null
		report 4001 --html -
		report 11174-1 --html -
		report 11174-1 4001 --html -
		report 11174-1 --brief
		report 11174-1 --json
		report 11174-1 --pdf /dev/null
		show 11174-1 --critical
		top 11174-1
		plot --list 4001
		report
		status
		annotate 4001 note=x
		verify 4001
		redact 4001
		retire --older-than 100000d
		retire --older-than 100000d --keep-summary
		delete -f 4001
END

# --- SQLite --------------------------------------------------------------------------------------
: >"$work/statements"
with="env LD_PRELOAD=$abs_top_builddir/tests/progs/statements.so STATEMENTS_FILE=$work/statements"
verbs "$work/site.db"

# scans DATABASE: every statement that reads a table from end to end which grows with the jobs, with its plan.
scans()
{
	python3 "$abs_top_srcdir/tests/e2e/db/scans.py" "$1" statements
}
echo "SELECT * FROM operation WHERE job_id = ?" >>statements
scans site.db >found
test "$(tail -n 1 found)" -gt 150
ok $? "SQLite: $(tail -n 1 found) statements of $(grep -c . lines) verbs are explained"
is "$(sed '$d' found)" "" "SQLite: none reads every job"
sqlite3 site.db 'DROP INDEX job_by_shown_id'
test "$(scans site.db | grep -c '^SCAN')" -gt 0
ok $? "SQLite: without an index one does"

# Nor does it grow with the square of a job: loops DATABASE prints every statement that walks all rows of a job in a table
# of many, once for each of its hosts, series or processes: within a join, or with a host that the caller asks for.
loops()
{
	python3 - "$1" statements <<-'END'
	import re, sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	many = {"series", "series_summary", "sample_block", "process", "thread", "counter"}
	for sql in sorted(set(open(sys.argv[2]).read().splitlines())):
	    if not re.match(r"\s*(SELECT|WITH)", sql) or "perfmon_rows" in sql:
	        continue
	    try:
	        plan = db.execute("EXPLAIN QUERY PLAN " + sql, [None] * sql.count("?")).fetchall()
	    except sqlite3.Error:
	        continue
	    outer = {}
	    for _, parent, _, line in plan:
	        m = re.match(r"(?:SEARCH|SCAN) (?:TABLE )?(\w+)(?: AS (\w+))?", line)
	        if not m:
	            continue
	        name = m.group(2) or m.group(1)
	        table = re.search(r"(?:FROM|JOIN|,) (\w+) (?:AS )?%s\b" % name, sql)
	        table = table.group(1) if table else m.group(1)
	        whole = re.search(r"\(job_id=\?\)( LEFT-JOIN)?$", line)
	        if whole and table in many and (outer.get(parent) or table in ("series", "process") and "host_id = ?" in sql):
	            print(line, "|", sql)
	        if whole and table in many | {"host", "phase"}:
	            outer[parent] = True
	END
}
is "$(loops site.db)" "" "SQLite: none reads all of a job for each of its parts"
cat >>statements <<-'END'
	SELECT max(x.maximum) FROM host h LEFT JOIN series s ON s.job_id = h.job_id AND s.host_id = h.id LEFT JOIN series_summary x ON x.job_id = s.job_id AND x.series_id = s.id WHERE h.job_id = ? GROUP BY h.id
	SELECT id, metric, kind FROM series WHERE job_id = ? AND host_id = ? AND source = 'process'
END
is "$(loops site.db | grep -c .)" 2 "SQLite: noticed: two that do"

# passes WORDS...: how many statements of a verb read all processes of a job.
passes()
{
	rm -f one
	PERFMON_DB=$work/passes.db env LD_PRELOAD="$abs_top_builddir/tests/progs/statements.so" STATEMENTS_FILE="$work/one" \
		"$PERFMON" "$@" >/dev/null 2>out || diag "perfmon $*: $(tail -n 1 out)"
	whole
}
whole()
{
	python3 - passes.db one <<-'END'
	import re, sqlite3, sys
	db, n = sqlite3.connect(sys.argv[1]), 0
	for sql in open(sys.argv[2]).read().splitlines():
	    if re.match(r"\s*SELECT", sql) and re.search(r"FROM process\b", sql):
	        plan = [r[3] for r in db.execute("EXPLAIN QUERY PLAN " + sql, [None] * sql.count("?"))]
	        n += any(re.match(r"(SEARCH|SCAN) (TABLE )?process\b", line) and not re.search(r"\bid=\?", line) for line in plan)
	print(n)
	END
}
"$generate" passed 40 1 >/dev/null && PERFMON_DB=$work/passes.db "$PERFMON" -q submit passed || exit 99
is "$(passes report 4711 --json)" 1 "SQLite: a report reads the processes of a job once"
is "$(passes show 4711 --critical)" 1 "SQLite: so does the critical path"
is "$(passes report 4711 --html -)" 2 "SQLite: a page reads them a second time, for its rows"
echo "SELECT exename, count(*) FROM process WHERE job_id = ? GROUP BY 1" >>one
is "$(whole)" 3 "SQLite: noticed: one more"

# --- PostgreSQL ----------------------------------------------------------------------------------
postgres_needed "PostgreSQL: plans" "-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0" \
	"-c auto_explain.log_nested_statements=on -c enable_seqscan=off -c cpu_index_tuple_cost=1 -c cpu_tuple_cost=1 -c log_line_prefix=@@"
with=
postgres_sql postgres -c 'CREATE DATABASE site' || exit 99
verbs "$(postgres_url site)"
postgres_sql site -c "SELECT * FROM operation WHERE job_id = 5" >/dev/null
# planned LOG: as scans, of the plans in a server's log. A sequential scan is what is left where no index helps.
planned()
{
	python3 - "$1" <<-'END'
	import re, sys
	plans = 0
	for entry in open(sys.argv[1], errors="replace").read().split("@@"):
	    if "plan:" not in entry or "pg_catalog" in entry or "pg_class" in entry:
	        continue
	    plans += 1
	    nodes = re.split(r"\n\s*(?:->  )?(?=\w[\w ]*  \(cost)", entry)
	    for i, node in enumerate(nodes[1:], 1):
	        m = re.match(r"(?:Parallel )?(Seq|Index|Index Only|Bitmap Index) Scan(?: Backward)?(?: using \w+)? on (\w+)", node)
	        if not m or m.group(2) == "model" or "analysis_untold" in node or m.group(2).startswith(("metric", "model_feature", "model_component", "schema_version", "job_range", "pg_")):
	            continue
	        # A condition on a later column than the first reads the whole index.
	        whole = "job_jobid_" in node and not re.search(r"Index Cond: .*jobid", node)
	        if ("Index Cond" in node and not whole) or (m.group(1) in ("Index", "Index Only") and "Limit  (cost" in entry and "Filter" not in node):
	            continue
	        print(node.split("\n")[0], "|", re.sub(r"\s+", " ", nodes[0])[:300])
	print(plans)
	END
}
planned "$postgres_host/data/log" >found
test "$(tail -n 1 found)" -gt 150
ok $? "PostgreSQL: $(tail -n 1 found) plans"
is "$(sed '$d' found | sort | uniq -c)" "" "PostgreSQL: none reads every job"
postgres_sql site -c 'DROP INDEX job_by_shown_id'
PERFMON_DB=$(postgres_url site) "$PERFMON" list jobs 4002 >out 2>&1
test "$(planned "$postgres_host/data/log" | sed '$d' | grep -c .)" -gt 0
ok $? "PostgreSQL: without an index one does"
done_testing
