#!/bin/sh
# export --layout colmet: its file of HDF5, mappings and extractor's lists, read by other programs, have what the database has.
# shellcheck source=tests/e2e/lib.sh
. "$abs_top_srcdir/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 sqlite3; then
	skip "the layout is read back" "no $missing"
	done_testing
fi
# Python keeps what it compiles out of the sources.
export PYTHONDONTWRITEBYTECODE=1
here=$abs_top_srcdir/tests/e2e/export
db=$XDG_DATA_HOME/perfmon/perfmon.db
python=
for python in python3 /usr/bin/python3 ''; do
	[ "$python" ] && "$python" -c 'import h5py, tables, pandas' 2>/dev/null && break
done

# same NAME LINE: the last line of `got` says that nothing differs.
same()
{
	same_counts=$(tail -n 1 got)
	is "$(echo "$same_counts" | sed 's/^[1-9][0-9]* [1-9][0-9]* [1-9][0-9]* /all /')" "all 0" "$1: rows, values, unknown $same_counts"
	echo "$same_counts" | grep -q ' 0$' || head -n 5 got >&2
}

# same_file NAME JOBID DIRECTORY
same_file()
{
	"$python" "$here/colmet.py" "${PERFMON_DB:-$db}" "$2" "$3" >got 2>&1
	same "$1"
}

# same_lists NAME JOBID FILE METRIC...
same_lists()
{
	lists_name=$1
	shift
	python3 "$here/colmet.py" --extract "${PERFMON_DB:-$db}" "$@" >got 2>&1
	same "$lists_name"
}

python3 "$here/colmetjob.py" job && "$PERFMON" submit job >out 2>err
is "$?|$(grep -c ' 0 rejected' out)" "0|1" "a job of four hosts"
rm -f out

# --- the extractor ---
"$PERFMON" export samples -j 4712 --layout colmet -o - 2>err >lists.json
is "$?|$(cat err)" "0|" "lists on standard output"
same_lists "all metrics" 4712 lists.json
"$PERFMON" export --layout colmet 4712 --columns ac_utime,read_bytes,counter_1 2>err | gzip | gunzip >some.json
same_lists "some metrics" 4712 some.json ac_utime read_bytes counter_1
is "$(python3 -c '
import json
m = json.load(open("some.json"))
print(sorted(set(m["metric_backend"])), m["timestamp"][0], {len(x) for x in m.values()} == {len(m["timestamp"])})')" \
	"['RAPLstats_default', 'jobprocstats_default', 'perfhwstats_default', 'taskstats_default', 'temperaturestats_default'] 1763690000 True" \
	"lists are as long as that of times"
is "$(python3 -c '
import json
print([v for m, x in json.load(open("lists.json")).items() if m.startswith("counter_") for v in x if v == -1][:1])')" "[]" \
	"nothing is -1"
python3 -c '
import json
m = json.load(open("lists.json"))
known = [i for i, v in enumerate(m["portRcvPkts"]) if v is not None]
m["portRcvPkts"][known[0]] += 1
m["counter_3"][known[1]] = -1
m["ac_btime"].append(None)
json.dump(m, open("planted.json", "w"))'
python3 "$here/colmet.py" --extract "$db" 4712 planted.json >got 2>&1
is "$(tail -n 1 got | cut -d ' ' -f 4)" 3 "planted differences are found"
for line in "--columns nosuch" "--columns ac_utime,x"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" export --layout colmet 4712 $line 2>err >none.json
	is "$?|$(grep -c "no metric of colmet's" err)" "1|1" "not a metric: $line"
done

# --- the file ---
"$PERFMON" export samples 4712 --layout colmet -o colmet 2>err
status=$?
if grep -q 'HDF5 files need libhdf5, without which this perfmon was built' err; then
	is "$status|$(ls colmet 2>/dev/null)" "1|" "without libhdf5 there is no file, and a reason"
	skip "the file of HDF5" "built without libhdf5"
	done_testing
fi
is "$status|$(cat err)" "0|" "layout colmet"
is "$(ls colmet | tr '\n' ' ')" \
	"RAPL_mapping.1763690000.csv colmet.1763690000.hdf5 perfhw_mapping.1763690000.csv temperature_mapping.1763690000.csv " "its files"
if [ -z "$python" ]; then
	skip "the file of HDF5 is read back" "no h5py, tables and pandas of Python"
	done_testing
fi
same_file "h5py, PyTables and pandas" 4712 colmet
# As graphs of colmet's users are made: a column of one job, NaN where a value is not known.
is "$("$python" -c '
import h5py, numpy
f = h5py.File("colmet/colmet.1763690000.hdf5", "r")
m = f["job_4712/taskstats_default"][("timestamp", "hostname", "ac_etime", "cpu_run_real_total")]
x = [a[3] / a[2] / 10 for a in m if a[1] == b"m1"]
print(len(x), sum(v != v for v in x) > 0, sum(v == v for v in x) > 20, m.dtype["timestamp"], m.dtype["ac_etime"], m.dtype["cpu_run_real_total"])
n = f["job_0/procstats_default"]
print(n.dtype["loadavg_1min"], n.dtype["uptime_total"], n.dtype["involved_jobs"], numpy.unique(n["job_id"]))')" "50 True True int64 int64 float64
float64 int64 |S8192 [0]" "what is known throughout is a whole number, else NaN says what is not"
cp -R colmet planted
"$python" -c '
import h5py
f = h5py.File("planted/colmet.1763690000.hdf5", "r+")
for name in ("job_4712/perfhwstats_default", "job_0/RAPLstats_default"):
    t = f[name]
    row = t[7]
    row["counter_1"] = -1
    t[7] = row'
sed -i 's/package-1,zone_dram/package-1,zone_core/' planted/RAPL_mapping.1763690000.csv
"$python" "$here/colmet.py" "$db" 4712 planted >got 2>&1
is "$(tail -n 1 got | cut -d ' ' -f 4)" 5 "planted differences are found: two, by two readers, and a mapping"
"$PERFMON" export --layout colmet 4712 -o again 2>err
is "$?|$(cmp -i 97 colmet/*.hdf5 again/*.hdf5)" "0|" "the same again is the same file, but for the time of its root"

# Names of hosts and jobs that no file can have as they are
sqlite3 "$db" ".backup odd.db"
sqlite3 odd.db "UPDATE job SET jobid = '4712_x/é'; UPDATE host SET hostname = replace(hex(zeroblob(200)), '0', 'h') WHERE id = 1;
	UPDATE host SET hostname = CAST(x'61ff2f' AS TEXT) WHERE id = 2; UPDATE host SET hostname = NULL WHERE id = 3"
PERFMON_DB=$work/odd.db "$PERFMON" export --layout colmet -o odd '#1' 2>err
is "$?|$("$python" -c '
import h5py
f = h5py.File("odd/colmet.1763690000.hdf5", "r")
t = f[[g for g in f if g != "job_0"][0]]["taskstats_default"]
print(*f, t.dtype["job_id"], 100 < len(t[0]["hostname"]) < 256, t[50]["hostname"].decode(), t[100]["hostname"].decode())
print(f["job_0/procstats_default"][60]["involved_jobs"].decode())')" "0|job_0 job_4712_x\\x2fé float64 True a�/ host-3
[\"4712_x/é\"]" "odd names"

# A list is read from the table that has it: of the others it takes what they have of rows, which is known.
if [ "$PM_SANITIZED" = yes ]; then
	skip "tables that are read for lists" "tested without sanitizers"
else
	for to in colmet.h5.d lists.again.json; do
		rm -f steps
		STEPS_OF='SELECT s.id, coalesce(u.samples' STEPS_FILE=$work/steps LD_PRELOAD=$abs_top_builddir/tests/progs/statements.so \
			"$PERFMON" export --layout colmet 4712 -o $to 2>err
		cat steps
	done >counts
	test "$(sed -n 1p counts)" -gt 50 && test "$(sed -n 2p counts)" -lt "$(($(sed -n 1p counts) * 14))"
	ok $? "steps of SQLite to look at hosts for tables and for lists: $(tr '\n' ' ' <counts)"
fi

# A job without samples, never loaded
cp -R "$abs_top_srcdir/tests/golden/report/killed" "$work/killed" && chmod -R u+w killed
"$PERFMON" export --layout colmet ./killed -o empty 2>err
is "$?|$("$python" -c '
import glob, h5py
print(*[list(h5py.File(p, "r")) for p in glob.glob("empty/*")])')" "0|[]" "a job without samples has no group"
"$PERFMON" export --layout colmet ./killed >empty.json 2>err
is "$(python3 -c 'import json; print(json.load(open("empty.json")))')" \
	"{'timestamp': [], 'hostname': [], 'job_id': [], 'metric_backend': [], 'involved_jobs': []}" "and empty lists"

# What is damaged is said; the rest is there.
sqlite3 "$db" ".backup damaged.db"
sqlite3 damaged.db "UPDATE sample_block SET deviations = x'ff' WHERE series_id = (SELECT id FROM series WHERE source = 'lustre'
	AND metric = 'writes')"
PERFMON_DB=$work/damaged.db "$PERFMON" export --layout colmet 4712 -o damaged 2>err
is "$?|$(grep -c '1 times samples could not be read, and are unknown there: series [0-9]*: block' err)" "1|1" "a block that is damaged is told, once"
is "$("$python" -c '
import h5py, numpy
t = h5py.File("damaged/colmet.1763690000.hdf5", "r")["job_0/lustrestats_default"]
print(numpy.isnan(t["lustre_nb_write"]).all(), (~numpy.isnan(t["lustre_nb_read"])).sum() > 30)')" "True True" "and only what it held is unknown"

# The other database has the same.
if postgres_start; then
	PERFMON_DB=
	postgres_sql postgres -c 'CREATE DATABASE layouts' >out.txt && PERFMON_DB=$(postgres_url layouts) && export PERFMON_DB &&
		"$PERFMON" -q submit job && "$PERFMON" export 4712 --layout colmet -o other && "$PERFMON" export 4712 --layout colmet >other.json
	is "$?|$(cmp -i 97 colmet/*.hdf5 other/*.hdf5)|$(cmp lists.json other.json)" "0||" "PostgreSQL has the same"
	unset PERFMON_DB
	postgres_stop fast
else
	skip "PostgreSQL has the same" "$postgres_missing"
fi

# Files stay as they were.
mkdir kept && echo before >kept/colmet.1763690000.hdf5
if need prlimit; then
	prlimit --fsize=70000 sh -c 'trap "" XFSZ; exec "$0" export --layout colmet 4712 -o kept' "$PERFMON" 2>err
	is "$?|$(cat kept/*)|$(ls kept)" "1|before|colmet.1763690000.hdf5" "a write that fails leaves the file as it was"
fi
for line in "--layout colmet 4712 -o none --format csv" "--layout colmet 4712 -o none --user anna" "--layout colmet 4712 4713 -o none" \
	"--layout ska 4712 -o none --columns ac_utime" "jobs --layout colmet 4712 -o none" "--layout colmet 4712 --names perf.py"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" export $line >out.txt 2>err
	is "$?|$(wc -l <err)|$([ -e none ] && echo there)" "2|1|" "$line"
done
"$PERFMON" export --layout colmet 4712 -o none --columns ac_utime 2>err
is "$?|$([ -e none ] && echo there)" "1|" "no columns of the file"
done_testing
