"""For bench/find.sh: rows of many jobs and their processes, made by SQL from those of one job that is loaded.
find.py sqlite FILE | find.py postgresql - prints SQL for psql, JOBS PROCESSES"""
import sqlite3
import sys

engine, name, jobs, each = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
days = 30

# Figures look random and are the same in both engines: n is the job, i the process, k the program, t the tag.
job = "1000 + n" if engine == "sqlite" else "(100 + (n - 1) * %d / %d) * 10000000 + n" % (days, jobs)
spread = "(n * 7907 % 7200 * 1000000)"
failed = "(n % 50 = 3)"
values = {
    "job": {"id": job, "jobid": "CAST(1000000 + n AS TEXT)", "user": "'user' || (n % 50)", "name": "'name' || (n % 1000)",
            "account": "'p' || (n % 20)", "queue": "'q' || (n % 5)", "start_us": "1700000000000000 + n * 60000000",
            "end_us": "1700000000000000 + n * 60000000 + " + spread, "epoch_us": "1700000000000000 + n * 60000000",
            "duration_us": spread, "cpu_time": spread + " * 10", "rssmax": "n * 7919 % 64000000", "processes": str(each),
            "efficiency": "n * 7919 % 1000 / 1000.0", "failed": "CASE WHEN %s THEN 1 ELSE 0 END" % failed,
            "exit_status": "CASE WHEN n % 20 = 7 THEN 1 ELSE 0 END", "exit_signal": "NULL", "running": "0"},
    "host": {"job_id": job, "hostname": "'n' || (n % 500)"},
    "process": {"job_id": job, "id": "i", "host_id": "1", "parent_id": "CASE WHEN i > 1 THEN 1 END", "pid": "(n * 31 + i) % 32768",
                "exename": "CASE WHEN i = 7 AND n % 10000 = 77 THEN 'rare' ELSE 'prog' || ((n * 7 + i % 10) % 200) END",
                "duration_us": "CASE WHEN i = 1 THEN %s ELSE %s / 2 * (i %% 7) / 7 END" % (spread, spread),
                "cpu_time": "(n * 7919 + i * 104729) % 10000000", "rssmax": "(n * 7919 + i * 104729) % 1000000", "tag_set": "1 + i % 2",
                "start_us": "1700000000000000 + n * 60000000 + i", "exitcode": "CASE WHEN i = 5 AND %s THEN 1 ELSE 0 END" % failed,
                "end_reason": "'exit'", "args": "''", "depth": "CASE WHEN i > 1 THEN 1 ELSE 0 END"},
    "program_summary": {"job_id": job, "program": "CASE WHEN k = 10 THEN 'rare' ELSE 'prog' || ((n * 7 + k) % 200) END", "processes": str(each // 10),
                        "runs": str(each // 10), "threads_known": "0", "failed": "CASE WHEN k = 5 AND %s THEN 1 ELSE 0 END" % failed,
                        "killed": "0", "duration_us": "CASE WHEN k = 1 THEN %s ELSE %s / 2 END" % (spread, spread)},
    "tag_set": {"job_id": job, "id": "t", "name": "CASE WHEN t = 0 THEN 'exp' ELSE 'phase' END",
                "value": "CASE WHEN t = 0 THEN 'e' || (n % 200) WHEN n % 10000 = 77 THEN 'odd' ELSE 'p' || t END"},
}
inner = {"process": ("i", 1, each), "program_summary": ("k", 0, 10), "tag_set": ("t", 0, 2)}
only = {"program_summary": " WHERE k < 10 OR n % 10000 = 77"}

def source(table):
    """The numbers of the rows."""
    def numbers(column, first, last):
        if engine == "sqlite":
            return "(WITH RECURSIVE c(v) AS (SELECT %d UNION ALL SELECT v + 1 FROM c WHERE v < %d) SELECT v AS %s FROM c)" % (first, last, column)
        return "(SELECT v::bigint AS %s FROM generate_series(%d, %d) v)" % (column, first, last)
    text = "FROM %s n" % numbers("n", 1, jobs)
    if table in inner:
        text += " CROSS JOIN %s x" % numbers(*inner[table])
    return text + only.get(table, "") + (" ORDER BY n" if table in inner and engine == "postgresql" else "")

def insert(table, columns):
    named = [c for c in columns if c in values[table]]
    return "INSERT INTO %s (%s) SELECT %s %s" % (table, ", ".join('"%s"' % c for c in named),
                                                ", ".join(values[table][c] for c in named), source(table))

# Columns that may not be NULL.
values["job"].update({"cluster": "'here'", "array_task": "''", "restart_count": "0", "uid": "4321"})
values["host"].update({"id": "1"})
if engine == "sqlite":
    db = sqlite3.connect(name)
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA journal_mode = OFF")
    indexes = list(db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"))
    for index, _ in indexes:
        db.execute("DROP INDEX " + index)
    for table in values:
        db.execute(insert(table, [c[1] for c in db.execute("PRAGMA table_info(%s)" % table)]))
    for _, sql in indexes:
        db.execute(sql)
    db.commit()
    db.execute("PRAGMA journal_mode = WAL")
else:
    for d in range(days):
        print("SELECT perfmon_make_range(%d, %d, 'bench_%02d');" % ((100 + d) * 10000000 + 1, (101 + d) * 10000000, d))
    print("ALTER TABLE job DISABLE TRIGGER USER;")
    for table in values:
        print(insert(table, list(values[table])) + ";")
    print("ALTER TABLE job ENABLE TRIGGER USER;")
    print("VACUUM ANALYZE;")
