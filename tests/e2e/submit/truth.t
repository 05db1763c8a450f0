#!/bin/sh
# Made-up jobs of several hosts and containers whose pids are alike and come back, with execs in a row and
# links in a circle: every process has the parent, end and time that the generator gave it, whatever the
# order of its lines and files. `make check-submit` takes more and larger ones.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

if ! need python3; then
	skip "truth" "no $missing to compare with"
	done_testing
fi

cat >truth.py <<'EOT'
import glob, os, random, shutil, sqlite3, subprocess, sys

perfmon, generate = os.environ["PERFMON"], os.environ["abs_top_builddir"] + "/tests/progs/generate"
processes, seeds = int(sys.argv[1]), int(sys.argv[2])
env = dict(os.environ, PERFMON_DB="x.db")
count = 0


def number(s):
    return None if s in (None, "\\N") else int(s)


def truth(path):
    """Image -> all that is true of it. What only a wait told of has no image_us, and is named by its end."""
    rows = {}
    for line in open(path):
        f = line.rstrip("\n").split("\t")
        boot, ns, pid, us, generation, end, pns, ppid, pus, why, code, sig, threads, cpu = f
        key = boot, int(ns), int(pid), number(us), None if number(us) else int(end)
        parent = None if ppid == "\\N" else (boot, int(pns), int(ppid), number(pus))
        rows[key] = (number(generation), parent, why, number(code), number(sig), int(cpu))
    return rows


def loaded():
    db = sqlite3.connect("x.db")
    rows = {}
    for boot, ns, pid, us, end, generation, why, code, sig, cpu, pboot, pns, ppid, pus in db.execute(
            "select h.boot_id, p.pid_ns, p.pid, p.image_us, p.end_us, p.generation, p.end_reason, p.exitcode, "
            "p.exitsignal, p.cpu_time, g.boot_id, q.pid_ns, q.pid, q.image_us from process p join host h on "
            "h.job_id = p.job_id and h.id = p.host_id left join process q on q.job_id = p.job_id and "
            "q.id = p.parent_id left join host g on g.job_id = q.job_id and g.id = q.host_id"):
        key = boot, ns, pid, us, None if us else end
        assert key not in rows, key
        rows[key] = (generation, None if ppid is None else (pboot, pns, ppid, pus), why, code, sig, cpu)
    db.close()
    return rows


def remove():
    for f in glob.glob("x.db*"):
        os.unlink(f)


def load(*sources):
    return subprocess.run([perfmon, "-q", "submit"] + list(sources), env=env, stderr=open("err", "w")).returncode


def test(want, label):
    global count
    got = loaded()
    wrong = [(k, want[k], got.get(k)) for k in want if got.get(k) != want[k]]
    wrong += [(k, None, got[k]) for k in got if k not in want]
    count += 1
    print("not ok" if wrong else "ok", count, "-", label)
    print("# %d of %d processes are wrong" % (len(wrong), len(want)))
    for w in wrong[:4]:
        print("#", *w)


def lines(directory):
    """Header and record lines of a job, by host."""
    header, records = b"", {}
    for path in sorted(glob.glob(directory + "/*.tsv")):
        host = os.path.basename(path).split("-")[0]
        for line in open(path, "rb").read().split(b"\n"):
            if line.startswith(b"perfmon-tsv-"):
                header = line
            elif line:
                records.setdefault(host, []).append(line)
    return header, records


def split(directory, parts, seed):
    """The job's lines in any order in the files of so many directories, all with the metadata."""
    header, records = lines(directory)
    random.seed(seed)
    names = ["part%d" % i for i in range(parts)]
    for name in names:
        shutil.rmtree(name, ignore_errors=True)
        os.mkdir(name)
    for host, all in records.items():
        random.shuffle(all)
        for i, name in enumerate(names):
            shutil.copy("%s/job-%s.json" % (directory, host), name)
            with open("%s/%s-%d.tsv" % (name, host, i), "wb") as f:
                f.write(b"\n".join([header] + all[i::parts]) + b"\n")
    random.shuffle(names)
    return names


for seed in range(1, seeds + 1):
    for d in glob.glob("job*"):
        shutil.rmtree(d)
    made = [generate, "--containers", "2", "--pid-max", "500",
            "--chains", str(2 + seed % 4), "--cycles", "3", "--threaded", "10", "--seed", str(seed), "--truth", "truth"]
    subprocess.run(made + ["job", str(processes), "2"], check=True, stdout=subprocess.DEVNULL)
    want = truth("truth")
    for label, form in (("a file per host", []), ("a file per process", ["--per-process"])):
        remove()
        shutil.rmtree("job", ignore_errors=True)
        subprocess.run(made + form + ["job", str(processes), "2"], check=True, stdout=subprocess.DEVNULL)
        load("job")
        test(want, "seed %d, %s" % (seed, label))
    for parts in 1, 3:
        remove()
        names = split("job", parts, seed)
        load(*names)
        test(want, "seed %d, lines in any order in %d directories at once" % (seed, parts))
    remove()
    for name in names:
        load(name)
    test(want, "seed %d, one directory after the other" % seed)
print("1..%d" % count)
EOT
export PERFMON
python3 truth.py "${PM_TRUTH_PROCESSES:-400}" "${PM_TRUTH_SEEDS:-2}"
