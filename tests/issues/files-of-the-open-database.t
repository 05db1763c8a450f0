#!/bin/sh
# No file of the database is opened beside SQLite by the process that has it open: closing such a file gave up
# SQLite's locks, another process took the log away, and a job that was said to be loaded was gone.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

export PERFMON_DB=$work/jobs/x.db
mkdir jobs spool && cd jobs || exit 99
for id in 101 102 103 104; do
	"$abs_top_builddir/tests/progs/generate" --jobid $id $id 20 >/dev/null && tar -czf $id.tgz $id && rm -r $id || exit 99
done

# held COMMAND...: while another process has the database open, and its log is there.
held()
{
	mkfifo hold
	sqlite3 x.db <hold >held.out 2>&1 &
	holder=$!
	exec 7>hold
	echo "BEGIN; SELECT count(*) FROM job; SELECT 'is open';" >&7
	for _ in $(seq 200); do
		! grep -q open held.out || break
		sleep 0.02
	done
	"$@"
	echo .quit >&7
	exec 7>&-
	wait $holder
	rm -f hold
}

# --- all that is in the directory of the database ------------------------------------------------
"$PERFMON" -q submit 103.tgz || exit 99
mkfifo slow
slowly()
{
	"$PERFMON" submit 101.tgz x.db* ./x.db - <slow >out 2>err &
	submit=$!
	exec 8>slow
	# It has loaded the first, and waits for its standard input.
	for _ in $(seq 200); do
		[ "$("$PERFMON" list jobs --csv | grep -c '[^0-9]101[^0-9]')" -eq 0 ] || break
		sleep 0.05
	done
}
held slowly
# Who closes the database last takes its log away, unless another one has it.
"$PERFMON" list jobs >/dev/null
"$PERFMON" -q submit 104.tgz
is $? 0 "another process loads a job meanwhile"
cat 102.tgz >&8
exec 8>&-
wait $submit
is "$?" 0 "the first one goes on"
is "$(grep -c 'x[.]db.*: skipped, it is a file of the database itself' err)" 3 "files of the database are left out, each once"
is "$(query 'SELECT group_concat(jobid) FROM (SELECT jobid FROM job ORDER BY jobid)')" "101,102,103,104" \
	"every job that was said to be loaded is there"
is "$(query 'PRAGMA integrity_check')" ok "the database is sound"
rm -f slow
"$PERFMON" submit x.db >out 2>err
is "$?|$(tail -n 1 err)" "1|perfmon: nothing to load" "nothing but the database is nothing to load"

# --- every verb that takes files -----------------------------------------------------------------
cat >closes.py <<'EOT'
"""Descriptors of a database's files that were closed while the same process had another one of that file."""
import re, sys

path = sys.argv[1]
is_open = {}
for line in open("trace", errors="replace"):
    opened = re.search(r'open(?:at)?\(.*"([^"]*)".* = (\d+)<([^>]*)>', line)
    closed = re.search(r'close\((\d+)<([^>]*)>', line)
    if opened and opened[3].startswith(path) and "O_PATH" not in line:
        is_open.setdefault(opened[3], set()).add(opened[2])
    elif closed and closed[2] in is_open:
        is_open[closed[2]].discard(closed[1])
        if is_open[closed[2]]:
            print("closes", closed[2])
EOT
verbs()
{
	while read -r verb; do
		strace -f -y -o trace -e trace=openat,open,close sh -c "exec \"\$PERFMON\" $verb" </dev/null >out.verb 2>&1
		is "$(python3 closes.py "$work/jobs/x.db" | tail -n 1)" "" "perfmon $verb"
	done <<'END'
submit 103.tgz x.db x.db-wal x.db-shm
submit x.db* 101.tgz link.tgz job
submit --dry-run 103.tgz x.db x.db-wal x.db-shm link.tgz
submit --remove x.db x.db-shm link.tgz
submit --spool ../spool
convert -o converted.tgz x.db x.db-wal x.db-shm 103.tgz
dump x.db x.db-wal x.db-shm
report x.db
report x.db-shm
report 103
show x.db
list processes x.db
status
annotate x.db a=b
annotate 103 a=b
stage x.db
verify
check database
copy x.db copied.db
copy copied.db x.db
delete --force 102
retire --older-than 1d --dry-run
migrate
END
}
export PERFMON
if [ "${PM_SANITIZED:-no}" = no ] && need strace python3 && strace -o trace true 2>/dev/null; then
	# By other names, too.
	ln x.db link.tgz && ln x.db ../spool/x.tgz && mkdir job && ln x.db job/n1-1.tsv && ln x.db job/job-n1.json || exit 99
	held verbs
	rm -rf link.tgz job ../spool/x.tgz
	is "$(query 'PRAGMA integrity_check; SELECT count(*) FROM job' | tr '\n' ' ')" "ok 3 " "the database is sound"
else
	skip "every verb that takes files" "no ${missing:-tracing}"
fi
done_testing
