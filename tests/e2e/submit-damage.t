#!/bin/sh
# One damaged line costs itself alone: every kind of damage in every field of a record.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

if ! need python3; then
	skip "damage" "no $missing to damage with"
	done_testing
fi
"$abs_top_builddir/tests/progs/generate" job 11 >/dev/null || exit 99

cat >damage.py <<'EOF'
import os, re, shutil, sqlite3, subprocess, sys

perfmon = os.environ["PERFMON"]
lines = open("job/n0-1000.tsv", "rb").read().split(b"\n")
# The end of the third image, an exec'ed one, whose start and reaped lines stay.
victim = [i for i, l in enumerate(lines) if l.split(b"\t")[1:2] == [b"end"]][1]
good = lines[victim]
fields = good.split(b"\t")
records = sum(1 for l in lines if l)
names = lines[0].split(b"\t")


def load(changed, extra=()):
    """Load the file with one line changed: (exit status, rejects, loaded lines, rows)."""
    shutil.rmtree("d", ignore_errors=True)
    os.mkdir("d")
    shutil.copy("job/job-n0.json", "d")
    body = list(lines)
    body[victim] = changed
    open("d/n0-1000.tsv", "wb").write(b"\n".join(body))
    for f in ("x.db", "x.db-wal", "x.db-shm"):
        if os.path.exists(f):
            os.unlink(f)
    p = subprocess.run([perfmon, "submit", "d"], env=dict(os.environ, PERFMON_DB="x.db"),
                       capture_output=True)
    db = sqlite3.connect("x.db")
    rejects = db.execute("select line, reason, bytes from reject order by line").fetchall()
    total = db.execute("select sum(lines), sum(rejected) from load").fetchone()
    rows = db.execute("select pid, image_us, end_reason, usertime, exitcode from process "
                      "order by pid, image_us").fetchall()
    summary = db.execute("select rejected, processes from job").fetchone()
    db.close()
    return p.returncode, rejects, total, rows, summary, p.stderr


base = load(good)
assert base[0] == 0 and base[1] == [], base
count = 0


def report(name, problems):
    global count
    count += 1
    print(("not ok" if problems else "ok"), count, "-", name)
    for p in problems[:5]:
        print("#", p)


def check(name, cases, whole=False):
    """Each case must be rejected, exactly it, and every other line be loaded as before."""
    problems = []
    for label, changed in cases:
        rc, rejects, total, rows, summary, err = load(changed)
        parts = [l for l in changed.split(b"\n") if l]
        if rc != 1:
            problems.append("%s: exit status %d: %s" % (label, rc, err))
        elif len(rejects) < 1 or len(rejects) > len(parts):
            problems.append("%s: %d rejects" % (label, len(rejects)))
        elif total[0] != records - 1 + (len(parts) - 1) or total[1] != len(rejects):
            # the header is no record; a cut may make one line two
            problems.append("%s: %s lines, %d rejects" % (label, total, len(rejects)))
        elif not whole and rejects[-1][2] != parts[-1][:65536]:
            problems.append("%s: bytes %r" % (label, rejects[-1][2][:80]))
        elif len(rows) != len(base[3]) or summary[0] != len(rejects):
            problems.append("%s: %d rows" % (label, len(rows)))
        else:
            other = [(a, b) for a, b in zip(rows, base[3]) if a != b]
            # the image that lost its end may differ, and so may the one after it
            if len(other) > 2:
                problems.append("%s: other rows changed: %s" % (label, other[:2]))
    report(name, problems)


def replaced(i, value):
    f = list(fields)
    f[i] = value
    return b"\t".join(f)


everywhere = range(len(fields))
check("cut inside every field", [("field %d" % i, b"\t".join(fields[:i] + [fields[i][:-1]]))
      for i in everywhere if not (i == 0 and len(fields[0]) == 1)])
check("cut behind every field", [("field %d" % i, b"\t".join(fields[:i + 1])) for i in everywhere[:-1]])
check("cut at every tenth byte", [("byte %d" % i, good[:i]) for i in range(1, len(good), 10)])
check("a field too many at every place", [("field %d" % i, b"\t".join(fields[:i] + [b"7"] + fields[i:]))
      for i in range(len(fields) + 1)])
check("a field missing at every place", [("field %d" % i, b"\t".join(fields[:i] + fields[i + 1:]))
      for i in everywhere])
check("a NUL byte in every field", [("field %d" % i, replaced(i, fields[i] + b"\0")) for i in everywhere])
check("a raw control character in every field", [("field %d" % i, replaced(i, fields[i] + b"\x01"))
      for i in everywhere])
check("a byte that is not UTF-8 in every field", [("field %d" % i, replaced(i, fields[i] + b"\xff"))
      for i in everywhere])
check("an escape that is none in every field", [("field %d" % i, replaced(i, fields[i] + b"\\q"))
      for i in everywhere])

text = {b"record", b"boot_id", b"hostname", b"exename", b"path", b"args", b"tags", b"jobid", b"step",
        b"cgroup", b"container", b"thread_name", b"end_reason", b"counters", b"version", b"last_call"}
numbers = [i for i in everywhere[1:-1] if names[i] not in text]
check("a quote in every number", [("field %d" % i, replaced(i, b'"' + fields[i])) for i in numbers])
check("garbage in every number", [("field %d" % i, replaced(i, b"x%$")) for i in numbers])
check("nothing in every number", [("field %d" % i, replaced(i, b"")) for i in numbers])
check("a number out of range in every number",
      [("field %d" % i, replaced(i, b"9" * 20)) for i in numbers])
negative = [i for i in numbers if names[i] not in
            {b"generation", b"tid", b"localid", b"pgid", b"sid", b"uid", b"mpirank", b"numranks",
             b"numtids", b"num_threads", b"processor"}]
check("a negative number where none can be", [("field %d" % i, replaced(i, b"-1")) for i in negative])
check("a key missing", [(n.decode(), replaced(names.index(n), b"\\N"))
      for n in (b"record", b"pid", b"image_us")])
check("a kind of record that is none", [("record", replaced(1, b"stop"))])
check("a garbage line", [("text", b"garbage"), ("binary", bytes(range(1, 10)) + bytes(range(11, 256))),
                         ("tabs", b"\t" * 100), ("a number", b"1"), ("another version", replaced(0, b"9"))])
check("a line of 5 MB", [("text", b"x" * (5 << 20)), ("a field", replaced(11, b"x" * (5 << 20)))])
check("a duplicate", [("end", good + b"\n" + good)])
check("a header that is cut", [("header", good + b"\nperfmon-tsv-1\trecord\tboot_id")])

# A quote is an ordinary character in a text: nothing is lost.
problems = []
for i in everywhere[1:-1]:
    if names[i] in text - {b"record", b"end_reason", b"boot_id", b"hostname"}:
        rc, rejects, total, rows, summary, err = load(replaced(i, b"un\"balanced ' quote"))
        if rc or rejects:
            problems.append("%s: %d %s" % (names[i], rc, rejects))
report("quotes in texts are texts", problems)

# Whatever is cut off the end of the file, the lines before it load.
problems = []
data = b"\n".join(lines)
for cut in range(1, len(good) + 40, 7):
    shutil.rmtree("d", ignore_errors=True)
    os.mkdir("d")
    shutil.copy("job/job-n0.json", "d")
    part = data.rstrip(b"\n")[:-cut]
    open("d/n0-1000.tsv", "wb").write(part)
    for f in ("x.db", "x.db-wal", "x.db-shm"):
        if os.path.exists(f):
            os.unlink(f)
    p = subprocess.run([perfmon, "submit", "d"], env=dict(os.environ, PERFMON_DB="x.db"),
                       capture_output=True)
    db = sqlite3.connect("x.db")
    n = sum(1 for l in part.split(b"\n") if l) - 1
    got = db.execute("select sum(lines), sum(rejected) from load").fetchone()
    last = part.split(b"\n")[-1]
    bad = 0 if last in lines or not last else 1
    if got != (n, bad) or p.returncode != bad:
        problems.append("cut %d: %s, %d lines, exit status %d" % (cut, got, n, p.returncode))
    db.close()
report("a file cut anywhere in its last lines", problems)

# Random damage: every line that is not empty is loaded or rejected.
import random
random.seed(7)
problems = []
for turn in range(60):
    b = bytearray(b"\n".join(lines))
    for _ in range(random.choice((1, 3, 50, len(b) // 20))):
        at = random.randrange(len(b))
        b[at] = random.randrange(256)
    shutil.rmtree("d", ignore_errors=True)
    os.mkdir("d")
    shutil.copy("job/job-n0.json", "d")
    open("d/n0-1000.tsv", "wb").write(b)
    for f in ("x.db", "x.db-wal", "x.db-shm"):
        if os.path.exists(f):
            os.unlink(f)
    p = subprocess.run([perfmon, "submit", "d"], env=dict(os.environ, PERFMON_DB="x.db"),
                       capture_output=True)
    db = sqlite3.connect("x.db")
    total, rejected = db.execute("select sum(lines), sum(rejected) from load").fetchone()
    kept = db.execute("select count(*) from reject").fetchone()[0]
    headers = sum(1 for l in bytes(b).split(b"\n") if l.startswith(b"perfmon-tsv-"))
    n = sum(1 for l in bytes(b).split(b"\n") if l)
    if p.returncode not in (0, 1) or (rejected > 0) > p.returncode or kept != rejected or \
       not n - headers <= total <= n:
        problems.append("turn %d: status %d, %s of %d, %d kept: %s" %
                        (turn, p.returncode, total, n, kept, p.stderr[-200:]))
    db.close()
report("random damage: every line is accounted for", problems)
print("1..%d" % count)
EOF
# Its TAP is this test's.
PERFMON=$PERFMON python3 damage.py
