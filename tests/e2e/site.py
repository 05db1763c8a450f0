"""Make the recorded jobs of a small site, of which every figure is known: site.py DIRECTORY

DIRECTORY has a directory for each job, to be submitted in the order of their names: two days, four users, three hosts,
of which n3 is slow; samples every ten seconds where a job has them. cookbook.t and its neighbours ask about them."""
import json
import os
import sys

DAY = 1764201600  # 2025-11-27 00:00 UTC
MB = 1000000
COLUMNS = """record boot_id pid_ns pid starttime image_us tid hostname exename path args tags jobid ppid uid mpirank numranks
    thread_name start_us end_us duration_us end_reason exitcode exitsignal numtids num_threads usertime systemtime rssmax
    minflt rchar wchar syscr syscw read_bytes write_bytes time_oncpu time_waiting counters gpu_time""".split()
PERIOD = 10  # seconds between samples


def us(seconds):
    return int(round(seconds * 1000000))


class Job:
    """A job that began `at` seconds after DAY and took `wall` seconds; wall None: it still runs."""

    def __init__(self, directory, at, wall, user, jobid, **more):
        self.directory, self.at, self.wall, self.more = directory, DAY + at, wall, more
        self.job = dict({"cluster": "", "user": user, "uid": 1000 + len(user), "gid": 1000, "jobid": jobid, "array_task": "",
                         "restart_count": 0, "scheduler": "slurm", "epoch_us": us(self.at),
                         "submit_us": us(self.at - more.pop("queued", 60))}, **more.pop("job", {}))
        self.lines = {}
        os.makedirs(directory)

    def host(self, name, cpus=4, cpu_s=0, **stop):
        """The metadata of a host; cpu_s is what the kernel says that the job used there."""
        host = {"hostname": name, "boot_id": "boot-" + name, "kernel": "6.1.0", "machine": "x86_64", "os": "Debian 12",
                "cpu_model": "CPU", "cpus_online": 8, "cpus_allowed": cpus, "cpus_allocated": cpus, "memory_kb": 16000000,
                "page_size": 4096, "clock_ticks": 100}
        host.update(stop.pop("host", {}))
        meta = {"format": "perfmon-job-1", "version": "0.1.0", "job": self.job, "host": host,
                "start": dict({"time_us": us(self.at), "monotonic_us": 5000000}, **stop.pop("start", {}))}
        if self.wall is not None:
            meta["stop"] = dict({"time_us": us(self.at + self.wall), "monotonic_us": 5000000 + us(self.wall), "exit_status": 0,
                                 "measured_cpu_us": us(cpu_s), "measured_by": "cgroup"}, **stop)
        with open(os.path.join(self.directory, "job-%s.json" % name), "w", encoding="utf-8") as f:
            json.dump(meta, f)

    def line(self, host, **fields):
        fields = dict({"boot_id": "boot-" + host, "pid_ns": 1, "hostname": host, "jobid": self.job["jobid"]}, **fields)
        lines = self.lines.setdefault(host, ["perfmon-tsv-2\t" + "\t".join(COLUMNS) + "\t."])
        lines.append("2\t" + "\t".join(str(fields.get(c, "\\N")) for c in COLUMNS) + "\t.")

    def process(self, host, pid, ppid, exe, args="", start=0.0, wall=1.0, cpu=0.0, mb=10, status=0, signal=None, tags=None,
                rank=None, threads=(), **more):
        """A process, a tenth of its CPU time in the kernel. threads: name and CPU seconds of each."""
        begin, end = us(self.at + start), us(self.at + start + wall)
        usage = {"usertime": us(cpu * 0.9), "systemtime": us(cpu) - us(cpu * 0.9), "minflt": 1000}
        image = {"pid": pid, "starttime": pid, "image_us": begin, "tid": pid, "start_us": begin, "exename": exe,
                 "thread_name": exe}
        if rank is not None:
            image["mpirank"], image["numranks"] = rank, more.pop("ranks")
        self.line(host, record="start", path="/usr/bin/" + exe, args=args, tags=tags or "\\N", ppid=ppid, uid=1000, usertime=0,
                  systemtime=0, minflt=0, **image)
        if signal:
            self.line(host, record="reaped", pid=pid, ppid=ppid, end_us=end, exitsignal=signal, rssmax=mb * 1000, **usage)
            return
        for i, (name, cpu_s) in enumerate(threads):
            self.line(host, record="thread", **dict(image, tid=pid * 10 + i if i else pid, thread_name=name, exename="\\N",
                      starttime=pid + i, end_us=end, duration_us=end - begin, usertime=us(cpu_s), systemtime=0, minflt=0))
        self.line(host, record="end", **dict(
            {"rchar": 0, "wchar": 0, "syscr": 0, "syscw": 0, "read_bytes": 0, "write_bytes": 0, "time_oncpu": us(cpu) * 1000,
             "time_waiting": 0}, **image, **usage, end_us=end, duration_us=end - begin, end_reason="exit", exitcode=status,
            numtids=len(threads) or 1, num_threads=1, rssmax=mb * 1000, **more))

    def running(self, host, pid, exe, start):
        begin = us(self.at + start)
        self.line(host, record="start", pid=pid, starttime=pid, image_us=begin, tid=pid, start_us=begin, exename=exe,
                  thread_name=exe, path="/usr/bin/" + exe, args="", ppid=1, uid=1000, usertime=0, systemtime=0, minflt=0)

    def samples(self, host, busy, watts, used_gb, late=()):
        """Series of a host: busy CPUs, power, and memory in use, each a function of the seconds since the job began. Memory
        is unknown at the times `late`."""
        series, ticks = [], []
        cpus = 4

        def of(source, metric, unit, kind, value, obj=""):
            series.append((source, metric, obj, unit, kind, value))

        def total(f):
            """The counter of a rate: its sum over seconds."""
            sums, at = [0], 0
            while at < self.wall:
                sums.append(sums[-1] + f(at))
                at += 1
            return lambda t: int(sums[t])

        work = total(lambda t: us(busy(t)))
        of("cpu", "user", "us", "counter", work)
        of("cpu", "idle", "us", "counter", lambda t: us(cpus * t) - work(t))
        for metric in "nice system iowait irq softirq steal".split():
            of("cpu", metric, "us", "counter", lambda t: 0)
        of("cpu", "cpus", "n", "gauge", lambda t: cpus)
        of("memory", "total", "B", "gauge", lambda t: 16000 * MB)
        of("memory", "used", "B", "gauge", lambda t: "\\N:late" if t in late else int(used_gb(t) * 1000 * MB))
        of("memory", "available", "B", "gauge", lambda t: "\\N:late" if t in late else int((16 - used_gb(t)) * 1000 * MB))
        of("rapl", "package_energy", "uJ", "counter", total(lambda t: us(watts(t))), "package-0")
        of("rapl", "package_energy", "uJ", "counter", total(lambda t: us(watts(t))))
        of("nvidia", "utilization", "0.01%", "gauge", lambda t: int(2500 * busy(t)), "GPU-1")
        for metric, rate in (("tx_bytes", 1), ("rx_bytes", 2)):
            of("network", metric, "B", "counter", lambda t, rate=rate: t * rate * MB)
        for metric, rate in (("read_bytes", 3), ("write_bytes", 1)):
            of("disk", metric, "B", "counter", lambda t, rate=rate: t * rate * MB)
        of("process", "usertime", "us", "counter", lambda t: work(t) * 9 // 10)
        of("process", "systemtime", "us", "counter", lambda t: work(t) // 10)
        of("process", "rss", "B", "gauge", lambda t: int(used_gb(t) * 500 * MB))
        of("process", "processes", "n", "gauge", lambda t: 3)
        of("process", "threads", "n", "gauge", lambda t: 5)
        of("process", "read_bytes", "B", "counter", lambda t: t * MB)
        of("process", "write_bytes", "B", "counter", lambda t: t * MB // 2)
        of("load", "load1", "0.01", "gauge", lambda t: int(100 * busy(t)))
        of("sampler", "usertime", "us", "counter", lambda t: 2000 * t)
        of("sampler", "systemtime", "us", "counter", lambda t: 1000 * t)
        of("sampler", "rssmax", "B", "gauge", lambda t: 6 * MB)
        of("sampler", "late", "us", "gauge", lambda t: 40 + t)
        of("sampler", "missed", "n", "counter", lambda t: 1 if t >= 500 else 0)
        of("sampler", "lost", "n", "counter", lambda t: 0)
        of("sampler", "written", "B", "counter", lambda t: 300 * t)
        of("sampler", "late_readings", "n", "counter", lambda t: len([x for x in late if x <= t]))
        of("sampler", "failures", "n", "counter", lambda t: 0)
        for source, cost in (("cpu", 100000), ("memory", 50000), ("process", 800000)):
            of("sampler", "cost", "ns", "counter", lambda t, cost=cost: cost * t, source)
        lines = ["perfmon-series-1\t%s\tboot-%s\t%d\t." % (host, host, us(PERIOD))]
        lines += ["series\t%d\t%s\t%s\t%s\t%s\t%s\t." % ((i + 1,) + s[:5]) for i, s in enumerate(series)]
        for t in range(0, int(self.wall) + 1, PERIOD):
            values = " ".join("%d=%s" % (i + 1, s[5](t)) for i, s in enumerate(series))
            ticks.append("tick\t%d\t%d\t%s\t." % (us(self.at + t), 5000000 + us(t), values))
        with open(os.path.join(self.directory, host + ".series"), "w", encoding="utf-8") as f:
            f.write("\n".join(lines + ticks) + "\n")

    def phase(self, host, name, begin, end):
        with open(os.path.join(self.directory, host + ".phases"), "a", encoding="utf-8") as f:
            for what, at in (("begin", begin), ("end", end)):
                f.write("perfmon-phase-1\t%s\tboot-%s\t%s\t%s\t%d\t%d\t100\t.\n" % (
                    host, host, what, name, us(self.at + at), 5000000 + us(at)))

    def lose(self, host, lines):
        """Lines of records found no room on the disk."""
        slots = ["perfmon-tally-1\t%s\tboot-%s\t." % (host, host), "lost\tENOSPC\t%d\t%d\t." % (lines, lines * 200)]
        with open(os.path.join(self.directory, host + "-1000.tally"), "w", encoding="utf-8") as f:
            f.write("".join("%-255s\n" % slot for slot in slots))

    def write(self):
        for host, lines in self.lines.items():
            with open(os.path.join(self.directory, host + "-1000.tsv"), "w", encoding="utf-8") as f:
                f.write("\n".join(lines) + "\n")


def events(cpu, ipc):
    """Counters of a rank: 10^9 cycles a second."""
    return "PAPI_TOT_CYC=%d PAPI_TOT_INS=%d" % (cpu * 10**9, cpu * ipc * 10**9)


def ranks(job, host, pid, first, number, start, walls, cpus, ipcs):
    for i, (wall, cpu, ipc) in enumerate(zip(walls, cpus, ipcs)):
        job.process(host, pid + i, 100 if host == "n1" else 1, "model", "--grid c96", start, wall,
                    cpu, 2000, tags="op:solve;member:%d" % (first + i), rank=first + i, ranks=number, counters=events(cpu, ipc),
                    rchar=100 * MB, syscr=100, wchar=500 * MB, syscw=500, read_bytes=50 * MB, write_bytes=400 * MB,
                    time_waiting=us(cpu * 0.02) * 1000, gpu_time=us(cpu * 0.5) * 1000 if first + i == 0 else 0)


def model(directory, at, wall, jobid, other, slow, **more):
    """A model on two hosts, four ranks, the last of which has little to do."""
    job = Job(directory, at, wall, "anna", jobid, job=dict(
        {"name": "model", "account": "climate", "queue": "main", "nodes": 2, "tasks": 4, "tags": {"grid": "c96"}}, **more), queued=600)
    job.host("n1", 4, 1310, start={"modules": ["gcc/12", "openmpi/4"]})
    job.host(other, 4, 800)
    job.process("n1", 100, 1, "bash", "run.sh", 0, wall, 2, 4)
    job.process("n1", 101, 100, "python3", "prep.py", 10, 100, 90, 800, tags="op:prepare", rchar=2000 * MB, syscr=2000,
                wchar=1000 * MB, syscw=1000, read_bytes=1000 * MB, write_bytes=900 * MB,
                threads=(("python3", 30), ("reader", 50), ("idle", 10)))
    ranks(job, "n1", 102, 0, 4, 200, (700, 700), (600, 600), (2, 2))
    job.process("n1", 104, 100, "rm", "old.nc", 900 + slow, 0.01, 0, 2, status=1, tags="op:clean")
    ranks(job, other, 100, 2, 4, 200, (700 + slow, 700 + slow), (600, 200), (2, 0.5))
    job.phase("n1", "input", 0, 150)
    job.phase("n1", "solve", 200, 900 + slow)
    job.samples("n1", lambda t: 2 if 200 <= t < 900 else 1, lambda t: 200 if 200 <= t < 900 else 100, lambda t: 2 + t / 250)
    job.samples(other, lambda t: 1.5 if 200 <= t < 900 else 0, lambda t: 150, lambda t: 1, late=(100, 110))
    job.write()


def main():
    top = sys.argv[1]

    def at(name):
        return os.path.join(top, name)

    model(at("1-model"), 3600, 1000, "101", "n2", 0)
    model(at("2-model"), 7200, 1500, "102", "n3", 500)

    # Asks for eight CPUs and uses a tenth of one.
    job = Job(at("3-align"), 3600, 3600, "bert", "103", job={"name": "align", "account": "bio", "queue": "big", "nodes": 1, "tasks": 8})
    job.host("n2", 8, 360)
    job.process("n2", 500, 1, "align", "reads.fq", 0, 3600, 360, 1000, rchar=9000 * MB, syscr=9000, wchar=10 * MB, syscw=10,
                read_bytes=8000 * MB, write_bytes=10 * MB, time_waiting=us(40) * 1000)
    job.write()

    # Killed for lack of memory.
    job = Job(at("4-align"), 20000, 100, "bert", "104", job={"name": "align", "account": "bio", "queue": "big", "nodes": 1, "tasks": 1})
    job.host("n3", 1, 80, host={"memory_limit_kb": 4000000}, exit_status=137, exit_reason="memory", cgroup_oom_kills=1,
             start={"cgroup_oom_kills": 0})
    job.process("n3", 600, 1, "bash", "big.sh", 0, 100, 1, 4, status=137)
    job.process("n3", 601, 600, "align", "all.fq", 1, 98, 79, 3900, signal=9)
    job.write()

    # Many small processes that read byte by byte, one damaged line, and records that were lost.
    job = Job(at("5-many"), 86400 + 600, 100, "cara", "105", job={"name": "many", "queue": "main", "nodes": 1, "tasks": 1})
    job.host("n1", 1, 12)
    job.lose("n1", 7)
    job.process("n1", 700, 1, "bash", "loop.sh", 0, 100, 6, 4)
    for i in range(60):
        job.process("n1", 701 + i, 700, "sed", "-n p", 1 + i, 0.05, 0.1, 2, rchar=1000, syscr=1000, wchar=10, syscw=10)
    job.lines["n1"].append("2\tend\tdamaged\t.")
    job.write()

    # An array, the last task of which fails.
    for task, wall in ((1, 100), (2, 120), (3, 400)):
        job = Job(at("6-sweep-%d" % task), 86400 + 7200 + task, wall, "dora", "106",
                  job={"name": "sweep", "account": "bio", "queue": "main", "nodes": 1, "tasks": 1, "array_task": str(task),
                       "annotations": {"ticket": "77"} if task == 3 else {}})
        job.host("n2" if task < 3 else "n3", 1, wall * 0.9, **({"exit_status": 2, "exit_reason": "failure"} if task == 3 else {}))
        job.process("n2" if task < 3 else "n3", 800, 1, "sweep", "--task %d" % task, 0, wall, wall * 0.9, 50 * task,
                    status=2 if task == 3 else 0, wchar=100 * MB, syscw=100, write_bytes=100 * MB)
        job.write()

    # Still there.
    job = Job(at("7-model"), 86400 + 9000, None, "anna", "107", job={"name": "model", "account": "climate", "queue": "main", "nodes": 1, "tasks": 4})
    job.host("n1", 4)
    job.running("n1", 900, "model", 1)
    job.write()


main()
