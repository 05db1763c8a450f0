"""The samples of a host as rows, from the database: the rules of export's layouts once more, in another language.

A row is a tick of the series that has most samples of some sources; where that has none for more than two of its mean
periods, and before its first and behind its last, it is one of the series with most samples of another of the sources that
is more than half a period from other rows. A sample stands in the row whose time is nearest, halves belong to the earlier,
and the latest known one of several counts; behind the last row that is half a period."""
import bisect
import sqlite3


def hosts(db, job, reserved=("host_names", "sampling_frequency")):
    """Numbers and names of the job's hosts; a name that is no text, or another's, too, is made one of its own."""
    found = {}
    for number, name in db.execute("SELECT id, CAST(hostname AS BLOB) FROM host WHERE job_id = ? ORDER BY id", (job,)):
        name = f"host-{number}" if name is None else name.decode("utf-8", "replace")
        while name in found or name in reserved:
            name += f"#{number}"
        found[name] = number
    return found


def job_number(db, jobid):
    return db.execute("SELECT id FROM job WHERE jobid = ?", (jobid,)).fetchone()[0]


class Host:
    """A host, whose series are read when they are asked for."""

    def __init__(self, db, job, number):
        self.db, self.job = db, job
        self.number = {key[1:]: key[0] for key in db.execute(
            "SELECT id, source, metric, object FROM series WHERE job_id = ? AND host_id = ? AND "
            "kind IN ('gauge', 'counter') ORDER BY id", (job, number)).fetchall()}
        self.order = list(self.number)
        self.forget()
        self.cpu_id = db.execute("SELECT cpu_id FROM host WHERE job_id = ? AND id = ?", (job, number)).fetchone()[0]

    def forget(self):
        """Keep nothing that was read: a job has many hosts."""
        self.times, self.read, self.series = [], {}, {}

    def samples(self, key):
        if key not in self.series:
            self.series[key] = self.db.execute(
                "SELECT time_us, monotonic_us, value FROM sample WHERE job_id = ? AND series_id = ? ORDER BY time_us",
                (self.job, self.number[key])).fetchall() if key in self.number else []
        return self.series[key]

    def begin(self, sources, obj=None):
        """Choose the rows. Returns whether there are any."""
        best, of_source = [], {}
        for key in self.order:
            if key[0] in sources and (obj is None or key[2] == obj):
                times = [s[0] for s in self.samples(key)]
                best = max(best, times, key=len)
                of_source[key[0]] = max(of_source.get(key[0], []), times, key=len)
        self.half = (best[-1] - best[0]) // (len(best) - 1) // 2 if len(best) > 1 else 1 << 63
        others = sorted(t for times in of_source.values() for t in times)
        self.times, self.read = [], {}

        def fill(after, before):
            for t in others:
                if after + self.half < t < before - self.half:
                    self.times.append(t)
                    after = t
        for i, t in enumerate(best):
            if i == 0 or t > best[i - 1] + 4 * self.half:
                fill(best[i - 1] if i else -1 << 63, t)
            self.times.append(t)
        if best:
            fill(best[-1], 1 << 63 if self.half < 1 << 63 else 0)
        return bool(best)

    def cells(self, source, metric, obj=""):
        """Of each row the latest known sample (time, monotonic, value), or None."""
        key = (source, metric, obj)
        if key not in self.read:
            ends = [a + (b - a) // 2 for a, b in zip(self.times, self.times[1:])]
            row = [None] * len(self.times)
            for sample in self.samples(key):
                if sample[2] is not None and sample[0] <= self.times[-1] + self.half:
                    row[bisect.bisect_left(ends, sample[0])] = sample
            self.read[key] = row
        return self.read[key]

    def has(self, source, metric, obj=""):
        return (source, metric, obj) in self.number

    def objects(self, source, metric):
        return [k[2] for k in self.order if k[:2] == (source, metric) and k[2]]

    def total(self, terms, divisor=1, obj=""):
        """Sums of values; of whole numbers as they are."""
        out = []
        for row in zip(*(self.cells(*t.split("."), obj) for t in terms)):
            if None in row:
                out.append(None)
            else:
                s = sum(x[2] for x in row)
                out.append(s if divisor == 1 else s / divisor)
        return out

    def steps(self, source, metric, obj=""):
        """Of each row (time before, seconds since, difference), or None."""
        before, out = None, []
        for cell in self.cells(source, metric, obj):
            step = None
            if cell and before and cell[2] >= before[2]:
                us = cell[1] - before[1] if cell[1] is not None and before[1] is not None else cell[0] - before[0]
                step = (before[0], us / 1e6, cell[2] - before[2])
            out.append(step)
            before = cell or before
        return out

    def together(self, terms):
        """Of each row the differences of terms (source, metric, object) since the same time, or None."""
        out = []
        for row in zip(*(self.steps(*t) for t in terms)):
            same = None not in row and len({s[0] for s in row}) == 1
            out.append((row[-1][1], [s[2] for s in row]) if same else None)
        return out if terms else [None] * len(self.times)

    def event(self, name):
        """Of each row (time before, seconds, estimated count), or None."""
        out = []
        for step in zip(*(self.steps("perf", m, name) for m in ("count", "enabled", "running"))):
            if None in step or len({s[0] for s in step}) > 1 or step[1][2] > step[2][2] == 0:
                out.append(None)
            else:
                (before, seconds, count), enabled, running = step[0], step[1][2], step[2][2]
                out.append((before, seconds, count * enabled / running if enabled > running else count))
        return out

    def events(self, names):
        """Of each row (seconds, counts) of events that are known since the same time, or None."""
        out = []
        for row in zip(*(self.event(n) for n in names)):
            same = None not in row and len({x[0] for x in row}) == 1
            out.append((row[0][1], [x[2] for x in row]) if same else None)
        return out


def open_database(path):
    db = sqlite3.connect(path)
    return db


def near(a, b):
    """Whether two values are the same: whole numbers exactly, others but for rounding."""
    if a is None or b is None or isinstance(a, str):
        return a is b or a == b
    return a == b if isinstance(a, int) and isinstance(b, int) else abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-300)
