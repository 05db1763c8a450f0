"""Compare the layout colmet with the database, value by value.

colmet.py DATABASE JOBID DIRECTORY reads the file with h5py, PyTables and pandas, its mappings as CSV; colmet.py --extract
DATABASE JOBID FILE [METRIC...] its extractor's JSON. Prints what differs, and at the end how many rows, values and unknown ones were compared, and the differences."""
import csv
import glob
import json
import os
import re
import sys

import rows

FROM_TREE = {"usertime": "usertime", "systemtime": "systemtime", "read_char": "rchar", "write_char": "wchar",
             "read_syscalls": "syscr", "write_syscalls": "syscw", "read_bytes": "read_bytes", "write_bytes": "write_bytes",
             "cancelled_write_bytes": "cancelled_write_bytes"}
OF_TASKS = {"cpu_count": 0, "cpu_delay_total": "cpu_delay", "blkio_count": 0, "blkio_delay_total": "blkio_delay", "swapin_count": 0,
            "swapin_delay_total": "swapin_delay", "cpu_run_real_total": "cpu_run_real", "cpu_run_virtual_total": "cpu_run_virtual",
            "ac_btime": None, "ac_etime": None, "ac_utime": "usertime", "ac_stime": "systemtime", "ac_minflt": "minflt",
            "ac_majflt": "majflt", "coremem": 0, "virtmem": 0, "read_char": 0, "write_char": 0, "read_syscalls": 0,
            "write_syscalls": 0, "read_bytes": 0, "write_bytes": 0, "cancelled_write_bytes": 0, "nvcsw": 0, "nivcsw": 0,
            "ac_utimescaled": "usertime_scaled", "ac_stimescaled": "systemtime_scaled",
            "cpu_scaled_run_real_total": "cpu_run_scaled", "freepages_count": 0, "freepages_delay_total": "freepages_delay"}
MEMORY = {"memtotal": "total", "memfree": "free", "buffers": "buffers", "cached": "cached", "swapcached": "swap_cached",
          "active": "active", "inactive": "inactive", "unevictable": "unevictable", "mlocked": "locked", "swaptotal": "swap_total",
          "swapfree": "swap_free", "dirty": "dirty", "writeback": "writeback", "anonpages": "anonymous", "mapped": "mapped",
          "shmem": "shared", "slab": ("slab_reclaimable", "slab_unreclaimable"), "sreclaimable": "slab_reclaimable",
          "sunreclaim": "slab_unreclaimable", "kernelstack": "kernel_stack", "pagetables": "page_tables", "nfs_unstable": None,
          "bounce": None, "writebacktmp": None, "commitlimit": "commit_limit", "committed_as": "committed", "vmalloctotal": None,
          "vmallocused": None, "vmallocchunk": None, "hardwarecorrupted": None, "anonhugepages": "huge_anonymous",
          "hugepages_total": "huge_pages", "hugepages_free": "huge_pages_free", "hugepages_rsvd": None, "hugepages_surp": None,
          "hugepagesize": "huge_page_size", "directmap4k": None, "directmap2m": None}
PAGES = "pgpgin pgpgout pswpin pswpout pgfault pgmajfault".split()
STAT = "cpu_user cpu_nice cpu_system cpu_idle cpu_iowait cpu_irq cpu_softirq cpu_guest cpu_guest_nice".split()
SOURCES = {"taskstats_default": "taskstats process", "procstats_default": "cpu memory vmstat load", "jobprocstats_default": "process",
           "infinibandstats_default": "infiniband cxi", "temperaturestats_default": "thermal", "lustrestats_default": "lustre",
           "RAPLstats_default": "rapl", "perfhwstats_default": "perf", "ipmipowerstats_default": "import",
           "nvidiastats_default": "nvidia"}
OF_JOB = {"taskstats_default", "jobprocstats_default", "perfhwstats_default", "nvidiastats_default"}
EXTRACTED = [*SOURCES]
OF_GPU = "power utilization memory_utilization memory_total memory_free memory_used".split()


def scaled(values, divisor):
    return [None if v is None else int(v / divisor) if divisor > 1 and abs(v) < 2 ** 53 else v // divisor if v >= 0 else -(-v // divisor)
            for v in values]


def integers(host, terms, divisor=1):
    return scaled(host.total(terms), divisor)


def natural(text):
    return [(int(p) if p.isdigit() else p, len(p)) if p.isdigit() else p for p in re.split(r"(\d+)", text)]


class Job:
    def __init__(self, path, jobid):
        self.db = rows.open_database(path)
        self.number = rows.job_number(self.db, jobid)
        self.name, self.jobid = jobid, int(jobid) if jobid.isdigit() else None
        self.start = self.db.execute("SELECT start_us FROM job WHERE id = ?", (self.number,)).fetchone()[0]
        self.hosts = {name: rows.Host(self.db, self.number, n) for name, n in rows.hosts(self.db, self.number, ()).items()}
        every = [key for h in self.hosts.values() for key in h.order]
        zones = {(o, m) for s, m, o in every if s == "rapl" and m.endswith("_energy") and o}
        self.zones = sorted(zones, key=lambda z: (natural(z[0]), z[1]))
        self.events = list(dict.fromkeys(o for s, m, o in every if (s, m) == ("perf", "count") and o))
        self.heat = sorted({o for s, m, o in every if (s, m) == ("thermal", "temperature") and o}, key=natural)

    def columns(self, table, host):
        """Column names and values of a host that has begun its rows."""
        nothing = [None] * len(host.times)
        out = {}
        if table == "taskstats_default":
            for name, metric in OF_TASKS.items():
                metric = name if metric == 0 else metric
                if metric is None:
                    out[name] = [self.start // 10 ** 6 if name == "ac_btime" else t - self.start if t >= self.start else None for t in host.times]
                elif host.has("taskstats", metric):
                    out[name] = integers(host, ["taskstats." + metric])
                else:
                    out[name] = integers(host, ["process." + FROM_TREE[metric]]) if metric in FROM_TREE else nothing
        elif table == "procstats_default":
            out["uptime_total"] = integers(host, ["load.uptime"], 10 ** 6)
            out["uptime_idle"] = integers(host, ["cpu.idle"], 10 ** 6)
            for name, metric in MEMORY.items():
                terms = metric if isinstance(metric, tuple) else [metric]
                out["meminfo_" + name] = nothing if metric is None else integers(
                    host, ["memory." + t for t in terms], 1 if metric.startswith("huge_pages") else 1024) if isinstance(
                        metric, str) else integers(host, ["memory." + t for t in terms], 1024) if metric else nothing
            for m in PAGES:
                out["vmstat_" + m] = integers(host, ["vmstat." + m], 1024 if m in PAGES[:2] else 1)
            for m in STAT:
                out["stat_" + m] = integers(host, ["cpu." + m[4:]], 10000)
            for name, metric in (("intr", "interrupts"), ("ctxt", "context_switches"), ("processes", "forks"), ("procs_blocked", "blocked")):
                out["stat_" + name] = integers(host, ["cpu." + metric])
            for name, metric, divisor in (("1min", "load1", 100), ("5min", "load5", 100), ("15min", "load15", 100),
                                          ("runnable", "runnable", 1), ("total_threads", "tasks", 1)):
                out["loadavg_" + name] = [None if v is None else v / divisor for v in host.total(["load." + metric])]
        elif table == "jobprocstats_default":
            for m in "rchar wchar syscr syscw read_bytes write_bytes cancelled_write_bytes".split():
                out[m] = integers(host, ["process." + m])
            out["VmRSS"], out["RssShmem"] = integers(host, ["process.rss"], 1024), nothing
            out["VmSize"] = integers(host, ["process.vms"], 1024)
        elif table == "infinibandstats_default":
            source = "infiniband" if host.has("infiniband", "tx_bytes") else "cxi"
            for name, m in (("portXmitData", "tx_bytes"), ("portRcvData", "rx_bytes"), ("portXmitPkts", "tx_packets"),
                            ("portRcvPkts", "rx_packets")):
                out[name] = integers(host, [f"{source}.{m}"])
        elif table == "lustrestats_default":
            for name, m in (("nb_read", "reads"), ("bytes_read", "read_bytes"), ("nb_write", "writes"), ("bytes_write", "write_bytes")):
                out["lustre_" + name] = integers(host, ["lustre." + m])
        elif table == "ipmipowerstats_default":
            out["average_power_consumption"] = scaled(host.total(["import.power"], 1, "ipmi/current"), 10 ** 6)
        elif table == "nvidiastats_default":
            for name, m, divisor in (("power", "power", 10 ** 6), ("temperature", None, 1), ("utilization-gpu", "utilization", 100),
                                     ("utilization-memory", "memory_utilization", 100), ("memory-total", "memory_total", 2 ** 20),
                                     ("memory-free", "memory_free", 2 ** 20), ("memory-used", "memory_used", 2 ** 20)):
                gpus = [host.total([f"nvidia.{m}"], 1, o) for o in host.objects("nvidia", m)] if m else []
                out[name] = scaled([None if None in x else sum(x) for x in zip(*gpus)], divisor) if gpus else nothing
        else:
            if table == "RAPLstats_default":
                lists, least = [], 24
                for zone, metric in self.zones:
                    lists += [[s and s[2] for s in host.steps("rapl", metric, zone)], nothing]
            elif table == "perfhwstats_default":
                lists, least = [[e and round(e[2]) for e in host.event(o)] for o in self.events], 5
            else:
                lists, least = [scaled(host.total(["thermal.temperature"], 1, o), 1000) for o in self.heat], 6
            lists += [nothing] * (least - len(lists))
            out = {f"counter_{i + 1}": v for i, v in enumerate(lists)}
        return out

    def jobs(self, host):
        """The jobs on the node of each row, as JSON."""
        found = host.objects("jobs", "present")
        out = []
        for row in range(len(host.times)):
            here = [o for o in found if (host.cells("jobs", "present", o)[row] or (0, 0, 0))[2]]
            names = here or [self.name]
            out.append([int(n) if n.isdigit() and str(int(n)) == n else n for n in names])
        return out

    def table(self, name):
        """The rows of a table as dictionaries; None where no host has any."""
        out = []
        for hostname, host in self.hosts.items():
            if not host.begin(SOURCES[name].split()):
                continue
            if name == "ipmipowerstats_default" and not host.has("import", "power", "ipmi/current"):
                continue
            # What a host counts as a whole, or tells that it is not known, is no counter.
            counted = {"RAPLstats_default": [("rapl", m, z) for z, m in self.zones],
                       "perfhwstats_default": [("perf", "count", e) for e in self.events],
                       "temperaturestats_default": [("thermal", "temperature", z) for z in self.heat],
                       "nvidiastats_default": [k for k in host.order if k[0] == "nvidia" and k[1] in OF_GPU and k[2]]}.get(name)
            if counted is not None and not any(host.has(*c) for c in counted):
                continue
            columns = self.columns(name, host)
            jobs = None if name in OF_JOB else self.jobs(host)
            for i, us in enumerate(host.times):
                row = {"timestamp": us // 10 ** 6, "hostname": hostname, "job_id": self.jobid if name in OF_JOB else 0,
                       "metric_backend": name}
                if jobs is not None:
                    row["involved_jobs"] = jobs[i]
                out.append({**row, **{c: v[i] for c, v in columns.items()}})
            host.forget()
        return out or None


class Comparison:
    def __init__(self):
        self.counts = [0, 0, 0, 0]

    def one(self, where, got, want):
        self.counts[1] += 1
        self.counts[2] += want is None
        if want is None or got is None or isinstance(want, (str, list)):
            same = got == want
        elif isinstance(want, int) and isinstance(got, float):
            # Of a column that is not complete: doubles, which are rounded above 2**53.
            same = got == float(want)
        else:
            same = rows.near(got, want)
        if not same:
            self.differs(f"{where}: {got!r}, not {want!r}")

    def differs(self, what):
        self.counts[3] += 1
        if self.counts[3] <= 10:
            print(what)

    def rows(self, where, got, want):
        if len(got) != len(want):
            self.differs(f"{where}: {len(got)} rows, not {len(want)}")
        for i, (g, w) in enumerate(zip(got, want)):
            self.counts[0] += 1
            if list(g) != list(w):
                self.differs(f"{where}: columns {list(g)}, not {list(w)}")
                return
            for name in w:
                self.one(f"{where} row {i} {name}", g[name], w[name])


def plain(name, value):
    """A value of the file as Python's; NaN is None."""
    if isinstance(value, bytes):
        text = value.decode()
        return json.loads(text) if name == "involved_jobs" else text
    value = value.item()
    return None if value != value else value


def read_h5py(path):
    import h5py
    out = {}
    with h5py.File(path, "r") as f:
        for group in f:
            for name, data in f[group].items():
                assert data.attrs["backend_version"] == 2 and data.chunks and data.compression == "gzip", name
                out[group, name] = [{n: plain(n, r[n]) for n in data.dtype.names} for r in data[:]]
    return out


def read_pytables(path):
    import tables
    import warnings
    warnings.simplefilter("ignore", tables.NaturalNameWarning)
    out = {}
    with tables.open_file(path) as f:
        for t in f.walk_nodes("/", "Table"):
            assert t.nrows == len(t)
            out[t._v_parent._v_name, t.name] = [{n: plain(n, r[n]) for n in t.colnames} for r in t.read()]
    return out


def compare(database, jobid, directory):
    job, c = Job(database, jobid), Comparison()
    seconds = f"{max(job.start // 10 ** 6, 0):010d}"
    want = {("job_" + jobid if n in OF_JOB else "job_0", n): t for n in SOURCES if (t := job.table(n))}
    path = os.path.join(directory, f"colmet.{seconds}.hdf5")
    for how, read in (("h5py", read_h5py), ("pytables", read_pytables)):
        got = read(path)
        if set(got) != set(want):
            c.differs(f"{how}: tables {sorted(got)}, not {sorted(want)}")
        for name in set(got) & set(want):
            c.rows(f"{how} {name}", got[name], want[name])
    import h5py
    import pandas
    with h5py.File(path, "r") as f:
        for group, name in want:
            frame = pandas.DataFrame.from_records(f[group][name][:])
            for column in frame.columns[5:]:
                known = [r[column] for r in want[group, name] if r.get(column) is not None]
                c.one(f"pandas {name} {column}", int(frame[column].count()), len(known))
                if known and not isinstance(known[0], (str, list)):
                    # A column is of integers where every value is known, as colmet has it.
                    real = column.startswith("loadavg")
                    c.one(f"pandas type of {column}", frame[column].dtype.kind,
                          "i" if len(known) == len(frame) and not real else "f")
    labels = {"RAPL": [x for z, m in job.zones for x in (["energy_microjoule", z.split("/")[0], "zone_" + m[:-7]],
                                                        ["max_energy_range_microjoule", z.split("/")[0], "zone_" + m[:-7]])],
              "perfhw": [[e] for e in job.events], "temperature": [[z] for z in job.heat]}
    files = {os.path.basename(p) for p in glob.glob(directory + "/*")}
    expected = {os.path.basename(path)}
    for name, least in (("RAPL", 24), ("perfhw", 5), ("temperature", 6)):
        if ("job_" + jobid, name + "stats_default") in want or ("job_0", name + "stats_default") in want:
            expected.add(f"{name}_mapping.{seconds}.csv")
            with open(os.path.join(directory, f"{name}_mapping.{seconds}.csv"), newline="", encoding="utf-8") as f:
                lines = list(csv.reader(f))
            full = labels[name] + [["no_counter"]] * (least - len(labels[name]))
            c.one(name + " mapping", lines, [[f"counter_{i + 1}", *x] for i, x in enumerate(full)])
    if files != expected:
        c.differs(f"files {sorted(files)}, not {sorted(expected)}")
    print(*c.counts)


def extract(database, jobid, path, asked):
    job, c = Job(database, jobid), Comparison()
    with open(path, encoding="utf-8") as f:
        got = json.load(f)
    every = {n: t for n in SOURCES if (t := job.table(n)) and (not asked or set(t[0]) & set(asked))}
    heads = ["timestamp", "hostname", "job_id", "metric_backend", "involved_jobs"]
    names = {n: 0 for t in every.values() for n in t[0] if n not in heads and (not asked or n in asked)}
    if set(got) != {*names, *heads}:
        c.differs(f"lists {sorted(set(got) ^ {*names, *heads})}")
    order = list(dict.fromkeys(got["metric_backend"]))
    if set(order) != set(every):
        c.differs(f"backends {order}, not {list(every)}")
    want = [r for n in order for r in every[n]]
    for name in got:
        c.one(f"length of {name}", len(got[name]), len(want))
    got["involved_jobs"] = [j and json.loads(j) for j in got["involved_jobs"]]
    for i, row in enumerate(want):
        c.counts[0] += 1
        for name in got:
            c.one(f"{name} {i}", got[name][i], row.get(name))
    print(*c.counts)


if __name__ == "__main__":
    if sys.argv[1] == "--extract":
        extract(*sys.argv[2:5], sys.argv[5:])
    else:
        compare(*sys.argv[1:4])
