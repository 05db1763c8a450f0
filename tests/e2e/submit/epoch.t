#!/bin/sh
# Hosts of one job where the batch system does not say when the job began: each says when it did there,
# and they are one job all the same. Two jobs that got the same id stay two.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"
if ! need sqlite3; then
	skip "hosts of one job" "no $missing"
	done_testing
fi

query_default '' ' '

# One recording, of which the others are made.
SLURM_JOB_ID=5 SLURM_CLUSTER_NAME=c PERFMON_OUTPUT="$work/made"
export SLURM_JOB_ID SLURM_CLUSTER_NAME PERFMON_OUTPUT
"$PERFMON" -q start && "$PERFMON" run /bin/date >/dev/null && "$PERFMON" -q stop || exit 99
unset SLURM_JOB_ID SLURM_CLUSTER_NAME PERFMON_OUTPUT
host=$(sed -n 's/.*"hostname": "\(.*\)".*/\1/p' made/job-*.json)
boot=$(sed -n 's/.*"boot_id": "\(.*\)".*/\1/p' made/job-*.json)
began=$(sed -n 's/.*"epoch_us": \([0-9]*\).*/\1/p' made/job-*.json)
# Whatever the clock said: no whole second.
base=$((began / 1000000 * 1000000 + 123456))
day=86400000000

# recording FOLDER HOST BOOT BEGAN: the recording as of another host and time.
recording()
{
	mkdir -p "$1"
	sed "s/\"hostname\": \"$host\"/\"hostname\": \"$2\"/; s/$boot/$3/
		s/\"epoch_us\": [0-9]*/\"epoch_us\": $4/
		/\"start\": {/,/}/s/\"time_us\": [0-9]*/\"time_us\": $4/
		/\"stop\": {/,/}/s/\"time_us\": [0-9]*/\"time_us\": $(($4 + 1000000))/" \
		made/job-*.json >"$1/job-$2.json"
	sed "s/$boot/$3/g; s/	$host	/	$2	/g" made/*.tsv >"$1/$2-0.tsv"
}
recording a n1 boot-1 $base
recording b n2 boot-2 $((base + 700000))
recording c n3 boot-3 $((base + 7000000000))
state() { query "select count(*), min(epoch_us) - $base, max(epoch_us) - $base from job"; }

for order in "a b c" "c b a" "b c a"; do
	rm -rf "$XDG_DATA_HOME"
	for one in $order; do
		"$PERFMON" -q submit "$one" || ok 1 "submit $one"
	done
	is "$(state)" "1 0 0" "$order: one job, from when the first host began"
	is "$(query "select count(*) from host"):$(query "select count(*) from process where exename = 'date'")" \
		3:3 "$order: of three hosts"
	for one in $order; do
		"$PERFMON" -q submit "$one" || ok 1 "submit $one again"
	done
	is "$(state):$(query "select count(*) from process where exename = 'date'")" "1 0 0:3" \
		"$order: again changes nothing"
done
rm -rf "$XDG_DATA_HOME"
"$PERFMON" -q submit c a b
is "$(state)" "1 0 0" "all in one call: one job"

# two NAME HOST BOOT BEGAN: beside the first recording, a job of its own.
two()
{
	rm -rf "$XDG_DATA_HOME" other
	recording other "$2" "$3" "$4"
	"$PERFMON" -q submit a
	"$PERFMON" -q submit other
	is "$(query "select count(*) from job")" 2 "$1: two jobs"
	"$PERFMON" -q submit a other
	is "$(query "select count(*) from job")" 2 "$1: again changes nothing"
}
two "the same host, begun anew" n1 boot-1 $((base + 60000000))
two "long after" n2 boot-2 $((base + 30 * day))
two "long before" n2 boot-2 $((base - 30 * day))
two "a batch system that says when" n2 boot-2 $((base + 1000000 - 123456))
done_testing
