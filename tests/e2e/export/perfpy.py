"""Compare the layout perf.py with the database, value by value: perfpy.py DATABASE JOBID FILE

Prints what differs, and at the end how many reports, values and unknown ones were compared, and the differences."""
import json
import sys

import rows

BUSY = "user nice system irq softirq steal".split()
IDLE = ["idle", "iowait"]


def use(host, obj):
    """Of each row the share in which a CPU, or all, was busy, of the times that the host has."""
    busy, idle = ([("cpu", m, obj) for m in of if host.has("cpu", m, obj)] for of in (BUSY, IDLE))
    return [100 * sum(x[1][:len(busy)]) / sum(x[1]) if x and sum(x[1]) else None for x in host.together(busy + idle)]


def extreme(host, choose, told):
    cpus = host.objects("cpu", "user")
    if not cpus:
        return host.total(["cpu." + told], 100)
    return [choose((v for v in row if v is not None), default=None) for row in zip(*(use(host, c) for c in cpus))]


def share(a, b):
    return [None if None in x else 100 * x[0] / (x[0] + x[1]) for x in zip(a, b)]


def reports(host):
    mib = 2 ** 20
    want = {
        "cpu_pct_per_cpu_avg": use(host, ""),
        "cpu_pct_per_cpu_min": extreme(host, min, "idlest"),
        "cpu_pct_per_cpu_max": extreme(host, max, "busiest"),
        "mem_percent": [None if None in x else 100 * x[0] / x[1] for x in zip(host.total(["memory.used"]), host.total(["memory.total"]))],
        "disk_usage_percent": share(host.total(["filesystem.used"], 1, "/"), host.total(["filesystem.available"], 1, "/")),
        "disk_io_read_mb": host.total(["disk.read_bytes"], mib),
        "disk_io_write_mb": host.total(["disk.write_bytes"], mib),
    }
    for direction, metric in (("sent", "tx_bytes"), ("recv", "rx_bytes")):
        want[f"net_io_lo_{direction}_mb"] = host.total(["network." + metric], mib, "lo")
        want[f"net_io_ext_{direction}_mb"] = host.total(["network." + metric], mib)
    want["timestamp"] = [t / 1e6 for t in host.times]
    return [dict(zip(want, row)) for row in zip(*want.values())]


def main():
    db = rows.open_database(sys.argv[1])
    job = rows.job_number(db, sys.argv[2])
    with open(sys.argv[3], encoding="utf-8") as f:
        got = json.load(f)
    count = values = unknown = bad = 0
    want = {}
    for name, number in rows.hosts(db, job, ()).items():
        host = rows.Host(db, job, number)
        if host.begin("cpu memory disk network filesystem netfs".split()):
            want[name] = reports(host)
    if list(got) != list(want):
        print("hosts:", list(got), list(want))
        bad += 1
    for name in set(got) & set(want):
        if len(got[name]) != len(want[name]):
            print(name, len(got[name]), len(want[name]))
            bad += 1
        for a, b in zip(got[name], want[name]):
            count += 1
            if set(a) != set(b):
                print(name, a, b)
                bad += 1
                continue
            for key in b:
                values += 1
                unknown += b[key] is None
                if a[key] != b[key] and (key == "timestamp" or not rows.near(a[key], b[key])):
                    bad += 1
                    print(f"{name} {b['timestamp']} {key}: {a[key]!r} is not {b[key]!r}")
    print(count, values, unknown, bad)


main()
