#!/bin/sh
# What is in the records: arguments with their boundaries, the right columns of /proc/self/stat; and
# programs of everyday: worker pools, thread libraries.
# shellcheck disable=SC2154,SC2016,SC1003,SC2034 # set by lib.sh, used by peers.sh; inner shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/peers.sh
. "$abs_top_srcdir/tests/e2e/peers.sh"

limits=$abs_top_builddir/tests/progs/peers_limits

# Undoes what perfmon-tsv(5) says of lists and texts, by a program that knows nothing of perfmon.
cat >decode.py <<'END'
import re, sys
plain = {b"\\": b"\\", b"t": b"\t", b"n": b"\n", b"r": b"\r", b"e": b""}
def byte(m):
    return bytes([int(m.group(1)[1:], 16)]) if m.group(1)[:1] == b"x" else plain[m.group(1)]
text = sys.stdin.buffer.read().rstrip(b"\n")
text.decode("utf-8")
for item in text.split(b" "):
    sys.stdout.buffer.write(re.sub(rb"\\(x[0-9a-f]{2}|.)", byte, item) + b"\0")
END

# Arguments that have gone wrong elsewhere, NUL behind each.
printf '%s\0' 'back\slash' 'trailing\' '\n' '\x41' 'new
line' 'tab	in' 'a b' '' ' ' '"quoted"' "it's" 'é' '$HOME;`x`' '\+9:0' >want.hard
printf 'bad\377\376utf8\0cut\303\0\001\177\0' >>want.hard

cat >family.py <<'END'
import os, sys
def fork(body, status):
    pid = os.fork()
    if pid == 0:
        body()
        sys.stdout.flush()
        os._exit(status)
    os.waitpid(pid, 0)
    print("# %d exit %d" % (pid, status))
def leaf():
    for column, value in ("ppid", os.getppid()), ("pgid", os.getpgid(0)), ("sid", os.getsid(0)):
        print("# %d starts %s %d %d" % (os.getpid(), column, value, value))
    print("distinct:", len({os.getpid(), os.getppid(), os.getpgid(0), os.getsid(0)}))
def middle():
    os.setpgid(0, 0)
    fork(lambda: fork(leaf, 11), 12)
def first():
    os.setsid()
    fork(middle, 13)
with open("/proc/self/comm", "w") as f:
    f.write(") R 7 (8 9")
fork(first, 14)
END

cat >pool.py <<'END'
import concurrent.futures, multiprocessing, os, sys
def work(n):
    return os.getpid(), sum(range(n))
if __name__ == "__main__":
    for how in "fork", "spawn", "forkserver":
        context = multiprocessing.get_context(how)
        with context.Pool(3) as pool:
            pids = {pid for pid, _ in pool.map(work, range(30), 1)}
            workers = {p.pid for p in pool._pool}
            print(how, "pool of", len(workers), pids <= workers)
            # A pool that is closed lets its workers go; the context would kill them.
            pool.close()
            pool.join()
        processes = [context.Process(target=work, args=(n,)) for n in range(3)]
        for p in processes:
            p.start()
        for p in processes:
            p.join()
        killed = context.Process(target=multiprocessing.Event().wait)
        for pid in workers | {p.pid for p in processes}:
            print("# %d exit 0" % pid)
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        print(len(list(pool.map(work, range(10)))), "results")
END

cat >threads.cc <<'END'
#include <cstdio>
#include <future>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>
static long tid() { return syscall(SYS_gettid); }
int main()
{
	std::vector<std::thread> threads;
	std::vector<long> tids(6);
	for (int i = 0; i < 6; i++)
		threads.emplace_back([&tids, i] { tids[i] = tid(); });
	for (auto &t : threads)
		t.join();
	for (int i = 0; i < 4; i++)
		tids.push_back(std::async(std::launch::async, tid).get());
	tids.push_back(tid());
	for (long t : tids)
		printf("# %d thread %ld threads_cc\n", getpid(), t);
}
END
cat >omp.c <<'END'
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	long tids[5] = { 0 };
	double sum = 0;
#pragma omp parallel num_threads(5)
	tids[omp_get_thread_num()] = syscall(SYS_gettid);
#pragma omp parallel for num_threads(5) reduction(+ : sum)
	for (int i = 0; i < 100000; i++)
		sum += i;
	for (int i = 0; i < 5; i++)
		printf("# %d thread %ld omp\n", getpid(), tids[i]);
	printf("%.0f\n", sum);
	return 3;
}
END
g++ -O1 -pthread -o threads_cc threads.cc 2>threads.err
gcc -O1 -fopenmp -o omp omp.c 2>omp.err

missing_names=
elsewhere >list
while read -r kind test line; do
	grep -qF -e "${line#*:}" "$abs_top_srcdir/tests/e2e/$test.t" &&
		grep -q "tests/e2e/$test\.t" "$abs_top_srcdir/tests/Makefile.inc" ||
		missing_names="$missing_names $kind: ${line%%:*}"
done <list
is "$missing_names" "" "what other tests look after is there"

if ! need python3; then
	skip "what is in the records" "no $missing"
	done_testing
fi

for layout in $layouts; do
	behaviour "argument boundaries"
	same "$limits" bytes
	python3 -c 'import sys
sys.stdout.buffer.write(b"digest\0" + b"".join(
    b"a" + bytes([i]) + (b"b" if i % 2 else b"") + b"\0" for i in range(1, 256)))' >want
	field args record=start exename=peers_limits | tail -n 1 | python3 decode.py | cmp -s want -
	fails "every byte from 1 to 255" $?
	same xargs -0 -a want.hard printf '[%s]'
	{ printf '[%%s]\0'; cat want.hard; } >want
	field args record=start exename=printf | python3 decode.py | cmp want -
	fails "backslashes, newlines, tabs, empty ones and what is not UTF-8" $?
	job xargs -0 -a want.hard printf '[%s]' >with
	query "SELECT args FROM process WHERE exename = 'printf'" | python3 decode.py | cmp want -
	fails "and in the database" $?

	behaviour "columns of /proc/self/stat"
	same python3 family.py
	holds "four different ids" "$(grep distinct with)" "distinct: 4"
	known
	holds "a name with parentheses and blanks" "$(field thread_name record=end exitcode=14)" ') R 7 (8 9'

	behaviour "_exit: every worker of Python's multiprocessing"
	same python3 pool.py
	known

	behaviour "C++ threads"
	if [ -x threads_cc ]; then
		same ./threads_cc
		threads_known
	else
		skip "$behaviour" "no C++ compiler"
	fi

	behaviour "OpenMP"
	if [ -x omp ]; then
		same ./omp
		threads_known
	else
		skip "$behaviour" "no OpenMP"
	fi
done
peers_done
