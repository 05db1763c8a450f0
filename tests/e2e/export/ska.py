"""Compare the layout ska with the database, value by value: ska.py DATABASE JOBID DIRECTORY

Prints what differs, and at the end how many lists, values and unknown ones were compared, and the differences."""
import csv
import functools
import json
import os
import re
import sys

import rows

CPU_SOURCES = "process cpu memory network footprint infiniband cxi rapl".split()
BUSY = "user nice system irq softirq steal".split()
IDLE = ["idle", "iowait"]
SKX_DP = [("r04c7", 2), ("r01c7", 1), ("r10c7", 4), ("r40c7", 8)]
SKX_SP = [("r08c7", 4), ("r02c7", 1), ("r20c7", 8), ("r80c7", 16)]
L2 = ["L1D:REPLACEMENT", "L1D:M_EVICT", "ICACHE_64B:IFTAG_MISS"]
L3 = ["L2_LINES_IN:ALL", "L2_TRANS:L2_WB"]
READS = ["cpu/config=0x1b7,config1=0x3f840085b7/", "cpu/config=0x1bb,config1=0x3f900085b7/"]
SOFTWARE = {"task-clock", "context-switches", "cpu-migrations"}
GROUPS = "hardware_events software_events L2 L2cache L3 L3cache FLOPS_SP FLOPS_DP".split()
GPU = {
    "clock_info": {"graphics": ("nvidia.clock_graphics", 1e6), "sm": ("nvidia.clock_sm", 1e6), "memory": ("nvidia.clock_memory", 1e6)},
    "ecc_errors": {"sp": ("nvidia_counters.ecc_corrected", 1), "dp": ("nvidia_counters.ecc_uncorrected", 1)},
    "memory_used": {"gpu_memory": ("nvidia.memory_used", 1), "bar1_memory": ("nvidia_counters.bar1_used", 1)},
    "utilization_rates": {"gpu": ("nvidia.utilization", 100), "memory": ("nvidia.memory_utilization", 100)},
    "encoder_util": ("nvidia.encoder", 100), "decoder_util": ("nvidia.decoder", 100), "power_usage": ("nvidia.power", 1000),
    "violation": ("nvidia_counters.throttle_application_clocks", 1), "temperature": ("nvidia.temperature", 1000),
    "fan_speed": ("nvidia_counters.fan", 100), "num_procs": ("nvidia.processes", 1),
    "pci_thgpt": {"send": ("nvidia_pcie.pcie_tx_rate", 1000), "recv": ("nvidia_pcie.pcie_rx_rate", 1000)},
}


def linear(host, weights, factor):
    """factor * sum(weight * count) / seconds."""
    return [x and factor * sum(w * n for n, (_, w) in zip(x[1], weights)) / x[0] for x in host.events([e for e, _ in weights])]


def ratio(host, a, b, factor):
    return [factor * x[1][0] / x[1][1] if x and x[1][1] else None for x in host.events([a, b])]


def cpu_lists(host, any_interconnect, any_reads, zones):
    total = functools.partial(host.total)
    times = ["process.usertime", "process.systemtime"]
    want = {"cpu_time": total(times, 1e6)}
    want["cpu_percent"] = [x and 100 * sum(x[1]) / (x[0] * 1e6) for x in host.together(
        [("process", "usertime", ""), ("process", "systemtime", "")])]
    busy, idle = ([("cpu", m, "") for m in of if host.has("cpu", m)] for of in (BUSY, IDLE))
    want["cpu_percent_sys"] = [100 * sum(x[1][:len(busy)]) / sum(x[1]) if x and sum(x[1]) else None for x in host.together(busy + idle)]
    want["net_io_counters"] = {"bytes_sent": total(["network.tx_bytes"]), "bytes_recv": total(["network.rx_bytes"]),
                               "packets_sent": total(["network.tx_packets"]), "packets_recv": total(["network.rx_packets"])}
    if any_interconnect:
        want["ib_io_counters"] = {
            "port_xmit_data": total(["infiniband.tx_bytes"]), "port_xmit_packets": total(["infiniband.tx_packets"]),
            "port_rcv_data": total(["infiniband.rx_bytes"]), "port_rcv_packets": total(["infiniband.rx_packets"])}
    want["memory_info"] = {m: total(["process." + m]) for m in ("rss", "vms", "shared")}
    want["memory_full_info"] = {m: total(["footprint." + m]) for m in ("uss", "swap")}
    want["memory_percent"] = [None if None in x else 100 * x[0] / x[1] for x in zip(total(["process.rss"]), total(["memory.total"]))]
    if any_reads:
        skx = host.cpu_id == "GenuineIntel-6-55-4"
        want["memory_bw"] = [None if not skx or x is None else x for x in linear(host, [(e, 64) for e in READS], 1)]
    want["io_counters"] = {"read_count": total(["process.syscr"]), "write_count": total(["process.syscw"]),
                           "read_bytes": total(["process.read_bytes"]), "write_bytes": total(["process.write_bytes"])}
    want["num_threads"] = total(["process.threads"])
    want["num_fds"] = total(["footprint.descriptors"])
    want["rapl_powercap"] = {}
    for domain, most in zones.items():
        have = sorted(host.objects("rapl", domain + "_energy"))
        for i in range(most):
            want["rapl_powercap"][f"{domain}-{i}"] = (
                total([f"rapl.{domain}_energy"], 1, have[i]) if i < len(have) else [None] * len(host.times))
    if not want["rapl_powercap"]:
        del want["rapl_powercap"]
    want["child_proc_md"], want["parent_proc_md"] = [], {}
    return want


def perf_lists(host, events):
    skx = host.cpu_id == "GenuineIntel-6-55-4"
    want = {g: {} for g in GROUPS}
    placed = {e: g for g, of in (("L2", L2), ("L3", L3), ("FLOPS_SP", [e for e, _ in SKX_SP]), ("FLOPS_DP", [e for e, _ in SKX_DP]))
              for e in of}
    for e in events:
        group = "software_events" if e in SOFTWARE else placed.get(e, "hardware_events")
        want[group][e] = [x and round(x[2]) for x in host.event(e)]
    nothing = [None] * len(host.times)
    want["L2"]["derv_l2_bandwidth"] = linear(host, [(e, 64) for e in L2], 1e-6) if skx else nothing
    want["L3"]["derv_l3_bandwidth"] = linear(host, [(e, 64) for e in L3], 1e-6) if skx else nothing
    want["FLOPS_SP"]["derv_flops_sp"] = linear(host, SKX_SP, 1e-6) if skx else nothing
    want["FLOPS_DP"]["derv_flops_dp"] = linear(host, SKX_DP, 1e-6) if skx else nothing
    want["L3cache"]["derv_llc_miss_rate"] = ratio(host, "cache-misses", "cache-references", 100)
    want["L3cache"]["derv_llc_mpki"] = ratio(host, "cache-misses", "instructions", 1000)
    return want


def gpu_lists(host, uuid):
    def one(of):
        return host.total([of[0]], of[1], uuid)
    return {k: {s: one(of) for s, of in v.items()} if isinstance(v, dict) else one(v) for k, v in GPU.items()}


class Comparison:
    def __init__(self):
        self.lists = self.values = self.unknown = self.bad = 0

    def tell(self, what):
        self.bad += 1
        if self.bad < 20:
            print(what)

    def lists_of(self, where, got, want):
        if isinstance(want, dict):
            if set(got) != set(want):
                self.tell(f"{where}: {sorted(set(got) ^ set(want))} differ")
            for k in want:
                self.lists_of(f"{where}.{k}", got.get(k), want[k])
            return
        self.lists += 1
        if got is None or len(got) != len(want):
            self.tell(f"{where}: {got} is not {want}")
            return
        for i, (a, b) in enumerate(zip(got, want)):
            self.values += 1
            self.unknown += b is None
            if where.endswith(".time_stamps"):
                bad = a != b
            else:
                bad = not rows.near(a, b) or (isinstance(b, int) and not isinstance(a, int))
            if bad:
                self.tell(f"{where}[{i}]: {a!r} is not {b!r}")


def expected(db, job):
    """What each file has: {file: {name: lists}}."""
    found = {n: rows.Host(db, job, i) for n, i in rows.hosts(db, job).items()}
    interconnect = any(h.has("infiniband", "tx_bytes") for h in found.values())
    skx = [h for h in found.values() if h.cpu_id == "GenuineIntel-6-55-4"]
    reads = any(all(h.has("perf", "count", e) for e in READS) for h in skx)
    zones = {d: max(len(h.objects("rapl", d + "_energy")) for h in found.values()) for d in ("package", "dram")}
    events = []
    for h in found.values():
        events += [e for e in h.objects("perf", "count") if e not in events]
    files = {"cpu_metrics": {}, "perf_metrics": {}, "nv_gpu_metrics": {}}
    for name, host in found.items():
        if host.begin(CPU_SOURCES):
            files["cpu_metrics"][name] = {"time_stamps": [t / 1e6 for t in host.times], **cpu_lists(host, interconnect, reads, zones)}
        if host.begin(["perf"]):
            files["perf_metrics"][name] = {"time_stamps": [t / 1e6 for t in host.times], **perf_lists(host, events)}
        gpus = []
        for key in host.order:
            if key[0] == "nvidia" and key[2] and "/" not in key[2] and not key[1].startswith("slice_") and key[2] not in gpus:
                gpus.append(key[2])
        for i, uuid in enumerate(gpus):
            if host.begin(["nvidia", "nvidia_counters", "nvidia_pcie"], uuid):
                files["nv_gpu_metrics"][f"gpu-{i}.{name}"] = {"time_stamps": [t / 1e6 for t in host.times], **gpu_lists(host, uuid)}
        host.forget()
    return found, files


def read_table(path):
    if path.endswith(".parquet"):
        import parquet
        yield from parquet.rows(path)
        return
    with open(path, encoding="utf-8", newline="") as f:
        if path.endswith(".csv"):
            lines = csv.reader(f)
        else:
            letters = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
            lines = [[re.sub(r"\\(.)", lambda m: letters[m[1]], v) for v in line.split("\t")] for line in f.read().split("\n")[:-1]]
        header, *lines = lines
    for line in lines:
        row = dict(zip(header, line))
        yield {k: v if k == "Host" else None if v == "" else float(v) if re.search("[.e]", v) else int(v) for k, v in row.items()}


def compare_table(c, path, want, headers):
    """A table has a row for each host and time, the hosts one after another."""
    read = read_table(path)
    for name, lists in want.items():
        flat = {}
        for key, value in lists.items():
            for sub, values in value.items() if isinstance(value, dict) else [(key, value)]:
                flat[headers(key, sub)] = values
        flat.pop("child_proc_md", None)
        for i in range(len(lists["time_stamps"])):
            got = next(read, None)
            if got is None:
                c.tell(f"{path}: rows are missing")
                return
            if got.pop("Host") != name:
                c.tell(f"{path}: another host than {name!r}")
            if set(got) != set(flat):
                c.tell(f"{path}: columns {sorted(set(got) ^ set(flat))} differ")
                return
            for header, values in flat.items():
                scale = 2 ** 20 if header == "Memory (read) bandwidth [MiB/s]" else 1
                c.values += 1
                c.unknown += values[i] is None
                value = values[i] / scale if scale > 1 and values[i] is not None else values[i]
                if got[header] != value and (header == "Timestamps" or not rows.near(got[header], value)):
                    c.tell(f"{path}: {name} row {i}, {header}: {got[header]!r} is not {values[i]!r}")
    if next(read, None) is not None:
        c.tell(f"{path}: there are more rows")


HEADERS = {}
for line in open(os.path.join(os.environ["abs_top_srcdir"], "export/layout/ska.def"), encoding="utf-8"):
    row = re.match(r'PM_SKA\(\w+, "([^"]*)", "([^"]*)", "([^"]*)"', line)
    if row:
        HEADERS[row.group(1), row.group(2) or row.group(1)] = row.group(3)


def header_of(key, sub):
    if key == "time_stamps":
        return "Timestamps"
    if key == "rapl_powercap":
        return "RAPL {} {} [uJ]".format(*sub.split("-"))
    return HEADERS.get((key, sub), sub)


def main():
    database, jobid, directory = sys.argv[1:4]
    db = rows.open_database(database)
    job = rows.job_number(db, jobid)
    found, files = expected(db, job)
    c = Comparison()
    for name, want in files.items():
        with open(os.path.join(directory, "metrics", name + ".json"), encoding="utf-8") as f:
            got = json.load(f)
        if got.pop("host_names") != list(want):
            c.tell(f"{name}: host_names")
        interval = got.pop("sampling_frequency")
        times = next(iter(want.values()))["time_stamps"] if want else []
        if not rows.near(interval, round((times[-1] - times[0]) * 1e6) / 1e6 / (len(times) - 1) if len(times) > 1 else None):
            c.tell(f"{name}: sampling_frequency {interval}")
        for host in got:
            if got[host].pop("host_name") != host:
                c.tell(f"{name}: {host} has another name")
        c.lists_of(name, got, want)
        for suffix in sys.argv[4:]:
            compare_table(c, os.path.join(directory, f"{name}.{suffix}"), want, header_of)
    with open(os.path.join(directory, "metrics/meta_data.json"), encoding="utf-8") as f:
        meta = json.load(f)
    if meta.pop("host_names") != list(found):
        c.tell("meta_data: host_names")
    for name, number in rows.hosts(db, job).items():
        want = db.execute("SELECT machine, cpus_online, threads_per_core, cores / sockets, sockets, cpu_model, cpu_id, memory_kb * 1024,"
                          " os, kernel FROM host WHERE job_id = ? AND id = ?", (job, number)).fetchone()
        words = ("Architecture", "CPU(s)", "Thread(s) per core", "Core(s) per socket", "Socket(s)", "Model name", "CPU id", "Memory",
                 "Operating system", "Kernel")
        c.lists_of(f"meta_data.{name}", [meta[name][w] for w in words], list(want))
    print(c.lists, c.values, c.unknown, c.bad)


main()
