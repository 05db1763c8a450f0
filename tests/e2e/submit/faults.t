#!/bin/sh
# A job loaded into SQLite over a file system that fails at one call, kills there or loses power there, for
# calls of the whole load: tests/progs/faults.c. `make check-submit` does so for every call.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

generate=$abs_top_builddir/tests/progs/generate
"$generate" job 400 2 >/dev/null && "$generate" other 6 >/dev/null && sed -i 's/"4711"/"4712"/' other/job-n0.json || exit 99
# The same job before it was over.
cp -R job early && rm early/*n1* && head -n 5 job/n0-1000.tsv >early/n0-1000.tsv || exit 99
# Its TAP is this test's.
"$abs_top_builddir/tests/progs/faults" job other early "${PM_FAULT_STEP:-37}"
