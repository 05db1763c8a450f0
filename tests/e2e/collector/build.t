#!/bin/sh
# A real build: every process that the kernel saw is recorded, with the CPU time the kernel charged.
# shellcheck disable=SC2086 # lists of files
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/cgroup.sh
. "$abs_top_srcdir/tests/e2e/cgroup.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

query_default '' ' '

# The program's own sources, in a scratch directory: a parallel make of some folders' objects. With
# PM_BUILD=whole, as `make check-oracle` has it, its configure and the libraries, each time from the
# start.
mkdir "$work/build"
if [ "${PM_BUILD-}" = whole ]; then
	traced=libperfmon.so timed="libpm.a libperfmon.so" least="300 100"
	cat >"$work/job.sh" <<-JOB
		cd "$work/build" && sh "$abs_top_srcdir/configure" -q --disable-dependency-tracking \
			CFLAGS=-O0 >/dev/null && make -s -j2 "\$@" >/dev/null 2>&1
	JOB
else
	traced=$(cd "$abs_top_srcdir" && find report/print report/query -name '*.c' | sort | sed 's/[.]c$/.o/' | tr '\n' ' ') least="100 50"
	timed=$traced
	printf '$(MAKECMDGOALS): %%.o: %s/%%.c\n\t(mkdir -p $(@D)); name=$$(echo $@); %s\n' \
		"$abs_top_srcdir" \
		"\$(CC) -std=gnu11 -DHAVE_CONFIG_H -I$abs_top_builddir -I$abs_top_srcdir -c -o \$\$name \$<" \
		>"$work/build.mk"
	echo "cd '$work/build' && make -s -j2 -f '$work/build.mk' \"\$@\"" >"$work/job.sh"
fi

if ! need sqlite3 make cc; then
	skip "a real build" "no $missing"
	done_testing
fi

# --- the number of processes, against strace ---------------------------------------------------
if need strace && strace -o /dev/null true 2>/dev/null; then
	"$PERFMON" start && eval "$("$PERFMON" source)"
	strace -f -qq -e trace=process -e signal=none -o "$work/strace" \
		sh "$work/job.sh" $traced
	is $? 0 "the build under strace"
	perfmon_uninstrument
	"$PERFMON" stop
	"$PERFMON" -q submit
	is $? 0 "submit"
	# A fork child is an image; a child that shares memory (vfork) becomes one with its exec only.
	execs=$(grep -c 'exec.* = 0$' "$work/strace")
	forks=$(awk '
		/ (clone3?|fork)\(/ { shares[$1] = /CLONE_VM/ }
		/( |\.\.\. )(clone3?|fork)[( ].* = [0-9]+$/ && !shares[$1] { n++ }
		END { print n + 0 }' "$work/strace")
	images=$(query "select count(*) from process where image_us is not null
		and exename <> 'strace'")
	diag "strace saw $execs execs and $forks forks, $(query 'select count(*) from process') rows"
	test "$execs" -gt "${least% *}" && test "$forks" -gt "${least#* }"
	ok $? "many processes were made"
	is "$images" "$((execs + forks))" "one row per exec image and fork"
	is "$(query "select count(*) from process where end_reason not in ('exit', 'exec', 'signal')")" 0 \
		"every one has its end"
	is "$(query 'select rejected from job')" 0 "no line was rejected"
	is "$(query "select count(*) from process where image_us is null
		and ppid not in (select pid from process where exename = 'strace')")" 0 \
		"what the tracer waited for besides the parents makes no row of its own"
else
	skip "number of processes of a build" "strace is not there or may not trace"
fi

# --- its CPU time, against the kernel's own account --------------------------------------------
rm -rf "$work/build" "$XDG_DATA_HOME"
mkdir "$work/build"
make_group
threads=$abs_top_builddir/tests/progs/everything
if [ -n "$group" ]; then
	# The group holds the job alone: perfmon itself stays outside.
	lost=$(taken)
	# shellcheck disable=SC2016
	"$PERFMON" -a run sh -c 'echo $$ >"$1/cgroup.procs" && shift && "$1" >/dev/null 2>&1; shift; sh "$@"' \
		x "$group" "$threads" "$work/job.sh" $timed
	is $? 0 "the build in a control group of its own"
	lost=$(($(taken) - lost))
	kernel=$(charged "$group")
	"$PERFMON" -q submit
	recorded=$(query 'select sum(cpu_time) + sum(coalesce(own_cpu_us, 0)) from process')
	diag "CPU time: kernel $kernel us, recorded $recorded us, $(query 'select processes from job') processes"
	test "$((recorded * 100))" -ge "$((kernel * 95))" && test "$((recorded * 100))" -le "$((kernel * 105))"
	ok $? "CPU time within 5 % of the kernel's exact total"
	# What was taken may be charged.
	is "$(query "select coverage between 0.95 * max(charged_cpu_us - $lost, 0) / charged_cpu_us and 1.02 from job")" 1 \
		"the coverage says so"
else
	skip "CPU time of a build" "no control group can be made here"
	# shellcheck disable=SC2016
	"$PERFMON" -a run sh -c '"$1" >/dev/null 2>&1; shift; sh "$@"' x "$threads" "$work/job.sh" $timed
	"$PERFMON" -q submit
fi

# --- the other layout: the same lines in a file per process load to the same rows --------------
# The job of the strace part is gone from the database, its directory is not.
job=$(find "$PERFMON_OUTPUT_PREFIX" -name 'job-*.json' -newer "$work/job.sh" -printf '%T@ %h\n' | sort -n | tail -n 1)
job=${job#* }
mkdir "$work/split"
cp "$job"/job-*.json "$work/split"
awk -F '\t' -v dir="$work/split" '
	/^perfmon-tsv-/ { header = $0; for (i = 1; i <= NF; i++) column[$i] = i; next }
	NF == 0 { next }
	{
		pid = $column["record"] == "reaped" ? $column["ppid"] : $column["pid"]
		file = dir "/host-" pid "-0.tsv"
		if (!(file in seen)) { print header >>file; seen[file] = 1 }
		print $0 >>file
		close(file)
	}' "$job"/*.tsv
PERFMON_DB=$work/split.db "$PERFMON" -q submit "$work/split"
for table in process thread_row; do
	query "select * from $table" | sort >"$work/collated"
	sqlite3 -separator ' ' "$work/split.db" "select * from $table" | sort >"$work/split.rows"
	cmp "$work/collated" "$work/split.rows"
	ok $? "both layouts load to the same rows of $table ($(wc -l <"$work/collated" | tr -d ' '))"
done
done_testing
