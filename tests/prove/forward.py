"""Rounds of tests/prove/forward.t: a forwarder that is killed at chosen system calls, or whose deliveries or server are, while
archives come; in the end the rows are those of a load without faults.

    forward.py stock          makes the archives and what their rows are
    forward.py calls          makes the list of system calls of each kind of target
    forward.py round SEED [FAULT]  one round; with a fault of the test's own, which it has to notice: lost, row, dropped
    forward.py compare A B    whether two databases of the server have the same rows
    forward.py many N DB      as many forwarders at once, each with an archive, to one server
"""
import collections
import glob
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

PERFMON, HOME = os.environ["PERFMON"], os.environ["PM_FORWARD"]
SERVER = os.environ.get("PM_FORWARD_SERVER")
GENERATE = os.environ["abs_top_builddir"] + "/tests/progs/generate"
JOBS = 7
# Seconds after which a forwarder that was to be killed and lives is killed all the same.
LIMIT = 5
# Columns that tell when and from where a job was loaded, and which number it got.
WITHOUT = {"job_id", "loaded_us", "applied_us", "digest", "bytes", "source", "file"}
CALLS = ["openat", "read", "pread64", "write", "pwrite64", "fsync", "fdatasync", "renameat", "renameat2", "unlinkat",
         "newfstatat", "flock", "clone", "wait4", "getdents64", "close", "sendto", "recvfrom", "connect", "poll", "ftruncate",
         "fcntl", "mmap"]
# Behind the rows of each statement.
MARK = "--- end of rows ---"
COMMAND = "|cat >%s/.$1.$$ && mv %s/.$1.$$ %s/$1"


class Sqlite:
    def __init__(self, path):
        self.url = "sqlite:" + path
        self.path = path

    def query(self, sql):
        db = sqlite3.connect(self.path)
        rows = db.execute(sql).fetchall()
        db.commit()
        db.close()
        return [tuple(str(v) for v in row) for row in rows]

    def queries(self, sqls):
        return [self.query(sql) for sql in sqls]

    def columns(self):
        found = {}
        for (table,) in self.query("SELECT name FROM sqlite_master WHERE type = 'table'"):
            found[table] = [row[1] for row in self.query("SELECT * FROM pragma_table_info('%s')" % table)]
        return found

    def disturb(self, rng):
        return 0


class Postgres:
    def __init__(self, name):
        self.name = name
        self.url = "postgresql://postgres@/%s?host=%s" % (name, SERVER)

    def run(self, database, sqls, check=True):
        """What psql prints for each of the statements."""
        words = [word for sql in sqls for word in ("-c", sql, "-c", "\\echo " + MARK)]
        out = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", SERVER, "-U",
                              "postgres", "-d", database] + words, check=check, stdout=subprocess.PIPE,
                             stderr=None if check else subprocess.DEVNULL)
        return [[tuple(line.split("\t")) for line in text.splitlines()] for text in out.stdout.decode().split(MARK + "\n")]

    def psql(self, database, sql, check=True):
        return self.run(database, [sql], check)[0]

    def query(self, sql):
        return self.psql(self.name, sql)

    def queries(self, sqls):
        return self.run(self.name, sqls)[:len(sqls)]

    def columns(self):
        found = collections.defaultdict(list)
        for table, column in self.query(
                "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relkind IN "
                "('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped AND c.relnamespace = "
                "'public'::regnamespace ORDER BY 1, a.attnum"):
            found[table].append(column)
        return found

    def await_server(self):
        for _ in range(600):
            if self.psql("postgres", "SELECT 1", check=False):
                return
            time.sleep(0.1)
        sys.exit("the server does not come back")

    def disturb(self, rng):
        """Kill a process of the server that loads: it then begins anew and ends all its connections. Returns how many were."""
        pids = self.psql("postgres", "SELECT pid FROM pg_stat_activity WHERE datname = '%s'" % self.name, check=False)
        if not pids:
            return 0
        try:
            os.kill(int(rng.choice(pids)[0]), rng.choice([signal.SIGKILL, signal.SIGTERM]))
        except ProcessLookupError:
            return 0
        return 1


def content(db):
    """The rows of each job, whichever numbers it has in the database."""
    found = collections.defaultdict(list)
    columns = db.columns()
    tables = [t for t in sorted(columns) if t == "job" or "job_id" in columns[t]]
    sqls = []
    for table in tables:
        kept = [c for c in columns[table] if c not in WITHOUT and (table != "job" or c != "id")]
        key = "id" if table == "job" else "job_id"
        sqls.append("SELECT j.jobid, %s FROM \"%s\" t JOIN job j ON j.id = t.\"%s\"" % (
            ", ".join('t."%s"' % c for c in kept) or "1", table, key))
    for table, rows in zip(tables, db.queries(sqls)):
        for row in rows:
            found[row[0]].append((table,) + row[1:])
    return {job: sorted(rows) for job, rows in found.items()}


def orphans(db):
    columns = db.columns()
    tables = [t for t in columns if "job_id" in columns[t] and t != "job_zone"]
    found = db.queries(['SELECT 1 FROM "%s" WHERE job_id NOT IN (SELECT id FROM job) LIMIT 1' % t for t in tables])
    return [t for t, rows in zip(tables, found) if rows]


def submit(db, *what):
    return subprocess.run([PERFMON, "-q", "submit"] + list(what), env=dict(os.environ, PERFMON_DB=db.url)).returncode


def stock():
    os.makedirs(HOME + "/stock")
    for i in range(JOBS):
        subprocess.run([GENERATE, "--jobid", str(100 + i), "job", str(10 + 30 * i)], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["tar", "-czf", HOME + "/stock/%d.n0.tgz" % (100 + i), "-C", "job", "."], check=True)
        shutil.rmtree("job")
    # One with a series.
    subprocess.run([PERFMON, "-q", "-a", "run", "-j", "200", "--sample", "100ms", "sleep", "1"], check=True)
    subprocess.run([PERFMON, "-q", "stage", "--all", "--stage-to", HOME + "/stock"], check=True, stdout=subprocess.DEVNULL)
    archives = sorted(glob.glob(HOME + "/stock/*.tgz"))
    if len(archives) != JOBS + 1:
        sys.exit("archives: %s" % archives)
    for kind, db in (("sqlite", Sqlite(HOME + "/whole.db")), ("postgres", Postgres("whole"))):
        if kind == "postgres":
            if not SERVER:
                continue
            db.psql("postgres", "CREATE DATABASE whole")
        if submit(db, *archives) != 0:
            sys.exit("a load without faults fails")
        rows = content(db)
        if len(rows) != JOBS + 1 or not any(r[0] == "series" for r in rows["200"]):
            sys.exit("a load without faults has no series, or not all jobs")
        json.dump(rows, open(HOME + "/%s.json" % kind, "w"))


class Round:
    def __init__(self, seed, kind=None):
        self.rng = random.Random(seed)
        self.kind = kind or ("directory", "command", "database")[seed % 3]
        here = os.getcwd()
        self.spool, self.target = here + "/spool", here + "/target"
        os.mkdir(self.spool, 0o1733)
        os.mkdir(self.target, 0o700)
        if SERVER:
            self.db = Postgres("round%d" % os.getpid())
            self.db.await_server()
            self.db.psql("postgres", "CREATE DATABASE " + self.db.name)
        else:
            self.db = Sqlite(here + "/x.db")
        self.to = {"directory": self.target, "command": COMMAND % ((self.target,) * 3), "database": self.db.url}[self.kind]
        self.command = [PERFMON, "-q", "forward", "--spool", self.spool, "--spool-age", "0", "--spool-period", "50ms",
                        "--spool-pause", "100ms", "--forward-jitter", "0", "--forward-to", self.to]

    def put(self, path):
        part = self.spool + "/.part"
        shutil.copy(path, part)
        os.rename(part, self.spool + "/" + os.path.basename(path))

    def waiting(self):
        return [n for n in os.listdir(self.spool) if n.endswith(".tgz")]

    def end(self):
        """Without faults until all is sent. Returns what is wrong."""
        for _ in range(100):
            if SERVER:
                self.db.await_server()
            status = subprocess.run(self.command + ["--once"], stdout=subprocess.DEVNULL, stderr=open("last.err", "w")).returncode
            if status != 75:
                break
            time.sleep(0.1)
        wrong = []
        if status != 0:
            wrong.append("in the end: exit status %d: %s" % (status, open("last.err").read()))
        if self.waiting():
            wrong.append("left in the spool: %s" % self.waiting())
        if os.listdir(self.spool + "/failed"):
            wrong.append("set aside: %s" % os.listdir(self.spool + "/failed"))
        told = json.loads(subprocess.run([PERFMON, "forward", "status", "--json", "--spool", self.spool],
                                         stdout=subprocess.PIPE, check=True).stdout)
        if told["dropped"] or told["aside"] or told["waiting"]:
            wrong.append("the account: %s" % told)
        if self.kind != "database":
            sent = os.listdir(self.target)
            # What killed commands began is theirs.
            named = [n for n in sent if not n.startswith(".")]
            if len(named) != len({n.split("-")[-1] for n in named}):
                wrong.append("at the target twice: %s" % sorted(named))
            if self.kind == "directory" and len(named) != len(sent):
                wrong.append("left at the target: %s" % sorted(sent))
            if submit(self.db, *[self.target + "/" + n for n in named]) != 0:
                wrong.append("what is at the target does not load")
        return wrong

    def compare(self):
        want = json.load(open(HOME + ("/postgres.json" if SERVER else "/sqlite.json")))
        got = json.loads(json.dumps(content(self.db)))
        wrong = ["job %s: lost" % j for j in want if j not in got]
        for j in got:
            differ = [r for r in got[j] if r not in want.get(j, [])] + [r for r in want.get(j, []) if r not in got[j]]
            if got[j] != want.get(j):
                wrong.append("job %s: %d and %d rows, such as %s" % (j, len(got[j]), len(want.get(j, [])), differ[:2]))
        jobs = [r[0] for r in self.db.query("SELECT jobid FROM job")]
        if len(jobs) != len(set(jobs)):
            wrong.append("twice: %s" % sorted(jobs))
        return wrong + ["rows of no job in %s" % t for t in orphans(self.db)]

    def close(self):
        if SERVER:
            self.db.psql("postgres", "DROP DATABASE IF EXISTS %s WITH (FORCE)" % self.db.name)


def calls():
    found = {}
    for kind in ("directory", "command", "database"):
        os.mkdir(kind)
        os.chdir(kind)
        r = Round(0, kind)
        for path in sorted(glob.glob(HOME + "/stock/*.tgz"))[:4]:
            r.put(path)
        subprocess.run(["strace", "-f", "-o", "trace", "-e", "trace=" + ",".join("?" + c for c in CALLS)] + r.command + ["--once"],
                       stdout=subprocess.DEVNULL, check=True)
        count = {}
        for process, call in re.findall(r"(?m)^(\d+) +(\w+)\(", open("trace").read()):
            count.setdefault(call, {}).setdefault(process, 0)
            count[call][process] += 1
        found[kind] = {call: max(count[call].values()) for call in count if call in CALLS}
        r.close()
        os.chdir("..")
    json.dump(found, open(HOME + "/calls.json", "w"))


def killed_in(trace):
    """Whether the forwarder was killed, and how many of its deliveries before it: those that died with it do not count."""
    pids = re.findall(r"(?m)^(\d+) ", trace)
    killed = re.findall(r"(?m)^(\d+) +\+\+\+ killed by SIGKILL", trace)
    if pids and pids[0] in killed:
        return 1, killed.index(pids[0])
    return 0, len(killed)


def round_of(seed, fault=None):
    r = Round(seed)
    if fault == "dropped":
        r.command += ["--spool-max", "16k"]
    rng = r.rng
    found = json.load(open(HOME + "/calls.json"))[r.kind]
    archives = sorted(glob.glob(HOME + "/stock/*.tgz"))
    rng.shuffle(archives)
    if fault == "lost":
        archives.pop()
    # One may come twice.
    archives += [rng.choice(archives)]
    done, killed, deliveries, server = 0, 0, 0, 0
    for _ in range(rng.randint(1, 4)):
        call = rng.choice(sorted(found))
        # The first calls of a kind, with which something begins, more often.
        n = 1 + int(found[call] * rng.random() ** 2)
        first = rng.randint(0, len(archives) - done)
        for path in archives[done:done + first]:
            r.put(path)
        done += first
        # It may be killed before it makes the file.
        open("trace", "w").close()
        p = subprocess.Popen(["strace", "-f", "-o", "trace", "-e", "trace=" + call, "-e",
                              "inject=%s:signal=KILL:when=%d" % (call, n)] + r.command,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        until = time.monotonic() + rng.random() * 1.5
        while time.monotonic() < until and p.poll() is None:
            time.sleep(0.02)
            if rng.random() < 0.03 and done < len(archives):
                r.put(archives[done])
                done += 1
            if rng.random() < 0.03 and r.kind == "database":
                server += r.db.disturb(rng)
        if p.poll() is None:
            os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        now = killed_in(open("trace").read())
        killed += now[0]
        deliveries += now[1]
        print("%s: %d killed with %d deliveries at %s %d; %d of %d archives have come, %d wait" %
              (r.kind, now[0], now[1], call, n, done, len(archives), len(r.waiting())))
    for path in archives[done:]:
        r.put(path)
    wrong = r.end()
    if fault == "row":
        r.db.query("UPDATE process SET pid = pid + 1 WHERE (job_id, id) = (SELECT job_id, min(id) FROM process WHERE pid IS NOT NULL GROUP BY job_id LIMIT 1)")
    wrong += r.compare()
    r.close()
    print("\n".join(wrong))
    if wrong:
        sys.exit(1)
    open(os.environ["PM_FORWARD_KILLS"], "a").write("%s %d %d %d\n" % (r.kind, killed, deliveries, server))


def compare(one, other):
    a, b = content(Postgres(one)), content(Postgres(other))
    print("jobs %d, rows %d and %d" % (len(a), sum(map(len, a.values())), sum(map(len, b.values()))))
    sys.exit(0 if a == b and a and not orphans(Postgres(one)) else 1)


def many(n, db):
    """Forwarders of as many hosts, whose names differ where they may be told apart, each with a job that ended now."""
    subprocess.run([GENERATE, "--jobid", "12321", "job", "5"], check=True, stdout=subprocess.DEVNULL)
    name = glob.glob("job/*.json")[0]
    text = open(name).read()
    host = ["unshare", "-u", "sh", "-c", 'hostname "$0"; exec "$@"'] if subprocess.run(
        ["unshare", "-u", "hostname", "n1"], stderr=subprocess.DEVNULL).returncode == 0 else None
    senders = []
    for i in range(n):
        spool = "spool%d" % i
        os.mkdir(spool, 0o1733)
        open(name, "w").write(text.replace("12321", str(1000000 + i)))
        subprocess.run(["tar", "-czf", spool + "/x.tgz", "-C", "job", "."], check=True)
        command = [PERFMON, "-v", "forward", "--spool", spool, "--spool-age", "0", "--spool-period", "10s", "--spool-pause", "10s",
                   "--forward-jitter", "2s", "--forward-to", db.url]
        senders.append(subprocess.Popen((host + ["nid%06d" % i] + command) if host else command, stderr=open(spool + "/.err", "w")))
    began = time.monotonic()
    while glob.glob("spool*/x.tgz") and time.monotonic() - began < 1800:
        time.sleep(0.2)
    took = time.monotonic() - began
    for p in senders:
        p.terminate()
    status = collections.Counter(p.wait() for p in senders)
    pauses = sum(open("spool%d/.err" % i).read().count("trying again") for i in range(n))
    jobs = db.query("SELECT count(*), count(DISTINCT jobid), sum(processes), (SELECT count(*) FROM process), min(processes) FROM job")[0]
    failed = glob.glob("spool*/failed/*")
    print("%d senders%s: %d s, %d attempts failed; jobs, processes: %s" %
          (n, " of one name" * (not host), took, pauses, " ".join(jobs)))
    right = jobs[0] == jobs[1] == str(n) and jobs[2] == jobs[3] == str(n * int(jobs[4])) and int(jobs[4]) > 0
    sys.exit(0 if right and not failed and status == {0: n} and not orphans(db) else 1)


if __name__ == "__main__":
    what = sys.argv[1]
    if what == "round":
        round_of(int(sys.argv[2]), *sys.argv[3:])
    elif what == "many":
        many(int(sys.argv[2]), Postgres(sys.argv[3]))
    elif what == "compare":
        compare(sys.argv[2], sys.argv[3])
    else:
        {"stock": stock, "calls": calls}[what]()
