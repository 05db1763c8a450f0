#!/bin/sh
# export ops: operations of jobs, in every format, are the sums of the processes that the database has.
# shellcheck source=tests/e2e/lib.sh
. "$abs_top_srcdir/tests/e2e/lib.sh"

if ! need python3 sqlite3; then
	skip "operations are read back" "no $missing"
	done_testing
fi
# Python keeps what it compiles out of the sources.
export PYTHONDONTWRITEBYTECODE=1 PERFMON
here=$abs_top_srcdir/tests/e2e/export
db=$XDG_DATA_HOME/perfmon/perfmon.db

# A job of few processes with odd tags, and one of so many that the database has sums of its tags.
odd=$(printf 'a\377b')
cat >steps.sh <<-'END'
	PERFMON_TAGS='op:copy;op_instance:1' sh -c '/bin/true; /bin/true; exit 3'
	PERFMON_TAGS='op:copy;op_instance:2' sh -c '/bin/true; exec /bin/true'
	PERFMON_TAGS="op:=sum, \"of\" ünï;note:$1" sh -c '/bin/true'
	/bin/true
END
"$PERFMON" -q -a -j 4711 run sh steps.sh "$odd"
cat >many.sh <<-'END'
	n=0
	while [ $n -lt 600 ]; do
		PERFMON_TAGS="op:step;at:$((n % 3))" /bin/true
		n=$((n + 1))
	done
END
"$PERFMON" -q -a -j 4712 run sh many.sh
"$PERFMON" -q submit 4711 4712 2>err
# What a kernel may not have told, and a clock that was set back.
sqlite3 "$db" "UPDATE process SET rchar = NULL WHERE job_id = 1;
	UPDATE process SET end_us = NULL WHERE job_id = 1 AND id = (SELECT min(id) FROM process WHERE job_id = 1 AND tag_set > 0);
	UPDATE process SET end_us = start_us - 5 WHERE job_id = 1 AND id = (SELECT max(id) FROM process WHERE job_id = 1 AND tag_set > 0);
	UPDATE process SET rssmax = NULL WHERE job_id = 1 AND id % 2 = 0" || exit 99
is "$(sqlite3 "$db" "SELECT count(*) > 0 FROM tag_summary WHERE job_id = 2")" 1 "one job has sums of its tags in the database"

compare() {
	form=$1 file=$2 select=$3
	shift 3
	python3 "$here/ops.py" "$db" "$form" "$file" "$select" "$@" >out 2>&1
	[ "$(tail -n 1 out | cut -d ' ' -f 3)" = 0 ] || head -n 5 out >&2
	tail -n 1 out | sed 's/^[1-9][0-9]* [1-9][0-9]* /all /; s/unknown: [1-9].*/unknown: some/'
}

formats="csv tsv json jsonl parquet"
python3 -c 'import h5py' 2>/dev/null && "$PERFMON" export ops 4711 -o probe.h5 2>err && formats="$formats hdf5"
for format in $formats; do
	"$PERFMON" export ops 4711 4712 -o "ops.$format" 2>err
	is "$?:$(compare "$format" "ops.$format" "" 1 2)" "0:all 0 unknown: some" \
		"as $format they equal the processes: $(cut -d ' ' -f 1,2 out | tail -n 1)"
	"$PERFMON" export ops --user "$(id -un)" --process-tag op:copy,op:step --by op_instance,at -o "some.$format" 2>err
	is "$?:$(compare "$format" "some.$format" "op:copy;op_instance;at,op:step;op_instance;at" 1 2)" "0:0 0 0 unknown: 0" \
		"$format: tags that no process has together"
	"$PERFMON" export ops --user "$(id -un)" --process-tag 'op:copy,op:step;at' -o "some.$format" 2>err
	is "$?:$(compare "$format" "some.$format" "op:copy,op:step;at" 1 2 | cut -d ' ' -f 1,2)" "0:all 0" \
		"and of chosen tags: $(cut -d ' ' -f 1,2 out | tail -n 1)"
done
if [ "${formats%hdf5}" != "$formats" ]; then
	"$PERFMON" export all 4711 4712 -o all.h5 2>err
	is "$?|$(PYTHONPATH=$here python3 -c '
import h5py, hdf5
rows = list(hdf5.rows(h5py.File("ops.hdf5")["ops"]))
jobs = h5py.File("all.h5")
print(len(rows) > 5, [r for j in ("4711", "4712") for r in hdf5.rows(jobs[j]["ops"])] == rows)' 2>&1)" "0|True True" \
		"whole jobs have their operations"
else
	skip "as HDF5" "no libhdf5, or no h5py of Python"
fi
"$PERFMON" export ops 4711 4712 --by op -o by.csv 2>err
is "$?:$(compare csv by.csv op 1 2 | cut -d ' ' -f 1,2)" "0:all 0" "and for each value of a tag"

# Twins: another value, and a row that is not there, are found.
sed -n '1p; 3,$p' ops.csv >short.csv
python3 -c '
import csv, sys
rows = list(csv.reader(open("ops.csv", newline="")))
at = rows[0].index("cpu_time")
rows[1][at] = str(int(rows[1][at]) + 1)
csv.writer(open("planted.csv", "w", newline="")).writerows(rows)'
compare csv planted.csv "" 1 2 >found
compare csv short.csv "" 1 2 >>found
is "$(cut -d ' ' -f 2 found | tr '\n' ' ')" "1 1 " "a planted difference and a missing row are found"

# The same as perfmon ops has.
"$PERFMON" ops --per-job --json 4711 >ops.json.perfmon
"$PERFMON" export ops 4711 --format json >ops.json.export 2>err
is "$(python3 -c '
import json
shown = json.load(open("ops.json.perfmon"))["operations"]
rows = json.load(open("ops.json.export"))
by = {json.dumps(r["tags"], sort_keys=True): r for r in rows}
same = 0
for o in shown:
    r = by[json.dumps(o["tags"], sort_keys=True)]
    flat = {k: v for k, v in o.items() if k in r and k != "operation"}
    for name, m in o["metrics"].items():
        flat[name], flat[name + "_known"] = m.get("sum", m.get("max")), m["known"]
    assert {k: r[k] for k in flat} == flat, o
    assert set(r) - set(flat) == {"operation", "only", "exact"}, set(r) - set(flat)
    same += 1
print(same == len(rows) > 2)' 2>&1)" True "and what perfmon ops --json has, all figures"

# Documents of an index: the same operation has the same id, another question another one.
"$PERFMON" export ops 4711 4712 --format bulk 2>err >ops.bulk
"$PERFMON" export ops 4711 4712 --process-tag 'op_instance;op,at;op,op;note' --format bulk 2>err >chosen.bulk
is "$?:$(wc -l <ops.bulk):$(python3 "$here/bulk.py" --ids ops.bulk | sort -u | wc -l)" \
	"0:12:$(($(wc -l <ops.bulk) / 2))" "bulk: ids are of job and operation"
python3 "$here/bulk.py" --ids ops.bulk >ids
python3 "$here/bulk.py" --ids chosen.bulk >>ids
is "$(sort -u ids | wc -l)" 12 "and of whether other tags count"

# Choice of rows and columns
is "$("$PERFMON" export ops 4711 --columns operation,processes,cpu_time_known --process-tag op:copy 2>err | tr -d '\r')" \
	"operation,processes,cpu_time_known,exact
op:copy,$(sqlite3 "$db" "SELECT count(*) || ',' || count(cpu_time) FROM process p JOIN tag_set g ON g.job_id = p.job_id AND g.id = p.tag_set
	WHERE p.job_id = 1 AND g.name = 'op' AND g.value = 'copy'")," "columns are chosen"
is "$("$PERFMON" export ops 4711 4712 --limit 2 --format tsv | wc -l)" 3 "a limit is one of all jobs together"
is "$("$PERFMON" export ops 4712 --offset 2 --format tsv | wc -l)" 2 "the first are left out"
is "$("$PERFMON" export ops 4712 --limit 0 --process-tag nothing 2>err | wc -l)" 1 "no operations are a file, too"
"$PERFMON" export ops 4711 -o grown.csv --append 2>err && "$PERFMON" export ops 4712 -o grown.csv --append 2>err
is "$?:$(cmp grown.csv ops.csv 2>&1)" "0:" "rows are added to a file"
is "$("$PERFMON" export ops --where "jobid = '4712'" --format tsv --columns job_id | tail -n +2 | sort -u | tr -d '\t')" 2 "--where is about jobs"
is "$("$PERFMON" export ops "$PERFMON_OUTPUT_PREFIX"/*/4711 --format tsv 2>err | wc -l)" \
	"$("$PERFMON" export ops 4711 --format tsv 2>err | wc -l)" "of a directory that is not loaded"
for line in "--columns nosuch 4711" "--columns runs,runs" "--failed 4711" "--pid 3 4711" "--program sh" "4711 --user root" "4711 --order start" \
	"--by ," "--process-tag a,,"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" export ops $line >out 2>err
	is "$?:$(wc -c <out):$(wc -l <err)" "2:0:1" "export ops $line is a usage error"
done
"$PERFMON" export processes 4711 --by op >out 2>err
is "$?:$(wc -c <out)" "2:0" "and --by with another kind"
"$PERFMON" export ops 4711 nosuch -o kept.csv 2>err
is "$?:$(ls kept.csv* 2>/dev/null)" "1:" "an unknown job leaves no file"

cp "$db" retired.db
PERFMON_DB=$work/retired.db "$PERFMON" -q retire --older-than 1s --keep summary 2>err
sleep 1
PERFMON_DB=$work/retired.db "$PERFMON" -q retire --older-than 1s --keep summary 2>err
PERFMON_DB=$work/retired.db "$PERFMON" export ops 4711 2>err >out
is "$?:$(cat err):$(wc -l <out)" "0:perfmon: warning: the processes of 1 job were retired: they are not among these:1" "operations of a retired job"
"$PERFMON" export ops --limit x >out 2>err
is "$?|$(grep -c limit err)" "2|1" "a limit that is no number"
done_testing
