#!/bin/sh
# PostgreSQL with many who want it at once: submitters, readers, users; and what ends in the middle.
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

postgres_needed "PostgreSQL"
generate=$abs_top_builddir/tests/progs/generate
postgres_sql postgres -c 'CREATE DATABASE many' -c 'CREATE DATABASE middle' || exit 99

# A day that is not the one on which the test runs: a day must not end in between.
PGOPTIONS='-c perfmon.today=2030_11_20'
PERFMON_DB=$(postgres_url many)
export PERFMON_DB PGOPTIONS
many() { postgres_sql many -c "$1"; }

# another NAME USER: the job as one of another name and user.
another()
{
	cp -R job "job$1" && sed -i "s/4711/$1/g; s/tester/$2/g" "job$1"/*
}
# shellcheck disable=SC2046 # words
set -- $("$generate" job 200 3)
processes=$1
for name in 1 2 3 4 5; do
	another $name anna
done
another 6 bob

# --- at once -------------------------------------------------------------------------------------
jobs=
for name in 1 2 3 4 5 6; do
	"$PERFMON" submit job$name >out$name 2>err$name &
	jobs="$jobs $!"
done
status=
for pid in $jobs; do
	wait "$pid"
	status=$status$?
done
is "$status|$(cat err?)" "000000|" "six at once into a database that is not there yet: all succeed"
is "$(many 'SELECT count(*), min(processes), max(processes), min(id), max(id) < 100 FROM job')" \
	"6|$processes|$processes|1|t" "six jobs are there, with all of their processes"

for host in 0 1 2; do
	mkdir host$host && cp job/*n$host* host$host || exit 99
	"$PERFMON" submit host$host >out$host 2>err$host &
	eval "pid$host=\$!"
done
wait "$pid0"
status=$?
wait "$pid1"
status=$status$?
wait "$pid2"
status=$status$?
is "$status|$(cat err[012])" "000|" "three hosts of one job at once: all succeed"
is "$(many "SELECT processes, hosts, (SELECT count(*) FROM host h WHERE h.job_id = j.id),
	(SELECT count(*) FROM process p WHERE p.job_id = j.id),
	(SELECT count(*) FROM load l WHERE l.job_id = j.id) FROM job j WHERE jobid = '4711'")" \
	"$processes|3|3|$processes|6" "they are one job, which has all of them once"

# --- users ---------------------------------------------------------------------------------------
tables="host process thread_row counter tag_set load content"
# Views show rows as their reader's own only since PostgreSQL 15: before, readers have none.
views=no
[ "$(many 'SHOW server_version_num')" -lt 150000 ] || views=yes
[ $views = no ] || tables="$tables tag process_tree thread counter_summary operation"
many 'CREATE ROLE anna LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE chief LOGIN; CREATE ROLE loads LOGIN;
	CREATE ROLE nobody LOGIN; GRANT perfmon_reader TO anna, bob; GRANT perfmon_admin TO chief;
	GRANT perfmon_loader TO loads' || exit 99
as() { psql -X -q -A -t -h "$postgres_host" -U "$1" -d many -c "$2" 2>&1; }
is "$(as anna 'SELECT count(*), min("user"), max("user") FROM job')" "5|anna|anna" "a reader sees the own jobs"
if [ $views = yes ]; then
	is "$(as bob 'SELECT count(*), min("user"), max("user") FROM job_summary')" "1|bob|bob" "through views, too"
else
	case $(as bob 'SELECT count(*) FROM job_summary') in *"permission denied"*) true ;; *) false ;; esac
	ok $? "views are not for them"
fi
is "$(as chief 'SELECT count(*) FROM job')" 7 "an administrator sees all"
others=
for table in $tables; do
	own=$(as bob "SELECT count(DISTINCT job_id), min(job_id) FROM $table")
	all=$(as chief "SELECT count(DISTINCT job_id) FROM $table")
	[ "$own|$all" = "1|$(many "SELECT id FROM job WHERE \"user\" = 'bob'")|7" ] || others="$others $table: $own, $all"
done
is "$others" "" "of every table and view a reader sees the rows of the own jobs, an administrator all"
case $(as nobody 'SELECT count(*) FROM job') in *"permission denied"*) true ;; *) false ;; esac
ok $? "who has no role sees nothing"
case $(as anna "SELECT count(*) FROM $(many "SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r'
	AND relname LIKE 'process%' LIMIT 1")") in *"permission denied"*) true ;; *) false ;; esac
ok $? "a partition alone shows a reader nothing"
PERFMON_DB=$(postgres_url many bob) "$PERFMON" list jobs --json >out 2>err
is "$?|$(cat err)|$(grep -c '"user":' out)|$(grep -c '"user":"bob"' out)" "0||1|1" "perfmon list of a reader"
PERFMON_DB=$(postgres_url many bob) "$PERFMON" submit job >out 2>err
case $?$(cat err) in 1*"permission denied"*) true ;; *) false ;; esac
ok $? "a reader loads nothing, and is told"
is "$(cat err)" "perfmon: job: write the job: permission denied for table job; perfmon-schema(5) lists the roles and their rights" "and which may"
# Notes about the own jobs, but of no other's, nor anything else of them.
note()
{
	who=$1
	shift
	PERFMON_DB=$(postgres_url many "$who") "$PERFMON" annotate "$@" >out 2>err
	echo "$?|$(sed "s|$postgres_host|HOST|g; s/; similar.*//" err)"
}
sixth=$(many "SELECT id FROM job WHERE jobid = '6'")
is "$(note bob 6 good=yes why=test)$(note bob 6 good=no)$(note bob 6 --replace only=this)" "0|0|0|" "a reader annotates the own job"
is "$(note bob 6 more=that)|$(as bob "SELECT string_agg(name || value, ' ' ORDER BY name) FROM annotation")|$(many \
	"SELECT annotations FROM job WHERE jobid = '6'")" '0||morethat onlythis|{"more":"that","only":"this"}' "over what was there"
is "$(note anna "#$sixth" bad=yes)" "1|perfmon: #$sixth: no such job in postgresql://anna@HOST/many" "nobody else's"
said=
for statement in "INSERT INTO annotation VALUES ($sixth, 'bad', 'yes')" "UPDATE annotation SET value = 'bad'" "DELETE FROM annotation" \
	"UPDATE job SET annotations = 'bad' WHERE id = $sixth" "UPDATE job SET \"user\" = 'anna' WHERE id = $sixth" \
	"UPDATE job SET processes = 0" "DELETE FROM job WHERE id = $sixth"; do
	said="$said$(as anna "$statement" | sed 's/ERROR:  \(...\).*/\1/') "
done
is "$said|$(many "SELECT count(*) FROM annotation")$(many "SELECT \"user\" || annotations FROM job WHERE id = $sixth")" \
	'new    per per per |2bob{"more":"that","only":"this"}' "by no statement either"
others=$(many "SELECT min(id) FROM job WHERE \"user\" = 'anna'")
is "$(as bob "UPDATE annotation SET job_id = $others")$(as bob "UPDATE job SET \"user\" = 'anna'")" \
	'ERROR:  new row violates row-level security policy for table "annotation"ERROR:  permission denied for table job' "nor moves notes or jobs"
is "$(note chief 6 a=b | sed "s/#$sixth/#6/")" "1|perfmon: annotate job #6 in postgresql://chief@HOST/many: permission denied for table annotation; perfmon-schema(5) lists the roles and their rights" \
	"an administrator reads"
many "DELETE FROM annotation; UPDATE job SET annotations = NULL" || exit 99
another 7 anna
sed -i 's/"epoch_us":1700000000000000/"epoch_us":1921320000000000/' job7/*.json || exit 99
# The partitions of a day are made by one who only loads.
PERFMON_DB=$(postgres_url many loads) "$PERFMON" submit job7 >out 2>err
is "$?|$(cat err)" "0|" "one who may load does, on a new day"
seventh=$(many "SELECT id FROM job WHERE jobid = '7'")
is "$seventh|$(many "SELECT string_agg(name, ' ' ORDER BY first_id) FROM job_range")" \
	"10000001|2023_11_01 2030_11_19" "the day of the job has numbers of its own; older days are together by month"
is "$(many "SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r'
	AND pg_get_userbyid(relowner) = 'perfmon_loader'")" 22 "two ranges of eleven tables are the loaders'"
is "$(many "SELECT count(*) FROM process_2030_11_19")" "$processes" "its rows are in its partition"
is "$(as anna 'SELECT count(*) FROM job')" 6 "its reader sees it"
many "EXPLAIN (COSTS off) SELECT * FROM process WHERE job_id = $seventh" >plan
is "$(grep -c process_20 plan)" 1 "a question about a job looks into one partition"
PERFMON_DB=$(postgres_url many loads) "$PERFMON" submit --replace job7 >out 2>err
is "$?|$(cat err)|$(many "SELECT count(*) FROM process WHERE job_id = $seventh")" "0||$processes" "loaded again in its place"
as loads "DELETE FROM job WHERE id = $seventh" >out
left=
none=
for table in $tables series sample reject annotation; do
	none=${none}0
	left=$left$(many "SELECT count(*) FROM $table WHERE job_id = $seventh")
done
is "$(cat out)$left" "$none" "a job that is deleted takes all of its rows with it"
many 'CREATE ROLE plain LOGIN' && many 'CREATE DATABASE own OWNER plain' || exit 99
PERFMON_DB=$(postgres_url own plain) "$PERFMON" submit job >out 2>err
is "$?|$(cat err)|$(PERFMON_DB=$(postgres_url own plain) "$PERFMON" list | grep -c 4711)" "0||1" \
	"who may make no roles has a database alone"

# --- in the middle -------------------------------------------------------------------------------
# A load stands still where its rows are written, but not its files: another one has that table.
PERFMON_DB=$(postgres_url middle)
middle() { postgres_sql middle -c "$1"; }
"$PERFMON" submit job1 >out 2>err || exit 99
tries() { count=0; until eval "$1"; do [ $((count += 1)) -gt 600 ] && return 1; sleep 0.1; done; }
hold()
{
	# The one before has said the same.
	: >said
	mkfifo held
	postgres_sql middle <held >said &
	holder=$!
	exec 7>held
	echo "BEGIN; LOCK TABLE content IN ACCESS EXCLUSIVE MODE; SELECT 'holds';" >&7
	tries 'grep -q holds said'
}
release()
{
	exec 7>&-
	wait "$holder"
	rm held
}
stands()
{
	tries '[ "$(middle "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\''perfmon'\'' AND wait_event_type = '\''Lock'\''")" = 1 ]'
}
whole() { middle "SELECT count(*), sum(processes), (SELECT count(*) FROM process) FROM job"; }

hold
"$PERFMON" --db "postgresql://postgres:dont-tell@/middle?host=$postgres_host&password=nor-this" submit job2 >out 2>err 7>&- &
loads=$!
stands
ok $? "a load stands still in the middle"
tr '\0' ' ' </proc/$loads/cmdline >arguments
case $(cat arguments) in *dont-tell* | *nor-this*) false ;; *postgres:xxx*) true ;; *) false ;; esac
ok $? "its arguments show no password"
is "$("$PERFMON" list jobs --json | grep -c '"jobid":')|$("$PERFMON" list processes 2 2>&1 | grep -c 'no such job')" "1|1" \
	"a reader sees the whole jobs, and nothing of that which is loaded"
kill -9 "$loads"
wait "$loads" 2>/dev/null
release
is "$(whole)" "1|$processes|$processes" "killed, it leaves nothing"
"$PERFMON" submit job2 >out 2>err
is "$?|$(cat err)|$(whole)" "0||2|$((2 * processes))|$((2 * processes))" "and the next one loads all of it"

hold
"$PERFMON" submit job3 job4 >out 2>err 7>&- &
loads=$!
stands
middle "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'perfmon'" >/dev/null
release
wait "$loads"
is "$?|$(grep -c '^perfmon: job3: .*terminat' err)|$(grep -c '^job 4: ' out)" "1|1|1" \
	"a lost connection costs the job that was loaded, not the next one"
is "$(whole)" "3|$((3 * processes))|$((3 * processes))" "of which there is nothing"

export PERFMON_SPOOL_AGE=0
mkdir spool && tar -czf spool/a.tgz job3 && touch -d '1 hour ago' spool/a.tgz || exit 99
hold
"$PERFMON" submit --spool spool >out 2>err 7>&- &
loads=$!
stands
postgres_stop immediate
wait "$loads"
is "$?|$(ls spool/*.tgz)" "75|spool/a.tgz" "a server that is stopped: temporary, and the archive stays"
grep -q '^perfmon: spool/a.tgz is left in the spool: ' err
ok $? "it is said which one, and why"
exec 7>&-
wait "$holder"
"$PERFMON" submit --spool spool >out 2>err
is "$?|$(ls spool/*.tgz)" "75|spool/a.tgz" "no server: the same"
"$PERFMON" submit job4 >out 2>err
case $?$(cat err) in "1perfmon: database postgresql://postgres@$postgres_host/middle: "*) true ;; *) false ;; esac
ok $? "and submit says which"
postgres_again || exit 99
"$PERFMON" submit --spool spool >out 2>err
is "$?|$(whole)" "0|4|$((4 * processes))|$((4 * processes))" "it is there again: the archive is loaded, whole"
done_testing
