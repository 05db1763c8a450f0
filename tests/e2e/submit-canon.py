"""What a database says of its jobs, whatever order the files came in: a line per row, numbers of
rows replaced by what they stand for. Usage: submit-canon.py DB [JOBID]"""
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
db.row_factory = sqlite3.Row
only = sys.argv[2] if len(sys.argv) > 2 else None
jobs = {r["id"]: "%s/%s/%s/%s" % (r["user"], r["jobid"], r["restart_count"], r["epoch_us"])
        for r in db.execute("select * from job") if only in (None, r["jobid"])}
hosts = {(r["job_id"], r["id"]): r["boot_id"] or r["hostname"] for r in db.execute("select * from host")}
process = {(r["job_id"], r["id"]): "%s/%s/%s/%s/%s" % (hosts[r["job_id"], r["host_id"]], r["pid_ns"], r["pid"],
                                                      r["image_us"], r["end_us"])
           for r in db.execute("select * from process")}
series = {(r["job_id"], r["id"]): "%s/%s/%s" % (hosts[r["job_id"], r["host_id"]], r["metric"], r["object"])
          for r in db.execute("select * from series")}


def value(table, r, c):
    v, job = r[c], r["id" if table == "job" else "job_id"]
    if c == "job_id" or (table == "job" and c == "id"):
        return jobs[job]
    if v is None:
        return None
    if c == "host_id" or (table == "host" and c == "id"):
        return hosts[job, v]
    if c in ("parent_id", "process_id") or (table == "process" and c == "id"):
        return process.get((job, v), v)
    if c == "series_id" or (table == "series" and c == "id"):
        return series[job, v]
    if isinstance(v, float):
        return "%.9g" % v
    return v


lines = []
for table in ("job", "host", "process", "thread_row", "counter", "tag", "series", "sample",
              "excluded_program", "lost", "folded_program", "folded_wait"):
    for r in db.execute("select * from " + table):
        if r["id" if table == "job" else "job_id"] in jobs:
            lines.append(table + " " + " ".join("%s=%s" % (c, value(table, r, c)) for c in r.keys()
                                                if c not in ("problems", "tag_set") and not c.startswith("block_")
                                                and r[c] is not None))
print("\n".join(sorted(lines)))
