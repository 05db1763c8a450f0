"""Make the directory of a job with the sources that colmet has: colmetjob.py DIRECTORY [JOBID]

Hosts differ in what they have: the second one has another package and other events, the third no taskstats, the fourth
no samples at all."""
import os
import sys

import layoutjob
from layoutjob import START, Host

TASKS = ("cpu_count cpu_delay blkio_count blkio_delay swapin_count swapin_delay cpu_run_real cpu_run_virtual elapsed usertime "
         "systemtime minflt majflt coremem virtmem read_char write_char read_syscalls write_syscalls read_bytes write_bytes "
         "cancelled_write_bytes nvcsw nivcsw usertime_scaled systemtime_scaled cpu_run_scaled freepages_count "
         "freepages_delay").split()
TREE = "usertime systemtime rchar wchar syscr syscw read_bytes write_bytes cancelled_write_bytes".split()
MEMORY = ("total free buffers cached swap_cached active inactive unevictable locked swap_total swap_free dirty writeback "
          "anonymous mapped shared slab_reclaimable slab_unreclaimable kernel_stack page_tables commit_limit committed "
          "huge_anonymous huge_pages huge_pages_free huge_page_size").split()
CPU = "user nice system idle iowait irq softirq steal guest guest_nice interrupts context_switches forks".split()
PAGES = "pgpgin pgpgout pswpin pswpout pgfault pgmajfault".split()


def make(directory, name, seed, tasks, packages, zones, events, others):
    host = Host(name, seed)
    read = host.reading
    for i in range(50):
        us = (START + 2 * i) * 1000000 + (654321 if i == 0 else i * 7)
        values = [read("process", m, "", "n", "counter") for m in TREE]
        values += [read("process", m, "", "B", "gauge") for m in ("rss", "vms")]
        if tasks:
            values += [read("taskstats", m, "", "n", "counter") for m in TASKS]
        values += [read("memory", m, "", "B", "gauge") for m in MEMORY]
        values += [read("cpu", m, o, "us", "counter") for o in ("", "cpu0") for m in CPU]
        values.append(read("cpu", "blocked", "", "n", "gauge"))
        values += [read("vmstat", m, "", "n", "counter") for m in PAGES]
        # What is known in every row is an integer in the file.
        values += [f"{host.series('load', m, '', '0.01', 'gauge')}={i * 13 + 7}" for m in ("load1", "load5", "load15")]
        values += [f"{host.series('load', m, '', 'n', 'gauge')}={i % 3 + 1}" for m in ("runnable", "tasks")]
        values.append(f"{host.series('load', 'uptime', '', 'us', 'gauge')}={9 * 10 ** 15 + i * 2000001}")
        for event in events:
            values += [read("perf", m, event, "n", "counter") for m in ("count", "enabled", "running")]
        if others:
            for job in ("4712", "4713", "odd \"job\"", "0077"):
                if job == "4712" or i % 3:
                    values.append(f"{host.series('jobs', 'present', job, 'n', 'gauge')}={1 if job == '4712' else (i + len(job)) % 2}")
        host.tick(us, values)
        host.tick(us + (5000 if i % 4 else -3000), [read("rapl", "package_energy", z, "uJ", "counter") for z in packages] +
                  [read("rapl", "dram_energy", z + "/dram", "uJ", "counter") for z in packages] +
                  [read("rapl", "core_energy", z + "/core", "uJ", "counter") for z in packages[:1]])
        if i % 5 == 0:
            host.tick(us + 21000, [read("thermal", "temperature", z, "mdegC", "gauge") for z in zones])
        if others:
            host.tick(us + 9000, [read(s, m, o, "n", "counter") for s, m, o in (
                ("infiniband", "tx_bytes", ""), ("infiniband", "rx_bytes", ""), ("infiniband", "tx_packets", ""),
                ("infiniband", "rx_packets", ""), ("infiniband", "rx_bytes", "mlx5_0/1"), ("lustre", "reads", ""),
                ("lustre", "read_bytes", ""), ("lustre", "writes", ""), ("lustre", "write_bytes", ""))])
            host.tick(us + 11000, [read("import", "power", "ipmi/current", "uW", "gauge"),
                                   read("import", "power", "site/other", "uW", "gauge")])
            for uuid in ("GPU-1", "GPU-2"):
                host.tick(us + 13000, [read("nvidia", m, uuid, "n", "gauge") for m in (
                    "power", "utilization", "memory_utilization", "memory_total", "memory_free", "memory_used")])
        else:
            host.tick(us + 9000, [read("cxi", m, "", "n", "counter") for m in ("tx_bytes", "rx_bytes", "tx_packets", "rx_packets")])
    host.write(directory)


def main():
    directory = sys.argv[1]
    os.makedirs(directory)
    for name in ("m1", "m2", "m3", "m4"):
        layoutjob.metadata(directory, name, "GenuineIntel-6-55-4")
    make(directory, "m1", 1, True, ["package-0", "package-1", "package-10", "package-2"], ["acpitz", "acpitz (2)", "x86_pkg_temp"],
         ["instructions", "cpu_cycles", "a,\"b\""], True)
    make(directory, "m2", 2, True, ["package-0", "psys,\\x0a"], ["nvme", "z"], ["cpu_cycles", "cache-misses", "page-faults", "e4", "e5"], False)
    make(directory, "m3", 3, False, ["package-0"], ["acpitz"], ["page-faults"], False)


main()
