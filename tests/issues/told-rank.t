#!/bin/sh
# A program that says which MPI rank it is, by monitor_set_size_rank, is recorded as that rank.
# shellcheck disable=SC2154 # set by lib.sh and collector.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

accounts=$abs_top_builddir/tests/progs/accounts
"$accounts" rank=3 exit=0
is $? 98 "the function is the collector's"
if ! need sqlite3; then
	skip "its rank" "no $missing"
	done_testing
fi
# ranks ARGUMENT...: rank and number of ranks of each process.
ranks()
{
	rm -f db
	collect COLLATED_TSV "$accounts" "$@"
	PERFMON_DB=$work/db "$PERFMON" -q submit "$records"
	sqlite3 db "SELECT coalesce(mpirank, '-'), coalesce(numranks, '-') FROM process ORDER BY image_us" | tr '\n' ' '
}
is "$(ranks exit=0)" "-|- " "without it there is none"
is "$(ranks rank=3 exit=0)" "3|8 " "the rank that was told is that of the process"
is "$(ranks rank=3 fork exit=0)" "3|8 3|8 " "and of what it forks"
is "$(ranks fork rank=0 exit=0)" "0|8 0|8 " "a child may tell its own"
is "$(ranks rank=3 rank=8 exit=0)" "8|- " "the last counts; more ranks than there are, are unknown"
is "$(ranks rank=-1 exit=0)" "-|- " "a negative one is none"
is "$(PMI_RANK=1 PMI_SIZE=2 && export PMI_RANK PMI_SIZE && ranks rank=3 exit=0)" "3|8 " \
	"what the program says counts before what its launcher said"
is "$(PMI_RANK=1 PMI_SIZE=2 && export PMI_RANK PMI_SIZE && ranks exit=0)" "1|2 " "which else does"
done_testing
