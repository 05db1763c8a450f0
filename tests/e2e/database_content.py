"""What a test compares of a database in which a load was cut short."""
import os
import sqlite3


def content(path):
    """All rows of all tables, by table, times of loading aside; "damaged" where it is; {} for no database or none
    with tables."""
    if not os.path.exists(path):
        return {}
    db = sqlite3.connect(path)
    if db.execute("pragma integrity_check").fetchall() != [("ok",)] or db.execute("pragma foreign_key_check").fetchall():
        return "damaged"
    rows = {}
    # Bounds of jobs that were there stay true without them, as in an index.
    for (table,) in db.execute("select name from sqlite_master where type = 'table' and name <> 'job_zone'").fetchall():
        c = [r[1] for r in db.execute("pragma table_info(%s)" % table) if r[1] not in ("loaded_us", "applied_us")]
        rows[table] = sorted(map(repr, db.execute('select "%s" from %s' % ('", "'.join(c), table))))
    db.close()
    return rows
