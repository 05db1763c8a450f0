#!/bin/sh
# A recorded job whose programs, arguments, tags and phases are texts that mean something elsewhere, in files of every
# format and JSON of every verb: they come back as they were, and do nothing on the way.
# shellcheck disable=SC2154 # set by lib.sh, hostile.sh and postgres.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/e2e/hostile.sh
. "$abs_top_srcdir/tests/e2e/hostile.sh"
read_back="$abs_top_srcdir/tests/e2e/export/read.py"
here=$abs_top_srcdir/tests/e2e/export
kinds="processes threads counters hosts summaries tags phases annotations series samples metrics jobs"

# --- files of rows, of both engines ------------------------------------------------------------------
# export_all DIRECTORY: every kind in every format
export_all()
{
	mkdir "$1"
	failed=
	for kind in $kinds; do
		for format in csv tsv json jsonl parquet; do
			case $kind in jobs | metrics) set -- "$1" ;; *) set -- "$1" hostile ;; esac
			# shellcheck disable=SC2086 # a job or none
			"$PERFMON" export "$kind" ${2-} -o "$1/$kind.$format" 2>err || failed="$failed $kind.$format"
		done
	done
}
export_all sqlite
is "$failed" "" "each kind is exported in each format"
for format in csv tsv json jsonl parquet; do
	: >wrong
	rows=0 values=0
	for kind in $kinds; do
		python3 "$read_back" "$db" "$kind" "$format" "sqlite/$kind.$format" 1 >out 2>&1
		# shellcheck disable=SC2046 # three numbers
		set -- $(grep "^[0-9]* [0-9]* [0-9]*$" out)
		[ "${3-}" = 0 ] || head -n 3 out >>wrong
		rows=$((rows + ${1:-0})) values=$((values + ${2:-0}))
	done
	is "$(cat wrong)" "" "$format equals the database: $rows rows, $values values"
done
# HDF5 has the time in it: it is compared with the database alone.
if "$PERFMON" export jobs -o probe.h5 2>err && python3 -c 'import h5py' 2>err; then
	: >wrong
	rows=0 values=0
	for kind in $kinds; do
		case $kind in jobs | metrics) set -- ;; *) set -- hostile ;; esac
		"$PERFMON" export "$kind" "$@" -o "$kind.h5" 2>>wrong
		python3 "$read_back" "$db" "$kind" hdf5 "$kind.h5" 1 >out 2>&1
		# shellcheck disable=SC2046 # three numbers
		set -- $(grep "^[0-9]* [0-9]* [0-9]*$" out)
		[ "${3-}" = 0 ] || head -n 3 out >>wrong
		rows=$((rows + ${1:-0})) values=$((values + ${2:-0}))
	done
	is "$(cat wrong)" "" "hdf5 equals the database: $rows rows, $values values"
	"$PERFMON" export all hostile -o all.h5 2>err
	python3 "$here/hdf5.py" "$db" all.h5 1 >out 2>&1
	is "$(cut -d ' ' -f 3 out)" 0 "so does the whole job: rows, values $(cut -d ' ' -f 1,2 out)"
else
	skip "hdf5 equals the database" "without libhdf5, or no h5py of Python: $(tail -n 1 err)"
fi

# --- layouts ------------------------------------------------------------------------------------------
"$PERFMON" export --layout ska hostile -v -o "$work/ska" --format csv,tsv,parquet 2>err &&
	"$PERFMON" export --layout perf.py hostile -o reports.json 2>>err &&
	"$PERFMON" export --layout mlflow hostile -o "$work/runs" 2>>err
is "$?|$(cat err)" "0|" "each layout"
python3 "$here/ska.py" "$db" hostile "$work/ska" csv tsv parquet >out 2>&1
is "$(tail -n 1 out | cut -d ' ' -f 4)" 0 "ska equals the database: lists, values, unknown $(tail -n 1 out | cut -d ' ' -f 1-3)"
python3 "$here/perfpy.py" "$db" hostile reports.json >out 2>&1
is "$(tail -n 1 out | cut -d ' ' -f 4)" 0 "so does perf.py: reports, values, unknown $(tail -n 1 out | cut -d ' ' -f 1-3)"
python3 "$here/mlflow_store.py" "$db" hostile "$work/runs" documented >out 2>&1
is "$(tail -n 1 out | cut -d ' ' -f 4)" 0 "so does mlflow: metrics, values, unknown $(tail -n 1 out | cut -d ' ' -f 1-3)"

# --- the file for Prometheus ----------------------------------------------------------------------------
is "$(python3 "$texts" openmetrics "$PERFMON" 2>&1)" "59 of 59 names []" "labels of programs have their names"

"$PERFMON" export processes hostile --spreadsheet --format csv -o sheet.csv 2>err
python3 - >out 2>&1 <<'END'
import csv
cells = [c for row in csv.reader(open("sheet.csv", newline="", encoding="utf-8")) for c in row]
numbers = [c for c in cells if c.lstrip("-").replace(".", "", 1).isdigit()]
print([c for c in cells if c[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") and c not in numbers])
END
is "$(cat out)" "[]" "no cell of a spreadsheet is a formula"
"$PERFMON" export trace hostile -o trace.pftrace 2>err
status=$?
python3 "$here/trace.py" "$db" trace.pftrace hostile >out 2>&1
is "$status|$(tail -n 1 out | cut -d ' ' -f 5)" "0|0" "the trace equals the database: slices, instants, samples, values $(tail -n 1 out | cut -d ' ' -f 1-4)"
"$PERFMON" export folded hostile -o stacks --measure wall 2>err
is "$?|$(grep -c -v '^[^;]*\(;[^;]*\)* [1-9][0-9]*$' stacks)" "0|0" "stacks are as flame graph tools read them"

if postgres_start; then
	url=$(postgres_url hostile)
	postgres_sql postgres -c 'CREATE DATABASE hostile' >out 2>&1
	"$PERFMON" copy "$db" "$url" >out 2>err
	is "$?" 0 "copied to PostgreSQL"
	PERFMON_DB=$url export_all postgres
	is "$failed" "" "each kind is exported in each format from there"
	differ=
	for file in sqlite/*; do cmp -s "$file" "postgres/${file#*/}" || differ="$differ ${file#*/}"; done
	is "$differ" "" "with the same bytes: $(ls sqlite | wc -l) files"
else
	skip "the same from PostgreSQL" "$postgres_missing"
fi

# --- JSON of other verbs ------------------------------------------------------------------------------
bad=
for verb in "report hostile" "show hostile" "list jobs" "list processes hostile" "list tags hostile" "ops hostile" "status" "summary --by tag:text" \
	"dump hostile"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" $verb --json >out 2>err
	python3 -c 'import json, sys; json.loads(open("out", encoding="utf-8").read(), parse_constant=sys.exit)' 2>>err || bad="$bad, $verb: $(tail -n 1 err)"
done
is "$bad" "" "JSON of every verb is JSON"
done_testing
