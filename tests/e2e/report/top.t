#!/bin/sh
# top: a running job as a picture, as JSON and on a terminal, which it gives back whatever happens.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

PERFMON_DB=$work/jobs.db
export PERFMON_DB
unset TERM

# wait_for COMMAND...: until it succeeds, ten seconds at most.
wait_for()
{
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || return 1
		sleep 0.1
	done
}

# is_one TEXT PROGRAM: top's picture has one running process of this program.
runs()
{
	"$PERFMON" top --json --interval 0.1 "$1" | grep -q "\"program\":\"$2\"[^}]*\"running\":1"
}

# --- a job that runs ------------------------------------------------------------------------------
cat >job.sh <<-'END'
	/bin/true; /bin/true; /bin/true
	dd if=/dev/zero of=/dev/null bs=1M count=200 2>/dev/null
	sleep 100 &
	echo $! >sleeper
	while [ ! -e enough ]; do :; done
	kill $!
	wait
END
"$PERFMON" -q -a -j 1 run sh job.sh &
run=$!
wait_for runs 1 sleep
ok $? "a job that runs is found by its name, and what runs in it"
"$PERFMON" top --json >out 2>err
is "$? $(wc -l <out)" "0 1" "without a name it is the newest, one line"
if need python3; then
	python3 -c '
import json
x = json.load(open("out"))
p = {l["program"]: l for l in x["programs"]}
print(x["jobid"], x["end_us"], x["hosts"], x["closed"], x["running"], x["ended"], x["unread_bytes"])
print(p["true"]["started"], p["true"]["running"], p["dd"]["running"], p["sleep"]["running"], p["sh"]["running"])
print(x["cpus_busy"] > 0, p["sh"]["cpus_busy"] > 0, p["sleep"]["cpus_busy"], p["sh"]["rss_bytes"] > 100000)
print(p["sh"]["cpu_us"] > 0, x["start_us"] < x["seen_us"] <= x["time_us"], x["cpu_us"] >= p["sh"]["cpu_us"])' >got
	is "$(cat got)" "1 None 1 0 2 4 0
3 0 0 1 1
True True 0.0 True
True True True" "what has ended, what runs and what it uses"
else
	skip "figures" "no $missing"
fi
"$PERFMON" top 1 >out 2>err
is "$? $(head -n 1 out | grep -c '^Job 1: sh, ') $(grep -c '^ *Elapsed ' out) $(grep -c 'CPUs busy *CPU time' out)" "0 1 1 1" \
	"where there is no terminal one picture is printed"
is "$(awk '/ sh$/ { print $(NF - 2) }' out)" "1" "with one shell running"
grep -q "$(printf '\033')" out
is $? 1 "without control of the terminal"
"$PERFMON" top --count 3 --interval 0.1 "$PERFMON_OUTPUT_PREFIX"/*/1 >out
is "$? $(grep -c '^Job 1' out)" "0 3" "--count, of a directory"
(cd "$PERFMON_OUTPUT_PREFIX"/* && mv 1 one && "$PERFMON" top --json one | grep -c '"cpus_busy":[0-9]'; mv one 1) >got
is "$(cat got)" 1 "or by a path without a slash"
"$PERFMON" top --limit 1 --width 60 1 >out
is "$(sed '1,/CPUs busy  *CPU time/d' out | wc -l) $(awk 'length > 60' out)" "1 " "--limit and --width"

# --- on a terminal --------------------------------------------------------------------------------
terminal=$abs_top_srcdir/tests/e2e/report/terminal.py
export PERFMON
if need python3; then
	is "$(python3 "$terminal" q -- 1)" "status 0, entered, left, restored, -" "q ends it, and the terminal is as it was"
	for signal in SIGTERM:15 SIGINT:2; do
		is "$(python3 "$terminal" "${signal%:*}" -- 1)" "signal ${signal#*:}, entered, left, restored, -" "so does ${signal%:*}"
	done
	is "$(python3 "$terminal" stop -- --interval 0.2 1)" "status 0, entered, left, restored, stopped" \
		"it stops and goes on"
	is "$(python3 "$terminal" none -- --count 2 --interval 0.2 1)" "status 0, entered, left, restored, -" "--count ends it"
	is "$(python3 "$terminal" none TERM=dumb -- 1)" "status 0, stayed, kept, restored, -" "a dumb terminal gets one picture"
	is "$(python3 "$terminal" none -- --once 1)" "status 0, stayed, kept, restored, -" "and so does --once"
else
	skip "a terminal" "no $missing"
fi

# A file system that does not answer: the call that asks for the size of a record file does not return.
cat >hang.c <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <string.h>
	#include <sys/stat.h>
	#include <unistd.h>
	int fstatat(int dir, const char *name, struct stat *st, int flags)
	{
		int (*other)(int, const char *, struct stat *, int) = dlsym(RTLD_NEXT, "fstatat");
		while (strstr(name, ".tsv"))
			pause();
		return other(dir, name, st, flags);
	}
	int fstatat64(int dir, const char *name, struct stat64 *st, int flags)
	{
		return fstatat(dir, name, (struct stat *)st, flags);
	}
END
if [ "${PM_SANITIZED:-no}" != yes ] && need python3 cc && cc -shared -fPIC -w -o hang.so hang.c -ldl 2>/dev/null &&
	nm -D "$PERFMON" 2>/dev/null | grep -q ' fstatat'; then
	is "$(python3 "$terminal" q "LD_PRELOAD=$work/hang.so" -- 1)" "status 0, entered, left, restored, -" \
		"q ends it while the directory does not answer"
else
	skip "a directory that does not answer" "no way to make one here"
fi

# --- its end --------------------------------------------------------------------------------------
: >enough
wait $run
"$PERFMON" top 1 >out
is "$? $(grep -c 'the job is over' out) $(awk '/ sleep$/ { print $(NF - 2), $(NF - 1) }' out)" "0 1 0 1" "a job that is over"
if need python3; then
	is "$(python3 "$terminal" none -- 1)" "status 0, entered, left, restored, -" "ends it on a terminal"
fi
"$PERFMON" -q submit -r 1
"$PERFMON" top 1 >out
is "$? $(grep -c 'the job is over' out) $(awk '/ true$/ { print $(NF - 1) }' out)" "0 1 3" "without its directory it is in the database"

# --- a job that nobody closed ---------------------------------------------------------------------
"$PERFMON" -q start -j 2
(eval "$("$PERFMON" source -j 2 --shell sh)" && /bin/true)
dir=$(echo "$PERFMON_OUTPUT_PREFIX"/*/2)
# An hour ago, by the record.
python3 -c '
import glob, re, sys
for name in glob.glob(sys.argv[1] + "/*.tsv"):
	text = open(name).read()
	open(name, "w").write(re.sub(r"\b1[0-9]{15}\b", lambda m: str(int(m.group()) - 3600000000), text))' "$dir" 2>/dev/null
"$PERFMON" top 2 >out
is "$? $(grep -c 'Seen *last at .*, 1 h 00 min ago' out) $(grep -c 'the job is over' out)" "0 1 0" "a job that was not closed: when it was seen last" ||
	diag "$(cat out)"
for name in "$dir"/*.tsv; do
	printf 'cut' >>"$name"
done
"$PERFMON" top 2 >out
is "$?" 0 "a line that is being written is read later"
"$PERFMON" -q stop -j 2

# --- usage ----------------------------------------------------------------------------------------
for words in "--interval 1ms" "--interval x" "--count 0" "--count x" "--once --count 2" "1 2" "--limit x"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" top $words >out 2>err
	is "$? $(wc -c <out)" "2 0" "top $words is a usage error"
done
"$PERFMON" top nobody >out 2>err
is "$? $(grep -c 'nobody: no such job' err)" "1 1" "a job that is not there"

done_testing
