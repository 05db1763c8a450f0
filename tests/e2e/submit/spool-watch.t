#!/bin/sh
# perfmon submit --spool --watch, passes at once, passes killed at any instant.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/spool.sh
. "$abs_top_srcdir/tests/e2e/spool.sh"

skip_without_archives
PERFMON_DB=$work/x.db
PERFMON_SPOOL_AGE=0
export PERFMON_DB PERFMON_SPOOL_AGE

# until_true COMMAND...: 0 once it is; gives up after a minute, which no test needs.
until_true()
{
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || return 1
		sleep 0.05
	done
}

spool=$work/spool && mkdir "$spool" && archive "$spool/a.tgz" 1
"$PERFMON" submit --spool "$spool" --watch >out 2>err &
watch=$!
until_true test -e "$spool/loaded/a.tgz"
ok $? "--watch loads what lies there"
# With a period of a minute it is told of what comes.
archive b 2 && mv b "$spool/b.tgz"
until_true test -e "$spool/loaded/b.tgz"
ok $? "and what is renamed into the spool"
archive b 3 && cat b >"$spool/c.tgz"
until_true test -e "$spool/loaded/c.tgz"
ok $? "or written there"
echo broken >"$spool/d.tgz"
until_true test -e "$spool/failed/d.tgz.reason"
ok $? "what cannot be loaded is set aside"
kill -TERM $watch
wait $watch
is "$?|$(jobs x.db)" "0|1|$made 2|$made 3|$made" "SIGTERM ends it well"
is "$(grep -c '^job ' out)" 3 "it told of each job"

# A file that is too young when it comes is taken when it is old enough.
PERFMON_SPOOL_AGE=300ms "$PERFMON" submit --spool "$spool" --watch >out 2>err &
watch=$!
archive b 4 && mv b "$spool/e.tgz"
until_true test -e "$spool/loaded/e.tgz"
ok $? "a young archive is waited for"
kill -INT $watch
wait $watch
is $? 0 "SIGINT ends it, too"

# The database is locked, and comes back.
python3 - "$PERFMON_DB" >held <<'EOF2' &
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("begin immediate")
print("held", flush=True)
time.sleep(1000)
EOF2
holder=$!
until_true test -s held
archive "$spool/f.tgz" 5
PERFMON_SPOOL_PAUSE=50ms "$PERFMON" -v submit --spool "$spool" --watch >out 2>err &
watch=$!
until_true grep -q 'again in' err
is "$?|$(names "$spool" | tr '\n' ' ')" "0|f.tgz failed loaded " "while the database is locked it tries again, and moves nothing"
kill -9 $holder
wait $holder 2>/dev/null
until_true test -e "$spool/loaded/f.tgz"
ok $? "and goes on when it is not"
kill -TERM $watch
wait $watch
is $? 0 "ended"
"$PERFMON" submit --spool "$work/nowhere" --watch >out 2>err
is "$?" 1 "a spool that is not there is an error at once"

# Passes at once: one has the lock at a time, each archive is loaded once.
spool=$work/many && mkdir "$spool"
for i in 1 2 3 4 5 6 7 8; do
	archive "$spool/m$i.tgz" "10$i"
done
passes=
for i in 1 2 3 4; do
	PERFMON_DB=$work/many.db "$PERFMON" submit -q --spool "$spool" >/dev/null 2>&1 &
	passes="$passes $!"
done
bad=0
for p in $passes; do
	wait "$p"
	case $? in 0 | 75) ;; *) bad=1 ;; esac
done
is $bad 0 "four passes at once: each is done or comes again"
PERFMON_DB=$work/many.db "$PERFMON" submit -q --spool "$spool" >/dev/null 2>&1
is "$(query "SELECT count(*), sum(processes), (SELECT count(*) FROM process) FROM job" many.db)|$(names "$spool/loaded" "m*" | wc -l)" \
	"8|$((8 * made))|$((8 * made))|8" "every archive is there once"

# Killed at any instant: nothing is lost, nothing doubled.
mkdir stock
for i in 1 2 3 4; do
	archive "stock/k$i.tgz" "20$i"
done
echo broken >stock/k5.tgz
fresh()
{
	rm -rf kill k.db* && mkdir kill && cp stock/* kill
}
# How long a pass takes: the shortest of some.
took=
for i in 1 2 3 4 5; do
	fresh
	began=$(date +%s%N)
	PERFMON_DB=$work/k.db "$PERFMON" submit -q --spool kill >/dev/null 2>&1
	us=$((($(date +%s%N) - began) / 1000))
	[ -n "$took" ] && [ "$took" -le "$us" ] || took=$us
done
lost=
killed=0
i=0
while [ $i -lt 30 ]; do
	i=$((i + 1))
	fresh
	PERFMON_DB=$work/k.db "$PERFMON" submit -q --spool kill >/dev/null 2>&1 &
	pid=$!
	us=$((took * i / 32))
	sleep "$((us / 1000000)).$(printf %06d $((us % 1000000)))"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ $? -ne 137 ] || killed=$((killed + 1))
	before=$(find kill -name 'k?.tgz' -o -name '?.k?.tgz' | wc -l)
	PERFMON_DB=$work/k.db "$PERFMON" submit -q --spool kill >/dev/null 2>&1
	got="$before $(jobs k.db)|$(find kill/loaded -name 'k?.tgz' | wc -l) $(find kill/failed -name 'k5.tgz*' | wc -l) $(find kill -maxdepth 1 -type f | wc -l)"
	# Killed between the move and the words about it, the archive that failed lies there alone.
	case $got in
	"5 201|$made 202|$made 203|$made 204|$made|4 "[12]" 0") ;;
	*) lost="$lost; $got" ;;
	esac
done
diag "killed $killed of 30"
is "$lost" "" "kill -9 at 30 instants: after the next pass every archive is there once, none is lost"
done_testing
