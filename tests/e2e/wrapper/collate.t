#!/bin/sh
# A file per process, collated by stop; killed at any point, nothing is lost and nothing counted
# twice.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

PERFMON_OPTIONS=PER_PROCESS
export PERFMON_OPTIONS
host=$(uname -n)
uid=$(id -u)
dir=$PERFMON_OUTPUT_PREFIX/$(id -un)/job
collated=$dir/$host-$uid.tsv
records() { sed '' "$dir"/*.tsv | grep -v -e '^perfmon-tsv' -e '^$' | sort; }

# begin: a job with the files of some processes.
begin()
{
	rm -rf "$dir"
	"$PERFMON" start -j job
	"$PERFMON" -j job run sh -c 'for i in 1 2 3 4 5; do /bin/true; done; exec /bin/true'
}

begin
files=$(find "$dir" -name "$host-*-*.tsv" | wc -l)
is "$files" 7 "six processes and the perfmon that waited have a file each"
records >before
"$PERFMON" -j job stop >out 2>err
is "$?:$(cat out err)" "0:" "stop collates"
is "$(find "$dir" -name '*.tsv')" "$collated" "one file is left"
is "$(stat -c %a "$collated")" 600 "which is the user's alone"
records | cmp -s - before
ok $? "it holds every record once"
is "$(head -n 1 "$collated" | cut -f1) $(grep -c '^perfmon-tsv' "$collated")" "perfmon-tsv-2 1" \
	"and one header"
is "$(grep -c -v -e '^$' -e '\.$' "$collated")" 0 "every line is whole"
is "$("$PERFMON" dump -j job | sed -n 's/^stop_files //p')" 1 "the metadata counts one file"
is "$("$PERFMON" dump -j job | sed -n 's/^stop_records //p')" "$(wc -l <before)" "and every record"
is "$(find "$dir" -name '.*' -type f)" "" "no hidden file stays"

# A collated file that is there already, and what is no record file of ours.
begin
printf 'kept\n' >"$collated"
touch "$dir/$host-1-x.tsv" "$dir/other-1-1.tsv"
mkdir "$dir/$host-2-2.tsv"
ln -s /etc/passwd "$dir/$host-3-3.tsv"
"$PERFMON" -j job stop 2>err
is "$?:$(cat "$collated")" "0:kept" "a file with the collated name is not touched"
is "$(find "$dir" -name "*.tsv" | sed "s|$dir/||; s/^$host-/H-/; s/H-$uid\\([.]\\)/H-U\\1/" | sort | tr '\n' ' ')" \
	"H-1-x.tsv H-2-2.tsv H-3-3.tsv H-U.2.tsv H-U.tsv other-1-1.tsv " \
	"the records go beside it, links and directories stay"

# A process that still runs keeps its file.
begin
PERFMON_OUTPUT='' "$PERFMON" -j job run sh -c 'sleep 600 >/dev/null 2>&1 & echo $!' >pid
until ls "$dir/$host-$(cat pid)"-*.tsv >/dev/null 2>&1; do
	sleep 0.01
done
"$PERFMON" -j job stop
ls "$dir/$host-$(cat pid)"-*.tsv >/dev/null 2>&1
ok $? "the file of a running process stays"
kill "$(cat pid)"

# Files without a newline at the end, without a header, empty.
begin
cut=$(find "$dir" -name "$host-*-*.tsv" | head -n 1)
grep -v -e '^perfmon-tsv' -e '^$' "$cut" | head -n 1 >record
printf '%s' "$(cat record)" >"$dir/$host-1-1.tsv"
: >"$dir/$host-1-2.tsv"
records >before
"$PERFMON" -j job stop
records | cmp -s - before
ok $? "a file without header and final newline loses nothing"

# Killed at each system call that changes something, then stopped again.
if need strace && strace -o trace true 2>/dev/null; then
	begin
	cp -a "$dir" pristine
	records >before
	strace -o trace "$PERFMON" -j job stop
	bad=
	n=0
	for call in write renameat linkat unlinkat fsync; do
		count=$(grep -c "^$call(" trace)
		i=1
		while [ $i -le "$count" ]; do
			rm -rf "$dir"
			cp -a pristine "$dir"
			strace -o /dev/null -e "trace=$call" -e "inject=$call:signal=SIGKILL:when=$i" \
				"$PERFMON" -j job stop >/dev/null 2>&1
			records >mid
			sort -u mid | cmp -s - before || bad="$bad $call/$i: lost after the kill;"
			"$PERFMON" -q -j job stop >out 2>&1
			records | cmp -s - before || bad="$bad $call/$i: $(records | wc -l) records, not $(
				wc -l <before);"
			"$PERFMON" dump -j job | grep -q '^stop_time_us' || bad="$bad $call/$i: not stopped;"
			n=$((n + 1))
			i=$((i + 1))
		done
	done
	is "$bad" "" "killed at any change, the next stop completes it without loss or double"
	[ $n -ge 20 ]
	ok $? "which was tried at many points"
else
	skip "killed at any change, the next stop completes it" "no strace that works"
	skip "which was tried at many points" "no strace that works"
fi

# A full disk.
if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=256k none full 2>/dev/null; then
	PERFMON_OUTPUT_PREFIX=$work/full
	dir=$PERFMON_OUTPUT_PREFIX/$(id -un)/job
	begin
	records >before
	# As on a file system that can keep no room for the end.
	rm "$dir"/.room-*
	dd if=/dev/zero of=full/filler bs=1k count=256 2>/dev/null
	"$PERFMON" -q -j job stop >out 2>err
	is "$?" 1 "stop on a full disk fails"
	records | cmp -s - before
	ok $? "and loses nothing"
	rm full/filler
	"$PERFMON" -j job stop
	is "$?" 0 "with room again it succeeds"
	records | cmp -s - before
	ok $? "with every record once"
	umount full
else
	for what in "stop on a full disk fails" "and loses nothing" "with room again it succeeds" \
		"with every record once"; do
		skip "$what" "no tmpfs to mount"
	done
fi

done_testing
