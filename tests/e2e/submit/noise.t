#!/bin/sh
# Bytes changed at random in many files: each line is taken or rejected as an independent account of the
# files has it, and nothing else is lost. `make check-submit` does so with 10 000 files and more seeds.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

if ! need python3; then
	skip "noise" "no $missing to damage with"
	done_testing
fi
files=${PM_NOISE_FILES:-300}
"$abs_top_builddir/tests/progs/generate" whole $((files * 2)) 4 >/dev/null || exit 99

cat >noise.py <<'EOT'
import importlib.util, os, random, shutil, sqlite3, subprocess, sys

sys.dont_write_bytecode = True

top, perfmon, files = os.environ["abs_top_srcdir"], os.environ["PERFMON"], int(sys.argv[1])
spec = importlib.util.spec_from_file_location("oracle", top + "/tests/e2e/submit-oracle.py")
oracle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(oracle)
known = oracle.columns(top + "/common/safe/columns.def")
limits = oracle.bounds(top + "/common/safe/columns.def")

# A file per process, as the setting PER_PROCESS has them.
made = {}
for name in sorted(os.listdir("whole")):
    if not name.endswith(".tsv"):
        continue
    lines = [l for l in open("whole/" + name, "rb").read().split(b"\n") if l]
    pid = lines[0].split(b"\t").index(b"pid")
    for l in lines[1:]:
        made.setdefault("%s-%s-1.tsv" % (name[:2], l.split(b"\t")[pid].decode()), [lines[0]]).append(l)
made = {n: b"\n".join(l) + b"\n" for n, l in list(made.items())[:files]}
count = 0


def test(ok, name, why=""):
    global count
    count += 1
    print("ok" if ok else "not ok", count, "-", name)
    if not ok:
        print("# " + str(why)[:500])


def turn(seed, rate, metadata):
    label = "%g %% of the bytes of %d files, seed %d" % (100 * rate, len(made), seed)
    random.seed(seed)
    shutil.rmtree("d", ignore_errors=True)
    os.mkdir("d")
    for f in ("x.db", "x.db-wal", "x.db-shm"):
        if os.path.exists(f):
            os.unlink(f)
    changed = 0
    kept = [n for n in os.listdir("whole") if n.endswith(".json")]
    for name in list(made) + kept:
        b = bytearray(made[name] if name in made else open("whole/" + name, "rb").read())
        n = int(len(b) * rate + random.random())
        for _ in range(n if name in made or metadata else 0):
            b[random.randrange(len(b))] ^= random.randrange(1, 256)
        changed += n
        open("d/" + name, "wb").write(b)
    # By a process of its own, which is small: a child's peak begins with that of its parent.
    p = subprocess.run([sys.executable, "-c", "import os, sys; p = os.posix_spawn(sys.argv[1], sys.argv[1:], "
                        "os.environ); print(*[(s, u.ru_maxrss) for p, s, u in [os.wait4(p, 0)]][0], file=sys.stderr)",
                        perfmon, "-q", "submit", "d"], env=dict(os.environ, PERFMON_DB="x.db"), stderr=open("err", "wb"))
    status, peak_kb = map(int, open("err").read().split("\n")[-2].split())
    want = oracle.read("d", known, limits)
    test(status == 256, label + ": exit status 1", (status, open("err").read()[-300:]))
    db = sqlite3.connect("x.db")
    got = {r[0]: r[1:] for r in db.execute("select file, lines, rejected from load where file like '%.tsv'")}
    expected = {n: (want.lines[n], len(want.rejects[n])) for n in want.lines}
    wrong = [(n, expected[n], got.get(n)) for n in expected if got.get(n) != expected[n]]
    test(not wrong and len(got) == len(expected), label + ": lines and rejects of each file", wrong[:3])
    rejected = {(f, l): b for f, l, b in db.execute("select file, line, bytes from reject")}
    expected = {(n, l): b for n in want.rejects for l, b in want.rejects[n].items()}
    wrong = [(k, rejected.get(k)) for k in expected if rejected.get(k) != expected[k]]
    test(not wrong and len(rejected) == len(expected), label + ": each reject with its number and bytes", wrong[:3])
    rows = {((h or (h, n), -1 if ns is None else ns), pid, us) for h, n, ns, pid, us in db.execute(
        "select coalesce(h.boot_id, ''), h.hostname, p.pid_ns, p.pid, p.image_us from process p join host h "
        "on h.job_id = p.job_id and h.id = p.host_id where p.image_us is not null")}
    rows = {((h.encode() if isinstance(h, str) else (h[0].encode(), (h[1] or "").encode()), ns), pid, us)
            for (h, ns), pid, us in rows}
    count_of = lambda t: db.execute("select count(*) from " + t).fetchone()[0]
    taken, lines = sum(want.taken.values()), sum(want.lines.values())
    test(taken + len(rejected) == lines, label + ": lines taken and rejects are the lines")
    # What is in no image's row is a process known by the wait for it alone.
    others = count_of("process") - len(want.images - want.excluded)
    test(want.images - want.excluded <= rows and 0 <= others <= want.taken[b"reaped"] and
         count_of("thread_row") == want.taken[b"thread"], label + ": the lines taken are in the rows",
         (others, list(want.images - want.excluded - rows)[:3], count_of("thread_row"), want.taken))
    test(db.execute("pragma integrity_check").fetchone()[0] == "ok", label + ": the database is whole")
    db.close()
    print("# %d bytes changed; %d lines, %d taken, %d rejected; %d kB" %
          (changed, lines, taken, len(rejected), peak_kb))
    # Sanitizers keep what was freed.
    if os.environ.get("PM_SANITIZED") != "yes":
        test(peak_kb <= 98304, label + ": memory", "%d kB" % peak_kb)


for seed in range(1, int(sys.argv[2]) + 1):
    for rate, metadata in ((0.05, False), (0.0002, False), (0.002, True)):
        turn(seed, rate, metadata)
print("1..%d" % count)
EOT
# Its TAP is this test's.
export PERFMON
python3 noise.py "$files" "${PM_NOISE_SEEDS:-1}"
