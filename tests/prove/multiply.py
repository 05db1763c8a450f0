"""Make a database of any schema version larger: its jobs again, COPIES times, with ids and times of their own.
Usage: multiply.py DB COPIES"""
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
step, = db.execute("SELECT max(id) FROM job").fetchone()
# Parents before children.
tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name <> 'job', rowid")]
for copy in range(1, int(sys.argv[2]) + 1):
    more = copy * step
    for table in tables:
        columns = [r[1] for r in db.execute('PRAGMA table_info("%s")' % table)]
        if table != "job" and "job_id" not in columns:
            continue
        values = []
        for c in columns:
            if c == ("id" if table == "job" else "job_id"):
                values.append('"%s" + %d' % (c, more))
            elif table == "job" and c == "jobid":
                values.append("jobid || '.%d'" % copy)
            elif table == "job" and c in ("epoch_us", "start_us", "end_us"):
                values.append("%s + %d" % (c, copy * 3600000000))
            else:
                values.append('"%s"' % c)
        db.execute('INSERT INTO "%s" SELECT %s FROM "%s" WHERE %s <= %d' %
                   (table, ", ".join(values), table, "id" if table == "job" else "job_id", step))
db.commit()
