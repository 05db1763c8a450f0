"""Every row of every table and view of a database, a line each, sorted; what differs from load to load is
left out, and kept content is shown as it was. Usage: db-rows.py DB [TABLE...]"""
import sqlite3
import subprocess
import sys
import zlib

def decoded(coding, whole):
    if coding == "zstd":
        return subprocess.run(["zstd", "-dcq"], input=whole, stdout=subprocess.PIPE, check=True).stdout
    return zlib.decompress(whole) if coding == "deflate" else whole


db = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
skip = {("load", "loaded_us")}
names = [r[0] for r in db.execute("select name from sqlite_master where type in ('table', 'view') and name <> 'job_zone' order by name")]
lines, content = [], {}
for table in names:
    # A database that was migrated has a row for every version it went through.
    if table == "schema_version" or len(sys.argv) > 2 and table not in sys.argv[2:]:
        continue
    cursor = db.execute('select * from "%s"' % table)
    columns = [c[0] for c in cursor.description]
    for row in cursor:
        r = dict(zip(columns, row))
        if table == "content":
            key = (r["job_id"], r["load_id"], r["coding"])
            content.setdefault(key, []).append((r["part"], r["bytes"]))
            continue
        lines.append(table + " " + " ".join("%s=%r" % (n, r[n]) for n in sorted(columns)
                                            if (table, n) not in skip and r[n] is not None))
for (job, load, coding), parts in content.items():
    whole = b"".join(p[1] for p in sorted(parts))
    lines.append("content job_id=%d load_id=%d bytes=%r" %
                 (job, load, decoded(coding, whole)))
print("\n".join(sorted(lines)))
