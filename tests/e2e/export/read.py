"""Compare an export with the database, value by value: read.py DATABASE KIND FORMAT FILE [JOB...].

Prints what differs, and at the end how many rows and values were compared."""
import csv
import json
import re
import shlex
import sqlite3
import sys

import parquet

HOST = "JOIN host h ON h.job_id = t.job_id AND h.id = t.host_id"
QUERIES = {
    "jobs": "SELECT t.* FROM job t WHERE t.id = ? ORDER BY t.id",
    "processes": f"SELECT t.*, h.hostname, h.boot_id FROM process t {HOST} WHERE t.job_id = ? ORDER BY t.id",
    "threads": "SELECT t.* FROM thread t WHERE t.job_id = ? ORDER BY t.process_id, t.id",
    "counters": "SELECT t.* FROM counter t WHERE t.job_id = ? ORDER BY t.process_id, t.thread_id, t.name",
    "hosts": "SELECT t.* FROM host t WHERE t.job_id = ? ORDER BY t.id",
    "summaries": f"SELECT h.hostname, t.* FROM node_summary t {HOST} WHERE t.job_id = ? ORDER BY t.host_id",
    "tags": "SELECT t.* FROM tag t WHERE t.job_id = ? ORDER BY t.process_id, t.name",
    "phases": f"SELECT t.*, h.hostname FROM phase t {HOST} WHERE t.job_id = ? ORDER BY t.host_id, t.id",
    "energy": f"SELECT h.hostname, t.* FROM energy t {HOST} WHERE t.job_id = ? ORDER BY t.host_id, t.id",
    "analyses": "SELECT t.* FROM analysis t WHERE t.job_id = ? ORDER BY t.name, t.model",
    "annotations": "SELECT t.* FROM annotation t WHERE t.job_id = ? ORDER BY t.name",
    "series": f"SELECT t.*, h.hostname FROM series t {HOST} WHERE t.job_id = ? ORDER BY t.id",
    "samples": """SELECT s.job_id, s.series_id, h.hostname, t.source, t.metric, t.object, t.unit, t.kind, s.time_us,
        s.monotonic_us, s.value, s.reason, s.block_id, s.block_begin_us, s.block_end_us
        FROM sample s JOIN series t ON t.job_id = s.job_id AND t.id = s.series_id
        JOIN host h ON h.job_id = t.job_id AND h.id = t.host_id WHERE s.job_id = ?
        ORDER BY s.series_id, s.block_id, s.time_us""",
    "rejects": "SELECT t.* FROM reject t WHERE t.job_id = ? ORDER BY t.id",
    "metrics": "SELECT t.* FROM metric t ORDER BY t.name",
}
ESCAPED = {"processes", "threads", "counters", "energy", "phases", "tags"}
LETTERS = {"n": b"\n", "t": b"\t", "r": b"\r", "e": b"", "\\": b"\\"}


def unescape(text):
    """A field of perfmon-tsv(5) as bytes."""
    out = b""
    for plain, escape in re.findall(rb"([^\\]+)|\\(x[0-9a-f]{2}|.)", text):
        if plain:
            out += plain
        elif escape[:1] == b"x" and len(escape) == 3:
            out += bytes([int(escape[1:], 16)])
        else:
            out += LETTERS[escape.decode()]
    return out


def words(text):
    """The arguments of a list, without the marker of one that was cut."""
    return [unescape(item) for item in text.split(b" ") if not item.startswith(b"\\+")] if text else []


def same(kind, column, stored, read, exact):
    """Whether a value that was read is the stored one."""
    if stored is None:
        return read is None
    if isinstance(stored, int):
        return read is not None and int(read) == stored and not isinstance(read, float)
    if isinstance(stored, float):
        return read is not None and float(read) == stored
    if read is None:
        return False
    if not isinstance(read, str):
        return read == json.loads(stored)
    if kind in ESCAPED and column == "args":
        want = [w.decode("utf-8", "replace") for w in words(stored)]
        whole = shlex.split(read)
        if not exact or column not in exact:
            return whole == want
        have = [bytes.fromhex(w["hex"]) if "hex" in w else None if "cut" in w else w for w in
                (w if isinstance(w, dict) else {"hex": w.encode().hex()} for w in exact["args"])]
        return [w for w in have if w is not None] == words(stored) and len(whole) == len(want)
    content = unescape(stored) if kind in ESCAPED else stored
    if exact and column in exact:
        # A text with a NUL is a JSON string.
        return (exact[column].encode() if isinstance(exact[column], str) else bytes.fromhex(exact[column]["hex"])) == content
    return read.encode() == content


def rows_of(form, path):
    """The rows of a file as dictionaries; None is what is not known."""
    if form == "json":
        yield from json.load(open(path, encoding="utf-8"))
    elif form == "jsonl":
        for line in open(path, encoding="utf-8"):
            yield json.loads(line)
    elif form == "parquet":
        yield from parquet.rows(path)
    elif form == "hdf5":
        import h5py
        import hdf5
        with h5py.File(path) as f:
            [table] = f.values()
            yield from hdf5.rows(table)
    elif form == "tsv":
        lines = open(path, encoding="utf-8", newline="").read().split("\n")
        assert lines.pop() == ""
        names = lines[0].split("\t")
        for line in lines[1:]:
            values = line.split("\t")
            assert len(values) == len(names), line
            yield {n: unescape(v.encode()).decode() if v else None for n, v in zip(names, values)}
    else:
        # csv.reader cannot tell an empty text from nothing.
        text = open(path, encoding="utf-8", newline="").read()
        field = re.compile(r'("(?:[^"]|"")*"|[^,"\r\n]*)(,|\r\n)')
        line, at, names = [], 0, None
        while at < len(text):
            m = field.match(text, at)
            assert m, text[at:at + 80]
            at = m.end()
            v = m.group(1)
            line.append(None if v == "" else v[1:-1].replace('""', '"') if v[0] == '"' else v)
            if m.group(2) == "\r\n":
                if names:
                    assert len(line) == len(names), line
                    yield dict(zip(names, line))
                names, line = names or line, []
        assert [list(names)] == list(csv.reader([",".join(names)]))


def main():
    database, kind, form, path = sys.argv[1:5]
    db = sqlite3.connect(database)
    db.text_factory = bytes
    rows = values = bad = 0
    read = rows_of(form, path)
    jobs = [()] if kind == "metrics" else [(int(j),) for j in sys.argv[5:]]
    for job in jobs:
        cursor = db.execute(QUERIES[kind], job)
        names = [d[0] for d in cursor.description]
        for stored in cursor:
            got = next(read, None)
            if got is None:
                print("rows are missing")
                sys.exit(1)
            exact = got.pop("exact")
            exact = json.loads(exact) if isinstance(exact, str) else exact
            if list(got) != names:
                print("columns differ:", list(got), names)
                sys.exit(1)
            rows += 1
            for name, value in zip(names, stored):
                values += 1
                # Empty and unknown look the same; so do the arguments of which there is no text.
                if form == "tsv" and got[name] is None and (value == b"" or name == "args" and value and not words(value)):
                    continue
                if not same(kind, name, value, got[name], exact):
                    bad += 1
                    print(f"row {rows}, {name}: {value!r} was read as {got[name]!r}, exact {exact!r}")
    if next(read, None) is not None:
        print("there are more rows")
        bad += 1
    print(rows, values, bad)


if __name__ == "__main__":
    main()
