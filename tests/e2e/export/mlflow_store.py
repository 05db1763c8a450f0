"""Compare the layout mlflow with the database, value by value: mlflow_store.py DATABASE JOBID DIRECTORY documented|perf.py

Prints what differs, and at the end how many metrics, values and unknown ones were compared, and the differences."""
import json
import os
import re
import sys
import urllib.parse

import rows

LOGGED = {
    "max_t_cpu_pct_per_cpu_avg": "max_t_(cpu_pct_per_cpu_avg)", "max_t_cpu_pct_per_cpu_min": "max_t_(cpu_pct_per_cpu_min)",
    "max_t_cpu_pct_per_cpu_max": "max_t_(cpu_pct_per_cpu_max)", "max_t_mem_percent": "max_t_(mem_percent)",
}
NAMES = """max_t_cpu_pct_per_cpu_avg max_t_cpu_pct_per_cpu_max max_t_cpu_pct_per_cpu_min cpu_avg_utilization_pct
cpu_avg_utilization_at100_pct cpu_avg_utilization_over80_pct cpu_avg_utilization_over40_pct cpu_avg_utilization_over20_pct
node_cpu_hours node_unused_cpu_hours max_t_mem_percent max_t_disk_usage_percent total_disk_io_read_mb total_disk_io_write_mb
total_net_io_lo_sent_mb total_net_io_lo_recv_mb total_net_io_ext_sent_mb total_net_io_ext_recv_mb""".split()


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def yaml(text):
    """The members of a file of plain lines, as JSON where they are."""
    out = {}
    for line in text.splitlines():
        key, value = line.split(": ", 1)
        value = re.sub(r"^'(.*)'$", r'"\1"', value)
        try:
            out[key] = json.loads(value)
        except ValueError:
            out[key] = value
    return out


def main():
    db = rows.open_database(sys.argv[1])
    job = rows.job_number(db, sys.argv[2])
    store, names = os.path.realpath(sys.argv[3]), sys.argv[4]
    metrics = values = unknown = bad = 0

    def check(what, got, want):
        nonlocal bad
        if got != want:
            bad += 1
            print(f"{what}: {got!r} is not {want!r}")

    experiments = os.listdir(store)
    check("experiments", len(experiments), 1)
    experiment = yaml(read(store, experiments[0], "meta.yaml"))
    check("experiment", (experiment["experiment_id"], experiment["name"], experiment["lifecycle_stage"]),
          (experiments[0], "perfmon", "active"))
    found = []
    for run in os.listdir(os.path.join(store, experiments[0])):
        path = os.path.join(store, experiments[0], run)
        if os.path.isdir(path) and read(path, "tags", "perfmon.job") == sys.argv[2]:
            found.append((run, path))
    check("runs of the job", len(found), 1)
    run, path = found[0]
    check("length of its id", len(run), 32)
    user, name, start, end, status, signal = db.execute(
        'SELECT "user", name, start_us, end_us, exit_status, exit_signal FROM job WHERE id = ?', (job,)).fetchone()
    last, = db.execute("SELECT max(end_us) FROM series_summary WHERE job_id = ?", (job,)).fetchone()
    # The numbers of MLflow: RUNNING, FINISHED, FAILED, KILLED; it has none for what is not known.
    known = {"signal": 5, "status": 4, "success": 3, "unknown": 1}
    ended = "unknown" if end is None else "signal" if signal is not None else "unknown" if status is None else "status" if status else "success"
    times = [None if t is None else t // 1000 for t in (start, end, last)]
    at = next((t for t in (times[1], times[0], times[2]) if t is not None), None)
    meta = yaml(read(path, "meta.yaml"))
    check("run", [meta[k] for k in ("run_id", "run_uuid", "run_name", "user_id", "start_time", "end_time", "status", "experiment_id")],
          [run, run, name, user, times[0], times[1], known[ended], experiments[0]])
    check("artifacts", urllib.parse.unquote(meta["artifact_uri"]), "file://" + os.path.join(path, "artifacts"))
    hosts = rows.hosts(db, job, ())
    check("nodes", json.loads(read(path, "tags", "perfmon.nodes")), list(hosts))
    have = set(os.listdir(os.path.join(path, "metrics")))
    for summary in NAMES:
        want = []
        for step, number in enumerate(hosts.values()):
            row = db.execute(f"SELECT {summary} FROM node_summary WHERE job_id = ? AND host_id = ?", (job, number)).fetchone()
            if row and row[0] is not None and at is not None:
                want.append((at, row[0], step))
            else:
                unknown += 1
        key = LOGGED.get(summary, summary) if names == "perf.py" else summary
        if not want:
            continue
        metrics += 1
        if key not in have:
            check(key, None, want)
            continue
        have.discard(key)
        got = [(int(t), float(v), int(s)) for t, v, s in (line.split(" ") for line in read(path, "metrics", key).splitlines())]
        values += len(want)
        check(key, got, want)
    check("other metrics", have, set())
    print(metrics, values, unknown, bad)


main()
