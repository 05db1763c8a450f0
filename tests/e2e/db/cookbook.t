#!/bin/sh
# perfmon-cookbook(7): each of its statements answers its question, the same on both engines, by indexes.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/e2e/site.sh
. "$abs_top_srcdir/tests/e2e/site.sh"

if ! need python3 sqlite3; then
	skip "the cookbook" "no $missing"
	done_testing
fi
export PYTHONDONTWRITEBYTECODE=1
book=$abs_top_srcdir/sql/cookbook.sql
cookbook=$abs_top_srcdir/tests/e2e/db/cookbook.py

# --- the page ------------------------------------------------------------------------------------
python3 "$cookbook" names "$book" >names
count=$(wc -l <names)
test "$count" -ge 40
ok $? "there are $count questions, no two of a name"
cut -f 3 names >questions
page=$abs_top_srcdir/man/perfmon-cookbook.7
is "$(sed -n 's/\\-/-/g; s/\\(aq/'"'"'/g; s/^\.SS \(.*?\)$/\1/p' "$page" | diff - questions)" "" \
	"perfmon-cookbook(7) has them all, in this order"
if need groff; then
	# shown PAGE: lines of statements that are not on the page as a reader copies them.
	shown()
	{
		groff -t -man -Tutf8 -rLL=78n -P-cbou "$1" | sed 's/^ *//' | sort -u >seen
		python3 "$cookbook" lines "$book" | sed 's/^ *//' | sort -u | comm -23 - seen
	}
	is "$(shown "$page")" "" "every line of SQL can be copied from the page"
	sed 's/^\.nf$/.PP/' "$page" >filled.7
	test "$(shown filled.7 | wc -l)" -gt 0
	ok $? "noticed: statements that are filled like text"
else
	skip "every line of SQL can be copied from the page" "no $missing"
fi

# --- SQLite --------------------------------------------------------------------------------------
site_load "$work/site.db"
is "$? $(sqlite3 site.db 'SELECT count(*) FROM job')" "0 9" "a site of nine jobs"
is "$(python3 "$cookbook" answers "$book" sqlite site.db)" "$count" \
	"SQLite: all answers are right, and others where a value is altered"
sed "s/cpu_time DESC, program LIMIT/cpu_time, program LIMIT/; s/rchar + wchar DESC/wchar DESC/
	s/exitsignal > 0/exitsignal > 9/; s/metric = 'user'/metric = 'nice'/" "$book" >wrong.sql
is "$(python3 "$cookbook" answers wrong.sql sqlite site.db | tail -n 1)" $((count - 4)) \
	"noticed: four statements that ask for something else"
is "$(grep -v '^-- programs-cpu' "$book" | python3 "$cookbook" names /dev/stdin 2>&1 | wc -l)" $((count - 1)) "noticed: one without a name"

# How a shell of each engine takes parameters, as the page has it.
sqlite3 site.db >out 2>err <<-END
	.parameter init
	.parameter set :user "'bert'"
	$(sed -n '/^-- user-jobs/,/;$/p' "$book")
END
is "$(cut -d '|' -f 1-3 out)" "4|104|align
3|103|align" "SQLite: its shell has parameters"

# --- plans ---------------------------------------------------------------------------------------
python3 "$cookbook" plans "$book" >statements
is "$(python3 "$abs_top_srcdir/tests/e2e/db/scans.py" site.db statements)" "$count" "SQLite: none reads every job"
sqlite3 site.db 'DROP INDEX job_by_start; DROP INDEX job_by_name'
test "$(python3 "$abs_top_srcdir/tests/e2e/db/scans.py" site.db statements | grep -c '^SCAN')" -ge 10
ok $? "noticed: without two indexes ten do"

# --- PostgreSQL ----------------------------------------------------------------------------------
postgres_needed "PostgreSQL: answers"
postgres_sql postgres -c 'CREATE DATABASE site' || exit 99
site_load "$(postgres_url site)"
is "$(python3 "$cookbook" answers "$book" psql "$(postgres_url site)")" "$count" \
	"PostgreSQL: all answers are the same, and others where a value is altered"
is "$(python3 "$cookbook" answers wrong.sql psql "$(postgres_url site)" | tail -n 1)" $((count - 4)) "noticed: the four"
{
	echo "\\set user '\\'bert\\''"
	sed -n '/^-- user-jobs/,/;$/p' "$book"
} | postgres_sql site -f - >out 2>err
is "$(cut -d '|' -f 1-3 out)" "4|104|align
3|103|align" "PostgreSQL: its shell has parameters"
done_testing
