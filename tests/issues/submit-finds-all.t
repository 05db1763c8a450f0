#!/bin/sh
# What submit loads without being told what: records written after the job was loaded were never found ("the
# database has them all"), and of several jobs one was loaded at a time.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need sqlite3; then
	skip "submit finds all" "no $missing"
	done_testing
fi
PERFMON_DB=$work/perfmon.db
export PERFMON_DB
user=$PERFMON_OUTPUT_PREFIX/$(id -un)
state() { "$PERFMON" status | awk -v job="$1" '$1 == job { print $2 }'; }

# A daemon of the job that lives on: its records come behind the load.
"$PERFMON" -q -a -j grown run true || exit 99
file=$(find "$user/grown" -name '*.tsv')
cp "$file" whole && head -n 1 whole >"$file"
"$PERFMON" -q submit
is "$?|$(state grown)|$(query 'SELECT count(*) FROM process')" "0|loaded|0" "a job, loaded"
"$PERFMON" submit >out 2>err
is "$?|$(cat err)" "1|perfmon: no closed job to submit: the database has them all" "and there is no other"
cp whole "$file"
is "$(state grown)|$("$PERFMON" status --width 200 | grep -c 'more was recorded after it was loaded$')" "recorded|1" \
	"a file that grew afterwards: status says so"
"$PERFMON" submit >out 2>err
is "$?|$(cat err)|$(state grown)|$(query 'SELECT count(*) > 0 FROM process')" "0||loaded|1" "submit loads it again, all of it"
PERFMON_OUTPUT_PREFIX=$work/other "$PERFMON" -q -a -j other run true || exit 99
cp "$(find "$work/other" -name '*.tsv')" "$user/grown/late-0.tsv"
is "$(state grown)" recorded "a file that is new: status says so"
"$PERFMON" -q submit >out 2>err
is "$(state grown)" loaded "and submit loads it, too"
"$PERFMON" submit >out 2>err
is "$?|$(cat err)" "1|perfmon: no closed job to submit: the database has them all" "nothing is left then"

# Several jobs.
for job in one two three; do "$PERFMON" -q -a -j $job run true || exit 99; done
"$PERFMON" -q start -j open
"$PERFMON" submit >out 2>err
is "$?|$(cut -d: -f1 out)" "0|job three" "without an operand: the newest"
"$PERFMON" submit --all >out 2>err
is "$?|$(cat err)|$(cut -d: -f1 out | tr '\n' ' ')" "0||job one job two " "--all: the others, the oldest first"
"$PERFMON" submit --all >out 2>err
is "$?|$(cat out err)" "0|" "--all of none is no failure"
"$PERFMON" submit --all "$user/one" >out 2>err
is "$?|$(cat err | head -n 1)" "2|perfmon: --all and -j take no operands" "--all goes without operands"
"$PERFMON" submit -j one two >out 2>err
is $? 2 "so does -j"
is "$(query "SELECT count(*) FROM job WHERE jobid = 'open'")" 0 "an open job is none of them"
"$PERFMON" -q -j open stop

# By id.
rm -f perfmon.db*
"$PERFMON" submit one three >out 2>err
is "$?|$(cat err)|$(cut -d: -f1 out | tr '\n' ' ')" "0||job one job three " "jobs by their ids"
"$PERFMON" submit none >out 2>err
is "$?|$(cat err)" "1|perfmon: none: No such file or directory; no job with this id can be loaded either" "an id of none"
mkdir two && cp "$abs_top_srcdir"/tests/golden/schema/job/* two
"$PERFMON" submit two >out 2>err
is "$?|$(cut -d: -f1 out)|$(cat err)" "0|job 11174-1|perfmon: warning: two: loading the file of this name; use -j two for the job of this id" \
	"a word that is a file and a job is the file"
"$PERFMON" submit -j two >out 2>err
is "$?|$(cut -d: -f1 out)" "0|job two" "-j names the job"
(cd "$user" && "$PERFMON" submit two) >out 2>err
is "$?|$(cat out err)" "0|job two: already loaded, nothing new" "where both are the same, nothing is said"
done_testing
