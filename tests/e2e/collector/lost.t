#!/bin/sh
# What cannot be written: the program does not notice, what is written is whole, and what is lost is
# counted, to the line.
# shellcheck disable=SC2154 # set by lib.sh and collector.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

depart=$abs_top_builddir/tests/progs/depart
host=$(uname -n)

cat >workload.sh <<'END'
[ $# -eq 0 ] || ulimit -f "$1"
i=0
while [ $i -lt 20 ]; do
	(exit 3)
	i=$((i + 1))
done
exit 9
END

# lost REASON: lines that the tally of $records says were lost, for any reason without one.
lost()
{
	cat "$records"/*.tally | awk -F '\t' -v want="${1:-}" '
		$1 == "lost" && (want == "" || $2 == want) { n += $3 } END { print n + 0 }'
}

# begin LAYOUT [DIRECTORY]: a job in $records, with its tally.
begin()
{
	layout=$1
	[ $# -gt 1 ] || records=$work/records
	rm -rf "$records"
	PERFMON_OUTPUT=$records "$PERFMON" start
}

# recorded COMMAND...: as between start and stop.
recorded()
{
	PERFMON_OUTPUT=$records PERFMON_OPTIONS=$layout LD_PRELOAD=$PERFMON_LIBRARY "$@"
}

whole()
{
	find "$records" -name '*.tsv' | grep -q . || { echo 0; return; }
	table | grep -vc DAMAGED
}

for layout in $layouts; do
	# What the workload writes where nothing is in the way.
	begin "$layout"
	recorded sh workload.sh
	is "$?" 9 "$layout: a workload"
	all=$(whole)
	is "$all:$(lost)" "62:0" "$layout: leaves lines, and none is lost"

	# A file size limit that is reached on the way.
	begin "$layout"
	recorded sh workload.sh 2 2>err
	is "$?:$(cat err)" "9:" "$layout: under a file size limit it goes on"
	if [ "$layout" = COLLATED_TSV ]; then
		test "$(lost EFBIG)" -gt 30
		ok $? "$layout: lines are lost by the file size limit"
	fi
	is "$(($(whole) + $(lost)))" "$all" "$layout: what is there and what was lost is all"

	# Descriptors.
	begin "$layout"
	"$depart" exhaust=soft limits threads=2 limits exit=5 >bare
	recorded "$depart" exhaust=soft limits threads=2 limits exit=5 >out
	is "$?:$(cat out)" "5:$(cat bare)" "$layout: with all descriptors used, and none more seen"
	is "$(field exitcode record=end):$(lost)" "5:0" "$layout: all is recorded"
	is "$(field rssmax record=end | grep -c unknown)" 0 "$layout: and measured"
	begin "$layout"
	recorded "$depart" exhaust=hard fork=0 release fork=0 exit=5
	is "$?" 5 "$layout: with all descriptors used for good"
	# The line of the wait; the child never had the chance.
	is "$(lost EMFILE):$(field exitcode record=end exitcode=5)" "1:5" \
		"$layout: what was lost is counted later"

	# No directory, from the beginning or from some moment on; none of one's own; no rights.
	rm -rf "$records"
	recorded sh -c '(exit 3); exit 9' 2>err
	is "$?:$(cat err):$(find "$records" 2>/dev/null)" "9::" "$layout: without a directory none is made"
	begin "$layout"
	# shellcheck disable=SC2016
	recorded sh -c '(exit 3); rm -r "$1"; (exit 3); /bin/true; exit 9' sh "$records" 2>err
	is "$?:$(cat err):$(find "$records" 2>/dev/null)" "9::" "$layout: a directory removed on the way stays so"
	begin "$layout"
	# Whose end comes first makes the next file, for those who begin later, too.
	# shellcheck disable=SC2016
	recorded sh -c '(exit 3); rm "$1"/*.tsv; (exit 3); /bin/true; exit 9' sh "$records" 2>err
	is "$?:$(cat err):$(table | grep -c ^DAMAGED):$(field exitcode record=end exename=rm)$(field exitcode record=end exename=true)$(field exitcode record=end exitcode=9)" \
		"9::0:009" "$layout: files removed on the way are begun anew, each with its header"
	begin "$layout"
	# shellcheck disable=SC2016
	recorded sh -c 'mkdir gone; cd gone; rmdir ../gone; (exit 3); /bin/true; exit 9' 2>err
	is "$?:$(cat err):$(field exitcode record=end exename=true)" "9::0" \
		"$layout: without a working directory all is recorded"
	begin "$layout"
	recorded sh -c 'umask 777; (exit 3); /bin/true; exit 9' 2>err
	is "$?:$(cat err):$(field exitcode record=end exename=true)" "9::0" \
		"$layout: under umask 777 all is recorded"
	if [ "$(id -u)" -ne 0 ]; then
		begin "$layout"
		chmod 500 "$records"
		recorded sh -c '(exit 3); exit 9' 2>err
		is "$?:$(cat err):$(lost EACCES)" "9::5" "$layout: a directory that may not be written"
		chmod 700 "$records"
	fi

	# The tally is gone, or not one.
	begin "$layout"
	rm "$records"/*.tally
	recorded sh -c 'ulimit -f 1; (exit 3); (exit 3); (exit 3); exit 9'
	is "$?:$(find "$records" -name '*.tally')" "9:" "$layout: without a tally none is made"
	begin "$layout"
	: >"$records/$host-$(id -u).tally"
	recorded sh -c 'ulimit -f 1; (exit 3); (exit 3); (exit 3); exit 9'
	is "$?:$(wc -c <"$records/$host-$(id -u).tally")" "9:0" "$layout: an empty one stays empty"
done

# A record file that may not be written: somebody else made it.
if [ "$(id -u)" -ne 0 ]; then
	begin COLLATED_TSV
	: >"$records/$host-$(id -u).tsv"
	chmod 400 "$records/$host-$(id -u).tsv"
	recorded sh -c '(exit 3); exit 9'
	is "$?:$(lost EACCES)" "9:5" "a record file that may not be written: lost and counted"
else
	begin COLLATED_TSV
	: >"$records/$host-$(id -u).tsv"
	rm "$records/$host-$(id -u).tsv" && mkdir "$records/$host-$(id -u).tsv"
	recorded sh -c '(exit 3); exit 9'
	is "$?:$(lost OTHER)" "9:5" "a record file that is a directory: lost and counted"
fi

# The number comes up wherever one looks.
begin COLLATED_TSV
recorded sh workload.sh 2
n=$(lost)
PERFMON_OUTPUT=$records "$PERFMON" stop 2>err
grep -q "$n lines of records could not be written to $records (EFBIG $n)" err
ok $? "stop says how many lines were lost, and why"
is "$("$PERFMON" dump "$records" 2>/dev/null | grep -E '^stop_lost' | tr '\n' ' ')" \
	"stop_lost $n stop_lost_reasons.EFBIG $n " "the metadata says it"
if need sqlite3; then
	PERFMON_DB=$work/db "$PERFMON" submit "$records" >out 2>&1
	is "$(sqlite3 "$work/db" "SELECT j.lost, l.reason, l.lines, l.bytes > 100 * l.lines, h.stop_lost
		FROM job j JOIN lost l ON l.job_id = j.id JOIN host h ON h.job_id = j.id")" \
		"$n|EFBIG|$n|1|$n" "the database says it"
else
	skip "the database says it" "no $missing"
fi
"$PERFMON" report "$records" 2>err | tr -s ' \n' ' ' | grep -q "$n lines could not be written (EFBIG $n)"
ok $? "the report says it"
dd if=/dev/zero of="$records/$host-$(id -u).tally" bs=1 seek=400 count=50 conv=notrunc 2>/dev/null
PERFMON_DB=$work/damaged.db "$PERFMON" submit "$records" >out 2>err
is "$?" 1 "a damaged tally: exit status 1"
grep -q 'tally: damaged' err
ok $? "a damaged tally is said to be one"

# File systems of their own.
mkdir small
if [ "$(id -u)" -ne 0 ] || ! mount -t tmpfs -o size=256k,mode=755 none small 2>/dev/null; then
	skip "full and read-only file systems" "not root, or may not mount"
	done_testing
fi
umount small
trap 'status=$?; cd /; umount -l "$work/small" 2>/dev/null; rm -rf "$work"; exit $status' EXIT

for layout in $layouts; do
	mount -t tmpfs -o size=256k,mode=755 none small
	records=$work/small/job
	begin "$layout" small
	head -c 300000 /dev/zero >small/fill 2>/dev/null
	recorded sh workload.sh 2>err
	is "$?:$(cat err)" "9:" "$layout: on a full disk it goes on"
	is "$(($(whole) + $(lost ENOSPC)))" "$all" "$layout: on a full disk all lines are there or counted"
	test "$(lost)" -gt 0
	ok $? "$layout: on a full disk lines are lost"
	rm small/fill
	recorded "$depart" exit=7
	is "$(field exitcode record=end exename=depart)" 7 "$layout: with space again it is recorded again"

	mount -o remount,ro small
	recorded sh -c '(exit 3); exit 9' 2>err
	is "$?:$(cat err)" "9:" "$layout: on a read-only file system it goes on"
	mount -o remount,rw small
	# shellcheck disable=SC2016
	recorded sh -c 'mount -o remount,ro "$1"; (exit 3); mount -o remount,rw "$1"; (exit 3); exit 9' \
		sh "$work/small" 2>err
	is "$?:$(cat err)" "9:" "$layout: a file system that is read-only for a while"
	test "$(lost EROFS)" -gt 0
	ok $? "$layout: what was lost meanwhile is counted later"
	umount small
done

# Cut at every place: the last page of the record file has less and less room, and there is no other.
mount -t tmpfs -o size=256k,mode=755 none small
records=$work/small/job
begin COLLATED_TSV small
file=$records/$host-$(id -u).tsv
recorded /bin/true
is "$(whole)" 2 "a program without obstacles leaves two lines"
header=$(head -1 "$file" | wc -c)
length=$(($(wc -c <"$file") - header))
first=$(($(sed -n '1,3p' "$file" | wc -c) - header))
head -1 "$file" >header
head -c 12288 /dev/zero | tr '\0' '\n' >>header
head -c 8192 header >"$file"
head -c 300000 /dev/zero >small/fill 2>/dev/null
wrong=
lines=0
for room in $(seq 0 17 "$length") $(seq $((first - 3)) $((first + 3))) \
	$(seq $((length - 3)) $((length + 3))); do
	before=$(lost)
	head -c $((8192 - room)) header >"$file"
	recorded /bin/true || wrong="$wrong status"
	whole=$(whole)
	damaged=$(table | grep -c DAMAGED)
	[ $((whole + $(lost) - before)) -eq 2 ] && [ "$damaged" -le 1 ] ||
		wrong="$wrong $room:$whole+$(($(lost) - before))"
	lines=$((lines + whole))
done
is "$wrong" "" "a write cut anywhere loses its line alone, and that is counted"
test "$lines" -gt 10
ok $? "and the others are there"
umount small

# A quota.
if mount -t tmpfs -o size=4m,mode=1777,usrquota,usrquota_block_hardlimit=64k none small 2>/dev/null; then
	chmod 755 "$work"
	mkdir bin && cp "$PERFMON_LIBRARY" bin/
	records=$work/small/job
	cat >quota.sh <<'END'
PERFMON_OUTPUT=$1 "$2" start
head -c 100000 /dev/zero >"$1/fill" 2>/dev/null
PERFMON_OUTPUT=$1 LD_PRELOAD=$3 sh workload.sh
END
	if setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$PERFMON"; then
		setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent \
			sh quota.sh "$records" "$PERFMON" "$work/bin/libperfmon.so" 2>err
		is "$?:$(cat err)" "9:" "over quota it goes on"
		is "$(($(whole) + $(lost EDQUOT)))" "$all" "over quota all lines are there or counted"
	else
		skip "a quota" "another user cannot reach the build directory"
	fi
	umount small
else
	skip "a quota" "tmpfs has no quotas here"
fi
done_testing
