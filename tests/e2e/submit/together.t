#!/bin/sh
# Several at one database: submitters of one job and of many, a reader who looks all the time, users of one
# group, and a clock that is set in between.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need python3 sqlite3; then
	skip "together" "no $missing"
	done_testing
fi
PERFMON_DB=$work/x.db
export PERFMON_DB
generate=$abs_top_builddir/tests/progs/generate
"$generate" job 400 2 >/dev/null || exit 99
for i in 1 2 3 4 5 6; do
	cp -R job "j$i" && sed -i "s/\"4711\"/\"500$i\"/" "j$i"/*.json || exit 99
done

# --- a reader while jobs come, late hosts of them, and others in their place -------------------
cat >read.py <<'END'
import os, sqlite3, sys
looks, wrong = 0, []
while not os.path.exists("stop") or not (looks or wrong):
    if not os.path.exists("x.db"):
        continue
    db = sqlite3.connect("file:x.db?mode=ro", uri=True, timeout=60)
    try:
        for row in db.execute("select j.jobid, j.processes, j.hosts, j.rejected, (select count(*) from process p where "
                              "p.job_id = j.id), (select count(*) from host h where h.job_id = j.id), (select count(*) "
                              "from reject r where r.job_id = j.id), (select sum(minflt) from process p where p.job_id "
                              "= j.id) = j.minflt from job j"):
            if row[1:4] != row[4:7] or row[7] != 1 or row[1] not in (200, 400):
                wrong.append(row)
        looks += 1
    except sqlite3.OperationalError as e:
        # Before its first transaction a database has no tables.
        if "no such table" not in str(e) and looks:
            wrong.append(e)
    db.close()
print("%d %s" % (looks > 0, wrong[:3]))
END
python3 read.py >read.out 2>&1 &
reader=$!
for round in 1 2 3; do
	pids=
	for i in 1 2 3 4 5 6; do
		# Half of them host by host, two of one job at once; then in place of what is there.
		if [ $((i % 2)) -eq 0 ]; then
			mkdir -p "h$i" && cp j$i/*n1* "h$i"
			("$PERFMON" -q submit "h$i" && "$PERFMON" -q submit "j$i") 2>>err || echo "$round $i" >>bad &
		elif [ "$round" -eq 3 ]; then
			"$PERFMON" -q submit --replace "j$i" 2>>err || echo "$round $i" >>bad &
		else
			"$PERFMON" -q submit "j$i" 2>>err || echo "$round $i" >>bad &
			pids="$pids $!"
			"$PERFMON" -q submit "j$i" 2>>err || echo "$round $i" >>bad &
		fi
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid"
	done
done
: >stop && wait $reader
is "$(cat bad err 2>&1 | grep -v '^cat: ')" "" "submitters of one job and of many at once all succeed"
is "$(cat read.out)" "1 []" "a reader meanwhile sees whole jobs alone, and is not turned away"
is "$(query 'SELECT count(*), sum(processes), (SELECT count(*) FROM process) FROM job')|$(query 'PRAGMA integrity_check')" "6|2400|2400|ok" \
	"every job is there once and whole"

# --- users of one group -----------------------------------------------------------------------
if [ "$(id -u)" -eq 0 ] && need setpriv; then
	# Where anybody can run it: the build may be in root's home.
	cp "$PERFMON" "$work/perfmon" && chmod 711 "$work" && mkdir -m 2770 group && chgrp 54321 group
	as()
	{
		setpriv --reuid="$1" --regid=54321 --clear-groups env HOME=/ PERFMON_DB="$work/group/x.db" "$work/perfmon" -q submit "$work/u$1"
	}
	for uid in 54001 54002; do
		cp -R job u$uid && sed -i "s/\"uid\":1000/\"uid\":$uid/; s/\"user\":\"tester\",//; s/\"4711\"/\"$uid\"/" u$uid/*.json && chown -R $uid u$uid
	done
	as 54001 2>err || diag "$(cat err)"
	as 54002 2>err
	is "$?|$(grep -c 'Permission denied' err)" "1|1" "the database of one user is not for another one"
	chmod 660 group/x.db
	as 54002 2>err
	is "$?|$(cat err)" "0|" "unless it is given to the group"
	rm -f group/x.db* bad && "$PERFMON" -q list jobs >/dev/null 2>&1
	as 54001 2>err && chmod 660 group/x.db
	for uid in 54001 54002; do
		sed -i "s/\"$uid\"/\"again$uid\"/" u$uid/*.json
		as $uid 2>err.$uid || echo $uid >>bad
	done
	is "$(cat bad err.54001 err.54002 2>/dev/null)" "" "both, one after the other"
	is "$(query 'SELECT uid, processes FROM job ORDER BY 1, jobid' group/x.db)" "54001|400
54001|400
54002|400" "have their jobs there"

	# At the very same time, in a directory that hands its group on and in one that does not: what SQLite makes
	# beside the database, one user's, must be the other's, too, from its first moment.
	for set in "2770 54321 54321 077" "0770 54011 54012 002" "0770 54011 54012 077"; do
		# shellcheck disable=SC2086 # words
		set -- $set
		rm -rf group err.* bad && mkdir -m "$1" group && chgrp 54321 group
		beside()
		{
			user=$1 primary=$2
			shift 2
			setpriv --reuid="$user" --regid="$primary" --groups=54321 env HOME=/ PERFMON_DB="$work/group/x.db" \
				PATH="$PATH" sh -c "$@"
		}
		beside 54001 "$2" "umask $4; exec $work/perfmon -q submit $work/u54001" 2>err.first
		chgrp 54321 group/x.db && chmod 660 group/x.db
		for uid in 54001 54002; do
			cp -R job new$uid && sed -i "s/\"uid\":1000/\"uid\":$uid/; s/\"user\":\"tester\",//; s/\"4711\"/\"new$uid\"/" new$uid/*.json &&
				chown -R $uid new$uid
		done
		beside 54001 "$2" "umask $4; for i in \$(seq 40); do $work/perfmon -q annotate again54001 a=\$i; done; exec $work/perfmon -q submit $work/new54001" \
			>err.54001 2>&1 || echo 54001 >>bad &
		one=$!
		beside 54002 "$3" "umask $4; for i in \$(seq 40); do $work/perfmon -q annotate again54001 b=\$i; done; exec $work/perfmon -q submit $work/new54002" \
			>err.54002 2>&1 || echo 54002 >>bad &
		wait $one $!
		is "$(cat bad err.first err.54001 err.54002 2>&1 | grep -v '^cat: bad')" "" "two users at the very same time, mode $1, umask $4"
		is "$(query "SELECT count(*), sum(processes), (SELECT group_concat(name || value) FROM annotation) FROM job" group/x.db)" \
			"3|1200|a40,b40" "nothing of either is lost"
		is "$(ls group)" x.db "nothing is left beside the database"
	done

	# Who only reads leaves nothing that keeps those who write from it.
	chmod 640 group/x.db
	chgrp 54321 group/x.db
	beside 54002 54012 "exec $work/perfmon list jobs" >out 2>err
	is "$?|$(cat err)|$(wc -l <out)|$(ls group)" "0||4|x.db" "one who may only read leaves nothing beside it"
	chmod 660 group/x.db
	beside 54002 54012 "exec $work/perfmon list jobs" >out 2>err
	is "$?|$(cat err)|$(wc -l <out)|$(ls group)" "0||4|x.db" "nor one who may write, but reads"

	# What somebody who was killed left there, in modes of before: who, what, where.
	cat >left.py <<'END'
import os, sqlite3
db = sqlite3.connect("group/x.db", isolation_level=None)
db.execute("insert into annotation select id, 'left', 'there' from job")
os._exit(0)
END
	python3 left.py && chown 54001:54011 group/x.db-* && chmod 600 group/x.db-*
	beside 54002 54012 "exec $work/perfmon submit $work/new54002" >err 2>&1
	is "$?|$(grep -c "database $work/group/x.db: .*: $work/group/x.db-wal: Permission denied (of user 54001, group 54011, mode 0600)" err)" "1|1" \
		"a file beside the database that one may not write is named"
	# A user and a group of one number need not be of one name.
	owner=$(getent passwd 1 | cut -d: -f1)
	chown 1:54011 group/x.db-*
	beside 54002 54012 "exec $work/perfmon submit $work/new54002" >err 2>&1
	is "$?|$(grep -c "Permission denied (of user ${owner:-1}, group 54011, mode 0600)" err)" "1|1" "and whose it is"
	chown 54001 group/x.db-*
	# Without its log a reader would miss what was committed.
	beside 54002 54012 "exec $work/perfmon list jobs" >err 2>&1
	is "$?|$(grep -c "$work/group/x.db-wal: Permission denied" err)" "1|1" "nor is such a database read without it"
	chmod 660 group/x.db-* && chgrp 54321 group/x.db-*
	beside 54002 54012 "exec $work/perfmon list tags again54001 >/dev/null && exec $work/perfmon -q submit $work/new54002" 2>err
	is "$?|$(cat err)|$(query "SELECT count(*) FROM annotation WHERE name = 'left'" group/x.db)" "0||3" "with their modes repaired all of it is there"
else
	skip "users" "not root"
fi

# --- a clock that is set -----------------------------------------------------------------------
# What was recorded: one host's clock is set back by an hour, in the middle.
cp -R job back && sed -i 's/\t17000000\([0-9]*\)/\t16999964\1/g' back/n1-1000.tsv
PERFMON_DB=$work/back.db "$PERFMON" submit back >out 2>err
is "$?|$(query 'SELECT processes, hosts, (SELECT count(*) FROM process p JOIN process q ON q.id = p.parent_id WHERE p.host_id <> q.host_id), (SELECT count(*) FROM process WHERE parent_id IS NULL), (SELECT max(start_us) - min(start_us) > 3500000000 FROM process) FROM job' back.db)" \
	"0|400|2|0|2|1" "a host whose clock is an hour behind: all processes, each below its own"
# And the clock of the one who loads, between loads.
fake=$(find /usr/lib /usr/lib64 -maxdepth 4 -name libfaketime.so.1 2>/dev/null | sed -n 1p)
if [ -n "$fake" ] && [ "${PM_SANITIZED:-no}" != yes ]; then
	head -n 1 job/n0-1000.tsv >header
	for part in 0 1 2; do
		mkdir "p$part" && cp job/*.json "p$part" || exit 99
		for n in 0 1; do
			{ cat header && sed '/^$/d' job/n$n-1000.tsv | awk -v p=$part 'NR > 1 && NR % 3 == p'; } >"p$part/n$n-$part.tsv"
		done
	done
	rm -f x.db* && "$PERFMON" -q submit p0 p1 p2 && python3 "$abs_top_srcdir/tests/e2e/submit-canon.py" x.db >at-once
	rm -f x.db*
	status=
	for step in '0 2026-01-01 00:00:00' '2 1999-12-31 23:59:59' '1 2038-01-19 03:14:08'; do
		LD_PRELOAD=$fake FAKETIME="@${step#? }" "$PERFMON" -q submit "p${step%% *}" 2>err
		status=$status$?
	done
	python3 "$abs_top_srcdir/tests/e2e/submit-canon.py" x.db | cmp -s - at-once
	is "$status$?" 0000 "loaded in parts while the clock is set back and forth: as if at once"
	LD_PRELOAD=$fake FAKETIME='@1969-12-31 00:00:00' "$PERFMON" submit p0 >out 2>err
	is "$?|$(cat out)" "0|job 4711: already loaded, nothing new" "and known before the epoch"
else
	skip "a clock that is set while it is loaded" "no libfaketime"
fi
done_testing
