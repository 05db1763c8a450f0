#!/usr/bin/env python3
"""Make the directory of a job with series of known values, and look at what is drawn of them.

plotjob.py make DIR HOSTS SECONDS [NAME]     the job; NAME is put into names of hosts, objects and the job
plotjob.py numbers TEXT PDF-TEXT             numbers of a text that another lacks, one a line
plotjob.py svg FILE                          what a well-formed SVG has: width, height, paths
plotjob.py png FILE                          width and height of a PNG
"""
import collections, json, os, re, struct, sys, xml.etree.ElementTree


def escape(name):
    """As a field of perfmon-series(5)."""
    return b"".join(b"\\x%02x" % c if c >= 0x80 or c < 0x20 or c == 0x5c else bytes([c]) for c in name)


def make(out, hosts, seconds, name=""):
    name = os.fsencode(name)
    start, mono = 1700000000000000, 5000000
    os.makedirs(out)
    for h in range(hosts):
        host = b"n%d" % h + name
        shown = host.decode("utf-8", "replace")
        meta = {"format": "perfmon-job-1", "version": "0.1.0",
                "job": {"cluster": "c", "user": "tester", "jobid": "9", "array_task": "", "restart_count": 0, "epoch_us": start,
                        "uid": 1000, "gid": 1000, "scheduler": "slurm", "name": "job" + name.decode("utf-8", "replace")},
                "host": {"hostname": shown, "boot_id": "b%d" % h, "cpus_online": 8, "cpus_allowed": 8},
                "start": {"time_us": start, "monotonic_us": mono, "environment": {}},
                "stop": {"time_us": start + seconds * 1000000, "monotonic_us": mono + seconds * 1000000, "exit_status": 0}}
        json.dump(meta, open(os.path.join(out, "job-n%d.json" % h), "w"))
        lines = [b"perfmon-series-1\t" + escape(shown.encode()) + b"\tb%d\t1000000\t." % h]
        values = []

        def series(source, metric, obj, unit, kind, at):
            values.append(at)
            lines.append(b"series\t%d\t" % len(values) + b"\t".join(
                [source.encode(), metric.encode(), escape(obj), unit.encode(), kind.encode(), b"."]))

        series("cpu", "user", b"", "us", "counter", lambda t: t * 6000000)
        series("cpu", "idle", b"", "us", "counter", lambda t: t * 2000000)
        for m in "nice system irq softirq steal iowait".split():
            series("cpu", m, b"", "us", "counter", lambda t: 0)
        series("memory", "used", b"", "B", "gauge", lambda t: 1000000000 * (h + 1))
        for m in "tx_bytes rx_bytes".split():
            series("network", m, b"", "B", "counter", lambda t: t * 1000 * (h + 1))
        for m in "tx_packets rx_packets".split():
            series("network", m, b"", "n", "counter", lambda t: t * 10)
        for m in "tx_bytes rx_bytes".split():
            series("infiniband", m, b"", "B", "counter", lambda t: t * 1000000)
        for m in "tx_packets rx_packets".split():
            series("infiniband", m, b"", "n", "counter", lambda t: t * 1000)
        for zone in (b"package-0", b"package-1"):
            series("rapl", "package_energy", zone + name, "uJ", "counter", lambda t: t * 50000000)
        series("rapl", "dram_energy", b"", "uJ", "counter", lambda t: None)
        series("process", "usertime", b"", "us", "counter", lambda t: t * 4000000)
        series("process", "systemtime", b"", "us", "counter", lambda t: t * 1000000)
        series("process", "rss", b"", "B", "gauge", lambda t: 500000000)
        for t in range(seconds + 1):
            if seconds // 3 < t < seconds // 2:
                continue
            pairs = []
            for i, at in enumerate(values):
                v = at(t)
                if v is not None:
                    pairs.append("%d=%d" % (i + 1, v))
                elif t == 0:
                    pairs.append("%d=\\N:permission" % (i + 1))
            lines.append(b"tick\t%d\t%d\t%s\t." % (start + t * 1000000, mono + t * 1000000, " ".join(pairs).encode()))
        open(os.path.join(out, "n%d.series" % h), "wb").write(b"\n".join(lines) + b"\n")


def numbers(path):
    return collections.Counter(re.findall(r"\d+(?:\.\d+)?", open(path, encoding="utf-8", errors="replace").read()))


what, args = sys.argv[1], sys.argv[2:]
if what == "make":
    make(args[0], int(args[1]), int(args[2]), *args[3:])
elif what == "numbers":
    for number in sorted((numbers(args[0]) - numbers(args[1])).elements()):
        print(number)
elif what == "svg":
    root = xml.etree.ElementTree.parse(args[0]).getroot()
    print(root.tag.split("}")[1], root.get("width"), root.get("height"), len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 20)
elif what == "png":
    data = open(args[0], "rb").read()
    print(data[1:4].decode(), *struct.unpack(">II", data[16:24]))
