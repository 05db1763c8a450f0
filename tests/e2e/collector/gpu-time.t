#!/bin/sh
# GPU time and memory of DRM clients: which are counted, where, and what the question costs a process that has
# none. A file stands for the device, and files for what drivers tell, in a mount namespace of the test's own.
if [ -z "${PM_NAMESPACE-}" ]; then
	for how in -m -mr; do
		if unshare $how true 2>/dev/null; then
			PM_NAMESPACE=$how
			export PM_NAMESPACE
			exec unshare $how "$0" "$@"
		fi
	done
fi
# Another /dev covers that of the system.
export PM_ON_DISK=yes
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

progs=$abs_top_builddir/tests/progs
mkdir "$work/dev" "$work/dev/dri" "$work/fdinfo" "$work/lib" || exit 99
# Of the device's library only the name counts.
cp "$progs/nvml_fake.so" "$work/lib/libdrm.so.2"
cp "$progs/nvml_fake.so" "$work/lib/libdrmaa.so.1"
drm=$work/lib/libdrm.so.2

device_begins()
{
	for node in null zero random urandom tty; do
		: >"$work/dev/$node" && mount --bind /dev/$node "$work/dev/$node" || return 1
	done
	: >"$work/dev/dri/renderD128"
	: >"$work/dev/kfd"
	mount --rbind "$work/dev" /dev
}
if [ -z "${PM_NAMESPACE-}" ] || ! device_begins 2>err || ! "$progs/fdinfo" "$work/fdinfo" true 2>>err; then
	skip "GPU time" "mount namespaces or traces are not allowed: $(head -n 1 err 2>/dev/null)"
	done_testing
fi

# shellcheck disable=SC2317 # by the trap
device_ends()
{
	umount -l /dev
	umount "$work"/dev/null "$work"/dev/zero "$work"/dev/*random "$work"/dev/tty
} 2>/dev/null
trap 'status=$?; cd /; device_ends; rm -rf "$work"; exit $status' EXIT

# told FD FLAGS DRIVER DEVICE CLIENT LINE...: what the driver tells of a descriptor
told()
{
	file=$work/fdinfo/$1
	{
		printf 'pos:\t0\nflags:\t%s\nmnt_id:\t26\nino:\t1239\ndrm-driver:\t%s\ndrm-pdev:\t%s\ndrm-client-id:\t%s\n' \
			"$2" "$3" "$4" "$5"
		shift 5
		printf '%s\n' "$@"
	} >"$file.new" && mv "$file.new" "$file"
}
tab=$(printf '\t')
amd()
{
	told "$1" 02100002 amdgpu 0000:04:00.0 4 "drm-engine-gfx:${tab}5000000 ns" "drm-engine-compute:${tab}7000000 ns" \
		"drm-engine-capacity-compute:${tab}2" "drm-total-vram:${tab}8 MiB" "drm-memory-vram:${tab}3 MiB" \
		"drm-resident-vram:${tab}3 MiB" "drm-resident-gtt:${tab}1024 KiB" "drm-shared-vram:${tab}7 MiB"
}
amd 20
told 21 02100002 xe 0000:03:00.0 5 "drm-cycles-rcs:${tab}28257900" "drm-total-cycles-rcs:${tab}7655183225" \
	"drm-total-vram0:${tab}2 MiB"
amd 22
told 23 02100002 amdgpu 0000:04:00.0 9 "drm-engine-gfx:${tab}100 ns"
told 24 02100002 amdgpu 0000:04:00.0 10 "drm-engine-gfx:${tab}x ns"
told 25 02100002 amdgpu 0000:05:00.0 4 "drm-engine-gfx:${tab}30 ns" "drm-memory-vram:${tab}1 MiB"
told 26 0100002 amdgpu 0000:04:00.0 11 "drm-engine-gfx:${tab}40 ns"
told 27 02100002 vkms 0000:06:00.0 12
printf 'pos:\t0\nflags:\t02100002\n' >"$work/fdinfo/28"
told 29 02100002 amdgpu 0000:04:00.0 13 "drm-engine-gfx:${tab}9223372036854775807 ns"

# client ACTION...: record the stand-in; with $linked it has the library from the start
client()
{
	rm -rf "$records"
	mkdir -m 700 "$records"
	"$progs/fdinfo" "$work/fdinfo" env PERFMON_OUTPUT="$records" ${host:+"PERFMON_HOST=$host"} \
		LD_PRELOAD="$PERFMON_LIBRARY${linked:+ $linked}" "$progs/drmclient" "$@"
}
linked='' host=''
# The ends' values, sorted: time, cycles, memory.
values()
{
	table | grep "${1:-record=end}" | awk -F '\t' '{
		v["gpu_time"] = v["gpu_cycles"] = v["gpu_memory"] = "-"
		for (i = 1; i <= NF; i++) { split($i, a, "="); if (a[1] in v) v[a[1]] = a[2] }
		print v["gpu_time"], v["gpu_cycles"], v["gpu_memory"] }' | sort | tr '\n' ';'
}
# counts NAME WANT ACTION...
counts()
{
	name=$1 want=$2
	shift 2
	client "$@"
	is "$?|$(values)" "0|$want" "$name"
}

counts "one client: all engines and regions, the old name of memory once" "12000000 - 4096;" load="$drm" open=20
counts "another driver: cycles, and memory by its total" "- 28257900 2048;" load="$drm" open=21
counts "two clients of two devices add up" "12000000 28257900 6144;" load="$drm" open=20 open=21
counts "a copy of the descriptor counts once" "12000000 - 4096;" load="$drm" open=20 dup=20,22
counts "the same number on another device is another client" "12000030 - 5120;" load="$drm" open=20 open=25
counts "a library from the start" "12000000 - 4096;" load="$drm" open=20
counts "no library: no client is looked for" "- - -;" open=20
counts "libdrmaa is no driver's" "- - -;" load="$work/lib/libdrmaa.so.1" open=20
counts "a client that is closed has no values any more" "- - -;" load="$drm" open=20 close=20
counts "a driver that tells no engine: unknown, not 0" "- - -;" load="$drm" open=27
counts "with queues past the driver time is unknown, memory is not" "- - 4096;" load="$drm" open=20 queues=30
counts "nor one that tells of no client" "- - -;" load="$drm" open=28
counts "nor is half of it known beside a value that is none" "- - -;" load="$drm" open=20 open=24
counts "nor a sum beyond 63 bits" "- - -;" load="$drm" open=20 open=29
counts "among 300 descriptors" "12000000 - 4096;" load="$drm" fill=300 open=20
counts "_exit" "12000000 - 4096;" load="$drm" open=20 _exit
counts "at exit from a thread" "12000000 - 4096;" load="$drm" open=20 thread
counts "with no descriptor left" "12000000 - 4096;" load="$drm" open=20 limit=100 full
client load="$drm" open=20 seccomp
is "$?|$(values record=last)" "7|12000000 - 4096;" "before it confines itself by seccomp, which it outlives"
client load="$drm" fill=5000 open=20
is "$(values)" "- - -;" "more descriptors than are looked at: unknown"
client load="$drm" open=20 kill
is "$(values)" "" "killed: no end, no values"
client load="$drm" open=20 chroot kill
is "$(values record=last)" "12000000 - 4096;" "killed after its last words: those"

# The opener has the client's time, once, whoever shares it.
counts "a fork child that shares its parent's client" "- - -;12000000 - 4096;" load="$drm" open=20 fork join
counts "and opens one of its own" "100 - -;12000000 - 4096;" load="$drm" open=20 fork open=23 join
counts "a grandchild" "- - -;- - -;12000000 - 4096;" load="$drm" open=20 fork fork join
counts "a child that loads the library itself" "- - -;12000000 - 4096;" fork load="$drm" open=20 join
counts "parent and child with one each" "100 - -;12000000 - 4096;" load="$drm" fork open=23 join open=20
counts "exec ends a client that is close-on-exec; the next image has another" "100 - -;12000000 - 4096;" \
	load="$drm" open=20 exec load="$drm" open=23
counts "vfork and exec" "- - -;100 - -;" load="$drm" vfork exec load="$drm" join open=23
linked=$drm
counts "a library from the start: not close-on-exec" "40 - -;" plain=26
counts "which stays over exec, and counts before it" "- - -;40 - -;" plain=26 exec
counts "also over fork and exec" "- - -;- - -;40 - -;" plain=26 fork exec
linked=''
counts "of unknown origin where the library came later" "- - -;" load="$drm" plain=26
# Twins: what the checks above would see.
cp "$work/fdinfo/22" "$work/kept"
told 22 02100002 amdgpu 0000:04:00.0 77 "drm-engine-gfx:${tab}1 ns"
client load="$drm" open=20 dup=20,22
is "$(values)" "12000001 - 4096;" "noticed: a copy that says it is another client"
cp "$work/kept" "$work/fdinfo/22"

# What a machine has is found once, by perfmon, and handed on.
flags()
{
	"$PERFMON" -q -a run env 2>/dev/null | sed -n 's/^PERFMON_HOST=[^:]*:[^:]*:\([0-9]\).*/\1/p'
}
with=$(flags)
host=$("$PERFMON" -q -a run env | sed -n 's/^PERFMON_HOST=//p')
mv "$work/dev/dri/renderD128" "$work/dev/dri/card0"
without=$(flags)
none=$("$PERFMON" -q -a run env | sed -n 's/^PERFMON_HOST=//p')
mv "$work/dev/dri/card0" "$work/dev/dri/renderD128"
is "$((with - without))" 2 "a render node is handed on; a card without one is none"
counts "where there is one" "12000000 - 4096;" load="$drm" open=20
kept=$host host=$none
counts "where there is none, nothing is looked for" "- - -;" load="$drm" open=20
host=$kept

# cost WHERE ACTION...: system calls, and instructions, of the stand-in, recorded
cost()
{
	machine=$1
	shift
	rm -rf "$records"
	mkdir -m 700 "$records"
	export PERFMON_OUTPUT="$records" PERFMON_HOST="$machine" PERFMON_JOBID=1
	LD_PRELOAD=$PERFMON_LIBRARY /bin/true
	calls=$(system_calls -E LD_PRELOAD="$PERFMON_LIBRARY" "$progs/drmclient" "$@")
	instructions=$(LD_PRELOAD=$PERFMON_LIBRARY valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$progs/drmclient" "$@" 2>&1 | sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p')
	unset PERFMON_OUTPUT PERFMON_HOST PERFMON_JOBID
	diag "$(case $machine in "$none") echo without ;; *) echo with ;; esac) a render node, $*: $calls system calls, \
$instructions instructions"
}
if need strace valgrind && strace -o /dev/null true 2>/dev/null; then
	cost "$none" fill=3
	few=$calls few_instructions=$instructions
	cost "$host" fill=3
	is "$((calls - few))" 0 "a render node and no client: no system call more with 3 descriptors"
	test "$((instructions - few_instructions))" -le 5000
	ok $? "and at most 5 000 instructions (+$((instructions - few_instructions)))"
	more=$((instructions - few_instructions))
	cost "$none" fill=300
	many=$calls many_instructions=$instructions
	cost "$host" fill=300
	is "$((calls - many))" 0 "nor with 300"
	more=$((instructions - many_instructions - more))
	# One instruction for each descriptor more would be 297, an access to each some thousand.
	test "${more#-}" -le 1500
	ok $? "nor more instructions than with 3 ($more)"
	cost "$none" load="$drm" fill=3
	few=$calls
	cost "$host" load="$drm" fill=3
	test "$((calls - few))" -gt 3
	ok $? "noticed: a process with the library looks (+$((calls - few)) system calls)"
else
	skip "what it costs" "no $missing"
fi

# From the process to the job, for people and programs.
if need sqlite3; then
	rm -rf "$work"/prefix/*
	"$progs/fdinfo" "$work/fdinfo" "$PERFMON" -q -a run -j 77 "$progs/drmclient" load="$drm" open=20 fork open=23 join >/dev/null
	"$PERFMON" -q submit "$work"/prefix/*/* >out 2>&1
	is "$?" 0 "the job loads"
	db=$(find "$HOME" -name '*.db')
	is "$(sqlite3 "$db" 'SELECT gpu_time, gpu_cycles, gpu_memory FROM job')" "12000100||4096" "its sums and its peak"
	is "$(sqlite3 "$db" 'SELECT sum(gpu_time), max(gpu_memory), count(gpu_time) FROM process')" "12000100|4096|2" \
		"are those of its processes"
	"$PERFMON" report 77 >out
	grep -q '^ *GPU time  *12.0 ms of engines; at the end of a process at most 4.19 MB' out
	ok $? "the report has a line"
	grep GPU out | while read -r line; do diag "$line"; done
	"$PERFMON" report --json 77 | tr -d ' \n' | grep -q '"gpu_time_us":12000,"gpu_time_sampled_us":null,"gpu_cycles":null,"gpu_memory_peak_process_bytes":4194304'
	ok $? "and JSON"
	"$PERFMON" list processes 77 | grep -q 'GPU time'
	ok $? "list processes has a column"
	"$PERFMON" show 77 | grep -q 'GPU'
	ok $? "and show"
	"$PERFMON" -q -a run -j 78 true
	"$PERFMON" -q submit "$work"/prefix/*/*78* >out 2>&1
	is "$("$PERFMON" report 78 | grep -c GPU)$("$PERFMON" list processes 78 | grep -c GPU)$("$PERFMON" show 78 |
		grep -c GPU)" 000 "nothing of it in a job without"
else
	skip "the job's sums" "no $missing"
fi
done_testing
