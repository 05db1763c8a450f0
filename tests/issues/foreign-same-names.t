#!/bin/sh
# Files of other tools that have the same names and different rows: none of them was another's earlier
# state, and only the longest was kept, also by --remove, which then deleted the others' only copy.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need python3 sqlite3 tar gzip; then
	skip "foreign files of one name" "no $missing"
	done_testing
fi

# meta HOST > job_metadata
meta()
{
	python3 -c '
import datetime, pickle, sys
t = datetime.datetime(2023, 11, 14, 22, 13, 19, tzinfo=datetime.timezone.utc)
sys.stdout.buffer.write(pickle.dumps({"job_pl_id": "17", "job_pl_hostname": sys.argv[1], "job_pl_username": "alice",
    "job_pl_start_ts": t, "job_el_stop_ts": t + datetime.timedelta(seconds=99), "job_el_exitcode": 0,
    "job_pl_env": {"SLURM_JOB_ID": "17", "HOST": sys.argv[1]}, "job_el_env": {"SLURM_JOB_ID": "17"}}, 3))' "$1"
}

fixed='tags	hostname	exename	path	exitcode	exitsignal	pid	generation	ppid	pgid	sid	numtids	start	end	args'
# rows HOST FIRST LAST: collated lines of processes with these pids
rows()
{
	for pid in $(seq "$2" "$3"); do
		printf '{1,2,30}\t\t%s\tcat\t/bin/cat\t0\t0\t%d\t0\t1\t1\t1\t1\t17000000%05d000\t17000000%05d900\tx\n' \
			"$1" "$pid" "$pid" "$pid"
	done
}

# epmt NAME HOST FIRST LAST: an archive as EPMT makes it
epmt()
{
	rm -rf make && mkdir make && meta "$2" >make/job_metadata &&
		printf '{usertime,systemtime,rssmax}\t%s\n' "$fixed" >"make/$2-papiex-header.tsv" &&
		rows "$2" "$3" "$4" >"make/$2-papiex.tsv" && tar -czf "$1" -C make . || exit 99
}

submit()
{
	PERFMON_DB=$work/$1.db
	export PERFMON_DB
	shift
	"$PERFMON" submit "$@" >out 2>err </dev/null
}
count='SELECT count(*), count(DISTINCT pid), (SELECT count(*) FROM reject), (SELECT count(*) FROM job) FROM process'

for way in one-by-one together removed spool; do
	rm -rf in && mkdir in && epmt in/a.tgz n1 100 144 && epmt in/b.tgz n1 145 189 || exit 99
	case $way in
	one-by-one) submit $way in/a.tgz && submit $way in/b.tgz ;;
	together) submit $way in/b.tgz in/a.tgz ;;
	removed) submit $way --remove in/b.tgz && submit $way --remove in/a.tgz ;;
	spool) PERFMON_SPOOL_AGE=0 submit $way --spool in --remove ;;
	esac
	is "$?|$(cat err)" "0|" "two archives of one job, $way: exit status"
	is "$(query "$count")" "90|90|0|1" "$way: all processes of both"
	case $way in
	removed | spool) is "$(find in -name '*.tgz')" "" "$way: which are gone then" ;;
	esac
done
epmt c.tgz n1 150 195
submit removed c.tgz
is "$?|$(query "$count")" "0|96|96|0|1" "a third one that shares lines with them: none is double"
submit removed --remove c.tgz
is "$?|$(cat out)|$(find . -name c.tgz)" "0|job 17: already loaded, nothing new|" \
	"what is there already may go"
epmt early.tgz n1 100 120
submit removed --remove early.tgz
is "$?|$(cat out)|$(query "$count")|$(find . -name early.tgz)" "0|job 17: already loaded, nothing new|96|96|0|1|" \
	"an earlier state of one adds nothing, and may go: each line of it is there"

# A file per process, cut in two under one name; the longer half was what remained.
names=tags,hostname,exename,path,args,exitcode,exitsignal,pid,generation,ppid,pgid,sid,numtids,mpinumranks,tid,mpirank,start,end,usertime
half()
{
	mkdir -p "$1/17" && meta n1 >"$1/17/job_metadata" && {
		echo $names
		for pid in $(seq "$2" "$3"); do
			start=$((1700000000000000 + pid * 1000))
			echo ",n1,sh,/bin/sh,,0,0,$pid,0,99,98,97,2,0,$pid,0,$start,$((start + 900)),10"
			echo ",,,,,,,,,,,,,,$((pid + 1000)),0,$((start + 1)),$((start + 800)),$pid"
		done
	} >"$1/17/n1-papiex-1-0.csv"
}
half h1 100 149 && half h2 150 219 && half all 100 219 || exit 99
submit halves --remove h1/17 && submit halves --remove h2/17
is "$?|$(cat err)|$(query "$count")" "0||120|120|0|1" "a job cut in two halves under one name: all of it"
is "$(query 'SELECT count(*), sum(usertime) FROM thread_row')" "240|$(((100 + 219) * 60 + 1200))" "with its threads"
submit whole all/17
for db in halves whole; do
	python3 "$abs_top_srcdir/tests/e2e/submit-canon.py" $db.db >$db.rows
done
cmp halves.rows whole.rows
ok $? "as if it had been whole"

# A process whose later threads come with a longer state of its file.
half long 100 101 && half short 100 101 && sed -i '$d' short/17/n1-papiex-1-0.csv
submit grown short/17
is "$?|$(query 'SELECT pid, usertime FROM process ORDER BY 1')" "1|100|110
101|" "a process of which a thread is missing has no sums"
submit grown long/17
is "$?|$(cat err)|$(query 'SELECT pid, usertime FROM process ORDER BY 1')|$(query 'SELECT count(*) FROM reject')" "0||100|110
101|111|0" "until the thread comes"
half other 101 101 && mv other/17/n1-papiex-1-0.csv other/17/n1-papiex-2-0.csv
submit other short/17
submit other other/17
is "$(query 'SELECT pid, usertime FROM process ORDER BY 1')|$(query 'SELECT count(*) FROM reject')" "100|110
101|111|0" "or comes under another name"

# Each archive's columns are its own.
epmt d.tgz n2 100 104
rm -rf make && mkdir make && meta n2 >make/job_metadata &&
	printf '{rssmax,usertime,systemtime}\t%s\n' "$fixed" >make/n2-papiex-header.tsv &&
	rows n2 105 109 | sed 's/{1,2,30}/{30,1,2}/' >make/n2-papiex.tsv && tar -czf e.tgz -C make . || exit 99
for order in 'd.tgz e.tgz' 'e.tgz d.tgz'; do
	rm -f columns.db
	# shellcheck disable=SC2086 # a word each
	for source in $order; do submit columns $source; done
	is "$(query 'SELECT DISTINCT usertime, systemtime, rssmax FROM process')|$(query "$count")" "1|2|30|10|10|0|1" \
		"archives with other columns: $order"
	rm -f columns.db
	# shellcheck disable=SC2086
	submit columns $order
	is "$(query 'SELECT DISTINCT usertime, systemtime, rssmax FROM process')|$(query "$count")" "1|2|30|10|10|0|1" "together"
	epmt f.tgz n2 110 111
	submit columns f.tgz
	is "$(query 'SELECT DISTINCT usertime, systemtime, rssmax FROM process')|$(query "$count")" "1|2|30|12|12|0|1" \
		"and a third one that has the first one's"
done

# Metadata of two hosts have one name, too.
epmt n1.tgz n1 100 104 && epmt n2.tgz n2 100 104
submit hosts n1.tgz && submit hosts n2.tgz
is "$?|$(query 'SELECT hostname, start_time_us, stop_time_us FROM host ORDER BY 1')" "0|n1|1699999999000000|1700000098000000
n2|1699999999000000|1700000098000000" "metadata of two hosts: each has its own"
is "$(query "SELECT count(*) FROM load WHERE file = 'job_metadata'")" 2 "and both are kept"

# Records alone: the later part of a job may come first.
mkdir -p p1/lone p2/lone
rows n1 100 104 >p1/lone/n1-papiex.tsv && rows n1 105 109 >p2/lone/n1-papiex.tsv
for part in p1 p2; do printf '{usertime,systemtime,rssmax}\t%s\n' "$fixed" >$part/lone/n1-papiex-header.tsv; done
submit lone p2/lone
submit lone p1/lone
is "$(query "$count")|$(query 'SELECT epoch_us FROM job')" "10|10|0|1|1700000000100000" "the earlier part of a job without metadata, later"

# What --remove believes: the database, not the load.
epmt lost.tgz n1 100 104
submit lost n2.tgz
query "CREATE TRIGGER gone AFTER INSERT ON process WHEN new.pid = 102 AND new.job_id > 0 AND
	new.exename = 'cat' BEGIN DELETE FROM process WHERE job_id = new.job_id AND id = new.id; END" lost.db
rm -rf in && mkdir in && cp lost.tgz in
submit lost --remove lost.tgz
is "$?|$(sed 's/^.*: the/the/' err | head -n 1)|$(find . -maxdepth 1 -name lost.tgz)" \
	"1|the source is kept: processes missing from the database: 1|./lost.tgz" "a row that is lost on the way: --remove keeps the source" ||
	diag "$(cat err)"
PERFMON_SPOOL_AGE=0 submit lost --spool in --remove
is "$?|$(find in -name 'lost.tgz')" "1|in/failed/lost.tgz" "so does --spool"
done_testing
