"""Export a job in every format and kind, read each back, and compare all values with the database: readback.py DATABASE JOBID

Rows come through a pipe where the format allows it, so that no file is larger than the memory that reads it. Prints a line
FORMAT, a tab, and what was compared of it, and behind them what differs, if anything. Exits with 1 then."""
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.join(os.environ["abs_top_srcdir"], "tests/e2e/export")
sys.path.insert(0, HERE)
import folded  # noqa: E402
import read  # noqa: E402
import trace  # noqa: E402

FORMATS = "csv tsv json jsonl bulk parquet hdf5".split()
FILES = {"parquet", "hdf5"}


def has(*modules):
    return subprocess.run([sys.executable, "-c", "import " + ",".join(modules)], stderr=subprocess.DEVNULL).returncode == 0


class Export:
    """An export, and what it cost."""

    def __init__(self, *words, pipe=False):
        self.words, self.begun, self.peak = words, time.monotonic(), 0
        self.child = subprocess.Popen([os.environ["PERFMON"], "-q", "export", *words],
                                      stdout=subprocess.PIPE if pipe else subprocess.DEVNULL, stderr=subprocess.PIPE)
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        """Note the peak of its memory while it runs: what wait4() tells has that of this program in it."""
        while True:
            try:
                with open(f"/proc/{self.child.pid}/status", encoding="utf-8") as f:
                    self.peak = int(re.search(r"VmHWM:\s*(\d+)", f.read()).group(1)) / 1024
            except (OSError, AttributeError):
                return
            time.sleep(0.01)

    def end(self):
        """Wait for it. Returns (seconds, peak of memory in MB)."""
        said = self.child.stderr.read().decode("utf-8", "replace")
        if self.child.wait():
            raise RuntimeError(f"export {' '.join(self.words)}: status {self.child.returncode}: {said}")
        return time.monotonic() - self.begun, self.peak


class Readback:
    def __init__(self, database, jobid):
        self.database, self.jobid = database, jobid
        self.db = sqlite3.connect(database)
        self.db.text_factory = bytes
        self.job, = self.db.execute("SELECT id FROM job WHERE jobid = ?", (jobid,)).fetchone()
        self.directory = tempfile.mkdtemp(dir=".")
        self.bad = []
        self.parts, self.values, self.seconds, self.peak = [], 0, 0, 0

    def path(self, name):
        return os.path.abspath(os.path.join(self.directory, name))

    def took(self, cost):
        self.seconds += cost[0]
        self.peak = max(self.peak, cost[1])

    def compared(self, part, values, bad):
        self.parts.append(f"{part} {values}")
        self.values += values
        if bad:
            self.bad.append(f"{part}: {bad} differences")

    def say(self, name):
        print(f"{name}\t{self.values} values: {', '.join(self.parts)}; exports took {self.seconds:.0f} s, {self.peak:.0f} MB at most", flush=True)
        self.parts, self.values, self.seconds, self.peak = [], 0, 0, 0

    def kind(self, form, kind):
        c, words = read.Comparison(), [kind] if kind in ("jobs", "metrics") else [kind, f"#{self.job}"]
        if kind == "jobs":
            words += ["--order", "id:asc"]
        jobs = [r[0] for r in self.db.execute("SELECT id FROM job ORDER BY id")] if kind == "jobs" else [self.job]
        if form in FILES:
            path = self.path("rows." + form)
            self.took(Export(*words, "-o", path, "--format", form).end())
            c.file(self.db, kind, form, read.rows_of(form, path), jobs)
            os.unlink(path)
        else:
            export = Export(*words, "--format", form, pipe=True)
            if form == "bulk":
                # What names a document is its own.
                with subprocess.Popen("sort -u -S 32M | wc -l", shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as names:
                    c.file(self.db, kind, form, read.rows_of(form, export.child.stdout, kind, lambda i: names.stdin.write(i + "\n")), jobs)
                    names.stdin.close()
                    if int(names.stdout.read()) != c.rows:
                        c.tell(kind, "documents have the same id")
            else:
                c.file(self.db, kind, form, read.rows_of(form, export.child.stdout), jobs)
            self.took(export.end())
        self.compared(kind, c.values, c.bad)

    def reader(self, *words):
        """Run a program that compares. Returns its last line as numbers."""
        out = subprocess.run([sys.executable, os.path.join(HERE, words[0]), *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = out.stdout.splitlines()
        if out.returncode or not lines or not re.fullmatch(r"[0-9]+( [0-9]+)*( True| False)?", lines[-1]):
            raise RuntimeError(f"{words[0]}: {out.stdout[-2000:]}")
        if lines[:-1]:
            print("\n".join(lines[:10]), flush=True)
        return [int(n) for n in lines[-1].split() if n.isdigit()]

    def rows(self):
        for form in FORMATS:
            if form != "hdf5" or HDF5:
                for kind in read.QUERIES:
                    self.kind(form, kind)
                self.say(form)

    def whole(self):
        if HDF5:
            import hdf5
            path = self.path("all.h5")
            self.took(Export("all", f"#{self.job}", "-o", path).end())
            c = hdf5.compare_jobs(self.database, path, [self.job])
            os.unlink(path)
            self.compared("all", c.values, c.bad)
            self.say("hdf5 of the job")
        path = self.path("trace.pftrace")
        self.took(Export("trace", f"#{self.job}", "-o", path).end())
        slices, instants, samples, values, bad = trace.compare(self.database, path, self.jobid)
        os.unlink(path)
        self.compared(f"{slices} slices, {instants} instants, {samples} samples:", values, bad)
        self.say("trace")
        for measure in folded.OWN:
            path = self.path("stacks")
            self.took(Export("folded", f"#{self.job}", "-o", path, "--measure", measure).end())
            c = folded.compare(self.database, path, self.jobid, measure)
            self.compared(measure, c.values, c.bad)
        self.say("folded")

    def layout(self, name, *words, to, readers):
        self.took(Export(f"#{self.job}", "--layout", name, "-o", self.path(to), *words).end())
        for reader, *more, column in readers:
            counts = self.reader(reader, *more)
            self.compared(reader, counts[column], counts[3] if reader not in ("ska_frames.py",) else 0)
        shutil.rmtree(self.path(to), ignore_errors=True)
        self.say(name)

    def layouts(self):
        of = [self.database, self.jobid]
        tables = ["csv", "tsv", "parquet"]
        frames = HDF5 and has("pandas", "tables")
        self.layout("ska", "--format", ",".join(tables + ["hdf5"] * frames), to="ska", readers=[
            ["ska.py", *of, self.path("ska"), *tables, 1],
            *[["ska_frames.py", self.path("ska"), self.jobid, 2]] * frames])
        self.layout("perf.py", to="reports.json", readers=[["perfpy.py", *of, self.path("reports.json"), 1]])
        self.layout("mlflow", to="runs", readers=[["mlflow_store.py", *of, self.path("runs"), "documented", 1]])
        if frames:
            self.layout("colmet", to="colmet", readers=[["colmet.py", *of, self.path("colmet"), 1]])
            self.layout("colmet", to="colmet.json", readers=[["colmet.py", "--extract", *of, self.path("colmet.json"), 1]])


HDF5 = has("h5py") and subprocess.run([os.environ["PERFMON"], "export", "metrics", "--format", "hdf5"], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL).returncode == 0


def main():
    r = Readback(*sys.argv[1:3])
    try:
        for part in sys.argv[3:] or ("rows", "whole", "layouts"):
            getattr(r, part)()
    finally:
        shutil.rmtree(r.directory)
    own = [resource.getrusage(w).ru_maxrss // 1024 for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"readers\t{own[0]} MB at most, programs of their own {own[1]} MB" + ("" if HDF5 else "; hdf5 was not read: no libhdf5 or h5py"))
    for line in r.bad:
        print(line)
    sys.exit(bool(r.bad))


main()
