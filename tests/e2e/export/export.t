#!/bin/sh
# export: every format, read by another program, has what the database has.
# shellcheck source=tests/e2e/lib.sh
. "$abs_top_srcdir/tests/e2e/lib.sh"

if ! need python3 sqlite3; then
	skip "exports are read back" "no $missing"
	done_testing
fi
# Python keeps what it compiles out of the sources.
export PYTHONDONTWRITEBYTECODE=1
read_back="$abs_top_srcdir/tests/e2e/export/read.py"
db=$XDG_DATA_HOME/perfmon/perfmon.db

# shellcheck source=tests/e2e/export/oddjobs.sh
. "$abs_top_srcdir/tests/e2e/export/oddjobs.sh"
# What no recorder writes, but a database may have.
sqlite3 "$db" "UPDATE job SET name = '=cmd', account = '', queue = 'a' || char(9) || 'b', efficiency = 1e-300, coverage = 1
	WHERE jobid = '4711'"
sqlite3 "$db" "INSERT INTO energy VALUES (1, 1, 1, 'node', 'made', 'up, \"one\"', 'counter', 42, NULL, 0, 1, 0, 1, 1, NULL);
	INSERT INTO analysis VALUES (1, 'outliers', '', 7, NULL, '{\"a\": [1, 2.5]}', NULL);
	INSERT INTO reject SELECT 1, (SELECT 1 + count(*) FROM reject WHERE job_id = 1), min(id), 'f.tsv', 3, 'made up', x'61ff0062' FROM load WHERE job_id = 1" || exit 99
numbers=$(sqlite3 "$db" "SELECT id FROM job ORDER BY id" | tr '\n' ' ')
names=$(echo "$numbers" | sed 's/[0-9][0-9]*/#&/g')

for kind in processes threads counters hosts summaries energy tags phases annotations analyses series samples rejects metrics jobs; do
	for format in csv tsv json jsonl parquet; do
		# shellcheck disable=SC2086 # words
		case $kind in
		jobs) set -- --order id:asc ;;
		metrics) set -- ;;
		*) set -- $names ;;
		esac
		"$PERFMON" export "$kind" "$@" -o "$kind.$format" 2>err
		status=$?
		# shellcheck disable=SC2086 # words
		python3 "$read_back" "$db" "$kind" "$format" "$kind.$format" $numbers >out 2>&1
		is "$status:$(tail -n 1 out | sed 's/^[1-9][0-9]* [1-9][0-9]* /all /; s/^0 0 /all /')" "0:all 0" \
			"$kind as $format equal the database: $(tail -n 1 out | cut -d ' ' -f 1,2)"
		[ "$(tail -n 1 out | cut -d ' ' -f 3)" = 0 ] || head -n 5 out >&2
	done
done
few=
for kind in processes threads counters hosts summaries energy tags phases annotations analyses series samples rejects metrics jobs; do
	test "$(wc -l <"$kind.tsv")" -gt 1 || few="$few $kind"
done
is "$few" "" "and there are rows of each"

# A twin: a file with another value is told.
sed 's/,77,/,78,/' jobs.csv >planted.csv
# shellcheck disable=SC2086 # words
python3 "$read_back" "$db" jobs csv planted.csv $numbers >out 2>&1
is "$(tail -n 1 out | cut -d ' ' -f 3)" 1 "a planted difference is found"

# The command line comes back.
"$PERFMON" export processes 77 --program echo --columns args | python3 -c '
import csv, json, shlex, sys
row = next(csv.DictReader(sys.stdin))
print(shlex.split(row["args"])[:8], json.loads(row["exact"])["args"][8])' >out
is "$(cat out)" "['', \"it's\", 'two  words', 'a,b', 'line\\nbreak', 'tab\\there', '=1+2', 'back\\\\slash'] {'hex': '61ff62'}" \
	"arguments are a command line, with exact bytes behind"

# Spreadsheets
is "$("$PERFMON" export jobs --name '=cmd' --columns name,queue --spreadsheet | sed -n 2p | tr -d '\r')" \
	"'=cmd,a	b," "texts that look like formulas are marked"
"$PERFMON" export jobs --format json --spreadsheet 2>err
is "$?" 2 "which JSON has no use for"

# Files
"$PERFMON" export jobs -o jobs.txt 2>err
is "$?|$([ -e jobs.txt ] || echo none)" "2|none" "a name that says no format"
"$PERFMON" export jobs -o jobs.txt --format tsv 2>err
is "$?|$(wc -l <jobs.txt | tr -d ' ')" "0|5" "and one that need not"
"$PERFMON" export nonsense 2>err
is "$?" 2 "what is no kind"
grep -q 'export nonsense: what to export is one of all, trace, folded, ops, jobs, processes, .*series, samples' err
ok $? "is named, and what there is"
# What it does not write is answered with what does.
"$PERFMON" export jobs 77 '#2' -o "two jobs.sqlite" 2>err
is "$?|$(ls two* 2>/dev/null)|$(cat err)" \
	"2||perfmon: export: rows are not written as a database; one of whole jobs is made by: perfmon copy '' 'two jobs.sqlite' 77 '#2'" \
	"a database of jobs: which line makes it"
sed 's/.*made by: perfmon/"$PERFMON"/' err >line.sh
sh line.sh >out 2>&1
is "$?|$(sqlite3 'two jobs.sqlite' 'SELECT count(*), (SELECT count(*) FROM process) FROM job')" \
	"0|2|$(sqlite3 "$db" "SELECT count(*) FROM process WHERE job_id = 2 OR job_id = (SELECT id FROM job WHERE jobid = '77')")" "and the line does"
PERFMON_DB='postgresql://me:secret@nowhere/x' "$PERFMON" export all 77 --format sqlite 2>err
is "$?|$(grep -c secret err)|$(grep -c 'perfmon copy .*@nowhere/x.* jobs.sqlite 77$' err)" "2|0|1" "of whole jobs, too, without a password"
for other in feather orc pickle; do
	"$PERFMON" export jobs 77 --format $other 2>err >out
	is "$?|$(grep -c "pandas.read_parquet('jobs.parquet').to_$other('jobs" err)|$(wc -c <out)" "2|1|0" "$other: which line makes it of Parquet"
done
"$PERFMON" export jobs 77 -o jobs.orc 2>err
is "$?|$(grep -c to_orc err)|$(ls jobs.orc 2>/dev/null)" "2|1|" "by the name of the file, too"
echo before >kept.csv
"$PERFMON" export processes 77 nosuch -o kept.csv 2>err
is "$?|$(cat kept.csv)|$(ls kept.csv.* 2>/dev/null)" "1|before|" "an unknown job leaves the file as it was"
"$PERFMON" export processes 77 -o /dev/full --format csv 2>err
is "$?" 1 "a full device is an error"
if need script; then
	script -qec "'$PERFMON' export jobs" /dev/null >out 2>&1 </dev/null
	is "$?|$(grep -c 'could steer the terminal' out)" "1|1" "nothing is written to a terminal"
	for at in /dev/tty /dev/stdout; do
		script -qec "'$PERFMON' export processes 77 --format csv -o $at" /dev/null >out 2>&1 </dev/null
		is "$?|$(grep -c 'could steer the terminal' out)|$(grep -c hostname out)" "1|1|0" "nor by its name $at"
	done
else
	skip "nothing is written to a terminal" "no $missing"
fi

# What is read is not written.
cp "$db" self.db
PERFMON_DB=$work/self.db "$PERFMON" export jobs --format csv -o self.db 2>err
is "$?|$(cmp self.db "$db")|$(cat err)" "1||perfmon: self.db is a file of the database that is exported" "nor is the database replaced"
tar -cf busy.tar busy && cp busy.tar kept.tar
"$PERFMON" export processes ./busy.tar --format csv -o busy.tar 2>err
is "$?|$(cmp busy.tar kept.tar)" "1|" "nor an archive"

# The numbers of jobs are those of the database.
"$PERFMON" export processes 77 ./busy.tar >out 2>err
is "$?" 1 "a job that is not in the database has no number beside those that have one"
grep -q 'busy.tar is not in the database, so its job_id is not its own' err
ok $? "and is named"
"$PERFMON" export processes ./busy.tar --format tsv 2>err | wc -l >out
test "$(cat out)" -gt 3
ok $? "alone it is exported"
"$PERFMON" export processes 77 '#2' --order cpu_time >out 2>err
is "$?" 2 "rows of several named jobs have their order"

# Files that grow
for format in csv tsv jsonl; do
	rm -f grown.$format
	"$PERFMON" export processes 77 -o grown.$format --append 2>err &&
		"$PERFMON" export processes '#2' -o grown.$format --append 2>err
	status=$?
	"$PERFMON" export processes 77 '#2' -o once.$format 2>err
	cmp -s grown.$format once.$format
	is "$status:$?" "0:0" "rows added to $format are as those written at once"
done
echo '{"id":1}' >other.jsonl
"$PERFMON" export processes 77 -o other.jsonl --append 2>err
is "$?|$(cat other.jsonl)" '1|{"id":1}' "nor to lines with other members"
cp grown.csv before.csv
"$PERFMON" export hosts 77 -o grown.csv --append 2>err
is "$?|$(cmp grown.csv before.csv)" "1|" "other columns are not added"
printf 'torn' >>grown.csv
"$PERFMON" export processes 77 -o grown.csv --append 2>err
is "$?|$(tail -c 4 grown.csv)" "1|torn" "nor are rows to a line that is not complete"
grep -q 'the last line of grown.csv has no end' err
ok $? "and it is said what is wrong"
"$PERFMON" export processes 77 -o grown.json --append 2>err
is "$?" 2 "JSON is not added to"
rm -f many.csv
for at in 1 2 3 4 5 6; do
	"$PERFMON" export processes 77 -o many.csv --append 2>"$at.err" &
done
wait
"$PERFMON" export processes 77 >one.csv
tail -n +2 one.csv >rows.csv
cat one.csv rows.csv rows.csv rows.csv rows.csv rows.csv >six.csv
cmp -s many.csv six.csv
ok $? "of six that add at once none writes into another's rows"

# Limits
is "$("$PERFMON" export processes 77 '#2' --limit 3 --format tsv | wc -l)" 4 "a limit is one of all jobs together"
"$PERFMON" export processes 77 '#2' --offset 3 >out 2>err
is "$?" 2 "rows are left out of one job"

# Two at once, of which one is stopped while it waits: nothing of it is there, and the other goes on.
if need flock; then
	rm -f shared.csv
	"$PERFMON" export processes 77 -o shared.csv --append 2>err
	cp shared.csv alone.csv
	mkfifo go
	flock shared.csv sh -c 'read -r line <go' &
	holder=$!
	while flock -n shared.csv true; do sleep 0.02; done
	"$PERFMON" export processes 77 -o shared.csv --append 2>err &
	waits=$!
	sleep 0.5
	kill "$waits"
	wait "$waits" 2>/dev/null
	is "$?|$(cmp shared.csv alone.csv)" "143|" "one that is stopped while it waits adds nothing"
	"$PERFMON" export processes 77 -o shared.csv --append 2>err &
	other=$!
	echo >go
	wait "$other"
	is "$?|$(wc -l <shared.csv)" "0|$(($(wc -l <alone.csv) + $("$PERFMON" export processes 77 | tail -n +2 | wc -l)))" \
		"and the other adds all of its rows"
	wait "$holder"
else
	skip "one is stopped while it waits" "no $missing"
fi

# Filters are those of list.
is "$("$PERFMON" export processes 77 --failed --format tsv --columns exitcode | tail -n +2 | sort -u | tr -d '\t' | tr '\n' ' ')" \
	"3 5 " "--failed"
is "$("$PERFMON" export jobs 77 77 --columns jobid --format tsv | wc -l)" 2 "a job that is named twice counts once"
"$PERFMON" export jobs 77 --columns jobid,name,jobid -o twice.json 2>err
is "$?:$(cat err):$(test ! -e twice.json && echo none)" "2:perfmon: --columns: jobid is named twice:none" "a column is named once"
is "$("$PERFMON" export jobs --status failed --columns jobid --format tsv | tail -n +2 | cut -f 1 | sort | tr '\n' ' ')" \
	"$("$PERFMON" list jobs --status failed --columns jobid --csv | tail -n +2 | tr -d '\r' | sort | tr '\n' ' ')" "--status"

# A database that was edited: what is not of the type of its column is not lost.
cp "$db" edited.db
sqlite3 edited.db "UPDATE process SET cpu_time = 'abc', usertime = 1.5 WHERE job_id = 1 AND id = 1"
for format in csv parquet; do
	PERFMON_DB=$work/edited.db "$PERFMON" export processes '#1' --limit 1 --columns id,cpu_time,usertime -o "edited.$format" 2>err
	is "$?" 1 "$format: a value of another type is told"
	PYTHONPATH=$abs_top_srcdir/tests/e2e/export python3 -c '
import csv, json, sys, parquet
path = sys.argv[1]
row = next(parquet.rows(path) if path.endswith("parquet") else csv.DictReader(open(path, newline="")))
print(row["id"], row["cpu_time"] or None, row["usertime"] or None, json.loads(row["exact"]))' "edited.$format" >>edited.out
done
is "$(cat edited.out)" "1 abc 1.5 {'cpu_time': 'abc', 'usertime': 1.5}
1 None None {'cpu_time': 'abc', 'usertime': 1.5}" "and stands in the column exact"
grep -q "2 values are not of the type of their column, such as some of usertime" err
ok $? "and what it is of"

# What retiring took is said, of whatever went with the processes.
cp "$db" retired.db
PERFMON_DB=$work/retired.db "$PERFMON" retire --older-than 1s --keep summary >out 2>err
for kind in processes samples series threads tags; do
	PERFMON_DB=$work/retired.db "$PERFMON" export $kind '#1' 2>err >out
	is "$?|$(cat err)" "0|perfmon: warning: the processes of 1 job were retired: they are not among these" "$kind of a retired job"
done
PERFMON_DB=$work/retired.db "$PERFMON" export trace '#1' 2>err >out
is "$?|$(grep -c 'were retired' err)" "0|1" "and its trace"

# Stacks: of CPU time, what the processes used is there, once.
"$PERFMON" export folded busy -o stacks 2>err
is "$?|$(awk '{ sum += $NF } END { print sum }' stacks)" \
	"0|$(sqlite3 "$db" "SELECT sum(cpu_time) FROM process WHERE job_id = (SELECT id FROM job WHERE jobid = '4711')")" \
	"stacks have the CPU time of all processes"
is "$(grep -c -v '^[^;]*\(;[^;]*\)* [1-9][0-9]*$' stacks)" 0 "and are as flame graph tools read them"
"$PERFMON" export folded busy --measure wall >stacks 2>err
is "$?|$(awk '{ sum += $NF } END { print (sum > 0) }' stacks)" "0|1" "stacks of elapsed time"
"$PERFMON" export folded busy --measure nonsense >out 2>err
is "$?" 2 "and of nothing else"

# Traces
"$PERFMON" export trace 77 -o trace.pftrace 2>err
is "$?" 0 "a trace"
python3 "$abs_top_srcdir/tests/e2e/export/trace.py" "$db" trace.pftrace 77 >out 2>&1
is "$(tail -n 1 out | sed 's/^[1-9][0-9]* [1-9][0-9]* [1-9][0-9]* [1-9][0-9]* /all /')" "all 0" \
	"has all slices, instants, samples, values of the database: $(tail -n 1 out)"
cp "$db" names.db
sqlite3 names.db "UPDATE host SET hostname = CAST(x'68ff5c' AS TEXT) WHERE job_id = (SELECT id FROM job WHERE jobid = '77')"
PERFMON_DB=$work/names.db "$PERFMON" export trace 77 -o names.pftrace 2>err
is "$(python3 -c '
import re, sys
data = open("names.pftrace", "rb").read()
print(b"h\\xff\\" in data, b"h\xff" in data, b"line\\nbreak" in data, b"line\\\\nbreak" in data)')" "True False True False" "names are escaped, once"
"$PERFMON" export trace 77 --format csv >out 2>err
is "$?" 2 "which has no other format"
cp "$db" damaged.db
sqlite3 damaged.db "UPDATE sample_block SET deviations = x'ff' WHERE job_id = (SELECT id FROM job WHERE jobid = '77') AND series_id = 1"
PERFMON_DB=$work/damaged.db "$PERFMON" export trace 77 -o damaged.pftrace 2>err
is "$?|$(grep -c '^perfmon: 1 blocks of samples could not be read and are left out, such as: series 1: ' err)|$([ -s damaged.pftrace ] && echo some)" \
	"1|1|some" "what is damaged is left out of it, and told"

# Work: the first sample does not take what all of them take, and a trace decodes them without SQL.
if [ "$PM_SANITIZED" = yes ]; then
	skip "steps for samples" "tested without sanitizers"
else
	for words in "samples 77" "samples 77 --limit 1" "trace 77"; do
		# shellcheck disable=SC2086 # words
		STEPS_OF=SELECT STEPS_FILE=$work/steps LD_PRELOAD=$abs_top_builddir/tests/progs/statements.so "$PERFMON" export $words >out 2>err
	done
	# shellcheck disable=SC2046 # three numbers
	set -- $(cat steps)
	test "$1" -gt 50000 && test "$(($2 * 10))" -lt "$1" && test "$(($3 * 2))" -lt "$1"
	ok $? "steps of SQLite for all samples, for one, and for a trace: $*"
fi
done_testing
