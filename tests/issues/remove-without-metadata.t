#!/bin/sh
# A directory of records without metadata is removed by --remove where the database knows that its job is
# over; where nothing says so it is kept, and the message says why.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

"$abs_top_builddir/tests/progs/generate" made 40 >/dev/null
PERFMON_DB=$work/db
export PERFMON_DB
rows() { sqlite3 db "SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM process)"; }
"$PERFMON" -q --db whole.db submit made
want=$(sqlite3 whole.db "SELECT 1, count(*) FROM process")
half=$(($(grep -c . made/n0-1000.tsv) / 2))
parts()
{
	rm -rf db* first rest && mkdir first rest && cp made/job-n0.json first
	grep . made/n0-1000.tsv | head -n $half >first/n0-1000.tsv
	{ grep -m 1 . made/n0-1000.tsv && grep . made/n0-1000.tsv | tail -n +$((half + 1)); } >rest/n0-1001.tsv
}

parts
"$PERFMON" submit --remove rest >out 2>err
is "$?:$(ls rest):$(grep -c 'not removed: rest: it has no metadata that show that its job has ended' err)" "1:n0-1001.tsv:1" \
	"records alone are kept, and it is said why"
"$PERFMON" submit --remove rest >out 2>err
is "$?:$(ls rest):$(grep -c 'not removed: rest: it has no metadata that show that its job has ended' err)" "1:n0-1001.tsv:1" \
	"once more"
"$PERFMON" -q submit --remove first >out 2>err
is "$?:$(find first 2>/dev/null):$(rows)" "0::$want" "what brings the metadata is removed"
"$PERFMON" submit --remove rest >out 2>err
is "$?:$(find rest 2>/dev/null):$(rows)" "0::$want" "and then they are"

parts
"$PERFMON" -q submit --remove first && "$PERFMON" submit --remove rest >out 2>err
is "$?:$(find first rest 2>/dev/null):$(rows)" "0::$want" "records that come later are removed"

parts
sed -i 's/,"stop":{[^}]*}//' first/job-n0.json
"$PERFMON" -q submit first && "$PERFMON" submit --remove rest >out 2>err
is "$?:$(ls rest):$(grep -c 'not removed: rest: it has no metadata that show that its job has ended' err)" "1:n0-1001.tsv:1" \
	"not while the job is open"
done_testing
