#!/bin/sh
# A metric that is negative, too large or no number is unknown, and its process is there: one such value cost
# the process, and two large ones the whole job.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need python3 sqlite3; then
	skip "odd values" "no $missing"
	done_testing
fi

submit()
{
	PERFMON_DB=$work/$1.db
	export PERFMON_DB
	shift
	"$PERFMON" submit "$@" >out 2>err
}

# Every column of papiex that is a number, with every odd value: each in a process of its own, by pid.
cat >walk.py <<'END'
import json, os, re, sqlite3, sys

table = open(os.environ["abs_top_srcdir"] + "/common/record/papiex.def").read()
rows = re.findall(r"^PM_PAPIEX\((\w+), (\w+), (\w+),", table, re.M)
names = [n for n, how, c in rows if n != "finish"]
how = {n: h for n, h, c in rows}
becomes = {n: c for n, h, c in rows}
process = ("tags hostname exename path args exitcode exitsignal pid generation ppid pgid sid numtids mpinumranks tid "
           "mpirank start end").split()
metrics = [n for n in names if n not in process] + ["PAPI_TOT_INS"]
number = [n for n in names + ["PAPI_TOT_INS"] if how.get(n) not in ("TEXT", "LIST", "PROGRAM")]
odd = ["-1", "0", "", str(10**18 * 9), "9" * 25, "-" + "9" * 25, "x", "1.5", "nan", "1e30"]
START = 1700000000000000


def value(n, pid):
    return {"pid": str(pid), "numtids": "1", "start": str(START + pid), "end": str(START + pid + 9), "hostname": "n1",
            "exename": "cat", "path": "/bin/cat", "tid": str(pid), "ppid": "1", "pgid": "2", "sid": "3", "mpirank": "4",
            "mpinumranks": "8", "exitcode": "5", "exitsignal": "0", "tags": "", "args": ""}.get(n, "70000")


cases = [(n, v) for n in number for v in odd]
with open("csv/n1-papiex-1-0.csv", "w") as f:
    f.write(",".join(process + metrics) + "\n")
    for pid, (n, v) in enumerate(cases, 1000):
        f.write(",".join(v if m == n else value(m, pid) for m in process + metrics) + "\n")
fixed = [n for n in process if n not in ("mpinumranks", "mpirank", "tid")]
with open("tsv/n1-papiex-header.tsv", "w") as f:
    f.write("{%s}\t%s\n" % (",".join(metrics), "\t".join(fixed)))
with open("tsv/n1-papiex.tsv", "w") as f:
    for pid, (n, v) in enumerate(cases, 1000):
        get = lambda m: v if m == n else value(m, pid)
        f.write("{%s}\t%s\n" % (",".join(get(m) for m in metrics), "\t".join(get(m) for m in fixed)))
# As EPMT stores it, and as Python writes JSON.
db = sqlite3.connect("epmt.sqlite")
db.execute("CREATE TABLE jobs (jobid TEXT, user_id TEXT, start TEXT, end TEXT, info_dict TEXT)")
db.execute("CREATE TABLE processes (id INTEGER PRIMARY KEY, jobid TEXT, host_id TEXT, pid INTEGER, numtids INTEGER,"
           " exename TEXT, threads_df TEXT)")
db.execute("INSERT INTO jobs VALUES ('17', 'alice', NULL, NULL, '{\"tz\": \"UTC\"}')")
for pid, (n, v) in enumerate(cases, 1000):
    thread = {}
    for m in process + metrics:
        x = v if m == n else value(m, pid)
        try:
            thread[m] = int(x)
        except ValueError:
            try:
                thread[m] = float(x)
            except ValueError:
                thread[m] = x
    db.execute("INSERT INTO processes (jobid, host_id, pid, numtids, exename, threads_df) VALUES ('17', 'n1', ?, 1, 'cat', ?)",
               (pid, json.dumps([thread])))
db.commit()
json.dump(cases, open("cases", "w"))
END
cat >look.py <<'END'
import json, os, re, sqlite3, sys

db, form = sqlite3.connect(sys.argv[1]), sys.argv[2]
db.row_factory = sqlite3.Row
table = open(os.environ["abs_top_srcdir"] + "/common/record/papiex.def").read()
rows = {n: (how, c) for n, how, c in re.findall(r"^PM_PAPIEX\((\w+), (\w+), (\w+),", table, re.M)}
found = {r["pid"]: r for r in db.execute("select * from process")}
counters = {r["process_id"]: r for r in db.execute("select * from counter where name = 'PAPI_TOT_INS' and thread_id = 0")}
wrong, seen = [], 0
for pid, (n, v) in enumerate(json.load(open("cases")), 1000):
    how, column = rows.get(n, ("INT", None))
    # What a process is known by; but EPMT's own table may have it.
    key = n in ("pid", "start")
    r = found.pop(pid, None)
    if key:
        if r is not None and (form != "epmt" or n == "start" and r["image_us"] <= 0):
            wrong.append((n, v, "there"))
        continue
    if form == "tsv" and n in ("tid", "mpirank", "mpinumranks"):
        continue
    if r is None:
        wrong.append((n, v, "its process is missing"))
        continue
    seen += 1
    if how in ("NOTHING", "SIGNAL"):
        continue
    got = r[column] if column else counters[r["id"]]["value"] if r["id"] in counters else None
    if v == "0":
        want = None if n in ("numtids", "tid", "end", "mpinumranks", "finish") else 0
    elif n == "exitcode" and v == "-1":
        want = 255
    elif n == "tid":
        continue # a column of threads
    else:
        want = 1 if form == "epmt" and n == "numtids" and v in ("", "nan") else None
    if got != want:
        wrong.append((n, v, got, want))
    if not column and v not in ("0", "") and not (form == "epmt" and v == "nan"):
        if r["id"] not in counters or counters[r["id"]]["reason"] != "implausible":
            wrong.append((n, v, "no reason"))
print(len(wrong), seen > 300, *wrong[:5])
END
export abs_top_srcdir
mkdir csv tsv && python3 walk.py || exit 99
for form in csv tsv epmt; do
	if [ $form = epmt ]; then submit epmt epmt.sqlite; else submit $form $form; fi
	is "$?|$(python3 look.py $form.db $form)" "1|0 True" "$form: every odd value is unknown, its process is there"
	is "$(query "SELECT count(*) FROM reject WHERE reason NOT LIKE 'pid: %' AND reason NOT LIKE 'start: %' AND
		reason NOT LIKE '%whose own line was rejected'")" 0 \
		"$form: no line is rejected but for its key"
	grep -q 'rdtsc_duration: [0-9]* negative values, which are unknown (first ' err
	ok $? "$form: which is said, with the place of the first"
	is "$("$PERFMON" verify >out 2>err; echo $?)|$(query 'SELECT sum(cpu_time) > 0 FROM process')" "0|1" "$form: the database adds up" ||
		diag "$(cat out err)"
done
is "$(sqlite3 csv.db "SELECT problems LIKE '%ppid: 2 negative values, which are unknown (first n1-papiex-1-0.csv, line %' FROM job")" 1 "the job says so, too"

# papiex's own way of saying that it could not read: no fault.
fixed='tags	hostname	exename	path	exitcode	exitsignal	pid	generation	ppid	pgid	sid	numtids	start	end	args'
mkdir own && printf '{usertime,rdtsc_duration}\t%s\n' "$fixed" >own/n1-papiex-header.tsv &&
	printf '{%s}\t\tn1\tcat\t/bin/cat\t0\t0\t%d\t0\t1\t1\t1\t%d\t1700000000000000\t1700000000000009\tx\n' \
		1,2 100 1 1,-1 101 1 1,2,3,-44 102 2 >own/n1-papiex.tsv
python3 -c '
import datetime, pickle
t = datetime.datetime(2023, 11, 14, 22, 13, 19, tzinfo=datetime.timezone.utc)
open("own/job_metadata", "wb").write(pickle.dumps({"job_pl_id": "17", "job_pl_hostname": "n1", "job_pl_username": "a",
    "job_pl_start_ts": t, "job_el_stop_ts": t, "job_pl_env": {}, "job_el_env": {}}, 3))'
submit own --remove own
is "$?|$(query 'SELECT pid, usertime, rdtsc_duration FROM process ORDER BY 1' | tr '\n' ' ')|$(find . -name own)" \
	"0|100|1|2 101|1| 102|4|2 |" "a negative metric: loaded, status 0, and --remove removes"
is "$(query 'SELECT problems FROM job')" "rdtsc_duration: 2 negative values, which are unknown (first n1-papiex.tsv, line 2)" \
	"which the job's problems tell"

# --- perfmon's own records -----------------------------------------------------------------------
"$abs_top_builddir/tests/progs/generate" job 60 >/dev/null || exit 99
# with COLUMN VALUE: the end records of the job with this value in a column
with()
{
	python3 - "$@" <<-'END'
	import sys
	lines = open("job/n0-1000.tsv").read().split("\n")
	names = lines[0].split("\t")
	c, v = names.index(sys.argv[1]), sys.argv[2]
	for i, line in enumerate(lines):
	    f = line.split("\t")
	    if f[1:2] == ["end"]:
	        f[c] = v
	        lines[i] = "\t".join(f)
	open("made/n0-1000.tsv", "w").write("\n".join(lines))
	END
}
mkdir made && cp job/* made
submit plain made
processes=$(query 'SELECT count(*) FROM process')
for column in usertime time_oncpu rchar own_cpu_us own_outblock duration_us cminflt rdtsc_duration; do
	with $column 6000000000000000000
	submit $column made
	is "$?|$(query 'SELECT count(*) FROM process')|$(query 'SELECT coalesce(sum(cpu_time), 0) >= 0 FROM process')" "1|$processes|1" \
		"$column of 6e18 in every record: all processes load"
	grep -q "$column: [0-9]* values out of range, which are unknown (first n0-1000.tsv, line " err
	ok $? "and it is said"
done
# The most that is believed, of so many that the sum is beyond what a number holds.
with rchar 500000000000000000
submit most made
is "$?|$(query 'SELECT count(*), max(rchar) > 400000000000000000 FROM process')|$(query 'SELECT rchar FROM job')" "0|$processes|1|" \
	"a sum that is too large is unknown"
is "$("$PERFMON" verify >out 2>err; echo "$?|$(cat err)")" "0|" "as verify finds"
mkdir late && cp made/job-n0.json late && sed 's/n0/n9/g; s/00000000-0000-4000-8000-000000000000/00000000-0000-4000-8000-000000000009/' \
	made/n0-1000.tsv >late/n9-1000.tsv && sed -i 's/"hostname":"n0"/"hostname":"n9"/' late/job-n0.json && mv late/job-n0.json late/job-n9.json
submit most late
is "$?|$(query 'SELECT count(*) > 0 FROM process')|$(cat err)" "0|1|" "also where a host is added"

# Metadata and tallies.
cp job/* made
sed -i 's/"cpus_online":[0-9]*/"cpus_online":9223372036854775807/; s/"time_us":1[0-9]*/"time_us":9223372036854775807/' made/job-n0.json
submit meta made
is "$?|$(query 'SELECT processes FROM job')|$(grep -c 'out of range' err)" "1|$processes|1" "metadata with numbers that cannot be" || diag "$(cat err)"
mkdir nothing && : >nothing/job-n0.json
submit nothing nothing
is "$?|$(grep -c 'wrong arguments' err)" "1|0" "an empty file of metadata is said to be one" || diag "$(cat err)"
done_testing
