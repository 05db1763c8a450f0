#!/bin/sh
# Each source is opened and read once, though its jobs must be known before any is loaded: parts of one job in several
# sources are loaded together.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need python3 sqlite3; then
	skip "sources that are read once" "no $missing"
	done_testing
fi
export PERFMON_DB=$work/x.db
for id in 101 102 103; do
	"$abs_top_builddir/tests/progs/generate" --jobid $id $id 2000 2 >/dev/null || exit 99
done
tar -czf a.tgz 101 && tar -czf b.tgz 102 || exit 99
canon()
{
	python3 "$abs_top_srcdir/tests/e2e/submit-canon.py" x.db
	rm -f x.db*
}

cat >count.py <<'END'
"""count.py PATH...: how often each path was opened, and how many bytes were read of it by its size."""
import glob, os, re, sys

lines = [line for name in glob.glob("trace.*") for line in open(name, errors="replace")]
for path in sys.argv[1:]:
    opened, read = 0, 0
    for line in lines:
        at = line.find("<" + os.path.realpath(path) + ">")
        call = re.match(r"(\w+)\(", line)
        done = re.search(r" = (\d+)", line)
        if not (at >= 0 and call and done):
            continue
        if call[1].startswith("open") and line.find(" = ") < at:
            opened += '"."' not in line
        elif call[1] in ("read", "pread64", "readv", "mmap"):
            read += int(done[1]) if call[1] != "mmap" else os.path.getsize(path)
    print(path, opened, "%.1f" % (read / os.path.getsize(path)) if os.path.isfile(path) else "-")
END
traced()
{
	# A file for each thread: calls of one are not cut by those of another.
	rm -f trace.*
	strace -ff -y -o trace -e trace=openat,open,read,pread64,readv,mmap "$@" >out 2>err
}
if [ "${PM_SANITIZED:-no}" = no ] && need strace && strace -o trace true 2>/dev/null; then
	traced "$PERFMON" -q submit a.tgz b.tgz 103
	is "$?|$(cat err)|$(python3 count.py a.tgz b.tgz 103 103/n0-1000.tsv)" "0||a.tgz 1 1.0
b.tgz 1 1.0
103 1 -
103/n0-1000.tsv 1 1.0" "archives and a directory: each is opened and read once"
	rm -f x.db*
	traced "$PERFMON" -q submit a.tgz
	is "$?|$(python3 count.py a.tgz)" "0|a.tgz 1 1.0" "an archive alone, too"
	traced cksum a.tgz b.tgz a.tgz
	is "$(python3 count.py a.tgz b.tgz)" "a.tgz 2 2.0
b.tgz 1 1.0" "the count sees what is read twice"

	traced "$PERFMON" -q convert --dry-run -o c.tgz a.tgz
	is "$(python3 count.py a.tgz)" "a.tgz 1 1.0" "convert opens and reads what it is given once"
else
	skip "counts of what is opened and read" "no ${missing:-tracing}"
fi
rm -f x.db*

# --- and what is loaded is the same -----------------------------------------------------------
for source in a.tgz b.tgz 103; do
	"$PERFMON" -q submit $source || exit 99
done
canon >by-one
"$PERFMON" -q submit a.tgz b.tgz 103
is "$?|$(canon | cmp - by-one 2>&1)" "0|" "several sources at once are loaded as one by one"

# Parts of one job in archives, one of which is cut inside of a file.
mkdir n0 n1 && cp 101/*n0* n0 && cp 101/*n1* n1 && tar -czf n0.tgz n0 && tar -cf n1.tar n1/*.json n1/*.tsv || exit 99
"$PERFMON" -q submit 101 && canon >whole
"$PERFMON" -q submit n0.tgz n1.tar && query 'SELECT count(*), sum(processes), sum(hosts) FROM job' >out
is "$(cat out)" "1|2000|2" "parts of one job make one job"
rm -f x.db*
head -c 800000 n1.tar >cut.tar
"$PERFMON" submit cut.tar >out.alone 2>err.alone
is "$?|$(grep -c 'cut.tar: n1/n1-1000.tsv: it ends too early' err.alone)" "1|1" "an archive that is cut is told of"
query 'SELECT processes, rejected FROM job' >alone
rm -f x.db*
"$PERFMON" submit cut.tar b.tgz >out 2>err
is "$?|$(cat err)|$(query "SELECT processes, rejected FROM job WHERE jobid = '101'")" "1|$(cat err.alone)|$(cat alone)" \
	"among others it is told of once, and loaded as far as it goes"
rm -f x.db*
"$PERFMON" -q submit --replace cut.tar b.tgz >out 2>err
is "$?|$(query 'SELECT group_concat(jobid) FROM job')" "1|102" "it replaces nothing"
rm -f x.db*

# --remove sees what was changed after it was read, and what was not.
"$PERFMON" -q submit --remove a.tgz b.tgz >out 2>err
is "$?|$(cat err)|$(find a.tgz b.tgz 2>/dev/null)" "0||" "sources are removed after that"
done_testing
