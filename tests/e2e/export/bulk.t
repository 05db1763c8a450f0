#!/bin/sh
# export --format bulk: documents for Elasticsearch, with ids that make a replay harmless.
# shellcheck source=tests/e2e/lib.sh
. "$abs_top_srcdir/tests/e2e/lib.sh"

if ! need python3 sqlite3; then
	skip "documents are read back" "no $missing"
	done_testing
fi
# Python keeps what it compiles out of the sources.
export PYTHONDONTWRITEBYTECODE=1
db=$XDG_DATA_HOME/perfmon/perfmon.db
here=$abs_top_srcdir/tests/e2e/export
busy=$abs_top_srcdir/tests/golden/report/busy
# shellcheck source=tests/e2e/export/oddjobs.sh
. "$here/oddjobs.sh"
sqlite3 "$db" "INSERT INTO energy VALUES (1, 1, 1, 'node', 'made', 'up', 'counter', 5, NULL, 0, 1, 0, 1, 1, NULL);
	INSERT INTO analysis VALUES (1, 'outliers', '', 7, NULL, '{\"a\": [1, 2.5]}', NULL);
	INSERT INTO reject SELECT 1, (SELECT 1 + count(*) FROM reject WHERE job_id = 1), min(id), 'f.tsv', 3, 'made up', x'61ff0062' FROM load WHERE job_id = 1;
	INSERT INTO annotation SELECT id, 'long', 'é' || char(10) || '\"' FROM job" || exit 99
numbers=$(sqlite3 "$db" "SELECT '#' || id FROM job ORDER BY id" | tr '\n' ' ')

for kind in jobs processes threads counters hosts summaries energy tags phases annotations analyses series samples rejects metrics; do
	case $kind in jobs | metrics) set -- ;; *)
		# shellcheck disable=SC2086 # words
		set -- $numbers ;;
	esac
	"$PERFMON" export "$kind" "$@" --format bulk --index-prefix site.1_ 2>err >"$kind.bulk"
	status=$?
	"$PERFMON" export "$kind" "$@" --format jsonl 2>err >"$kind.jsonl"
	python3 "$here/bulk.py" "$kind" site.1_ "$kind.bulk" "$kind.jsonl" >out 2>&1
	# shellcheck disable=SC2046 # words
	set -- $(tail -n 1 out)
	is "$status|$([ "${1:-0}" -gt 0 ] && echo some)|$(($1 - $2))|$3" "0|some|0|0" "$kind: all of $1 documents have ids of their own, and are the rows"
	[ "${3:-1}" = 0 ] || head -n 5 out >&2
done
is "$("$PERFMON" export jobs --format bulk --limit 1 2>err | head -n 1 | sed 's/"_id":"[0-9a-f]*"/ID/')" \
	'{"index":{"_index":"perfmon_jobs",ID}}' "the usual prefix"

# The same job has the same ids in another database, where it has another number.
python3 "$here/layoutjob.py" other && PERFMON_DB=$work/other.db "$PERFMON" submit other >out 2>err &&
	PERFMON_DB=$work/other.db "$PERFMON" submit "$busy" >out 2>err
for kind in processes samples hosts; do
	"$PERFMON" export $kind 4711 -o here.bulk 2>err
	PERFMON_DB=$work/other.db "$PERFMON" export $kind 4711 -o there.bulk 2>err
	PERFMON_DB=$work/other.db "$PERFMON" export $kind 4712 -o third.bulk 2>err
	for at in here there third; do python3 "$here/bulk.py" --ids $at.bulk >$at.ids; done
	is "$(cmp here.ids there.ids 2>&1)|$(comm -12 here.ids third.ids | wc -l)|$([ -s here.ids ] && echo some)" "|0|some" \
		"$kind: ids are those of the job, not of its number"
done
is "$(sqlite3 "$db" "SELECT id FROM job WHERE jobid = '4711'"):$(sqlite3 other.db "SELECT id FROM job WHERE jobid = '4711'")" "1:2" \
	"which differs"
sed 's/"pid":\([0-9]\)/"pid":1\1/' processes.bulk >planted.bulk
python3 "$here/bulk.py" processes site.1_ planted.bulk processes.jsonl >out 2>&1
is "$([ "$(tail -n 1 out | cut -d ' ' -f 3)" -gt 0 ] && echo told)" told "a planted difference is found"

for line in "processes 4711 --format bulk --columns pid" "samples 4711 --format bulk --columns series_id,time_us,value" \
	"jobs --format bulk --append -o jobs.bulk" "jobs --format csv --index-prefix x_"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" export $line >out 2>err && : >err
	is "$([ -s err ] && echo failed)|$(wc -l <err)|$(wc -c <out)" "failed|1|0" "not: $line"
done
for prefix in Perfmon_ _x 'a"b' 'a b' a/b a,b ''; do
	"$PERFMON" export jobs --format bulk --index-prefix "$prefix" >out 2>err
	is "$?|$(grep -c -- '--index-prefix' err)" "2|1" "no prefix: '$prefix'"
done

# The template of an index: dates, numbers and texts become what they are, whatever the first of them looks like.
sqlite3 "$db" "UPDATE job SET name = '2026-11-20' WHERE jobid = '77'; UPDATE job SET name = 'night' WHERE jobid = '4711';
	INSERT INTO annotation SELECT id, 'longer', replace(hex(zeroblob(20000)), '0', 'é') FROM job WHERE jobid = '77'" || exit 99
all=
for kind in jobs processes threads counters hosts summaries energy tags phases annotations analyses series samples rejects metrics ops; do
	case $kind in jobs) set -- --order id:asc ;; metrics) set -- ;; *)
		# shellcheck disable=SC2086 # words
		set -- $numbers ;;
	esac
	"$PERFMON" export "$kind" "$@" -o "of_$kind.bulk" 2>err
	[ -s "of_$kind.bulk" ] && all="$all of_$kind.bulk"
done
"$PERFMON" export jobs 77 -o of_first.bulk 2>err
template=$abs_top_srcdir/share/elasticsearch/perfmon.json
# shellcheck disable=SC2086 # words
python3 "$here/template.py" "$template" of_first.bulk $all >out 2>&1
is "$(tail -n 1 out | sed 's/^[1-9][0-9]* [1-9][0-9]* /all /')" "all 0" "with the template every field keeps its type: $(tail -n 1 out)"
[ "$(tail -n 1 out | cut -d ' ' -f 3)" = 0 ] || head -n 5 out >&2
for rule in '/date_detection/d' '/"texts"/d' '/"reals"/d; s/8191}}},/8191}}}/' 's/"perfmon_/"other_/' 's/, "ignore_above": 8191//'; do
	sed "$rule" "$template" >planted.json
	# shellcheck disable=SC2086 # words
	python3 "$here/template.py" planted.json of_first.bulk $all >out 2>&1
	is "$(tail -n 1 out | sed 's/^[1-9][0-9]* [1-9][0-9]* [1-9][0-9]*$/some/')" some "which it does not without: $rule"
done
done_testing
