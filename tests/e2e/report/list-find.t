#!/bin/sh
# list: rows of the jobs that filters select, processes by what they are, conditions in SQL, columns and orders,
# against an account of the same rows in Python; on both engines.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "filters of processes and conditions" "no python3 with sqlite3"
	done_testing
fi
TZ=UTC
export TZ
cp -R "$abs_top_srcdir/tests/golden/report/busy" busy && chmod -R u+w busy
PERFMON_DB=$work/find.db "$PERFMON" -q submit busy 2>/dev/null

# 40 jobs after that one, of up to 30 processes each, with the totals of their programs.
cat >jobs.py <<-'END'
	import random, sqlite3
	r = random.Random(11)
	db = sqlite3.connect("find.db")
	db.execute("CREATE TEMP TABLE j AS SELECT * FROM job")
	db.execute("CREATE TEMP TABLE p AS SELECT * FROM process WHERE id = 1")
	host = db.execute("SELECT * FROM host").fetchone()
	def maybe(value, share=0.2):
	    return None if r.random() < share else value
	def insert(temp, table, values):
	    db.execute("UPDATE %s SET " % temp + ", ".join('"%s" = ?' % k for k in values), list(values.values()))
	    db.execute("INSERT INTO %s SELECT * FROM %s" % (table, temp))
	for n in range(2, 42):
	    failed, programs = 0, {}
	    rows = []
	    for i in range(1, r.randrange(30) + 1):
	        signal = maybe(9, 0.9)
	        name = maybe(r.choice(["model", "python3", "it's", 'a"b', "per%cent", "ctrl\\x01", "x" * 200]), 0.1)
	        p = dict(job_id=n, id=i, exename=name, args="train.py" if name == "python3" else "", pid=r.randrange(1000),
	            duration_us=maybe(r.randrange(7200) * 1000000), cpu_time=maybe(r.randrange(10 ** 9)), tag_set=maybe(r.randrange(1, 3)),
	            exitcode=None if signal else maybe(r.choice([0, 0, 0, 1])), exitsignal=signal,
	            end_reason="signal" if r.random() < 0.05 else "exit")
	        rows.append(p)
	        bad = signal is not None or (p["exitcode"] or 0) != 0 or p["end_reason"] == "signal"
	        failed += bad
	        label = "(unknown program)" if name is None else "python3 train.py" if name == "python3" else name[:190]
	        total = programs.setdefault(label, [0, 0, None])
	        total[0] += 1
	        total[1] += bad
	        if p["duration_us"] is not None:
	            total[2] = max(total[2] or 0, p["duration_us"])
	    insert("j", "job", dict(id=n, jobid=str(10000 + n), user=r.choice(["alice", "bob"]), epoch_us=1700000000000000,
	        start_us=1700000000000000 + n % 7 * 60000000, name=r.choice(["spin", "o'n", 'q"t', "50%", "x" * 9999]), failed=failed,
	        processes=len(rows)))
	    db.execute("INSERT INTO host VALUES (%s)" % ", ".join("?" * len(host)), [n] + list(host[1:]))
	    for p in rows:
	        insert("p", "process", p)
	    for label, (count, bad, longest) in programs.items():
	        db.execute("INSERT INTO program_summary (job_id, program, processes, runs, threads_known, failed, killed, duration_us) "
	            "VALUES (?, ?, ?, ?, 0, ?, 0, ?)", (n, label, count, count, bad, longest))
	    for i in (1, 2):
	        db.execute("INSERT INTO tag_set VALUES (?, ?, 'phase', ?)", (n, i, ["init", "run"][i - 1]))
	    if n % 2 == 0:
	        db.execute("INSERT INTO tag_set VALUES (?, 2, 'odd', ?)", (n, "a\\\\b"))
	    db.execute("INSERT INTO tag_set VALUES (?, 0, 'exp', ?)", (n, r.choice(["a", "b"])))
	    db.execute("INSERT INTO annotation VALUES (?, 'note', ?)", (n, r.choice(["good", "bad"])))
	    db.execute("INSERT INTO load (job_id, id, file, source, digest, bytes, lines, rejected) VALUES (?, 1, 'f', 's', 'd', 1, 1, 1)", (n,))
	    db.execute("INSERT INTO reject VALUES (?, 1, 1, 'f', ?, 'torn', ?)", (n, n, b"\x1b[2J" + b"a" * n))
	db.commit()
END
python3 jobs.py || exit 99

# A question a line: table and options, in Python which rows are meant, j and p as in the database, and the order.
# Without an order, rows come job by job, the newest job first.
cat >questions <<-'END'
	processes --user alice|j.user == "alice"|
	processes --user alice --limit 7|j.user == "alice"|
	processes --user alice --limit 7 --offset 11|j.user == "alice"|
	processes --user bob --after @1700000120 --order start:asc|j.user == "bob" and j.start_us >= 1700000120000000|
	processes --name o'n|j.name == "o'n"|
	processes --name q"t|j.name == 'q"t'|
	processes --name 50%|j.name == "50%"|
	processes --name NAME9999 --limit 3|j.name == "x" * 9999|
	processes --program model|p.exename == "model"|
	processes --program model --limit 9|p.exename == "model"|
	processes --program python3,it's|p.exename in ("python3", "it's")|
	processes --program a"b|p.exename == 'a"b'|
	processes --program per%cent|p.exename == "per%cent"|
	processes --program CONTROL|p.exename == "ctrl\\x01"|
	processes --program NAME200|p.exename == "x" * 200|
	processes --program train.py|False|
	processes --longer 100m|(p.duration_us or 0) >= 6000000000|
	processes --longer 100m --limit 5|(p.duration_us or 0) >= 6000000000|
	processes --failed|p.bad|
	processes --failed --program model --longer 1h|p.exename == "model" and p.bad and (p.duration_us or 0) >= 3600000000|
	processes --pid 5,77,900 --user alice,bob|p.pid in (5, 77, 900) and j.user in ("alice", "bob")|
	processes --process-tag phase:run|p.tag_set == 2|
	processes --process-tag phase|p.tag_set is not None|
	processes --process-tag odd|p.tag_set == 2 and j.id % 2 == 0|
	processes --process-tag odd:|False|
	processes --process-tag odd:1,odd:a\b;phase:run|p.tag_set == 2 and j.id % 2 == 0|
	processes --process-tag phase:run --tag exp:a|p.tag_set == 2 and ("exp", "a") in j.tags|
	processes --tag exp:b --annotation note:good|("exp", "b") in j.tags and ("note", "good") in j.annotations|
	processes --where cpu_time>500000000|(p.cpu_time or 0) > 500000000|
	processes --where cpu_time>500000000_AND_exename_LIKE_'m%'|(p.cpu_time or 0) > 500000000 and (p.exename or "").startswith("m")|
	processes --where exename='it''s'|p.exename == "it's"|
	processes --where exename='NULLS_FIRST_--;?$1/*'|False|
	processes --where job_id_IN_(SELECT_id_FROM_job_WHERE_"user"='bob') --failed|j.user == "bob" and p.bad|
	processes --user bob --order cpu_time|j.user == "bob"|-cpu_time
	processes --user bob --order cpu_time:asc --limit 20 --offset 3|j.user == "bob"|cpu_time
	processes 10041 --order duration_us|j.id == 41|-duration_us
	processes 10041 --failed|j.id == 41 and p.bad|
	processes 10041 --where id>3 --limit 2|j.id == 41 and p.id > 3|
	annotations --user alice|j.user == "alice" and p.id == 0|
	rejects --user alice --where line>20|j.user == "alice" and p.id == 0 and j.id > 20|
	threads --user bob --program model|j.user == "bob" and p.exename == "model"|
	tags --user bob --where process_id=0|j.user == "bob" and p.id == 0|
	jobs --where processes_BETWEEN_5_AND_9|p.id == 0 and 5 <= j.processes <= 9|
	jobs --where processes>5 --user bob --limit 3|p.id == 0 and j.user == "bob" and j.processes > 5|
	jobs --order failed|p.id == 0|-failed_of_job
END
cat >ask.py <<-'END'
	import csv, io, os, sqlite3, subprocess, sys
	csv.field_size_limit(1 << 20)
	db = sqlite3.connect("find.db")
	db.row_factory = sqlite3.Row
	class Row:
	    def __init__(self, row=()):
	        self.__dict__.update({k: row[k] for k in row.keys()} if row else {})
	jobs = {}
	for row in db.execute("SELECT * FROM job WHERE id > 1"):
	    j = jobs[row["id"]] = Row(row)
	    j.tags = {tuple(t) for t in db.execute("SELECT name, value FROM tag_set WHERE id = 0 AND job_id = ?", [j.id])}
	    j.annotations = {tuple(t) for t in db.execute("SELECT name, value FROM annotation WHERE job_id = ?", [j.id])}
	processes = [Row(r) for r in db.execute("SELECT * FROM process WHERE job_id > 1")]
	for p in processes:
	    p.bad = p.exitsignal is not None or (p.exitcode or 0) != 0 or p.end_reason == "signal"
	for j in jobs.values():
	    job = Row()
	    for name in "exename pid duration_us cpu_time tag_set bad".split():
	        setattr(job, name, None)
	    job.job_id, job.id, job.failed_of_job = j.id, 0, j.failed
	    processes.append(job)
	def ask(words):
	    return subprocess.run([os.environ["PERFMON"], "list", "--csv"] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
	        universal_newlines=True, env=dict(os.environ, PERFMON_DB=sys.argv[1]))
	# A job's number differs where it was copied.
	number_of = {r["id"]: str(int(r["jobid"]) - 10000) for r in csv.DictReader(io.StringIO(ask(["jobs", "--columns", "id,jobid"]).stdout))}
	wrong = 0
	for line in open("questions").read().splitlines():
	    options, which, order = line.split("|")
	    words = [w.replace("_", " ") if words_before == "--where" and "_" in w and w not in ("cpu_time>500000000", "process_id=0") else w
	        for words_before, w in zip([""] + options.split(), options.split())]
	    words = [w.replace("cpu time", "cpu_time").replace("job id", "job_id") for w in words]
	    words = [w.replace("NAME9999", "x" * 9999).replace("NAME200", "x" * 200).replace("CONTROL", "ctrl\x01") for w in words]
	    of_jobs = "p.id == 0" in which
	    want = [p for p in processes if (p.id == 0) == of_jobs and eval(which, {"j": jobs[p.job_id], "p": p})]
	    rising = "start:asc" in words
	    want.sort(key=lambda p: p.id)
	    want.sort(key=lambda p: (jobs[p.job_id].start_us, p.job_id), reverse=True)
	    if order:
	        down = order[0] == "-"
	        if not of_jobs:
	            want.sort(key=lambda p: p.job_id, reverse=down)
	        want.sort(key=lambda p: (lambda v: (v is not None, v or 0))(getattr(p, order.lstrip("-"))), reverse=down)
	    if rising:
	        want.sort(key=lambda p: (jobs[p.job_id].start_us, p.job_id))
	    table = words[0]
	    key = {"jobs": ("id",), "annotations": ("job_id",), "rejects": ("job_id",), "threads": ("job_id", "process_id")}.get(table, ("job_id", "id"))
	    key = ("job_id", "process_id") if table == "tags" else key
	    want = [str(p.job_id) if len(key) == 1 else "%d %d" % (p.job_id, p.id) for p in want]
	    number = lambda name: int(words[words.index(name) + 1]) if name in words else 0
	    want = want[number("--offset"):][:number("--limit") or None]
	    run = ask(words)
	    rows = [r for r in csv.DictReader(io.StringIO(run.stdout)) if int(number_of[r[key[0]]]) > 0]
	    got = [" ".join([number_of[r[key[0]]]] + [r[k] for k in key[1:]]) for r in rows]
	    if run.returncode or got != want:
	        wrong += 1
	        print("# %s: %d rows, %d are right; %s %s %s" % (options, len(got), len(want), run.stderr.strip(), got[:4], want[:4]))
	    if which != "False" and not want:
	        print("# %s: asks for nothing" % options)
	        wrong += 1
	print(wrong)
END
export PERFMON
n=$(grep -c . questions)
python3 ask.py "$work/find.db" >answers
sed '$d' answers
is "$(tail -n 1 answers)" 0 "SQLite: $n questions about processes of 40 jobs are answered as Python does"
# Behind more jobs than are looked at one by one.
cp find.db large.db
python3 - <<-'END'
	import sqlite3
	db = sqlite3.connect("large.db")
	db.execute("CREATE TEMP TABLE j AS SELECT * FROM job WHERE id = 2")
	db.execute("UPDATE j SET jobid = '1', \"user\" = 'zoe', name = 'z', processes = 0, failed = 3, start_us = 1800000000000000")
	for n in range(100, 5100):
	    db.execute("UPDATE j SET id = ?, epoch_us = ?", (n, n))
	    db.execute("INSERT INTO job SELECT * FROM j")
	db.commit()
END
python3 ask.py "$work/large.db" >answers
sed '$d' answers
is "$(tail -n 1 answers)" 0 "the same behind 5000 newer jobs"
# Jobs are read on from where they were: eight times as many take little more than eight times the steps.
if [ "$PM_SANITIZED" = yes ] || ! need sqlite3; then
	skip "steps of many jobs" "tested without sanitizers, and with sqlite3"
else
	cp large.db huge.db
	sqlite3 huge.db "PRAGMA synchronous = OFF; CREATE TEMP TABLE j AS SELECT * FROM job WHERE id = 100;
		WITH RECURSIVE c(n) AS (SELECT 5100 UNION ALL SELECT n + 1 FROM c WHERE n < 40099)
		INSERT INTO job SELECT $(sqlite3 huge.db "SELECT group_concat(CASE name WHEN 'id' THEN 'n' WHEN 'epoch_us' THEN 'n' ELSE 'j.\"' || name || '\"' END, ', ')
			FROM pragma_table_info('job')") FROM c CROSS JOIN j" || exit 99
	for name in large huge; do
		rm -f steps
		PERFMON_DB=$work/$name.db STEPS_OF='SELECT id FROM job' STEPS_FILE=$work/steps LD_PRELOAD=$abs_top_builddir/tests/progs/statements.so \
			"$PERFMON" list annotations --user zoe --csv >out
		cat steps
	done >both
	test "$(sed -n 1p both)" -gt 5000 && test "$(sed -n 2p both)" -lt "$(($(sed -n 1p both) * 12))"
	ok $? "steps of SQLite for 5000 jobs and for 40 000: $(tr '\n' ' ' <both)"
fi
# What a filter leaves out is noticed.
cp find.db other.db
python3 - <<-'END'
	import sqlite3
	db = sqlite3.connect("other.db")
	db.execute("UPDATE process SET exename = 'model', duration_us = 6500000000, cpu_time = 999999999, exitcode = 1 WHERE job_id % 10 = 1 AND id = 2")
	db.commit()
END
python3 ask.py "$work/other.db" >answers
test "$(tail -n 1 answers)" -gt 5
ok $? "noticed: a few processes that have another name, time and status"

# --- columns -------------------------------------------------------------------------------------
PERFMON_DB=$work/find.db
export PERFMON_DB
is "$("$PERFMON" list processes 10005 --columns pid,exename,job_id --csv --limit 1 | tr -d '\r' | head -n 1)" "pid,exename,job_id" "columns of CSV"
is "$("$PERFMON" list processes 10005 --columns job_id,id --json --limit 1 | tr -d ' \n')" '[{"job_id":5,"id":1}]' "of JSON"
is "$("$PERFMON" list jobs --columns id,start_us,name --where 'id = 1')" "id  start_us                 name
1   2025-11-21 01:53:20 UTC  train" "of text: times and names"
is "$("$PERFMON" list processes '#1' --columns pid,cpu_time,rssmax,exitsignal --limit 2 --order rssmax | tail -n 1 | tr -s ' ')" \
	"1200 4.50 s 819 MB 9" "durations and sizes with their units"
is "$("$PERFMON" list processes --user alice,bob --columns job_id,exename,parent_id,args | head -n 1 | tr -s ' ')" "job_id exename parent_id args" \
	"their titles, of many jobs"
is "$("$PERFMON" list processes --user alice,bob --order exename --columns job_id,exename,parent_id,args | head -n 1 | tr -s ' ')" \
	"job_id exename parent_id args" "and sorted"
PERFMON_DB=$work/none.db "$PERFMON" list jobs --columns help >out
grep -qx rssmax out
ok $? "--columns help names them, without a database"
for table in jobs processes threads counters hosts summaries energy phases tags annotations samples rejects metrics; do
	"$PERFMON" list $table '#1' --columns help >names 2>err && "$PERFMON" list $table '#1' --csv 2>err | head -n 1 | tr -d '\r' | tr , '\n' >csv
	cmp -s names csv && test -s names
	ok $? "and all that CSV has: $table"
	"$PERFMON" list $table --limit 1 --columns "$(sed -n 1p names)" --where '1 = 1' >out 2>err
	is "$?" 0 "one column and a condition: $table"
done
"$PERFMON" list rejects --user alice,bob --limit 1 | grep -q '\\x1b\[2Jaa'
ok $? "bytes of a rejected line are safe"

# --- what cannot be meant ------------------------------------------------------------------------
cat >wrong <<-'END'
	processes 10005|--columns|exname|the nearest is exename
	processes 10005|--columns|pid,|have no column ''
	processes 10005|--order|cputime|the nearest is cpu_time
	processes 10005|--order|pid:up|:asc or :desc
	jobs|--program|x|perfmon list processes --program
	hosts|--longer|1h|says which processes
	processes|--longer|soon|soon
	processes|--longer|1|a unit is needed
	processes|--pid|12|needs a job
	processes|--process-tag|:x|the name is missing
	tags|--order|name|are made of several
	processes|--where||it is empty
	processes|--where|1) OR (1|closed that was not opened
	processes|--where|(1|is not closed
	processes|--where|1 -- 2|comments
	processes|--where|1 /* 2 */|comments
	processes|--where|1; DELETE FROM job|semicolon
	processes|--where|'a|a quote ' is not closed
	processes|--where|pid = ?|the sign ? is not taken
	processes|--where|pid = $1|the sign \$ is not taken
	processes|--where|[)] = 1 OR (1|the sign \[ is not taken
	processes|--where|E'\\') OR (1' = ''|E'...' is not taken
	processes|--where|load_extension('x')|the function load_extension
	processes|--where|pg_sleep(9) IS NULL|the function pg_sleep
	processes|--where|pg_catalog . pg_sleep (9) IS NULL|the function pg_sleep
	processes|--where|"pg_sleep"(9) IS NULL|the function "pg_sleep"
	processes|--where|id IN (SELECT cid FROM pragma_table_info('job'))|the function pragma_table_info
	processes|--where|set_config('a', 'b', false) = ''|the function set_config
END
while IFS='|' read -r table option value why; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" list $table "$option" "$value" >out 2>err
	is "$? $(grep -c -e "$why" err)" "2 1" "list $table $option $value: $why"
done <wrong
refused()
{
	before=$("$PERFMON" list jobs --csv | cksum)
	while IFS='|' read -r what why; do
		"$PERFMON" list processes --where "$what" >out 2>err
		is "$? $(grep -c -e "$why" err) $(grep -c -e '--columns help' err)" "1 1 1" "$1: $what: $why"
	done
	is "$("$PERFMON" list jobs --csv | cksum)" "$before" "$1: and nothing has changed"
}
refused SQLite <<-'END'
	cputime > 3|no such column: cputime
	"cputime" = 'x'|no such column: .*cputime
	cpu_time >|syntax error
	id IN (SELECT schema FROM pragma_table_list)|not authorized
	1 UNION SELECT 1|syntax error
	1 LIMIT 1|syntax error
	id IN (DELETE FROM job RETURNING id)|syntax error
END
"$PERFMON" list processes --where "pid = '$(head -c 99000 /dev/zero | tr '\0' x)'" >out 2>err
is "$?|$(cat out)" "0|no processes" "a condition of 99 kB"
"$PERFMON" list processes --where "pid = '$(head -c 100001 /dev/zero | tr '\0' x)'" >out 2>err
is "$? $(grep -c 'longer than' err)" "2 1" "a longer one is refused"
endless="EXISTS (WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT 1 FROM n WHERE i < 0)"
"$PERFMON" list processes --where "$endless" --statement-timeout 200ms >out 2>err
is "$? $(grep -c 'stopped after 0.2 s, the limit of the setting statement_timeout' err)" "1 1" "SQLite: what takes too long is stopped"

# --- PostgreSQL ----------------------------------------------------------------------------------
postgres_needed "PostgreSQL: filters of processes and conditions"
postgres_sql postgres -c "CREATE DATABASE find LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0" || exit 99
url=$(postgres_url find)
unset PERFMON_DB
"$PERFMON" copy "$work/find.db" "$url" >out 2>err || diag "$(cat err)"
python3 ask.py "$url" >answers
sed '$d' answers
is "$(tail -n 1 answers)" 0 "PostgreSQL: the same answers"
PERFMON_DB=$url
export PERFMON_DB
refused PostgreSQL <<-'END'
	cputime > 3|column .*cputime.* does not exist
	cpu_time >|syntax error
	1|must be type boolean
	id IN (DELETE FROM job RETURNING id)|syntax error
	EXISTS (WITH d AS (DELETE FROM job RETURNING id) SELECT 1 FROM d)|WITH clause containing a data-modifying
	exename::int = 1|invalid input syntax
END
"$PERFMON" list processes --where "$endless" --statement-timeout 200ms >out 2>err
is "$? $(grep -c 'stopped after 0.2 s, the limit of the setting statement_timeout' err)" "1 1" "PostgreSQL: what takes too long is stopped"
done_testing
