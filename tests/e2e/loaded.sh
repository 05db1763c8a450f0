# shellcheck shell=sh
# shellcheck disable=SC2154 # set by lib.sh and collector.sh
# Sourced by the collector's tests that look at what a job becomes when it is loaded, behind
# collector.sh.
#
#   load            load $records into a fresh database; 0 when every line was taken
#   query SQL       rows of it (database.sh), columns separated by one space, unknown values as -
#   rows [WHERE]    its processes in the order of the tree: depth, name, how it ended (s SIGNAL, e
#                   STATUS or a reason), one per line

# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"
query_default "$work/loaded.db" ' ' -

load()
{
	rm -f "$work/loaded.db"
	# A job without metadata, as the collector alone leaves it, is status 1.
	PERFMON_DB=$work/loaded.db "$PERFMON" submit "$records" >"$work/load.out" 2>&1
	if [ $? -gt 1 ] || ! grep -q ', 0 rejected,' "$work/load.out"; then
		diag "$(cat "$work/load.out")"
		return 1
	fi
}


rows()
{
	query "SELECT depth, coalesce(exename, 'unknown'), CASE WHEN exitsignal IS NOT NULL THEN
		's ' || exitsignal WHEN exitcode IS NOT NULL THEN 'e ' || exitcode ELSE end_reason END
		FROM process WHERE ${1:-1} ORDER BY id"
}
