#!/bin/sh
# perfmon submit --spool loads archives in batches, a transaction each: with the same rows as one by one, none lost or
# told too early when a batch fails or perfmon is killed, and without a lock while archives are read.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/spool.sh
. "$abs_top_srcdir/tests/e2e/spool.sh"

skip_without_archives
PERFMON_SPOOL_AGE=0
export PERFMON_SPOOL_AGE
spool=$work/spool

# fill N: archives of as many jobs, 1 to N, in an empty spool.
fill()
{
	rm -rf "$spool" && mkdir -p "$spool" store
	for n in $(seq "$1"); do
		file=$(printf '%03d.tgz' "$n")
		[ -e "store/$file" ] || archive "store/$file" "$n"
		echo "store/$file"
	done | xargs cp -t "$spool"
}

# pass DB [COMMAND...]: one pass that removes what is loaded, below a command; its status in $status.
pass()
{
	db=$1
	shift
	PERFMON_DB=$db "$@" "$PERFMON" submit --spool "$spool" --remove >out 2>err
	status=$?
}

# rows DB: all that is in it but times of loading, and the compressed content of files, whose blocks depend on how
# the bytes come.
rows()
{
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$abs_top_srcdir/tests/e2e python3 -c '
import sys, database_content
content = database_content.content(sys.argv[1])
for row in ["damaged"] if content == "damaged" else sorted((t, r) for t in content if t != "content" for r in content[t]):
    print(row)' "$1"
}

# --- more than a batch --------------------------------------------------------------------------
fill 100
pass batch.db
is "$status|$(tail -n 1 out)|$(cat err)" "0|spool $spool: 100 loaded, 0 set aside, 0 left|" "100 archives"
is "$(grep -c '^job [0-9]*: ' out)|$(names "$spool" '*.tgz')" "100|" "each job is told, each archive removed"
is "$(sed -n 's/^job \([0-9]*\): .*/\1/p' out | tr '\n' ' ')" "$(seq 100 | tr '\n' ' ')" "in the order of the names"
if need python3; then
	fill 100
	for n in $(seq 100); do
		PERFMON_DB=alone.db "$PERFMON" -q submit "$spool/$(printf %03d "$n").tgz" || exit 99
	done
	rows alone.db >alone.rows
	rows batch.db >batch.rows
	is "$(wc -l <alone.rows):$(cmp alone.rows batch.rows 2>&1)" "$(wc -l <batch.rows):" "with the rows that they have one by one"
	is "$(($(wc -l <alone.rows) > 100 * 40))" 1 "which are many"
	PERFMON_DB=batch.db "$PERFMON" verify >out 2>err
	is "$?|$(cat err)" "0|" "and with the content of their files"
else
	skip "the same rows as one by one" "no $missing"
fi

# --- archives that fail, in the middle ------------------------------------------------------------
# Some that cannot be read, one of them cut within a file, one beyond a limit: what was read of them gets into no other.
fill 30
printf 'not an archive' >"$spool/005.tgz"
gzip -dc "$spool/010.tgz" | head -c 12000 | gzip >cut.tgz && mv cut.tgz "$spool/010.tgz"
"$abs_top_builddir/tests/progs/generate" large 400 >/dev/null && tar -czf "$spool/015.tgz" -C large .
PERFMON_DB=cut.db PERFMON_SPOOL_ROWS=200 "$PERFMON" -v -v submit --spool "$spool" --remove >out 2>err
is "$?|$(tail -n 1 out)" "1|spool $spool: 27 loaded, 3 set aside, 0 left" "archives that cannot be read are set aside"
is "$(grep -c 'one by one' err)" 0 "and the others loaded in one batch"
digests="SELECT jobid, file, digest FROM load, job WHERE job.id = job_id AND jobid IN ('11', '16') ORDER BY 1, 2"
is "$(query "$digests" cut.db)" "$(query "$digests" batch.db)" "with their own content"
# One whose data no job of the database has: it fails as it is written.
fill 70
printf 'not an archive' >"$spool/010.tgz"
"$PERFMON" -q sample --pid $$ -d "$work/series" --interval 50ms --sources load --max-samples 3 & sampler=$!
for _ in $(seq 100); do
	[ -z "$(find series -name '*.series' -size +0 2>/dev/null)" ] || break
	sleep 0.1
done
kill -TERM $sampler
wait $sampler
tar -czf "$spool/020.tgz" -C series .
PERFMON_DB=failing.db "$PERFMON" -v -v submit --spool "$spool" --remove >out 2>err
is "$?|$(tail -n 1 out)" "1|spool $spool: 68 loaded, 2 set aside, 0 left" "archives that fail are set aside, the others loaded"
is "$(sed -n 's/.*: \([0-9]* archives are loaded [a-z ]*\): .*/\1/p' err | tr '\n' ' ')" \
	"64 archives are loaded in parts 8 archives are loaded one by one " "after the batch that one of them was in has failed"
is "$(names "$spool/failed" '*.tgz' | tr '\n' ' ')|$(names "$spool" '*.tgz')" "010.tgz 020.tgz |" "those that failed"
is "$(query 'SELECT count(*), count(DISTINCT jobid) FROM job' failing.db)" "68|68" "each job is there once"
is "$(grep -c '^job [0-9]*: ' out)" 68 "and told once"
is "$(grep -c 'without its metadata' "$spool/failed/020.tgz.reason")" 1 "the reason is that of the archive alone"
is "$(PERFMON_DB=failing.db "$PERFMON" verify 2>&1 | tail -n 1)" "failing.db: 68 jobs checked, 0 faults" "no job counts twice in the day of its user"
# Jobs that are loaded already, beside new ones.
fill 20
PERFMON_DB=some.db "$PERFMON" -q submit "$spool"/00*.tgz || exit 99
PERFMON_DB=some.db "$PERFMON" submit --spool "$spool" --remove >out 2>err
is "$?|$(tail -n 1 out)|$(PERFMON_DB=some.db "$PERFMON" verify 2>&1 | tail -n 1)" \
	"0|spool $spool: 20 loaded, 0 set aside, 0 left|some.db: 20 jobs checked, 0 faults" "nor one that is loaded already"

# --- archives of many jobs --------------------------------------------------------------------------
# many NAME FIRST LAST: an archive of several small jobs.
many()
{
	rm -rf unpacked
	for n in $(seq "$2" "$3"); do
		mkdir -p "unpacked/$n" && sed "s/\"4711\"/\"$n\"/g" made/job-n0.json >"unpacked/$n/job-n0.json" || exit 99
	done
	tar -czf "$spool/$1" -C unpacked .
}
rm -rf "$spool" && mkdir "$spool"
many 1.tgz 1 64
many 2.tgz 65 129
many 3.tgz 130 193
pass jobs.db
is "$status|$(tail -n 1 out)|$(query 'SELECT count(*), count(DISTINCT jobid), sum(hosts) FROM job' jobs.db)|$(grep -c '^job ' out)" \
	"0|spool $spool: 3 loaded, 0 set aside, 0 left|193|193|193|193" "archives of many jobs, one of them of too many for a batch"
is "$(PERFMON_DB=jobs.db "$PERFMON" verify 2>&1)" "jobs.db: 193 jobs checked, 0 faults" "each counts once"

# --- parts that come before their job -----------------------------------------------------------------
# Samples alone join a job that is there: here by their name before it, in one pass and in one call.
parts()
{
	rm -rf "$spool" job.dir && mkdir -p "$spool" job.dir/4711 && cp made/*.tsv made/job-*.json job.dir/4711
	sed -i "s/\"uid\": *[0-9]*/\"uid\":$(id -u)/; s/\"user\": *\"[^\"]*\"/\"user\":\"$(id -un)\"/" job.dir/4711/job-n0.json
	boot=$(sed -n 's/.*"boot_id": *"\([^"]*\)".*/\1/p' made/job-n0.json | head -n 1)
	start=$(sed -n 's/.*"time_us": *\([0-9]*\).*/\1/p' made/job-n0.json | head -n 1)
	printf 'perfmon-series-1\tn0\t%s\t1000000\t.\nseries\t1\tload\tload\t\t\tgauge\t.\n' "$boot" >n0.series
	for i in 1 2 3; do printf 'tick\t%s\t%s\t1=%s\t.\n' $((start + i * 1000)) $((5000000 + i * 1000)) $i; done >>n0.series
	mkdir -p part.dir/4711 && cp n0.series part.dir/4711
	tar -czf "$spool/a.tgz" -C part.dir 4711 && tar -czf "$spool/b.tgz" -C job.dir 4711
}
parts
pass parts.db
is "$status|$(tail -n 1 out)|$(query 'SELECT count(*), (SELECT sum(samples) FROM series_summary) FROM job' parts.db)" \
	"0|spool $spool: 2 loaded, 0 set aside, 0 left|1|3" "samples before their job, in a pass"
parts
is "$(PERFMON_DB=call.db "$PERFMON" submit "$spool/a.tgz" "$spool/b.tgz" 2>&1 >out)|$(query 'SELECT count(*), (SELECT sum(samples) FROM series_summary) FROM job' call.db)" \
	"|1|3" "and in a call"
rm "$spool/b.tgz"
pass none.db
is "$status|$(tail -n 1 out)|$(grep -c 'of no job in the database' "$spool/failed/a.tgz.reason")" "1|spool $spool: 0 loaded, 1 set aside, 0 left|1" \
	"without their job they are set aside"

# SQLite ends a transaction by itself where a disk is full: what comes later of the batch is not written without one.
rm -f undone.db undone.db-* && archive "$work/first.tgz" 0 && PERFMON_DB=undone.db "$PERFMON" -q submit "$work/first.tgz" || exit 99
query "CREATE TRIGGER undo BEFORE INSERT ON job WHEN NEW.jobid = '20' BEGIN SELECT RAISE(ROLLBACK, 'full'); END" undone.db
rm -rf "$spool" && mkdir "$spool"
many 1.tgz 1 40
many 2.tgz 41 50
pass undone.db
is "$(query "SELECT count(*), count(DISTINCT jobid), sum(jobid = '20') FROM job" undone.db)|$(PERFMON_DB=undone.db "$PERFMON" verify 2>&1)" \
	"50|50|0|undone.db: 50 jobs checked, 0 faults" "a transaction that the database ended: every other job is there, and counts"

# --- hosts of one job -----------------------------------------------------------------------------
rm -rf "$spool" && mkdir "$spool"
for host in n0 n1 n2; do
	rm -rf unpacked && mkdir unpacked && sed "s/\"4711\"/\"9\"/; s/\"n0\"/\"$host\"/g; s/\"boot_id\":\"[^\"]*\"/\"boot_id\":\"\"/g" made/job-n0.json >"unpacked/job-$host.json"
	tar -czf "$spool/$host.tgz" -C unpacked .
done
pass hosts.db
is "$status|$(query 'SELECT jobid, (SELECT count(*) FROM host h WHERE h.job_id = job.id) FROM job' hosts.db)" "0|9|3" \
	"hosts of one job in a batch become one job"

# --- failures of the database and kills ------------------------------------------------------------
if [ "${PM_SANITIZED:-no}" = yes ] || ! need strace || ! strace -o trace true 2>/dev/null; then
	skip "failures and kills of a batch" "no ${missing:-tracing}"
	done_testing
fi

# no_one_lost DB NAME: what is not in the spool is in the database.
no_one_lost()
{
	query 'SELECT jobid FROM job' "$1" 2>/dev/null | sort >there
	for n in $(seq 40); do
		[ -e "$(printf '%s/%03d.tgz' "$spool" "$n")" ] || echo "$n"
	done | sort | comm -23 - there >lost
	is "$(cat lost)|$(query 'PRAGMA integrity_check' "$1" 2>&1)" "|ok" "$2: what was removed is in the database"
}

# begin DB: a database with job 0, so that the next sync of the log is the commit of a batch; 40 archives.
begin()
{
	rm -f "$1" "$1"-*
	archive "$work/first.tgz" 0 && PERFMON_DB=$1 "$PERFMON" -q submit "$work/first.tgz" || exit 99
	fill 40
}

# The first commit fails; those of single archives do not.
begin once.db
pass once.db strace -f -qq -o trace -e trace=fdatasync -e inject=fdatasync:error=EIO:when=1
is "$status|$(tail -n 1 out)" "0|spool $spool: 40 loaded, 0 set aside, 0 left" "a commit that fails: each archive is loaded alone"
is "$(query 'SELECT count(*), count(DISTINCT jobid) FROM job' once.db)|$(grep -c '^job ' out)" "41|41|40" "once, and told once"
# None is written.
begin never.db
pass never.db strace -f -qq -o trace -e trace=pwrite64 -e inject=pwrite64:error=ENOSPC:when=1+
is "$status|$(names "$spool" '*.tgz' | wc -l)|$(names "$spool/failed" '*.tgz')" "75|40|" "a disk that stays full: all are left, to be tried again"
is "$(grep -c '^job ' out)" 0 "and none is told as loaded"
no_one_lost never.db "a full disk"

# Killed as it writes, as it commits, as it removes.
for at in pwrite64:1 pwrite64:60 fdatasync:1 unlinkat:1 unlinkat:17; do
	begin killed.db
	pass killed.db strace -f -qq -o trace -e "trace=${at%:*}" -e "inject=${at%:*}:signal=KILL:when=${at#*:}"
	is "$((status >= 128))" 1 "killed by ${at%:*} number ${at#*:}"
	no_one_lost killed.db "killed by ${at%:*} ${at#*:}"
	pass killed.db
	is "$status|$(names "$spool" '*.tgz')|$(query 'SELECT count(*), count(DISTINCT jobid) FROM job' killed.db)" "0||41|41" \
		"the next pass loads the rest"
done

# --- locks ----------------------------------------------------------------------------------------
# No archive is opened or read between the first write to the log and the end of the batch.
begin locks.db
pass locks.db strace -f -y -qq -s 20 -o trace -e trace=openat,read,pwrite64,fdatasync
is "$status" 0 "a pass that is traced"
awk '/locks[.]db-wal>/ && /pwrite64/ { if (writing == 0 && archives > 0) began++; writing = archives > 0 }
	/[.]tgz/ && /openat|read/ && !/ENOENT/ { archives++; if (writing) late++ }
	END { print (archives >= 40) ":" (began > 0) ":" late + 0 }' trace >order
is "$(cat order)" "1:1:0" "every archive of a batch is read before the first row is written"

done_testing
