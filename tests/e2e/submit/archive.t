#!/bin/sh
# Archives: every tar in use, several jobs in one, damaged and hostile ones.
# A folder's files go into archives in the order in which a disk has them, and hosts are numbered in that order.
export PM_ON_DISK=yes
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

if ! grep -q '^#define HAVE_ZLIB' "$abs_top_builddir/config.h"; then
	printf '\037\213' >job.tgz
	PERFMON_DB=$work/x.db "$PERFMON" submit job.tgz >out 2>err
	is "$?" 1 "an archive of gzip without zlib"
	grep -q 'built without' err
	ok $? "says why it cannot be read"
	done_testing
fi
if ! need python3 tar gzip; then
	skip "archives" "no $missing"
	done_testing
fi

"$abs_top_builddir/tests/progs/generate" job 200 2 >/dev/null || exit 99

# Rows of a job that must not depend on how it came.
rows()
{
	python3 -c '
import sqlite3, sys, zlib
rows = sqlite3.connect(sys.argv[1]).execute("select h.hostname, p.pid, p.image_us, p.args, p.cpu_time, "
    "p.inclusive_cpu_time, p.id, p.parent_id from process p join host h on h.job_id = p.job_id and "
    "h.id = p.host_id order by 1, 2, 3").fetchall()
print(len(rows), zlib.crc32(repr(rows).encode()))' "$1"
}

PERFMON_DB=$work/dir.db "$PERFMON" submit job >out 2>err || exit 99
want=$(rows dir.db)

count=0
loads_alike()
{
	count=$((count + 1))
	PERFMON_DB=$work/a$count.db "$PERFMON" submit "$1" >out 2>err
	is "$?|$(cat err)|$(rows "a$count.db")" "0||$want" "$2"
}

mkdir -p deep/tmp/perfmon/user
deep=deep
for i in 1 2 3 4; do
	deep=$deep/a-directory-name-that-is-long-enough-to-need-an-extension-of-the-format-$i
done
mkdir -p "$deep" && cp -R job "$deep/4711" || exit 99
for format in gnu ustar pax v7 oldgnu; do
	tar --format=$format -cf $format.tar job
	loads_alike $format.tar "GNU tar --format=$format"
done
for format in gnu pax; do
	tar --format=$format -czf long-$format.tar.gz "$deep/4711"
	loads_alike long-$format.tar.gz "GNU tar --format=$format, long names, gzip"
done
tar --format=ustar -cf prefix.tar -C "$(dirname "$deep")" "$(basename "$deep")/4711" &&
	loads_alike prefix.tar "ustar with a long prefix"
tar -czf job.tgz -C job .
loads_alike job.tgz ".tgz of the files alone, with ./"
tar -cf plain.tgz job
loads_alike plain.tgz "a .tgz that is not compressed"
gzip -c gnu.tar >zipped.tar
loads_alike zipped.tar "a .tar that is"
PERFMON_DB=$work/dir.db "$PERFMON" submit job.tgz >out 2>err
is "$?|$(cat out)" "0|job 4711: already loaded, nothing new" "what was loaded from a directory"
if need bsdtar; then
	for format in gnutar ustar pax v7; do
		bsdtar --format $format -cf bsd-$format.tar job
		loads_alike bsd-$format.tar "bsdtar --format $format"
	done
	bsdtar --format pax -czf bsd-long.tgz "$deep/4711"
	loads_alike bsd-long.tgz "bsdtar --format pax, long names, gzip"
else
	skip "bsdtar" "no bsdtar"
fi
for format in USTAR GNU PAX; do
	python3 - $format "$deep/4711" <<-'EOF'
	import sys, tarfile
	kind = getattr(tarfile, sys.argv[1] + "_FORMAT")
	with tarfile.open("python-%s.tar.gz" % sys.argv[1], "w:gz", format=kind) as t:
	    t.add("job" if sys.argv[1] == "USTAR" else sys.argv[2])
	EOF
	loads_alike python-$format.tar.gz "Python tarfile, $format"
done

# Two jobs in one archive, their files mixed.
sed 's/"4711"/"4712"/' job/job-n0.json >one.json
mkdir two && cp job/n0-1000.tsv two && mv one.json two/job-n0.json
tar -cf both.tar job/job-n0.json two job/n0-1000.tsv job/job-n1.json job/n1-1000.tsv
PERFMON_DB=$work/both.db "$PERFMON" submit both.tar >out 2>err
is "$?|$(sed 's/:.*//' out | sort | tr '\n' ' ')" "0|job 4711 job 4712 " "two jobs in one archive"

# Damage.
size=$(wc -c <gnu.tar)
size_gz=$(wc -c <job.tgz)
damaged()
{
	rm -f d.db*
	PERFMON_DB=$work/d.db "$PERFMON" submit "$1" >out 2>err
	status=$?
	is "$status" 1 "$2: exit status 1"
	grep -q "$3" err
	ok $? "$2: says so"
	grep "$3" err >/dev/null || diag "$(cat err)"
}
head -c $((size / 2)) gnu.tar >cut.tar
damaged cut.tar "an archive cut in a member" 'n0-1000.tsv\|n1-1000.tsv'
[ "$(rows d.db | cut -d' ' -f1)" -gt 0 ]
ok $? "what was whole is loaded"
head -c $((size_gz / 2)) job.tgz >cut.tgz
damaged cut.tgz "a compressed archive cut" 'ends too early'
python3 - <<'EOF'
# near the end, where the rest of the tar is zeroes that no member needs
for at in range(8, 48):
    b = bytearray(open("job.tgz", "rb").read())
    b[-at] ^= 0x55
    open("flip%d.tgz" % at, "wb").write(b)
t = open("gnu.tar", "rb").read()
# the last member's header
at = t.rindex(b"ustar  ") - 257
h = bytearray(t)
h[at + 3] ^= 1
open("header.tar", "wb").write(h)
open("noend.tar", "wb").write(t.rstrip(b"\0") + b"\0" * (-len(t.rstrip(b"\0")) % 512))
EOF
unseen=
for flip in flip*.tgz; do
	PERFMON_DB=$work/d.db "$PERFMON" -n submit "$flip" >out 2>err
	[ $? -eq 1 ] && grep -q "$flip" err || unseen="$unseen $flip"
done
is "$unseen" "" "flipped bits in compressed data are seen, wherever they are"
damaged header.tar "a damaged header" 'damaged header'
damaged noend.tar "an archive without its end" 'ends too early'
head -c 3000 /dev/urandom >noise.tar
damaged noise.tar "noise" 'not a tar archive'
: >empty.tgz
damaged empty.tgz "an empty file" 'empty.tgz'
printf 'hello' | gzip >text.tgz
damaged text.tgz "a compressed text" 'text.tgz'

# Hostile members beside good ones.
python3 - <<'EOF'
import io, tarfile
good = open("job/n0-1000.tsv", "rb").read()
meta = open("job/job-n0.json", "rb").read()


def add(t, name, data=b"", kind=tarfile.REGTYPE, link="", size=None):
    i = tarfile.TarInfo(name)
    i.type = kind
    i.linkname = link
    i.size = len(data) if size is None else size
    t.addfile(i, io.BytesIO(data))


with tarfile.open("hostile.tar", "w", format=tarfile.PAX_FORMAT) as t:
    for name in ("/etc/abs.tsv", "../up.tsv", "job/../../up.tsv", "job/.."):
        add(t, name, b"evil\n")
    add(t, "job/n9-1000.tsv", kind=tarfile.SYMTYPE, link="/etc/passwd")
    add(t, "job/n8-1000.tsv", kind=tarfile.LNKTYPE, link="job/n0-1000.tsv")
    add(t, "job/n7-1000.tsv", kind=tarfile.CHRTYPE)
    add(t, "job/n6-1000.tsv", kind=tarfile.FIFOTYPE)
    add(t, "job/README", b"nothing to see\n")
    add(t, "job/.hidden.tsv", b"nothing to see\n")
    add(t, "job/evil\x1b[31m\n.tsv/x", b"")
    add(t, "job/n0-1000.tsv", good)
    add(t, "job/job-n0.json", meta)
EOF
damaged hostile.tar "hostile members" 'skipped: a path with ..'
is "$(grep -c skipped err)" 8 "each one is told"
grep -q 'skipped: a symbolic link' err && grep -q 'skipped: an absolute path' err && grep -q 'a device' err
ok $? "with its reason"
is "$(grep -c 'evil' out)" 0 "nothing of them is loaded"
PERFMON_DB=$work/d2.db "$PERFMON" submit two >/dev/null 2>&1
is "$(rows d.db | cut -d' ' -f1)" "$(rows d2.db | cut -d' ' -f1)" "the good ones are"
[ ! -e up.tsv ] && [ ! -e ../up.tsv ]
ok $? "nothing was unpacked"

# A bomb: 2 GB of one line, in 2 MB of archive. Memory stays flat.
python3 - <<'EOF'
import gzip, io, tarfile


class Endless(io.RawIOBase):
    def __init__(self, n):
        self.left = n

    def read(self, n=-1):
        n = min(n if n > 0 else self.left, self.left, 1 << 20)
        self.left -= n
        return b"a" * n


with tarfile.open("bomb.tgz", "w:gz", compresslevel=1) as t:
    i = tarfile.TarInfo("job/n0-1000.tsv")
    i.size = 300 << 20
    t.addfile(i, Endless(i.size))
EOF
rm -f d.db*
# Sanitizers reserve more address space than any limit: there it is resident memory that is bounded.
if [ "${PM_SANITIZED:-no}" = yes ]; then
	address_space=unlimited
	ASAN_OPTIONS=$ASAN_OPTIONS:hard_rss_limit_mb=400
else
	address_space=400000
fi
(ulimit -v "$address_space" && PERFMON_DB=$work/d.db "$PERFMON" submit bomb.tgz >out 2>err)
is "$?|$(grep -c 'rejected' out)" "1|1" "a bomb in bounded memory: one rejected line"

# An archive is not read on beyond a limit, or far sooner where it is packed as no records are.
bounded()
{
	rm -f l.db*
	PERFMON_DB=$work/l.db PERFMON_MAX_UNPACKED=$1 timeout 60 "$PERFMON" submit bomb.tgz job2.tgz >out 2>err
	status=$?
	read -r _ kb <<-KB
		$(sed -n 's/.*bomb.tgz: job.n0-1000.tsv: the first \([0-9]*\) kB unpack to \([0-9]*\) kB, so .*max_unpacked, now '"$1"'$/\1 \2/p' err)
	KB
	is "$status|$(grep -c '^job job2:.* 0 rejected' out)" "1|1" "max_unpacked $1: the archive beside it is loaded"
	test "${kb:-0}" -gt "$2" && test "${kb:-0}" -lt "$3"
	ok $? "max_unpacked $1: read to $kb kB"
}
mkdir job2 && cp job/*.tsv job2 && sed 's/"4711"/"job2"/' job/job-n0.json >job2/job-n0.json && tar -czf job2.tgz job2
bounded 400K 399 600
bounded 2G 30000 60000
rm -f l.db*
PERFMON_DB=$work/l.db PERFMON_MAX_UNPACKED=0 "$PERFMON" submit bomb.tgz >out 2>err
is "$?|$(grep -c 'not read' err)" "1|0" "max_unpacked 0: no limit"

# Links and special files in a directory.
mkdir linked && cp job/job-n0.json job/n0-1000.tsv linked && ln -s /etc/passwd linked/n9-1.tsv && mkfifo linked/n8-1.tsv
PERFMON_DB=$work/linked.db "$PERFMON" submit linked >out 2>err
is $? 1 "a directory with a link and a fifo"
grep -q 'n9-1.tsv: a symbolic link' err && grep -q 'n8-1.tsv: not a regular file' err
ok $? "which are skipped, and told"
is "$(rows linked.db | cut -d' ' -f1)" "$(rows d2.db | cut -d' ' -f1)" "the rest is loaded"
done_testing
