#!/bin/sh
# The life of a job by its metadata, edited between the verbs as another host, another session, an earlier
# boot or a killed process would have left it.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

jobs=$PERFMON_OUTPUT_PREFIX/$(id -un)
host=$(uname -n)
# value FILE NAME: of the first line of this name.
value() { sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1" | sed -n 1p; }
# edit FILE SCRIPT: by sed.
edit()
{
	sed "$2" "$1" >edited && cat edited >"$1"
}

# --- a second host takes the first one's epoch -----------------------------------------------------
# Slurm of before 23.02 does not say when the job began; hosts share the directory.
SLURM_JOB_ID=55 SLURM_CLUSTER_NAME=two "$PERFMON" -q start
ok $? "the first host starts the job"
mv "$jobs/55/job-$host.json" "$jobs/55/job-first.json"
edit "$jobs/55/job-first.json" 's/"hostname": ".*"/"hostname": "first"/; s/"epoch_us": [0-9]*/"epoch_us": 1234567890123456/'
SLURM_JOB_ID=55 SLURM_CLUSTER_NAME=two "$PERFMON" -q start
is "$?:$(value "$jobs/55/job-$host.json" epoch_us)" 0:1234567890123456 "the second one has its epoch"
SLURM_JOB_ID=56 SLURM_JOB_START_TIME=1700000000 "$PERFMON" -q start
is "$(value "$jobs/56/job-$host.json" epoch_us)" 1700000000000000 "but what the batch system says counts"

# --- a session id that came back -------------------------------------------------------------------
# In a session of its own, whose leader lives and so can be told from an earlier one.
cat >session.sh <<'END'
"$PERFMON" -q start || exit 9
job=$(ls -d "$2"/*-1)
case $1 in
other) sed 's/"session_start": "[0-9]*"/"session_start": "17"/' "$job"/job-*.json >edited.json ;;
boot) sed 's/"boot_id": ".*"/"boot_id": "0a0a0a0a-0000-4000-8000-000000000000"/' "$job"/job-*.json >edited.json ;;
*) cp "$job"/job-*.json edited.json ;;
esac
cat edited.json >"$(ls "$job"/job-*.json)"
"$PERFMON" -q stop 2>err
echo "$?:$(grep -c '"stop"' "$job"/job-*.json):$(grep -c 'no job is open' err)" >"result.$1"
rm -r "$job"
END
export PERFMON
for case in same other boot; do
	setsid -w sh session.sh $case "$jobs"
done
is "$(cat result.same)" 0:1:0 "stop finds the job of its session"
is "$(cat result.other)" 1:0:1 "and none of a session that had the same id before"
is "$(cat result.boot)" 1:0:1 "nor of an earlier boot"

# --- images without an end -------------------------------------------------------------------------
# A failed exec takes the end of the image back, by a line `resumed`.
"$PERFMON" -q start -j resumed
"$PERFMON" -q -j resumed run true
"$PERFMON" -q -j resumed run false
file=$(ls "$jobs"/resumed/"$host"-*.tsv)
awk -F '\t' -v OFS='\t' '
	/^perfmon|^#|\trecord\t|^record\t/ && !column { for (i = 1; i <= NF; i++) if ($i == "record") column = i; next }
	column && $column == "end" && /\ttrue\t/ { $column = "resumed"; print; exit }' "$file" >line
is "$(grep -c resumed line)" 1 "(a line is made up)"
cat line >>"$file"
"$PERFMON" -q stop -j resumed
is "$(value "$jobs/resumed/job-$host.json" without_end)" 1 "an image that went on after its end has none"

# --- archives --------------------------------------------------------------------------------------
"$PERFMON" -q -a -j packed run true
if "$PERFMON" stage -j packed >out 2>err; then
	if [ "${PM_SANITIZED:-no}" = no ] && need strace; then
		"$PERFMON" -q -a -j traced run true
		strace -o trace -e trace=openat,rename,renameat,renameat2,linkat "$PERFMON" -q stage -j traced
		awk -v name="traced.$host.tgz" '
			index($0, name) && /O_CREAT/ { made = 1 }
			index($0, name) && /openat/ && /O_RDONLY/ && made { read = 1 }
			index($0, name) && /rename|linkat/ { print made + 0, read + 0; exit }' trace >order
		is "$(cat order)" "1 1" "an archive is read back before it gets its name"
	else
		skip "an archive is read back before it gets its name" "no strace that can be trusted here"
	fi
	# Killed when the archive has its name, and a record file rewritten before the next call: of the same
	# size, which only the digest tells.
	"$PERFMON" -q -a -j rewritten run true
	PERFMON_STAGE_COMMAND="kill -9 \$PPID" "$PERFMON" -q stage -j rewritten >out 2>&1
	file=$(ls "$jobs"/rewritten/"$host"-*.tsv)
	edit "$file" "s/\ttrue\t/\ttree\t/"
	"$PERFMON" -q stage "$jobs/rewritten" >out 2>&1
	for archive in rewritten.*.tgz; do gzip -dc "$archive"; done >content
	is "$(grep -ac "	true	" content | awk '{ print ($1 > 0) }'):$({ cat "$jobs"/rewritten/*.tsv 2>/dev/null; cat content; } |
		grep -ac "	tree	" | awk '{ print ($1 > 0) }')" 1:1 \
		"a file that was rewritten since it was packed is not removed"
else
	skip "archives" "$(cut -d: -f2- <err)"
fi
done_testing
