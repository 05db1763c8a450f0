#!/bin/sh
# retire --to --parquet, killed at any system call that writes, and told of faults there: a file of that name is
# complete, each process is in the database or in the files, and the next call makes all of it right.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
. "$abs_top_srcdir/tests/e2e/manage.sh"

if ! need sqlite3 python3 zstd strace || ! strace -o /dev/null true 2>/dev/null; then
	skip "retire --parquet, killed" "no $missing, or no strace"
	done_testing
fi
golden=$abs_top_srcdir/tests/golden
mkdir real v1 && cp "$golden"/schema/job/* real && cp "$golden"/v1/job/* v1 || exit 99
"$abs_top_builddir/tests/progs/generate" job 60 2 >/dev/null || exit 99
PERFMON_DB=$work/3.db "$PERFMON" submit real v1 job >out 2>err
sqlite3 3.db "UPDATE job SET start_us = 1600000000000000, end_us = 1600000001000000 WHERE id = 1;
	UPDATE job SET end_us = end_us + 86400000000 WHERE jobid = '4711'"
rows_of() { python3 "$abs_top_srcdir/tests/e2e/manage/dayfiles.py" "$@" 2>&1; }
move() { PERFMON_DB=$work/x.db "$@" "$PERFMON" retire -q --older-than 90d --to cold --parquet >said 2>&1; }
rows_of truth 3.db >3.rows
rows_of brief truth 3.db >3.brief

# Beginnings: no directory; archives that have the jobs, and files of other days, from when a job ended a day later.
prepare()
{
	rm -rf x.db* cold
	cp 3.db x.db
	[ "$1" = none ] || cp -r "$1" cold
}
prepare none
sqlite3 x.db "UPDATE job SET end_us = end_us - 86400000000 WHERE jobid = '4711'"
move
is "$(ls cold/parquet/*2023-11 | tr '\n' ' ')" "2023-11-14._.parquet 2023-11-14.c1.parquet " "files of an earlier state"
mv cold earlier

# check WHERE: after a call that did not end well, then after one that does
check()
{
	rows_of brief files cold >files.brief
	{
		cat files.brief
		rows_of brief truth x.db
	} | sort -u | cmp -s - 3.brief || bad="$bad $1:lost"
	[ "$(uniq -d files.brief)" = "" ] || bad="$bad $1:twice"
	! grep -q Error files.brief || bad="$bad $1:part"
	move
	rows_of files cold | cmp -s - 3.rows || bad="$bad $1:wrong"
	[ "$(rows_of parts cold)$(sqlite3 x.db 'SELECT count(*) FROM job')" = 0 ] || bad="$bad $1:left"
}
tried=0
for begin in none earlier; do
	for call in fsync renameat unlinkat fdatasync write; do
		prepare $begin
		move strace -f -o calls -e trace=$call
		n=$(grep -c "$call(" calls)
		step=$((n / ${PM_KILLS:-3} + 1))
		at=1
		bad=
		while [ "$at" -le "$n" ]; do
			prepare $begin
			move strace -f -o /dev/null -e inject=$call:signal=KILL:when=$at
			check "kill-$at"
			tried=$((tried + 1))
			case $call in
			fsync | renameat | write)
				prepare $begin
				move strace -f -o /dev/null -e inject=$call:error=ENOSPC:when=$at
				check "fault-$at"
				;;
			esac
			at=$((at + step))
		done
		is "$n$bad" "$n" "killed, or told of a fault, at $call, from $begin: no process is lost or twice, no file is a part"
	done
done
[ "$tried" -ge 20 ]
ok $? "there were enough kills: $tried"

# A file is on disk before it has its name, its name before the next, and all of a day before a job of it is deleted.
prepare none
PERFMON_DB=x.db strace -f -y -o calls -e trace=write,fsync,rename,renameat,renameat2,pwrite64 "$PERFMON" retire -q --older-than 90d --to cold --parquet
is "$(python3 - calls <<'EOT'
import re, sys
dirty, unnamed, named, deleted, why = set(), set(), 0, 0, []
for line in open(sys.argv[1]):
    call = re.match(r"\d+ +(\w+)\(\d+<([^>]*)>(?:, \"([^\"]*)\")?", line)
    if not call:
        continue
    name, path, first = call.groups()
    if name == "write" and path.endswith(".partial"):
        dirty.add(path)
    elif name == "fsync":
        dirty.discard(path)
        unnamed.discard(path)
    elif name.startswith("rename"):
        named += 1
        if path + "/" + first in dirty:
            why.append("named before it was on disk")
        unnamed.add(path)
    elif name == "pwrite64" and re.search(r"/x\.db(-wal)?$", path):
        deleted += 1
        if dirty or unnamed:
            why.append("deleted before the files were on disk")
        if not named:
            why.append("deleted before there were files")
print(named, deleted > 0, *sorted(set(why)))
EOT
)" "3 True" "files are on disk before anything is deleted"
done_testing
