#!/bin/sh
# report: what it says of recorded jobs, at which width, and how jobs are named.
# shellcheck source=tests/e2e/lib.sh
. "$abs_top_srcdir/tests/e2e/lib.sh"

golden=$abs_top_srcdir/tests/golden/report
utf8=C.UTF-8
for job in busy counted empty killed; do
	cp -R "$golden/$job" "$work/$job" && chmod -R u+w "$work/$job"
done

# unnamed FILE: a report without what named its job in the commands that it tells.
unnamed() { sed 's/\(perfmon show --critical\) .*/\1/' "$1"; }

# A report equals its golden file. To accept a new text: PM_ACCEPT=yes make check TESTS=...
same()
{
	if [ "${PM_ACCEPT:-}" = yes ]; then
		cp "$1" "$golden/$2"
	fi
	diff -u "$golden/$2" "$1" >diff.out
	ok $? "$3"
	if [ -s diff.out ]; then
		diag "$(cat diff.out)"
	fi
}

for width in 80 120; do
	"$PERFMON" report --width $width busy >out 2>err
	is "$?" 0 "a directory is reported without a database, $width columns"
	same out busy-$width.txt "the report of a busy job, $width columns"
	LC_ALL=$utf8 "$PERFMON" report --width $width busy >out 2>err
	same out busy-$width-utf8.txt "the same with block characters"
done
is "$(cat err)" "" "nothing is said on standard error"
for job in counted empty killed; do
	"$PERFMON" report --width 80 $job >out 2>err
	is "$?" 0 "a job is reported: $job"
	same out $job-80.txt "its report: $job"
done

tar czf two.tgz busy counted
"$PERFMON" report two.tgz >out 2>err
is "$?:$(wc -c <out):$(grep -c 'two.tgz holds several jobs' err):$(grep -c 4711 err)$(grep -c 4714 err)" "1:0:1:11" \
	"of an archive of several jobs none is left out silently: they are named"

wide=
for width in 60 61 72 80 97 120 200; do
	for job in busy counted empty killed; do
		"$PERFMON" report --width $width $job | awk -v w=$width -v j=$job \
			'length > w { print "width " w ", job " j ": " $0 }'
	done
done >wide
wide=$(cat wide)
is "$wide" "" "no line is wider than the page"

for command in "report busy" "show busy" "list jobs busy" "list processes busy" \
	"list threads busy" "list hosts busy" "list tags busy" "report counted" "show --counters counted" \
	"list counters counted"; do
	for locale in C $utf8; do
		# shellcheck disable=SC2086
		LC_ALL=$locale "$PERFMON" $command
		# shellcheck disable=SC2086
		"$PERFMON" $command --json
	done
done | LC_ALL=C tr -d '\n\040-\176\200-\377' >controls
is "$(wc -c <controls | tr -d ' ')" 0 "no control character reaches the terminal"

COLUMNS=100 "$PERFMON" report busy >out
"$PERFMON" report --width 100 busy >want
cmp -s out want
ok $? "COLUMNS gives the width"
for width in 10 x 5000 -5; do
	"$PERFMON" report --width=$width busy >out 2>err
	is "$?" 2 "--width $width is refused"
done
if grep -q 'define HAVE_ZLIB' "$abs_top_builddir/config.h"; then
	tar -czf busy.tgz busy
	"$PERFMON" report --width 80 busy.tgz >out 2>err
	"$PERFMON" report --width 80 busy >want
	is "$(unnamed out)" "$(unnamed want)" "an archive gives the same report as its directory"
else
	skip "an archive gives the same report as its directory" "built without zlib"
fi
"$PERFMON" report busy empty >out 2>err
is "$?$(cat err) $(grep -c '^Job ' out) $({ "$PERFMON" report busy; echo; "$PERFMON" report empty; } | cmp -s - out; echo $?)" "0 2 0" \
	"two jobs are reported one after the other"
"$PERFMON" report busy nosuchjob >out 2>err
is "$? $(wc -l <err)" "1 1" "one that is not there is an error"
"$PERFMON" report --json busy nosuchjob >out 2>err
is "$? $(tail -n 1 out)" "1 ]" "and ends the array of those before it"

"$PERFMON" report --limit 1 busy | sed -n '/^Programs by CPU/,/^$/p' >out
is "$(grep -c '^  ' out)" 2 "--limit leaves one row in a table"

# JSON: the same facts, unknown as null.
"$PERFMON" report --json busy >busy.json
is "$?" 0 "--json"
for fact in '"jobid": "4711"' '"wall_us": 60000000' '"cpus": 4' '"sampled": true' \
	'"memory_peak_process_bytes": 2457600000' '"exit_signal": null' '"id": "crashed"' \
	'"program": "python3.11 train.py"' '"charged_cpu_us": 70000000' '"rejected": 1'; do
	grep -q -F "$fact" busy.json
	ok $? "JSON has $fact"
done
# Every total is what the job's row says.
if need sqlite3 python3; then
	PERFMON_DB=$work/totals.db "$PERFMON" -q submit busy
	cat >totals.py <<'END'
import json, sqlite3, sys
columns = {"hosts": "hosts", "wall_us": "duration_us", "cpu_us": "cpu_time", "user_us": "usertime", "system_us": "systemtime",
           "cpus": "cpus", "images": "processes", "threads": "threads", "ranks": "ranks", "time_oncpu_us": "time_oncpu",
           "time_waiting_us": "time_waiting", "gpu_time_us": "gpu_time", "gpu_cycles": "gpu_cycles",
           "gpu_memory_peak_process_bytes": "gpu_memory", "memory_peak_process_bytes": "rssmax"}
for name in ("rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes", "minflt", "majflt", "failed", "killed"):
    columns[name] = name
if sys.argv[1] == "set":
    db = sqlite3.connect("totals.db")
    for i, column in enumerate(columns.values()):
        db.execute("UPDATE job SET %s = %d" % (column, 1000000 + 1000 * i))
    db.commit()
else:
    totals = json.load(open("totals.json"))["totals"]
    for i, name in enumerate(columns):
        want = 1000000 + 1000 * i
        want = want // 1000 if columns[name].startswith(("time_", "gpu_time")) else want * 1024 if columns[name] in ("rssmax", "gpu_memory") else want
        if totals[name] != want:
            print(name, totals[name], want)
END
	python3 totals.py set && PERFMON_DB=$work/totals.db "$PERFMON" report --json 4711 >totals.json
	is "$?$(python3 totals.py look)" 0 "the totals in JSON are those of the job's row"
fi
# The same preset as a quotient: each process has its own, and there is no sum.
mkdir rates
for file in counted/*; do
	sed 's|"N0 N1 +"|"N0 N1 /"|; s|"4714"|"4715"|' "$file" >"rates/${file##*/}"
done
"$PERFMON" report rates | grep -q '^ *PAPI_L1_TCM  *[1-9][0-9]*  *[0-9]*  *a rate: no total$'
ok $? "a preset that divides is not summed"
"$PERFMON" report --json rates | grep -A 2 '"name": "PAPI_L1_TCM"' | tr -d ' \n' | grep -q '"sum":null,"scope":"rate"'
ok $? "nor in JSON"
"$PERFMON" list counters rates | grep -q 'PAPI_L1_TCM (a rate)'
ok $? "and the list names it a rate"

"$PERFMON" report --json counted >counted.json
for fact in '"sum": 6001000000' '"least_ratio": 0.4' '"reason": "closed"' '"id": "ipc"' '"id": "flops_dp"' \
	'"value": 86.0' '"unit": "MFLOP/s"' '"id": "memory-bound"'; do
	grep -q -F "$fact" counted.json
	ok $? "JSON has $fact"
done
tr -d ' \n' <counted.json | grep -q '"reasons":\[{"reason":"closed","processes":1}'
ok $? "and how many processes have a reason"
"$PERFMON" report --json empty | grep -q -E '"(counters|metrics)"'
is "$?" 1 "a job without counters has nothing of them"
"$PERFMON" report --json empty | grep -q '"cpu_us": null'
ok $? "unknown is null"

# No database, then one.
for command in report show list; do
	"$PERFMON" $command >out 2>err
	is "$?" 1 "$command without a database fails"
	grep -q 'perfmon submit' err
	ok $? "$command says what to do"
	is "$(wc -l <err | tr -d ' ')" 1 "in one line"
done
"$PERFMON" report nowhere >out 2>err
is "$?" 1 "a job without a database fails"
"$PERFMON" report ./nowhere >out 2>err
is "$?" 1 "a directory that is not there fails"
grep -q nowhere err
ok $? "and is named"

"$PERFMON" submit busy >out 2>err # not 0: it has a damaged line
"$PERFMON" submit empty killed >out 2>err
"$PERFMON" report --width 80 busy >want 2>/dev/null
for name in 4711 anna/4711 /anna/4711 '#1'; do
	case $name in
	/*) name=${name#/} ;;
	esac
	"$PERFMON" report --width 80 "$name" >out 2>err
	is "$(unnamed out)" "$(unnamed want)" "the job from the database: $name"
	case $name in
	*#*) name="'$name'" ;;
	esac
	is "$(grep -c "All steps: perfmon show --critical $name\$" out)" 1 "and in a command that the report tells"
done
"$PERFMON" report --width 80 -j 4711 >out 2>err
is "$(unnamed out)" "$(unnamed want)" "the job from the database: -j"
"$PERFMON" --db "$work/named.db" submit busy >out 2>err
"$PERFMON" report --width 200 --db "$work/named.db" 4711 >out 2>err
is "$(grep -c "All steps: perfmon show --critical 4711 --db $work/named.db\$" out)" 1 "the database is told where it was given"
is "$("$PERFMON" report --width 200 --user anna --db "$work/named.db" --newest 1 | grep -c "All steps: perfmon show --critical '#[0-9]*' --db")" 1 "jobs that options select have their numbers"
"$PERFMON" report 471 >out 2>err
is "$?" 1 "an unknown job fails"
grep -q '471: no such job.*; similar .* anna/4711 ' err
ok $? "and similar ones are listed"
"$PERFMON" report 3 >out 2>err
grep -q '3: no such job.*quote a number in the shell): #3 ' err
ok $? "a number without its # finds the job named first"
"$PERFMON" report 'x
y' >out 2>err
is "$(wc -l <err | tr -d ' ')" 1 "a hostile name does not break the message"
"$PERFMON" report '#99' >out 2>err
is "$?" 1 "an unknown number fails"

# The same job id twice: another restart.
sed 's/"restart_count": 0/"restart_count": 1/; s/"name": "train"/"name": "again"/' \
	busy/job-node17.json >job && cp -R empty twice && mv job twice/job-node17.json
"$PERFMON" submit twice >out 2>err
"$PERFMON" report 4711 >out 2>err
is "$?" 1 "an ambiguous job id fails"
grep -q '#1 anna/4711 .*train.*#4 anna/4711 .*again\|#4 anna/4711 .*again.*#1 anna/4711 .*train' err
ok $? "and the candidates are listed"
"$PERFMON" report '#4' | grep -q '^Job 4711: again'
ok $? "one is chosen by its number"

# Without an operand: this shell's job, else my newest.
"$PERFMON" report >out 2>err
is "$?" 1 "jobs of others are not mine"
"$PERFMON" -a run true >out 2>err
"$PERFMON" report --width 80 >want 2>err
is "$?$(cat err)" 0 "my newest job"
grep -q '^Job .*: true' want
ok $? "is the one just run, though it is not loaded"
job=$(sed -n 's/^Job \([^:]*\):.*/\1/p' want)
"$PERFMON" report --width 80 "$job" >out 2>err
cmp -s out want
ok $? "it can be named"
"$PERFMON" submit >out 2>err
"$PERFMON" report --width 80 >out 2>err
cmp -s out want
ok $? "and is the same when it is loaded"
"$PERFMON" -a run false
"$PERFMON" report >out 2>err
grep -q '^Job .*: false' out
ok $? "a newer one that is not loaded comes first"
(
	rm -rf "$XDG_DATA_HOME"
	"$PERFMON" report >out 2>err
)
grep -q '^Job .*: false' out
ok $? "a database is not needed for it"
mkdir -p "$work/prefix/me"
cp -R busy "$work/prefix/me/4999"
sed -i 's/"jobid": "4711"/"jobid": "4999"/' "$work/prefix/me/4999/job-node17.json"
PERFMON_OUTPUT=$work/prefix/me/4999 "$PERFMON" report >out 2>err
grep -q '^Job 4999: train' out
ok $? "this shell's job comes from its directory"

# What would mislead a reader.
"$PERFMON" start && "$PERFMON" stop
"$PERFMON" report | grep -q 'None: no process was recorded'
ok $? "a job in which nothing was recorded is told how to record"
cp -R busy spared
sed -i '1s/read_bytes/cancelled_write_bytes/' spared/*.tsv
"$PERFMON" report spared | grep -q '50.0 MB were deleted before they reached storage'
ok $? "writes that were spared are told from those that reached storage"
grep -q 2400000 spared/node17-4321.tsv && sed -i 's/\t2400000\t/\t4800000\t/' spared/*.tsv
"$PERFMON" report --width 120 spared | grep -q 'the sampler missed that moment: it saw at most 2.40 GB'
ok $? "samples that missed the peak are not called it"
sed -i 's/\t4800000\t/\t1200000\t/' spared/*.tsv
"$PERFMON" report --width 120 spared | grep -q '2.40 GB in all processes together at the busiest moment'
ok $? "those that saw it are"
PERFMON_LIBRARY=$work/none.so "$PERFMON" -a run true 2>err
"$PERFMON" report >out
tr -s ' \n' ' ' <out | grep -q 'could not find its collector'
ok $? "a missing collector is named where no program recorded itself"
"$PERFMON" -a run true
"$PERFMON" report >out
tr -s ' \n' ' ' <out | grep -q 'could not find its collector'
is "$?" 1 "and only there"

if [ -c /dev/full ]; then
	"$PERFMON" report busy >/dev/full 2>err
	is "$?" 1 "a full disk is noticed"
	"$PERFMON" report --json busy >/dev/full 2>err
	is "$?|$(grep -q 'No space left' err && echo said)|$(grep -c memory err)" "1|said|0" "and named as JSON, too"
else
	skip "a full disk is noticed" "no /dev/full"
fi
done_testing
