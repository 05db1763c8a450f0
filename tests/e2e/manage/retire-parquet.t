#!/bin/sh
# retire --to --parquet: the processes of every retired job are in the Parquet files, each once, whatever came before;
# read by a program that knows nothing of perfmon. Kills are in retire-parquet-kill.t.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
. "$abs_top_srcdir/tests/e2e/manage.sh"

if ! need sqlite3 python3 zstd; then
	skip "retire --parquet" "no $missing"
	done_testing
fi
golden=$abs_top_srcdir/tests/golden
mkdir real v1 none && cp "$golden"/schema/job/* real && cp "$golden"/v1/job/* v1 || exit 99
"$abs_top_builddir/tests/progs/generate" job 60 2 >/dev/null || exit 99
PERFMON_DB=$work/0.db "$PERFMON" submit none >out 2>err
PERFMON_DB=$work/3.db "$PERFMON" submit real v1 job >out 2>err
# Three days in two months, and two jobs on one of them.
sqlite3 3.db "UPDATE job SET start_us = 1600000000000000, end_us = 1600000001000000 WHERE id = 1;
	CREATE TEMP TABLE t AS SELECT * FROM job WHERE id = 2; CREATE TEMP TABLE p AS SELECT * FROM process WHERE job_id = 2;
	CREATE TEMP TABLE h AS SELECT * FROM host WHERE job_id = 2;
	UPDATE t SET id = 9, jobid = 'next', end_us = end_us + 86400000000; UPDATE p SET job_id = 9; UPDATE h SET job_id = 9;
	INSERT INTO job SELECT * FROM t; INSERT INTO host SELECT * FROM h; INSERT INTO process SELECT * FROM p;
	UPDATE t SET id = 10, jobid = 'same', name = 'a\tb\\x41'; UPDATE p SET job_id = 10; UPDATE h SET job_id = 10;
	INSERT INTO job SELECT * FROM t; INSERT INTO host SELECT * FROM h; INSERT INTO process SELECT * FROM p;"

rows_of() { python3 "$abs_top_srcdir/tests/e2e/manage/dayfiles.py" "$@" 2>&1; }
# move DB [ARG...]: "STATUS|ERRORS|last line", the time left out
move()
{
	name=$1
	shift
	perfmon "$name" retire --older-than 90d --to cold "$@" >said
	echo "$(cat said)|$(sed 's/, ended before .*[0-9]//' out | tail -n 1)"
}
fresh()
{
	rm -rf x.db* cold
	cp 3.db x.db
}
# whole NAME [WANT]: the files have each process once, and nothing else is there
whole()
{
	rows_of files cold >got.rows
	cmp -s "${2:-3.rows}" got.rows
	ok $? "$1"
	cmp -s "${2:-3.rows}" got.rows || diag "$(diff "${2:-3.rows}" got.rows | cut -c1-300 | head -6)"
	is "$(rows_of parts cold)" "" "$1: no part of a file is left"
}
moved="moved 5 jobs with 88 processes to cold"
rows_of truth 3.db >3.rows
is "$(wc -l <3.rows)" 88 "there are processes"

is "$(perfmon 3.db retire --older-than 90d --parquet)" "2|perfmon: retire: --parquet writes files beside archives: it needs --to" "without --to"
fresh
is "$(move x.db -n --parquet)|$(echo cold*)" "0||would move 5 jobs with 88 processes to cold|cold*" "a dry run makes nothing"
is "$(move x.db --parquet)" "0||$moved" "jobs move"
is "$(sqlite3 x.db 'SELECT count(*) FROM job')|$(cd cold && find . -name '*.parquet' | sort | tr '\n' ' ')" \
	"0|./parquet/month=2020-09/2020-09-13._.parquet ./parquet/month=2023-11/2023-11-14._.parquet ./parquet/month=2023-11/2023-11-14.c1.parquet ./parquet/month=2023-11/2023-11-15.c1.parquet " \
	"a file per archive and day of the end"
whole "each process is there"
is "$(find cold -type f ! -perm 600)$(find cold -type d ! -perm 700)" "" "for their owner alone"
is "$(python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import glob, parquet
for r in parquet.rows(glob.glob("cold/parquet/*/2023-11-15*")[0]):
    if r["jobid"] == "same" and r["id"] == 2: print(repr(r["name"]), r["process_jobid"], r["hostname"])' "$abs_top_srcdir/tests/e2e/export")" \
	"'a\\\\tb\\\\x41' $(sqlite3 3.db "SELECT jobid FROM process WHERE job_id = 10 AND id = 2") $(sqlite3 3.db "SELECT hostname FROM host WHERE job_id = 10")" \
	"the name of a job is as the job's table has it, not decoded as texts of processes are"

# The columns of export, in its order, behind those of the job.
cp cold/c1/2023-11.db c1.db
is "$(PERFMON_DB=c1.db "$PERFMON" export processes 77_3 -o e.parquet 2>&1)" "" "export"
is "$(python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import glob, parquet
want = list(parquet.rows("e.parquet"))
got = list(parquet.rows(glob.glob("cold/parquet/*/2023-11-14.c1.parquet")[0]))
for row in want: row["process_jobid"] = row.pop("jobid")
strip = [{k: v for k, v in r.items() if k in want[0]} for r in got]
print(strip == want, set(want[0]) - set(got[0]), list(got[0])[:11])' "$abs_top_srcdir/tests/e2e/export")" \
	"True set() ['cluster', 'user', 'jobid', 'array_task', 'restart_count', 'epoch_us', 'name', 'account', 'queue', 'job_start_us', 'job_end_us']" \
	"each column and value is that of export processes"

# --- what is right stays, what is not is written anew ---------------------------------------------
stamp() { (cd cold && find parquet -type f -exec ls -i {} + | sort); }
stamp >1.stamp
cp 0.db y.db
is "$(move y.db --parquet)" "0||moved 0 jobs with 0 processes to cold" "again: nothing is left to move"
stamp | cmp -s - 1.stamp
ok $? "and no file is written"
first=cold/parquet/month=2023-11/2023-11-14.c1.parquet
second=cold/parquet/month=2023-11/2023-11-15.c1.parquet
for harm in "rm $first" ": >$first" "truncate -s 1000 $first" "truncate -s -1 $first" "cp $second $first" "echo x >>$first" \
	"echo x >$first; echo y >cold/parquet/month=2023-11/2023-11-14.c1.partial" "cp $second cold/parquet/month=2023-11/2023-11-20.c1.parquet" \
	"rm -r cold/parquet/month=2023-11" "rm -r cold/parquet"; do
	eval "$harm"
	is "$(move y.db --parquet)" "0||moved 0 jobs with 0 processes to cold" "repaired: $harm"
	whole "repaired: $harm"
done
chmod 750 cold/parquet && chmod 640 $first && sqlite3 cold/c1/2023-11.db "UPDATE job SET account = 'new' WHERE jobid = '77'"
is "$(move y.db --parquet)|$(stat -c %a cold/parquet $first | tr '\n' ' ')" "0||moved 0 jobs with 0 processes to cold|750 640 " \
	"a file of a job that was changed in its archive keeps the rights that it was given"
is "$(rows_of files cold | grep -c '"account": "new"')" 6 "and has the change"

cp cold/_/2023-11.db cold/_/2023-11-copy.db && cp cold/_/2023-11.db cold/_/12023-11.db && cp cold/_/2023-11.db cold/_/copy.db
is "$(move y.db --parquet)|$(find cold -name '*copy*' -o -name '*12023*' | grep -c parquet)" "0||moved 0 jobs with 0 processes to cold|0" \
	"a copy of an archive beside it is none"
# What a call without it has moved.
fresh
is "$(move x.db)|$(find cold -name 'parquet*')" "0||$moved|" "without --parquet there are no files"
cp 0.db y.db
is "$(move y.db --parquet)" "0||moved 0 jobs with 0 processes to cold" "the next call with it"
whole "makes up for it"

# --- jobs that come back --------------------------------------------------------------------------
stamp >1.stamp
rm -f back.db*
is "$(perfmon back.db submit cold/*/*.db)" "0|" "submit brings jobs back"
is "$(move back.db --parquet)" "0||$moved" "they move again"
whole "no process is there twice"
stamp | cmp -s - 1.stamp
ok $? "and no file is written"
for keep in summary programs; do
	fresh
	is "$(move x.db --parquet --keep $keep | cut -d'|' -f1,2)|$(sqlite3 x.db 'SELECT count(*), (SELECT count(*) FROM process) FROM job')" "0||5|0" "--keep $keep"
	whole "--keep $keep"
	is "$(move x.db --parquet | cut -d'|' -f1,2)|$(sqlite3 x.db 'SELECT count(*) FROM job')" "0||0" "the summaries go later"
	whole "--keep $keep, then none"
done

# A host that comes late.
rm -rf x.db* cold early all.db*
mkdir early && cp job/*n0* early/ || exit 99
PERFMON_DB=$work/x.db "$PERFMON" submit -q early && cp x.db early.db
PERFMON_DB=$work/all.db "$PERFMON" submit -q job
rows_of brief truth all.db >all.brief
rows_of truth early.db >early.rows
is "$(move x.db --parquet | cut -d'|' -f1,2)" "0|" "a job of which one host is there"
whole "its processes" early.rows
mkdir late && cp job/*n1* late/
PERFMON_DB=$work/x.db "$PERFMON" submit -q late
is "$(move x.db --parquet | cut -c1 | head -n 1)|$(sqlite3 x.db 'SELECT count(*) > 0 FROM process')" "1|1" "the other host, of which the archive knows nothing, stays in the database"
whole "the file is as it was" early.rows
rm -f x.db*
is "$(perfmon x.db submit cold/*/*.db late)" "0|" "the archive comes back, and the host is added"
sqlite3 x.db "UPDATE job SET end_us = end_us + 86400000000"
rows_of truth x.db >all.rows
is "$(move x.db --parquet | cut -d'|' -f1,2)|$(ls cold/parquet/*)" "0||2023-11-15._.parquet" "it moves, and its end is another day"
whole "all processes are there, each once" all.rows
rows_of brief files cold | cmp -s - all.brief
ok $? "those of both hosts"

# --- archives that are thinned --------------------------------------------------------------------
fresh
move x.db --parquet >said
is "$(perfmon cold/c1/2023-11.db retire --older-than 90d --keep summary)" "0|" "processes are retired in an archive itself"
cp 0.db y.db
is "$(move y.db --parquet)" "0||moved 0 jobs with 0 processes to cold" "the next call"
whole "leaves the files that have them"
cp 3.db z.db && PERFMON_DB=z.db "$PERFMON" delete -q -f 4711 && sqlite3 z.db "DELETE FROM job WHERE jobid <> '77'; UPDATE job SET jobid = '78'"
is "$(move z.db --parquet | sed "s/$(date +%Y).*//; s/: a file in .* would lose them/: ... would lose them/")|$(sqlite3 z.db 'SELECT jobid, processes FROM job')" \
	"1|perfmon: warning: 1 job for c1/2023-11.db is not moved: ... would lose them: move it elsewhere, so that it is written anew|moved 0 jobs with 0 processes to cold|78|6" \
	"a job whose file would lose them stays"
whole "they are not lost"
mkdir away && mv $first away
is "$(move z.db --parquet)|$(rows_of brief files cold | grep -c '^c1 78 ')" "0||moved 1 job with 6 processes to cold|6" "with the file elsewhere it moves"

# --- what cannot be -------------------------------------------------------------------------------
# refused WHY NAME: no job of that archive is deleted
refused()
{
	move x.db --parquet >said
	is "$(head -n 1 said | cut -c1)|$(grep -c "$1" said)|$(sqlite3 x.db 'SELECT (SELECT count(*) FROM process) = sum(processes) FROM job')" "1|1|1" "$2"
}
fresh
mkdir -m 700 cold && echo text >cold/parquet
refused "1 job for c1/2023-11.db is not moved: cold/parquet: not a directory" "a file for the folder"
fresh
mkdir -m 700 cold elsewhere && ln -s ../elsewhere cold/parquet
refused "1 job for c1/2023-11.db is not moved: cold/parquet: a symbolic link; links are not followed" "a link for the folder"
fresh
mkdir -m 700 cold cold/parquet cold/parquet/month=2023-11 && mkdir $first
refused "1 job for c1/2023-11.db is not moved: $first: not a regular file" "a directory for a file"
is "$(sqlite3 x.db 'SELECT count(*) FROM job')" 3 "the jobs of other archives are moved"
rm -f elsewhere/* && rmdir $first && ln -s "$work/elsewhere/file" $first
refused "1 job for c1/2023-11.db is not moved: $first: a symbolic link" "a link for a file"
is "$(ls elsewhere)" "" "nothing is written where it leads"
rm $first
is "$(move x.db --parquet)" "0||moved 3 jobs with 18 processes to cold" "without it they move"
whole "and all are there"
# A cluster of that name.
fresh
sqlite3 x.db "UPDATE job SET cluster = 'parquet' WHERE id = 2"
rows_of truth x.db >parquet.rows
is "$(move x.db --parquet)|$(ls cold/parquet/*.db)" "0||$moved|cold/parquet/2023-11.db" "a cluster that is named parquet"
whole "has its files beside" parquet.rows
# A full disk, and one that is read-only; the archives have all.
rm -rf cold x.db*
"$abs_top_builddir/tests/progs/generate" many 4000 2 >/dev/null && PERFMON_DB=many.db "$PERFMON" submit -q many || exit 99
cp many.db x.db
rows_of truth many.db >many.rows
move x.db >said
# shellcheck disable=SC2016 # expanded there
if full 40000 'cp -r cold full/cold; cp 0.db y.db; cp many.db z.db
	cat /dev/zero >full/fill 2>/dev/null; truncate -s -200k full/fill
	for db in y z; do
		PERFMON_DB=$work/$db.db "$PERFMON" retire --older-than 90d --to full/cold --parquet >$db.out 2>&1; echo "$?" >>$db.out
	done
	find full/cold -name "*.partial" -o -name "*.parquet" >left; rm full/fill
	PERFMON_DB=$work/y.db "$PERFMON" retire --older-than 90d --to full/cold --parquet >again.out 2>&1; echo "$?" >>again.out
	rm -r cold; cp -r full/cold cold; rm full/cold/parquet/*/*; mount -o remount,ro full
	PERFMON_DB=$work/z.db "$PERFMON" retire --older-than 90d --to full/cold --parquet >ro.out 2>&1; echo "$?" >>ro.out'; then
	is "$(grep -c 'Parquet files of full/cold/.*No space left on device' y.out)|$(tail -n 1 y.out)|$(tail -n 1 z.out)|$(cat left)|$(tail -n 1 again.out)" "1|1|1||0" \
		"a full disk is said, leaves no part of a file, and is no end"
	whole "with room" many.rows
	is "$(grep -c 'Read-only file system\|readonly' ro.out)|$(tail -n 1 ro.out)" "1|1" "a file system that is read-only"
	rows_of truth z.db | cmp -s - many.rows
	ok $? "nothing is deleted"
else
	skip "a full disk" "not root, or no mount"
fi
done_testing
