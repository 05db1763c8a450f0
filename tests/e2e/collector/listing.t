#!/bin/sh
# Programs that list their descriptors see those that they have without the collector, whatever
# counters it holds open for them.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

listing=$abs_top_builddir/tests/progs/listing
exec </dev/null

# with COMMAND...: recorded, with two counters in each thread.
with()
{
	counted '1:2:0:0:0:2:faults 1:5:0:0:0:2:minor' "$@"
}

# same TITLE COMMAND...: it prints the same bare and recorded, and was counted.
same()
{
	title=$1
	shift
	"$@" >bare 2>&1
	with "$@" >recorded 2>&1
	cmp bare recorded >difference 2>&1 && [ -s bare ]
	ok $? "$title"
	[ ! -s difference ] || diag "$(diff bare recorded)"
	# A child may close all that it has before its exec.
	value minor record=end | grep -v '^?closed$' | sort -n >counted
	[ "$(tail -n 1 counted)" -gt 5 ] && ! grep -q '?' counted
	ok $? "$title: it was counted"
}

with env true
if ! value minor record=end | grep -q '^[0-9]'; then
	skip "listings" "nothing can be counted here: $(value minor record=end)"
	done_testing
fi
need prlimit || { skip "listings" "no $missing"; done_testing; }

# Numbers that ours may have, as names.
mkdir names
(cd names && seq 1000 1300 | xargs touch)

# --- what is left out ------------------------------------------------------------------------------
cat >show <<-'END'
	exec "$1" show /proc/self/fd /proc/$$/fd /proc/self/task/$$/fd /proc/self/fdinfo /dev/fd /proc/thread-self/fd
END
for way in '' 'prlimit --nofile=64:64' 'prlimit --nofile=256:4096' 'prlimit --nofile=20000:20000'; do
	# shellcheck disable=SC2086 # words
	$way sh show "$listing" | sed 's|/[0-9][0-9]*/|/PID/|' >bare
	# shellcheck disable=SC2086 # words
	with $way sh show "$listing" | sed 's|/[0-9][0-9]*/|/PID/|' >recorded
	diff bare recorded >difference && [ "$(wc -l <bare)" -gt 60 ]
	ok $? "every way to list its own descriptors ${way#prlimit }"
	[ ! -s difference ] || diag "$(cat difference)"
	[ "$(value minor record=end exename=listing)" -gt 5 ]
	ok $? "which are counted ${way#prlimit }"
done
same "forks" "$listing" forks
"$listing" thread >bare
with "$listing" thread >recorded
is "$(diff bare recorded)" "" "from a thread: its own, the main one's, and by its number"
[ "$(value minor record=thread | sort -n | head -n 1)" -gt 0 ] && [ "$(value minor record=thread | wc -l)" -eq 2 ]
ok $? "both are counted"
same "errno and results" "$listing" errno
same "with one descriptor left" prlimit --nofile=128:4096 "$listing" full 1
same "with two descriptors left" prlimit --nofile=128:4096 "$listing" full 2

# --- what is not -----------------------------------------------------------------------------------
same "a directory of files with such names" "$listing" show "$work/names"
with prlimit --nofile=1024:4096 "$listing" reuse 1024 >recorded
is "$(grep -cv ' 1024\( \|$\)' recorded):$(value minor record=end exename=listing)" "0:?closed" \
	"the program's own file on such a number is its own"

# Of other processes all is shown, and to those without the collector.
mkfifo hold said
with "$listing" wait <hold >said &
exec 3>hold
read -r pid <said
perf=$(find "/proc/$pid/fd" -lname '*perf_event*' 2>/dev/null | wc -l)
is "$perf" 2 "another program sees them"
rm -rf records2 && mkdir -m 700 records2
is "$(PERFMON_EVENTS='1:2:0:0:0:2:faults' PERFMON_OUTPUT=$work/records2 LD_PRELOAD=$PERFMON_LIBRARY \
	find "/proc/$pid/fd" -lname '*perf_event*' | wc -l)" 2 "so does a recorded one, of another"
exec 3>&-
wait

# --- programs --------------------------------------------------------------------------------------
same "ls" ls /proc/self/fd
same "ls, by /dev/fd" ls /dev/fd/
if need find; then
	same "find" find /proc/self/fd /proc/self/fdinfo -mindepth 1
else
	skip "find" "no $missing"
fi
if need python3; then
	cat >list.py <<-'END'
	import os, subprocess, sys
	print(sorted(os.listdir('/proc/self/fd')), sorted(e.name for e in os.scandir('/dev/fd')))
	for close in (True, False):
	    print(subprocess.run([sys.executable, '-c', "import os; print(sorted(os.listdir('/proc/self/fd')))"],
	        close_fds=close, pass_fds=(2,) if close else (), capture_output=True, preexec_fn=(lambda: None) if close else None))
	END
	same "python3" python3 list.py
else
	skip "python3" "no $missing"
fi
if need g++; then
	cat >list.cc <<-'END'
	#include <filesystem>
	#include <iostream>
	#include <set>
	int main()
	{
		std::set<std::string> names;
		for (const auto &e : std::filesystem::directory_iterator("/proc/self/fd"))
			names.insert(e.path().filename());
		for (const auto &name : names)
			std::cout << name << "\n";
	}
	END
	g++ -std=c++17 -o list-cc list.cc
	same "std::filesystem" ./list-cc
else
	skip "std::filesystem" "no $missing"
fi
done_testing
