"""Compare stacks with the database, value by value: folded.py DATABASE FILE JOBID MEASURE

The programs of a stack are compared by their names; what stands behind a blank is an interpreter's script. Prints what differs,
and at the end how many lines and values were compared, and the differences."""
import sqlite3
import sys

import read
import trace

OWN = {"cpu": "cpu_time", "wall": "duration_us", "io": "rchar + wchar"}
LEVELS = 1000


def covered(begin, end, children):
    """How much of a time children took; times begin in order."""
    sum_us, until = 0, begin
    for a, b in sorted(children):
        a, b = max(a, until), min(b, end)
        if b > a:
            sum_us, until = sum_us + b - a, b
    return sum_us


def wanted(db, job, measure):
    """Of each process the programs of its stack and its value, children before parents; not those without any."""
    stack = []

    def popped():
        _, _, value, begin, end, children = stack[-1]
        if measure == "wall" and value is not None and begin is not None:
            value -= covered(begin, end, children)
        names = [frame[1] for frame in stack]
        stack.pop()
        if value is not None and value > 0:
            yield names, value

    for number, parent, name, value, begin, duration in db.execute(
            f"SELECT id, parent_id, exename, {OWN[measure]}, start_us, duration_us FROM process WHERE job_id = ? ORDER BY id", (job,)):
        while stack and stack[-1][0] != parent:
            yield from popped()
        end = None
        if begin is not None and duration is not None and duration >= 0:
            end = begin + duration
            if stack:
                stack[-1][5].append((begin, end))
        stack.append((number, trace.field(name), value, begin if end is not None else None, end, []))
    while stack:
        yield from popped()


def compare(database, path, jobid, measure):
    """Compare stacks. Returns the comparison."""
    db = sqlite3.connect(database)
    db.text_factory = bytes
    job, = db.execute("SELECT id FROM job WHERE jobid = ?", (jobid,)).fetchone()
    c = read.Comparison()
    with open(path, encoding="utf-8", newline="\n") as f:
        for names, value in wanted(db, job, measure):
            line = next(f, None)
            if line is None:
                c.tell("stacks are missing")
                return c
            text, got = line[:-1].rsplit(" ", 1)
            stack = text.split(";")
            if len(names) > LEVELS:
                names = [names[0], "...", *names[1 - LEVELS:]]
            c.rows += 1
            c.values += 1 + len(stack)
            if int(got) != value or len(stack) != len(names):
                c.tell(f"{line!r} is not {value} of {names}")
            for program, name in zip(stack, names):
                name = name and name.replace(";", ",")
                if name and program != name and not program.startswith(name + " "):
                    c.tell(f"{program!r} is not {name!r} in {line!r}")
        if next(f, None) is not None:
            c.tell("there are more stacks")
    return c


if __name__ == "__main__":
    counts = compare(*sys.argv[1:])
    print(counts.rows, counts.values, counts.bad)
