#!/bin/sh
# perfmon copy: jobs arrive whole in another database, of either engine, and come back the same.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
. "$abs_top_srcdir/tests/e2e/manage.sh"
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need sqlite3; then
	skip "copy" "no $missing"
	done_testing
fi
golden=$abs_top_srcdir/tests/golden
mkdir real v1 && cp "$golden"/schema/job/* real && cp "$golden"/v1/job/* v1 || exit 99
"$abs_top_builddir/tests/progs/generate" job 150 2 >/dev/null || exit 99
PERFMON_DB=$work/3.db "$PERFMON" submit real v1 job >out 2>err
PERFMON_DB=$work/3.db "$PERFMON" annotate 4711 note=kept || exit 99

# Every row of every table and view, whichever engine.
dump() { "$abs_top_builddir/tests/progs/dumpdb" "$1" | LC_ALL=C sort; }
# alike FILE DB NAME
alike()
{
	dump "$2" >got.dump
	cmp -s "$1" got.dump
	ok $? "$3"
	cmp -s "$1" got.dump || diag "$(diff "$1" got.dump | cut -c1-200 | head -6)"
}
copy()
{
	"$PERFMON" copy "$@" >out 2>err </dev/null
	echo "$?|$(cat err)|$(tail -n 1 out)"
}
dump 3.db >3.dump
is "$(for t in host process thread_row counter tag tag_set annotation series tick_block sample_block load content reject; do
	grep -q "^$t	" 3.dump || echo "$t"
done)" "" "there is something in every table"

is "$(copy -n 3.db a.db)|$(echo a.db*)" "0||3 jobs would be copied, 0 already there|a.db*" "a dry run makes nothing"
is "$(copy 3.db a.db)" "0||3 jobs copied, 0 already there" "a whole database"
alike 3.dump a.db "every row arrives"
is "$(copy a.db sqlite:b.db)" "0||3 jobs copied, 0 already there" "and back"
alike 3.dump b.db "it is the same"
is "$(copy 3.db b.db)" "0||0 jobs copied, 3 already there, left as they are" "again: all is there"
sqlite3 b.db "DELETE FROM process WHERE job_id = 3; DELETE FROM annotation"
dump b.db >b.dump
is "$(copy 3.db b.db)|$(dump b.db | cmp - b.dump)" "0||0 jobs copied, 3 already there, left as they are|" \
	"and is left as it is"
is "$(copy -n --replace 3.db b.db 4711)|$(dump b.db | cmp - b.dump)" "0||1 job would be copied, 0 already there|" \
	"a dry run of --replace"
is "$(copy --replace 3.db b.db '#3' 4711)" "0||1 job copied, 0 already there" "--replace, of a job named twice"
is "$(sqlite3 b.db 'SELECT count(*), max(id) FROM job')|$(sqlite3 b.db 'SELECT count(*) FROM process')" \
	"3|3|$(sqlite3 3.db 'SELECT count(*) FROM process')" "puts it in place of what is there"
is "$(copy --replace 3.db b.db)" "0||3 jobs copied, 0 already there" "all of it"
alike 3.dump b.db "is the same again"

# Into a database that has others: numbers of its own.
"$abs_top_builddir/tests/progs/generate" other 20 1 >/dev/null
sed -i 's/"4711"/"4712"/' other/*.json && sed -i 's/	4711	/	4712	/' other/*.tsv
PERFMON_DB=$work/c.db "$PERFMON" submit other >out 2>err
sqlite3 c.db "UPDATE job SET id = id" && dump c.db >c.dump
is "$(copy 3.db c.db 4711 -j 77_3)" "0||2 jobs copied, 0 already there" "single jobs, into a database that has another"
is "$(sqlite3 c.db 'SELECT id, jobid FROM job ORDER BY id' | tr '\n' ' ')" "1|4712 2|4711 3|77 " "get numbers of its own"
PERFMON_DB=$work/c.db "$PERFMON" delete -q -f 4711 77_3
alike c.dump c.db "the other is untouched"
is "$(copy 3.db c.db nosuch | sed 's/ in .*//')" "1|perfmon: nosuch: no such job" "a job that is none"

# What cannot be.
is "$(copy 3.db)|$(copy | cut -c1-40)" "2|perfmon: copy: name two databases as in --db, FROM and TO, then the jobs to copy (default: all)||2|perfmon: copy: name two databases as i" \
	"two names are needed"
ln 3.db link.db
is "$(copy 3.db link.db)|$(copy 3.db sqlite:./3.db)" "2|perfmon: copy: both are the same database||2|perfmon: copy: both are the same database|" \
	"one database by two names"
rm link.db
is "$(copy none.db d.db | sed 's/.*: //')|$(echo d.db*)" "No such file or directory||d.db*" "from one that is not there"
sqlite3 other.db 'CREATE TABLE t (a)'
is "$(copy 3.db other.db | sed 's/.*: n/n/')" "not a perfmon database: it has no table schema_version|" \
	"to one of something else"
if full 1500 '"$PERFMON" copy 3.db full/x.db >full.out 2>&1; echo "$?" >>full.out; mkdir as; cp full/x.db* as'; then
	is "$(tail -n 1 full.out)|$(grep -c 'full' full.out)|$(sqlite3 as/x.db 'PRAGMA integrity_check')" "1|1|ok" "a full disk is said"
	n=$(sqlite3 as/x.db 'SELECT count(*) FROM job')
	for id in 1 2 3; do
		[ "$id" -gt "$n" ] || set -- "$@" "#$id"
	done
	if [ $# -gt 0 ]; then
		copy 3.db part.db "$@" >/dev/null
		dump part.db >part.dump
		alike part.dump as/x.db "what was copied is whole"
	fi
else
	skip "a full disk" "not root, or no mount"
fi

# Killed at any instant; two at once.
mkdir none
PERFMON_DB=$work/0.db "$PERFMON" submit none >out 2>err
between=
for n in 1 2; do
	cp 0.db "$n.part.db"
	# shellcheck disable=SC2046 # words
	copy 3.db "$n.part.db" $(seq -f '#%g' $n) >/dev/null
	between="$between $(digest "$n.part.db")"
done
killed 12 copy 0.db copy 3.db k.db
"$PERFMON" copy 3.db twice.db >out1 2>&1 &
pid=$!
"$PERFMON" copy 3.db twice.db >out2 2>&1
status=$?
wait $pid
is "$status$?|$(cat out1 out2 | sed -n 's/ jobs* copied.*//p' | awk '{ n += $1 } END { print n }')" "00|3" "two at once copy each job once"
sqlite3 3.db 'SELECT jobid FROM job ORDER BY 1' >want
sqlite3 twice.db 'SELECT jobid FROM job ORDER BY 1; PRAGMA integrity_check; PRAGMA foreign_key_check' >got
is "$(cat got)" "$(cat want; echo ok)" "and it is sound"

# --- PostgreSQL -----------------------------------------------------------------------------------
postgres_needed "PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE jobs' || exit 99
server=$(postgres_url jobs)
# Jobs behind the day of loading are numbered together, as those in SQLite are.
PGOPTIONS='-c perfmon.today=2001_01_01'
export PGOPTIONS
is "$(copy 3.db "$server")" "0||3 jobs copied, 0 already there" "to PostgreSQL"
alike 3.dump "$server" "every row arrives there"
is "$(copy "$server" back.db)" "0||3 jobs copied, 0 already there" "and back"
alike 3.dump back.db "it is the same"
is "$(copy 3.db "$server" 4711)|$(copy --replace 3.db "$server" 4711)" \
	"0||0 jobs copied, 1 already there, left as they are|0||1 job copied, 0 already there" "there already, and replaced"
PERFMON_DB=$server "$PERFMON" delete -f 4711 >out 2>err
is "$?|$(cat err)|$(sed 's/ with.*//' out)" "0||deleted job #3 tester/4711" "delete"
copy 3.db two.db '#1' '#2' >/dev/null
dump two.db >two.dump
alike two.dump "$server" "every row of it is gone, and no other"
postgres_sql jobs -c "UPDATE job SET end_us = 1000000001000000, start_us = 1000000000000000" && sqlite3 two.db "UPDATE job SET end_us = 1000000001000000, start_us = 1000000000000000"
for db in "$server" "$work/two.db"; do
	PERFMON_DB=$db "$PERFMON" retire --older-than 90d --keep-summary --vacuum 2>&1 | sed 's/, ended.*//'
done >out
is "$(uniq -c out | tr -s ' ')" " 2 retired 2 jobs with 16 processes" "retire"
dump two.db >two.dump
alike two.dump "$server" "keeps the same in both"
for i in 1 2 3 4; do
	PERFMON_DB=$server "$PERFMON" drop -q -f >out 2>err || break
	"$PERFMON" copy 3.db "$server" >out 2>err &
	sleep "0.0$i"
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	"$PERFMON" copy -q 3.db "$server" >out 2>err || break
	"$PERFMON" copy "$server" again$i.db >out 2>err
	dump again$i.db | cmp -s - 3.dump || break
done
is "$(cat err)$i" 4 "dropped and killed four times, it is whole in the end"
done_testing
