#!/bin/sh
# Totals of programs, of sets of tags and of users by day are those of the processes and jobs that are there, whatever was done to them.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
. "$abs_top_srcdir/tests/e2e/manage.sh"
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 sqlite3; then
	skip "totals" "no $missing"
	done_testing
fi
generate=$abs_top_builddir/tests/progs/generate
# A host alone has too few processes for totals of tags.
"$generate" job 900 3 >/dev/null && sed -i '0~3s/op:build/op:link/; 0~7s/stage:one=1/stage:two/' job/*.tsv || exit 99
# Host 1 is said to have begun the day before, the others within one.
sed -i 's/"start":{"time_us":1699999/"start":{"time_us":1699913/' job/job-n1.json
for host in 0 1 2; do
	mkdir host$host && cp job/*n$host* host$host || exit 99
done
PERFMON_DB=$work/whole.db "$PERFMON" submit job >out 2>err || exit 99
kept() { rows "$1" program_summary user_day; }
# Sets of tags have other numbers where hosts come one by one.
totals() { kept "$1" && sqlite3 "$1" "SELECT * FROM operation ORDER BY job_id, name, value"; }
totals whole.db >whole.rows
is "$(grep -c '^program_summary' whole.rows)|$(grep '^user_day' whole.rows | grep -o ' \(day_us\|jobs\|processes\)=[0-9]*' | tr -d '\n')" \
	"$(sqlite3 whole.db "SELECT count(DISTINCT program) FROM program_summary")| day_us=$((19674 * 86400000000)) jobs=1 processes=$(
	sqlite3 whole.db 'SELECT processes FROM job')" "a job has programs, and its user a day"

# sound DB NAME: verify finds no fault.
sound()
{
	is "$(perfmon "$1" verify)|$(sed 's/.*checked, //' out)" "0||0 faults" "$2"
}
sound whole.db "they are sound"
# Counted independently; what the runs are is in tests/e2e/report/ops.t.
is "$(sqlite3 whole.db "SELECT count(*), count(t.tag_set), sum(x.n IS NOT t.processes OR x.cpu IS NOT t.cpu_time OR x.rss IS NOT t.rssmax
	OR x.known IS NOT t.rchar_known OR x.start IS NOT t.start_us) FROM (SELECT tag_set, count(*) AS n, sum(cpu_time) AS cpu, max(rssmax) AS rss,
	count(rchar) AS known, min(start_us) AS start FROM process WHERE tag_set IS NOT NULL GROUP BY tag_set) x
	LEFT JOIN tag_summary t ON t.tag_set = x.tag_set")" "4|4|0" "totals of tags are those of their processes"
is "$(sqlite3 whole.db "SELECT sum(p.processes) - j.processes, sum(p.failed) - j.failed, sum(p.killed) - j.killed,
	sum(p.cpu_time) - j.cpu_time, sum(p.rchar) - j.rchar, sum(p.write_bytes) - j.write_bytes, max(p.rssmax) - j.rssmax
	FROM job j, program_summary p")" "0|0|0|0|0|0|0" "programs add up to the job"
# Counted independently: a label is the name of the executable but for interpreters.
is "$(sqlite3 whole.db "SELECT count(*) FROM (SELECT exename, count(*) AS n, sum(cpu_time) AS cpu, max(rssmax) AS rss,
	sum(CASE WHEN syscr > 0 AND rchar / syscr < 512 THEN syscr END) AS tiny FROM process
	WHERE exename NOT LIKE 'python%' AND exename NOT IN ('sh', 'bash', 'dash') GROUP BY exename) x
	LEFT JOIN program_summary p ON p.program = x.exename
	WHERE p.processes IS NOT x.n OR p.cpu_time IS NOT x.cpu OR p.rssmax IS NOT x.rss OR p.tiny_reads IS NOT x.tiny")" \
	0 "and are those of their processes"

# --- loads -----------------------------------------------------------------------------------------
for order in "0 1 2" "2 1 0" "1 0 2"; do
	rm -f x.db*
	for host in $order; do
		perfmon x.db submit host$host >/dev/null
		[ "$(perfmon x.db verify)" = "0|" ] || diag "after host $host: $(head -n 3 out)"
	done
	totals x.db >got
	cmp -s got whole.rows
	ok $? "hosts one by one: $order"
	sound x.db "and sound"
done
is "$(perfmon x.db submit job)" "0|" "again: nothing new"
totals x.db | cmp -s - whole.rows
ok $? "and nothing changes"
# A host's files in two loads: its records, then what is known of the job.
rm -f x.db*
mkdir records && cp host0/*.tsv records
perfmon x.db submit records >/dev/null
sound x.db "records alone"
perfmon x.db submit host0 >/dev/null
sound x.db "the rest of the host"
perfmon x.db submit host1 host2 >/dev/null
totals x.db | cmp -s - whole.rows
ok $? "and the others: the same"
is "$(perfmon x.db submit --replace host0)" "0|" "--replace by a part"
sound x.db "is sound"
is "$(sqlite3 x.db 'SELECT day_us / 86400000000, jobs FROM user_day')" "19675|1" "and the job moves to another day"
perfmon x.db submit --replace job >/dev/null
totals x.db | cmp -s - whole.rows
ok $? "--replace by all of it"
perfmon x.db submit -n host0 >/dev/null
totals x.db | cmp -s - whole.rows
ok $? "a dry run changes nothing"

# --- copies, retired and deleted jobs ---------------------------------------------------------------
cp -R host0 other && sed -i 's/"4711"/"4712"/' other/*.json && sed -i 's/	4711	/	4712	/' other/*.tsv || exit 99
perfmon x.db submit other >/dev/null
sound x.db "a second job"
totals x.db >two.rows && kept x.db >two.kept
rm -f y.db*
"$PERFMON" copy -q x.db y.db && "$PERFMON" copy -q --replace x.db y.db
totals y.db | cmp -s - two.rows
ok $? "copied twice"
sound y.db "and sound"
perfmon y.db delete -f 4711 >/dev/null
sound y.db "one is deleted"
"$PERFMON" copy -q x.db y.db
sound y.db "and comes back"
cp x.db z.db
is "$(perfmon z.db retire --older-than 30d --keep-summary)" "0|" "retired"
kept z.db | cmp -s - two.kept
ok $? "with their summary they still count"
programs() { perfmon "$1" report 4711 >/dev/null; sed -n '/^Programs by CPU/,/^$/p' out; }
is "$(programs z.db)" "$(programs x.db)" "the report has their programs"
test -n "$(programs z.db)"
ok $? "which are some"
sound z.db "and is sound"
is "$(perfmon z.db retire --older-than 30d)|$(totals z.db)" "0||" "retired whole: nothing is left"
sound z.db "and that is sound"
is "$(perfmon y.db drop -f)|$(totals y.db)" "0||" "so it is when all is dropped"

# --- migrated ---------------------------------------------------------------------------------------
sqlite3 old.db <"$abs_top_srcdir/tests/golden/schema/8.sql" && python3 - old.db x.db <<-'END' || exit 99
	import sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	db.execute("ATTACH ? AS new", (sys.argv[2],))
	for table, in db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT IN ('schema_version', 'metric')").fetchall():
	    names = ", ".join('"%s"' % c[1] for c in db.execute("PRAGMA main.table_info(%s)" % table))
	    db.execute("DELETE FROM main.%s" % table)
	    db.execute("INSERT INTO main.%s (%s) SELECT %s FROM new.%s" % (table, names, names, table))
	db.commit()
END
is "$(perfmon old.db migrate)|$(rows old.db tag_summary | grep -c .)|$(rows old.db tag_summary | cksum)" "0||$(rows x.db tag_summary | grep -c .)|$(
	rows x.db tag_summary | cksum)" "migrated: totals of tags are those of the loads"
sound old.db "and sound"

# --- secrets ----------------------------------------------------------------------------------------
secret() { sqlite3 "$1" "SELECT count(*) FROM program_summary WHERE program LIKE '%Zq7%'"; }
for db in s.db t.db; do
	perfmon $db submit host0 >/dev/null
	# As an earlier perfmon may have stored it, that knew less of secrets.
	sqlite3 $db "UPDATE process SET args = '-c API_TOKEN=Zq7xZq7x\\x20make' WHERE exename = 'dash';
		UPDATE program_summary SET program = 'dash -c ''API_TOKEN=Zq7xZq7…''' WHERE program = (SELECT min(program) FROM program_summary WHERE program LIKE 'dash -c%')"
done
is "$(secret s.db)|$(perfmon s.db redact 4711)|$(secret s.db)" "1|0||0" "redacted: no label has the secret"
sound s.db "and labels are those of the processes"
perfmon t.db retire --older-than 30d --keep-summary >/dev/null
is "$(secret t.db)|$(perfmon t.db redact 4711)|$(secret t.db)" "1|0||0" "so it is where the processes are retired"
is "$(sqlite3 t.db "SELECT count(*) > 0 FROM program_summary WHERE program LIKE 'dash -c%'")" 1 "and the program is still there"
sound t.db "and sound"

# --- PostgreSQL: many at once -----------------------------------------------------------------------
postgres_needed "PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE many' || exit 99
url=$(postgres_url many)
for n in 1 2 3 4 5 6; do
	cp -R "$([ $n = 1 ] && echo job || echo host0)" many$n && sed -i "s/\"4711\"/\"500$n\"/" many$n/*.json && sed -i "s/	4711	/	500$n	/" many$n/*.tsv || exit 99
done
many()
{
	for n in 1 2 3 4 5 6; do
		eval "PERFMON_DB=\$url \"\$PERFMON\" $1" >out$n 2>err$n &
		eval "pid$n=\$!"
	done
	status=
	for n in 1 2 3 4 5 6; do
		eval "wait \$pid$n"
		status=$status$?
	done
	echo "$status|$(cat err?)"
}
is "$(many 'submit many$n')" "000000|" "six loads of one user at once"
is "$(PERFMON_DB=$url "$PERFMON" verify 2>&1 | sed 's/.*: //')|$(postgres_sql many -At -c 'SELECT sum(jobs) FROM user_day')" \
	"6 jobs checked, 0 faults|6" "the day counts them all"
# While one half is retired in one transaction, the other is loaded again.
is "$(many '$(if [ $n = 1 ]; then echo retire --older-than 30d; else echo submit --replace many$n; fi)')" "000000|" \
	"loads beside retire"
is "$(PERFMON_DB=$url "$PERFMON" verify 2>&1 | sed 's/.*, //')" "0 faults" "the day is right"
PERFMON_DB=$url "$PERFMON" submit many1 many2 many3 many4 many5 many6 >out 2>&1
# What version 4 did not have.
for table in program_summary tag_summary user_day; do
	postgres_sql many -At -c "SELECT * FROM $table ORDER BY 1, 2, 3" >$table.want
done
postgres_older many four 4 || exit 99
url=$(postgres_url four)
PERFMON_DB=$url "$PERFMON" migrate >out 2>err
is "$?|$(cat err)|$([ "$(wc -l <program_summary.want)" -gt 60 ] && echo many) $(wc -l <tag_summary.want)" "0||many 4" "PostgreSQL: migrated"
for table in program_summary tag_summary user_day; do
	postgres_sql four -At -c "SELECT * FROM $table ORDER BY 1, 2, 3" | cmp -s - $table.want
	ok $? "the rows of $table are those of the loads"
done
is "$(many 'delete -f 500$n')|$(postgres_sql four -At -c 'SELECT count(*) FROM user_day')" "000000||0" "six are deleted at once"
done_testing
