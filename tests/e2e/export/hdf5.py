"""Tables of HDF5 files that perfmon export wrote, read by h5py.

hdf5.py DATABASE FILE JOB... compares whole jobs with the database, value by value, those of the numbers JOB; prints what
differs, and at the end how many rows and values were compared, and how many differ. hdf5.py --pandas DATABASE FILE GROUP
KIND JOB does so with a table that became a DataFrame as perfmon-export(1) has it."""
import json
import sqlite3
import sys

import h5py


def rows(table):
    """The rows of a table as dictionaries; None is what is not known."""
    names = list(table.attrs["columns"])
    assert set(table) == {*names, "_unknown"}, list(table)
    columns = [table[n].asstr() if h5py.check_string_dtype(table[n].dtype) else table[n] for n in names]
    flags = table["_unknown"]
    assert flags.dtype == bool and flags.shape[1] == len(names)
    for n, c in zip(names, columns):
        data = table[n]
        assert data.chunks and data.compression == "gzip" and data.shuffle and data.shape == flags.shape[:1], n
        assert data.dtype != "int64" or data.fillvalue == data.attrs["_FillValue"] == -2**63, n
    for at in range(0, flags.shape[0], 10000):
        part = [c[at:at + 10000].tolist() for c in columns]
        for unknown, values in zip(flags[at:at + 10000].tolist(), zip(*part)):
            if True in unknown:
                # What stands in the place of an unknown value is as documented.
                for n, v, u in zip(names, values, unknown):
                    assert not u or v == "" or v == -2**63 or v != v, (n, v)
                values = [None if u else v for v, u in zip(values, unknown)]
            yield dict(zip(names, values))


def as_utf8(text):
    """What an attribute has of a text."""
    return text.decode("utf-8", "replace").replace("\0", "\ufffd")


def compare_samples(db, samples, job, c):
    groups = {g.attrs["series_id"]: g for host in samples.values() for g in host.values()}
    series = db.execute("SELECT s.id, h.hostname, s.source, s.metric, s.object, s.unit, s.kind FROM series s "
                        "JOIN host h ON h.job_id = s.job_id AND h.id = s.host_id WHERE s.job_id = ?", (job,)).fetchall()
    if {s[0] for s in series} != set(groups):
        c.tell("series differ:", sorted(groups), sorted(s[0] for s in series))
        return
    for number, *texts in series:
        g = groups[number]
        for name, text in zip(("hostname", "source", "metric", "object", "unit", "kind"), texts):
            c.values += 1
            if g.attrs[name] != as_utf8(text):
                c.tell(g.name, name, g.attrs[name], text)
        assert g["value"].attrs["unit"] == as_utf8(texts[4]) and g["value"].attrs["kind"] == as_utf8(texts[5])
        reasons = g["reason"].attrs["reasons"][g["reason"][:]] if "reason" in g else [""] * len(g["value"])
        got = list(zip(g["time_us"][:].tolist(), g["monotonic_us"][:].tolist(), g["value"][:].tolist(), reasons))
        stored = db.execute("SELECT time_us, monotonic_us, value, reason FROM sample WHERE job_id = ? AND series_id = ? "
                            "ORDER BY block_id, time_us", (job, number)).fetchall()
        c.rows += len(stored)
        c.values += 4 * len(stored)
        want = [(t, -2**63 if m is None else m, -2**63 if v is None else v, r.decode() if v is None else "")
                for t, m, v, r in stored]
        if got != want:
            c.tell(g.name, "samples differ:", [p for p in zip(got, want) if p[0] != p[1]][:3], len(got), len(want))


def compare_jobs(database, path, jobs):
    """Compare whole jobs. Returns the counts."""
    import read
    db = sqlite3.connect(database)
    db.text_factory = bytes
    c = read.Comparison()

    def table(kind, of, job):
        got = rows(of)
        if c.table(kind, "hdf5", db.execute(read.QUERIES[kind], job), got) and next(got, None) is not None:
            c.tell(kind, "there are more rows")

    with h5py.File(path) as f:
        table("metrics", f["metrics"], ())
        by_number = {next(rows(f[n]["jobs"]))["id"]: f[n] for n in f if n != "metrics"}
        if sorted(by_number) != sorted(jobs) or len(f) != len(jobs) + 1:
            c.tell("jobs differ:", list(f), jobs)
        for job in jobs:
            kinds = [k for k in read.QUERIES if k not in ("metrics", "samples")]
            assert set(by_number[job]) == {*kinds, "ops", "samples"}, list(by_number[job])
            for kind in kinds:
                table(kind, by_number[job][kind], (job,))
            compare_samples(db, by_number[job]["samples"], job, c)
    return c


def compare_pandas(database, path, group, kind, job):
    import pandas
    import read
    with h5py.File(path) as f:
        t = f[group]
        frame = pandas.DataFrame({c: t[c].asstr()[:] if t[c].dtype == object else t[c][:]
                                  for c in t.attrs["columns"]}).convert_dtypes().mask(t["_unknown"][:])
    db = sqlite3.connect(database)
    db.text_factory = bytes
    bad = count = 0
    stored = db.execute(read.QUERIES[kind], (job,)).fetchall()
    for row, want in zip(frame.itertuples(index=False), stored):
        exact = None if pandas.isna(row[-1]) else json.loads(row[-1])
        for name, value, w in zip(frame.columns, row, want):
            count += 1
            value = None if pandas.isna(value) else value
            bad += not read.same(kind, name, w, value, exact)
    print(len(frame) == len(stored), count > 0, bad)


if __name__ == "__main__":
    if sys.argv[1] == "--pandas":
        compare_pandas(*sys.argv[2:6], int(sys.argv[6]))
    else:
        counts = compare_jobs(sys.argv[1], sys.argv[2], [int(j) for j in sys.argv[3:]])
        print(counts.rows, counts.values, counts.bad)
