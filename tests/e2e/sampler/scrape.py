"""What perfmon shows, read by node_exporter and scraped by Prometheus, on loopback.

    scrape.py DIRECTORY SECONDS QUERY...

DIRECTORY is that of the textfile collector. For so many seconds, at one scrape a second: the times of the CPUs are
between two readings of /proc/stat around each, the number of perfmon's series is constant, no scrape and no file
fails. Prints a line "KEY VALUE" for each of that, then the result of each QUERY; exits with 1 when something is wrong.
"""
import json, os, re, shutil, signal, socket, subprocess, sys, tempfile, time, urllib.parse, urllib.request

directory, seconds, queries = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
PATIENCE = 120  # seconds, for what others have to do first
wrong = 0


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def proc_stat():
    with open("/proc/stat") as f:
        ticks = [int(n) for n in f.readline().split()[1:9]]
    names = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    return {name: n / os.sysconf("SC_CLK_TCK") for name, n in zip(names, ticks)}


def ask(path, **arguments):
    url = "http://127.0.0.1:%d/api/v1/%s?%s" % (server, path, urllib.parse.urlencode(arguments))
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return json.load(answer)["data"]["result"]


def value(query):
    result = ask("query", query=query)
    return float(result[0]["value"][1]) if result else None


def wait(condition, what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            found = condition()
            if found:
                return found
        except OSError:
            pass
        time.sleep(0.1)
    sys.exit("waited in vain for " + what)


def check(ok, key, text):
    global wrong
    wrong += not ok
    print(key, text, "" if ok else "WRONG", flush=True)


def cpu_times():
    """Times of the CPUs that were read after this call, and /proc/stat before and after."""
    before, now = proc_stat(), time.time()
    wait(lambda: (value('perfmon_sample_timestamp_seconds{jobid=""}') or 0) > now, "a sample of the node")
    result = ask("query", query='{__name__=~"perfmon_cpu_all_[a-z]+_seconds_total"}')
    shown = {re.sub("perfmon_cpu_all_(.*)_seconds_total", r"\1", r["metric"]["__name__"]): float(r["value"][1])
             for r in result}
    return before, shown, proc_stat()


exporter, server = free_ports(2)
home = tempfile.mkdtemp()
with open(home + "/prometheus.yml", "w") as f:
    f.write("""
scrape_configs:
- job_name: node
  scrape_interval: 1s
  scrape_timeout: 1s
  static_configs:
  - targets: ['127.0.0.1:%d']
""" % exporter)
processes = []
try:
    with open(home + "/log", "w") as log:
        for command in (
            ["prometheus-node-exporter", "--web.listen-address=127.0.0.1:%d" % exporter, "--collector.disable-defaults",
             "--collector.textfile", "--collector.textfile.directory=" + directory],
            ["prometheus", "--config.file=" + home + "/prometheus.yml", "--storage.tsdb.path=" + home + "/data",
             "--web.listen-address=127.0.0.1:%d" % server],
        ):
            processes.append(subprocess.Popen(command, stdout=log, stderr=log))
    wait(lambda: value("perfmon_series_left_out") is not None, "the first scrape")
    cpu_times()
    began = time.time()
    rounds = fields = bad = 0
    while rounds == 0 or time.time() < began + seconds:
        before, shown, after = cpu_times()
        rounds += 1
        for name in before:
            # The kernel may take back idle time.
            room = 0.5 if name in ("idle", "iowait") else 1e-6
            fields += 1
            if name not in shown or not before[name] - room <= shown[name] <= after[name] + room:
                bad += 1
                print("#", name, before[name], shown.get(name), after[name])
    ended = time.time()
    check(not bad, "cpu", "%d of %d times in %d samples between those of /proc/stat" % (fields - bad, fields, rounds))
    counts = [int(v) for r in ask("query_range", query='count({__name__=~"perfmon_.+"})', start=began, end=ended, step=1)
              for _, v in r["values"]]
    check(len(counts) > 1 and len(set(counts)) == 1, "series", "%s in %d scrapes" % (sorted(set(counts)), len(counts)))
    span = "[%ds]" % max(ended - began, 2)
    check(value("min(min_over_time(up%s))" % span) == 1, "up", "in every scrape")
    check(value("max(max_over_time(node_textfile_scrape_error%s))" % span) == 0, "files", "without an error")
    for query in queries:
        for r in ask("query", query=query):
            print("query", json.dumps(r["metric"], sort_keys=True, ensure_ascii=False), r["value"][1])
finally:
    for p in processes:
        p.send_signal(signal.SIGTERM)
    for p in processes:
        p.wait()
    if sys.exc_info()[0]:
        with open(home + "/log") as f:
            print("#", "# ".join(f.readlines()[-10:]))
    shutil.rmtree(home)
sys.exit(wrong > 0)
