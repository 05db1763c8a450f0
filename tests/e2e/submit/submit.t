#!/bin/sh
# perfmon submit: a directory, again, hosts that come late, newer files, what it prints.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

generate=$abs_top_builddir/tests/progs/generate
PERFMON_DB=$work/perfmon.db
export PERFMON_DB

if ! need python3 sqlite3; then
	skip "submit" "no $missing to look into the database with"
	done_testing
fi

want=$("$generate" --truth truth job 400 2) || exit 99
# shellcheck disable=SC2086
set -- $want
processes=$1 rows=$2 failed=$3 killed=$4 unseen=$5

"$PERFMON" submit job >out 2>err
is $? 0 "a good job: exit status 0"
is "$(sed 's/ [0-9]* processes\/s$//' out)" "job 4711: $processes processes, $(query 'SELECT count(*) FROM thread') threads, 0 rejected," \
	"one line per job"
is "$(cat err)" "" "nothing on standard error"
is "$(query 'SELECT processes, failed, killed, running, reaped_only, rejected, hosts FROM job')" \
	"$processes|$failed|$killed|0|$unseen|0|2" "the job's counts are the generator's"
is "$(query 'SELECT count(*) FROM thread_row')" "$rows" "a row per thread"
is "$(query 'SELECT count(*), count(DISTINCT host_id) FROM process')" "$processes|2" "a row per process"
is "$(query 'SELECT count(*) FROM process WHERE parent_id IS NULL')" 2 "one root per host"
is "$(query 'SELECT count(*) FROM process p JOIN process q ON q.id = p.parent_id WHERE q.host_id <> p.host_id')" 0 \
	"no parent on another host"
is "$(query 'SELECT name, value FROM tag WHERE process_id = 0')" "exp|a:b=c" "the job's tag"
is "$(query "SELECT count(*) FROM tag WHERE process_id > 0 AND name = 'stage' AND value = 'one=1'")" "$((processes - unseen))" \
	"the processes' tags"
query "SELECT name, value, ratio FROM counter WHERE thread_id = 0" | sort >counters
awk -F '\t' '$2 == "record" { for (i = 1; i <= NF; i++) if ($i == "counters") c = i } $2 == "end" { gsub(" ", "\n", $c); print $c }' job/*.tsv |
	sed 's/=/|/; s/@0.500/|0.5/; /|.*|/!s/$/|/' | sort >recorded
cmp -s counters recorded && [ "$(grep -c '^perf::PAGE-FAULTS|[1-9][0-9]*|0.5$' counters)" -gt 300 ]
ok $? "counters with their ratio"
is "$(query 'SELECT sum(cpu_time) = (SELECT cpu_time FROM job), sum(minflt) = (SELECT minflt FROM job), max(rssmax) = (SELECT rssmax FROM job) FROM process')" \
	"1|1|1" "sums and maxima of the job are those of its processes"
is "$(query 'SELECT sum(inclusive_cpu_time) = (SELECT cpu_time FROM job) FROM process WHERE parent_id IS NULL')" 1 \
	"the roots' inclusive time is all time"
is "$(query 'SELECT count(*) FROM process p WHERE p.inclusive_cpu_time <> coalesce(p.cpu_time, 0) + (SELECT coalesce(sum(inclusive_cpu_time), 0) FROM process c WHERE c.parent_id = p.id)')" \
	0 "inclusive time is own time and that of the children"
query "SELECT pid, generation, cpu_time FROM process WHERE generation > 0" | sort >cpu-times
awk -F '\t' '$5 + 0 > 0 { print $3 "|" $5 "|" $14 }' truth | sort | cmp -s - cpu-times && [ -s cpu-times ]
ok $? "an image's time is without that of the image before it"
is "$(query 'PRAGMA integrity_check')$(query 'PRAGMA foreign_key_check')" ok "the database is whole"

cp -R job tags && sed -i 's/op:build;stage:one=1/stage:0;op;;:x;op:build;stage:one=1;/' tags/*.tsv || exit 99
PERFMON_DB=$work/tags.db "$PERFMON" submit tags >out 2>err
is "$?|$(query "SELECT name, value, count(*) FROM tag WHERE process_id > 0 GROUP BY name, value" "$work/tags.db")" \
	"0|op|build|$((processes - unseen))
stage|one=1|$((processes - unseen))" "of several values of a tag the last counts"

# More sets of tags than are kept in mind, some longer than one is.
mkdir many && cp job/*.json many && for tsv in job/*.tsv; do
	awk '/op:build;stage:one=1/ { tags = "n:" n++ % 180; if (n % 40 == 0) for (i = 0; i < 400; i++) tags = tags ";t" i
		gsub(/op:build;stage:one=1/, FILENAME ";" tags) } { print }' "$tsv" >"many/${tsv##*/}" || exit 99
done
PERFMON_DB=$work/many.db "$PERFMON" submit many >out 2>err
is "$?|$(query "SELECT count(*), count(DISTINCT p.tags) > 300, sum(p.tags LIKE '%;t399') > 0, sum(CASE WHEN n.value IS NULL OR
	p.tags || ';' NOT LIKE '%;n:' || n.value || ';%' OR (p.tags LIKE '%;t399') <> (t.name IS NOT NULL) THEN 1 ELSE 0 END)
	FROM process p LEFT JOIN tag n ON n.job_id = p.job_id AND n.process_id = p.id AND n.name = 'n'
	LEFT JOIN tag t ON t.job_id = p.job_id AND t.process_id = p.id AND t.name = 't399'
	WHERE p.tags IS NOT NULL" "$work/many.db" | cut -d'|' -f2-)" "0|1|1|0" "every process has its own"
is "$(PERFMON_DB=$work/many.db "$PERFMON" verify | tail -n 1)" "$work/many.db: 1 job checked, 0 faults" "as verify finds, too"

query 'SELECT * FROM process ORDER BY id' >before
"$PERFMON" submit job >out 2>err
is "$?|$(cat out)" "0|job 4711: already loaded, nothing new" "the same again: a no-op that says so"
query 'SELECT * FROM process ORDER BY id' | cmp -s - before
ok $? "and nothing changed"
is "$(query 'SELECT count(*) FROM load')" 4 "nor was a load noted"
cp -R job elsewhere && "$PERFMON" submit elsewhere >out
is "$(cat out)" "job 4711: already loaded, nothing new" "a copy of it is the same"

mkdir host0 host1 && cp job/*n0* host0 && cp job/*n1* host1 || exit 99
PERFMON_DB=$work/late.db "$PERFMON" submit host1 >out 2>err
PERFMON_DB=$work/late.db "$PERFMON" submit host0 >out 2>err
is $? 0 "a host that comes late"
grep -q 'added to the earlier load' out
ok $? "is added"
same='SELECT processes, threads, failed, killed, hosts, cpus, cpu_time, start_us, end_us, duration_us, efficiency, rchar, rssmax FROM job'
is "$(query "$same" late.db)" "$(query "$same")" "and the job is as if loaded at once"
rows='SELECT h.hostname, p.pid, p.image_us, p.depth, p.cpu_time, p.inclusive_cpu_time, q.pid FROM process p JOIN host h ON h.id = p.host_id LEFT JOIN process q ON q.id = p.parent_id ORDER BY 1, 2, 3'
is "$(query "$rows" late.db | cksum)" "$(query "$rows" | cksum)" "so are its processes"

# A job loaded while it runs, and again when it is over.
mkdir early && cp job/job-n0.json early && head -n 101 job/n0-1000.tsv >early/n0-1000.tsv || exit 99
PERFMON_DB=$work/grown.db "$PERFMON" submit early >out 2>err
is $? 0 "a job that is still growing"
sed 's/^job 4711: //' out >early.said
cp -R early other && sed -i 's/"4711"/"other"/' other/*.json && sed -i 's/\t4711\t/\tother\t/' other/*.tsv || exit 99
PERFMON_DB=$work/grown.db "$PERFMON" submit job >out 2>err
is $? 0 "and the whole of it later"
grep -q 'replaces the earlier load' out
ok $? "replaces it"
is "$(query "$rows" grown.db | cksum)" "$(query "$rows" | cksum)" "with the same rows"
is "$(query 'SELECT count(*), sum(rejected) FROM load' grown.db)" "4|0" "and the same files"
PERFMON_DB=$work/never.db "$PERFMON" submit --dry-run job >out 2>err
is "$?|$(grep -c "$processes processes" out)|$(grep -c 'nothing was written' out)" "0|1|1" "--dry-run says what would be loaded"
[ ! -e never.db ]
ok $? "and makes no database"
# What the database has counts, and stays as it is.
mkdir dry && PERFMON_DB=$work/dry/x.db "$PERFMON" -q submit early && cksum dry/* >before
says=
for options in early job "--replace early" "early job" "--drop early"; do
	# shellcheck disable=SC2086 # words
	PERFMON_DB=$work/dry/x.db "$PERFMON" submit -n $options >out 2>err
	says="$says$?$(cat err | head -c 200):$(sed 's/^job 4711: //; s/ process.*(/ (/; s/ process.*s$//' out | tr '\n' '|') "
done
is "$says" "0:already loaded, nothing new|nothing was written: this was a dry run| \
0:$processes (replaces the earlier load)|nothing was written: this was a dry run| \
0:$(sed 's/ .*//' early.said) (replaces the earlier load)|nothing was written: this was a dry run| \
0:$processes (replaces the earlier load)|nothing was written: this was a dry run| \
0:would empty database $work/dry/x.db: 1 job|$(sed 's/ .*//' early.said)|nothing was written: this was a dry run| " \
	"with a database that has some of it: as that would"
is "$(cksum dry/*)" "$(cat before)" "which is as it was, and alone"
PERFMON_DB=$work/dry/x.db "$PERFMON" submit -n --json job other >out 2>err
is "$(python3 -c 'import json; print([(j["job"], j["id"], j["state"]) for j in json.load(open("out"))])')" \
	"[('4711', 1, 'replaced'), ('other', None, 'new')]" "and has a number for what it has"
sed 's/3/9/' dry/x.db | head -c 5000 >dry/bad.db
PERFMON_DB=$work/dry/bad.db "$PERFMON" submit -n job >out 2>err
is "$?|$(cat out)|$(grep -c "^perfmon: .*$work/dry/bad.db" err)" "1||1" "one that could not be loaded into says so in a dry run, too"
"$PERFMON" submit -q job >out 2>err
is "$?$(cat out err)" 0 "-q: silence"
PERFMON_DB=$work/json.db "$PERFMON" submit --json job >out
is "$(python3 -c 'import json; j = json.load(open("out"))[0]; print(j["job"], j["state"], j["processes"], j["rejected"])')" \
	"4711 new $processes 0" "--json"

"$PERFMON" submit "$work/none" >out 2>err
is "$?|$(cat err)" "1|perfmon: $work/none: No such file or directory" "a source that is not there"
echo hello >text.tgz
"$PERFMON" submit text.tgz 2>err
is "$?|$(grep -c 'text.tgz: not an archive, or truncated in its first header' err)" "1|1" "a text is no archive"
"$PERFMON" submit 4711 2>err
is "$?|$(cat err)" "1|perfmon: 4711: No such file or directory; no job with this id can be loaded either" "neither a source nor a job"
mkdir empty && "$PERFMON" submit empty >out 2>err
is $? 1 "a directory without a job"
grep -q 'no job in it' err
ok $? "says so"
"$PERFMON" submit "$work/none" job empty >out 2>err
is "$?|$(wc -l <err)|$(cat out)" "1|2|job 4711: already loaded, nothing new" "one bad source costs no other"

# Without operands.
(unset PERFMON_DB && "$PERFMON" submit) >out 2>err
is $? 1 "nothing to submit"
grep -q 'no closed job' err
ok $? "says so"
if "$PERFMON" -a run true 2>err && "$PERFMON" -a run false 2>>err; [ ! -s err ]; then
	unset PERFMON_DB
	"$PERFMON" submit >out 2>err
	is $? 0 "the user's newest job, by itself"
	"$PERFMON" submit -n >out3 2>err
	"$PERFMON" submit >out2 2>err
	is $? 0 "then the one before it"
	is "$(sed 's/:.*//;q' out3)" "$(sed 's/:.*//' out2)" "which a dry run names, too"
	[ "$(sed 's/:.*//' out)" != "$(sed 's/:.*//' out2)" ]
	ok $? "which is another"
	"$PERFMON" submit >out 2>err
	is $? 1 "then there is none"
	grep -q 'the database has them all' err
	ok $? "and why"
	db=$HOME/data/perfmon/perfmon.db
	is "$(stat -c %a "$db" "$(dirname "$db")" | tr '\n' ' ')" "600 700 " "its database is private"
	is "$(query 'SELECT exit_status FROM job ORDER BY start_us' "$db" | tr '\n' ' ')" "0 1 " "exit statuses"
else
	diag "$(cat err)"
	ok 1 "recording a job to submit"
fi

# In a job of a batch system that one is meant, though a newer one is there.
array="SLURM_JOB_ID=83 SLURM_ARRAY_JOB_ID=80 SLURM_ARRAY_TASK_ID=3"
PERFMON_DB=$work/batch.db
export PERFMON_DB
if LSB_JOBID=71 "$PERFMON" -a run true 2>err && env $array "$PERFMON" -a run true 2>>err &&
	"$PERFMON" -a run true 2>>err; then
	is "$(env $array "$PERFMON" report 2>err | sed -n "1s/:.*//p")|$(env $array "$PERFMON" list processes --csv |
		grep -c true)" "Job 80, array task 3|1" "what is recorded of a batch system's job is what report and list show in it"
	LSB_JOBID=71 "$PERFMON" submit >out 2>err
	is "$?|$(query 'SELECT jobid, array_task FROM job')" "0|71|" "submit in a job of LSF"
	env $array "$PERFMON" submit >out 2>err
	is "$?|$(query "SELECT jobid, array_task FROM job WHERE jobid <> '71'")" "0|80|3" "in a task of an array of Slurm"
	is "$(LSB_JOBID=71 "$PERFMON" show --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["job"]["jobid"])')" 71 \
		"show, when it is loaded and a newer one, too"
	PERFMON_JOBID=71 env $array "$PERFMON" submit >out 2>err
	is "$?|$(cat out)" "0|job 71: already loaded, nothing new" "perfmon's own word about the job comes first"
	LSB_JOBID=99 "$PERFMON" submit >out 2>err
	is "$?|$(query 'SELECT count(*) FROM job')" "0|3" "a job that nobody recorded: the newest"
else
	diag "$(cat err)"
	ok 1 "recording jobs of batch systems"
fi
done_testing
