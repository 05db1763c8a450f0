#!/bin/sh
# Archives of very many members: files that are nobody's, files of one job, jobs whose files lie far apart. Time
# and memory stay within bounds. `make check-submit` has a hundred times as many.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need python3 sqlite3; then
	skip "many members" "no $missing"
	done_testing
fi
many=${PM_MANY:-1000}
# More jobs than are in memory at once, where there are many at all.
jobs=$((many / 20))
files=$((many < 40000 ? 40000 : many))
"$abs_top_builddir/tests/progs/generate" job 3 >/dev/null || exit 99
PERFMON_DB=$work/x.db
export PERFMON_DB

python3 - "$many" "$jobs" "$files" <<'END'
import io, sys, tarfile
many, jobs, files = map(int, sys.argv[1:])
records = open("job/n0-1000.tsv", "rb").read()
meta = open("job/job-n0.json", "rb").read()
header, first = [l for l in records.split(b"\n") if l][:2]


def write(path, members):
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as t:
        for name, data in members:
            i = tarfile.TarInfo(name)
            i.size = len(data)
            t.addfile(i, io.BytesIO(data))


def processes():
    yield "job/job-n0.json", meta
    pid, us = header.split(b"\t").index(b"pid"), header.split(b"\t").index(b"image_us")
    for k in range(files):
        f = first.split(b"\t")
        f[pid], f[us] = b"%d" % (2000 + k), b"%d" % (1700000000000000 + k)
        yield "job/n0-%d-1.tsv" % (2000 + k), header + b"\n" + b"\t".join(f) + b"\n"


def several():
    for k in range(jobs):
        yield "%d/job-n0.json" % k, meta.replace(b'"4711"', b'"%d"' % k).replace(b"17000000", b"17%06d" % k)
    for k in reversed(range(jobs)):
        yield "%d/n0-1000.tsv" % k, records.replace(b"\t17000000", b"\t17%06d" % k).replace(b"\t4711\t", b"\t%d\t" % k)


write("nobody.tar", (("job/readme%d" % k, b"x") for k in range(many)))
write("files.tar", processes())
write("jobs.tar", several())
END

# load ARCHIVE: into a new database. Sets status and kb, the peak of memory.
load()
{
	rm -f x.db*
	python3 -c '
import os, sys
p = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
s, u = os.wait4(p, 0)[1:]
print(os.waitstatus_to_exitcode(s), u.ru_maxrss)' "$PERFMON" -q submit "$1" >status 2>err
	read -r status kb <status
}

# within KB NAME
within()
{
	if [ "${PM_SANITIZED:-no}" = yes ]; then
		skip "$2" "sanitizers keep what was freed"
	else
		test "$kb" -le "$1"
		ok $? "$2"
		diag "$kb kB"
	fi
}

load nobody.tar
is "$status|$(grep -c 'no job in it' err)" "1|1" "$many members that are no file of a job"
within 40000 "in the memory of one"
load files.tar
is "$status|$(query 'SELECT processes, (SELECT count(*) FROM load) FROM job')" "0|$files|$((files + 1))" "$files files of a job"
within 65536 "in 64 MB"
load jobs.tar
is "$status|$(query "SELECT count(*), min(processes), max(processes), sum(reaped_only) FROM job")" "0|$jobs|3|3|0" \
	"$jobs jobs whose files lie apart"
within 80000 "in the memory of some"
done_testing
