#!/bin/sh
# perfmon submit --spool reads the archives of a batch while the batch before it is written: what it says, does and loads
# is as if it had read them afterwards.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/spool.sh
. "$abs_top_srcdir/tests/e2e/spool.sh"

skip_without_archives
PERFMON_SPOOL_AGE=0
export PERFMON_SPOOL_AGE
spool=$work/spool

# fill N: archives of as many jobs, 1 to N, in an empty spool.
fill()
{
	rm -rf "$spool" && mkdir -p "$spool" store
	for n in $(seq "$1"); do
		file=$(printf '%03d.tgz' "$n")
		[ -e "store/$file" ] || archive "store/$file" "$n"
		echo "store/$file"
	done | xargs cp -t "$spool"
}

# --- archives with something to tell --------------------------------------------------------------
# One or two in each batch that is read ahead; 231 is loaded between two, as it is large.
fill 260
archive "$spool/090.tgz" 90 && ln -s n0-1000.tsv unpacked/link.tsv && tar -czf "$spool/090.tgz" -C unpacked .
printf 'not an archive' >"$spool/140.tgz"
ln "$spool/200.tgz" other-name
archive "$spool/210.tgz" 210 && printf 'no,columns,of,papiex\n' >unpacked/n0-papiex-100-0.csv && tar -czf "$spool/210.tgz" -C unpacked .
gzip -dc store/220.tgz | head -c 12000 | gzip >"$spool/220.tgz"
archive "$spool/231.tgz" 231 && head -c 1500000 /dev/urandom >unpacked/more && tar -czf "$spool/231.tgz" -C unpacked .
archive "$spool/250.tgz" 250 && printf 'no record\n' >>unpacked/n0-1000.tsv && tar -czf "$spool/250.tgz" -C unpacked .
seq 260 | grep -vxE '140|200|220' >wanted
PERFMON_DB=odd.db stdbuf -o0 "$PERFMON" submit --spool "$spool" --remove >all 2>&1
is "$?|$(tail -n 1 all)" "1|spool $spool: 257 loaded, 3 set aside, 0 left" "odd archives among those read ahead"
is "$(sed -n 's/^job \([0-9]*\): .*/\1/p' all | cmp - wanted 2>&1)" "" "each job is told once, in the order of the names"
is "$(query 'SELECT jobid FROM job ORDER BY CAST(jobid AS integer)' odd.db | cmp - wanted 2>&1)|$(names "$spool" '*.tgz')" "|" \
	"and is in the database, its archive removed"
is "$(PERFMON_DB=odd.db "$PERFMON" verify 2>&1 | tail -n 1)" "odd.db: 257 jobs checked, 0 faults" "once, with the content of its files"
is "$(names "$spool/failed" '*.tgz' | tr '\n' ' ')" "140.tgz 200.tgz 220.tgz " "those that cannot be loaded are set aside"
# What is said of an archive comes after the jobs of the batch before, and before those of its own.
where() { grep -n "$1" all | head -n 1 | cut -d: -f1; }
is "$(grep -c '090.tgz: .*link.tsv skipped' all)" 1 "a warning of an archive that is read ahead comes once"
is "$(($(where '^job 64:') < $(where 'link.tsv skipped') && $(where 'link.tsv skipped') < $(where '^job 65:')))" 1 \
	"behind the jobs of the batch before"
is "$(($(where '^job 192:') < $(where '200.tgz is set aside') && $(where '200.tgz is set aside') < $(where '^job 193:')))" 1 \
	"and so does that an archive is set aside"
is "$(query "SELECT sum(load.rejected) FROM load, job WHERE job.id = job_id AND jobid = '250'" odd.db)" 1 "a rejected line is counted"

# --- nothing is there twice or lost where a batch fails -----------------------------------------------
fill 150
archive "$work/first.tgz" 0 && PERFMON_DB=failing.db "$PERFMON" -q submit "$work/first.tgz" || exit 99
query "CREATE TRIGGER undo BEFORE INSERT ON job WHEN NEW.jobid IN ('20', '100') BEGIN SELECT RAISE(ABORT, 'not this one'); END" failing.db
PERFMON_DB=failing.db "$PERFMON" -v -v submit --spool "$spool" --remove >out 2>err
is "$(grep -c 'are loaded in parts' err)|$(sed -n 's/.*: \([0-9]*\) archives are loaded one by one.*/\1/p' err | tr '\n' ' ')" "2|8 10 " \
	"a batch that fails is loaded in parts, and one part of each one by one"
is "$(query 'SELECT count(*), count(DISTINCT jobid) FROM job' failing.db)" "149|149" "those read ahead meanwhile after them"
is "$(sed -n 's/^job \([0-9]*\): .*/\1/p' out | tr '\n' ' ')" "$(seq 150 | grep -vxE '20|100' | tr '\n' ' ')" "each told once, in order"

# --- much that is read of an archive which is given up --------------------------------------------------
if need xz && grep -q '^#define HAVE_LZMA 1' "$abs_top_builddir/config.h"; then
	rm -rf "$spool" && mkdir "$spool"
	for n in 11 12; do
		"$abs_top_builddir/tests/progs/generate" --jobid $n large$n 7200 >/dev/null || exit 99
	done
	ln -s n0-1000.tsv large12/link.tsv
	for n in 11 12; do tar -c -C large$n . | xz -0 >"$spool/$n.txz" || exit 99; done
	archive "$spool/13.tgz" 13
	PERFMON_DB=large.db timeout -k 5 120 "$PERFMON" submit --spool "$spool" >out 2>err
	is "$?|$(tail -n 1 out)|$(grep -c 'link.tsv skipped' err)" "1|spool $spool: 3 loaded, 0 set aside, 0 left|1" "the pass goes on behind it"
else
	skip "the pass goes on behind it" "no xz"
fi

# --- another thread ---------------------------------------------------------------------------------
if ! need strace || ! strace -f -o trace true 2>/dev/null; then
	skip "which thread reads, and kills" "no ${missing:-tracing}"
	done_testing
fi
# opened DB: how many archives the main thread opens, and another.
opened()
{
	PERFMON_DB=$1 strace -f -qq -o trace -e trace=openat "$PERFMON" -q submit --spool "$spool" --remove
	awk '/[.]tgz"/ { if (!first) first = $1; n[$1 == first]++ } END { print n[1] ":" n[0] }' trace
}
fill 150
is "$(opened thread.db)" "64:86" "the first batch is read by the main thread, the others by another"
fill 150
archive "$spool/110.tgz" 110 && printf 'no,columns,of,papiex\n' >unpacked/n0-papiex-100-0.csv && tar -czf "$spool/110.tgz" -C unpacked .
is "$(opened foreign.db)" "105:46" "the main thread reads files of other tools, and the rest of that batch"

if [ "${PM_SANITIZED:-no}" = yes ]; then
	skip "kills" "too slow with sanitizers"
	done_testing
fi
for at in openat:120 unlinkat:30 unlinkat:70 pwrite64:40; do
	rm -f killed.db killed.db-*
	fill 150
	PERFMON_DB=killed.db strace -f -qq -o trace -e "trace=${at%:*}" -e "inject=${at%:*}:signal=KILL:when=${at#*:}" \
		"$PERFMON" -q submit --spool "$spool" --remove 2>/dev/null
	query 'SELECT jobid FROM job' killed.db 2>/dev/null | sort >there
	for n in $(seq 150); do
		[ -e "$(printf '%s/%03d.tgz' "$spool" "$n")" ] || echo "$n"
	done | sort | comm -23 - there >lost
	PERFMON_DB=killed.db "$PERFMON" -q submit --spool "$spool" --remove
	is "$?|$(cat lost)|$(names "$spool" '*.tgz')|$(query 'SELECT count(*), count(DISTINCT jobid) FROM job' killed.db)" "0|||150|150" \
		"killed by ${at%:*} ${at#*:} of the kind: none is lost, the next pass loads the rest"
done

done_testing
