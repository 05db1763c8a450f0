#!/bin/sh
# perfmon delete, retire, drop and submit --drop: what was to go is gone, all else is as it was.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
. "$abs_top_srcdir/tests/e2e/manage.sh"

if ! need python3 sqlite3; then
	skip "delete" "no $missing"
	done_testing
fi
golden=$abs_top_srcdir/tests/golden
mkdir real v1 && cp "$golden"/schema/job/* real && cp "$golden"/v1/job/* v1 || exit 99
"$abs_top_builddir/tests/progs/generate" job 150 2 >/dev/null || exit 99
for n in 1 2 3; do
	# shellcheck disable=SC2046 # words
	PERFMON_DB=$work/$n.db "$PERFMON" submit $(echo real v1 job | cut -d' ' -f-$n) >out 2>err
done
copy() { rm -f x.db*; cp "$1.db" x.db; }
for n in 1 2 3; do
	rows $n.db >$n.rows
done
is "$(sqlite3 3.db 'SELECT count(*) FROM job')|$(sqlite3 3.db 'SELECT jobid FROM job WHERE id = 3')" "3|4711" "three jobs"

# --- delete ---------------------------------------------------------------------------------------
copy 3
is "$(perfmon x.db delete 4711)|$(cat out | wc -l)" \
	"2|perfmon: delete: cannot be undone and no terminal to confirm it on: give --force|1" \
	"nobody to ask: the command line says it must be forced"
is "$(perfmon x.db delete | sed 's/;.*//')" "2|perfmon: delete: name the jobs to delete, or say by options such as --tag which" "no job named"
is "$(perfmon x.db delete -f 4711 nosuch | sed 's/ in .*//')" "1|perfmon: nosuch: no such job" "one that is not there"
is "$(perfmon x.db delete -n 4711 '#1')|$(cat out)" "0||would delete job #3 tester/4711 with $(
	sqlite3 3.db 'SELECT processes FROM job WHERE id = 3') processes from $work/x.db
would delete job #1 alice/11174-1 with 10 processes from $work/x.db" "a dry run tells"
same 3.rows x.db "none of these deletes anything"
terminal no env PERFMON_DB="$work/x.db" "$PERFMON" delete 4711 >out
is "$?|$(grep -c 'yes/NO' out)|$(grep -c 'not confirmed: nothing was changed' out)" "1|1|1" "asked, and no"
terminal "" env PERFMON_DB="$work/x.db" "$PERFMON" delete 4711 >out
is $? 1 "asked, and nothing"
same 3.rows x.db "nothing is deleted then"
terminal yes env PERFMON_DB="$work/x.db" "$PERFMON" delete 4711 >out
is "$?|$(grep -c 'deleted job #3 tester/4711' out)" "0|1" "asked, and yes"
same 2.rows x.db "every row of the job is gone, and no other"
is "$(perfmon x.db delete -f 4711 | sed 's/ in .*//')" "1|perfmon: 4711: no such job" "again: it is gone"
PERFMON_DB=$work/x.db "$PERFMON" submit job >out 2>err
same 3.rows x.db "it can be loaded again, to the same rows"
is "$(perfmon x.db delete -q -f 4711 -j 77_3 4711)|$(cat out)" "0||" "several, one of them twice, quietly"
same 1.rows x.db "they are gone"

copy 3
sqlite3 x.db "UPDATE job SET jobid = '77', array_task = '3' WHERE id = 3"
rows x.db >two.rows
is "$(perfmon x.db delete -f 77_3 | sed 's/(.*#/ #/; s/(.*//')" \
	"1|perfmon: several jobs match; name one by its number, quoted for the shell: #3 tester/77_3  #2 c1/someone/77_3 " \
	"an id of two jobs says which"
same two.rows x.db "and deletes none"

# Beside a reader, and behind a writer.
copy 3
cat >hold.py <<'EOF'
import os, sqlite3, time
reader = sqlite3.connect("x.db")
reader.execute("PRAGMA journal_mode = WAL")
reader.execute("BEGIN")
n = reader.execute("SELECT count(*) FROM process").fetchone()
writer = sqlite3.connect("x.db", isolation_level=None)
writer.execute("BEGIN IMMEDIATE")
open("holding", "w").close()
time.sleep(0.7)
writer.execute("UPDATE job SET name = name")
writer.execute("COMMIT")
while not os.path.exists("deleted"):
    time.sleep(0.01)
again = reader.execute("SELECT count(*) FROM process").fetchone()
open("seen", "w").write("yes" if n == again else "no")
EOF
python3 hold.py &
holder=$!
while [ ! -e holding ] && kill -0 $holder; do sleep 0.02; done
is "$(perfmon x.db delete -f 4711)" "0|" "a writer is waited for, a reader not"
: >deleted
wait $holder
is "$(cat seen)" yes "which sees the job to the end"
same 2.rows x.db "and it is gone"

killed 8 delete 3.db delete -f 4711

# What may not be written.
if [ "$(id -u)" -eq 0 ] && need setpriv; then
	copy 3
	chmod 711 "$work" && chmod 644 x.db
	for verb in "delete -f 4711" "drop -f" "retire --older-than 1d" "migrate"; do
		# shellcheck disable=SC2086 # words
		is "$(PERFMON_DB=$work/x.db setpriv --reuid=65534 --regid=65534 --clear-groups "$PERFMON" $verb 2>&1)" \
			"perfmon: write to database $work/x.db: Permission denied" "another user's database: $verb"
	done
	same 3.rows x.db "it is as it was"
else
	skip "another user's database" "not root"
fi
# shellcheck disable=SC2016 # expanded there
if full 2000 'cp 3.db full/x.db; head -c 3000000 /dev/zero >full/fill 2>/dev/null
	for verb in "delete -f 4711" "retire --older-than 1d" "drop -f"; do
		PERFMON_DB=$work/full/x.db "$PERFMON" $verb >>full.out 2>&1; echo "$?" >>full.out
	done
	cp full/x.db* .; mkdir as; mv x.db* as; rm full/fill
	PERFMON_DB=$work/full/x.db "$PERFMON" delete -f 4711 >out 2>err
	echo "$?" >>full.out; mkdir after; cp full/x.db* after'; then
	is "$(grep -c 'full' full.out)|$(grep -x -E '[0-9]+' full.out | tr '\n' ' ')" "3|1 1 1 0 " \
		"a full disk is said, and is no end"
	same 3.rows as/x.db "on a full disk nothing changes"
	same 2.rows after/x.db "with room again it does"
else
	skip "a full disk" "not root, or no mount"
fi

# --- retire ---------------------------------------------------------------------------------------
for n in 1 2 3; do
	sqlite3 $n.db "UPDATE job SET end_us = (1000000 * strftime('%s', 'now') - 86400000000 * CASE id WHEN 1 THEN 10 ELSE 100 END)"
done
for n in 1 2; do # at the same time in all
	sqlite3 $n.db "ATTACH '3.db' AS o; UPDATE job SET end_us = (SELECT end_us FROM o.job o WHERE o.id = job.id)"
done
for n in 1 2 3; do
	rows $n.db >$n.rows
done
copy 3
processes=$(sqlite3 3.db 'SELECT sum(processes) FROM job WHERE id > 1')
is "$(perfmon x.db retire | sed 's/:.*: / /')" \
	"2|perfmon set the age with --older-than, as 90d, or with the setting retire_after" "no age"
is "$(perfmon x.db retire --older-than 0s | cut -c1-50)" "2|perfmon: --older-than 0s: this would delete ever" "age 0"
is "$(perfmon x.db retire --older-than soon | cut -c1-32)" "2|perfmon: --older-than: 'soon' " "an age that is none"
is "$(perfmon x.db retire --older-than 90)" "2|perfmon: --older-than 90: a unit is needed, as in 90d or 90h" \
	"an age without a unit: 90 seconds is not what was meant"
is "$(PERFMON_RETIRE_AFTER=1.5 perfmon x.db retire)" "2|perfmon: retire_after 1.5: a unit is needed, as in 1.5d or 1.5h" \
	"nor in the setting"
is "$(perfmon x.db retire -n --older-than 90d)|$(sed 's/, ended.*//' out)" \
	"0||would retire 2 jobs with $processes processes" "a dry run counts"
is "$(perfmon x.db retire --older-than 101d)|$(sed 's/, ended.*//' out)" "0||retired 0 jobs with 0 processes" "none is as old"
same 3.rows x.db "neither deletes anything"
is "$(PERFMON_RETIRE_AFTER=90d perfmon x.db retire -u)|$(sed 's/, ended.*//' out)" \
	"0||retired 2 jobs with $processes processes" "by the setting"
same 1.rows x.db "the old jobs are gone, and no row of the other"

killed 7 retire 3.db retire --older-than 90d

copy 3
sqlite3 x.db 'SELECT * FROM job_summary' >summary
is "$(perfmon x.db retire --older-than 90d --keep-summary)|$(sed 's/, ended.*//' out)" \
	"0||retired 2 jobs with $processes processes" "summaries may stay"
sqlite3 x.db 'SELECT * FROM job_summary' | cmp -s - summary
ok $? "they read as before"
is "$(for t in process thread_row counter tick_block sample_block series content tag_set reject; do
	sqlite3 x.db "SELECT count(*) FROM $t WHERE job_id > 1 $([ $t != tag_set ] || echo AND id '>' 0)"
done | tr '\n' ' ')" "0 0 0 0 0 0 0 0 2 " "the detail is gone, rejected lines are not"
rows x.db process thread_row counter tick_block sample_block series content tag_set tag | grep 'job_id=1 ' >kept
rows 3.db process thread_row counter tick_block sample_block series content tag_set tag | grep 'job_id=1 ' | cmp -s - kept
ok $? "that of younger jobs is not"
is "$(perfmon x.db report '#3')|$(tr -s ' \n' ' ' <out | grep -c 'retired: its processes, counters and samples are no longer')" \
	"0||1" "a report says so"
is "$(perfmon x.db retire --older-than 90d --keep-summary)|$(sed 's/, ended.*//' out)" "0||retired 0 jobs with 0 processes" \
	"again: done already"
is "$(perfmon x.db submit job)|$(cat out)" "0||job 4711: already loaded, nothing new" "its files are still known"
is "$(perfmon x.db retire --older-than 90d)|$(sed 's/, ended.*//' out)" "0||retired 2 jobs with $processes processes" \
	"and the summaries go with time"
same 1.rows x.db "wholly"

# Room: used again, or given back.
before=$(stat -c %s 3.db)
copy 3
perfmon x.db retire --older-than 90d >/dev/null
[ "$(stat -c %s x.db)" -ge "$before" ]
ok $? "without --vacuum the file keeps its size"
copy 3
is "$(perfmon x.db retire --older-than 90d --vacuum)" "0|" "--vacuum"
[ "$(stat -c %s x.db)" -lt "$before" ]
ok $? "gives the room back"
same 1.rows x.db "and changes no row"

# Loads between its transactions get through.
copy 2
PERFMON_DB=$work/x.db "$PERFMON" retire --older-than 90d >out1 2>&1 &
pid=$!
PERFMON_DB=$work/x.db "$PERFMON" submit job >out2 2>&1
status=$?
wait $pid
status=$status$?
# The job that came is old, too: it may have come in time to be retired.
n=$(sqlite3 x.db 'SELECT count(*) FROM job; PRAGMA foreign_key_check; PRAGMA integrity_check' | tr '\n' ' ')
[ "$status" = 00 ] && { [ "$n" = "1 ok " ] || [ "$n" = "2 ok " ]; }
ok $? "a load at the same time"

# --- drop -----------------------------------------------------------------------------------------
copy 3
sqlite3 x.db "CREATE TABLE mine (a); INSERT INTO mine VALUES (1)"
rows x.db >mine.rows
is "$(perfmon x.db drop)" "2|perfmon: drop: cannot be undone and no terminal to confirm it on: give --force" "drop asks"
is "$(perfmon x.db drop -n)|$(cat out)" "0||would empty database $work/x.db: 3 jobs" "a dry run counts the jobs"
is "$(perfmon x.db drop 4711 | cut -d, -f1)" "2|perfmon: drop: takes no operands; --db names the database" "operands"
terminal n env PERFMON_DB="$work/x.db" "$PERFMON" drop >out
is "$?|$(grep -c '3 jobs, will be deleted for good. Go on? (yes/NO): ' out)" "1|1" "asked, and no"
same mine.rows x.db "nothing is gone"
is "$(perfmon x.db drop -f)|$(cat out)" "0||database $work/x.db is empty: 3 jobs deleted" "forced"
is "$(sqlite3 x.db 'SELECT a FROM mine; DROP TABLE mine')" 1 "what others put there stays"
mkdir none
PERFMON_DB=$work/empty.db "$PERFMON" submit none >out 2>err
rows empty.db >empty.rows
same empty.rows x.db "all of ours is gone"
[ "$(stat -c %s x.db)" -le $(($(stat -c %s empty.db) + 32768)) ]
ok $? "and the room it took"
killed 5 drop 3.db drop -f
sqlite3 other.db 'CREATE TABLE job (a)' && cp other.db other.before
is "$(perfmon other.db drop -f | sed 's/.*: n/n/')" "not a perfmon database: it has no table schema_version" \
	"a database of something else"
cmp -s other.db other.before
ok $? "is left alone, byte for byte"
is "$(perfmon none.db drop -f | sed 's/.*: //')|$(echo none.db*)" "No such file or directory|none.db*" "one that is not there"

# --- submit --drop --------------------------------------------------------------------------------
copy 3
is "$(perfmon x.db submit --drop real)" "2|perfmon: submit: cannot be undone and no terminal to confirm it on: give --force" \
	"submit --drop asks"
is "$(perfmon x.db submit --drop -n real | cut -d'|' -f2)" "" "a dry run does not"
same 3.rows x.db "nothing is gone"
is "$(perfmon x.db submit --drop -f real)" "0|" "submit --drop --force"
PERFMON_DB=$work/fresh.db "$PERFMON" submit real >out 2>err
rows fresh.db >fresh.rows
same fresh.rows x.db "the database is what a new one would be"
is "$(perfmon x.db submit --drop -f --spool none | cut -c1-37)" "2|perfmon: --spool cannot be combined" "not of a spool"
done_testing
