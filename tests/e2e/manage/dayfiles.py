"""Processes with their jobs, a line each, sorted: `truth DB` of a database in SQLite, as its rows are; `files DIR`
of the Parquet files beside archives, each of which has to be complete and to have what its name says. `brief` in front:
only the job and the number of the process. `parts DIR`: names that are none of a complete file.
"""
import datetime
import glob
import json
import os
import re
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "export"))
import parquet  # noqa: E402

JOB = ("cluster", "user", "jobid", "array_task", "restart_count", "epoch_us", "name", "account", "queue")
NAME = re.compile(r"(\d{4}-\d\d-\d\d)\.([^/]*)\.parquet")


def line(row):
    # Texts that are stored escaped are for others to check, and a copy of a job has a number of its own.
    known = {k: v for k, v in row.items() if v is not None and k not in ("job_id", "args", "exact") and
             not (isinstance(v, str) and ("\\" in v or "\ufffd" in v or not v.isascii()))}
    return json.dumps(known, sort_keys=True)


def truth(path):
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    names = [c[1] for c in db.execute("PRAGMA table_info(process)")]
    own = ", ".join('p."%s" AS "%s"' % (n, "process_jobid" if n == "jobid" else n) for n in names)
    of_job = ", ".join('j."%s"' % n for n in JOB)
    for row in db.execute(
            "SELECT %s, j.start_us AS job_start_us, j.end_us AS job_end_us, %s, h.hostname, h.boot_id FROM job j, process p, host h"
            " WHERE p.job_id = j.id AND h.job_id = j.id AND h.id = p.host_id" % (of_job, own)):
        yield dict(row)


def escape(cluster):
    return cluster or "_"


def files(directory):
    for path in glob.glob(os.path.join(directory, "parquet", "*", "*.parquet")):
        folder, name = path.split(os.sep)[-2:]
        day, cluster = NAME.fullmatch(name).groups()
        assert re.fullmatch(r"month=\d{4}-\d\d", folder), path
        for row in parquet.rows(path):
            end = datetime.datetime.fromtimestamp(row["job_end_us"] / 1e6, datetime.timezone.utc)
            assert end.strftime("%Y-%m-%d") == day, (path, row["jobid"], end)
            assert escape(row["cluster"]) == cluster or "%" in cluster or "~" in cluster, (path, row["cluster"])
            yield row


def parts(directory):
    for folder, _, names in os.walk(os.path.join(directory, "parquet")):
        for name in names:
            if not NAME.fullmatch(name) and not name.endswith(".db"):
                yield os.path.join(folder, name)


def main(what, path, *rest):
    if what == "brief":
        for row in {"truth": truth, "files": files}[path](*rest):
            yield " ".join(str(row[k]) for k in ("cluster", "jobid", "array_task", "restart_count", "epoch_us", "id"))
    elif what == "parts":
        yield from parts(path)
    else:
        yield from map(line, {"truth": truth, "files": files}[what](path))


for text in sorted(main(*sys.argv[1:])):
    print(text)
