"""Compare exported operations with the processes in the database, added up once more: ops.py DATABASE FORMAT FILE SELECT [JOB...].

SELECT is "" for an operation for each set of tags, or groups of tags NAME or NAME:VALUE, with ; between tags and , between
groups. Prints what differs, and at the end how many rows and values were compared."""
import json
import sqlite3
import sys

import read


def union(runs):
    """Intervals that touch or overlap, as one."""
    merged = []
    for a, b in sorted(runs):
        if merged and a <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], b)
        else:
            merged.append([a, b])
    return merged


def keys_of(tags, groups):
    """The operations that a process with these tags is of."""
    if not groups:
        return {tuple(sorted(tags.items()))}
    found = set()
    for group in groups:
        words = [w.split(":") for w in group.split(";")]
        if all(w[0] in tags and (len(w) == 1 or tags[w[0]] == w[1]) for w in words):
            found.add(tuple(sorted((w[0], tags[w[0]]) for w in words)))
    return found


def text(stored):
    return read.unescape(stored.encode()).decode("utf-8", "replace")


def member(stored):
    """A text as it is in JSON."""
    raw = read.unescape(stored.encode())
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"hex": raw.hex()}


def operations(db, job, groups):
    """Of each operation of a job its key and processes."""
    sets, found = {}, {}
    for number, name, value in db.execute("SELECT id, name, value FROM tag_set WHERE job_id = ? AND id > 0", (job,)):
        sets.setdefault(number, {})[name] = value
    for process in db.execute("SELECT * FROM process WHERE job_id = ? AND tag_set > 0", (job,)):
        for key in keys_of(sets[process["tag_set"]], groups):
            found.setdefault(key, []).append(process)
    return found


def expected(db, job, key, processes, columns, peaks, only):
    """The values of an operation, by column."""
    runs = [(p["start_us"], p["end_us"]) for p in processes
            if p["start_us"] is not None and p["end_us"] is not None and p["end_us"] >= p["start_us"]]

    def total(name, peak=False):
        known = [p[name] for p in processes if p[name] is not None]
        return (max(known) if peak else sum(known)) if known else None, len(known)

    starts = [p["start_us"] for p in processes if p["start_us"] is not None]
    ends = [p["end_us"] for p in processes if p["end_us"] is not None]
    first, last = min(starts, default=None), max(ends, default=None)
    row = {
        "job_id": job, "operation": ";".join(f"{text(n)}:{text(v)}" for n, v in key), "only": int(only),
        "tags": {text(n): member(v) for n, v in key}, "processes": len(processes),
        "start_us": first, "finish_us": last, "runs": len(union(runs)), "timed": len(runs),
        "duration_union_us": sum(b - a for a, b in union(runs)) if runs else None,
        "duration_span_us": last - first if runs else None,
    }
    row["threads"], row["threads_known"] = total("numtids")
    row["duration_sum_us"], row["duration_known"] = total("duration_us")
    for name in columns:
        if name + "_known" in columns and name not in row:
            row[name], row[name + "_known"] = total(name, name in peaks)
    return row


def main():
    path, form, file, select = sys.argv[1:5]
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    peaks = {r[0] for r in db.execute("SELECT name FROM metric WHERE kind = 'PEAK'")}
    groups = select.split(",") if select else []
    got = {}
    for row in read.rows_of(form, file):
        tags = row["tags"] if isinstance(row["tags"], dict) else json.loads(row["tags"])
        got[int(row["job_id"]), json.dumps(tags, sort_keys=True)] = {**row, "tags": tags}
    rows = values = bad = unknown = 0
    for job in map(int, sys.argv[5:]):
        for key, processes in operations(db, job, groups).items():
            want = expected(db, job, key, processes, [], peaks, not groups)
            row = got.pop((job, json.dumps(want["tags"], sort_keys=True)), None)
            if row is None:
                print("missing:", job, want["operation"])
                bad += 1
                continue
            want = expected(db, job, key, processes, list(row), peaks, not groups)
            exact = row.pop("exact")
            odd = any(isinstance(v, dict) for v in want["tags"].values())
            if set(row) != set(want) or (exact is not None) != odd:
                print("columns differ:", set(row) ^ set(want), exact)
                bad += 1
            rows += 1
            for name, value in want.items():
                values += 1
                unknown += value is None
                read_back = row.get(name)
                if isinstance(value, int) and isinstance(read_back, str):
                    read_back = int(read_back)
                if read_back != value or isinstance(read_back, float):
                    bad += 1
                    print(f"{want['operation']}, {name}: {value!r} was read as {read_back!r}")
    if got:
        print("there are more:", list(got)[:3])
        bad += len(got)
    print(rows, values, bad, "unknown:", unknown)


if __name__ == "__main__":
    main()
