#!/bin/sh
# export --layout: the files of other tools, read by other programs, have what the database has.
# shellcheck source=tests/e2e/lib.sh
. "$abs_top_srcdir/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 sqlite3; then
	skip "layouts are read back" "no $missing"
	done_testing
fi
# Python keeps what it compiles out of the sources.
export PYTHONDONTWRITEBYTECODE=1
here=$abs_top_srcdir/tests/e2e/export
frames_missing=
db=$XDG_DATA_HOME/perfmon/perfmon.db

# same_ska NAME FORMAT...: the files in $work/out are as the database says; some values are unknown.
same_ska()
{
	same_name=$1
	shift
	python3 "$here/ska.py" "${PERFMON_DB:-$db}" 4712 "$work/out" "$@" >got 2>&1
	same_counts=$(tail -n 1 got)
	is "$(echo "$same_counts" | sed 's/^[1-9][0-9]* [1-9][0-9]* [1-9][0-9]* /all /')" "all 0" "$same_name: lists, values, unknown $same_counts"
	echo "$same_counts" | grep -q ' 0$' || head -n 5 got >&2
}

python3 "$here/layoutjob.py" job && "$PERFMON" submit job >out 2>err
is $? 0 "a job of four hosts"
rm -f out

# --- ska ---
"$PERFMON" export samples 4712 --layout ska -o "$work/out" --format csv,tsv,parquet 2>err
is "$?|$(cat err)" "0|" "layout ska"
same_ska "JSON and tables" csv tsv parquet
is "$(cd "$work/out" && find . -type f | sort | tr '\n' ' ')" \
	"./cpu_metrics.csv ./cpu_metrics.parquet ./cpu_metrics.tsv ./metrics/cpu_metrics.json ./metrics/meta_data.json ./metrics/nv_gpu_metrics.json ./metrics/perf_metrics.json ./nv_gpu_metrics.csv ./nv_gpu_metrics.parquet ./nv_gpu_metrics.tsv ./perf_metrics.csv ./perf_metrics.parquet ./perf_metrics.tsv " \
	"its files, and no configuration without -v"
is "$(python3 -c 'import json; m = json.load(open("out/metrics/nv_gpu_metrics.json")); print(m["host_names"])')" "['gpu-0.n2', 'gpu-1.n2']" \
	"GPUs are hosts, in the order of the driver"
is "$(python3 -c '
import json
m = json.load(open("out/metrics/perf_metrics.json"))
for group, name in (("L2", "derv_l2_bandwidth"), ("L3", "derv_l3_bandwidth"), ("FLOPS_SP", "derv_flops_sp"), ("FLOPS_DP", "derv_flops_dp"),
        ("L3cache", "derv_llc_miss_rate"), ("hardware_events", "cycles"), ("software_events", "context-switches")):
    known = [sum(v is not None for v in m[h][group][name]) > 3 for h in m["host_names"]]
    print(group, *known)')" "L2 True False
L3 True False
FLOPS_SP True False
FLOPS_DP True False
L3cache True True
hardware_events True True
software_events True True" "what events make is known on the processor whose formula it is"
if python_with pandas; then
	is "$("$python" "$here/ska_pandas.py" out/cpu_metrics.csv out/metrics/cpu_metrics.json 2>&1 | tail -n 3)" "3 120 True 0" \
		"pandas takes the tables as those of SKA's sampler"
else
	skip "pandas takes the tables as those of SKA's sampler" "no $missing"
fi

# same_frames NAME JOBID: metrics.h5 has what the tables of CSV have.
same_frames()
{
	frames=$("$python" "$here/ska_frames.py" "$work/out" "$2" 2>&1 | tail -n 1)
	is "$(echo "$frames" | sed 's/^\([1-9]\) [1-9][0-9]* [1-9][0-9]* [1-9][0-9]* /\1 all /')" "3 all ${3-False}" "$1: frames, rows, values, unknown $frames"
}
"$PERFMON" export samples 4712 --layout ska -o "$work/out" --format hdf5,csv 2>err
status=$?
if grep -q 'HDF5 files need libhdf5, without which this perfmon was built' err; then
	is "$status|$(ls out/metrics.h5 2>/dev/null)" "1|" "without libhdf5 there is no metrics.h5, and a reason"
	frames_missing="built without libhdf5"
elif python_with 'pandas, tables'; then
	is "$status|$(cat err)" "0|" "tables as hdf5"
	same_frames "DataFrames equal the tables" 4712
	is "$("$python" "$here/ska_pandas.py" out/metrics.h5 out/metrics/cpu_metrics.json cpu_metrics_4712 2>&1 | tail -n 3)" "3 120 True 0" \
		"scripts of SKA's sampler take them by their keys"
	cp out/metrics.h5 kept.h5
	mv out some
	python3 "$here/layoutjob.py" known known
	"$PERFMON" export --layout ska ./known -o "$work/out" --format csv,hdf5 2>err
	same_frames "columns known in every row are of integers" 4712 True
	rm -rf out known
	mv some out
	"$python" -c '
import tables
with tables.open_file("out/metrics.h5", "a") as f:
    t = f.root.perf_metrics_4712.table
    row = t[5:6]
    row["values_block_0"][0][0] = 1
    t[5:6] = row'
	is "$("$python" "$here/ska_frames.py" "$work/out" 4712 2>&1 | grep -c 'values are different')" 1 "a planted difference is found"
	cp kept.h5 out/metrics.h5
else
	frames_missing="no $missing"
fi
[ -z "$frames_missing" ] || skip "DataFrames equal the tables" "$frames_missing"

# A twin: another value, and another time, are told.
python3 - <<'END'
import re
path = "out/metrics/cpu_metrics.json"
text = open(path, encoding="utf-8").read()
rss = re.search(r'"rss": \[(?:null, )*(\d+)', text)
time = re.search(r'"time_stamps": \[[^,]*, \d+\.\d+', text)
text = text[:time.end() - 1] + str(9 - int(text[time.end() - 1])) + text[time.end():]
open(path, "w", encoding="utf-8").write(text[:rss.start(1)] + "1" + text[rss.end(1):])
END
python3 "$here/ska.py" "$db" 4712 "$work/out" >got 2>&1
is "$(tail -n 1 got | cut -d ' ' -f 4)" 2 "planted differences are found"

# Configurations, and names that are not as others are.
cp "$db" names.db
sqlite3 names.db "UPDATE host SET hostname = CASE id WHEN 1 THEN '../../etc: \"x\"' || char(10, 8232, 27, 133, 65279) || '😀'
	WHEN 2 THEN 'host_names' WHEN 3 THEN CAST(x'68ff5c2f' AS TEXT) ELSE NULL END
	WHERE job_id = (SELECT id FROM job WHERE jobid = '4712')"
rm -rf out
PERFMON_DB=$work/names.db "$PERFMON" export --layout ska 4712 -v -o "$work/out" --format csv,tsv,parquet 2>err
is $? 0 "hosts of odd names"
PERFMON_DB=$work/names.db same_ska "odd names" csv tsv parquet
if [ -z "$frames_missing" ]; then
	sqlite3 names.db "UPDATE host SET hostname = 'nan' WHERE id = 4; UPDATE job SET jobid = '4/\\é' WHERE jobid = '4712'"
	PERFMON_DB=$work/names.db "$PERFMON" export --layout ska "$(sqlite3 names.db "SELECT '#' || id FROM job")" -o "$work/out" --format csv,hdf5 2>err
	same_frames "odd names as frames" '4\x2f\\é'
	sqlite3 names.db "UPDATE host SET hostname = NULL WHERE id = 4; UPDATE job SET jobid = '4712'"
fi
is "$(ls out/configs)" "%2E.%2F..%2Fetc%3A%20%22x%22%0A%E2%80%A8%1B%C2%85%EF%BB%BF%F0%9F%98%80_run_config.yml
h%EF%BF%BD%5C%2F_run_config.yml
host-4_run_config.yml
host_names%232_run_config.yml" "names of files are made of letters that files can have"
cat >configs.py <<'END'
import json, os, sqlite3, sys, yaml
db, bad = sqlite3.connect("names.db"), 0
db.text_factory = lambda b: b.decode("utf-8", "replace")
want = [r[0] for r in db.execute("SELECT hostname FROM host ORDER BY id")]
have = {}
for name in os.listdir("out/configs"):
    c = yaml.safe_load(open("out/configs/" + name, encoding="utf-8"))
    have[c["host_name"]] = c
    if (c["job_id"], c["scheduler"], c["user"], c["num_nodes"], c["save_dir"], c["export"]) != (
            "4712", "slurm", "anna", 4, sys.argv[1], ["csv", "tsv", "parquet"]):
        bad += 1
    tags = (c["system"], c["partition"], c["env"], c["name"])
    bad += tags != ("alpha \"1\"\u2028", "gpu\x7f\n", "é 😀", None)
names = [h if h is not None and h != "host_names" else "host_names#2" if h else "host-4" for h in want]
bad += set(have) != set(names)
bad += [have[n]["node_name"] for n in names] != want
bad += [have[n]["num_nvidia_gpus"] for n in names] != [0, 2, 0, 0]
bad += not 1.9 < have[names[0]]["sampling_freq"] < 2.1 or have["host-4"]["sampling_freq"] is not None
print(len(have), bad)
END
if python_with yaml; then
	is "$("$python" configs.py "$work/out" 2>&1)" "4 0" "configurations are YAML with the names and tags as they are"
else
	skip "configurations are YAML" "no $missing"
fi

# --- perf.py ---
# same_reports NAME FILE: it is as the database says.
same_reports()
{
	python3 "$here/perfpy.py" "${PERFMON_DB:-$db}" 4712 "$2" >got 2>&1
	reports_counts=$(tail -n 1 got)
	is "$(echo "$reports_counts" | sed 's/^[1-9][0-9]* [1-9][0-9]* [1-9][0-9]* /all /')" "all 0" \
		"$1: reports, values, unknown $reports_counts"
	echo "$reports_counts" | grep -q ' 0$' || head -n 5 got >&2
}
"$PERFMON" export samples 4712 --layout perf.py -o reports.json 2>err
is "$?|$(cat err)" "0|" "layout perf.py"
same_reports "perf.py" reports.json
PERFMON_DB=$work/names.db "$PERFMON" export --layout perf.py -j 4712 2>err >odd.json
is "$?" 0 "to standard output, of hosts of odd names"
PERFMON_DB=$work/names.db same_reports "odd names" odd.json
is "$(python3 -c '
import json
r = json.load(open("reports.json"))
print(list(r), {len(x) for h in r for x in r[h]}, len(r["n1"]))')" "['n1', 'n2', 'n3'] {12} 40" "a report has eleven values and its time"
# A node of many CPUs, of which the sampler tells only the extremes.
cp "$db" many.db
sqlite3 many.db "UPDATE series SET metric = 'busiest', object = '' WHERE source = 'cpu' AND metric = 'user' AND object = 'cpu0';
	UPDATE series SET metric = 'idlest', object = '' WHERE source = 'cpu' AND metric = 'user' AND object = 'cpu1'"
PERFMON_DB=$work/many.db "$PERFMON" export --layout perf.py 4712 -o many.json 2>err
PERFMON_DB=$work/many.db same_reports "many CPUs" many.json
sed 's/"mem_percent": \([0-9]\)/"mem_percent": 1\1/' reports.json >planted.json
python3 "$here/perfpy.py" "$db" 4712 planted.json >got 2>&1
is "$([ "$(tail -n 1 got | cut -d ' ' -f 4)" -gt 50 ] && echo told)" told "planted differences are found"

# Ticks of the CPUs begin late, pause and end early; memory is read all the time.
python3 - <<'END'
import json
import os
START = 1763690000
os.mkdir("pauses")
with open("pauses/job-n1.json", "w", encoding="utf-8") as f:
    json.dump({"format": "perfmon-job-1", "version": "0.1.0", "job": {"cluster": "", "user": "anna", "uid": 1, "gid": 1, "groups": [],
               "jobid": "4713", "array_task": "", "restart_count": 0, "name": "pauses", "tags": {}, "epoch_us": START * 1000000},
               "host": {"hostname": "n1", "boot_id": "boot-n1", "machine": "x86_64", "cpus_online": 2, "sockets": 1, "cores": 2,
                        "threads_per_core": 1, "memory_kb": 1000, "page_size": 4096, "clock_ticks": 100},
               "start": {"time_us": START * 1000000, "monotonic_us": 5000000, "cwd": "/", "command": ["sh"]},
               "stop": {"time_us": (START + 3600) * 1000000, "monotonic_us": 3605000000, "exit_status": 0}}, f)
cpus = [i * 500000 for i in [*range(40, 80), *range(120, 160)]]
memory = [i * 1000000 for i in [2, 11, *range(21, 50, 3), *range(50, 58), 61, 64, 81, 90, 91, 3450, 3451]]
ticks = [(us, [f"{s}={us // 1000 * s}" for s in range(1, 9)]) for us in cpus]
ticks += [(us + 5000, [f"9={us}", "10=4000000000"]) for us in memory]
with open("pauses/n1.series", "w", encoding="utf-8") as f:
    f.write("perfmon-series-1\tn1\tboot-n1\t500000\t.\n")
    for i, metric in enumerate(("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")):
        f.write(f"series\t{i + 1}\tcpu\t{metric}\t\tus\tcounter\t.\n")
    f.write("series\t9\tmemory\tused\t\tB\tgauge\t.\nseries\t10\tmemory\ttotal\t\tB\tgauge\t.\n")
    for us, values in sorted(ticks):
        f.write(f"tick\t{START * 1000000 + us}\t{us + 5000000}\t{' '.join(values)}\t.\n")
END
"$PERFMON" -q submit pauses 2>err && "$PERFMON" export samples 4713 --layout perf.py -o pauses.json 2>err &&
	"$PERFMON" export samples 4713 --layout ska -o "$work/pauses.out" --format csv 2>err
is "$?|$(cat err)" "0|" "ticks that begin late, pause and end early"
python3 "$here/perfpy.py" "$db" 4713 pauses.json >got 2>&1
is "$(tail -n 1 got | cut -d ' ' -f 4)" 0 "perf.py: reports, values, unknown $(tail -n 1 got | cut -d ' ' -f 1-3)"
python3 "$here/ska.py" "$db" 4713 "$work/pauses.out" csv >got 2>&1
is "$(tail -n 1 got | cut -d ' ' -f 4)" 0 "ska: lists, values, unknown $(tail -n 1 got | cut -d ' ' -f 1-3)"
is "$(python3 -c '
import json
r = [(x["timestamp"] - 1763690000, x["mem_percent"]) for x in json.load(open("pauses.json"))["n1"]]
times = [round(t, 3) for t, m in r if round(t, 3) % 0.5]
print(len(r), times, *sorted({m is None for t, m in r if round(t, 3) % 0.5}))')" \
	"98 [2.005, 11.005, 42.005, 45.005, 48.005, 50.005, 51.005, 52.005, 53.005, 54.005, 55.005, 56.005, 57.005, 81.005, 90.005, 91.005, 3450.005, 3451.005] False" \
	"reports of the times when memory alone was read"

# --- mlflow ---
# same_store NAME NAMES: the run in $work/runs is as the database says.
same_store()
{
	python3 "$here/mlflow_store.py" "${PERFMON_DB:-$db}" 4712 "$work/runs" "$2" >got 2>&1
	store_counts=$(tail -n 1 got)
	is "$(echo "$store_counts" | sed 's/^18 [1-9][0-9]* [1-9][0-9]* /all /')" "all 0" "$1: metrics, values, unknown $store_counts"
	echo "$store_counts" | grep -q ' 0$' || head -n 5 got >&2
}
"$PERFMON" export summaries 4712 --layout mlflow -o "$work/runs" 2>err
is "$?|$(cat err)" "0|" "layout mlflow"
same_store "mlflow" documented
cp -R runs before
"$PERFMON" export --layout mlflow 4712 -o "$work/runs" 2>err
is "$?|$(diff -r runs before)" "0|" "the same again is the same run"
"$PERFMON" export --layout mlflow --names perf.py 4712 -o "$work/runs" 2>err
same_store "names as logged take the place of the others" perf.py
PERFMON_DB=$work/names.db "$PERFMON" export --layout mlflow --names documented 4712 -o "$work/runs" 2>err
PERFMON_DB=$work/names.db same_store "odd names" documented
# What is not known of an end is no success, and no time is 1970.
for change in "exit_status = NULL" "exit_status = 3" "exit_status = NULL, exit_signal = 9" "end_us = NULL, exit_status = NULL" \
	"start_us = NULL, end_us = NULL, exit_status = NULL"; do
	cp "$db" ends.db
	sqlite3 ends.db "UPDATE job SET $change WHERE jobid = '4712'"
	PERFMON_DB=$work/ends.db "$PERFMON" export --layout mlflow 4712 -o "$work/runs" 2>err
	PERFMON_DB=$work/ends.db same_store "$change" documented
done
PERFMON_DB=$work/names.db "$PERFMON" export --layout mlflow 4712 -o "$work/runs" 2>err
"$PERFMON" export --layout mlflow "$abs_top_srcdir/tests/golden/report/busy" -o "$work/runs" 2>err
is "$?|$(find runs -name perfmon.job | wc -l)|$(find runs -name meta.yaml | wc -l)" "0|2|3" "another job is another run of the experiment"
metric=$(grep -l '' runs/*/*/metrics/cpu_avg_utilization_pct | head -n 1)
sed 's/ 1$/ 2/' "$metric" >planted && cp planted "$metric"
python3 "$here/mlflow_store.py" "$work/names.db" 4712 "$work/runs" documented >got 2>&1
is "$(tail -n 1 got | cut -d ' ' -f 4)" 1 "a planted difference is found"

# The other database has the same files.
if postgres_start; then
	mkdir one two
	for at in one two; do
		PERFMON_DB=$db
		if [ "$at" = two ]; then
			postgres_sql postgres -c 'CREATE DATABASE layouts' >out.txt && PERFMON_DB=$(postgres_url layouts) && export PERFMON_DB &&
				"$PERFMON" -q submit job
		fi
		export PERFMON_DB
		(cd $at && "$PERFMON" export 4712 --layout ska -v --format csv,tsv -o ska && "$PERFMON" export 4712 --layout perf.py -o reports.json &&
			"$PERFMON" export 4712 --layout mlflow -o runs) 2>err || diag "$(cat err)"
		sed -i "s|/$at/|/|" $at/runs/*/meta.yaml $at/runs/*/*/meta.yaml
	done
	unset PERFMON_DB
	is "$(diff -r one two 2>&1 | head -n 5)|$(find two -type f | wc -l)" "|39" "PostgreSQL has the same files"
	postgres_stop fast
else
	skip "PostgreSQL has the same files" "$postgres_missing"
fi

# What is damaged is said; the rest is there.
cp "$db" damaged.db
sqlite3 damaged.db "UPDATE sample_block SET deviations = x'ff' WHERE series_id = (SELECT id FROM series WHERE source = 'process'
	AND metric = 'vms' AND host_id = 1)"
rm -rf out
PERFMON_DB=$work/damaged.db "$PERFMON" export --layout ska 4712 -o "$work/out" 2>err
is "$?|$(grep -c '1 times samples could not be read, and are unknown there: series [0-9]*: block' err)" "1|1" "a block that is damaged is told"
is "$(python3 -c '
import json
m = json.load(open("out/metrics/cpu_metrics.json"))["n1"]["memory_info"]
print(set(m["vms"]), sum(v is not None for v in m["rss"]) > 30)')" "{None} True" "and only what it held is unknown"

# A job without samples has no lists.
cp -R "$abs_top_srcdir/tests/golden/report/killed" "$work/killed" && chmod -R u+w killed
rm -rf out
"$PERFMON" export --layout ska ./killed -o "$work/out" --format csv 2>err
is "$?|$(python3 -c '
import json
print([json.load(open(f"out/metrics/{n}.json"))["host_names"] for n in ("meta_data", "cpu_metrics", "perf_metrics", "nv_gpu_metrics")])')" \
	"0|[['node17'], [], [], []]" "a job that was never loaded, nor sampled"
is "$(wc -l <out/cpu_metrics.csv)" 1 "has a table of no rows"

# Usage
"$PERFMON" export --layout nonsense 4712 -o "$work/none" 2>err
is "$?|$(cat err)" "2|perfmon: export: --layout is one of ska, perf.py, mlflow, colmet" "what is no layout"
for line in "--layout ska 4712" "--layout ska 4712 -o -" "--layout ska 4712 -o none --format json" "--layout ska 4712 -o none --user anna" \
	"--layout ska 4712 4713 -o none" "jobs --layout ska 4712 -o none" "--layout ska 4712 -o none --names perf.py" \
	"--layout mlflow 4712 -o none --names other" "--layout mlflow 4712" "--layout perf.py 4712 -o none --format csv" "jobs --names perf.py"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" export $line >out.txt 2>err
	is "$?|$(wc -l <err)|$([ -e none ] && echo there)" "2|1|" "$line"
done
: >file
"$PERFMON" export --layout ska 4712 -o file 2>err
is "$?" 1 "a file in the place of the directory"
done_testing
