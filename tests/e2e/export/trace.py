"""Compare a trace of Perfetto with the database: trace.py DATABASE FILE JOBID. Prints "ok" or what differs."""
import collections
import sqlite3
import struct
import sys

# Every field that may occur: of a message, its number to a name and a kind, or a message.
CLOCK = {1: ("id", int), 2: ("timestamp", int)}
NOTE = {10: ("name", str), 4: ("int", int), 6: ("text", str)}
EVENT = {4: ("notes", NOTE), 9: ("type", int), 11: ("track", int), 22: ("category", str), 23: ("name", str), 30: ("value", int)}
TRACK = {1: ("id", int), 2: ("name", str), 5: ("parent", int), 8: ("counter", {6: ("unit", str)})}
PACKET = {6: ("clocks", {1: ("clock", CLOCK)}), 8: ("timestamp", int), 10: ("sequence", int), 11: ("event", EVENT),
          60: ("descriptor", TRACK)}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def decode(data, fields):
    message, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        name, kind = fields[key >> 3]
        if key & 7 == 0:
            assert kind is int
            value, at = varint(data, at)
            value = value - (1 << 64) if value >= 1 << 63 and name in ("int", "value") else value
        elif key & 7 == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        else:
            assert key & 7 == 2
            size, at = varint(data, at)
            part, at = data[at:at + size], at + size
            assert len(part) == size
            value = part.decode() if kind is str else decode(part, kind)
        if name in ("notes", "clock"):
            message.setdefault(name, []).append(value)
        else:
            assert name not in message, name
            message[name] = value
    return message


def main():
    database, path, jobid = sys.argv[1:]
    db = sqlite3.connect(database)
    job = db.execute("SELECT id FROM job WHERE jobid = ?", (jobid,)).fetchone()[0]
    packets = [decode(p, PACKET) for p in split(open(path, "rb").read())]
    assert all(p["sequence"] == 1 for p in packets)
    tracks = {}
    for p in packets:
        if "descriptor" in p:
            tracks[p["descriptor"]["id"]] = p["descriptor"]
    assert all(t.get("parent", None) in tracks for t in tracks.values() if "parent" in t)
    slices, instants, values = [], [], collections.Counter()
    begun = {}
    for p in packets:
        event = p.get("event")
        if not event:
            continue
        track = event["track"]
        assert track in tracks
        if event["type"] == 1:
            assert track not in begun, "slices of one track overlap"
            begun[track] = (p["timestamp"], event)
        elif event["type"] == 2:
            start, first = begun.pop(track)
            assert p["timestamp"] >= start
            slices.append((first["category"], start, p["timestamp"], first))
        elif event["type"] == 3:
            instants.append((p["timestamp"], event["name"]))
        else:
            values[(p["timestamp"], event["value"])] += 1
    assert not begun

    def compare(what, have, want):
        have, want = collections.Counter(have), collections.Counter(want)
        if have != want or not want:
            print(what, "differ:", list(have - want)[:3], list(want - have)[:3], len(have))
            sys.exit(1)

    def notes(event, name):
        return {n["name"]: n.get("int", n.get("text")) for n in event["notes"]}.get(name)

    compare("processes", [(s[1], s[2], notes(s[3], "process_id"), notes(s[3], "cpu_time"), notes(s[3], "exitcode"))
                          for s in slices if s[0] == "process"],
            db.execute("SELECT 1000 * start_us, 1000 * (start_us + duration_us), id, cpu_time, exitcode FROM process WHERE job_id = ? AND start_us > 0", (job,)))
    compare("phases", [(s[1], s[2]) for s in slices if s[0] == "phase"],
            db.execute("SELECT 1000 * begin_us, 1000 * (begin_us + duration_us) FROM phase WHERE job_id = ?", (job,)))
    threads = db.execute("SELECT 1000 * start_us, 1000 * (start_us + duration_us) FROM thread_row WHERE job_id = ?", (job,)).fetchall()
    if threads:
        compare("threads", [(s[1], s[2]) for s in slices if s[0] == "thread"], threads)
    compare("failures", instants,
            db.execute("""SELECT 1000 * (start_us + duration_us), CASE WHEN exitsignal IS NULL THEN 'exit status ' || exitcode
                ELSE 'killed by signal ' || exitsignal END FROM process WHERE job_id = ? AND start_us > 0 AND (exitcode > 0 OR exitsignal > 0)""", (job,)))
    compare("samples", values.elements(),
            db.execute("SELECT 1000 * time_us, value FROM sample WHERE job_id = ? AND value IS NOT NULL", (job,)))
    print("ok")


def split(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        assert key == 1 << 3 | 2
        size, at = varint(data, at)
        yield data[at:at + size]
        at += size


main()
