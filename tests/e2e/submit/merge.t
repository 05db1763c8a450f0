#!/bin/sh
# Files of one job in any order and at any time: the job is as if all had come at once.
# A folder's files go into archives in the order in which a disk has them, that of the file that is cut among them.
export PM_ON_DISK=yes
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need python3 sqlite3 tar gzip; then
	skip "late files" "no $missing"
	done_testing
fi
if ! grep -q '^#define HAVE_ZLIB' "$abs_top_builddir/config.h"; then
	skip "late files" "built without zlib"
	done_testing
fi

canon()
{
	python3 "$abs_top_srcdir/tests/e2e/submit-canon.py" "$@"
}

# load NAME SOURCE...: each source by a call of its own into NAME.db; their statuses in $status.
load()
{
	db=$work/$1.db
	shift
	status=
	for source in "$@"; do
		PERFMON_DB=$db "$PERFMON" submit "$source" >out 2>err
		status=$status$?
	done
}

# alike NAME TEXT: NAME.db says what the reference says.
alike()
{
	canon "$1.db" >"$1.rows" && cmp -s all.rows "$1.rows"
	ok $? "$2"
	cmp -s all.rows "$1.rows" || diag "$(diff all.rows "$1.rows" | cut -c1-300 | head -6)"
}

"$abs_top_builddir/tests/progs/generate" job 300 3 >/dev/null || exit 99
# Without the empty lines between the records, to be split by numbers of lines.
sed -i '/^$/d' job/*.tsv
# What a sampler saw, and what was counted beside the records, on one of the hosts.
boot=00000000-0000-4000-8000-000000000001
{
	printf 'perfmon-series-1\tn1\t%s\t1000000\t.\nseries\t1\tcpu\tbusy\tcpu0\tpercent\tgauge\t.\n' $boot
	for i in 1 2 3 4 5 6; do
		printf 'tick\t170000000%d000000\t%d\t1=%d\t.\n' $i $i $((10 * i))
	done
} >job/n1.series
sed -i 's/"tags":{[^}]*}/"tags":{"exp":"n1","node":"one"}/' job/job-n1.json

PERFMON_DB=$work/all.db "$PERFMON" submit job >out 2>err
is "$?|$(cat err)" "0|" "the reference: a directory with all of it"
canon all.db >all.rows
is "$(grep -c '^process ' all.rows)|$(grep -c '^sample ' all.rows)" "$(query 'SELECT processes FROM job' all.db)|6" \
	"which has all rows"
is "$(query "SELECT name, value FROM tag WHERE process_id = 0 ORDER BY name" all.db | tr '\n' ' ')" "exp|a:b=c node|one " \
	"tags of all hosts, the first one's before the others'"

# An archive per node.
for n in 0 1 2; do
	mkdir "node$n" && cp job/*n$n* "node$n" && tar -czf "a.n$n.tgz" "node$n"
done
for order in '0 1 2' '2 1 0' '1 2 0'; do
	name=one$(echo "$order" | tr -d ' ')
	# shellcheck disable=SC2046 # a word each
	PERFMON_DB=$work/$name.db "$PERFMON" submit $(for n in $order; do echo "a.n$n.tgz"; done) >out 2>err
	is "$?|$(cat err)|$(grep -c '^job 4711: ' out)" "0||1" "three archives in one call ($order) are one job"
	alike "$name" "with the same rows"
	name=many$(echo "$order" | tr -d ' ')
	# shellcheck disable=SC2046 # a word each
	load "$name" $(for n in $order; do echo "a.n$n.tgz"; done)
	is "$status|$(cat err)" "000|" "three archives in three calls ($order)"
	alike "$name" "make one job with the same rows"
done
query 'SELECT * FROM load' many210.db >before
load many210 a.n1.tgz
is "$status|$(cat out)" "0|job 4711: already loaded, nothing new" "an archive that was loaded is recognised"
PERFMON_DB=$work/many210.db "$PERFMON" submit a.n0.tgz a.n2.tgz job >out 2>err
is "$?|$(cat out)" "0|job 4711: already loaded, nothing new" "so are several, and the directory they were made of"
query 'SELECT * FROM load' many210.db | cmp -s - before
ok $? "and nothing changed"
PERFMON_DB=$work/two.db "$PERFMON" submit a.n1.tgz node1 a.n0.tgz job >out 2>err
is "$?|$(grep -c '^job' out)" "0|1" "sources that overlap in one call"
alike two "count once"
PERFMON_DB=$work/json.db "$PERFMON" submit --json a.n2.tgz a.n0.tgz >out
is "$(python3 -c 'import json; j = json.load(open("out")); print(len(j), j[0]["source"])')" "1 a.n2.tgz, a.n0.tgz" \
	"--json names the sources of a job"

# Files of one host, each by itself: starts, ends, waits and threads of a process apart from each other.
head -n 1 job/n1-1000.tsv >header
mkdir rest && cp job/*n0* job/*n2* rest && cp job/job-n1.json rest
for i in 0 1 2 3; do
	mkdir "part$i" && cp job/job-n1.json "part$i" || exit 99
	{ cat header && awk -v i=$i 'NR > 1 && NR % 4 == i' job/n1-1000.tsv; } >"part$i/n1-100$i.tsv"
done
cp job/n1.series part0
for order in '0 1 2 3' '3 1 0 2' '2 3 1 0'; do
	name=parts$(echo "$order" | tr -d ' ')
	# shellcheck disable=SC2046,SC2086 # a word each
	load "$name" $(for i in $order; do echo "part$i"; done) rest
	is "$status|$(cat err)" "00000|" "the records of a host in four files that come one by one ($order)"
	alike "$name" "each process is there once, with its parent, as if they had come together"
done
is "$(query 'SELECT count(*) FROM (SELECT DISTINCT host_id, pid, image_us, end_us FROM process)' parts0123.db)" \
	"$(query 'SELECT count(*) FROM process' parts0123.db)" "no row is double"

# The same lines in several files, under other names and the same one.
mkdir overlap && cp job/job-n1.json overlap && { cat header && tail -n 80 job/n1-1000.tsv; } >overlap/n1-77.tsv
cp -R job over && rm over/n1-1000.tsv && { cat header && head -n 150 job/n1-1000.tsv | tail -n +2; } >over/n1-1000.tsv
load overlap over overlap job
is "$status|$(cat err)" "000|" "files that share lines"
alike overlap "have each of them once"
is "$(query 'SELECT count(*) FROM reject' overlap.db)" 0 "and nothing is rejected for it"

mkdir early && cp job/job-n1.json early && head -c 30000 job/n1-1000.tsv >early/n1-1000.tsv
sed -i 's/,"stop":{[^}]*}//' early/job-n1.json
load grown early
is "$status" 1 "a job that runs, its last line cut"
grep -q rejected out && is "$(query 'SELECT rejected FROM job' grown.db)" 1 "which is kept as rejected"
load grown job
is "$status|$(query 'SELECT rejected FROM job' grown.db)" "0|0" "and the same files when it is over"
grep -q 'replaces the earlier load' out
ok $? "take its place"
alike grown "with all of it"
load grown early
is "$status|$(cat out)" "0|job 4711: already loaded, nothing new" "an older state that comes later changes nothing"
alike grown "and takes nothing away"

# Files without metadata, and before them.
mkdir lone && cp part2/n1-1002.tsv lone
load lone part0 part1 part3 rest lone
is "$status|$(cat err)" "00000|" "a file alone, without metadata, joins its job"
alike lone "as the others do"
mkdir 4711 && cp job/n1-1000.tsv job/n1.series 4711
load before 4711 rest
is "$status" 10 "records before their metadata"
is "$(query 'SELECT count(*) FROM job' before.db)" 1 "become the job that these name"
alike before "with all that is known of it"
mkdir next && sed 's/"time_us":1[67]/"time_us":19/g; s/"epoch_us":17/"epoch_us":19/' job/job-n1.json >next/job-n1.json
PERFMON_DB=$work/before.db "$PERFMON" submit next >out 2>err
is "$?|$(query 'SELECT count(*) FROM job' before.db)" "0|2" "but not one that began later"

# Nothing but broken metadata.
mkdir broken && echo '{"format":' >broken/job-n0.json
load broken broken
is "$status|$(query 'SELECT count(*) FROM job' broken.db)" "1|0" "broken metadata alone are no job"
grep -q 'its data cannot be used' err
ok $? "and that is told"
mkdir bare && cp job/job-n0.json bare
load bare bare
is "$status|$(query 'SELECT jobid, processes FROM job' bare.db)" "0|4711|0" "whole metadata are one, of no processes"

# In place of what is there.
load replace job
PERFMON_DB=$work/replace.db "$PERFMON" submit --replace a.n0.tgz a.n2.tgz >out 2>err
is "$?|$(query 'SELECT count(*), sum(hosts) FROM job' replace.db)" "0|1|2" "--replace: the job is what these sources say"
grep -q 'replaces the earlier load' out
ok $? "and that is told"
rm -f fresh.db && PERFMON_DB=$work/fresh.db "$PERFMON" submit a.n0.tgz a.n2.tgz >out 2>err
canon fresh.db >fresh.rows && canon replace.db | cmp -s - fresh.rows
ok $? "and no more"
head -c 3000 a.n1.tgz >cut.tgz
PERFMON_DB=$work/replace.db "$PERFMON" submit --replace a.n0.tgz cut.tgz >out 2>err
is "$?|$(cat out)" "1|" "--replace by what cannot be read"
canon replace.db | cmp -s - fresh.rows
ok $? "replaces nothing"
PERFMON_DB=$work/replace.db "$PERFMON" submit --replace job >out 2>err
alike replace "--replace by all"
PERFMON_DB=$work/replace.db "$PERFMON" submit a.n0.tgz >out 2>err
is "$(cat out)" "job 4711: already loaded, nothing new" "after which its files are known"
is "$(query 'PRAGMA integrity_check' replace.db)$(query 'PRAGMA foreign_key_check' replace.db)" ok "the database is whole"

# What people noted in the database, beside what they noted where the job ran.
for n in 0 1; do
	cp -R "node$n" "noted$n" && sed -i 's/"tags":{[^}]*}/&,"annotations":{"a":"1"}/' "noted$n/job-n$n.json"
done
noted() { query "SELECT annotations, (SELECT count(*) FROM annotation) FROM job" noted.db; }
load noted noted1
PERFMON_DB=$work/noted.db "$PERFMON" -q annotate '#1' b=2
is "$status|$(noted)" '0|{"a":"1","b":"2"}|2' "a job is annotated"
load noted noted0
is "$status|$(noted)" '0|{"a":"1","b":"2"}|2' "a late host, the first by name, leaves the notes in the job's row"
PERFMON_DB=$work/noted.db "$PERFMON" submit --replace noted0 noted1 >out 2>err
is "$?|$(noted)" '0|{"a":"1","b":"2"}|2' "so does --replace"
PERFMON_DB=$work/lone.db "$PERFMON" submit --replace job >out 2>err
is "$(query 'SELECT annotations IS NULL FROM job' lone.db)" 1 "a job without any has none"

# Who a job is.
variant()
{
	mkdir "$1" && cp job/n0-1000.tsv "$1" && sed "$2" job/job-n0.json >"$1/job-n0.json"
}
variant user 's/"user":"tester","/"user":"other","/; s/"uid":1000/"uid":1001/'
variant epoch 's/"epoch_us":1700000000000000/"epoch_us":1600000000000000/'
variant restart 's/"restart_count":0/"restart_count":1/'
variant cluster 's/"cluster":""/"cluster":"b"/'
variant task 's/"array_task":""/"array_task":"3"/'
PERFMON_DB=$work/who.db "$PERFMON" submit user epoch node0 restart cluster task >out 2>err
is "$?|$(cat err)|$(grep -c '^job' out)" "0||6" "the same job id: another user, epoch, restart, cluster, array task"
is "$(query 'SELECT cluster, "user", array_task, restart_count, epoch_us / 1000000, processes FROM job ORDER BY 1, 2, 3, 4, 5' who.db)" \
	"|other||0|1700000000|$(query "SELECT count(*) FROM process WHERE host_id = 1" all.db)
|tester||0|1600000000|$(query "SELECT count(*) FROM process WHERE host_id = 1" all.db)
|tester||0|1700000000|$(query "SELECT count(*) FROM process WHERE host_id = 1" all.db)
|tester||1|1700000000|$(query "SELECT count(*) FROM process WHERE host_id = 1" all.db)
|tester|3|0|1700000000|$(query "SELECT count(*) FROM process WHERE host_id = 1" all.db)
b|tester||0|1700000000|$(query "SELECT count(*) FROM process WHERE host_id = 1" all.db)" "are jobs of their own, each whole"
PERFMON_DB=$work/who.db "$PERFMON" submit node1 >out 2>err
is "$(query 'SELECT sum(hosts), max(hosts) FROM job' who.db)|$(query "SELECT \"user\", restart_count, epoch_us / 1000000 FROM job WHERE hosts = 2" who.db)" \
	"7|2|tester|0|1700000000" "and a late host comes to the one it is of"

# Records without metadata where two clusters have a job of this user and id at the time.
for n in 0 1; do
	mkdir "of$n" && sed "s/\"cluster\":\"\"/\"cluster\":\"c$n\"/; s/\"scheduler\":\"none\"/\"scheduler\":\"slurm\"/
		s/\"epoch_us\":1700000000000000/\"epoch_us\":169999999900000$n/" "job/job-n$n.json" >"of$n/job-n$n.json"
done
mkdir of && cp job/n0-1000.tsv of
load of of0 of1 of
is "$status|$(query 'SELECT cluster, hosts, processes FROM job ORDER BY 1' of.db)" \
	"000|c0|1|$(query "SELECT count(*) FROM process WHERE host_id = 1" all.db)
c1|1|0" "records without metadata come to the job that has their host"
rm -f of.db && load of of0 of1 4711
is "$status|$(query 'SELECT cluster, hosts, processes > 0 FROM job ORDER BY 1' of.db)" "000|c0|1|0
c1|1|1" "of the later one, too"
rm -r of/* && cp job/n2-1000.tsv of && rm -f of.db && load of of0 of1 of
is "$status|$(query 'SELECT cluster, hosts FROM job ORDER BY 1' of.db)" "000|c0|1
c1|2" "those of a host that neither has to the later one"

# Two versions of metadata without an end: the later start counts, not the one that comes later.
export SLURM_JOB_ID=7 SLURM_CLUSTER_NAME=c SLURM_JOB_START_TIME=1700000000
"$PERFMON" start && "$PERFMON" run true
unset SLURM_JOB_ID SLURM_CLUSTER_NAME SLURM_JOB_START_TIME
again=$(find "$PERFMON_OUTPUT_PREFIX" -name 7 -type d)
cp -R "$again" earlier
began=$(sed -n '/"start": {/,/}/s/^ *"time_us": \([0-9]*\).*/\1/p' "$again"/job-*.json)
sed -i "s/\"time_us\": $began/\"time_us\": $((began - 5000000))/" earlier/job-*.json
for directory in "$again" earlier; do
	PERFMON_DB=$work/versions.db "$PERFMON" -q submit "$directory" 2>err
done
is "$(query 'SELECT count(*), max(start_time_us) FROM host' versions.db)" "1|$began" "an earlier version of metadata changes nothing"
done_testing
