#!/bin/sh
# list jobs: filters and orders, against an account of the same rows in Python; on both engines.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "filters and orders" "no python3 with sqlite3"
	done_testing
fi
TZ=UTC
export TZ
cp -R "$abs_top_srcdir/tests/golden/report/busy" busy && chmod -R u+w busy
PERFMON_DB=$work/jobs.db "$PERFMON" -q submit busy 2>/dev/null

# Rows of 400 jobs after that one, half of them with the same times, some with what is not known.
cat >jobs.py <<-'END'
	import random, sqlite3, sys
	r = random.Random(7)
	db = sqlite3.connect("jobs.db")
	db.execute("CREATE TEMP TABLE j AS SELECT * FROM job")
	host = db.execute("SELECT * FROM host").fetchone()
	at = [c[1] for c in db.execute("PRAGMA table_info(host)")].index
	def maybe(value, share=0.2):
	    return None if r.random() < share else value
	for n in range(2, 402):
	    start = maybe(1700000000000000 + r.randrange(100) * 60000000, 0.05)
	    end = None if start is None else maybe(start + r.randrange(1, 7200) * 1000000, 0.1)
	    signal = maybe(9, 0.9)
	    values = dict(id=n, jobid=str(10000 + n), user=r.choice(["alice", "bob", "carol", "da,ve", ""]),
	        name=maybe(r.choice(["spin", "x" * 120, "x" * 100 + "y", "a,b", ""])), account=maybe(r.choice(["p1", "p2"])),
	        queue=maybe(r.choice(["short", "long"])), start_us=start, end_us=end, epoch_us=1700000000000000,
	        duration_us=maybe(r.randrange(50) * 1000000), cpu_time=maybe(r.randrange(10 ** 12)), rssmax=maybe(r.randrange(99)),
	        processes=r.randrange(1000), efficiency=maybe(r.random()), running=r.randrange(2) if r.random() < 0.2 else 0,
	        exit_status=None if signal else maybe(r.choice([0, 0, 0, 1, 2, 255])), exit_signal=signal)
	    db.execute("UPDATE j SET " + ", ".join('"%s" = ?' % k for k in values), list(values.values()))
	    db.execute("INSERT INTO job SELECT * FROM j")
	    for i, name in enumerate(r.sample(["n0", "n1", "n2"], r.randrange(3))):
	        row = list(host)
	        row[at("job_id")], row[at("id")], row[at("hostname")] = n, i + 1, name
	        db.execute("INSERT INTO host VALUES (%s)" % ", ".join("?" * len(row)), row)
	    for name in r.sample(["grid", "run", "bare"], r.randrange(4)):
	        value = "1" if name == "bare" else r.choice(["c96", "c192", "", "x;y"])
	        db.execute("INSERT INTO tag_set VALUES (?, 0, ?, ?)", (n, name, value))
	        if r.random() < 0.5:
	            db.execute("INSERT INTO annotation VALUES (?, ?, ?)", (n, name, value))
	db.commit()
END
python3 jobs.py || exit 99

# A question a line: the options, then in Python which jobs j are meant, and by which fields they are sorted.
cat >questions <<-'END'
	|True|-start
	--order start:asc|True|start
	--order end|True|-end
	--order end:asc|True|end
	--order duration|True|-duration_us
	--order duration:asc|True|duration_us
	--order cpu|True|-cpu_time
	--order cpu:asc|True|cpu_time
	--order memory:desc|True|-rssmax
	--order memory:asc|True|rssmax
	--order processes|True|-processes
	--order efficiency:asc|True|efficiency
	--order status|True|-exit_status -exit_signal
	--order status:asc|True|exit_status exit_signal
	--order user|True|user -start
	--order user:desc|True|-user start
	--order name|True|name100 -start
	--order name:desc|True|-name100 start
	--order account|True|account -start
	--order queue:desc|True|-queue start
	--user alice|j.user == "alice"|-start
	--user alice,da\,ve|j.user in ("alice", "da,ve")|-start
	--user alice --order cpu|j.user == "alice"|-cpu_time
	--name spin|j.name == "spin"|-start
	--name a\,b,spin|j.name in ("a,b", "spin")|-start
	--name NAME120|j.name == "x" * 120|-start
	--account p1 --queue long,short|j.account == "p1" and j.queue in ("long", "short")|-start
	--queue none|False|-start
	--host n1|"n1" in j.hosts|-start
	--host n0,n2 --status ok|j.hosts & {"n0", "n2"} and j.exit_status == 0 and j.exit_signal is None and j.running == 0|-start
	--status failed|j.exit_signal is not None or (j.exit_status or 0) != 0|-start
	--status killed|j.exit_signal is not None|-start
	--status ok --limit 10 --offset 5|j.exit_status == 0 and j.exit_signal is None and j.running == 0|-start
	--status 2,255 --order name|j.exit_status in (2, 255)|name100 -start
	--status unknown|j.exit_status is None and j.exit_signal is None and j.running == 0|-start
	--status running,killed|j.running > 0 or j.exit_signal is not None|-start
	--tag grid:c96|("grid", "c96") in j.tags|-start
	--tag grid:c96;run:c192,bare|{("grid", "c96"), ("run", "c192")} <= j.tags or ("bare", "1") in j.tags|-start
	--tag grid:|("grid", "") in j.tags|-start
	--tag grid:x\;y|("grid", "x;y") in j.tags|-start
	--annotation grid:c96;bare|{("grid", "c96"), ("bare", "1")} <= j.annotations|-start
	--after @1700003600|j.start is not None and j.start >= 1700003600000000|-start
	--before @1700003600 --limit 0|j.start is not None and j.start < 1700003600000000|-start
	--after 2023-11-14T23:00 --before 2023-11-14T23:30|j.start is not None and 1700002800000000 <= j.start < 1700004600000000|-start
	--when @1700003600|j.ran(1700003600000000, 1700003600000000)|-start
	--when 10100|j.id != 100 and j.ran(other(100).start, other(100).end)|-start
	--user bob --status failed --host n1 --after @1700000060|j.user == "bob" and (j.exit_signal is not None or (j.exit_status or 0) != 0) and "n1" in j.hosts and j.start is not None and j.start >= 1700000060000000|-start
END
# ask URL: of each question, whether perfmon answers as Python does.
cat >ask.py <<-'END'
	import csv, io, os, sqlite3, subprocess, sys
	db = sqlite3.connect("jobs.db")
	db.row_factory = sqlite3.Row
	class Job:
	    def __init__(self, row):
	        self.__dict__.update({k: row[k] for k in row.keys()})
	        self.start = self.start_us
	        self.end = next((t for t in (self.end_us, self.start_us, self.epoch_us) if t is not None), None)
	        self.name100 = None if self.name is None else self.name[:100]
	        pairs = lambda q: {tuple(r) for r in db.execute(q, [self.id])}
	        self.hosts = {r[0] for r in pairs("SELECT hostname FROM host WHERE job_id = ?")}
	        self.tags = pairs("SELECT name, value FROM tag_set WHERE id = 0 AND job_id = ?")
	        self.annotations = pairs("SELECT name, value FROM annotation WHERE job_id = ?")
	    def ran(self, since, until):
	        return self.start is not None and self.start <= until and (self.end >= since or self.running > 0)
	jobs = [Job(r) for r in db.execute("SELECT * FROM job")]
	other = lambda i: next(j for j in jobs if j.id == i)
	wrong = 0
	for line in open("questions").read().splitlines():
	    options, which, order = line.split("|")
	    words = options.replace("NAME120", "x" * 120).split()
	    want = [j for j in jobs if eval(which, {"j": j, "other": other})]
	    keys = order.split()
	    # Equal ones come by their number, as the last field goes.
	    want.sort(key=lambda j: j.id, reverse=keys[-1][0] == "-")
	    for key in reversed(keys):
	        want.sort(key=lambda j: (lambda v: (v is not None, v if v is not None else 0))(getattr(j, key.lstrip("-"))), reverse=key[0] == "-")
	    want = [j.jobid for j in want]
	    number = lambda name: int(words[words.index(name) + 1]) if name in words else 0
	    want = want[number("--offset"):][:number("--limit") or None]
	    run = subprocess.run([os.environ["PERFMON"], "list", "jobs", "--csv"] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
	        universal_newlines=True, env=dict(os.environ, PERFMON_DB=sys.argv[1]))
	    got = [r["jobid"] for r in csv.DictReader(io.StringIO(run.stdout))]
	    if run.returncode or got != want:
	        wrong += 1
	        print("# %s: %d rows, %d are right; %s" % (options, len(got), len(want), run.stderr.strip()))
	    if "|False|" not in line and not want:
	        print("# %s: asks for nothing" % options)
	        wrong += 1
	print(wrong)
END
export PERFMON
n=$(grep -c . questions)
python3 ask.py "$work/jobs.db" >answers
sed '$d' answers
is "$(tail -n 1 answers)" 0 "SQLite: $n questions about 400 jobs are answered as Python does"
# What a filter or an order leaves out is noticed.
cp jobs.db other.db
python3 - <<-'END'
	import sqlite3
	db = sqlite3.connect("other.db")
	db.execute("UPDATE job SET \"user\" = 'alice', cpu_time = 5, exit_status = 2 WHERE id % 40 = 1")
	db.commit()
END
python3 ask.py "$work/other.db" >answers
test "$(tail -n 1 answers)" -gt 5
ok $? "noticed: ten jobs that have another user, CPU time and status"

# --- what cannot be meant ------------------------------------------------------------------------
PERFMON_DB=$work/jobs.db
export PERFMON_DB
many=$(seq -s , 401)
is "$("$PERFMON" list --host "${many%,*}")" "no jobs" "a list of 400"
while IFS='|' read -r words why; do
	# shellcheck disable=SC2046 # words
	"$PERFMON" list $(echo "$words" | sed "s/MANY/$many/") >out 2>err
	is "$? $(grep -c -e "$why" err)" "2 1" "list $words: $why"
done <<-'END'
	--order size|start, end, duration
	--order cpu:up|:asc or :desc
	--after tomorrow|not a time such as
	--before 2026-02-30|not a time such as
	--when nonsense|neither a time
	--status good|ok, failed, killed
	--tag :x|the name is missing
	--offset -1|a number is needed
	processes 10100 --user alice|perfmon list processes --user
	metrics --user alice|perfmon list jobs --user
	jobs 4711 --order cpu|perfmon list jobs --order
	--name MANY|more than 400 alternatives
END
is "$("$PERFMON" list --user nobody --status 77)" "no jobs" "none meets them"
is "$("$PERFMON" list jobs --order cpu --limit 1 --json | python3 -c '
import json, sys
print(len(json.load(sys.stdin)))')" 1 "JSON, too"

# --- PostgreSQL ----------------------------------------------------------------------------------
postgres_needed "PostgreSQL: filters and orders"
postgres_sql postgres -c "CREATE DATABASE jobs LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0" || exit 99
url=$(postgres_url jobs)
unset PERFMON_DB
"$PERFMON" copy "$work/jobs.db" "$url" >out 2>err || diag "$(cat err)"
python3 ask.py "$url" >answers
sed '$d' answers
is "$(tail -n 1 answers)" 0 "PostgreSQL: the same answers"
done_testing
