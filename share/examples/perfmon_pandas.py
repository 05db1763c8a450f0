#!/usr/bin/python3
"""perfmon's database in pandas: an example to copy from, and a module to import.

    perfmon_pandas.py DATABASE [JOB]    tables of the jobs in it, or of one of them by its number there

DATABASE is an SQLite file or the URL of a PostgreSQL database. What is not known is NA, never 0; times are pandas' own,
UTC. The SQL is that of perfmon-cookbook(7), by the names in cookbook.sql, which is installed beside this file.
"""
import os
import re
import sqlite3
import sys
import urllib.parse

import pandas as pd

COOKBOOK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cookbook.sql")


def connect(database):
    """Open a database, only to read."""
    if database.startswith(("postgresql://", "postgres://")):
        import psycopg2
        db = psycopg2.connect(database)
        db.set_session(readonly=True)
        return db
    return sqlite3.connect("file:%s?mode=ro" % urllib.parse.quote(os.path.abspath(database)), uri=True)


def cookbook(name):
    """A statement of the cookbook."""
    with open(COOKBOOK, encoding="utf-8") as f:
        found = re.search(r"^-- %s: .*\n((?:--.*\n)*)((?:.*\n)*?.*;)$" % re.escape(name), f.read(), re.M)
    if not found:
        raise KeyError("%s has no %s" % (COOKBOOK, name))
    return found.group(2)


def query(db, sql, **parameters):
    """The rows of a statement, whose parameters are written as :name; columns whose names end in _us and that are
    times since 1970 become times."""
    if not isinstance(db, sqlite3.Connection):
        sql = re.sub(r"(?<!:):([a-z_]+)", r"%(\1)s", sql.replace("%", "%%"))
    cursor = db.cursor()
    cursor.execute(sql, parameters)
    table = pd.DataFrame(cursor.fetchall(), columns=[c[0] for c in cursor.description])
    for name in table.columns:
        if table[name].dtype == object and table[name].map(lambda v: v is None or not isinstance(v, (str, bytes))).all():
            table[name] = pd.to_numeric(table[name])  # PostgreSQL has decimals where SQLite has floats
        if name in ("start_us", "end_us", "time_us", "minute_us", "day_us", "submit_us", "epoch_us"):
            table[name] = pd.to_datetime(table[name], unit="us", utc=True)
    # Integers with NA among them would be floats otherwise.
    return table.convert_dtypes()


def ask(db, name, **parameters):
    """The answer to a question of the cookbook."""
    return query(db, cookbook(name), **parameters)


def samples(db, job, source, metric, object=""):
    """What was sampled of all hosts of a job: a row for each host and time. A counter comes as its rate, per second;
    where it fell, as after a reset, the rate is not known."""
    table = query(db, """SELECT h.hostname, s.time_us, s.value, s.monotonic_us, e.kind, e.unit
        FROM series e JOIN sample s ON s.job_id = e.job_id AND s.series_id = e.id
        JOIN host h ON h.job_id = e.job_id AND h.id = e.host_id
        WHERE e.job_id = :job AND e.source = :source AND e.metric = :metric AND e.object = :object
        ORDER BY h.hostname, s.time_us""", job=job, source=source, metric=metric, object=object)
    if len(table) and table["kind"].iloc[0] == "counter":
        by_host = table.groupby("hostname")
        seconds = by_host["monotonic_us"].diff() / 1e6
        table["value"] = (by_host["value"].diff() / seconds).where(lambda rate: rate >= 0)
    return table.drop(columns=["monotonic_us", "kind"])


def export(path):
    """A table that `perfmon export` wrote. Parquet has the types in it (and needs pyarrow); of CSV, an empty cell is NA, and
    one with "" is an empty text, which pandas does not tell apart."""
    if path.endswith(".parquet"):
        return pd.read_parquet(path)
    return pd.read_csv(path, sep="\t" if path.endswith(".tsv") else ",", low_memory=False).convert_dtypes()


def show_site(db):
    """Jobs and users of the thirty days before the latest job."""
    jobs = query(db, """SELECT id, jobid, "user", name, start_us, duration_us, cpus, cpu_time, efficiency,
        exit_status FROM job WHERE start_us >= (SELECT max(start_us) FROM job) - 30 * 86400000000
        ORDER BY start_us, id""")
    jobs["given_h"] = jobs["cpus"] * jobs["duration_us"] / 3.6e9
    jobs["used_h"] = jobs["cpu_time"] / 3.6e9
    print(jobs[["id", "jobid", "user", "name", "start_us", "efficiency", "exit_status"]].to_string(index=False))
    users = jobs.dropna(subset=["given_h", "used_h"]).groupby("user")[["given_h", "used_h"]].sum()
    users["idle_h"] = users["given_h"] - users["used_h"]
    print("\nCPU hours that were given and used\n" + users.sort_values("idle_h", ascending=False).round(2).to_string())


def show_job(db, job):
    """Programs of a job, and the use of CPUs and memory of its hosts."""
    print(ask(db, "programs-cpu", job=job).to_string(index=False))
    cpus = samples(db, job, "cpu", "user")
    memory = samples(db, job, "memory", "used")
    if len(cpus):
        # A rate of microseconds per second: 1e6 is one CPU.
        hosts = pd.DataFrame({"mean_cpus": cpus.groupby("hostname")["value"].mean() / 1e6,
                              "most_cpus": cpus.groupby("hostname")["value"].max() / 1e6,
                              "most_gb": memory.groupby("hostname")["value"].max() / 1e9,
                              "unknown": memory["value"].isna().groupby(memory["hostname"]).sum()})
        print("\n" + hosts.round(2).to_string())


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    db = connect(sys.argv[1])
    if len(sys.argv) == 3:
        show_job(db, int(sys.argv[2]))
    else:
        show_site(db)


if __name__ == "__main__":
    main()
