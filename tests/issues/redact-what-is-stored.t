#!/bin/sh
# perfmon redact takes the secrets out of jobs that were recorded with args=full: directories, archives,
# databases of both engines with what they keep of files; nothing else changes, and again nothing does.
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

# Tags and annotations are kept without secrets from the beginning.
"$PERFMON" -a -j noted --job-tags "db_password:${mark}a;color:blue" --tags "u:http://a:${mark}b@h/;api_token:${mark}1234567;n:1" run true
is "$("$PERFMON" -j noted annotate "note=was: mysql -u me -p${mark}c db" "token=${mark}1234567" color=red token_count=5 2>&1 | grep -c '2 of 4 annotations')" \
	1 "annotate says how many it does not keep as they are"
is "$(grep -r -c "$mark" "$jobs/noted" | awk -F: '{ n += $NF } END { print n + 0 }')" 0 "no tag and no annotation has one"
is "$("$PERFMON" dump "$jobs/noted" | grep -E '^(annotations|tags|job_tags)' | LC_ALL=C sort | tr '\n' '|')" \
	"annotations.color red|annotations.note was: mysql -u me -p[redacted] db|annotations.token [redacted]|annotations.token_count 5|tags.color blue|tags.db_password [redacted]|" \
	"what they say else is there"
is "$(cat "$jobs/noted"/*.tsv | grep -c 'u:http://a:\[redacted\]@h/;api_token:\[redacted\];n:1')" 1 "also in tags of processes"
rm -rf "$jobs/noted"

# A job with secrets in arguments, command, environment as an earlier perfmon left them, annotations, and
# in a line that is rejected.
record()
{
	PERFMON_ARGS=full "$PERFMON" -a -j "$1" run sh -c "
		env PGPASSWORD=${mark}a true --token-count 5
		env true https://u:${mark}b@host/x --password '${mark} two' -p 22
		env true curl -u me:${mark}c" >out 2>&1
	"$PERFMON" -j "$1" annotate api_key= color=blue
	sed -i "s/^ *\"environment\": {/&\"MY_PASSWORD\":\"${mark}e\",\"MY_COLOR\":\"red\",/
		s/\"api_key\": \"/&${mark}d/; s/^ *\"tags\": {/&\"a\":\"b\",\"db_password\":\"${mark}g\"/" "$jobs/$1"/job-*.json
	awk -v OFS='\t' -v FS='\t' -v tags="a:b;db_password:${mark}h" '
		/^perfmon-tsv-2\t/ { for (i = 1; i <= NF; i++) at[$i] = i } $at["tags"] == "\\N" { $at["tags"] = tags } 1' \
		"$jobs/$1"/*.tsv >"$1.new"
	cat "$1.new" >"$(ls "$jobs/$1"/*.tsv)"
	file=$(ls "$jobs/$1"/*.tsv)
	printf 'start\tnot a record\t--password %sf\t.\n' $mark >>"$file"
}
# Lines of files that have a secret.
secrets() { grep -r -c "$mark" "$@" | awk -F: '{ n += $NF } END { print n + 0 }'; }

record dir
cp -a "$jobs/dir" before
test "$(secrets "$jobs/dir")" -ge 8
ok $? "the directory has secrets: $(secrets "$jobs/dir")"
"$PERFMON" -n redact "$jobs/dir" >out
is "$?|$(diff -r before "$jobs/dir")" "0|" "dry-run changes nothing"
n=$(sed -n 's/.*: \([0-9]*\) secrets would be redacted/\1/p' out)
test "${n:-0}" -ge 8
ok $? "and counts them: $n"
"$PERFMON" redact "$jobs/dir" >out
is "$?|$(cat out)" "0|$jobs/dir: $n secrets redacted" "a directory"
is "$(secrets "$jobs/dir")" 0 "has none any more"
is "$(ls -l "$jobs/dir" | awk 'NR > 1 { print $1, $3, $4, $NF }')" "$(ls -l before | awk 'NR > 1 { print $1, $3, $4, $NF }')" \
	"the same files, of the same owner and mode"
is "$(cat "$jobs/dir"/*.tsv | wc -l)" "$(cat before/*.tsv | wc -l)" "with as many lines"
diff before/*.tsv "$jobs/dir"/*.tsv | grep -c '^>' >count
is "$(cat count)" "$(grep -c "$mark" before/*.tsv)" "of which those with secrets changed"
grep -q -e '--token-count 5' "$jobs/dir"/*.tsv && grep -q -e '-p 22' "$jobs/dir"/*.tsv
ok $? "but not what is none"
is "$("$PERFMON" dump "$jobs/dir" | grep -E 'api_key|color|MY_' | LC_ALL=C sort | tr '\n' '|')" \
	"annotations.api_key [redacted]|annotations.color blue|start_environment.MY_COLOR red|start_environment.MY_PASSWORD [redacted]|" \
	"metadata"
cp -a "$jobs/dir" once
touch dir
is "$("$PERFMON" redact dir 2>&1)|$(diff -r once "$jobs/dir")" "$jobs/dir: 0 secrets redacted|" "again, by its id: nothing"

# A process that writes meanwhile: what it adds is not lost.
cp -a before busy
i=0
(
	file=$(ls "$work/busy"/*.tsv)
	while [ $i -lt 300 ]; do
		i=$((i + 1))
		echo "--password ${mark}late$i" >>"$file"
	done
) &
while kill -0 $! 2>/dev/null; do
	"$PERFMON" -q redact busy || break
done
wait $!
"$PERFMON" -q redact busy
is "$?|$(grep -c '^--password \[redacted\]$' busy/*.tsv)|$(secrets busy)" "0|300|0" "lines that are added meanwhile stay, redacted"

# --- archives ------------------------------------------------------------------------------------------
record arc
mkdir archives
PERFMON_STAGE_TO=$work/archives "$PERFMON" -q stage "$jobs/arc"
archive=$(ls archives/*.tgz)
chmod 640 "$archive"
cp -p "$archive" full.tgz
"$PERFMON" redact "$archive" >out
is "$?|$(cat out)" "0|$archive: $n secrets redacted" "an archive"
is "$(gzip -dc "$archive" | grep -c "$mark")|$(stat -c %a "$archive")|$(ls -A archives)" "0|640|${archive#*/}" \
	"has none any more, the same mode, and nothing lies beside it"
gzip -dc "$archive" | grep -a -q '"format": *"perfmon-manifest-1"'
ok $? "and has a manifest"
cp -p "$archive" once.tgz
is "$("$PERFMON" redact "$archive")|$(cmp "$archive" once.tgz)" "$archive: 0 secrets redacted|" "again: not a byte changes"
if need xz; then
	gzip -dc full.tgz | xz >x.txz
	"$PERFMON" redact x.txz >out 2>&1
	is "$?|$(grep -c 'load the archive' out)" "1|1" "what cannot be written is refused"
else
	skip "what cannot be written is refused" "no xz"
fi

# --- databases -----------------------------------------------------------------------------------------
# rows SQL: of the database that is looked at
rows()
{
	case $PERFMON_DB in
	postgresql:*) postgres_sql jobs -tA -F '|' -c "$1" ;;
	*) query "$1" ;;
	esac
}
counts='SELECT (SELECT count(*) FROM process), (SELECT count(*) FROM load), (SELECT count(*) FROM reject),
	(SELECT count(*) FROM annotation)'

# look NAME: a job loaded from the archive with secrets, in $PERFMON_DB, is redacted
look()
{
	"$PERFMON" submit full.tgz >out 2>&1
	test "$(rows "SELECT count(*) FROM process WHERE args LIKE '%$mark%'")" -ge 3
	ok $? "$1: secrets are loaded"
	rows "SELECT $everything FROM process ORDER BY id" >before.rows
	rows "SELECT args FROM process ORDER BY id" >before.args
	"$PERFMON" -n redact arc >out
	is "$?|$(sed 's/[0-9][0-9] secrets/N secrets/' out)|$(rows "SELECT args FROM process ORDER BY id" | diff - before.args)" \
		"0|job arc in the database: N secrets would be redacted|" "$1: dry-run"
	before=$(rows "$counts")
	"$PERFMON" redact arc >out 2>err
	is "$?|$(sed 's/[0-9][0-9] secrets/N secrets/' out err)" "0|job arc in the database: N secrets redacted" "$1: redacted"
	test "$(rows "SELECT count(*) FROM tag_set WHERE value LIKE '%redacted%'")" -ge 2
	ok $? "$1: tags of the job and of processes"
	for table in process host job annotation tag_set; do
		rows "SELECT * FROM $table"
	done | grep -c "$mark" >count
	is "$(cat count)" 0 "$1: no row has one"
	rows "SELECT $everything FROM process ORDER BY id" | diff - before.rows >out
	is "$?|$(cat out)|$(rows "$counts")" "0||$before" "$1: nothing else changed"
	is "$(rows "SELECT args FROM process ORDER BY id" | diff - before.args | grep -c '^>')" \
		"$(grep -c "$mark" before.args)" "$1: nor arguments without one"
	"$PERFMON" verify >out 2>&1
	is "$?|$(grep -c ' 0 faults' out)" "0|1" "$1: verify finds no fault"
	is "$("$PERFMON" redact arc)" "job arc in the database: 0 secrets redacted" "$1: again nothing"
	# The archive that was redacted by itself is the one that is loaded.
	"$PERFMON" submit "$archive" >out 2>&1
	is "$?|$(rows "$counts")" "0|$before" "$1: the redacted archive adds nothing"
	for verb in report 'show --json' 'list --json processes'; do
		# shellcheck disable=SC2086
		"$PERFMON" $verb arc
	done 2>&1 | grep -c "$mark" >count
	is "$(cat count)" 0 "$1: nothing tells one"
}
everything='id, pid, exename, path, cpu_time, exitcode, start_us, depth, parent_id'

PERFMON_DB=$work/r.db
export PERFMON_DB
look SQLite
is "$(cat r.db* | grep -c "$mark")" 0 "no page of the file has one"
# A row that cannot be written, the first of several.
(
	PERFMON_DB=$work/held.db
	"$PERFMON" submit full.tgz >out 2>&1
	rows "CREATE TRIGGER held BEFORE UPDATE ON process
		WHEN OLD.id = (SELECT min(id) FROM process WHERE args LIKE '%$mark%') BEGIN SELECT RAISE(ABORT, 'held'); END"
	rows "SELECT args FROM process ORDER BY id" >before.args
	"$PERFMON" redact arc >out 2>err
	echo "$?|$(grep -c held err)|$(rows "SELECT args FROM process ORDER BY id" | diff - before.args)"
) >held
is "$(cat held)" "1|1|" "a row that cannot be written: all stays as it was, and that is said"
"$PERFMON" redact nobody >out 2>&1
is "$?|$(cat out)" "1|perfmon: job nobody is neither recorded on this host nor loaded: $(sed 's/.*loaded: //' out)" "a job that is nowhere"
"$PERFMON" redact >out 2>&1
is $? 2 "and no job"
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
