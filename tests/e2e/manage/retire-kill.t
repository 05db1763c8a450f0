#!/bin/sh
# A job that takes several transactions to retire, killed in any of them: what is left of it says so and is
# sound, and the next call goes on. `make check-submit` retires a larger one.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
. "$abs_top_srcdir/tests/e2e/manage.sh"

if ! need python3 sqlite3; then
	skip "retire, killed" "no $missing"
	done_testing
fi
"$abs_top_builddir/tests/progs/generate" large "${PM_RETIRED:-20000}" >/dev/null && PERFMON_DB=$work/l.db "$PERFMON" -q submit large || exit 99
says=
for ms in 100 500 900 1300; do
	rm -f x.db*
	cp l.db x.db
	PERFMON_DB=$work/x.db "$PERFMON" retire --older-than 1d >/dev/null 2>&1 &
	python3 -c 'import sys, time; time.sleep(float(sys.argv[1]) / 1000)' $ms
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	left=$(sqlite3 x.db "SELECT problems LIKE '%retired: %' AND (SELECT count(*) FROM content) = 0 OR (SELECT count(*) FROM process) = processes FROM job")
	says="$says${left:-1}$(perfmon x.db verify)$(perfmon x.db retire --older-than 1d)$(sed 's/^retired [01] jobs* with .*/ once /' out)$(sqlite3 x.db 'SELECT count(*) FROM job')$(perfmon x.db verify) "
done
is "$says" "10|0| once 00| 10|0| once 00| 10|0| once 00| 10|0| once 00| " "a large job, killed while it is retired"
done_testing
