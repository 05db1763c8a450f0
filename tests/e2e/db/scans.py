"""Statements that read a table from end to end which grows with the jobs: scans.py DATABASE STATEMENTS

Prints each, one line of STATEMENTS with ? for parameters, with its plan in SQLite, and in the end how many were explained.
What was just computed is no table; the order of an index up to a limit is fine."""
import re
import sqlite3
import sys

# job_zone: a row for 256 jobs.
small = {"job_zone", "model", "model_feature", "model_component", "metric", "schema_version", "sqlite_master", "json_each", "CONSTANT"}
few = {"job_failed", "job_running", "analysis_untold"}  # indexes of the answer alone
figures = re.compile("ORDER BY (duration_us|cpu_time|rssmax|processes|efficiency) .*LIMIT")
db = sqlite3.connect(sys.argv[1])
explained = 0
for sql in sorted(set(open(sys.argv[2]).read().splitlines())):
    # Definitions, rows that perfmon hands over, and SQLite's own questions about the schema.
    if re.match(r"\s*(--|CREATE|PRAGMA|BEGIN|COMMIT|ROLLBACK)", sql) or "perfmon_rows" in sql or '"main".' in sql:
        continue
    try:
        plan = [r[3] for r in db.execute("EXPLAIN QUERY PLAN " + sql, [None] * sql.count("?"))]
    except sqlite3.Error as e:
        print(e, "|", sql)
        continue
    explained += 1
    made = {m.group(1) for line in plan for m in [re.match(r"(?:CO-ROUTINE|MATERIALIZE) (\w+)", line)] if m}
    for line in plan:
        # "SCAN j", before SQLite 3.36 "SCAN TABLE job AS j".
        m = re.match(r"SCAN (?:TABLE )?(\w+)(?: AS (\w+))?(?: USING (?:COVERING )?INDEX (\w+))?", line)
        if not m or line.startswith("SCAN (") or m.group(1) == "SUBQUERY" or "VIRTUAL TABLE" in line:
            continue
        table = re.search(r"(?:FROM|JOIN) (\w+) (?:AS )?%s\b" % m.group(1), sql)
        table = table.group(1) if table else m.group(1)
        # The rows themselves are long.
        if figures.search(sql) and "COVERING INDEX job_by_start" in line:
            continue
        if {table, m.group(1)} & (small | made) or (not figures.search(sql) and m.group(3) and "LIMIT" in sql and ("WHERE" not in sql.split("id IN (")[-1] or m.group(3) in few)):
            continue
        print(line, "|", sql)
print(explained)
