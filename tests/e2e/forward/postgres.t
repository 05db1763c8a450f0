#!/bin/sh
# perfmon forward to PostgreSQL: a server that is away, stops in the middle, has no connection left, or does not answer.
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/spool.sh
. "$abs_top_srcdir/tests/e2e/spool.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

skip_without_archives
postgres_needed "forwarding to PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE perfmon' || exit 99
url=$(postgres_url perfmon)
PERFMON_SPOOL_AGE=0 PERFMON_FORWARD_JITTER=0 PERFMON_SPOOL_PAUSE=100ms PERFMON_FORWARD_TO=$url
export PERFMON_SPOOL_AGE PERFMON_FORWARD_JITTER PERFMON_SPOOL_PAUSE PERFMON_FORWARD_TO
mkdir -m 1733 spool

until_true()
{
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || return 1
		sleep 0.05
	done
}
come() { archive x "$1" && mv x "spool/$1.tgz"; }
empty() { [ -z "$(names spool '*.tgz')" ]; }
there() { postgres_sql perfmon -c "SELECT string_agg(jobid || '|' || processes || '|' ||
	(SELECT count(*) FROM process p WHERE p.job_id = j.id), ' ' ORDER BY jobid) FROM job j"; }
status() { "$PERFMON" forward status --json --spool spool | sed -n "s/^  \"$1\": \(.*[^,]\),*\$/\1/p"; }

"$PERFMON" -v forward --spool spool >out 2>err &
service=$!
come 1
until_true empty
is "$(there)" "1|$made|$made" "an archive that comes is loaded"

postgres_stop immediate
come 2
until_true grep -q 'trying again' err
come 3
again() { [ "$(status failures)" -ge 3 ]; }
until_true again
is "$?|$(status waiting)|$(status dropped)" "0|2|0" "while the server is away archives wait"
is "$(status error | grep -c -i connect)" 1 "and the account says why"
postgres_again || exit 99
until_true empty
is "$(there)" "1|$made|$made 2|$made|$made 3|$made|$made" "when it is back they are loaded, once"
settled() { [ "$(status failures)|$(status sent)" = "0|3" ]; }
until_true settled
ok $? "and counted"

# A process of the server is killed while it loads: it waits for a lock.
postgres_sql perfmon -c "BEGIN" -c "LOCK TABLE job" -c "SELECT pg_sleep(1000)" >/dev/null 2>&1 &
holder=$!
held() { [ "$(postgres_sql perfmon -c "SELECT count(*) FROM pg_locks WHERE relation = 'job'::regclass AND mode = 'AccessExclusiveLock' AND granted")" = 1 ]; }
until_true held
come 4
waits() { [ "$(postgres_sql perfmon -c "SELECT count(*) FROM pg_stat_activity WHERE datname = 'perfmon' AND wait_event_type = 'Lock'")" -gt 0 ]; }
until_true waits
ok $? "it waits for a lock"
postgres_stop immediate
wait $holder
postgres_again || exit 99
until_true empty
is "$(there)" "1|$made|$made 2|$made|$made 3|$made|$made 4|$made|$made" "a server that is killed while it loads: once"
kill -TERM $service
wait $service
is $? 0 "SIGTERM ends it"

# Killed between COMMIT and the removal: it comes again.
come 4
"$PERFMON" forward --once --spool spool >out 2>err
is "$?|$(there | wc -w)|$(names spool '*.tgz')" "0|4|" "what was loaded and comes again is taken"

# A server that accepts and is silent.
if need python3; then
	mkdir silent
	python3 - silent/.s.PGSQL.5432 <<'EOF2' &
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(10)
time.sleep(1000)
EOF2
	server=$!
	until_true test -S silent/.s.PGSQL.5432
	chmod 777 silent silent/.s.PGSQL.5432
	come 5
	PERFMON_FORWARD_LIMIT=300ms "$PERFMON" forward --once --spool spool --forward-to "postgresql://postgres@/perfmon?host=$work/silent" >out 2>err
	is "$?|$(cat err)|$(names spool '*.tgz')" "75|perfmon: killed after 0.3 s (setting forward_limit)|5.tgz" "one that does not answer"
	PERFMON_FORWARD_LIMIT=1h "$PERFMON" forward --spool spool --forward-to "postgresql://postgres@/perfmon?host=$work/silent" >out 2>err &
	service=$!
	running() { [ "$(status running)" = true ]; }
	until_true running
	kill -TERM $service
	wait $service
	is "$?|$(names spool '*.tgz')" "0|5.tgz" "SIGTERM ends what waits for it"
	kill $server
	wait $server 2>/dev/null
else
	skip "a server that is silent" "no $missing"
fi
# A password is in no message and in no account.
PERFMON_FORWARD_TO="postgresql://postgres:geheim@/perfmon?host=$work/none" "$PERFMON" -vv forward --once --spool spool >out 2>err
is "$?|$(cat out err spool/loaded/.forward.json | grep -c geheim)|$("$PERFMON" forward status --spool spool | grep -c geheim)" "75|0|0" "a password is not told"
done_testing
