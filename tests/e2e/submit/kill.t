#!/bin/sh
# kill -9 while a job is loaded, at random and at its system calls one after the other: the database has the
# job wholly or not at all, what it had before is there, and the next submit completes it. `make
# check-submit` kills 1 000 times at random and at every call.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

if ! need python3; then
	skip "kill -9" "no $missing"
	done_testing
fi
"$abs_top_builddir/tests/progs/generate" job 60 2 >/dev/null || exit 99
"$abs_top_builddir/tests/progs/generate" other 20 >/dev/null && sed -i 's/"4711"/"4712"/' other/job-n0.json || exit 99
"$abs_top_builddir/tests/progs/generate" --jobid 4713 large 15000 >/dev/null || exit 99
# The same job before it was over.
cp -R job early && rm early/*n1* && head -n 20 job/n0-1000.tsv >early/n0-1000.tsv || exit 99

cat >kill.py <<'EOT'
import os, random, re, shutil, signal, subprocess, sys, time

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["abs_top_srcdir"] + "/tests/e2e")
import database_content

perfmon, kills, step = os.environ["PERFMON"], int(sys.argv[1]), int(sys.argv[2])
env = dict(os.environ, PERFMON_DB="x.db")
submit = [perfmon, "-q", "submit"]
count = 0


def test(ok, name, why=""):
    global count
    count += 1
    print("ok" if ok else "not ok", count, "-", name)
    for line in why:
        print("#", line)


def remove():
    for end in "", "-wal", "-shm", "-journal":
        if os.path.exists("x.db" + end):
            os.unlink("x.db" + end)


def content():
    """All rows of all tables, times of loading aside; None for no database or none with tables."""
    return database_content.content("x.db") or None


class Scene:
    def __init__(self, name, before, job="job"):
        self.name, self.before, self.command = name, before, submit + [job]
        remove()
        if before:
            subprocess.run(submit + [before], env=env, check=True)
            shutil.copy("x.db", "template.db")
        self.was = content()
        began = time.monotonic()
        subprocess.run(self.command, env=env, check=True)
        self.took = time.monotonic() - began
        self.now = content()
        self.wrong, self.inside, self.tried = [], 0, 0

    def begin(self):
        remove()
        if self.before:
            shutil.copy("template.db", "x.db")

    def after(self, label):
        """What the kill left, and what the next submit makes of it."""
        got = content()
        if got == self.now:
            self.inside += 1
        elif got != self.was and (self.before or got != blank):
            self.wrong.append(label + ": part of a job")
        status = subprocess.run(self.command, env=env).returncode
        if status != 0 or content() != self.now:
            self.wrong.append(label + ": not completed by the next submit, exit status %d" % status)
        self.tried += 1

    def tell(self, what):
        test(self.tried and not self.wrong, "%s, %s" % (self.name, what), self.wrong[:5])
        print("# killed %d times, after %d of them the job was there" % (self.tried, self.inside))


def at_random(s, n, seed):
    random.seed(seed)
    for i in range(n):
        s.begin()
        # From the start to a while beyond the usual end; the later part, with the commit, more often.
        wait = s.took * 1.3 * random.random() ** 0.6
        p = subprocess.Popen(s.command, env=env)
        time.sleep(wait)
        p.kill()
        p.wait()
        s.after("%.2f of a load" % (wait / s.took))
    s.tell("at random")


CALLS = "openat,read,pread64,write,pwrite64,fdatasync,fsync,ftruncate,fcntl,unlink,mmap,munmap,close,futex"


def at_calls(s, kinds, step):
    s.begin()
    trace = ["strace", "-f", "-o", "trace"]
    subprocess.run(trace + ["-e", "trace=" + kinds] + s.command, env=env, check=True)
    # strace counts per thread and kind of call.
    calls = {}
    for thread, call in re.findall(r"(?m)^(\d+) +(\w+)\(", open("trace").read()):
        calls.setdefault(call, {}).setdefault(thread, 0)
        calls[call][thread] += 1
    instants = [(c, n) for c in sorted(calls) for n in range(1, 1 + max(calls[c].values()))]
    for call, n in instants[step // 2::step]:
        s.begin()
        subprocess.run(trace + ["-e", "trace=" + call, "-e", "inject=%s:signal=KILL:when=%d" % (call, n)] + s.command,
                       env=env, stderr=subprocess.DEVNULL)
        s.after("%s %d" % (call, n))
    s.tell("at system calls")


remove()
subprocess.run(submit + ["nothing"], env=env, stderr=subprocess.DEVNULL)
blank = content()
# A tracer and sanitizers exclude each other.
traced = shutil.which("strace") and os.environ.get("PM_SANITIZED") != "yes" and \
    subprocess.run(["strace", "-o", "trace", "true"], stderr=subprocess.DEVNULL).returncode == 0
for name, before in (("a new database", None), ("another job is there", "other"),
                     ("an earlier state of the job is there", "early")):
    at_random(Scene(name, before), -(-kills // 3), 7)
    if traced:
        at_calls(Scene(name, before), CALLS, step)
# It has a rollback journal while it is loaded, and a log again at the latest with the next submit.
large = Scene("a large job into a new database", None, "large")
at_random(large, -(-kills // 8), 7)
if traced:
    at_calls(Scene(large.name, None, "large"), "fdatasync,fsync,ftruncate,unlink", -(-step // 20))
test(open("x.db", "rb").read(19)[18] == 2, large.name + ", the journal is a log in the end")
print("1..%d" % count)
EOT
export PERFMON
python3 kill.py "${PM_KILLS:-24}" "${PM_KILL_STEP:-97}"
