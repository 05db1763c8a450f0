#!/bin/sh
# A job's rows split at random over files, names, directories and archives, in any order, some of them
# there twice or in an earlier state: loaded one by one, together or from a spool, with --remove or
# without, they become the rows that all at once would have become, and what was removed is there.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"

if ! need python3; then
	skip "splits of a job" "no $missing"
	done_testing
fi
if ! grep -q '^#define HAVE_ZLIB' "$abs_top_builddir/config.h"; then
	skip "splits of a job" "built without zlib"
	done_testing
fi
PERFMON_SPOOL_AGE=0
export PERFMON_SPOOL_AGE abs_top_builddir

canon()
{
	python3 "$abs_top_srcdir/tests/e2e/submit-canon.py" "$1"
}

# What the job is without its whole metadata, and with --remove, may be no reason to fail; a lost row is.
split()
{
	python3 "$abs_top_srcdir/tests/prove/splits.py" "$1" || return 1
	PERFMON_DB=$PWD/whole.db "$PERFMON" submit whole/4711 >out 2>err
	canon whole.db >whole.rows || return 1
	PERFMON_DB=$PWD/split.db
	export PERFMON_DB
	while read -r how sources; do
		case $how in
		spool) "$PERFMON" submit --spool parts $sources ;;
		remove) "$PERFMON" submit --remove $sources ;;
		submit) "$PERFMON" submit $sources ;;
		esac >>out 2>>err </dev/null
	done <plan
	canon split.db >split.rows
	if cmp -s whole.rows split.rows; then
		return 0
	fi
	cat plan out err
	diff whole.rows split.rows | cut -c1-400 | head -n 12
	return 1
}

rounds 500 split "any split of a job loads to the rows of the whole"
done_testing
