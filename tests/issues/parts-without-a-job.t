#!/bin/sh
# Samples, marks and counts without a job's metadata and records are no job of their own: they join the
# job that directory, host and time tell, or are refused, and cost nothing else of the command.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

golden=$abs_top_srcdir/tests/golden/schema/job
host=$(basename "$golden"/*.series .series)
PERFMON_DB=$work/db
export PERFMON_DB
rows() { sqlite3 "${1:-db}" "SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM process), (SELECT count(*) FROM series)"; }
cp -r "$golden" whole && chmod -R u+w whole
sed -i "s/\"uid\": *[0-9]*/\"uid\":$(id -u)/; s/\"user\": *\"[^\"]*\"/\"user\":\"$(id -un)\"/" whole/job-*.json
"$PERFMON" -q --db "$work/whole.db" submit whole
id=$(sqlite3 whole.db "SELECT jobid FROM job")
whole=$(rows whole.db)
mkdir rest lone "$id"
cp whole/job-* whole/*.tsv rest
cp whole/*.series lone

submit() { "$PERFMON" -q submit "$@" >out 2>err; }
for what in directory file archive; do
	rm -f db
	case $what in
	directory) set -- lone ;;
	file) set -- "lone/$host.series" ;;
	archive) tar cf lone.tar lone && set -- lone.tar ;;
	esac
	submit "$@"
	is "$?:$(sqlite3 db "SELECT count(*) FROM job" 2>/dev/null || echo 0):$(grep -c "submit .* directory" err)" "1:0:1" \
		"a series alone, as $what, is refused"
	submit rest "$@"
	is "$?:$(rows)" "1:${whole%|*}|0" "beside the job that it does not name, too"
done
rm -f db
mkdir spool && cp lone.tar spool && tar cf spool/rest.tar rest
PERFMON_SPOOL_AGE=0 "$PERFMON" -q submit --spool spool >out 2>err
is "$(rows):$(ls spool/failed)" "${whole%|*}|0:lone.tar
lone.tar.reason" "in a spool it is set aside"

cp whole/*.series "$id"
rm -f db
submit rest && submit "$id"
is "$?:$(rows)" "0:$whole" "in a directory of the job's name it joins the job"
submit "$id"
is "$?:$(rows)" "0:$whole" "once"
submit --replace "$id"
is "$?:$(rows)" "1:$whole" "and does not replace it"

# Counts have no time.
"$PERFMON" -q -a --max-bytes 20000 run sh -c 'i=0; while [ $i -lt 100 ]; do i=$((i + 1)); env true; done'
mkdir tally && cp "$work"/prefix/*/*/*.tally tally
rm -f db
submit tally
is "$?:$(sqlite3 db "SELECT count(*) FROM job" 2>/dev/null || echo 0):$(grep -c "of no job" err)" "1:0:1" "counts alone are refused"
done_testing
