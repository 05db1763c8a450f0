#!/bin/sh
# What archives are compressed with, standard input, patterns, archives behind each other and with damage in
# between, and what --remove removes.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

has() { grep -q "^#define HAVE_$1 " "$abs_top_builddir/config.h"; }

if ! has ZLIB || ! need python3 tar gzip sqlite3; then
	skip "streams" "built without zlib, or no $missing"
	done_testing
fi
PERFMON_DB=$work/x.db
export PERFMON_DB
"$abs_top_builddir/tests/progs/generate" job 300 2 >/dev/null || exit 99
tar -cf job.tar job

# load ARG...: into a new database.
load()
{
	rm -f x.db*
	"$PERFMON" submit "$@" >out 2>err
	status=$?
}

rows()
{
	query "SELECT count(*), sum(cpu_time), count(DISTINCT host_id) FROM process"
}

load job
want=$(rows)

# --- compression ------------------------------------------------------------------------------
half=$(($(wc -c <job.tar) / 2))
head -c $half job.tar >first && tail -c +$((half + 1)) job.tar >second
for coder in gzip:gz:ZLIB zstd:zst:ZSTD xz:xz:LZMA bzip2:bz2:BZIP2; do
	name=${coder%%:*} library=${coder##*:}
	end=${coder#*:} end=${end%:*}
	if ! need "$name"; then
		skip "$name" "no $name"
		continue
	fi
	"$name" -q -c <job.tar >"job.tar.$end"
	if ! has "$library"; then
		load "job.tar.$end"
		is "$status|$(grep -c "compressed by $name, which this perfmon was built without" err)" "1|1" "$name: built without"
		continue
	fi
	load "job.tar.$end"
	is "$status|$(cat err)|$(rows)" "0||$want" "$name"
	load - <"job.tar.$end"
	is "$status|$(cat err)|$(rows)" "0||$want" "$name: on standard input"
	{ "$name" -q -c <first && "$name" -q -c <second; } >"two.tar.$end"
	load "two.tar.$end"
	is "$status|$(cat err)|$(rows)" "0||$want" "$name: two streams behind each other"
	{ cat "job.tar.$end" && head -c 1024 /dev/zero; } >"zeros.tar.$end"
	load "zeros.tar.$end"
	is "$status|$(cat err)|$(rows)" "0||$want" "$name: zeros that fill a block"
	{ cat "job.tar.$end" && echo garbage; } >"garbage.tar.$end"
	load "garbage.tar.$end"
	is "$status|$(grep -c "something other than $name" err)|$(rows)" "1|1|$want" "$name: garbage behind it is told, the rest loads"
	head -c $(($(wc -c <"job.tar.$end") * 9 / 10)) "job.tar.$end" >"cut.tar.$end"
	load "cut.tar.$end"
	is "$status|$(grep -c 'ends too early' err)" "1|1" "$name: cut"
	python3 - "job.tar.$end" "hurt.tar.$end" <<-'END'
		import sys
		b = bytearray(open(sys.argv[1], "rb").read())
		b[len(b) * 3 // 4] ^= 0x10
		open(sys.argv[2], "wb").write(b)
	END
	load "hurt.tar.$end"
	is "$status|$(grep -c "hurt.tar.$end: " err)" "1|1" "$name: a flipped bit"
done
if need zstd && has ZSTD; then
	# As pzstd and others write: frames that hold something else.
	{ printf '\120\052\115\030\004\0\0\0skip' && cat job.tar.zst && printf '\137\052\115\030\0\0\0\0'; } >skip.tar.zst
	load skip.tar.zst
	is "$status|$(cat err)|$(rows)" "0||$want" "zstd: frames that are skipped"
	zstd -q --long=28 -c <job.tar >long.tar.zst
	load long.tar.zst
	[ "$status" -eq 0 ] || grep -q 'long.tar.zst: .*memory' err
	ok $? "zstd: a window that is too large is loaded or told"
fi
mkdir odd && cp job/n0-1000.tsv odd/BZh91-1000.tsv && cp job/job-n0.json odd && tar -cf odd.tar -C odd BZh91-1000.tsv job-n0.json
load odd.tar
is "$status|$(cat err)" "0|" "a name that begins as compressed data do"

# --- standard input ---------------------------------------------------------------------------
rm -f x.db* && "$PERFMON" submit - <job.tar >out 2>err
is "$?|$(cat err)|$(rows)|$(query 'SELECT DISTINCT source FROM load')" "0||$want|standard input" "standard input, a file"
rm -f x.db* && cat job.tar | "$PERFMON" submit - >out 2>err
is "$?|$(cat err)|$(rows)" "0||$want" "standard input, a pipe"
mkdir n0 n1 && cp job/*n0* n0 && cp job/*n1* n1
tar -cf - n1 | "$PERFMON" submit n0 - >out 2>err
is "$?|$(cat out)" "0|job 4711: already loaded, nothing new
job 4711: already loaded, nothing new" "with other sources"
rm -f x.db* && tar -cf - n1 | "$PERFMON" submit n0 - >out 2>err
is "$?|$(rows)" "0|$want" "of the same job"
rm -f x.db* && "$PERFMON" submit - </dev/null >out 2>err
is "$?|$(grep -c '^perfmon: .*standard input: ' err)" "1|1" "nothing on standard input"
rm -f x.db* && echo garbage | "$PERFMON" submit -n - >out 2>err
is "$?|$(grep -c '^perfmon: .*standard input: ' err)" "1|1" "garbage on standard input"

# --- patterns ---------------------------------------------------------------------------------
mkdir many && for n in 1 2 3; do
	cp -R n0 "many/$n" && sed -i "s/\"4711\"/\"$n\"/" many/$n/job-n0.json && tar -czf "many/a[$n].tgz" -C many $n && rm -r many/$n
done
load 'many/*.tgz'
is "$status|$(query 'SELECT group_concat(jobid) FROM (SELECT jobid FROM job ORDER BY 1)')" "0|1,2,3" "a pattern that the shell left"
load 'many/a[2].tgz'
is "$status|$(query 'SELECT jobid FROM job')" "0|2" "what is a name is none"
load 'many/*.tar'
is "$status|$(grep -c 'many/\*.tar: no such file' err)" "1|1" "a pattern without a match"

# --- archives behind each other, and damage in between -----------------------------------------
tar -cf one.tar n0 && tar -cf other.tar n1 && cat one.tar other.tar >both.tar
load both.tar
is "$status|$(cat err)|$(rows)" "0||$want" "two archives in one file, behind each other"
gzip -c one.tar >both.tgz && gzip -c other.tar >>both.tgz
load both.tgz
is "$status|$(cat err)|$(rows)" "0||$want" "each compressed by itself"
{ cat one.tar && echo garbage | dd bs=512 conv=sync 2>/dev/null && cat other.tar; } >between.tar
load between.tar
is "$status|$(grep -c 'data after its end' err)|$(rows)" "1|1|$want" "garbage between them is told, and passed over"
python3 - <<'END'
import io, tarfile
def member(t, name, data, kind=tarfile.REGTYPE):
    i = tarfile.TarInfo(name)
    i.type, i.size = kind, len(data)
    t.addfile(i, io.BytesIO(data))
read = lambda n: open("job/" + n, "rb").read()
files = ["n0-1000.tsv", "job-n0.json", "n1-1000.tsv", "job-n1.json"]
b = io.BytesIO()
with tarfile.open(fileobj=b, mode="w", format=tarfile.USTAR_FORMAT) as t:
    offset = {}
    for f in files:
        offset[f] = t.offset
        member(t, "job/" + f, read(f))
hurt = bytearray(b.getvalue())
hurt[offset["job-n0.json"] + 5] ^= 1
open("header.tar", "wb").write(hurt)
# Headers of extensions: one that is damaged, one that says it has a gigabyte and has a megabyte more than it may.
with tarfile.open("pax.tar", "w", format=tarfile.USTAR_FORMAT) as t:
    member(t, "job/n0-1000.tsv", read("n0-1000.tsv"))
    member(t, "pax", b"99 path=x\n", tarfile.XHDTYPE)
    member(t, "job/n9-1000.tsv", b"evil\n")
    member(t, "pax", b"x" * (2 << 20), tarfile.XHDTYPE)
    member(t, "job/n8-1000.tsv", b"evil\n")
    for f in files[1:]:
        member(t, "job/" + f, read(f))
END
load header.tar
is "$status|$(grep -c 'a damaged header' err)|$(query 'SELECT count(*) FROM load')" "1|1|3" \
	"a damaged header costs its member"
load pax.tar
is "$status|$(grep -c 'skipped: its extended header' err)|$(rows)" "1|2|$want" "so does a damaged or too long extended one"
cp -R job d && tar -cf d.tar d && load -r d.tar between.tar header.tar
is "$status|$(ls d.tar between.tar header.tar 2>&1 | tr '\n' ' ')" "1|between.tar d.tar header.tar " \
	"nothing is removed of a job of which something was damaged"

# --- --remove ---------------------------------------------------------------------------------
load -v -r d.tar
is "$status|$(rows)|$(ls d.tar 2>/dev/null)|$(grep -c 'removed d.tar' err)" "0|$want||1" "--remove: an archive"
"$PERFMON" submit --remove d >out 2>err
is "$?|$(cat out)|$(ls d 2>/dev/null)" "0|job 4711: already loaded, nothing new|" "a directory that was loaded before"
cp -R job d && "$PERFMON" submit -n -r d >out 2>err
is "$?|$(grep -c '^would remove d$' out)|$(diff -r job d)" "0|1|" "-n: neither"
ln -s d link && "$PERFMON" submit -r link >out 2>err
is "$?|$(grep -c 'not removed: link: a symbolic link' err)|$(diff -r job d)" "1|1|" "not through a link"
mkdir open && cp d/* open && sed -i 's/,"stop":{[^}]*}//; s/"4711"/"5"/' open/job-n0.json open/job-n1.json
load -r open
is "$status|$(grep -c 'not removed: open: a job in it has not ended' err)|$(ls open | wc -l)" "1|1|4" "not an open job"
touch d/notes && load -r d
is "$status|$(grep -c 'it contains other files' err)|$(ls d)" "1|1|notes" "nor what is not the job's"
rm -r d && cp -R job d && tar -cf d.tgz d && load -r d.tgz missing.tgz
is "$status|$(ls d.tgz 2>/dev/null)" "1|" "what cannot be read keeps nothing else"
if [ "$(id -u)" -ne 0 ]; then
	chmod 555 d && load -r d
	is "$status|$(grep -c 'not removed: ' err)|$(rows)" "1|1|$want" "a directory that may not be written: loaded, and told"
	chmod 755 d
else
	skip "a directory that may not be written" "root may"
fi
tar -cf - d | "$PERFMON" submit --remove - >out 2>err
is "$?|$(grep -c 'not removed: -' err)" "1|1" "standard input cannot be removed"
PERFMON_DB=$work/full/x.db "$PERFMON" submit d >/dev/null 2>&1
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=400k tmpfs small 2>/dev/null; then
	tar -czf big.tgz d && PERFMON_DB=$work/small/x.db "$PERFMON" submit -r d big.tgz >out 2>err
	is "$?|$(ls big.tgz)|$(diff -r job d)" "1|big.tgz|" "a full disk: nothing is removed"
	umount small
else
	skip "a full disk" "cannot mount a small one"
fi

# Good ones among such that are not there, are none, are cut, have lines that cannot be used, or are named twice.
for n in 1 2 3 4; do
	"$abs_top_builddir/tests/progs/generate" s$n 20 >/dev/null && sed -i "s/\"4711\"/\"400$n\"/" s$n/*.json && sed -i "s/	4711	/	400$n	/" s$n/*.tsv &&
		tar -czf s$n.tgz s$n || exit 99
done
echo 'no record' >>s4/n0-1000.tsv && tar -czf s4.tgz s4 && head -c 1500 s3.tgz >s3cut.tgz && mv s3cut.tgz s3.tgz && echo junk >junk.tgz || exit 99
ln -s s2.tgz alias.tgz
# load_into ARG...: as load, into what there is.
load_into()
{
	"$PERFMON" submit "$@" >out 2>err
	status=$?
}
load -r 's9*.tgz' s1.tgz none.tgz s3.tgz "$work/s1.tgz" junk.tgz 's[24].tgz' 'no/*.tgz' ./s1.tgz
is "$status|$(query "SELECT group_concat(jobid || ' ' || processes, ',') FROM (SELECT * FROM job WHERE jobid <> '4003' ORDER BY jobid)")" \
	"1|4001 20,4002 20,4004 20" "what is missing or damaged costs no good one"
is "$(ls s?.tgz junk.tgz 2>/dev/null | tr '\n' ' ')" "junk.tgz s3.tgz s4.tgz " "and is not removed, nor what had a rejected line"
is "$(grep -c -e '^perfmon: s9\*.tgz: no such file, and no file matches the pattern$' -e '^perfmon: no/\*.tgz: ' -e '^perfmon: none.tgz: No such' err)|$(grep -c 's1.tgz' err)" \
	"3|0" "each is told, what is named twice is not"
load_into -r s4.tgz
is "$status|$(ls s4.tgz)" "1|s4.tgz" "loaded again, it stays for the old reject"
tar -czf s1.tgz s1 && tar -czf s2.tgz s2
for option in --replace '--drop -f'; do
	before=$(query 'SELECT count(*), sum(processes) FROM job')
	# shellcheck disable=SC2086 # words
	load_into $option s1.tgz 's9*.tgz'
	is "$status|$(query 'SELECT count(*), sum(processes) FROM job')" "1|$before" "$option: nothing is lost for what is not there"
done
load_into --drop -f s1.tgz none.tgz
is "$status|$(cat err)|$(query 'SELECT count(*), sum(processes) FROM job')" "1|perfmon: none.tgz: No such file or directory|$before" "nor for a name that is none"
tar -cf - s1 | "$PERFMON" submit - - >out 2>err
is "$?|$(cat err)|$(cat out)" "0||job 4001: already loaded, nothing new" "standard input is read once"
load -r alias.tgz s2.tgz
is "$(ls s2.tgz alias.tgz)" "alias.tgz
s2.tgz" "an archive that was named by a link first is not removed"
done_testing
