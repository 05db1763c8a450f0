#!/bin/sh
# The same jobs into SQLite and into PostgreSQL: the same rows, views and answers.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

postgres_needed "PostgreSQL"
generate=$abs_top_builddir/tests/progs/generate
dump=$abs_top_builddir/tests/progs/dumpdb
golden=$abs_top_srcdir/tests/golden
postgres_sql postgres -c 'CREATE DATABASE jobs' || exit 99
server=$(postgres_url jobs)
file=$work/jobs.db
# Jobs behind the day of loading are numbered together, as those in SQLite are.
PGOPTIONS='-c perfmon.today=2001_01_01'
export PGOPTIONS

# both NAME COMMAND...: perfmon does and says the same with either database, but for rates and names.
both()
{
	name=$1
	shift
	PERFMON_DB=$server "$PERFMON" "$@" >server.out 2>server.err
	echo $? >>server.err
	PERFMON_DB=$file "$PERFMON" "$@" >file.out 2>file.err
	echo $? >>file.err
	for which in server file; do
		sed "s/[0-9]* processes\/s//; s|postgresql://postgres@$postgres_host/jobs|DATABASE|; s|$file|DATABASE|" \
			$which.out $which.err >$which.said
	done
	cmp -s server.said file.said
	ok $? "$name"
	cmp -s server.said file.said || diag "$(diff server.said file.said | cut -c1-300 | head -n 6)"
}

# alike NAME LEAST: every row of every table and view is in both; there are LEAST rows of a process.
alike()
{
	"$dump" "$server" >server.rows && "$dump" "$file" >file.rows || exit 99
	LC_ALL=C sort -o server.rows server.rows
	LC_ALL=C sort -o file.rows file.rows
	cmp -s server.rows file.rows
	ok $? "$1: the same rows in every table and view"
	cmp -s server.rows file.rows || diag "$(diff server.rows file.rows | cut -c1-300 | head -n 6)"
	rows=$(grep -c '^process	' server.rows)
	[ "$rows" -ge "$2" ]
	ok $? "$1: $2 processes and more"
}

# A job of three hosts with a series, counters, tags, and lines that nobody can load.
# shellcheck disable=SC2046 # words
set -- $("$generate" job 300 3)
processes=$1 unseen=$5
sed -i '/^$/d; s/op:build;stage:one=1/stage:0;op;;:x;op:build;stage:one=1;/' job/*.tsv
{
	printf 'perfmon-series-1\tn1\t00000000-0000-4000-8000-000000000001\t1000000\t.\n'
	printf 'series\t1\tcpu\tbusy\tcpu0\tpercent\tgauge\t.\n'
	# The clock is set back by three seconds in between.
	for i in 1 2 3 4 2 3 4 5 6; do
		printf 'tick\t170000000%d000000\t%d\t1=%d\t.\n' $i $i $((10 * i))
	done
	printf 'tick\t1700000007000000\t7\t1=\\N:absent\t.\n'
} >job/n1.series
cp -R job damaged && for f in damaged/*.tsv; do
	{
		printf 'no record\nend\t\377\376\001 \\x\t'
		head -c 70000 /dev/zero
		printf '\n'
	} >>"$f"
done
mkdir host0 others && cp job/*n0* host0 && cp job/*n1* job/*n2* others || exit 99

both "nothing there yet, status" status
both "hosts of a job" submit others
both "a host that comes late" submit host0
alike "three hosts" "$processes"
both "once more" submit job
both "with rejects" submit damaged
alike "rejects" "$processes"
both "in place of what is there" submit --replace job
alike "replaced" "$processes"
is "$(postgres_sql jobs -c 'SELECT count(*), sum(value) FROM sample')" "7|210" "of two samples at a time the first stays"
is "$(grep -c "^tag	i1	t5:stage	i[1-9].*	t5:one=1" server.rows)" "$((processes - unseen))" "of two values of a tag the last"
both "no job" submit "$work/none"
both "a job of an older format, recorded ones" submit "$golden"/v1/* "$golden"/report/busy "$golden"/report/counted \
	"$golden"/report/empty "$golden"/report/killed
alike "recorded jobs" $((processes + 10))
both "a note" annotate 4711 why="two 'words' and \"quotes\" \\x"
both "another note" annotate 4711 why=else more=yes
alike "notes" $((processes + 10))

# Names of 10 kB that are part of keys, of which an index of the server takes 2704 bytes: cut, but still different.
awk 'BEGIN { srand(1); for (i = 0; i < 8; i++) { for (k = 0; k < 10000; k++) printf "%c", 97 + int(26 * rand()); print "" } }' >long
"$generate" long-job 9 1 >/dev/null || exit 99
awk -v OFS='\t' -F '\t' 'FILENAME == "long" { long[++n] = $0; next }
	FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	$2 == "start" || $2 == "end" { $at["exename"] = long[5]; $at["tags"] = long[3] "1:x;" long[3] "2:" long[4] ";op:" long[4] }
	$2 == "end" { $at["counters"] = long[6] "=5," long[6] "x=6" }
	{ print }' long long-job/n0-1000.tsv >rows && mv rows long-job/n0-1000.tsv
for key in cluster user jobid array_task tags hostname; do
	sed -n "$((1 + $(echo $key | wc -c) % 8))p" long >value
	cp -R long-job "long-$key" && python3 - "long-$key/job-n0.json" $key "$(cat value)" <<'END' || exit 99
import json, sys
path, key, value = sys.argv[1:]
m = json.load(open(path))
if key == "tags":
    m["job"]["tags"] = {value + "1": value, value + "2": value, "exp": value}
    m["job"]["annotations"] = {value: value}
elif key == "hostname":
    m["host"][key] = value
else:
    m["job"][key] = value
if key != "jobid":
    m["job"]["jobid"] = "long-" + key
json.dump(m, open(path, "w"))
END
	sed -i "s/\t4711\t/\tlong-$key\t/" "long-$key"/*.tsv
	PERFMON_DB=$server "$PERFMON" -q submit "long-$key" "$golden/report/busy" >out 2>&1
	is "$?|$(cat out)" "0|" "10 kB of $key"
	PERFMON_DB=$file "$PERFMON" -q submit "long-$key" || exit 99
done
alike "names of 10 kB" $((processes + 64))
is "$(sed -n 's/^tag	i[0-9]*	t5*[0-9]*:\([a-z]*~[0-9a-f]*\)	i[1-9][0-9]*	t1:x$/\1/p' file.rows | awk 'length == 512' | sort -u | wc -l)" 1 "cut to 512 bytes"
both "known again" submit long-jobid long-user long-tags
both "a note of such a name" annotate 4711 "$(sed -n 8p long)=x"

for job in 4711 "#3" "#5"; do
	for verb in "list processes" "list threads" "list counters" "list hosts" "list tags" show report; do
		# shellcheck disable=SC2086 # words
		both "$verb $job" $verb "$job"
	done
	both "show $job --json" show "$job" --json --limit 0
	both "report $job --json" report "$job" --json
done
for verb in "list" "list metrics" "list --csv" "list processes 4711 --csv" "show 4711 --limit 7 --counters" status \
	"status --json" "report nothing"; do
	# shellcheck disable=SC2086 # words
	both "$verb" $verb
done

# --- more than goes in one piece -----------------------------------------------------------------
# Rows of processes and of counters take turns, and some counters are there twice.
"$generate" --events 8 --jobid large large 5000 >out || exit 99
large=$(sed -n 's/ .*//p;q' out)
awk -v OFS='\t' -F '\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	$2 == "end" && FNR % 500 < 3 { $at["counters"] = "twice=1 twice=2"; more++ }
	{ print } END { print more >"more" }' large/n0-1000.tsv >rows && mv rows large/n0-1000.tsv
postgres_sql postgres -c 'CREATE DATABASE jobs_large' || exit 99
server=$(postgres_url jobs_large)
file=$work/large.db
postgres_large() { postgres_sql jobs_large -c "$1"; }
both "a large job" submit large
alike "a large job" "$large"
is "$(grep -c '^counter	.*t5:twice' server.rows)" "$(cat more)" "of two counters of a name the first stays"

# One row that the server does not want, found when others are on their way or waiting: all is as before.
for wrong in "process CHECK (id <> $large - 9)" "counter CHECK (name <> 'twice')" "thread_row CHECK (process_id <= $large / 2)"; do
	table=${wrong%% *}
	postgres_large "ALTER TABLE $table ADD CONSTRAINT wrong ${wrong#* } NOT VALID" || exit 99
	PERFMON_DB=$server "$PERFMON" submit --replace large >out 2>err
	is "$?|$(sed 's/"[^"]*_20[^"]*"/"PART"/; s/ write [a-z ]*://; s/ job summary://; s/ (.*//' out err)" \
		"1|perfmon: large: table $table: new row for relation \"PART\" violates check constraint \"wrong\"" "a wrong row of $table is told"
	postgres_large "ALTER TABLE $table DROP CONSTRAINT wrong" || exit 99
done
cp file.rows before.rows
"$dump" "$server" | LC_ALL=C sort >server.rows
cmp -s server.rows before.rows
ok $? "and nothing of it stays, nor goes what was there"
both "in place of what is there" submit --replace large

# --- numbers of jobs --------------------------------------------------------------------------------
postgres_sql postgres -c 'CREATE DATABASE numbers' || exit 99
"$PERFMON" schema --dialect postgresql | postgres_sql numbers -f - >/dev/null 2>&1
for id in 500 400 none; do
	given="id, " value="$id, "
	[ $id != none ] || given="" value=""
	postgres_sql numbers -c "INSERT INTO job (${given}cluster, \"user\", jobid, array_task, restart_count, epoch_us)
		VALUES ($value'', 'u', 'j$id', '', 0, 0) RETURNING id"
done >numbers
is "$(tr '\n' ' ' <numbers)" "500 400 501 " "a new job has a number behind all that were given, in whatever order"

# Every earlier version gets the indexes of a new database, whichever of them somebody has made or dropped.
indexes() { postgres_sql "$1" -c "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname"; }
postgres_sql postgres -c 'CREATE DATABASE newest'
"$PERFMON" schema --dialect postgresql >newest.sql && postgres_sql newest -1 -f newest.sql >out 2>&1
indexes newest >newest.indexes
for sql in "$abs_top_srcdir"/tests/golden/schema/*.postgres; do
	name=version$(basename "$sql" .postgres)
	postgres_sql postgres -c "CREATE DATABASE $name" && postgres_sql "$name" -1 -f "$sql" >out 2>&1 || exit 99
	case $name in
	version[12])
		postgres_sql "$name" -c 'DROP INDEX job_of_user' -c 'CREATE INDEX job_by_name ON job (name)' || exit 99
		;;
	esac
	PERFMON_DB=$(postgres_url "$name") "$PERFMON" migrate >out 2>err
	is "$?|$(cat err)" "0|" "$name: migrates"
	indexes "$name" | diff - newest.indexes >difference
	ok $? "$name: has the indexes of a new database"
	diag "$(head -n 6 difference)"
done
done_testing
