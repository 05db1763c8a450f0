#!/bin/sh
# retire --to: jobs arrive whole in archives and come back from them, whatever happens on the way; nothing
# is deleted of which the archive does not have every row.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
. "$abs_top_srcdir/tests/e2e/manage.sh"

if ! need sqlite3; then
	skip "retire --to" "no $missing"
	done_testing
fi
golden=$abs_top_srcdir/tests/golden
mkdir real v1 none && cp "$golden"/schema/job/* real && cp "$golden"/v1/job/* v1 || exit 99
"$abs_top_builddir/tests/progs/generate" job 150 2 >/dev/null || exit 99
PERFMON_DB=$work/3.db "$PERFMON" submit real v1 job >out 2>err
PERFMON_DB=$work/3.db "$PERFMON" annotate 4711 note=kept || exit 99
# All ended long ago, in two months.
sqlite3 3.db "INSERT INTO phase VALUES (3, 1, 1, 'solve', 17, 1700000000000000, 1700000000000009, 9, 1);
	UPDATE user_day SET day_us = 1600000000000000 / 86400000000 * 86400000000 WHERE \"user\" = 'alice';
	UPDATE job SET start_us = 1600000000000000, end_us = 1600000001000000 WHERE id = 1"
PERFMON_DB=$work/0.db "$PERFMON" submit none >out 2>err

# Every row of every table and view.
dump() { "$abs_top_builddir/tests/progs/dumpdb" "$1" | LC_ALL=C sort; }
# alike FILE DB NAME
alike()
{
	dump "$2" >got.dump
	cmp -s "$1" got.dump
	ok $? "$3"
	cmp -s "$1" got.dump || diag "$(diff "$1" got.dump | cut -c1-200 | head -6)"
}
# move DB [ARG...]: "STATUS|ERRORS|last line", the time left out
move()
{
	name=$1
	shift
	perfmon "$name" retire --older-than 90d --to cold "$@" >said
	echo "$(cat said)|$(sed 's/, ended before .*[0-9]//' out | tail -n 1)"
}
# bring back into a new database DB from directory DIR, in the order in which the jobs were loaded
back()
{
	rm -f "$1"*
	set -- "$1" "$2"/_/2020-09.db "$2"/c1/2023-11.db "$2"/_/2023-11.db
	name=$1
	shift
	perfmon "$name" submit "$@"
}
fresh()
{
	rm -rf x.db* cold
	cp 3.db x.db
}
moved="moved 3 jobs with 166 processes to cold"
dump 3.db >3.dump
is "$(for t in host process thread_row counter tag tag_set annotation series tick_block sample_block phase load content reject; do
	grep -q "^$t	" 3.dump || echo "$t"
done)" "" "there is something in every table"

# --- there and back -------------------------------------------------------------------------------
fresh
is "$(move x.db -n)|$(cat out)" "0||would move 3 jobs with 166 processes to cold|cold/_/2020-09.db: 1 job, 10 processes
cold/c1/2023-11.db: 1 job, 6 processes
cold/_/2023-11.db: 1 job, 150 processes
$(tail -n 1 out)" "a dry run says what would go where"
alike 3.dump x.db "and moves nothing"
is "$(echo cold*)" "cold*" "and makes nothing"
is "$(move x.db)" "0||$moved" "three jobs move"
is "$(sqlite3 x.db 'SELECT count(*) FROM job')$(for t in process content load reject tag_set sample_block host; do
	sqlite3 x.db "SELECT count(*) FROM $t"
done | tr -d '\n')" "00000000" "they are gone here"
is "$(cd cold && find . -type f | sort | tr '\n' ' ')" "./_/2020-09.db ./_/2023-11.db ./_index.db ./_lock ./c1/2023-11.db " \
	"a file per cluster and month of the end"
is "$(find cold -type f ! -perm 600)$(find cold -type d ! -perm 700)" "" "for their owner alone"
is "$(move x.db)" "0||moved 0 jobs with 0 processes to cold" "again: nothing is left to move"
is "$(PERFMON_DB=cold/c1/2023-11.db "$PERFMON" show 77_3 | md5sum)" "$(PERFMON_DB=3.db "$PERFMON" show 77_3 | md5sum)" \
	"an archive is a database"
is "$(PERFMON_DB=cold/_index.db "$PERFMON" list jobs | wc -l)|$(PERFMON_DB=cold/_index.db "$PERFMON" list tags 77_3 | grep -c 'c1/2023-11.db')" \
	"4|1" "the index has all, and says where"
is "$(PERFMON_DB=cold/_index.db "$PERFMON" verify 2>&1)" "cold/_index.db: 3 jobs checked, 0 faults" "verify knows its jobs for summaries"

perfmon back.db submit -n cold/*/*.db >said
is "$(cat said)|$(grep -c processes out)|$(echo back.db*)" "0||3|back.db*" "submit -n says what would come back"
is "$(back back.db cold)|$(grep -c 'processes/s$' out)" "0||3" "submit brings them back"
alike 3.dump back.db "every row is the same"
is "$(perfmon back.db submit cold/*/*.db)|$(grep -c 'already loaded' out)" "0||3" "again: loaded already"
is "$(perfmon back.db submit --remove cold/c1/*.db)" "1|perfmon: warning: not removed: cold/c1/2023-11.db: a database" "--remove keeps the archive"
sqlite3 back.db "DELETE FROM counter"
is "$(perfmon back.db submit cold/c1/*.db)" \
	"1|perfmon: warning: cold/c1/2023-11.db: its job #1 is in the database with other rows in table counter, and stays so; --replace takes it from here" \
	"a job that is there with other rows stays, which is told"
is "$(perfmon back.db submit --replace cold/*/*.db)|$(grep -c 'replaces' out)" "0||3" "--replace"
alike 3.dump back.db "makes it whole"
is "$(perfmon back.db submit --json cold/c1/*.db)|$(grep -c '"state": "unchanged"' out)" "0||1" "--json"
is "$(perfmon back.db submit cold/_index.db)" \
	"1|perfmon: cold/_index.db: the index of archives, not an archive: submit the files beside it that have the jobs" \
	"the index is none to load"
sqlite3 other.db 'CREATE TABLE t (a)'
is "$(perfmon back.db submit other.db)" "1|perfmon: other.db: not a database of EPMT: no tables jobs and processes" "nor is any database"
if [ "$(id -u)" -eq 0 ]; then
	cp cold/c1/2023-11.db his.db && chown 65534 his.db
	is "$(perfmon back.db submit his.db)" \
		"1|perfmon: $work/his.db: belongs to uid 65534, who could name any user for its jobs: only databases of root and of the user who submits are loaded" \
		"a database of another user"
else
	skip "a database of another user" "not root"
fi

# --- jobs that the archive has already ------------------------------------------------------------
cp back.db x.db
is "$(move x.db)" "0||$moved" "jobs that came back move again"
is "$(back back.db cold)" "0|" "and come back again"
alike 3.dump back.db "the same"
cp back.db x.db
sqlite3 x.db "UPDATE job SET end_us = end_us + 86400000000 * 31 WHERE id = 3"
PERFMON_DB=x.db "$PERFMON" annotate 4711 note=changed more=1
dump x.db >more.dump
is "$(move x.db)|$(ls cold/_)" "0||$moved|2020-09.db
2023-11.db" "a job that was changed meanwhile stays in its file"
is "$(back back.db cold)" "0|" "which takes its new state"
alike more.dump back.db "whole"
cp back.db x.db
sqlite3 x.db "DELETE FROM annotation WHERE name = 'more'"
is "$(move x.db | sed 's/#[0-9]*/#N/')" \
	"1|perfmon: warning: job #N tester/4711 is not moved: cold/_/2023-11.db has it with other rows in table annotation; nothing more of it was deleted|moved 2 jobs with 16 processes to cold" \
	"a job of which the archive has more stays in the database"
is "$(sqlite3 x.db 'SELECT jobid, (SELECT count(*) FROM process) = processes FROM job')|$(sqlite3 cold/_/2023-11.db 'SELECT count(*) FROM annotation')" \
	"4711|1|2" "whole, and the archive keeps what it has"

# The summary may stay.
fresh
is "$(move x.db --keep-summary)" "0||$moved; summaries and programs are kept" "with --keep-summary"
is "$(sqlite3 x.db "SELECT count(*), sum(processes), sum(problems LIKE '%but in _%/20%.db') FROM job")|$(sqlite3 x.db 'SELECT count(*) FROM process')|$(PERFMON_DB=x.db "$PERFMON" verify 2>&1)" \
	"3|166|3|0|x.db: 3 jobs checked, 0 faults" "a summary stays, and says where the rest is"
is "$(back back.db cold)" "0|" "the archive"
alike 3.dump back.db "has all of it"
is "$(move x.db --keep-summary)|$(move x.db)" "0||moved 0 jobs with 0 processes to cold; summaries and programs are kept|0||$moved" "summaries go later"
is "$(sqlite3 x.db 'SELECT count(*) FROM job')|$(back back.db cold)" "0|0|" "and the archive"
alike 3.dump back.db "still has all"

# The index is only an index.
rm cold/_index.db
cp 0.db y.db
is "$(move y.db)|$(PERFMON_DB=cold/_index.db "$PERFMON" list tags 4711 | grep -c 2023-11.db)|$(PERFMON_DB=cold/_index.db "$PERFMON" list jobs | wc -l)" \
	"0||moved 0 jobs with 0 processes to cold|1|4" "a lost index is made anew"

# --- faults ---------------------------------------------------------------------------------------
# An archive that loses a row, or changes one, as it is written.
for fault in "BEFORE INSERT ON annotation BEGIN SELECT RAISE(IGNORE); END" \
	"AFTER INSERT ON annotation BEGIN UPDATE annotation SET value = 'other'; END" \
	"AFTER INSERT ON reject BEGIN UPDATE job SET rejected = 7; END"; do
	fresh
	mkdir -m 700 cold cold/_ cold/c1
	cp 0.db cold/_/2023-11.db && cp 0.db cold/c1/2023-11.db && chmod 600 cold/*/*.db
	sqlite3 cold/_/2023-11.db "CREATE TRIGGER fault $fault" && sqlite3 cold/c1/2023-11.db "CREATE TRIGGER fault $fault"
	perfmon x.db retire --older-than 90d --to cold >said
	is "$(sed 's/#[0-9]*//; s/.*table \(.*\);.*/\1/' said)|$(sqlite3 x.db 'SELECT count(*) FROM job')" \
		"$(case $fault in *reject*) echo job ;; *) echo annotation ;; esac)|1" "an archive that is at fault: ${fault%% BEGIN*}"
	copied=$(sqlite3 x.db 'SELECT id FROM job')
	"$PERFMON" copy -q 3.db want.db "#$copied" && dump want.db | sed 's/\ti[0-9]*//' >want.dump
	dump x.db | sed 's/\ti[0-9]*//' | cmp -s - want.dump
	ok $? "nothing of the job is deleted"
	rm want.db
	sqlite3 cold/_/2023-11.db "DROP TRIGGER fault" && sqlite3 cold/c1/2023-11.db "DROP TRIGGER fault"
	move x.db >said
	is "$(cut -d'|' -f1,2 said)|$(back back.db cold)" "0||0|" "mended, the next call moves it"
	alike 3.dump back.db "and it is whole"
done

# Killed between copy and deletion: what a disk did to the copy since is found, and a part that was
# deleted already is not missed.
fresh
move x.db >said
cp 3.db x.db
sqlite3 cold/_/2023-11.db "DELETE FROM process WHERE id = 7"
is "$(move x.db)|$(back back.db cold)" "0||$moved|0|" "a copy that lost a row is made anew"
alike 3.dump back.db "whole"
cp 3.db x.db
note="retired: its processes, counters and samples are no longer here, but in _/2023-11.db"
sqlite3 x.db "DELETE FROM content WHERE job_id = 3; DELETE FROM counter WHERE job_id = 3; DELETE FROM process WHERE job_id = 3 AND id > 20;
	UPDATE job SET problems = coalesce(problems || '; ', '') || '$note' WHERE id = 3"
cp x.db part.db
cp -r cold kept
is "$(move x.db)|$(sqlite3 x.db 'SELECT count(*) FROM job')" "0||$moved|0" "the rest of a job goes"
is "$(back back.db cold)" "0|" "the archive"
alike 3.dump back.db "has all of it still"
for change in "INSERT INTO annotation VALUES (3, 'new', '1')" "UPDATE tag_set SET value = 'new' WHERE job_id = 3 AND id = 0" \
	"UPDATE job SET exit_status = 9 WHERE id = 3"; do
	rm -rf cold x.db* && cp -r kept cold && cp part.db x.db
	sqlite3 x.db "$change"
	is "$(move x.db | sed 's/|.*|/|/')|$(sqlite3 x.db 'SELECT id FROM job')" "1|moved 2 jobs with 16 processes to cold|3" \
		"but not with what the archive lacks: ${change%% WHERE*}"
done

# Killed at any system call that writes.
calls=
if need strace && strace -o /dev/null true 2>/dev/null; then
	for call in mkdirat fdatasync pwrite64 unlink; do
		fresh
		PERFMON_DB=x.db strace -f -o calls -e trace=$call "$PERFMON" retire -q --older-than 90d --to cold
		n=$(grep -c "$call(" calls)
		step=$((n / ${PM_KILLS:-6} + 1))
		at=1
		bad=
		while [ "$at" -le "$n" ]; do
			fresh
			PERFMON_DB=x.db strace -f -o /dev/null -e inject=$call:signal=KILL:when=$at "$PERFMON" \
				retire -q --older-than 90d --to cold >/dev/null 2>&1
			rm -f u.db*
			"$PERFMON" copy -q x.db u.db >/dev/null 2>&1
			for file in cold/*/*.db; do
				# A file that was killed before it had a table has nothing.
				[ ! -s "$file" ] || PERFMON_DB=u.db "$PERFMON" submit -q "$file" >/dev/null 2>&1
			done
			[ "$(sqlite3 u.db 'SELECT count(*), sum(processes) FROM job')|$(sqlite3 u.db 'SELECT count(*) FROM process')" = "3|166|166" ] ||
				bad="$bad $at:lost"
			move x.db >said
			back back.db cold >said2
			dump back.db | cmp -s - 3.dump || bad="$bad $at:other"
			[ "$(sqlite3 x.db 'SELECT count(*) FROM job')|$(cat said2)|$(PERFMON_DB=cold/_index.db "$PERFMON" list jobs | wc -l)" = "0|0||4" ] ||
				bad="$bad $at:left"
			at=$((at + step))
			calls=$((${calls:-0} + 1))
		done
		is "$n$bad" "$n" "killed at $call: no job is lost or doubled"
	done
	[ "${calls:-0}" -ge 12 ]
	ok $? "there were enough kills"
	# What was written to the archives and the index is on disk before the database changes.
	fresh
	PERFMON_DB=x.db strace -f -y -o calls -e trace=pwrite64,fdatasync,fsync "$PERFMON" retire -q --older-than 90d --to cold
	is "$(sed -n 's/^[0-9 ]*\([a-z0-9]*\)([0-9]*<\([^>]*\)>.*/\1 \2/p' calls | awk '
		$1 == "pwrite64" && $2 ~ /\/x\.db/ { writes++; for (file in dirty) print file }
		$1 == "pwrite64" && $2 ~ /\/cold\// && $2 !~ /-shm$/ { dirty[$2] = 1; copies++ }
		$1 != "pwrite64" { delete dirty[$2] }
		END { print (writes > 0) (copies > 10) }')" 11 "the archives are on disk before anything is deleted"
else
	skip "killed at each system call" "no strace"
fi

# --- what cannot be -------------------------------------------------------------------------------
# refused WANT NAME: no job moves
refused()
{
	move x.db >said
	sed -n 's/^[^|]*|//; s/|[^|]*$//; 1p' said >reason
	is "$(cut -c1 said | head -n 1)|$(sed "s/^perfmon: retire from database .*: move to cold: //" reason)" "1|$1" "$2"
	dump x.db | cmp -s - 3.dump
	ok $? "nothing is deleted"
}
# held_up WHY NAME: the archive c1/2023-11.db cannot have its job, and the other jobs move
held_up()
{
	rm -rf cold/_ cold/_index.db x.db* && cp 3.db x.db
	move x.db >said
	is "$(head -n 1 said | cut -c1)|$(sed -n "s|$work/||g; s/.*\(1 job for c1.*\)/\1/p" said)|$(sqlite3 x.db 'SELECT jobid, (SELECT count(*) FROM process) FROM job')" \
		"1|1 job for c1/2023-11.db is not moved: $1|moved 2 jobs with 160 processes to cold|77|6" "$2"
	[ "$(PERFMON_DB=cold/_index.db "$PERFMON" list jobs | wc -l)" -ge 3 ]
	ok $? "the others are"
}
fresh
echo text >cold
refused "cold: not a directory" "a file for a directory"
rm cold
mkdir there && ln -s there cold
refused "cold: a symbolic link; links are not followed" "a link for a directory"
rm cold
mkdir -m 777 cold && chmod 777 cold
refused "cold: others may write to it: chmod go-w" "a directory for all"
chmod 700 cold
mkdir -m 700 elsewhere && ln -s ../elsewhere cold/c1
held_up "cold/c1: a symbolic link; links are not followed" "a link for a folder"
rm cold/c1
mkdir -m 770 cold/c1 && chmod 770 cold/c1
held_up "cold/c1: others may write to it: chmod go-w" "a folder for a group"
chmod 700 cold/c1
ln -s "$work/elsewhere/x.db" cold/c1/2023-11.db
held_up "cold/c1/2023-11.db: a symbolic link; links are not followed" "a link for an archive"
rm cold/c1/2023-11.db
cp 0.db elsewhere/y.db && chmod 600 elsewhere/y.db && ln elsewhere/y.db cold/c1/2023-11.db
held_up "cold/c1/2023-11.db: has 2 hard links" "an archive with another name"
rm cold/c1/2023-11.db
mkdir cold/c1/2023-11.db
held_up "cold/c1/2023-11.db: not a regular file" "a directory for an archive"
rmdir cold/c1/2023-11.db
cp 0.db cold/c1/2023-11.db && chmod 600 cold/c1/2023-11.db
sqlite3 cold/c1/2023-11.db "UPDATE schema_version SET version = 99"
version=$(sed -n "s/^#define PM_SCHEMA_VERSION //p" "$abs_top_srcdir/sql/schema.h")
held_up "database cold/c1/2023-11.db: its schema version 99 is newer than this perfmon's $version: use a newer perfmon" "an archive of a newer perfmon"
is "$(move x.db -n | sed 's/.*: its/its/')" "its schema version 99 is newer than this perfmon's $version: use a newer perfmon|" "which a dry run finds, too"
cp other.db cold/c1/2023-11.db
held_up "database cold/c1/2023-11.db: not a perfmon database: it has no table schema_version" "a database of something else"
cmp -s other.db cold/c1/2023-11.db
ok $? "which is left alone"
rm -f cold/c1/2023-11.db
is "$(move x.db)|$(PERFMON_DB=cold/_index.db "$PERFMON" list jobs | wc -l)|$(wc -c <cold/_lock)" "0||moved 1 job with 6 processes to cold|4|0" \
	"without it the job moves, and the index is complete"
# An archive of an earlier perfmon is brought to the present version.
fresh
mkdir -m 700 cold cold/_ && { cat "$golden/schema/4.sql"; echo "PRAGMA foreign_keys = ON; DELETE FROM job;"; } | sqlite3 cold/_/2023-11.db && chmod 600 cold/_/2023-11.db
is "$(move x.db)|$(sqlite3 cold/_/2023-11.db 'SELECT max(version) FROM schema_version')" "0||$moved|$version" "an archive of an earlier version"
# A job at fault holds up no other.
fresh
sqlite3 x.db "PRAGMA ignore_check_constraints = ON; UPDATE process SET pid = 'x' WHERE job_id = 3 AND id = 7"
move x.db >said
is "$(head -n 1 said | cut -c1)|$(grep -c 'job #[0-9]* tester/4711 is not moved: ' said)|$(sed 's/.*|//' said)|$(sqlite3 x.db 'SELECT jobid FROM job')" \
	"1|1|moved 2 jobs with 16 processes to cold|4711" "a job that cannot be copied"
# The rest of a job whose archive is gone stays: nothing else says that there was more.
fresh
move x.db --keep-summary >said
mv cold/_/2023-11.db away.db
cp x.db y.db
move x.db >said
is "$(head -n 1 said | cut -c1)|$(grep -c 'an archive has the rest of it, as its problems say, and _/2023-11.db does not: bring that archive back' said)|$(sqlite3 x.db 'SELECT jobid FROM job')" \
	"1|1|4711" "a summary whose archive is gone"
cp away.db cold/_/2023-11.db
is "$(move x.db)|$(back back.db cold)" "0||moved 1 job with 150 processes to cold|0|" "with its archive it goes"
alike 3.dump back.db "which has all of it"
# Nor does the index of another directory tell of it.
cp y.db x.db && mv cold first
move x.db >said
is "$(cut -c1 said | head -n 1)|$(PERFMON_DB=cold/_index.db "$PERFMON" list jobs | grep -c 4711)" "1|0" "and is in no other index"
# Any number of jobs may have other rows than their archive.
fresh
sqlite3 x.db "CREATE TEMP TABLE t AS SELECT * FROM job WHERE id = 2;
	$(for i in $(seq 101 125); do
		echo "UPDATE t SET id = $i, jobid = 'x$i', start_us = 1699900000000000, end_us = 1700000000000000; INSERT INTO job SELECT * FROM t;"
	done)"
cp x.db y.db
move x.db >said
sqlite3 cold/c1/2023-11.db "INSERT INTO annotation SELECT id, 'more', '1' FROM job WHERE jobid LIKE 'x%'"
is "$(cat said)|$(move y.db >said; grep -c 'other rows in table annotation; nothing' said)|$(tail -n 1 said | sed 's/.*|//')|$(sqlite3 y.db 'SELECT count(*) FROM job')" \
	"0||moved 28 jobs with 316 processes to cold|25|moved 3 jobs with 166 processes to cold|25" "jobs with other rows hold up no other"
# Nobody says by the name of a file that a job was retired.
cp -r real forged && echo '{' >"forged/job-Retired: its processes, counters and samples are no longer here, but in _.json"
PERFMON_DB=$work/f.db "$PERFMON" submit forged >/dev/null 2>&1
sqlite3 f.db "UPDATE job SET processes = processes + 1"
is "$(sqlite3 f.db "SELECT problems LIKE '%retired; its processes%' FROM job")|$(PERFMON_DB=f.db "$PERFMON" verify >said; echo $?)" "1|1" "a file whose name says that its job was retired"
# A database is loaded once, whatever waits for the rest of the call.
mkdir lone && cp real/*.series lone
is "$(perfmon back.db submit lone cold/c1/2023-11.db >said; grep -c '^job ' out)" "$(sqlite3 cold/c1/2023-11.db 'SELECT count(*) FROM job')" "a database beside a part that waits"
# A note that the archive alone has is not lost, whatever else there is more of here.
fresh
PERFMON_DB=x.db "$PERFMON" annotate 4711 mine=1 && move x.db >said
cp 3.db x.db && PERFMON_DB=x.db "$PERFMON" annotate 4711 other=1 third=1
move x.db >said
is "$(head -n 1 said | cut -c1)|$(grep -c 'has it with other rows in table annotation' said)|$(sqlite3 cold/_/2023-11.db 'SELECT group_concat(name) FROM annotation')" \
	"1|1|mine,note" "notes that only the archive has"
# One call at a time.
fresh
mkdir -m 700 cold && : >cold/_lock && chmod 600 cold/_lock
if need python3; then
	is "$(PERFMON_DB=x.db python3 -c 'import fcntl, subprocess, sys
f = open("cold/_lock")
fcntl.flock(f, fcntl.LOCK_EX)
p = subprocess.run([sys.argv[1], "retire", "--older-than", "90d", "--to", "cold"], stderr=subprocess.PIPE)
print(p.returncode, p.stderr.decode().split("cold: ")[-1], end="")' "$PERFMON")" "75 another perfmon moves jobs there" "two calls for one directory"
else
	skip "two calls for one directory" "no $missing"
fi
# Killed at a commit, and the job's end changes: it is in one archive all the same.
if strace -o /dev/null true 2>/dev/null; then
	bad=
	for at in 2 4 6 8; do
		fresh
		PERFMON_DB=x.db strace -f -o /dev/null -e inject=fdatasync:signal=KILL:when=$at "$PERFMON" \
			retire -q --older-than 90d --to cold >/dev/null 2>&1
		sqlite3 x.db "UPDATE job SET end_us = end_us + 86400000000 * 31 WHERE jobid = '4711'"
		move x.db >said
		n=0
		for file in cold/_/*.db; do
			n=$((n + $(sqlite3 "$file" "SELECT count(*) FROM job WHERE jobid = '4711'")))
		done
		[ "$n" -eq 1 ] || bad="$bad $at:$n"
	done
	is "$bad" "" "killed, and its month changed: a job is in one archive"
else
	skip "killed, and its month changed" "no strace"
fi
# A directory above that another user could exchange.
if [ "$(id -u)" -eq 0 ]; then
	fresh
	mkdir hers && mkdir -m 700 hers/cold && chown 65534 hers
	PERFMON_DB=x.db "$PERFMON" retire --older-than 90d --to hers/cold >out 2>err
	is "$?|$(sed 's/.*: move to //' err)" "1|hers/cold: $work/hers: belongs to uid 65534, who could exchange what is in it" "a directory of another user above"
	chown 0 hers && chmod 777 hers
	PERFMON_DB=x.db "$PERFMON" retire --older-than 90d --to hers/cold >out 2>err
	is "$?|$(sed 's/.*: move to //' err)" "1|hers/cold: $work/hers: others may write to it, and could exchange what is in it: chmod go-w or +t" "a directory for all above"
	dump x.db | cmp -s - 3.dump
	ok $? "nothing is deleted"
	# Databases to load.
	chmod 755 hers && cp 3.db hers/3.db
	: >hers/3.db-wal && chown 65534 hers/3.db-wal
	is "$(perfmon back.db submit hers/3.db | sed 's/, who.*//')" "1|perfmon: $work/hers/3.db-wal: belongs to uid 65534" "a journal of another user"
	rm hers/3.db-wal && chmod 777 hers
	is "$(perfmon back.db submit hers/3.db | sed 's/, and.*//')" "1|perfmon: $work/hers: others may write to it" "a directory where others can put one"
	chmod 755 hers && chmod 660 hers/3.db && chgrp 65534 hers/3.db
	is "$(perfmon back.db submit hers/3.db | sed 's/, and.*//')" "1|perfmon: $work/hers/3.db: others may write to it" "a database of a group"
	rm -r hers
else
	for name in "a directory of another user above" "a directory for all above" "nothing is deleted" "a journal of another user" \
		"a directory where others can put one" "a database of a group"; do
		skip "$name" "not root"
	done
fi
cp 3.db view.db
sqlite3 view.db "PRAGMA foreign_keys = OFF; ALTER TABLE counter RENAME TO c; CREATE VIEW counter AS SELECT * FROM c" 2>/dev/null
is "$(perfmon back.db submit view.db)" "1|perfmon: view.db: counter is not a table" "a view in place of a table"
cp 3.db part.db
sqlite3 part.db "UPDATE process SET pid = 'x' WHERE job_id = 1 AND id = 2"
rm -f back.db*
perfmon back.db submit part.db >said
is "$(head -n 1 said | cut -c1)|$(grep -c 'part.db: 1 of 3 jobs could not be loaded' said)|$(sqlite3 back.db 'SELECT count(*) FROM job')" "1|1|2" \
	"a job at fault in a database: the others are loaded"
rm -rf cold
fresh
is "$(perfmon x.db retire --older-than 90d --to no/such/cold)" \
	"1|perfmon: retire from database $work/x.db: move to no/such/cold: no/such/: No such file or directory" \
	"a directory without a parent, as of a disk that is not mounted"
is "$(perfmon x.db retire --older-than 90d --to '')" "2|perfmon: retire: --to needs the name of a directory" "no name"
if [ "$(id -u)" -eq 0 ]; then
	mkdir -m 700 cold && chown 65534 cold
	refused "cold: belongs to uid 65534, who could change its content" "another user's directory"
	rm -r cold
else
	skip "another user's directory" "not root"
	skip "nothing is deleted" "not root"
fi
(
	ulimit -f 600
	move x.db >said
)
is "$(cut -c1 said | head -n 1)|$(grep -c 'I/O error\|File too large' said)" "1|1" "a limit on the size of files"
alike 3.dump x.db "nothing is deleted"
rm -rf cold
is "$(move x.db)|$(back back.db cold)" "0||$moved|0|" "without it they move"
alike 3.dump back.db "whole"
# An archive for a database, and the index.
is "$(perfmon cold/_/2023-11.db retire --older-than 90d --to cold | sed 's/.*: c/c/')" "cold/_/2023-11.db: is the database itself" \
	"an archive is not moved into itself"
is "$(perfmon cold/_index.db retire --older-than 90d --to cold | sed 's/.*: c/c/')" "cold/_index.db: is the database itself" "nor the index"
is "$(sqlite3 cold/_/2023-11.db 'SELECT count(*) FROM job')" 1 "it keeps its job"
# shellcheck disable=SC2016 # expanded there
if full 900 'mkdir -m 700 full/cold; cp 3.db y.db
	PERFMON_DB=$work/y.db "$PERFMON" retire --older-than 90d --to full/cold >full.out 2>&1; echo "$?" >>full.out
	mount -o remount,size=20m full
	PERFMON_DB=$work/y.db "$PERFMON" retire --older-than 90d --to full/cold >again.out 2>&1; echo "$?" >>again.out
	cp -r full/cold as; mount -o remount,ro full; cp 3.db z.db
	PERFMON_DB=$work/z.db "$PERFMON" retire --older-than 90d --to full/cold >ro.out 2>&1; echo "$?" >>ro.out'; then
	is "$(grep 'is full$\|disk I/O error$' full.out | tail -n 1 | wc -l)|$(tail -n 1 full.out)|$(tail -n 1 again.out)|$(back back.db as)" "1|1|0|0|" "a full disk is said, and is no end"
	alike 3.dump back.db "nothing was lost"
	is "$(grep -c 'Read-only file system\|readonly' ro.out)|$(tail -n 1 ro.out)" "1|1" "a file system that is read-only"
	alike 3.dump z.db "nothing is deleted"
else
	skip "a full disk" "not root, or no mount"
fi

# --- names of clusters ----------------------------------------------------------------------------
cp 3.db one.db && PERFMON_DB=one.db "$PERFMON" delete -q -f '#2' '#3'
long=$(printf 'x%.0s' $(seq 300))
for cluster in ../../up . .. /tmp a/b _index.db _ -rf 'a b' "$(printf 'tab\there')" 'ünï' '%2E' A.b-c_9 "${long}1" "${long}2"; do
	sqlite3 one.db "UPDATE job SET cluster = '$cluster'"
	"$PERFMON" copy -q one.db many.db
done
is "$(sqlite3 many.db 'SELECT count(*) FROM job')" 15 "jobs of clusters of strange names"
dump many.db >many.dump
rm -rf cold
before=$(find . -path ./cold -prune -o -print | wc -l)
is "$(move many.db)" "0||moved 15 jobs with 150 processes to cold" "they move"
is "$(find . -path ./cold -prune -o -print | wc -l)" "$before" "to nowhere else"
is "$(cd cold && find . -type d | sed 's/x\{100,\}/xxx/; s/~.*/~/' | LC_ALL=C sort | tr '\n' ' ')" \
	". ./%252E ./%2Drf ./%2E ./%2E. ./%2E.%2F..%2Fup ./%2Ftmp ./%5F ./%5Findex.db ./%C3%BCn%C3%AF ./A.b-c_9 ./a%20b ./a%2Fb ./tab%09here ./xxx~ ./xxx~ " \
	"in folders of safe names"
rm -f back.db*
is "$(PERFMON_DB=back.db "$PERFMON" submit cold/*/*.db 2>&1 | grep -c 'processes/s$')" 15 "and come back"
dump back.db | sed 's/\ti[0-9]*//' | LC_ALL=C sort >back.dump
sed 's/\ti[0-9]*//' many.dump | LC_ALL=C sort | cmp -s - back.dump
ok $? "the same"
done_testing
