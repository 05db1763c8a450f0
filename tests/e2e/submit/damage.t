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
import glob, os, random, shutil, sqlite3, subprocess

perfmon = os.environ["PERFMON"]
lines = open("job/n0-1000.tsv", "rb").read().split(b"\n")
names = lines[0].split(b"\t")
# The end of an exec'ed image, the second one of its pid, whose start and reaped lines stay.
pids = set()
for victim, good in enumerate(lines):
    fields = good.split(b"\t")
    if fields[1:2] != [b"end"]:
        continue
    if fields[names.index(b"pid")] in pids:
        break
    pids.add(fields[names.index(b"pid")])
assert fields[names.index(b"end_reason")] == b"exit"
records = sum(1 for l in lines if l)


metadata = open("job/job-n0.json").read()


def submit(files):
    """Load record files, each as a job of its own: what is said of them, and their parts."""
    for f in glob.glob("x.db*"):
        os.unlink(f)
    shutil.rmtree("d", ignore_errors=True)
    folders = ["d/%d" % i for i in range(len(files))]
    for folder, i, body in zip(folders, range(len(files)), files):
        os.makedirs(folder)
        open(folder + "/job-n0.json", "w").write(metadata.replace('"4711"', '"%d"' % i))
        open(folder + "/n0-1000.tsv", "wb").write(body)
    p = subprocess.run([perfmon, "submit"] + folders, env=dict(os.environ, PERFMON_DB="x.db"),
                       capture_output=True)
    db = sqlite3.connect("x.db")
    number = dict(db.execute("select jobid, id from job").fetchall())
    results = []
    for i in range(len(files)):
        job = (number.get(str(i)),)
        rejects = db.execute("select line, reason, bytes from reject where job_id = ? order by line", job)
        total = db.execute("select sum(lines), sum(rejected) from load where job_id = ?", job)
        rows = db.execute("select pid, image_us, end_reason, usertime, exitcode from process "
                          "where job_id = ? order by pid, image_us", job)
        summary = db.execute("select rejected, processes from job where id = ?", job)
        results.append((rejects.fetchall(), total.fetchone(), rows.fetchall(), summary.fetchone()))
    db.close()
    return p.returncode, results, p.stderr


def changed(line):
    body = list(lines)
    body[victim] = line
    return b"\n".join(body)


status, (base,), said = submit([changed(good)])
assert status == 0 and base[0] == [], (status, base, said)
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
    cases = list(cases)
    # The status is of all that are loaded at once: the first one's by itself.
    status = [submit([changed(cases[0][1])])[0]]
    rc, results, said = submit([changed(line) for label, line in cases])
    if status + [rc] != [1, 1]:
        problems.append("exit status %s, %d: %s" % (status, rc, said[-200:]))
    for (label, line), (rejects, total, rows, summary) in zip(cases, results):
        parts = [l for l in line.split(b"\n") if l]
        if len(rejects) < 1 or len(rejects) > len(parts):
            problems.append("%s: %d rejects" % (label, len(rejects)))
        elif total[0] != records - 1 + (len(parts) - 1) or total[1] != len(rejects):
            # the header is no record; a cut may make one line two
            problems.append("%s: %s lines, %d rejects" % (label, total, len(rejects)))
        elif not whole and rejects[-1][2] != parts[-1][:65536]:
            problems.append("%s: bytes %r" % (label, rejects[-1][2][:80]))
        elif len(rows) != len(base[2]) or summary[0] != len(rejects):
            problems.append("%s: %d rows" % (label, len(rows)))
        else:
            other = [(a, b) for a, b in zip(rows, base[2]) if a != b]
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
keys = [names.index(n) for n in (b"pid", b"image_us", b"pid_ns")]
check("a negative key", [("field %d" % i, replaced(i, b"-1")) for i in keys])

# A value that cannot be is unknown; the rest of its line loads.
problems = []
metrics = [(i, v) for i in numbers if i not in keys and names[i] != b"generation" for v in (b"-2", b"%d" % (2**63 - 1))
           if not (names[i] == b"tid" and v == b"-2")]
rc, results, said = submit([changed(replaced(i, v)) for i, v in metrics])
for (i, v), (rejects, total, rows, summary) in zip(metrics, results):
    if rejects or len(rows) != len(base[2]) or summary[0]:
        problems.append("%s: %s, %d rows" % (names[i], rejects, len(rows)))
    elif b"%s: 1 value out of range, which is unknown (n0-1000.tsv, line %d)" % (names[i], victim + 1) not in said:
        problems.append("%s: not said" % names[i])
    elif len([1 for a, b in zip(rows, base[2]) if a != b]) > 2:
        problems.append("%s: other rows changed" % names[i])
if rc != 1:
    problems.append("exit status %d" % rc)
report("a number that cannot be costs its column alone", problems)
check("a key missing", [(n.decode(), replaced(names.index(n), b"\\N"))
      for n in (b"record", b"pid", b"image_us")])
check("a kind of record that is none", [("record", replaced(1, b"stop"))])
check("a garbage line", [("text", b"garbage"), ("binary", bytes(range(1, 10)) + bytes(range(11, 256))),
                         ("tabs", b"\t" * 100), ("a number", b"1"), ("another version", replaced(0, b"9"))])
check("a line of 5 MB", [("text", b"x" * (5 << 20)), ("a field", replaced(11, b"x" * (5 << 20)))])
check("a duplicate", [("end", good + b"\n" + good)])
check("a header that is cut", [("header", good + b"\nperfmon-tsv-1\trecord\tboot_id")])

# Whatever byte of the header is damaged, the records below it load as they are; of one that is no longer a
# line of its own, the first of them goes with it.
problems = []
places = list(range(0, len(lines[0]), 12)) + [len(lines[0])]
files = []
for at in places:
    b = bytearray(b"\n".join(lines))
    b[at] ^= 1 + at % 7
    files.append(bytes(b))
rc, results, said = submit(files)
for at, b, (rejects, total, rows, summary) in zip(places, files, results):
    split = b[at] == 10
    if at == 12 and rows == base[2]:
        continue  # as of another version of the format, which is none of these records'
    if not 1 <= len(rejects) <= 1 + split or rejects[0][0] != 1 or \
       at < len(lines[0]) and rows != base[2] or at == len(lines[0]) and len(rows) != len(base[2]):
        problems.append("byte %d: %s, %d rows" % (at, [r[:2] for r in rejects], len(rows)))
if rc != 1:
    problems.append("exit status %d: %s" % (rc, said[-200:]))
report("a damaged header costs no record", problems)

# A quote is an ordinary character in a text: nothing is lost.
quoted = [i for i in everywhere[1:-1]
          if names[i] in text - {b"record", b"end_reason", b"boot_id", b"hostname"}]
rc, results, said = submit([changed(replaced(i, b"un\"balanced ' quote")) for i in quoted])
report("quotes in texts are texts", ["%s: %s" % (names[i], r[0]) for i, r in zip(quoted, results) if r[0]] +
       (["exit status %d: %s" % (rc, said)] if rc else []))

# Whatever is cut off the end of the file, the lines before it load.
problems = []
data = b"\n".join(lines).rstrip(b"\n")
parts = [data[:-cut] for cut in range(1, len(good) + 40, 7)]
rc, results, said = submit(parts)
wrong = 0
for part, (rejects, total, rows, summary) in zip(parts, results):
    n = sum(1 for l in part.split(b"\n") if l) - 1
    last = part.split(b"\n")[-1]
    bad = 0 if last in lines or not last else 1
    wrong += bad
    if total != (n, bad):
        problems.append("%d bytes cut: %s, %d lines" % (len(data) - len(part), total, n))
if rc != 1 or not wrong:
    problems.append("exit status %d, %d are damaged: %s" % (rc, wrong, said[-200:]))
report("a file cut anywhere in its last lines", problems)

# Random damage: every line that is not empty is loaded or rejected.
random.seed(7)
problems = []
files = []
for turn in range(60):
    b = bytearray(b"\n".join(lines))
    for _ in range(random.choice((1, 3, 50, len(b) // 20))):
        at = random.randrange(len(b))
        b[at] = random.randrange(256)
    files.append(bytes(b))
rc, results, said = submit(files)
for turn, (b, (rejects, total, rows, summary)) in enumerate(zip(files, results)):
    headers = sum(1 for l in b.split(b"\n") if l.startswith(b"perfmon-tsv-"))
    n = sum(1 for l in b.split(b"\n") if l)
    if None in total or len(rejects) != total[1] or not n - headers <= total[0] <= n:
        problems.append("turn %d: %s of %d, %d kept" % (turn, total, n, len(rejects)))
if rc != 1:
    problems.append("exit status %d: %s" % (rc, said[-200:]))
report("random damage: every line is accounted for", problems)
print("1..%d" % count)
EOF
# Its TAP is this test's.
PERFMON=$PERFMON python3 damage.py
