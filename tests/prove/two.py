"""Rounds of two processes on one database: the first fails at one call (tests/progs/sites.c), the second loads,
reads and checkpoints meanwhile; then the database is sound, and has every job that either said it loaded, whole.

    two.py sites         which calls each command makes, to sites.json
    two.py round SEED    one round, in the current directory; says what fails, and on what is wrong exits 1
    two.py fewest FILE   of a file of failures: how often the rarest of the calls failed

Settings: PM_TWO is where sites.json and the jobs are, PM_TWO_LARGE and PM_TWO_OTHER the processes of two of them; PM_TWO_FAILURES gets a line per failure that came about;
PM_TWO_SERVER is the folder of a PostgreSQL's socket, else it is SQLite; PERFMON, PM_SITES the program, the library."""
import collections
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

PERFMON, SITES = os.environ["PERFMON"], os.environ["PM_SITES"]
TWO, SERVER = os.environ["PM_TWO"], os.environ.get("PM_TWO_SERVER")
LIMIT = 700  # s, for what hangs: perfmon itself waits 600 s for a lock
HOWS = ("error", "before", "lasting", "after", "short")
# What the jobs have: those in the database from the beginning, then what is loaded.
PROCESSES = {"base": 20, "old": 30, "large": int(os.environ["PM_TWO_LARGE"]), "other": int(os.environ["PM_TWO_OTHER"]),
             "one": 25, "more": 40, "input": 35, "copied": 15, "small": 45, "late": 10}
FROM_INPUT = ("large", "files", "remove")  # these go on with their standard input
COMPLAINS = ("files", "remove")  # of files that are not there; of an input that cannot be removed


class Sqlite:
    url, origin = "x.db", "copied.db"

    def begin(self):
        shutil.copy(TWO + "/base.db", "x.db")
        shutil.copy(TWO + "/copied.db", "copied.db")

    def end(self):
        pass

    def checkpoint(self, rng):
        db = sqlite3.connect("x.db", timeout=LIMIT)
        db.execute("pragma wal_checkpoint(%s)" % rng.choice(["passive", "full", "restart", "truncate"])).fetchall()
        db.close()

    def query(self, sql):
        db = sqlite3.connect("x.db", timeout=LIMIT)
        rows = db.execute(sql).fetchall()
        db.close()
        return rows

    def unsound(self):
        bad = [r[0] for r in self.query("pragma integrity_check(5)") if r[0] != "ok"]
        return bad + [repr(r) for r in self.query("pragma foreign_key_check")[:5]]


class Postgres:
    def __init__(self):
        self.name = "round%d" % os.getpid()
        self.url = "postgresql://postgres@/%s?host=%s" % (self.name, SERVER)
        self.origin = TWO + "/copied.db"

    def psql(self, database, sql):
        out = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", SERVER, "-U",
                              "postgres", "-d", database, "-c", sql], check=True, stdout=subprocess.PIPE)
        return [tuple(line.split("\t")) for line in out.stdout.decode().splitlines()]

    def begin(self):
        self.psql("postgres", "CREATE DATABASE %s TEMPLATE base" % self.name)

    def end(self):
        self.psql("postgres", "DROP DATABASE IF EXISTS %s WITH (FORCE)" % self.name)

    def checkpoint(self, rng):
        self.psql(self.name, rng.choice(["CHECKPOINT", "VACUUM job", "ANALYZE process"]))

    def query(self, sql):
        return self.psql(self.name, sql)

    def unsound(self):
        return []  # perfmon verify looks at the foreign keys

    def terminate(self):
        """What an administrator, or a server that is short of memory, does to the first process."""
        self.psql(self.name, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s' AND "
                             "pid <> pg_backend_pid()" % self.name)


def commands(engine):
    """What the first process runs."""
    files = [p for p in ("x.db", "x.db-wal", "x.db-shm") if not SERVER]
    return {"large": ["submit", TWO + "/large", "-"],
            "files": ["submit", TWO + "/one.tgz"] + files + ["-"],
            "remove": ["submit", "--remove", "more.tgz", "-"],
            "annotate": ["annotate", "base", "note=there"],
            "delete": ["delete", "--force", "old"],
            "copy": ["copy", engine.origin, engine.url]}


def start(engine, command, **env):
    shutil.copy(TWO + "/more.tgz", "more.tgz")
    return subprocess.Popen([PERFMON] + commands(engine)[command],
                            env=dict(os.environ, PERFMON_DB=engine.url, LD_PRELOAD=SITES, **env), stdin=subprocess.PIPE,
                            stdout=open("first.out", "w"), stderr=open("first.err", "w"))


def finish(first, command):
    try:
        if command in FROM_INPUT:
            first.stdin.write(open(TWO + "/input.tar", "rb").read())
        first.stdin.close()
    except BrokenPipeError:
        pass
    try:
        return first.wait(LIMIT)
    except subprocess.TimeoutExpired:
        first.kill()
        first.wait()
        return "hangs"


def sites():
    found = collections.defaultdict(dict)
    for command in commands(Sqlite()):
        engine = Postgres() if SERVER else Sqlite()
        engine.begin()
        status = finish(start(engine, command, SITES_LIST="sites"), command)
        engine.end()
        if status != 0 and command not in COMPLAINS:
            sys.exit("%s: exit status %s: %s" % (command, status, open("first.err").read()))
        for line in open("sites"):
            site, calls = line.rstrip("\n").rsplit(" ", 1)
            if "ld-linux" not in site:
                found[site][command] = int(calls)
    json.dump(found, open(TWO + "/sites.json", "w"))


def said(path):
    """Jobs that submit says are in the database."""
    return set(re.findall(r"(?m)^job (\w+): ", open(path).read()))


class Round:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.engine = Postgres() if SERVER else Sqlite()
        self.wrong, self.promised = [], {"base"}
        found = json.load(open(TWO + "/sites.json"))
        names, turn = sorted(found), seed // len(found)
        self.site = names[seed % len(names)]
        self.command = sorted(found[self.site])[turn % len(found[self.site])]
        self.how = HOWS[(turn + seed) % len(HOWS)]
        calls = found[self.site][self.command]
        self.hit = self.rng.choice([1, calls, self.rng.randint(1, calls), self.rng.randint(1, calls)])
        self.where = "%s: call %d of %d of %s, %s" % (self.command, self.hit, calls, self.site, self.how)
        if SERVER and self.command in FROM_INPUT and seed % 8 == 0:
            self.how, self.where = "terminated", self.command + ": its connection is ended by the server"

    def second(self, *words):
        """Run the second process: it never fails."""
        with open("second.out", "w") as out, open("second.err", "w") as err:
            try:
                status = subprocess.run([PERFMON] + list(words), env=dict(os.environ, PERFMON_DB=self.engine.url),
                                        stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=LIMIT).returncode
            except subprocess.TimeoutExpired:
                status = "hangs"
        if status != 0:
            self.wrong.append("the second: %s: exit status %s: %s" % (" ".join(words), status, open("second.err").read()[:500]))
        return open("second.out").read()

    def meanwhile(self):
        job = "other" if self.command == "large" else "small"
        steps = [lambda: self.load(job), lambda: self.read(), lambda: self.engine.checkpoint(self.rng)]
        self.rng.shuffle(steps)
        for step in steps:
            step()

    def load(self, job):
        self.second("submit", "%s/%s" % (TWO, job))
        self.promised |= said("second.out")

    def read(self):
        listed = self.second("list", "jobs", "--csv")
        for job in self.promised:
            if job not in listed:
                self.wrong.append("list does not have job " + job)

    def check(self):
        try:
            self.wrong += self.engine.unsound()
        except sqlite3.DatabaseError as e:
            self.wrong.append(str(e))
        if self.wrong:
            return
        rows = self.engine.query("SELECT jobid, (SELECT count(*) FROM process WHERE job_id = job.id), "
                                 "coalesce(problems, '') FROM job")
        there = {r[0]: int(r[1]) for r in rows}
        for job, n, problems in rows:
            # A record file that cannot be read is told.
            if int(n) != PROCESSES[job] and not problems:
                self.wrong.append("job %s has %s of %d processes" % (job, n, PROCESSES[job]))
        for job in self.promised - set(there):
            self.wrong.append("job %s was said to be loaded and is not there" % job)
        self.second("verify")

    def run(self):
        self.engine.begin()
        try:
            self.rounds()
        finally:
            self.engine.end()

    def rounds(self):
        first = start(self.engine, self.command, SITES_AT=self.site, SITES_HIT=str(self.hit), SITES_HOW=self.how,
                      SITES_SAID="failure", SITES_INPUT="input")
        # Most often once it waits for its input, else while it works.
        until = time.monotonic() + (LIMIT if self.rng.random() < 0.7 else 0)
        while first.poll() is None and time.monotonic() < until and not os.path.exists("input"):
            time.sleep(0.002)
        if self.how == "terminated":
            self.engine.terminate()
        self.meanwhile()
        status = finish(first, self.command)
        killed = (self.how in ("before", "after") and status == -signal.SIGKILL) or \
            (self.site.split(" ")[0] in ("malloc", "calloc", "realloc") and status == -signal.SIGABRT)
        if status not in (0, 1, 2, 75) and not killed:
            self.wrong.append("the first: exit status %s" % status)
        self.promised |= said("first.out")
        # SQLite itself says so where a read fails with EIO.
        if "malformed" in open("first.err").read() and not self.site.startswith("pread"):
            self.wrong.append("the first takes the database for damaged")
        if status == 0 and self.command == "copy":
            self.promised.add("copied")
        if self.command == "remove" and not os.path.exists("more.tgz") and not os.path.exists("removing.more.tgz"):
            self.promised.add("more")
        if self.command != "delete":
            self.promised.add("old")
        self.load("late")
        self.check()
        # Once more, without a failure: it completes what there is.
        if not self.wrong and self.command != "large":
            status = finish(start(self.engine, self.command), self.command)
            self.promised |= said("first.out")
            if status != 0 and self.command not in COMPLAINS + ("delete",):
                self.wrong.append("once more: exit status %s: %s" % (status, open("first.err").read()[:500]))
            self.check()


if sys.argv[1] == "sites":
    sites()
elif sys.argv[1] == "fewest":
    count = collections.Counter(line.rstrip("\n") for line in open(sys.argv[2]))
    found = json.load(open(TWO + "/sites.json"))
    print(len(found), min(count[s] for s in found))
else:
    r = Round(int(sys.argv[2]))
    print(r.where)
    r.run()
    if os.path.exists("failure") and "PM_TWO_FAILURES" in os.environ:
        with open(os.environ["PM_TWO_FAILURES"], "a") as f:
            f.write(r.site + "\n")
    for line in r.wrong:
        print(line)
    if r.wrong:
        print("the first said: " + open("first.err").read()[:500])
    sys.exit(bool(r.wrong))
