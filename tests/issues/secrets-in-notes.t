#!/bin/sh
# What users say of a job goes through the redaction of arguments: annotations, tags of jobs and processes, names of
# jobs and phases, facts; args=full stores it as it is, and perfmon redact takes the secrets out of that. All of it
# was stored as given, and redact left tags, names and phases.
# shellcheck disable=SC2154 # set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

mark=Zq7x
jobs=$PERFMON_OUTPUT_PREFIX/$(id -un)
query_default '' '|' -

# As annotations and, with ; and : in place, as tags.
cat >notes <<END
results_db=postgresql://runs:${mark}aB3dE6@db.example.org/runs
gitlab_token=${mark}hunter
note=restarted after: mysql -h db01 -u icon -p${mark}aB3 icon_runs < fix.sql
mysql=mysql -u icon -p${mark}aB3 icon_runs < fix.sql
notify=https://hooks.slack.com/services/T0TA48CK8KT/B0M8VRJKI0S/${mark}IhflM75grTl8sDePmV
submit_command=sbatch --export=ALL,DB_PASSWORD=$mark run_icon.sh
curl -u me:$mark https://h/x?a=b
text=password:${mark}hunter2
END
tags=$(sed 's/=/:/' notes | paste -sd ';')";https://me:${mark}@h/x;plain;color:blue"
# notes VERB...: with one operand for each line
notes()
{
	set -f
	while IFS= read -r line; do
		set -- "$@" "$line"
	done <notes
	set +f
	"$@"
}
# Lines of files that have a secret.
secrets() { grep -r -a -c "$mark" "$@" | awk -F: '{ n += $NF } END { print n + 0 }'; }


# record JOB: all that users say, with secrets
record()
{
	mkdir -p "dir/token=${mark}hunter"
	cat >"dir/token=${mark}hunter/job.sh" <<-'END'
		perfmon -q -j "$1" start
		perfmon -q -j "$1" mark begin "solve --password $2"
		perfmon -q -j "$1" mark end "solve --password $2"
		perfmon -q -j "$1" run env true
		PERFMON_JOB_TAGS="late;stop_token:$2" perfmon -q -j "$1" stop
	END
	(
		cd "dir/token=${mark}hunter" || exit 1
		PATH=${PERFMON%/*}:$PATH
		PERFMON_JOB_TAGS=$tags PERFMON_TAGS=$tags LOADEDMODULES="intel/19:token=${mark}hunter" sh ./job.sh "$1" $mark
	)
	notes "$PERFMON" -j "$1" annotate
}

record some >out 2>err
is "$?|$(cat out)" "0|" "recorded"
is "$(cat err)" "perfmon: warning: 8 of 8 annotations are stored with [redacted] in place of what looks like a secret; --args=full stores them as given" \
	"annotate says so in one line, without a value"
is "$(secrets "$jobs/some")" 0 "no file has a secret"
"$PERFMON" dump some >dumped
is "$(sed -n 's/^annotations\.//p' dumped | LC_ALL=C sort)" \
	"curl -u me:[redacted] https://h/x?a b
gitlab_token [redacted]
mysql mysql -u icon -p[redacted] icon_runs < fix.sql
note restarted after: mysql -h db01 -u icon -p[redacted] icon_runs < fix.sql
notify https://hooks.slack.com/services/[redacted]
results_db postgresql://runs:[redacted]@db.example.org/runs
submit_command sbatch --export=ALL,DB_PASSWORD=[redacted] run_icon.sh
text password:[redacted]" "annotations without their secrets, with all else"
is "$("$PERFMON" dump -k tags some | LC_ALL=C sort)" \
	"color blue
curl -u me [redacted] https://h/x?a:b
gitlab_token [redacted]
https //me:[redacted]@h/x
late 1
mysql mysql -u icon -p[redacted] icon_runs < fix.sql
note restarted after: mysql -h db01 -u icon -p[redacted] icon_runs < fix.sql
notify https://hooks.slack.com/services/[redacted]
plain 1
results_db postgresql://runs:[redacted]@db.example.org/runs
stop_token [redacted]
submit_command sbatch --export=ALL,DB_PASSWORD=[redacted] run_icon.sh
text password:[redacted]" "tags of the job"
is "$(sed -n 's/^start_cwd .*\///p; s/^start_modules[^ ]* //p; s/^script .*\///p' dumped | tr '\n' ' ')" \
	"token=[redacted] token=[redacted] intel/19 token=[redacted] " "script, directory and modules"
is "$(cut -f 5 "$jobs/some"/*.phases | sort -u)" "solve --password [redacted]" "the name of a phase"
is "$(grep -c "note:restarted after: mysql -h db01 -u icon -p\[redacted\] icon_runs < fix.sql;.*;plain;color:blue	" "$jobs/some"/*.tsv)" 2 \
	"tags of processes"
sed -n 's/.*	\(results_db:[^	]*\)	.*/\1/p' "$jobs/some"/*.tsv | sort -u >recorded
is "$(sed -n 's/.*"PERFMON_TAGS": "\(.*\)",/\1/p' "$jobs/some"/job*.json)" "$(cat recorded)" "and in the environment"

# A batch job, whose name is said by the user.
batch() { SLURM_JOB_ID=7 SLURM_JOB_NAME="run --password=$mark c_x" SLURM_SUBMIT_DIR="/x/token=${mark}hunter" \
	PERFMON_NAME_TAGS='{run}_{what}' "$PERFMON" -q "$@"; }
batch start
is "$("$PERFMON" dump 7 | grep -e '^name ' -e '^tags.run' -e '^facts.submit_dir' | LC_ALL=C sort)|$(secrets "$jobs/7")" \
	"facts.submit_dir /x/token=[redacted]
name run --password=[redacted] c_x
tags.run run --password=[redacted] c|0" "name, its tags, facts"
batch stop

# args=full has them as they are said, and says nothing.
export PERFMON_ARGS=full
record full >out 2>err
is "$?|$(cat out err)" "0|" "args=full records without a word"
unset PERFMON_ARGS
is "$(secrets "$jobs/full"/*.tsv) $(secrets "$jobs/full"/*.phases)" "2 2" "all of it: processes and phases"
is "$("$PERFMON" dump full | sed -n 's/^annotations\.//p' | LC_ALL=C sort)" "$(sed 's/=/ /' notes | LC_ALL=C sort)" "annotations"
is "$("$PERFMON" dump -k tags full | grep -c "$mark")" 10 "tags"
"$PERFMON" -j some annotate --args=full token=${mark}hunter 2>err
is "$?|$(cat err)|$("$PERFMON" dump some -k annotations.token)" "0||${mark}hunter" "annotate --args=full"
"$PERFMON" -q annotate some token=${mark}hunter more=1 2>err
is "$?|$(cat err)|$("$PERFMON" dump some -k annotations.token)" "0||[redacted]" "annotate -q says nothing, and stores none"

# --- redact ---------------------------------------------------------------------------------------------
# same: what redact makes of job full is what was recorded of job some
same()
{
	"$PERFMON" dump "$1" | grep -e '^annotations' -e '^tags' | grep -v -e more -e '\.token' | LC_ALL=C sort >redacted
	"$PERFMON" dump some | grep -e '^annotations' -e '^tags' | grep -v -e more -e '\.token' | LC_ALL=C sort | diff - redacted
}
mkdir archives
cp -a "$jobs/full" full
PERFMON_STAGE_TO=$work/archives "$PERFMON" -q stage --force "$jobs/full"
archive=$(ls archives/*.tgz)
cp "$archive" full.tgz
"$PERFMON" redact ./full >out
is "$?|$(secrets full)|$(same ./full)" "0|0|" "redact: a directory"
sed -n 's/.*	\(results_db:[^	]*\)	.*/\1/p' full/*.tsv | sort -u | cmp - recorded
ok $? "tags of processes are those that would have been recorded"
is "$("$PERFMON" redact ./full)" "$work/full: 0 secrets redacted" "again: nothing"
"$PERFMON" redact "$archive" >out
is "$?|$(gzip -dc "$archive" | grep -a -c "$mark")|$(same "$archive")" "0|0|" "an archive"
rm -r full

# rows SQL: of the database that is looked at
rows()
{
	case $PERFMON_DB in
	postgresql:*) postgres_sql jobs -tA -F '|' -c "$1" ;;
	*) query "$1" ;;
	esac
}
# look NAME: the job loaded from the archive with secrets is redacted
look()
{
	"$PERFMON" submit full.tgz >out 2>&1
	test "$(rows "SELECT count(*) FROM tag_set WHERE value LIKE '%$mark%' OR name LIKE '%$mark%'")" -ge 18
	ok $? "$1: secrets are loaded"
	"$PERFMON" redact full >out 2>err
	is "$?|$(cat err)" "0|" "$1: redacted: $(cat out)"
	for table in process host job annotation tag_set phase; do
		rows "SELECT * FROM $table"
	done >dumped
	is "$(grep -c "$mark" dumped)" 0 "$1: no row has one"
	is "$(rows "SELECT name, value FROM annotation" | tr '|' ' ' | LC_ALL=C sort)" \
		"$("$PERFMON" dump -k annotations "$archive" | LC_ALL=C sort)" "$1: annotations"
	is "$(rows "SELECT name, value FROM tag_set WHERE id = 0" | tr '|' ' ' | LC_ALL=C sort)" \
		"$("$PERFMON" dump -k tags "$archive" | LC_ALL=C sort)" "$1: tags of the job"
	is "$(rows "SELECT name, value FROM tag_set WHERE id > 0" | tr '|' ' ' | LC_ALL=C sort)" \
		"$("$PERFMON" dump -k tags "$archive" | grep -v -e late -e stop_token | LC_ALL=C sort)" "$1: tags of its processes"
	is "$(rows "SELECT DISTINCT tags FROM process WHERE tags <> ''")" "$(cat recorded)" "$1: the same as a text"
	is "$(rows "SELECT DISTINCT name FROM phase")" "solve --password [redacted]" "$1: the phase"
	is "$("$PERFMON" redact full)" "job full in the database: 0 secrets redacted" "$1: again: nothing"
	"$PERFMON" verify >out 2>&1
	is "$?|$(grep -c ' 0 faults' out)" "0|1" "$1: verify finds no fault"
	"$PERFMON" submit "$archive" >out 2>&1
	is "$?|$(grep -c already out)" "0|1" "$1: the redacted archive is loaded already"
	"$PERFMON" -j full annotate db_token=${mark}hunter 2>err
	is "$?|$(grep -c 'is stored with \[redacted\]' err)|$(rows "SELECT value FROM annotation WHERE name = 'db_token'")" \
		"0|1|[redacted]" "$1: annotate"
	"$PERFMON" annotate --args=full full db_token=${mark}hunter 2>err
	is "$?|$(cat err)|$(rows "SELECT value FROM annotation WHERE name = 'db_token'")" "0||${mark}hunter" \
		"$1: annotate --args=full"
}

PERFMON_DB=$work/n.db
export PERFMON_DB
look SQLite
unset PERFMON_DB
if postgres_start; then
	postgres_sql postgres -c 'CREATE DATABASE jobs' || exit 99
	PERFMON_DB=$(postgres_url jobs)
	export PERFMON_DB
	look PostgreSQL
	postgres_stop
else
	skip "PostgreSQL" "$postgres_missing"
fi
done_testing
