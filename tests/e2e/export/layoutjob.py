"""Make the directory of a job of several hosts with samples of every kind that layouts have: layoutjob.py DIRECTORY [known]

Hosts differ in what they have: one has an interconnect and events, one GPUs, one no samples at all."""
import json
import os
import random
import sys

START = 1763690000
TICKS = 40
READ = ["cpu/config=0x1b7,config1=0x3f840085b7/", "cpu/config=0x1bb,config1=0x3f900085b7/"]
EVENTS = ["cycles", "instructions", "cache-misses", "cache-references", "branches", "branch-misses", "task-clock",
          "context-switches", "cpu-migrations", "L1D:REPLACEMENT", "L1D:M_EVICT", "ICACHE_64B:IFTAG_MISS",
          "L2_LINES_IN:ALL", "L2_TRANS:L2_WB", "r02c7", "r08c7", "r20c7", "r80c7", "r01c7", "r04c7", "r10c7",
          "r40c7", "dTLB-loads"] + READ
UUIDS = ["GPU-7a11a5a4-0000-0000-0000-000000000002", "GPU-00000000-ffff-0000-0000-000000000001"]


class Host:
    """A file of series being made."""

    def __init__(self, name, seed):
        self.name, self.random, self.ids, self.value = name, random.Random(seed), {}, {}
        self.lines, self.ticks = [], []

    def series(self, source, metric, obj, unit, kind):
        key = (source, metric, obj)
        if key not in self.ids:
            self.ids[key] = len(self.ids) + 1
            self.lines.append("\t".join(["series", str(self.ids[key]), source, metric, obj, unit, kind, "."]))
            self.value[key] = self.random.randrange(10 ** 9)
        return self.ids[key]

    def reading(self, source, metric, obj, unit, kind):
        """A value of the next tick, one in eight unknown, or none where all are to be known."""
        at = self.series(source, metric, obj, unit, kind)
        key = (source, metric, obj)
        if kind == "counter":
            self.value[key] += self.random.randrange(3 * 10 ** 6)
        else:
            self.value[key] = self.random.randrange(10 ** 10)
        if self.random.randrange(60 if source == "perf" else 8) == 0 and sys.argv[2:] != ["known"]:
            return f"{at}=\\N:late"
        return f"{at}={self.value[key]}"

    def tick(self, us, values):
        self.lines.append(f"tick\t{us}\t{us - START * 1000000 + 5000000}\t{' '.join(values)}\t.")

    def write(self, directory):
        with open(os.path.join(directory, self.name + ".series"), "w", encoding="utf-8") as f:
            f.write(f"perfmon-series-1\t{self.name}\tboot-{self.name}\t2000000\t.\n")
            f.write("\n".join(self.lines) + "\n")


def metadata(directory, name, cpu_id):
    job = {"format": "perfmon-job-1", "version": "0.1.0",
           "job": {"cluster": "", "user": "anna", "uid": 4321, "gid": 4321, "groups": ["anna"], "jobid": "4712",
                   "array_task": "", "restart_count": 0, "scheduler": "slurm", "name": "layouts", "nodes": 4,
                   "tags": {"system": "alpha \"1\"\u2028", "partition": "gpu\x7f\n", "env": "é 😀", "other": "x"},
                   "epoch_us": START * 1000000},
           "host": {"hostname": name, "boot_id": "boot-" + name, "kernel": "6.1.0", "machine": "x86_64", "os": "Debian: \\ 12",
                    "cpu_model": "A \"CPU\"", "cpu_id": cpu_id, "cpus_online": 2, "sockets": 2, "cores": 4,
                    "threads_per_core": 1, "memory_kb": 16000000, "page_size": 4096, "clock_ticks": 100},
           "start": {"time_us": START * 1000000, "monotonic_us": 5000000, "cwd": "/", "command": ["sh"]},
           "stop": {"time_us": (START + 100) * 1000000, "monotonic_us": 105000000, "exit_status": 0}}
    with open(os.path.join(directory, f"job-{name}.json"), "w", encoding="utf-8") as f:
        json.dump(job, f)


def make(directory, name, seed, events, interconnect, gpus):
    host = Host(name, seed)
    rapl = ["package-0", "package-1"] if seed % 2 else ["package-0"]
    for i in range(TICKS):
        # The first tick is no multiple of the period.
        us = (START + 2 * i) * 1000000 + (123457 if i == 0 else i * 11)
        read = host.reading
        values = [read("process", m, "", u, k) for m, u, k in (
            ("usertime", "us", "counter"), ("systemtime", "us", "counter"), ("rss", "B", "gauge"), ("vms", "B", "gauge"),
            ("shared", "B", "gauge"), ("threads", "n", "gauge"), ("syscr", "n", "counter"), ("syscw", "n", "counter"),
            ("read_bytes", "B", "counter"), ("write_bytes", "B", "counter"))]
        for cpu in ("", "cpu0", "cpu1"):
            values += [read("cpu", m, cpu, "us", "counter")
                       for m in ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")]
        values.append(f"{host.series('cpu', 'cpus', '', 'n', 'gauge')}=2")
        values += [read("memory", m, "", "B", "gauge") for m in ("total", "used")]
        for interface in ("", "lo", "eth0"):
            values += [read("network", m, interface, "B", "counter") for m in ("tx_bytes", "rx_bytes", "tx_packets", "rx_packets")]
        for disk in ("", "sda"):
            values += [read("disk", m, disk, "B", "counter") for m in ("read_bytes", "write_bytes")]
        values += [read("filesystem", m, "/", "B", "gauge") for m in ("used", "available")]
        if events:
            for event in EVENTS:
                values += [read("perf", m, event, "n", "counter") for m in ("count", "enabled", "running")]
        host.tick(us, values)
        # Sources with ticks of their own: a little later, or a little earlier than the row's own.
        values = [read("rapl", "package_energy", zone, "uJ", "counter") for zone in ["", *rapl]]
        values += [read("rapl", "dram_energy", zone, "uJ", "counter") for zone in ["", *(z + "/dram" for z in rapl)]]
        host.tick(us + (7000 if i % 3 else -2000), values)
        if i % 5 == 0:
            host.tick(us + 31000, [read("footprint", m, "", "B", "gauge") for m in ("uss", "swap", "descriptors")])
        if interconnect:
            host.tick(us + 9000, [read("infiniband", m, o, "B", "counter") for m in (
                "tx_bytes", "rx_bytes", "tx_packets", "rx_packets") for o in ("", "mlx5_0/1")])
        if gpus:
            values = [read("nvidia", "gpus", "", "n", "gauge"), read("nvidia", "slice_memory_used", "MIG-1", "B", "gauge")]
            for uuid in UUIDS:
                values += [read("nvidia", m, uuid, "n", "gauge") for m in (
                    "utilization", "memory_utilization", "encoder", "decoder", "memory_used", "power", "temperature",
                    "clock_graphics", "clock_sm", "clock_memory", "processes")]
                values.append(read("nvidia", "process_memory", uuid + "/77", "B", "gauge"))
            host.tick(us + 12000, values)
            if i % 5 == 0:
                values = []
                for uuid in UUIDS:
                    values += [read("nvidia_counters", m, uuid, "n", "gauge") for m in ("bar1_used", "fan")]
                    values += [read("nvidia_counters", m, uuid, "n", "counter") for m in (
                        "ecc_corrected", "ecc_uncorrected", "throttle_application_clocks")]
                    values += [read("nvidia_pcie", m, uuid, "B/s", "gauge") for m in ("pcie_tx_rate", "pcie_rx_rate")]
                host.tick(us + 40000, values)
    host.write(directory)


def main():
    directory = sys.argv[1]
    os.makedirs(directory)
    for name in ("n1", "n2", "n3", "n4"):
        metadata(directory, name, "GenuineIntel-6-55-4" if name != "n3" else "AuthenticAMD-25-1-1")
    make(directory, "n1", 1, True, True, False)
    make(directory, "n2", 2, False, False, True)
    make(directory, "n3", 3, True, False, False)


if __name__ == "__main__":
    main()
