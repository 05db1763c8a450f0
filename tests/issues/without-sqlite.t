#!/bin/sh
# Compute nodes without SQLite record: built --without-sqlite (here: linked so) perfmon does all but databases, and what
# it cannot do says what is missing.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

whole=$PERFMON
PERFMON=$abs_top_builddir/tests/progs/recorder/perfmon
if need nm; then
	is "$(nm -D "$PERFMON" | grep -c sqlite3_)" 0 "nothing but the engine calls SQLite"
else
	skip "nothing but the engine calls SQLite" "no $missing"
fi
"$PERFMON" -a -j one run sh -c '/bin/true; exit 3' 2>err
is "$?|$(cat err)" "3|" "run"
(
	"$PERFMON" -j two start >out 2>err && eval "$("$PERFMON" -j two source)" && /bin/echo recorded >out &&
		"$PERFMON" mark begin phase && "$PERFMON" mark end phase && perfmon_uninstrument &&
		"$PERFMON" -j two stop
)
is "$?|$(cat out)" "0|recorded" "start, source, mark, stop"
"$PERFMON" status >out 2>err
is "$?|$(grep -c -w -E 'one|two' out)|$(cat err)" "0|2|" "status lists what is recorded"
"$PERFMON" dump -j one >out 2>err
is "$?|$(grep -c . out | awk '{ print ($1 > 10) }')" "0|1" "dump"
if grep -q '^#define HAVE_ZLIB' "$abs_top_builddir/config.h"; then
	"$PERFMON" -q stage "$PERFMON_OUTPUT_PREFIX"/*/* >out 2>err
	status=$?
	set -- ./*.tgz
	is "$status|$#" "0|2" "stage"
else
	skip "stage" "built without zlib"
fi

said='this perfmon was built without SQLite'
: >x.db
for verb in 'submit .' list report 'report .' show verify dbsize migrate 'delete one'; do
	for db in "$work/x.db" "$work/none.db"; do
		# Words.
		# shellcheck disable=SC2086
		PERFMON_DB=$db timeout 20 "$PERFMON" $verb >out 2>err
		is "$?|$(grep -c "$said" err)" "1|1" "$verb, a database that is ${db##*/}: says what is missing" ||
			diag "$(cat out err)"
	done
done
test ! -s x.db
ok $? "a database is left alone"
"$PERFMON" check >out 2>err
is "$?|$(grep -c "^warn .*$said" out)|$(grep -c '^fail' out)" "0|5|0" "check names it, and finds no fault" ||
	diag "$(cat out err)"
if [ $# -eq 2 ]; then
	PERFMON_DB=$work/y.db "$whole" submit "$@" >out 2>err
	is "$?|$(PERFMON_DB=$work/y.db "$whole" list jobs 2>&1 | grep -c -w -E 'one|two')" "0|2" \
		"one that has it loads the archives" || diag "$(cat err)"
fi
done_testing
