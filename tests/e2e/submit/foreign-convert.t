#!/bin/sh
# perfmon convert: what it writes loads to the rows that the original loads to; databases of EPMT.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

# Recorded by papiex and EPMT; not part of the tree.
samples=${PM_SAMPLES:-$abs_top_srcdir/../shared/samples}

if ! need python3 sqlite3; then
	skip "foreign-convert" "no $missing to look into the database with"
	done_testing
fi

# rows DB: every row of every table, but for where they came from.
rows()
{
	python3 - "$1" <<'END'
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
for table in ("job", "host", "process", "thread_row", "counter", "tag", "series", "annotation"):
    have = [r[1] for r in c.execute("PRAGMA table_info(%s)" % table)]
    if have:
        print(table, have)
        for row in sorted(map(repr, c.execute("SELECT * FROM %s" % table))):
            print(row)
END
}

submit()
{
	PERFMON_DB=$work/$1.db
	export PERFMON_DB
	shift
	"$PERFMON" submit "$@" >out 2>err
}

# same NAME SOURCE...: converted and original load to the same rows.
same()
{
	name=$1
	shift
	rm -rf "$work/$name".*db "$name.tgz"
	"$PERFMON" convert -o "$name.tgz" "$@" >"$name.out" 2>"$name.err"
	status=$?
	submit "$name.original" "$@"
	submit "$name" "$name.tgz"
	rows "$name.original.db" >"$name.want"
	rows "$name.db" >"$name.got"
	test -s "$name.want" && cmp -s "$name.want" "$name.got"
	ok $? "$name: the converted archive loads to the same rows"
	diff "$name.want" "$name.got" 2>&1 | head -n 5 | sed 's/^/# /'
}

names=tags,hostname,exename,path,args,exitcode,exitsignal,pid,generation,ppid,pgid,sid,numtids,mpinumranks,tid,mpirank,start,end,usertime,systemtime,rssmax,minflt,starttime,delayacct_blkio_time,EV
mkdir csv two
{
	echo "$names"
	printf '%s\n' 'op:a=b,n1,sh,/usr/bin/dash,a\,b "c \\ \t,7,0,100,0,99,98,97,2,4,100,3,1700000000000000,1700000000000900,10,20,3000,5,40960000,70000,9'
	echo ',,,,,,,,,,,,,,101,3,1700000000000100,1700000000000800,1,2,2000,3,40960000,30000,8'
	echo ',n2,ls,/bin/ls,,0,1,100,0,1,1,1,1,0,100,0,1700000000000200,1700000000000300,1,1,1,1,40960000,0,1'
} >csv/n1-papiex-100-0.csv
fixed='tags	hostname	exename	path	exitcode	exitsignal	pid	generation	ppid	pgid	sid	numtids	start	end	args'
printf '{usertime,systemtime,EV}\t%s\n' "$fixed" >two/n2-papiex-header.tsv
printf '{1,2,3,4,5,6}\t\tn2\tcat\t/bin/cat\t0\t0\t200\t0\t1\t1\t1\t2\t1700000000000000\t1700000000000009\tx\\ty\n' >two/n2-papiex.tsv

same csv csv
is "$status $(cat csv.err)" "0 " "nothing is wrong with it"
is "$(cat csv.out)" "job csv: 2 processes, 3 threads, 0 rejected" "it says what it converted"
is "$(tar -tzf csv.tgz)" "csv/n1.tsv
csv/n2.tsv" "a record file per host"
is "$(tar -xzOf csv.tgz csv/n1.tsv | head -n 1 | cut -f 1)" "perfmon-tsv-2" "of perfmon's own format"
same two two
same several csv two
is "$(tar -tzf several.tgz)" "csv/n1.tsv
csv/n2.tsv
two/n2.tsv" "several jobs go into one archive"
"$PERFMON" convert -o plain.tar csv >/dev/null 2>&1
is "$? $(tar -tf plain.tar | head -n 1)" "0 csv/n1.tsv" "an archive that is not compressed"
python3 -c '
import sys, tarfile
print([(m.name, m.mode, m.uid, m.mtime, m.isfile()) for m in tarfile.open(sys.argv[1])])' plain.tar >members
is "$(cat members)" "[('csv/n1.tsv', 420, 0, 0, True), ('csv/n2.tsv', 420, 0, 0, True)]" "which others can read"

mkdir dot
sed 's/,n1,/,.hid,/; s/,n2,/,.hid,/' csv/n1-papiex-100-0.csv >dot/n1-papiex-100-0.csv
"$PERFMON" convert -o dot.tgz dot >/dev/null 2>&1
is "$? $(tar -tzf dot.tgz)" "0 dot/_hid.tsv" "no host's name hides its file"
for i in 1 2 3; do mkdir -p "like$i" && cp -r two "like$i/"; done
"$PERFMON" convert -o like.tgz like1/two like2/two like3/two >/dev/null 2>&1
is "$? $(tar -tzf like.tgz | tr '\n' ' ')" "0 two/n2.tsv two-2/n2.tsv two-3/n2.tsv " "jobs of one name have directories of their own"
# A job that cannot be loaded is in nobody's way.
{
	"$PERFMON" schema --dialect sqlite
	echo "CREATE TRIGGER stop BEFORE INSERT ON job WHEN NEW.jobid = 'csv' BEGIN SELECT RAISE(ABORT, 'not this one'); END;"
} | sqlite3 stop.db
"$PERFMON" --db "$work/stop.db" submit several.tgz >out 2>err
is "$? $(grep -c 'not this one' err) $(sqlite3 stop.db 'SELECT jobid FROM job')" "1 1 two" "of an archive the other jobs are loaded where one cannot be"

# --- what it refuses --------------------------------------------------------------------------
cp plain.tar before.tar
"$PERFMON" convert -o plain.tar two >out 2>err
is "$? $(cat err)" "1 perfmon: plain.tar: it exists already" "an archive that exists is not replaced"
cmp -s plain.tar before.tar
ok $? "and stays as it is"
"$PERFMON" convert csv >out 2>err
is $? 2 "without -o: exit status 2"
"$PERFMON" convert -o x.zip csv >out 2>err
is $? 2 "an archive of another kind: exit status 2"
"$PERFMON" convert -o x.tgz >out 2>err
is $? 2 "nothing to convert: exit status 2"
"$PERFMON" convert -o x.tgz missing >out 2>err
is "$? $(ls x.tgz 2>/dev/null)" "1 " "what does not exist: exit status 1 and no archive"
mkdir own
tar -xzf csv.tgz -C own
"$PERFMON" convert -o x.tgz own/csv >out 2>err
is "$? $(cat err)" "1 perfmon: own/csv: it has no file of another tool" "what is perfmon's own already"
is "$(ls -d x.tgz .x.tgz* 2>/dev/null)" "" "no archive stays of what failed"
mkdir named
cp own/csv/n1.tsv named/a-papiex-1000.tsv
submit named named
is "$? $(query 'SELECT processes, rejected FROM job')" "1 1|0" "a file of perfmon's own, of a host that is called so, without metadata"
"$PERFMON" convert -n -o dry.tgz csv >out 2>/dev/null
is "$? $(grep -c '^job csv: 2 processes' out) $(ls dry.tgz 2>/dev/null)" "0 1 " "-n: says what it would do, and writes nothing"
mkdir hurt
sed '3s/,2000,/,/' csv/n1-papiex-100-0.csv >hurt/n1-papiex-100-0.csv
"$PERFMON" convert -o hurt.tgz hurt >out 2>err
is "$? $(sed 's/.*threads, //; s/ rejected.*//' out)" "1 1" "a line that is rejected: exit status 1, and it is said"
submit hurt hurt.tgz
is "$(query 'SELECT processes, rejected FROM job')" 2\|0 "the rest is in the archive"
long=$(printf '%0150d' 7)
cp -r two "$long"
same long "$long"
if [ -c /dev/full ]; then
	"$PERFMON" convert -o /dev/full csv >out 2>err
	is $? 2 "a device is no archive"
fi

# --- a database of EPMT -----------------------------------------------------------------------
python3 - <<'END' || exit 99
import datetime, json, sqlite3

def make(name):
    c = sqlite3.connect(name)
    c.executescript("""
CREATE TABLE users (created_at DATETIME, updated_at DATETIME, name VARCHAR NOT NULL PRIMARY KEY, id INTEGER UNIQUE, info_dict JSON);
CREATE TABLE hosts (created_at DATETIME, updated_at DATETIME, name VARCHAR NOT NULL PRIMARY KEY, info_dict JSON);
CREATE TABLE refmodels (id INTEGER PRIMARY KEY, name VARCHAR, tags JSON, op_tags JSON, computed JSON, enabled BOOLEAN, info_dict JSON);
CREATE TABLE jobs (created_at DATETIME, updated_at DATETIME, info_dict JSON, annotations JSON, analyses JSON, start DATETIME, "end" DATETIME,
 duration FLOAT, proc_sums JSON, env_dict JSON, env_changes_dict JSON, submit DATETIME, jobid VARCHAR NOT NULL PRIMARY KEY, jobname VARCHAR,
 exitcode INTEGER, user_id VARCHAR REFERENCES users (name), tags JSON, cpu_time FLOAT);
CREATE TABLE unprocessed_jobs (created_at DATETIME, info_dict JSON, jobid VARCHAR PRIMARY KEY);
CREATE TABLE host_job_associations (jobid VARCHAR, hostname VARCHAR, PRIMARY KEY (jobid, hostname));
CREATE TABLE ancestor_descendant_associations (ancestor INTEGER, descendant INTEGER, PRIMARY KEY (ancestor, descendant));
CREATE TABLE processes (created_at DATETIME, updated_at DATETIME, info_dict JSON, id INTEGER PRIMARY KEY, user_id VARCHAR, jobid VARCHAR,
 start DATETIME, "end" DATETIME, duration FLOAT, tags JSON, host_id VARCHAR, threads_df JSON, threads_sums JSON, numtids INTEGER,
 cpu_time FLOAT, inclusive_cpu_time FLOAT, exename VARCHAR, path VARCHAR, args VARCHAR, pid INTEGER, ppid INTEGER, pgid INTEGER,
 sid INTEGER, gen INTEGER, exitcode INTEGER, parent_id INTEGER, depth INTEGER);
CREATE INDEX ix_processes_jobid ON processes (jobid);""")
    return c

epoch = 1700000000000000
east = -5 * 3600 * 10**6
def shown(us):
    return (datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=us + east)).isoformat(" ")

thread0 = {"tags": "op:one", "hostname": "n7", "exename": "sh", "path": "/usr/bin/dash", "args": "-c a,b\\n \"x", "exitcode": 7,
           "exitsignal": 0, "pid": 100, "generation": 0, "ppid": 1, "pgid": 1, "sid": 1, "numtids": 2, "mpinumranks": 2, "tid": 100,
           "mpirank": 1, "start": epoch, "end": epoch + 900, "usertime": 10, "systemtime": 20, "rssmax": 3000, "cutime": 5,
           "starttime": 40960000, "delayacct_blkio_time": 70000, "guest_time": 0, "num_threads": 0, "processor": 0, "EV": 9}
thread1 = dict({k: "" for k in thread0}, tid=101, mpirank=1, start=epoch + 100, end=epoch + 800, usertime=1, systemtime=2, rssmax=2000,
               cutime=0, starttime=40960000, delayacct_blkio_time=30000, guest_time=0, num_threads=0, processor=0, EV=8)
env = {"TZ": "US/Eastern", "SLURM_JOB_ID": "17", "API_TOKEN": "hunter2hunter2"}
def job(c, jobid, **more):
    row = dict(jobid=jobid, user_id="alice", jobname="train", start=shown(epoch - 10**6), end=shown(epoch + 10**6),
               submit=shown(epoch - 6 * 10**6), exitcode=3, tags=json.dumps({"exp": "ESM4"}), annotations=json.dumps({"note": "warm"}),
               env_dict=json.dumps(env), env_changes_dict=json.dumps({"NEW": "1"}), analyses="{}",
               info_dict=json.dumps({"tz": "EST", "status": {"script_name": "run.sh", "exit_reason": "none"}, "metric_names": "usertime,systemtime,EV"}))
    row.update(more)
    c.execute("INSERT INTO jobs (%s) VALUES (%s)" % (", ".join('"%s"' % k for k in row), ", ".join("?" * len(row))), list(row.values()))
def process(c, jobid, threads, **more):
    row = dict(jobid=jobid, host_id="n7", exename="sh", path="/usr/bin/dash", args="-c a", pid=100, ppid=1, pgid=1, sid=1, gen=0, exitcode=7,
               numtids=2, start=shown(epoch), end=shown(epoch + 900), tags=json.dumps({"op": "one"}), user_id="alice",
               threads_df=threads if threads is None else json.dumps(threads),
               threads_sums=json.dumps({"usertime": 11, "systemtime": 22, "rssmax": 5000, "EV": 17}))
    row.update(more)
    c.execute("INSERT INTO processes (%s) VALUES (%s)" % (", ".join('"%s"' % k for k in row), ", ".join("?" * len(row))), list(row.values()))

c = make("epmt.sqlite")
job(c, "17", analyses=json.dumps({"outlier_detection": 1, "rca": {"a": [1, "x"]}}))
process(c, "17", [thread0, thread1])
process(c, "17", [dict(thread0, pid=102, exitsignal=1, numtids=1, ppid=100, start=epoch + 5, end=epoch + 6, tid=102, EXTRA=4)], numtids=1, pid=102)
job(c, "18", submit=None, env_dict=json.dumps({}), annotations=None)
# what pandas writes, as a text of JSON in JSON
table = json.dumps({"columns": list(thread0), "index": [0, 1], "data": [list(thread0.values()), list(thread1.values())]})
process(c, "18", table)
job(c, "19/x")
process(c, "19/x", [10, 20, 9, 1, 2, 8])
process(c, "19/x", None, pid=103, numtids=3)
process(c, "19/x", None, pid=104, numtids=1, start=shown(epoch + 7), threads_sums=json.dumps({"usertime": 5.0, "rssmax": 6}))
job(c, "20", analyses='["no object"]')
c.commit()
# Reference models, as EPMT computes them of what three jobs took.
def trained(y):
    mean, y = sum(y) / len(y), sorted(y)
    median = y[len(y) // 2]
    mad = sorted(abs(v - median) for v in y)[len(y) // 2] or sum(abs(v - median) for v in y) / len(y)
    spread = (sum((v - mean) ** 2 for v in y) / len(y)) ** 0.5
    return {"iqr": [0, round((3 * y[-1] + 5 * y[0]) / 8, 4), round((5 * y[-1] + 3 * y[0]) / 8, 4)],
        "modified_z_score": [max(round(0.6745 * abs(v - median) / mad, 4) if mad else 0 for v in y), median, mad],
        "z_score": [max(round(abs(v - mean) / spread, 4) if spread else 0 for v in y), round(mean, 4), round(spread, 4)]}
def computed(**features):
    of = {f: trained(y) for f, y in features.items()}
    return {m: {f: of[f][m] for f in of} for m in ("iqr", "modified_z_score", "z_score")}
build = computed(duration=[380807266, 381619141, 381227732], cpu_time=[2158730624, 2203839312, 2253935203], num_procs=[9549, 9549, 9549])
c.execute("CREATE TABLE refmodel_job_associations (jobid VARCHAR, refmodel_id INTEGER, PRIMARY KEY (jobid, refmodel_id))")
for number, (name, tags, values, enabled, info) in enumerate([
    ("linux/build v1", {"exp": "ESM4"}, build, 1, {}),
    (None, {}, {json.dumps({"op_instance": "2", "op": "one"}, sort_keys=True): build, "{}": build}, 0, None),
    ("knn", {}, {"pyod.models.knn": {"cpu_time,duration,num_procs": 6014539197.113887}}, 1, {}),
    ("pca", {}, {"z_score": {"pca_01": [1.5, 0, 1], "duration": [1.5, 4e8, 7.5], "cpu_time": [1.5, None, 1]}}, 1, {"pca": {"inp_features": []}}),
    ("active", {}, build, 1, {"active_metrics": ["cpu_time"]}),
    ("madz", {}, {"modified_z_score": build["modified_z_score"]}, 1, {}),
    ("knn2", {}, ["no", "object"], 1, {})], 1):
    c.execute("INSERT INTO refmodels VALUES (?, ?, ?, '[]', ?, ?, ?)", (number, name, json.dumps(tags), json.dumps(values),
        enabled, info if info is None else json.dumps(info)))
    c.executemany("INSERT INTO refmodel_job_associations VALUES (?, ?)", [(j, number) for j in ("17", "18", "gone")])
c.commit()
c = make("empty.sqlite")
c.commit()
c = sqlite3.connect("other.sqlite")
c.execute("CREATE TABLE t (x)")
c.commit()
END
cksum epmt.sqlite >before
submit epmt epmt.sqlite
is "$? $(sed 's/^perfmon: warning: epmt.sqlite: model //; s/: of methods.*//' err)" "0 epmt-2: left out are 1 values
knn: left out are 1 values
knn: not loaded: it has no other values
pca: left out are 2 values
knn2: not loaded: its values cannot be read" "a database of EPMT: loaded"
is "$(sed 's/, 0 rejected.*//' out)" "job 17: 2 processes, 3 threads
job 18: 1 process, 2 threads
job 19/x: 3 processes, 4 threads
job 20: 0 processes, 0 threads" "every job of it"
cksum epmt.sqlite | cmp -s - before
ok $? "it is not changed"
is "$(ls epmt.sqlite*)" epmt.sqlite "nor is anything left beside it"
is "$(query 'SELECT jobid, "user", name, script, submit_us, epoch_us, exit_status, annotations, tags FROM job ORDER BY jobid')" \
	'17|alice|train|run.sh|1699999994000000|1699999999000000|3|{"note":"warm"}|{"exp":"ESM4"}
18|alice|train|run.sh||1699999999000000|3||{"exp":"ESM4"}
19/x|alice|train|run.sh|1699999994000000|1699999999000000|3|{"note":"warm"}|{"exp":"ESM4"}
20|alice|train|run.sh|1699999994000000|1699999999000000|3|{"note":"warm"}|{"exp":"ESM4"}' \
	"who they were; times are those of the zone that the processes tell"
is "$(query "SELECT h.hostname, h.start_environment, h.stop_environment_changes FROM host h JOIN job j ON j.id = h.job_id WHERE j.jobid = '17'")" \
	'n7|{"TZ":"US/Eastern","SLURM_JOB_ID":"17","API_TOKEN":"[redacted]"}|{"NEW":"1"}' "their environment, without secrets"
p='SELECT p.pid, p.exename, p.args, p.exitcode, p.end_reason, p.numtids, p.usertime, p.rssmax, p.guest_time, p.start_us, p.end_us, p.tags FROM process p JOIN job j ON j.id = p.job_id WHERE j.jobid ='
is "$(query "$p '17' ORDER BY p.id")" '100|dash|-c a,b\\n "x|7|exit|2|11|3000|10|1700000000000000|1700000000000900|op:one
102|dash|-c a,b\\n "x||signal|1|10|3000|7|1700000000000005|1700000000000006|op:one' "processes of threads as objects"
is "$(query "$p '18'")" '100|dash|-c a,b\\n "x|7|exit|2|11|3000|10|1700000000000000|1700000000000900|op:one' \
	"as a table of pandas in a text"
is "$(query "$p '19/x' ORDER BY p.pid")" '100|dash|-c a|7|exit|2|11|||1700000000000000|1700000000000900|op:one
103|dash|-c a|7|exit||11|||1700000000000000|1700000000000900|op:one
104|dash|-c a|7|exit|1|5|6||1700000000000007|1700000000000900|op:one' "as a flat list of metrics, and as sums alone"
is "$(query "SELECT t.id, t.tid, t.usertime FROM thread_row t JOIN job j ON j.id = t.job_id WHERE j.jobid IN ('17', '19/x') ORDER BY j.jobid, t.process_id, t.id")" \
	"1|100|10
2|101|1
1|100|10
2||1" "their threads"
is "$(query "SELECT c.name, c.value FROM counter c JOIN job j ON j.id = c.job_id WHERE j.jobid = '17' AND c.thread_id = 0 ORDER BY c.process_id, c.name")" \
	"EV|17
EV|9
EXTRA|4" "their counters"
is "$(query "SELECT j.jobid, a.name, a.model, a.analyzed_us, a.found, a.result FROM analysis a JOIN job j ON j.id = a.job_id ORDER BY 1, 2")" \
	'17|outlier_detection||||1
17|rca||||{"a":[1,"x"]}' "their analyses"
is "$(query "SELECT name, enabled, jobs, job_group, tags, methods, (SELECT group_concat(jobid) FROM (SELECT j.jobid FROM model_job m
	JOIN job j ON j.id = m.job_id WHERE m.model = model.name ORDER BY 1)), (SELECT count(*) FROM model_feature f WHERE f.model = name) FROM model ORDER BY name")" \
	'active|1|3|["train"]||iqr,madz,z|17,18|3
epmt-2|0|3|["train"]||iqr,madz,z|17,18|9
linux-build-v1-1|1|3|["train"]|{"exp":"ESM4"}|iqr,madz,z|17,18|9
madz|1|3|["train"]||madz|17,18|3
pca|1|3|["train"]||z|17,18|1' "their reference models, of the jobs that are here"
is "$(query "SELECT feature, method, known, least, greatest, low, high, score, centre, spread FROM model_feature WHERE model = 'linux-build-v1-1' AND feature <> 'cpu_time'
	ORDER BY 1, 2")" 'duration_us|iqr|3|380807266.0|381619141.0|381111719.125|381314687.875|||
duration_us|madz|3|380807266.0|381619141.0|||0.7246|381227732.0|391409.0
duration_us|z|3|380807266.0|381619141.0|||1.2391|381218046.3333|331517.3329
processes|iqr|3|9549.0|9549.0|9549.0|9549.0|||
processes|madz|3|9549.0|9549.0|||0.0|9549.0|0.0
processes|z|3|9549.0|9549.0|||0.0|9549.0|0.0' "and what these keep"
is "$(query "SELECT DISTINCT operation FROM model_feature WHERE model = 'epmt-2'")|$(query "SELECT DISTINCT feature FROM model_feature WHERE model = 'active'")" \
	'{"op":"one","op_instance":"2"}|cpu_time' "operations, and active metrics alone"
for model in linux-build-v1-1 pca; do
	PERFMON_DB=$work/epmt.db "$PERFMON" rootcause --model $model --json 17 | grep -o '"beyond":true' | grep -c ''
	PERFMON_DB=$work/epmt.db "$PERFMON" model show $model --json | grep -o '"madz":[^}]*}' | head -n 1
done >got
is "$(cat got)" '3
"madz":{"score":0.7491,"centre":2203839312,"spread":45108688}
1
"madz":{"score":null,"centre":null,"spread":null}' "which judge jobs; what a model lacks is unknown"
PERFMON_DB=$work/epmt.db "$PERFMON" rootcause --model madz 17 >out 2>err
is "$? $(grep -c 'keeps no z scores' err)|$(PERFMON_DB=$work/epmt.db "$PERFMON" outliers --model madz --name train | grep -c '  1  MADZ$')" "1 1|11" \
	"of one method alone: figures cannot be ranked, but judged"
# Of operations alone, a model judges no job.
sqlite3 epmt.db "UPDATE model SET enabled = name = 'epmt-2'"
PERFMON_DB=$work/epmt.db "$PERFMON" analyze >out 2>err
is "$?|$(query "SELECT count(*), count(CASE WHEN model = 'epmt-2' THEN 1 END) FROM analysis WHERE name = 'outliers'")" "0|4|0" \
	"a model of operations alone is in nobody's way"
# Another user's job of the same id that was loaded since is none of the model's.
cp epmt.sqlite first.sqlite && sqlite3 first.sqlite "DELETE FROM refmodels"
"$abs_top_builddir/tests/progs/generate" later 3 >/dev/null && sed -i 's/"4711"/"17"/' later/*.json && sed -i 's/	4711	/	17	/' later/*.tsv || exit 99
submit ids first.sqlite later
PERFMON_DB=$work/ids.db "$PERFMON" -q submit -n epmt.sqlite 2>/dev/null
is "$(query "SELECT count(*), (SELECT count(*) FROM model) FROM job")" "5|0" "a dry run loads no model"
PERFMON_DB=$work/ids.db "$PERFMON" -q submit epmt.sqlite 2>/dev/null
is "$(query "SELECT DISTINCT j.\"user\" FROM model_job m JOIN job j ON j.id = m.job_id")|$(query "SELECT DISTINCT job_group FROM model")" 'alice|["train"]' \
	"models are of EPMT's jobs, not of others with the same id"
PERFMON_DB=$work/ids.db "$PERFMON" submit -v -n epmt.sqlite >out 2>&1
is "$(grep -c 'is here already' out)" 5 "a dry run knows what is there"
cp epmt.sqlite open.sqlite && chmod 666 open.sqlite
submit open open.sqlite
is "$(query "SELECT count(*), (SELECT count(*) FROM model) FROM job")|$(grep -c 'model linux-build-v1-1: not loaded.*others may write to it' err)" "4|0|1" \
	"nor models of a file that others may write to, which is said"
# What is too much, or wrong, costs no other model.
cp epmt.sqlite odd.sqlite && python3 - <<-'END' || exit 99
	import json, sqlite3
	c = sqlite3.connect("odd.sqlite")
	c.execute("DELETE FROM refmodels")
	c.execute("DELETE FROM refmodel_job_associations")
	one = {"iqr": {"duration": [0, 1, 2]}}
	many = {json.dumps({"op": str(i)}): one for i in range(100001)}
	five = {"iqr": {f: [0, 1, 2] for f in ("duration", "rssmax", "rchar", "wchar", "majflt")}}
	ops = {json.dumps({"op": "x" * 20000 + str(i)}): one for i in range(400)}
	for n, (name, values, info) in enumerate([("many", many, {}), ("a b", one, {}), ("a/b", one, {}), ("ops", ops, {}),
	        ("turned", {"iqr": {"duration": [0, 2, 1]}}, {}), ("x" * 80, one, {}), ("wide", {"iqr": {"duration": [0, -1e308, 1e308]}}, {}), ("some", five, {"active_metrics": ["duration", "rssmax", "rchar", "wchar"]})], 1):
	    c.execute("INSERT INTO refmodels VALUES (?, ?, '{}', '[]', ?, 1, ?)", (n, name, json.dumps(values), json.dumps(info)))
	    # Numbers may be texts, and jobs be named twice.
	    c.execute("DROP TABLE refmodel_job_associations") if n == 1 else None
	    c.execute("CREATE TABLE refmodel_job_associations (jobid, refmodel_id)") if n == 1 else None
	    c.executemany("INSERT INTO refmodel_job_associations VALUES (?, ?)", [(j, str(n)) for j in ("17", "18", "20", "20")])
	for n, (name, values, enabled, jobs) in enumerate([("two", one, 1, ["17", "18", "18"]), ("some", one, 1, ["17", "18", "20"]),
	        ("below", {"z_score": {"duration": [-1, 5, 2], "cpu_time": [1, 5, -2], "no_such": [1, 2, 3], "processes": [1, 2, 3]}}, 1, ["17", "18", "20"]),
	        ("true", one, "true", ["17", "18", "20"]), ("false", one, "false", ["17", "18", "20"]), ("unset", one, None, ["17", "18", "20"])], 20):
	    c.execute("INSERT INTO refmodels VALUES (?, ?, '{}', '[]', ?, ?, NULL)", (n, name, json.dumps(values), enabled))
	    c.executemany("INSERT INTO refmodel_job_associations VALUES (?, ?)", [(j, n) for j in jobs])
	# An exit status that is a text, tags of all kinds, times that no zone has, and an end before the start.
	c.execute("UPDATE jobs SET exitcode = 'x' WHERE jobid = '17'")
	c.execute("UPDATE jobs SET exitcode = '5', \"end\" = '2001-01-01 00:00:00' WHERE jobid = '18'")
	c.execute("UPDATE processes SET tags = '{\"n\":1,\"t\":true,\"o\":{\"d\":1},\"u\":null}' WHERE jobid = '19/x' AND pid = 103")
	c.execute("UPDATE processes SET tags = 'op:z;op2:y' WHERE jobid = '19/x' AND pid = 104")
	c.execute("UPDATE processes SET start = '2023-11-14 17:20:00' WHERE jobid = '17' AND pid = 100")
	c.commit()
END
submit odd odd.sqlite
is "$(query "SELECT jobid, exit_status, start_us, end_us > start_us FROM job WHERE jobid IN ('17', '18') ORDER BY 1" | tr '\n' ' ')|$(
	grep -c 'job 18: ends before it starts' err)" "17||1699999999000000|1 18|5|1699999999000000|1 |1" "what is no number is unknown; no zone is 7 minutes off; an end before the start is that of the processes"
is "$(query "SELECT tags FROM process WHERE job_id = (SELECT id FROM job WHERE jobid = '19/x') AND pid > 100 ORDER BY pid" | tr '\n' ' ')" \
	'n:1;t:true;o:{"d":1};u: op:z;op2:y ' "tags of other types, and as a text"
is "$(PERFMON_DB=$work/odd.db "$PERFMON" verify 2>&1 | sed 's/.*, //')" "0 faults" "what was loaded is sound"
is "$(query "SELECT group_concat(name || CASE enabled WHEN 1 THEN '' ELSE '(off)' END, ' ') FROM (SELECT name, enabled FROM model ORDER BY name)")|$(
	sed -n 's/.*model \([a-z]*\): not loaded: /\1 /p' err | tr '\n' ' ')" \
	"a-b-2 a-b-3 below false(off) ops some true unset wide $(printf 'x%.0s' $(seq 62))-6|many it has too many values turned it has no other values two it is of fewer than three jobs some another one there has this name " "odd models"
is "$(query "SELECT model, count(*) FROM model_feature GROUP BY 1 ORDER BY 1" | sed 's/x*//' | tr '\n' ' ')" "a-b-2|1 a-b-3|1 below|1 false|1 ops|400 some|4 true|1 unset|1 wide|1 -6|1 " "and their values"
is "$(PERFMON_DB=$work/odd.db "$PERFMON" outliers --model ops >/dev/null 2>err; echo "$? $(grep -c 'no figure of jobs as a whole' err)")|$(
	PERFMON_DB=$work/odd.db "$PERFMON" rootcause --model ops 17 >/dev/null 2>err; echo "$? $(grep -c 'no figure of jobs as a whole' err)")" "1 1|1 1" \
	"a model of operations says nothing of jobs, which is said"
is "$(PERFMON_DB=$work/odd.db "$PERFMON" model show wide | awk 'END { print $3, $5 }')" "unknown unknown" "bounds beyond all numbers are unknown"
if [ "$(id -u)" -eq 0 ]; then
	cp epmt.sqlite theirs.sqlite && chown 65534 theirs.sqlite
	submit theirs theirs.sqlite
	is "$(query "SELECT count(*), (SELECT count(*) FROM model) FROM job")" "4|0" "another user's models are not taken"
else
	skip "another user's models" "not root"
fi
submit epmt epmt.sqlite
is "$(sed 's/.*: //' out | sort -u)" "already loaded, nothing new" "the same again: a no-op"
is "$(query "SELECT count(*), sum(jobs) FROM model")" "5|15" "models stay as they are"
same database epmt.sqlite
is "$(tar --utc --full-time -tvzf database.tgz | awk '{ print $6, $4, $5 }' | sort)" "17/job-n7.json 2023-11-14 22:13:19
17/n7.tsv 2023-11-14 22:13:19
18/job-n7.json 2023-11-14 22:13:19
18/n7.tsv 2023-11-14 22:13:19
19_x/job-n7.json 2023-11-14 22:13:19
19_x/n7.tsv 2023-11-14 22:13:19
20/job-host1.json 2023-11-14 22:13:19" "a directory per job, as old as the job"
is "$(cat database.out)" "job 17: 2 processes, 3 threads, 0 rejected
job 18: 1 process, 2 threads, 0 rejected
job 19/x: 3 processes, 4 threads, 0 rejected
job 20: 0 processes, 0 threads, 0 rejected" "and says so of each"
grep -q hunter2 epmt.db database.db
is $? 1 "no database has the secret"
submit none empty.sqlite
is "$? $(cat err)" "1 perfmon: empty.sqlite: no job in it" "a database without jobs"
submit other other.sqlite
is "$? $(sed 's/EPMT: .*/EPMT/' err)" "1 perfmon: other.sqlite: not a database of EPMT" "a database of something else"

# --- recorded ---------------------------------------------------------------------------------
if [ -d "$samples/papiex" ]; then
	for form in collated collated-papi csv; do
		same "sample-$form" "$samples/papiex/$form"
	done
	same sample-epmt "$samples/epmt/804280.tgz"
	is "$(tar -tzf sample-epmt.tgz)" "804280.tgz/job-node01.json
804280.tgz/node01.tsv" "an archive of EPMT"
	tar -xzOf sample-epmt.tgz | grep -q s3cr3t
	is $? 1 "converts without its secret"
	submit all "$samples"/papiex/collated "$samples"/papiex/collated-papi "$samples"/papiex/csv "$samples"/epmt/804280.tgz
	is "$(query 'SELECT count(*), sum(processes), sum(threads), sum(failed), sum(killed), sum(rejected) FROM job')" \
		"4|180|196|16|8|0" "all of them at once"
else
	skip "files recorded by papiex and EPMT" "no $samples"
fi

done_testing
