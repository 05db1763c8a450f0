#!/bin/sh
# retire from PostgreSQL drops the partitions of whole days: every row that is left is what SQLite has after the same.
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need sqlite3; then
	skip "retire" "no $missing"
	done_testing
fi
postgres_needed "PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE jobs' || exit 99
# The jobs are of the month before this day.
PGOPTIONS='-c perfmon.today=2024_10_05'
export PGOPTIONS
server=$(postgres_url jobs)
file=$work/jobs.db
sql() { postgres_sql jobs "$@"; }

# of NAME DIR DAY: the job in a directory as one of that name which ended at noon of a day of September 2024.
noon=1725192000
of()
{
	cp -R "$2" "$1"
	hundred=$(((noon + 86400 * ($3 - 1)) / 100))
	sed -i "s/\b17000000\([0-9]\{8\}\)\b/$hundred\1/g; s/\b16999999\([0-9]\{8\}\)\b/$((hundred - 1))\1/g
		s/\"4711\"/\"$1\"/; s/	4711	/	$1	/; s/\"tester\"/\"user$(($3 % 3))\"/" "$1"/*
}
"$abs_top_builddir/tests/progs/generate" --events 2 small 8 1 >/dev/null && "$abs_top_builddir/tests/progs/generate" large 30 2 >/dev/null || exit 99
{
	printf 'perfmon-series-1\tn0\t00000000-0000-4000-8000-000000000000\t1000000\t.\n'
	printf 'series\t1\tcpu\tbusy\tcpu0\tpercent\tgauge\t.\n'
	for i in 1 2 3 4 5; do
		printf 'tick\t170000000%d000000\t%d\t1=%d\t.\n' $i $i $((10 * i))
	done
} >small/n0.series
for day in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	of $((100 * day + 1)) small $day
	of $((100 * day + 2)) large $day
	of $((100 * day + 3)) small $day
done
# both ARG...: perfmon does the same to both databases, and says the same; prints what, without the time.
both()
{
	PERFMON_DB=$server "$PERFMON" "$@" >server.out 2>server.err </dev/null
	echo $? >>server.err
	PERFMON_DB=$file "$PERFMON" "$@" >file.out 2>file.err </dev/null
	echo $? >>file.err
	for which in server file; do
		sed "s|postgresql://[a-z]*@$postgres_host/jobs|DATABASE|g; s|$file|DATABASE|g; s/, ended before .*[0-9]//; s/[0-9]* processes\/s//" \
			$which.out $which.err >$which.said
	done
	cmp -s server.said file.said || echo "PostgreSQL says otherwise: $(diff server.said file.said)"
	cat file.said
}
# before DAY: an age with which jobs of days before that one are old.
before() { echo "$(($(date +%s) - noon + 43200 - 86400 * ($1 - 1)))s"; }
# retire DAY ARG...
retire()
{
	age=$(before "$1")
	shift
	both retire --older-than "$age" "$@" | tr '\n' '|'
}
dump() { "$abs_top_builddir/tests/progs/dumpdb" "$1" | LC_ALL=C sort; }
# alike NAME: both databases have the same rows, and verify finds nothing.
alike()
{
	dump "$server" >server.rows && dump "$file" >file.rows || exit 99
	cmp -s server.rows file.rows
	ok $? "$1: every row is as in SQLite"
	diag "$(diff server.rows file.rows | cut -c1-200 | head -n 6)"
	PERFMON_DB=$server "$PERFMON" verify >out 2>err
	is "$?|$(cat err)" "0|" "$1: verify finds nothing"
}
# days [TABLE]: the days that have partitions, of one table or number of all.
days()
{
	sql -c "SELECT coalesce(string_agg(DISTINCT right(relname, 2), ' '), 'none') FROM pg_class WHERE relispartition AND relkind = 'r'
		AND relname ~ '^${1:-.*}_2024_09_..$'"
}
first=$(seq -s ' ' -f '%02.0f' 1 30)
# dead: rows of partitions that are deleted and not yet vacuumed.
dead() { sql -c "SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables WHERE relname ~ '_2024_'"; }

# shellcheck disable=SC2046 # words
is "$(both submit -q $(seq -f '%g01' 1 30) $(seq -f '%g02' 1 30) $(seq -f '%g03' 1 30))" "0" "a month of jobs loads"
sql -c 'ALTER SYSTEM SET autovacuum = off' -c 'SELECT pg_reload_conf()' >/dev/null
is "$(days)|$(days content)|$(sql -c "SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r'")" "$first|$first|330" "each day has partitions"
alike "a month"
# From here on by a role that only loads.
sql -c 'CREATE ROLE loads LOGIN' -c 'GRANT perfmon_loader TO loads' || exit 99
server=$(postgres_url jobs loads)

# --- readers --------------------------------------------------------------------------------------
# One that has begun, and has more to say than a pipe takes, may still ask for any row of its jobs.
mkfifo listed
PERFMON_DB=$server "$PERFMON" list jobs --json >listed 2>err &
reader=$!
exec 6<listed
head -c 1 <&6 >out
retire 2 >said 6<&-
is "$(cut -d' ' -f1-3 said)|$(days)" "retired 3 jobs|$first" "partitions stay while somebody reads"
cat <&6 >>out
exec 6<&-
wait "$reader"
is "$?|$(cat err)|$(grep -c '"jobid":' out)" "0||90" "who sees all jobs"
sql -c VACUUM
retire 2 >said
is "$(cut -d' ' -f1-3 said)|$(days)" "retired 0 jobs|$(seq -s ' ' -f '%02.0f' 2 30)" "and go, empty, with the next call"

# --- whole days -----------------------------------------------------------------------------------
processes=$(sqlite3 jobs.db "SELECT sum(processes) FROM job WHERE jobid < '1600' OR length(jobid) = 3")
is "$(retire 16)" "retired 42 jobs with $processes processes|0|" "half of the month is retired"
later=$(seq -s ' ' -f '%02.0f' 16 30)
is "$(days)|$(sql -c "SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r'")" "$later|165" "its partitions are gone"
is "$(sql -c 'SELECT count(*) FROM job_range')|$(dead)" "30|0" "its numbers are not, and no partition has dead rows"
alike "half a month"
is "$(retire 16)" "retired 0 jobs with 0 processes|0|" "again: nothing to do"

# --- summaries ------------------------------------------------------------------------------------
retire 21 --keep programs >said
is "$(cut -d' ' -f1-3 said)" "retired 15 jobs" "programs are kept"
is "$(days process)|$(days content)|$(days series_summary)|$(days program_summary)" \
	"$(seq -s ' ' 21 30)|$(seq -s ' ' 21 30)|$(seq -s ' ' 21 30)|$later" "the partition of these"
is "$(days tag_set)|$(sql -c "SELECT count(*) FROM tag_set_2024_09_16 WHERE id > 0" -c "SELECT count(*) > 0 FROM tag_set_2024_09_16" | tr '\n' ' ')|$(dead)" \
	"$later|0 t |0" "and that of the jobs' own tags, without dead rows"
alike "programs"
is "$(retire 21 --keep programs)" "retired 0 jobs with 0 processes; summaries and programs are kept|0|" "again: nothing to do"
retire 18 --keep summary >said
is "$(cut -d' ' -f1-3 said)|$(days program_summary)" "retired 6 jobs|$(seq -s ' ' 18 30)" "summaries are kept"
alike "summaries"

# --- loaded anew ----------------------------------------------------------------------------------
is "$(both submit -q --replace 1601)" "0" "a retired job is loaded anew"
is "$(days process)|$(days content)" "16 $(seq -s ' ' 21 30)|16 $(seq -s ' ' 21 30)" "its day has partitions again"
alike "loaded anew"
retire 17 --keep summary >said
is "$(cut -d' ' -f1-3 said)|$(days process)" "retired 1 job|$(seq -s ' ' 21 30)" "and retired again"
alike "and retired again"
retire 21 >said
is "$(cut -d' ' -f1-3 said)|$(days)" "retired 15 jobs|$(seq -s ' ' 21 30)" "without summaries"
of 1699 small 16
is "$(both submit -q 1699)" "0" "a job of a day that is retired loads"
is "$(sql -c "SELECT j.id - r.first_id, r.name FROM job j JOIN job_range r ON j.id BETWEEN r.first_id AND r.last_id WHERE jobid = '1699'")|$(days)" \
	"3|2024_09_16|16 $(seq -s ' ' 21 30)" "with a number that no job had"
alike "a late job"
retire 21 >said
retire 22 --keep summary >said
is "$(cut -d' ' -f1-3 said)|$(days process)" "retired 3 jobs|$(seq -s ' ' 22 30)" "one more day"
PERFMON_DB=$work/one.db "$PERFMON" -q submit 2101 >out 2>&1
for db in "$server" "$file"; do
	"$PERFMON" -q copy --replace one.db "$db" || echo "status $?"
done >out 2>&1
is "$(cat out)|$(days process)" "|$(seq -s ' ' 21 30)" "a copy in place of a summary"
alike "a copy"
retire 22 >said
is "$(cut -d' ' -f1-3 said)|$(days)" "retired 3 jobs|$(seq -s ' ' 22 30)" "and the day is retired"

# --- jobs that stay -------------------------------------------------------------------------------
# A late host whose records began the day before, and moves the end of the job to a later one.
mkdir late && mv 2202/*n1* late || exit 99
of 2299 large 22
mkdir late99 && mv 2299/*n1* late99 || exit 99
both submit -q 2299 >/dev/null
number=$(sql -c "SELECT id FROM job WHERE jobid = '2299'")
sed -i "s/\b17269992\([0-9]\{8\}\)\b/17268992\1/g; s/\"time_us\":17270000[0-9]*\(.*stop\)/\0/" late99/*
sed -i "s/\b$(((noon + 86400 * 21) / 100 - 1))\([0-9]\{8\}\)\b/$(((noon + 86400 * 20) / 100 - 1))\1/g" late99/*.json late99/*.tsv
is "$(both submit -q late99)" "0" "a late host"
is "$(sql -c "SELECT id, date_trunc('day', to_timestamp(start_us / 1000000) AT TIME ZONE 'UTC')::date, hosts FROM job WHERE jobid = '2299'")" \
	"$number|2024-09-21|2" "moves the start to another day, and not the job"
is "$(sql -c "SELECT count(DISTINCT tableoid) FROM process WHERE job_id = $number")" 1 "all of its rows are together"
alike "a late host"
# A job of the day that ended on the next.
of 2204 small 23
sed -i "s/\"epoch_us\":[0-9]*/\"epoch_us\":$((noon + 86400 * 21))000000/" 2204/*.json
both submit -q 2204 >/dev/null
retire 23 >said
is "$(cut -d' ' -f1-3 said)|$(sql -c "SELECT string_agg(jobid, ' ' ORDER BY jobid) FROM job WHERE jobid < '2304'")|$(days)" \
	"retired 4 jobs|2204 2301 2302 2303|$(seq -s ' ' 22 30)" "a job of the day stays: the others are retired one by one"
alike "a job stays"
retire 24 >said
is "$(cut -d' ' -f1-3 said)|$(days)" "retired 4 jobs|$(seq -s ' ' 24 30)" "until it is old"
alike "and goes"

# --- beside others --------------------------------------------------------------------------------
# hold SQL: another session runs it, and keeps its locks.
hold()
{
	: >holds
	mkfifo held
	sql <held >holds &
	holder=$!
	exec 7>held
	echo "BEGIN; $1; SELECT 'holds';" >&7
	count=0
	until grep -q holds holds; do [ $((count += 1)) -gt 600 ] && exit 99; sleep 0.1; done
}
release()
{
	exec 7>&-
	wait "$holder"
	rm held
}
hold 'LOCK TABLE process_2024_09_24 IN ACCESS SHARE MODE'
retire 26 >said 7>&-
is "$(cut -d' ' -f1-3 said)|$(days)" "retired 6 jobs|24 $(seq -s ' ' 26 30)" "a partition that is locked stays, with those of its day"
alike "a partition was locked"
release
is "$(retire 26 | cut -d' ' -f1-3)|$(days)" "retired 0 jobs|$(seq -s ' ' 26 30)" "and goes, empty, as it is not"
hold 'SELECT count(*) FROM content'
retire 27 >said 7>&-
is "$(cut -d' ' -f1-3 said)|$(days)" "retired 3 jobs|$(seq -s ' ' 26 30)" "so do all where a table is read"
release
alike "a table was read"
hold 'LOCK TABLE job_range IN ROW SHARE MODE'
retire 28 >said 7>&-
is "$(cut -d' ' -f1-3 said)|$(days)" "retired 3 jobs|$(seq -s ' ' 26 30)" "and while somebody loads for long"
release
alike "somebody loaded"
retire 28 >said
is "$(days)" "$(seq -s ' ' 28 30)" "later all are gone"

# --- an object that depends on a partition ---------------------------------------------------------
sql -c 'CREATE VIEW of_the_site AS SELECT pid FROM process_2024_09_28' || exit 99
retire 29 >said
diag "$(head -n 1 server.err)"
is "$(cut -d' ' -f1-3 server.out)|$(grep -c 'view of_the_site depends on .*: they are deleted row by row' server.err)|$(days)" \
	"retired 3 jobs|1|28 29 30" "a day on which a view depends is retired row by row, and told"
sql -c 'DROP VIEW of_the_site'
retire 29 >said
is "$(days)" "29 30" "and its partitions go with the view"
alike "a view depended"

# A loader of jobs of the days that are retired, and of one that stays.
for n in 11 12 13 14 15 16; do
	of 28$n small 28
	of 29$n large 29
done
both submit -q 2911 2912 >/dev/null
for n in 1 2 3; do
	for dir in 2811 2911 2812 2912 2813 2913 2814 2914 2815 2915 2816 2916; do
		PERFMON_DB=$server "$PERFMON" -q submit --replace $dir || echo "$dir: $?"
	done
done >loaded 2>&1 &
loader=$!
for n in 1 2 3 4 5 6 7 8; do
	PERFMON_DB=$server "$PERFMON" -q retire --older-than "$(before 29)" || echo "retire: $?"
done >retired 2>&1
wait "$loader"
is "$(cat loaded retired)" "" "a loader at the same time: both succeed"
PERFMON_DB=$server "$PERFMON" verify >out 2>err
is "$?|$(cat err)" "0|" "and verify finds nothing"
PERFMON_DB=$file "$PERFMON" -q submit --replace 2911 2912 2913 2914 2915 2916
both retire --older-than "$(before 29)" >/dev/null
alike "at the end"
is "$(sql -c "SELECT count(*), count(DISTINCT id) FROM job WHERE jobid LIKE '29%'")" "9|9" "no job is lost"
# --- two schemas --------------------------------------------------------------------------------------
# The partitions of another schema have the same names.
postgres_sql postgres -c 'CREATE DATABASE two' && postgres_sql two -c 'CREATE SCHEMA one; CREATE SCHEMA other' || exit 99
"$abs_top_builddir/tests/progs/generate" --jobid 5 twice 20 1 >/dev/null || exit 99
PERFMON_DB=$(postgres_url two)
export PERFMON_DB
for schema in one other; do
	PGOPTIONS="-c search_path=$schema" "$PERFMON" -q submit twice || exit 99
done
PGOPTIONS='-c search_path=one,other'
export PGOPTIONS
is "$("$PERFMON" retire --older-than 2d 2>&1 | sed 's/ .*//; 2,$d')|$("$PERFMON" retire --older-than 2d 2>&1 | grep -c 'retired 0 jobs')" \
	"retired|1" "the jobs of a schema are retired"
PGOPTIONS='-c search_path=other'
is "$("$PERFMON" verify 2>&1 | sed 's/.*: //')|$(postgres_sql two -c 'SELECT count(*) FROM other.process')" "1 job checked, 0 faults|20" \
	"and those of the other stay"
done_testing
