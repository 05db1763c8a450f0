#!/bin/sh
# A file may have lines of several hosts: what comes later of one of them leaves the others', and those
# of this host, in place.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need python3; then
	skip "a file of several hosts" "no $missing"
	done_testing
fi
"$abs_top_builddir/tests/progs/generate" --seed=5 made 30 3 >/dev/null
canon()
{
	"$PERFMON" -q submit "$@" && python3 "$abs_top_srcdir/tests/e2e/submit-canon.py" "$PERFMON_DB"
}
# whole: a file per host; first: all but the second half of n1's, in one file, later: that half.
mkdir whole first later && cp made/* whole && cp made/job-*.json first && cp made/job-n1.json later
for host in n0 n1 n2; do
	grep -v '^$' "made/$host-1000.tsv" >lines
	half=$(($(grep -c . lines) / 2))
	if [ $host = n1 ]; then
		head -n "$half" lines >>first/n0-1000.tsv
		{ head -n 1 lines && tail -n +$((half + 1)) lines; } >later/n1-1000.tsv
	else
		cat lines >>first/n0-1000.tsv
	fi
done
PERFMON_DB=$work/whole.db canon whole >expected
PERFMON_DB=$work/parts.db canon first >/dev/null
PERFMON_DB=$work/parts.db canon later >got
is "$(wc -l <expected):$(diff expected got | grep -c '^[<>]')" "$(wc -l <got):0" "the rows are those of all at once"
done_testing
