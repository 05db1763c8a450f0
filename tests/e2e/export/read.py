"""Compare an export with the database, value by value: read.py DATABASE KIND FORMAT FILE [JOB...].

Prints what differs, and at the end how many rows and values were compared. Rows are read one after another, from a file or,
but for parquet and hdf5, from a pipe."""
import csv
import datetime
import functools
import io
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


@functools.lru_cache(100000)
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
        whole = shlex.split(read)
        if not exact or column not in exact:
            # Nothing may have been lost: a marker of what was cut, bytes that are no text.
            return [w.encode() for w in whole] == [unescape(item) for item in stored.split(b" ")] if stored else whole == []
        want = words(stored)
        have = [bytes.fromhex(w["hex"]) if "hex" in w else None if "cut" in w else w for w in
                (w if isinstance(w, dict) else {"hex": w.encode().hex()} for w in exact["args"])]
        return [w for w in have if w is not None] == words(stored) and len(whole) == len(want)
    content = unescape(stored) if kind in ESCAPED else stored
    if exact and column in exact:
        # A text with a NUL is a JSON string.
        return (exact[column].encode() if isinstance(exact[column], str) else bytes.fromhex(exact[column]["hex"])) == content
    return read.encode() == content


def objects(f):
    """The objects of a JSON array, one after another."""
    decoder, text, at, mark = json.JSONDecoder(), "", 0, "["
    while True:
        while at < len(text) and text[at] in " \n":
            at += 1
        try:
            if text[at:at + 1] == "]":
                assert mark != "[" and not text[at + 1:].strip() and not f.read().strip()
                return
            assert text[at:at + 1] in (mark, "")
            begin = at + 1
            while text[begin:begin + 1] in (" ", "\n"):
                begin += 1
            # Nothing in it.
            if mark == "[" and text[begin:begin + 1] == "]":
                mark, at = ",", begin
                continue
            value, at = decoder.raw_decode(text, begin)
            mark = ","
            yield value
        except ValueError:
            more = f.read(1 << 20)
            if not more:
                raise
            text, at = text[at:] + more, 0


def fields(line):
    """The fields of a line of CSV; csv.reader cannot tell an empty text from nothing."""
    assert line.endswith("\r\n"), line[-80:]
    line = line[:-2]
    if '"' not in line:
        return [v or None for v in line.split(",")]
    out, at = [], 0
    while True:
        m = FIELD.match(line, at)
        assert m, line[at:at + 80]
        v = m.group(1)
        out.append(None if v == "" else v[1:-1].replace('""', '"') if v[0] == '"' else v)
        at = m.end()
        if not m.group(2):
            break
    assert [[v or "" for v in out]] == list(csv.reader(io.StringIO(line, newline=""))), line
    return out


FIELD = re.compile(r'("(?:[^"]|"")*"|[^,"\r\n]*)(,|\Z)')


def csv_rows(f):
    names = None
    for line in f:
        while line.count('"') % 2:
            more = next(f, "")
            assert more, line
            line += more
        values = fields(line)
        if names is None:
            names = values
            continue
        assert len(values) == len(names), line
        yield dict(zip(names, values))


def tsv_rows(f):
    names = None
    for line in f:
        assert line.endswith("\n"), line
        values = line[:-1].split("\t")
        if names is None:
            names = values
            continue
        assert len(values) == len(names), line
        if "\\" in line:
            values = [unescape(v.encode()).decode() for v in values]
        yield {n: v or None for n, v in zip(names, values)}


def stamp_of(us):
    at = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=us)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def bulk_rows(f, kind, ids):
    """The documents of bulk, each an action and a row; `ids` takes what names them."""
    for line in f:
        [(word, what)] = json.loads(line).items()
        assert word == "index" and set(what) == {"_index", "_id"} and what["_index"] == "perfmon_" + kind, line
        assert len(what["_id"]) == 32, line
        ids(what["_id"])
        row = json.loads(next(f))
        time = next((row[n] for n in ("time_us", "start_us", "begin_us", "epoch_us") if n in row), None)
        assert row.pop("@timestamp", None) == (None if time is None else stamp_of(time)), row
        yield row


def rows_of(form, path, kind=None, ids=None):
    """The rows of a file, or of a pipe that is open, as dictionaries; None is what is not known."""
    if form == "parquet":
        yield from parquet.rows(path)
        return
    if form == "hdf5":
        import h5py
        import hdf5
        with h5py.File(path) as f:
            [table] = f.values()
            yield from hdf5.rows(table)
        return
    with io.TextIOWrapper(path if hasattr(path, "read") else open(path, "rb"), encoding="utf-8",
                          newline="\r\n" if form == "csv" else "\n") as f:
        if form == "json":
            yield from objects(f)
        elif form == "jsonl":
            yield from map(json.loads, f)
        elif form == "tsv":
            yield from tsv_rows(f)
        elif form == "bulk":
            yield from bulk_rows(f, kind, ids or len)
        else:
            yield from csv_rows(f)


@functools.lru_cache(100000)
def plain(kind, stored):
    """A text of the database as it is read where it needs no other look, else None."""
    try:
        text = (unescape(stored) if kind in ESCAPED else stored).decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def quick(kind, name, stored, read, form):
    """Whether a value is seen to be the stored one at once; if not, same() is asked."""
    if stored is None or read is None:
        return stored is read
    if isinstance(stored, bytes):
        return isinstance(read, str) and name != "args" and read == plain(kind, stored)
    return read == str(stored) if form in TEXTS else type(read) is type(stored) and read == stored


TEXTS = {"csv", "tsv"}


class Comparison:
    """Counts of rows and values that were compared, and of differences, the first of which are printed."""

    def __init__(self):
        self.rows = self.values = self.bad = 0

    def tell(self, *what):
        self.bad += 1
        if self.bad <= 20:
            print(*what)

    def table(self, kind, form, cursor, read):
        """Compare the rows of a cursor with as many of those that were read. Returns whether there are as many."""
        names = [d[0] for d in cursor.description]
        for stored in cursor:
            got = next(read, None)
            if got is None:
                self.tell(kind, "rows are missing")
                return False
            exact = got.pop("exact")
            if list(got) != names:
                self.tell("columns differ:", list(got), names)
                return False
            self.rows += 1
            self.values += len(names)
            if exact is None and all(quick(kind, n, v, r, form) for n, v, r in zip(names, stored, got.values())):
                continue
            exact = json.loads(exact) if isinstance(exact, str) else exact
            for name, value in zip(names, stored):
                # Empty and unknown look the same; so do the arguments of which there is no text.
                if form == "tsv" and got[name] is None and (value == b"" or name == "args" and value and not words(value)):
                    continue
                if not same(kind, name, value, got[name], exact):
                    self.tell(f"{kind}, row {self.rows}, {name}: {value!r} was read as {got[name]!r}, exact {exact!r}")
        return True

    def file(self, db, kind, form, read, jobs):
        """Compare a file with the rows of jobs, whose numbers are given."""
        for job in [()] if kind == "metrics" else [(int(j),) for j in jobs]:
            if not self.table(kind, form, db.execute(QUERIES[kind], job), read):
                return
        if next(read, None) is not None:
            self.tell(kind, "there are more rows")


def main():
    database, kind, form, path = sys.argv[1:5]
    db = sqlite3.connect(database)
    db.text_factory = bytes
    c = Comparison()
    c.file(db, kind, form, rows_of(form, path, kind), sys.argv[5:])
    print(c.rows, c.values, c.bad)


if __name__ == "__main__":
    main()
