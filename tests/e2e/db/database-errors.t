#!/bin/sh
# What a user sees when the database is not what was hoped for: where, what, and what to do; status 1, or 2 where the
# command line cannot be meant, and nothing of others is touched.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 sqlite3; then
	skip "errors" "no $missing"
	done_testing
fi
"$abs_top_builddir/tests/progs/generate" job 40 >/dev/null && PERFMON_DB=$work/good.db "$PERFMON" -q submit job || exit 99
verbs="list|submit job|submit -n job|report 4711|annotate 4711 a=b|verify|dbsize|delete -f 4711|retire --older-than 1d|drop -f|migrate|copy good.db"

# every DB WANT NAME: each verb ends with status 1 and an error that begins with WANT, in which DB is the setting.
every()
{
	said=
	while read -r verb; do
		db=
		case $verb in copy*) db=$1 ;; esac
		# shellcheck disable=SC2086 # words
		PERFMON_DB=$1 timeout 60 "$PERFMON" $verb ${db:+"$db"} >out 2>err </dev/null
		status=$?
		grep -v -e 'dry run' err | head -n 1 | cut -c1-$((${#2} + 9)) >first
		want=1
		case $2 in *": give a path"*) want=${db:+2} ;; esac
		[ "$status|$(cat first)" = "${want:-1}|perfmon: $2" ] || said="$said
$verb: $status|$(cat first)"
	done <verbs
	is "$said" "" "$3"
}

# Until the verb that runs says in err that it is waiting.
until_said()
{
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		grep -q waiting err && break
		sleep 1
	done
}
echo "$verbs" | tr '|' '\n' >verbs

# --- files ---------------------------------------------------------------------------------------
head -c 6000 /dev/urandom >noise && cksum noise >noise.sum
every "$work/noise" "database $work/noise: file is not a database" "a file that is none"
is "$(cksum noise)" "$(cat noise.sum)" "is left alone"
sqlite3 other.db 'CREATE TABLE mine (a); INSERT INTO mine VALUES (1)' && cksum other.db >other.sum
every "$work/other.db" "database $work/other.db: not a perfmon database: it has no table schema_version" "another application's"
is "$(cksum other.db)|$(echo other.db*)" "$(cat other.sum)|other.db" "is left alone"
cp good.db newer.db && sqlite3 newer.db 'UPDATE schema_version SET version = 99' && cksum newer.db >newer.sum
every "$work/newer.db" "database $work/newer.db: its schema version 99 is newer than this perfmon's $(sed -n 's/^#define PM_SCHEMA_VERSION //p' "$abs_top_srcdir/sql/schema.h"): use a newer perfmon" "a newer one's"
is "$(cksum newer.db)" "$(cat newer.sum)" "is left alone"
head -c 20000 good.db >cut.db
every "$work/cut.db" "database $work/cut.db: database disk image is malformed; sqlite3's PRAGMA integrity_check locates the damage: restore a backup of $work/cut.db" "one that is cut"
mkdir folder && mkfifo fifo || exit 99
every "$work/folder" "open database $work/folder: Is a directory" "a directory"
every "$work/fifo" "database $work/fifo: not a regular file" "a fifo, which nobody waits for"
every /dev/null "database /dev/null: not a regular file" "a device"
every "$work/good.db/x" "open database $work/good.db/x: Not a directory" "below a file"
# Damaged in the middle: whatever finds it says which it is.
cp good.db middle.db && python3 -c '
f = open("middle.db", "r+b")
f.seek(4096 * 8)
f.write(b"\xff" * 4096 * 30)'
for verb in list "submit job" "report 4711" "annotate 4711 a=b" "delete -f 4711"; do
	# shellcheck disable=SC2086 # words
	PERFMON_DB=$work/middle.db "$PERFMON" $verb >out 2>err
	echo "$?$(grep -c "malformed; sqlite3's PRAGMA integrity_check locates the damage: restore a backup of $work/middle.db" err)"
done | sort | uniq -c | sed 's/^ *//' >said
is "$(cat said)" "5 11" "one that is damaged in its middle"

# --- names ---------------------------------------------------------------------------------------
for name in mysql://me:secret@host/db http://host/x Postgres://host/x file:x.db file:///x.db; do
	every $name "database ${name%%:*}:...: give a path, sqlite:PATH or postgresql://..." "$name"
done
is "$(ls -d -- *: 2>/dev/null)" "" "no directory is made of such a name"
said=
for name in 'a?mode=ro' 'b#c%20d%' "e'f\"g" 'x:y' ' ' '-n' "$(printf 'new\nline')" "$(printf '\303\244\377')" 'sqlite:s?x=%41' 'sqlite:sqlite:x'; do
	PERFMON_DB=$name "$PERFMON" -q submit job 2>err && PERFMON_DB=$name "$PERFMON" list >out 2>>err
	said="$said$?$(wc -l <out)$(cat err)$(ls -- "${name#sqlite:}" | wc -l) "
done
is "$said" "021 021 021 021 021 021 022 021 021 021 " "any other name is a file of that name"

# Where nothing can be written, a log's index neither, a name is one all the same.
mkdir fs
if [ "$(id -u)" = 0 ] && need unshare mount && unshare --mount mount -t tmpfs tmpfs fs 2>/dev/null; then
	cat >look <<-'END'
	mount -t tmpfs tmpfs fs && cp good.db "fs/$1" && cp good.db "fs/sAb" || exit 99
	sqlite3 "fs/$1" "PRAGMA journal_mode = wal; UPDATE job SET name = 'this'" >/dev/null && rm -f "fs/$1-wal" "fs/$1-shm"
	mount -o remount,ro fs && PERFMON_DB=$PWD/fs/$1 exec "$2" list
	END
	said=
	for name in plain 's%41b' 'a?mode=ro' 'b#c%20d%' "$(printf 'new\nline')" "$(printf '\303\244\377')"; do
		unshare --mount sh look "$name" "$PERFMON" >out 2>err
		said="$said$?$(grep -c this out)$(cat err) "
	done
	is "$said" "01 01 01 01 01 01 " "so it is where nothing can be written"
else
	skip "so it is where nothing can be written" "no file system to be had"
fi

# --- held by another one -------------------------------------------------------------------------
cat >hold.py <<'END'
import os, sqlite3, time
db = sqlite3.connect("held.db", isolation_level=None)
db.execute("BEGIN IMMEDIATE")
open("held", "w").close()
while not os.path.exists("told"):
    time.sleep(0.02)
db.execute("COMMIT")
END
cp good.db held.db
python3 hold.py &
holder=$!
while [ ! -e held ] && kill -0 $holder; do sleep 0.02; done
PERFMON_DB=$work/held.db "$PERFMON" -v annotate 4711 a=b >out 2>err &
pid=$!
until_said
: >told
wait $pid
is "$?|$(grep -c "perfmon: warning: database $work/held.db: waiting for process $holder, at most 600 s" err)" "0|1" "who waits says for whom, and gets there"
wait $holder
is "$(sqlite3 held.db 'SELECT value FROM annotation')" b "what was to be written is"

# --- servers -------------------------------------------------------------------------------------
if ! grep -q 'define HAVE_PQ 1' "$abs_top_builddir/config.h"; then
	skip "servers" "built without libpq"
	done_testing
fi
every 'postgresql://me:secret@127.0.0.1:1/x' 'database postgresql://me@127.0.0.1:1/x: ' "no server there"
grep -q 'Connection refused' err
ok $? "says so"
every 'postgresql://me:s3%ZZcret@host/x' 'not a database URL: ' "a URL that is none"
is "$(cat err out | grep -c s3)" 0 "whose password is not shown"
postgres_needed "a server"
# The default of PostgreSQL before 14 is md5.
postgres_sql postgres -c "SET password_encryption = 'scram-sha-256'" -c "CREATE ROLE anna LOGIN PASSWORD 'right'" -c 'CREATE DATABASE theirs' -c 'CREATE DATABASE nothing' || exit 99
postgres_sql theirs -c 'CREATE TABLE mine (a int)' || exit 99
every "postgresql://postgres@/none?host=$postgres_host" "database postgresql://postgres@$postgres_host/none: " "no such database"
grep -q 'database "none" does not exist' err
ok $? "says so"
every "$(postgres_url theirs)" "database postgresql://postgres@$postgres_host/theirs: not a perfmon database: it has no table schema_version" \
	"another application's"
sed -i '1i local all anna scram-sha-256' "$postgres_host/data/pg_hba.conf" && postgres_sql postgres -c 'SELECT pg_reload_conf()' >/dev/null || exit 99
every "postgresql://anna:wrong@/nothing?host=$postgres_host" "database postgresql://anna@$postgres_host/nothing: " "a wrong password"
is "$(grep -c 'password authentication failed for user "anna"' err)|$(grep -c wrong err)" "1|0" "says so, and not which"
PERFMON_DB="postgresql://anna:right@/nothing?host=$postgres_host" "$PERFMON" list >out 2>err
is "$?|$(cut -d\; -f1 err)" "1|perfmon: database postgresql://anna@$postgres_host/nothing: nothing was ever loaded into it" "the right one"

# Another load of the same job, as it locks it.
mkfifo sql || exit 99
postgres_sql postgres <sql >locked &
holder=$!
exec 8>sql
echo "BEGIN; SELECT 'has it' FROM (SELECT pg_advisory_xact_lock(hashtextextended('job 4711', 0))) l;" >&8
while ! grep -q 'has it' locked && kill -0 $holder; do sleep 0.02; done
PERFMON_DB=$(postgres_url postgres) "$PERFMON" -v submit job >out 2>err &
pid=$!
until_said
echo 'COMMIT;' >&8
exec 8>&-
wait $pid
is "$?|$(grep -c "perfmon: warning: database postgresql://postgres@$postgres_host/postgres: waiting for another session, at most 600 s" err)" "0|1" \
	"who waits for another load of the job says so, and gets there"
done_testing
