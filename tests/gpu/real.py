"""Parts of real.sh: load a GPU, read it by nvidia-smi and by the driver's library, compare.

   load FILE        computes and copies for most of a minute; FILE gets a line "TIME PHASE" at each change
   smi DIR S        has nvidia-smi write its values four times a second for S seconds
   library DIR S    asks the driver's library itself: every field, the bytes of lists, the time of a call
   compare DIR      compares what they and the sampler wrote
"""
import ctypes
import glob
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

# --- load ---------------------------------------------------------------------------------------


def load(path):
    import torch

    def phase(name):
        torch.cuda.synchronize()
        with open(path, "a") as f:
            f.write("%.6f %s\n" % (time.time(), name))

    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    block = torch.empty(6 << 30, dtype=torch.uint8, device="cuda").zero_()
    phase("idle pid=%d held=%d" % (os.getpid(), torch.cuda.memory_reserved()))
    time.sleep(7)
    phase("compute")
    end = time.time() + 13
    while time.time() < end:
        for _ in range(50):
            a = torch.nn.functional.normalize(a @ a)
        torch.cuda.synchronize()
    pinned = torch.empty(1 << 30, dtype=torch.uint8).pin_memory()
    for name, to, source in (("receive", block[:1 << 30], pinned), ("send", pinned, block[:1 << 30])):
        phase(name)
        copied, begin = 0, time.time()
        while time.time() < begin + 11:
            for _ in range(4):
                to.copy_(source, non_blocking=True)
                copied += 1 << 30
            torch.cuda.synchronize()
        with open(path, "a") as f:
            f.write("%.6f %s-done bytes=%d seconds=%.6f\n" % (time.time(), name, copied, time.time() - begin))
    phase("rest")
    time.sleep(60)


# --- nvidia-smi -----------------------------------------------------------------------------------

SMI = """uuid name pci.bus_id driver_version utilization.gpu utilization.memory utilization.encoder utilization.decoder
memory.total memory.used memory.free memory.reserved power.draw power.draw.average power.draw.instant enforced.power.limit
temperature.gpu fan.speed clocks.current.graphics clocks.current.sm clocks.current.memory clocks.current.video
ecc.errors.corrected.volatile.total ecc.errors.uncorrected.volatile.total clocks_event_reasons.active
clocks_throttle_reasons.active mig.mode.current pcie.link.gen.current pcie.link.width.current pstate""".split()


def smi(directory, seconds):
    known = re.findall(r'"([a-z0-9_.]+)"', open(directory + "/smi-fields.txt").read())
    fields = [f for f in SMI if f in known]
    with open(directory + "/smi.csv", "w") as out:
        out.write("time," + ",".join(fields) + "\n")
        out.flush()
        p = subprocess.Popen(["nvidia-smi", "--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits", "-lms", "250"],
                             stdout=subprocess.PIPE, text=True)
        end = time.time() + seconds
        for line in p.stdout:
            out.write("%.6f,%s" % (time.time(), line))
            if time.time() > end:
                break
        p.kill()


# --- the library ------------------------------------------------------------------------------------


class Field(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("scope", ctypes.c_uint), ("time_us", ctypes.c_longlong),
                ("latency_us", ctypes.c_longlong), ("type", ctypes.c_int), ("rc", ctypes.c_int), ("value", ctypes.c_ulonglong)]


def hexed(buffer, n):
    return bytes(buffer)[:n].hex()


def library(directory, seconds):
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        nvml = ctypes.CDLL("/usr/local/nvidia/lib64/libnvidia-ml.so.1")
    byref, c_uint, c_ull = ctypes.byref, ctypes.c_uint, ctypes.c_ulonglong
    print("init", nvml.nvmlInit_v2())
    n = c_uint()
    print("count", nvml.nvmlDeviceGetCount_v2(byref(n)), n.value)
    gpu = ctypes.c_void_p()
    print("handle", nvml.nvmlDeviceGetHandleByIndex_v2(0, byref(gpu)))
    bytes_ = ctypes.create_string_buffer(68)
    print("pci", nvml.nvmlDeviceGetPciInfo_v3(gpu, bytes_), hexed(bytes_, 68))
    end = time.time() + seconds
    u, v, l = c_uint(), c_uint(), c_ull()
    pair = (c_uint * 2)()
    memory1, bar1, violation = (c_ull * 3)(), (c_ull * 3)(), (c_ull * 2)()
    memory2 = ctypes.create_string_buffer(40)
    temperature = (c_uint * 3)(12 | 1 << 24, 0, 0)
    calls = {
        "nvmlDeviceGetUtilizationRates": (pair,), "nvmlDeviceGetEncoderUtilization": (byref(u), byref(v)),
        "nvmlDeviceGetDecoderUtilization": (byref(u), byref(v)), "nvmlDeviceGetMemoryInfo": (memory1,),
        "nvmlDeviceGetMemoryInfo_v2": (memory2,), "nvmlDeviceGetBAR1MemoryInfo": (bar1,), "nvmlDeviceGetPowerUsage": (byref(u),),
        "nvmlDeviceGetTotalEnergyConsumption": (byref(l),), "nvmlDeviceGetEnforcedPowerLimit": (byref(u),),
        "nvmlDeviceGetTemperature": (0, byref(u)), "nvmlDeviceGetTemperatureV": (temperature,), "nvmlDeviceGetFanSpeed": (byref(u),),
        "nvmlDeviceGetCurrentClocksEventReasons": (byref(l),), "nvmlDeviceGetCurrentClocksThrottleReasons": (byref(l),),
        "nvmlDeviceGetMigMode": (byref(u), byref(v)), "nvmlDeviceGetMaxMigDeviceCount": (byref(u),),
    }
    for i in range(4):
        calls["nvmlDeviceGetClockInfo %d" % i] = (i, byref(u))
    for i in range(2):
        calls["nvmlDeviceGetTotalEccErrors %d" % i] = (i, 0, byref(l))
        calls["nvmlDeviceGetPcieThroughput %d" % i] = (i, byref(u))
    for i in (0, 1, 2, 3, 4, 5, 10, 11):
        calls["nvmlDeviceGetViolationStatus %d" % i] = (i, violation)
    batch = (Field * 10)()

    def fields(ids):
        for i, one in enumerate(ids):
            batch[i].id = one
        return nvml.nvmlDeviceGetFieldValues(gpu, len(ids), batch)

    # Every field there is, once.
    every = []
    for first in range(1, 300, 10):
        rc = fields(range(first, first + 10))
        every += ["%d rc=%d type=%d value=%d latency=%d" % (f.id, f.rc, f.type, f.value, f.latency_us)
                  for f in batch if rc == 0 and f.rc != 3]
    print("fields:", *every, sep="\n  ")
    round_ = 0
    while time.time() < end:
        begun = time.time()
        print("round %d at %.6f" % (round_, begun))
        for name, arguments in calls.items():
            ctypes.memset(memory2, 0xAA, 40)
            ctypes.memmove(memory2, (c_uint * 1)(40 | 2 << 24), 4)
            for b in (pair, memory1, bar1, violation):
                ctypes.memset(b, 0xAA, ctypes.sizeof(b))
            u.value = v.value = l.value = 0
            try:
                function = getattr(nvml, name.split()[0])
            except AttributeError:
                print(" ", name, "missing")
                continue
            before = time.perf_counter()
            rc = function(gpu, *arguments)
            took = (time.perf_counter() - before) * 1e6
            told = {"nvmlDeviceGetUtilizationRates": hexed(pair, 8), "nvmlDeviceGetMemoryInfo": hexed(memory1, 24),
                    "nvmlDeviceGetMemoryInfo_v2": hexed(memory2, 40), "nvmlDeviceGetBAR1MemoryInfo": hexed(bar1, 24),
                    "nvmlDeviceGetTemperatureV": hexed(temperature, 12)}.get(name)
            if "Violation" in name:
                told = "reference_us=%d ns=%d" % tuple(violation)
            print(" ", name, "rc=%d" % rc, told or "u=%d v=%d l=%d" % (u.value, v.value, l.value), "us=%.0f" % took)
        before = time.perf_counter()
        rc = fields([74, 75, 76, 77, 78, 79, 80, 81, 197, 198])
        took = (time.perf_counter() - before) * 1e6
        print("  fields rc=%d us=%.0f at %.6f" % (rc, took, time.time()),
              *["%d:rc=%d,type=%d,value=%d" % (f.id, f.rc, f.type, f.value) for f in batch])
        rc = fields([185, 186, 83, 138, 139, 197, 198, 199, 200, 201])
        print("  more fields rc=%d" % rc, *["%d:rc=%d,type=%d,value=%d" % (f.id, f.rc, f.type, f.value) for f in batch])
        for kind in ("Compute", "Graphics", "MPSCompute"):
            for version in ("_v3", "_v2", ""):
                name = "nvmlDeviceGet%sRunningProcesses%s" % (kind, version)
                try:
                    function = getattr(nvml, name)
                except AttributeError:
                    print(" ", name, "missing")
                    continue
                asked = c_uint(0)
                asked_rc = function(gpu, byref(asked), None)
                entries = ctypes.create_string_buffer(16 * 32)
                ctypes.memset(entries, 0xAA, 16 * 32)
                n = c_uint(16)
                before = time.perf_counter()
                rc = function(gpu, byref(n), entries)
                took = (time.perf_counter() - before) * 1e6
                raw = bytes(entries).rstrip(b"\xaa")
                print(" ", name, "asked rc=%d n=%d" % (asked_rc, asked.value), "rc=%d n=%d written=%d us=%.0f" % (rc, n.value, len(raw), took),
                      raw.hex())
        n = c_uint(0)
        rc0 = nvml.nvmlDeviceGetProcessUtilization(gpu, None, byref(n), c_ull(0))
        room = n.value
        samples = ctypes.create_string_buffer(max(room, 1) * 32)
        ctypes.memset(samples, 0xAA, len(samples))
        before = time.perf_counter()
        since = 0 if round_ == 0 else int((begun - 1) * 1e6)
        rc = nvml.nvmlDeviceGetProcessUtilization(gpu, samples, byref(n), c_ull(since))
        print("  nvmlDeviceGetProcessUtilization asked rc=%d n=%d" % (rc0, room), "rc=%d n=%d us=%.0f" % (
            rc, n.value, (time.perf_counter() - before) * 1e6), hexed(samples, min(n.value, 8) * 32))
        sys.stdout.flush()
        round_ += 1
        time.sleep(max(0, begun + 2 - time.time()))


# --- compare ----------------------------------------------------------------------------------------

results = []


def result(word, name, *text):
    results.append(word)
    print("%-4s %-36s" % (word, name), *text)


def read_series(directory):
    """{(source, metric, object): [(time, value or reason)]}, and the units."""
    values, units = {}, {}
    for path in glob.glob(directory + "/*.series"):
        names = {}
        for line in open(path):
            f = line.rstrip("\n").split("\t")
            if f[-1] != ".":
                continue
            if f[0] == "series":
                # Where a metric is, the comparison does not ask.
                f[2] = "nvidia" if f[2] == "nvidia_counters" else f[2]
                names[f[1]] = tuple(f[2:5])
                units[tuple(f[2:5])] = f[5]
            elif f[0] == "tick":
                for pair in f[3].split():
                    number, _, value = pair.partition("=")
                    values.setdefault(names[number], []).append(
                        (int(f[1]) / 1e6, int(value) if not value.startswith("\\N") else value[3:]))
    return values, units


def number(text):
    try:
        return float(text)
    except ValueError:
        return int(text, 16) if text.startswith("0x") else None


# Metric, field of nvidia-smi, factor to the metric's unit, distance that is the same.
GAUGES = [
    ("utilization", "utilization.gpu", 100, 500), ("memory_utilization", "utilization.memory", 100, 500),
    ("encoder", "utilization.encoder", 100, 0), ("decoder", "utilization.decoder", 100, 0),
    ("memory_total", "memory.total", 1 << 20, 1 << 20), ("memory_used", "memory.used", 1 << 20, 1 << 20),
    ("memory_free", "memory.free", 1 << 20, 1 << 20), ("memory_reserved", "memory.reserved", 1 << 20, 1 << 20),
    ("power", "power.draw", 1000000, 3000000), ("power_limit", "enforced.power.limit", 1000000, 0),
    ("temperature", "temperature.gpu", 1000, 1000), ("fan", "fan.speed", 100, 100),
    ("clock_graphics", "clocks.current.graphics", 1000000, 15000000), ("clock_sm", "clocks.current.sm", 1000000, 15000000),
    ("clock_memory", "clocks.current.memory", 1000000, 0), ("clock_video", "clocks.current.video", 1000000, 15000000),
    ("ecc_corrected", "ecc.errors.corrected.volatile.total", 1, 0), ("ecc_uncorrected", "ecc.errors.uncorrected.volatile.total", 1, 0),
    ("throttle_reasons", "clocks_event_reasons.active", 1, 0),
]


def compare_gauges(values, smi_rows, uuid):
    for metric, field, factor, same in GAUGES:
        series = values.get(("nvidia", metric, uuid), [])
        known = [(t, v) for t, v in series if isinstance(v, int)]
        other = [(float(r["time"]), number(r[field]) * factor) for r in smi_rows
                 if field in r and r["uuid"] == uuid and number(r[field]) is not None]
        if not known:
            reasons = sorted({v for _, v in series})
            result("PASS" if not other and reasons else "FAIL", metric, "unknown:", *reasons, "; nvidia-smi has %d values" % len(other))
            continue
        if not other:
            result("NONE", metric, "%d values, %d to %d; nvidia-smi has none" % (len(known), min(v for _, v in known), max(v for _, v in known)))
            continue
        checked, bad = 0, []
        for t, v in known:
            near = [o for at, o in other if t - 1.6 < at < t + 1.1]
            if len(near) < 4:
                continue
            checked += 1
            if not min(near) - same <= v <= max(near) + same:
                bad.append("%.2f: %d not in %d..%d" % (t, v, min(near), max(near)))
        result("PASS" if checked and len(bad) <= checked // 20 else "FAIL", metric,
               "%d of %d readings agree, %d to %d" % (checked - len(bad), checked, min(v for _, v in known), max(v for _, v in known)),
               *bad[:3])


def compare_counters(values, phases, smi_rows, uuid):
    energy = [(t, v) for t, v in values.get(("nvidia", "energy", uuid), []) if isinstance(v, int)]
    power = [(float(r["time"]), number(r.get("power.draw.instant", r.get("power.draw", "")))) for r in smi_rows if r["uuid"] == uuid]
    power = [(t, p) for t, p in power if p is not None and energy and energy[0][0] <= t <= energy[-1][0]]
    if len(energy) > 3 and len(power) > 20:
        span = [(t, v) for t, v in energy if power[0][0] <= t <= power[-1][0]]
        joules = (span[-1][1] - span[0][1]) / 1e6
        part = [(t, p) for t, p in power if span[0][0] <= t <= span[-1][0]]
        integral = sum((t2 - t1) * (p1 + p2) / 2 for (t1, p1), (t2, p2) in zip(part, part[1:]))
        result("PASS" if abs(joules - integral) < 0.05 * integral else "FAIL", "energy",
               "%.1f J by the counter, %.1f J by nvidia-smi's power" % (joules, integral))
    else:
        result("FAIL", "energy", "%d readings" % len(energy))
    for metric in ("throttle_power", "throttle_thermal", "throttle_sync_boost", "throttle_board_limit", "throttle_low_utilization",
                   "throttle_reliability", "throttle_application_clocks", "throttle_base_clocks"):
        series = values.get(("nvidia", metric, uuid), [])
        known = [v for _, v in series if isinstance(v, int)]
        falls = sum(b < a for a, b in zip(known, known[1:]))
        word = "PASS" if known and not falls else "NONE" if not known else "FAIL"
        result(word, metric, "%d known, %d falls" % (len(known), falls),
               "grew by %d" % (known[-1] - known[0]) if known else "", *sorted({v for _, v in series if not isinstance(v, int)}))
    # What was copied, by what the program says.
    times = {name.split()[0]: (t, name) for t, name in phases}
    for metric, name in (("pcie_rx", "receive"), ("pcie_tx", "send")):
        if name not in times or name + "-done" not in times:
            continue
        begin, end = times[name][0], times[name + "-done"][0]
        copied = int(re.search(r"bytes=(\d+)", times[name + "-done"][1]).group(1))
        rate = copied / (end - begin)
        gauge = [v for t, v in values.get(("nvidia_pcie", metric + "_rate", uuid), []) if isinstance(v, int) and begin + 0.5 < t < end]
        result("NONE" if not gauge else "PASS" if 0.9 * rate < gauge[0] < 1.3 * rate else "FAIL", metric + "_rate",
               "%s B/s read, %.0f B/s copied" % (gauge, rate))


def compare_identity(values, directory, smi_rows, uuid):
    row = [r for r in smi_rows if r["uuid"] == uuid][0]
    text = open(directory + "/sources.txt").read()
    line = (re.findall("^ *" + re.escape(uuid) + ".*", text, re.M) or [""])[0]
    result("PASS" if row["name"] in line else "FAIL", "name", line.strip())
    address = row["pci.bus_id"].lower()[4:]
    result("PASS" if address in line else "FAIL", "PCI address", address)
    result("PASS" if "driver " + row["driver_version"] in line else "FAIL", "driver", row["driver_version"])
    result("PASS" if os.path.isdir("/sys/bus/pci/devices/" + address) else "NONE", "address in /sys", address)
    tree = xml.etree.ElementTree.parse(directory + "/smi-load.xml").getroot()
    for gpu in tree.iter("gpu"):
        if gpu.findtext("uuid") != uuid:
            continue
        for part, metric in (("total", "bar1_total"), ("used", "bar1_used")):
            mib = int(gpu.findtext("bar1_memory_usage/" + part).split()[0])
            known = [v for _, v in values.get(("nvidia", metric, uuid), []) if isinstance(v, int)]
            result("PASS" if any(abs(v - (mib << 20)) <= 1 << 20 for v in known) else "FAIL", metric, "%d MiB" % mib, sorted(set(known))[:4])
        result("NONE", "MIG", gpu.findtext("mig_mode/current_mig"))


def compare_processes(values, directory, uuid):
    apps = [l.split(", ") for l in open(directory + "/smi-apps.csv").read().splitlines() if l.startswith(uuid)]
    mine = {k[2]: v for k, v in values.items() if k[0] == "nvidia" and k[1] == "process_memory"}
    count = [v for _, v in values.get(("nvidia", "processes", uuid), []) if isinstance(v, int)]
    result("PASS" if len(apps) in count else "FAIL", "processes", "nvidia-smi %d, sampler %s" % (len(apps), sorted(set(count))))
    for _, pid, used, *_ in apps:
        known = [v for _, v in mine.get("%s/%s" % (uuid, pid), []) if isinstance(v, int)]
        result("PASS" if any(abs(v - (int(used) << 20)) <= 1 << 20 for v in known) else "FAIL", "process_memory of " + pid,
               used + " MiB,", sorted(set(known))[:6])
        sm = [v for _, v in values.get(("nvidia", "process_sm", "%s/%s" % (uuid, pid)), [])]
        result("PASS" if any(isinstance(v, int) and v > 3000 for v in sm) else "FAIL", "process_sm of " + pid, sm)
    if not apps:
        result("NONE", "process_memory", "nvidia-smi lists no process; sampler: %s" % sorted(mine))


def compare_cost(values):
    for source in ("nvidia", "nvidia_counters", "nvidia_pcie", "cpu"):
        cost = [(t, v) for t, v in values.get(("sampler", "cost", source), []) if isinstance(v, int)]
        if len(cost) > 3:
            result("NONE", "CPU time of " + source, "%.3f ms per second" % ((cost[-1][1] - cost[0][1]) / 1e6 / (cost[-1][0] - cost[0][0])))
    for key, series in sorted(values.items()):
        if key[:2] in (("sampler", "rssmax"), ("sampler", "late_readings"), ("sampler", "missed"), ("sampler", "failures")):
            result("NONE", ".".join(key), series[-1][1])
    ticks = sorted(t for t, _ in values.get(("cpu", "user", ""), []))
    if ticks:
        result("PASS" if max(b - a for a, b in zip(ticks, ticks[1:])) < 1.5 else "FAIL", "ticks of cpu",
               "%d, %.3f s apart at most" % (len(ticks), max(b - a for a, b in zip(ticks, ticks[1:]))))


def compare(directory):
    values, _ = read_series(directory)
    header, *lines = open(directory + "/smi.csv").read().splitlines()
    names = header.split(",")
    smi_rows = [dict(zip(names, [c.strip() for c in l.split(",")])) for l in lines if l.count(",") == header.count(",")]
    phases = []
    if os.path.exists(directory + "/phases.txt"):
        phases = [(float(l.split(" ", 1)[0]), l.strip().split(" ", 1)[1]) for l in open(directory + "/phases.txt")]
    uuids = sorted({r["uuid"] for r in smi_rows})
    mine = sorted({k[2] for k in values if k[:2] == ("nvidia", "power")})
    result("PASS" if uuids and uuids == mine else "FAIL", "GPUs", "nvidia-smi", uuids, "sampler", mine)
    for uuid in uuids:
        for step in (lambda: compare_identity(values, directory, smi_rows, uuid), lambda: compare_gauges(values, smi_rows, uuid),
                     lambda: compare_counters(values, phases, smi_rows, uuid), lambda: compare_processes(values, directory, uuid)):
            try:
                step()
            except Exception as e:
                result("FAIL", "comparison", repr(e))
    compare_cost(values)
    print("%d PASS, %d FAIL, %d NONE" % tuple(results.count(w) for w in ("PASS", "FAIL", "NONE")))


if __name__ == "__main__":
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "load":
        load(*arguments)
    elif what in ("smi", "library"):
        globals()[what](arguments[0], float(arguments[1]))
    else:
        compare(*arguments)
