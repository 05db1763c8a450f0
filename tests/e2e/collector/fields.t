#!/bin/sh
# Every column of a record equals what the program found out about itself.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

itself=$abs_top_builddir/tests/progs/itself

# check_bounds RECORD-PATTERN NAME: the columns that itself printed into $work/expected lie within bounds.
check_bounds()
{
	bad=
	while read -r column low high; do
		case $column in
		usertime+systemtime)
			got=$(($(field usertime "$1" "pid=$pid") + $(field systemtime "$1" "pid=$pid"))) ;;
		ppid | pgid | sid) got=$(field "$column" record=start "pid=$pid") ;;
		*) got=$(field "$column" "$1" "pid=$pid") ;;
		esac
		awk -v got="$got" -v low="$low" -v high="$high" \
			'BEGIN { exit !(got ~ /^-?[0-9]+$/ && got + 0 >= low + 0 && got + 0 <= high + 0) }' ||
			bad="$bad $column=$got not in [$low,$high]"
	done <"$work/expected"
	is "$bad" "" "$2"
}

for layout in $layouts; do
	collect "$layout" "$itself" "$work/scratch" 0 0 >"$work/expected"
	is $? 5 "$layout: the program's own exit status"
	pid=$(awk '$1 == "pid" { print $2 + 0 }' "$work/expected")
	is "$(wc -l <"$work/expected" | tr -d ' ')" 38 "$layout: all was measured"
	check_bounds record=end "$layout: every column of a single-threaded process"
	is "$(field exename record=start) $(field exename record=end)" "itself itself" "$layout: exename"
	is "$(field path record=start)" "$(readlink -f "$itself")" "$layout: path"
	is "$(field hostname record=start)" "$(uname -n)" "$layout: hostname"
	is "$(field boot_id record=start)" "$(cat /proc/sys/kernel/random/boot_id)" "$layout: boot_id"
	is "pid:[$(field pid_ns record=start)]" "$(readlink /proc/self/ns/pid)" "$layout: pid_ns"
	is "$(field uid record=start)" "$(id -u)" "$layout: uid"
	is "$(field end_reason record=end)" exit "$layout: end_reason"
	is "$(field thread_name record=end)" itself "$layout: thread_name"
	is "$(field args record=start)" "$work/scratch 0 0" "$layout: args"
	if [ "$(cat /proc/sys/kernel/task_delayacct)" = 0 ]; then
		is "$(field delayacct_blkio_time record=end)" unknown "$layout: delay accounting is off: unknown, not 0"
	else
		is "$(field delayacct_blkio_time record=end | grep -c '^[0-9]')" 1 "$layout: delayacct_blkio_time"
	fi
	# A batch begins with a newline.
	is "$(field own_wchar record=end)" \
		"$(($(cat "$records"/*.tsv | wc -c) - $(tail -n 1 "$records"/*.tsv | wc -c) - 1))" \
		"$layout: own_wchar is the length of what the collector wrote before the end record"

	collect "$layout" "$itself" "$work/scratch" 0 2 >"$work/expected"
	pid=$(awk '$1 == "pid" { print $2 + 0 }' "$work/expected")
	check_bounds record=end "$layout: waited-for children"

	collect "$layout" "$itself" "$work/scratch" 4 0 >"$work/expected"
	pid=$(awk '$1 == "pid" { print $2 + 0 }' "$work/expected")
	is "$(field tid record=thread "pid=$pid" | sort -u | wc -l | tr -d ' ')" 5 "$layout: a record for every thread"
	is "$(field wchar record=thread "pid=$pid" | sort -n | head -4 | tr '\n' ' ')" \
		"100000 100000 100000 100000 " "$layout: bytes written by each thread"
	is "$(table | sed -n 's/.*\trecord=thread\t.*\trchar=\([0-9]*\)\t.*\town_rchar=\([0-9]*\)\t.*/\1-\2/p' | awk -F- '{ print $1 - $2 }' | sort -n | head -4 | tr '\n' ' ')" \
		"300000 300000 300000 300000 " "$layout: bytes read by each thread, without the collector's"
	grep -vE '^(rchar|wchar|syscr|syscw|read_bytes|write_bytes|cancelled_write_bytes|time_oncpu|time_waiting|timeslices) ' \
		"$work/expected" >"$work/process" && mv "$work/process" "$work/expected"
	check_bounds record=end "$layout: process columns of a process with threads"

	PERFMON_TAGS='op:a=b:c;step:2' OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8 SLURM_PROCID=0 \
		SLURM_STEP_ID=4 SLURM_LOCALID=1 SLURM_JOB_ID=77 APPTAINER_NAME=box.sif \
		collect "$layout" /bin/true 'a b' '' '*' 'tab	' 'back\slash'
	is "$(field tags record=start)" 'op:a=b:c;step:2' "$layout: tags with : and = in their values"
	is "$(field mpirank record=start) $(field numranks record=start)" "3 8" "$layout: MPI rank and size before Slurm's"
	is "$(field jobid record=start) $(field step record=start) $(field localid record=start)" "77 4 1" "$layout: job, step, task"
	is "$(field container record=start)" box.sif "$layout: container"
	is "$(field args record=start)" 'a\x20b \e * tab\t back\\slash' "$layout: argument boundaries"
	is "$(overdrawn)" "" "$layout: what the collector cost is part of what the program did"
done
# Start of each thread, where a tick of the clock may pass while it is made.
if need python3; then
	cat >starts.py <<'END'
import threading
def tell():
    text = open("/proc/thread-self/stat").read()
    said.append("%s %s" % (text.split()[0], text.rsplit(")", 1)[1].split()[19]))
said = []
tell()
for i in range(3000):
    t = threading.Thread(target=tell)
    t.start()
    t.join()
open("said", "w").write("\n".join(said) + "\n")
END
	collect COLLATED_TSV python3 starts.py
	table | awk -F '\t' '/\trecord=thread\t/ && match($0, /\tstarttime=[0-9]+/) {
		start = substr($0, RSTART + 11, RLENGTH - 11)
		match($0, /\ttid=[0-9]+/)
		print substr($0, RSTART + 5, RLENGTH - 5), start
	}' | sort >recorded
	sort said | comm -13 - recorded >wrong
	is "$(head -n 3 wrong)" "" "the start of each of $(wc -l <recorded) threads is that of the kernel"
fi
done_testing
