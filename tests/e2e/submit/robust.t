#!/bin/sh
# Metadata that is broken, submitters at once, killed, without room or permission.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need python3 sqlite3; then
	skip "robustness" "no $missing to look into the database with"
	done_testing
fi
generate=$abs_top_builddir/tests/progs/generate
"$generate" job 200 >/dev/null || exit 99

# A directory with the job's records and the metadata of standard input.
variant()
{
	rm -rf 4711 v.db*
	mkdir 4711 && cp job/*.tsv 4711 && cat >4711/job-n0.json
}

broken()
{
	PERFMON_DB=$work/v.db "$PERFMON" submit 4711 >out 2>err
	is $? 1 "$1: exit status 1"
	is "$(query 'SELECT jobid, processes, rejected, problems IS NOT NULL FROM job' v.db)" "4711|200|0|1" \
		"$1: the job is what the records say, and flagged"
}

: | variant
broken "empty metadata"
head -c 200 job/job-n0.json | variant
broken "metadata that is cut"
echo '[1, 2]' | variant
broken "metadata that is no object"
sed 's/perfmon-job-1/perfmon-job-99/' job/job-n0.json | variant
broken "metadata of another format"
sed 's/"uid":1000/"uid":"1000"/; s/"cpus_allowed":8/"cpus_allowed":2.5/; s/"tags":{[^}]*}/"tags":["a"]/' job/job-n0.json | variant
broken "metadata with wrong types"
grep -q 'wrong type' err
ok $? "which are named"
sed 's/"start":{[^}]*}/"start":null/; s/"stop":{[^}]*}/"stop":7/; s/"tags":{[^}]*}/"tags":{"a":null}/' job/job-n0.json | variant
PERFMON_DB=$work/v.db "$PERFMON" submit 4711 >out 2>err
is "$?|$(query 'SELECT processes, duration_us > 0, end_us > start_us FROM job' v.db)" "0|200|1|1" \
	"sections that are not there: times of the records"
printf '\0\377\376' | variant
broken "metadata that is no text"
rm 4711/job-n0.json v.db*
PERFMON_DB=$work/v.db "$PERFMON" submit 4711 >out 2>err
is "$?|$(query 'SELECT jobid, processes FROM job' v.db)" "1|4711|200" "no metadata at all"
python3 -c 'print("{\"format\":\"perfmon-job-1\",\"job\":{\"facts\":{\"a\":\"" + "x" * (17 << 20) + "\"}}}")' | variant
broken "metadata of 17 MB"

# Whose job it is.
if [ "$(id -u)" -eq 0 ] && need setpriv; then
	# Where anybody can run it: the build may be in root's home.
	cp "$PERFMON" "$work/perfmon"
	nobody=$(id -u nobody)
	variant <job/job-n0.json
	chown -R "$nobody" 4711
	PERFMON_DB=$work/v.db "$PERFMON" submit 4711 >out 2>err
	is "$?|$(query 'SELECT "user", uid FROM job' v.db)" "1|nobody|$nobody" \
		"files that say another user than owns them: the owner's job"
	grep -q 'belong to uid' err
	ok $? "and that is told"
	sed "s/\"uid\":1000/\"uid\":$nobody/; s/tester/nobody/" job/job-n0.json | variant
	chown -R "$nobody" 4711
	PERFMON_DB=$work/v.db "$PERFMON" submit 4711 >out 2>err
	is "$?|$(query 'SELECT "user", uid FROM job' v.db)" "0|nobody|$nobody" "files of the user they say"
	chmod 711 "$work" && chmod 600 4711/n0-1000.tsv && chown 0 4711/n0-1000.tsv && mkdir open && chmod 777 open
	setpriv --reuid="$nobody" --clear-groups env PERFMON_DB="$work/open/x.db" "$work/perfmon" submit "$work/4711" >out 2>err
	is $? 1 "a file that may not be read"
	grep -q 'n0-1000.tsv: Permission denied' err
	ok $? "is named"
else
	skip "owners" "not root"
fi

# Submitters at once.
for i in 1 2 3 4; do
	cp -R job "j$i" && sed -i "s/\"4711\"/\"500$i\"/" "j$i/job-n0.json"
done
pids=
for i in 1 2 3 4 1 2; do
	PERFMON_DB=$work/many.db "$PERFMON" submit "j$i" >"out$i.$$" 2>>errs &
	pids="$pids $!"
done
bad=0
for p in $pids; do
	wait "$p" || bad=1
done
is "$bad|$(cat errs)" "0|" "six submitters of a new database at once all succeed"
is "$(query 'SELECT jobid, processes, (SELECT count(*) FROM process p WHERE p.job_id = job.id) FROM job ORDER BY jobid' many.db | tr '\n' ' ')" \
	"5001|200|200 5002|200|200 5003|200|200 5004|200|200 " "every job is there once and whole"

# Readers see whole jobs only; kill -9 at any instant leaves a job wholly in or out.
"$generate" big 5000 >/dev/null || exit 99
began=$(date +%s%N)
PERFMON_DB=$work/timed.db "$PERFMON" submit big >/dev/null 2>&1
took=$((($(date +%s%N) - began) / 1000000))
PERFMON_DB=$work/one.db "$PERFMON" submit j1 >/dev/null 2>&1
half=0 in=0 out=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	rm -f k.db* && cp one.db k.db
	PERFMON_DB=$work/k.db "$PERFMON" submit big >/dev/null 2>&1 &
	pid=$!
	# From the beginning to a fifth beyond the time that a whole load took.
	ms=$((took * i * 6 / 100))
	sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	got=$(query "SELECT count(*), coalesce(sum(processes), 0), (SELECT count(*) FROM process) FROM job" k.db)
	case $got in
	'1|200|200') out=$((out + 1)) ;;
	'2|5200|5200') in=$((in + 1)) ;;
	*) half=$((half + 1)) && diag "$got" ;;
	esac
done
diag "killed 20 times: $out out, $in in"
is $half 0 "kill -9 leaves no half job"
PERFMON_DB=$work/k.db "$PERFMON" submit big >/dev/null 2>&1
is "$?|$(query 'SELECT sum(processes) FROM job' k.db)|$(query 'PRAGMA integrity_check' k.db)" "0|5200|ok" \
	"the next submit completes it"

# No room, no permission.
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=3200k tmpfs small 2>/dev/null; then
	PERFMON_DB=$work/small/x.db "$PERFMON" submit j1 >out 2>err
	is $? 0 "a small disk takes a small job"
	PERFMON_DB=$work/small/x.db "$PERFMON" submit big j2 >out 2>err
	is $? 1 "a full disk"
	grep -q 'full\|No space' err
	ok $? "is told"
	is "$(query 'SELECT group_concat(jobid), (SELECT count(*) FROM process) FROM (SELECT jobid FROM job ORDER BY jobid)' small/x.db)" \
		"5001,5002|400" "what fits is there, of the rest nothing"
	umount small
else
	skip "a full disk" "cannot mount a small one"
fi
if [ "$(id -u)" -eq 0 ] && need setpriv; then
	mkdir locked && chmod 755 locked && chmod 711 "$work" && cp many.db locked/x.db && chmod 644 locked/x.db
	setpriv --reuid="$(id -u nobody)" --clear-groups env PERFMON_DB="$work/locked/x.db" "$work/perfmon" submit j1 >out 2>err
	is $? 1 "a database that may not be written"
	grep -q 'Permission denied' err
	ok $? "is told"
	setpriv --reuid="$(id -u nobody)" --clear-groups env PERFMON_DB="$work/locked/no/x.db" "$work/perfmon" submit j1 >out 2>err
	is "$?|$(grep -c 'create directory' err)" "1|1" "a directory that may not be made"
else
	skip "permissions" "not root"
fi
(TMPDIR=/nonexistent PERFMON_DB=$work/t.db "$PERFMON" submit big >out 2>err)
is $? 0 "no directory for temporary files but the system's"
done_testing
