"""Make up the job of gpu-programs.t, and its figures by an account of its own: what each program used of GPUs and of the
energy. Compare them with a report.

gpu-programs.py make FOLDER     the job, with truth.json beside the folder
gpu-programs.py compare [spoil KEY]
                                the report in JSON on standard input; prints what differs from truth.json, where `spoil`
                                changes what is expected of a program, or what is left
"""
import json
import os
import sys
from fractions import Fraction as F

START = 1700000000000000
MONO = 5000000
SECOND = 1000000
FIRST = 4026531836
COLUMNS = ("record boot_id pid_ns pid starttime image_us generation tid hostname exename path args jobid ppid uid thread_name start_us end_us "
           "duration_us end_reason exitcode numtids usertime systemtime rssmax gpu_time gpu_cycles gpu_memory").split()


class Host:
    def __init__(self, name):
        self.name = name
        self.images = []
        self.series = []  # source, metric, object, unit, kind, {second: value}

    def image(self, program, pid, begin, end, cpu, ns=FIRST, generation=0, how="exit", **gpu):
        """An image that ran from second `begin` to `end` and used `cpu` seconds."""
        one = dict(boot_id="boot-" + self.name, pid_ns=ns, pid=pid, starttime=pid, image_us=START + begin * SECOND, generation=generation,
                   tid=pid, hostname=self.name, exename=program, path="/x/" + program, args="", jobid=9, ppid=1, uid=1000, thread_name=program,
                   start_us=START + begin * SECOND)
        end = dict(one, end_us=START + end * SECOND, duration_us=(end - begin) * SECOND, end_reason=how, numtids=1, usertime=cpu * SECOND,
                   systemtime=0, rssmax=1000, **gpu)
        if how == "exit":
            end["exitcode"] = 0
        self.images += [dict(one, record="start"), dict(end, record="end")]

    def add(self, source, metric, obj, unit, kind, values):
        self.series.append((source, metric, obj, unit, kind, values))

    def on_gpu(self, gpu, pid, readings, memory=None):
        """Shares of the GPU's time in %, and memory, of a process by second."""
        self.add("nvidia_counters", "process_sm", "%s/%d" % (gpu, pid), "0.01%", "gauge",
                 {t: v if isinstance(v, str) else 100 * v for t, v in readings.items()})
        self.add("nvidia", "process_memory", "%s/%d" % (gpu, pid), "B", "gauge", memory or {})

    def meter(self, source, metric, obj, watts):
        """An energy counter over the job. Returns its energy in uJ."""
        self.add(source, metric, obj, "uJ", "counter", {t: 10**12 + t * watts * SECOND for t in range(0, 101, 10)})
        return F(100 * watts * SECOND)

    def write(self, folder):
        meta = {"format": "perfmon-job-1", "version": "0.1.0",
                "job": {"cluster": "c", "user": "tester", "jobid": "9", "array_task": "", "restart_count": 0, "epoch_us": START, "uid": 1000,
                        "gid": 1000, "scheduler": "slurm", "name": "gpus"},
                "host": {"hostname": self.name, "boot_id": "boot-" + self.name, "cpus_online": 8, "cpus_allowed": 8, "clock_ticks": 100},
                "start": {"time_us": START, "monotonic_us": MONO},
                "stop": {"time_us": START + 100 * SECOND, "monotonic_us": MONO + 100 * SECOND, "exit_status": 0}}
        with open(os.path.join(folder, "job-%s.json" % self.name), "w") as f:
            json.dump(meta, f)
        with open(os.path.join(folder, "%s-1000.tsv" % self.name), "w") as f:
            f.write("perfmon-tsv-1\t%s\t.\n" % "\t".join(COLUMNS))
            for one in self.images:
                f.write("\n1\t%s\t.\n" % "\t".join(str(one.get(c, "\\N")) for c in COLUMNS))
        with open(os.path.join(folder, self.name + ".series"), "w") as f:
            f.write("perfmon-series-1\t%s\tboot-%s\t10000000\t.\n" % (self.name, self.name))
            for i, s in enumerate(self.series):
                f.write("series\t%d\t%s\t.\n" % (i + 1, "\t".join(s[:5])))
            for t in range(0, 101, 10):
                pairs = ["%d=%s" % (i + 1, "\\N:" + s[5][t] if isinstance(s[5][t], str) else s[5][t])
                         for i, s in enumerate(self.series) if t in s[5]]
                f.write("tick\t%d\t%d\t%s\t.\n" % (START + t * SECOND, MONO + t * SECOND, " ".join(pairs)))


def ticks(begin, end, value):
    return {t: value for t in range(begin, end + 1, 10)}


def make(folder):
    os.makedirs(folder)
    n0, n1, n2 = Host("n0"), Host("n1"), Host("n2")

    # NVIDIA's: GPUs that several processes share, one with a process of another job, one that idles.
    n0.image("train", 100, 0, 100, 60)
    n0.image("boxed", 100, 0, 100, 0, ns=4026532000)  # has the pid in a container
    n0.image("eval", 200, 40, 85, 20)
    n0.image("launch", 400, 0, 25, 4, how="exec")
    n0.image("train", 400, 25, 100, 4 + 6, generation=1)  # CPU time goes on over an exec
    n0.on_gpu("GPU-a", 100, ticks(10, 100, 50), {**ticks(10, 100, 1000), 60: 3000})
    n0.on_gpu("GPU-b", 100, ticks(10, 100, 20), ticks(10, 100, 500))
    n0.on_gpu("GPU-a", 200, {**ticks(50, 80, 25), 60: "absent"}, ticks(50, 80, 700))
    n0.on_gpu("GPU-b", 300, ticks(10, 100, 60), ticks(10, 100, 900))
    n0.on_gpu("GPU-b", 400, ticks(30, 100, 10), ticks(30, 100, 4000))
    # What no sampler writes.
    n0.add("nvidia_counters", "process_sm", "GPU-b/200", "0.01%", "gauge", {50: 20000, 60: -100})
    for obj in ("GPU-a", "/100", "GPU-a/", "GPU-a/0", "GPU-a/-100", "GPU-a/100x", "GPU-a/99999999999999999999"):
        n0.add("nvidia_counters", "process_sm", obj, "0.01%", "gauge", ticks(10, 100, 5000))
    a, b = n0.meter("nvidia_counters", "energy", "GPU-a", 300), n0.meter("nvidia_counters", "energy", "GPU-b", 200)
    idle = n0.meter("nvidia_counters", "energy", "GPU-c", 40)
    cpu = n0.meter("rapl", "package_energy", "package-0", 100) + n0.meter("rapl", "dram_energy", "package-0/dram", 10)
    gpu = {"train": 0, "eval": 0, "sim": 0, "post": 0}
    train_a, eval_a = F(50), F(25 * 30, 100)
    train_b, late_b, other_b = F(20), F(5, 10) + F(7), F(60 * 90, 100)
    gpu["train"] += a * train_a / (train_a + eval_a) + b * (train_b + late_b) / (train_b + late_b + other_b)
    gpu["eval"] += a * eval_a / (train_a + eval_a)
    left = idle + b * other_b / (train_b + late_b + other_b)

    # AMD's: exact totals; the node's meter has all of it. What the sampler saw of such a process does not count.
    n1.image("sim", 10, 0, 100, 40, gpu_time=30 * 10**9, gpu_memory=2048)
    n1.image("post", 11, 50, 100, 10, gpu_time=10 * 10**9, gpu_memory=100)
    n1.on_gpu("GPU-z", 10, ticks(10, 100, 90), ticks(10, 100, 9000000))
    node = n1.meter("pm_counters", "node_energy", "node", 500)
    n1.meter("pm_counters", "part_energy", "cpu", 150)
    n1.meter("pm_counters", "part_energy", "memory", 30)
    card = n1.meter("amdgpu", "energy", "0000:c9:00.0", 280)
    n1.meter("pm_counters", "part_energy", "accel0", 290)
    gpu["sim"] += card * F(30, 40)
    gpu["post"] += card * F(10, 40)
    cpu += node - card

    # GPUs whose energy is told without a name, sampled.
    n2.image("train", 100, 0, 100, 50)
    n2.on_gpu("GPU-q", 100, ticks(10, 100, 30), ticks(10, 100, 800))
    accel = n2.meter("pm_counters", "part_energy", "accel0", 70)
    cpu += n2.meter("rapl", "package_energy", "package-0", 90)
    gpu["train"] += accel

    used = {"train": F(60 + 6 + 50), "boxed": F(0), "eval": F(20), "launch": F(4), "sim": F(40), "post": F(10)}
    whole = sum(used.values())
    truth = {"energy": float(cpu + sum(gpu.values()) + left), "left": float(left), "by_gpu": float(sum(gpu.values())),
             "program": {p: float(cpu * used[p] / whole + gpu.get(p, 0)) for p in used},
             "gpu": [["train", "sampled", 3, 2, float((train_a + train_b + late_b + 30) * SECOND), 4000, float(gpu["train"])],
                     ["sim", "exact", 1, None, 30.0 * SECOND, 2048 * 1024, float(gpu["sim"])],
                     ["post", "exact", 1, None, 10.0 * SECOND, 100 * 1024, float(gpu["post"])],
                     ["eval", "sampled", 1, 1, float(eval_a * SECOND), 700, float(gpu["eval"])]]}
    for host in (n0, n1, n2):
        host.write(folder)
    with open("truth.json", "w") as f:
        json.dump(truth, f)


def compare(spoil=None, key=None):
    with open("truth.json") as f:
        truth = json.load(f)
    if spoil:
        (truth if key in truth else truth["program"])[key] += 2
    d = json.load(sys.stdin)
    e = d["energy"]

    def differ(what, got, want):
        if got is None or abs(got - want) > 0.5:
            print(what, got, "want", want)

    differ("energy", e["energy_uj"], truth["energy"])
    differ("not attributed", e["not_attributed_uj"], truth["left"])
    differ("by GPU time", e["programs_gpu_uj"], truth["by_gpu"])
    got = {p["program"]: p["energy_estimate_uj"] for p in d["by_cpu"]}
    if sorted(got) != sorted(truth["program"]):
        print("programs", sorted(got))
    for name, uj in sorted(truth["program"].items()):
        differ(name, got.get(name), uj)
    differ("sum", sum(got.values()) + e["not_attributed_uj"], e["energy_uj"])
    rows = [[g[k] for k in ("program", "method", "processes", "gpus", "gpu_time_us", "memory_peak_bytes", "gpu_energy_estimate_uj")]
            for g in d["gpu_programs"]]
    for row, want in zip(rows, truth["gpu"]):
        if row[:4] + row[5:6] != want[:4] + want[5:6] or abs(row[4] - want[4]) > 0.5 or abs(row[6] - want[6]) > 0.5:
            print(row, "want", want)
    if len(rows) != len(truth["gpu"]):
        print("rows", rows)


{"make": make, "compare": compare}[sys.argv[1]](*sys.argv[2:])
