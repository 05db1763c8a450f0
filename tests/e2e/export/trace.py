"""Compare a trace of Perfetto with the database, value by value: trace.py DATABASE FILE JOBID

Prints what differs, and at the end how many slices, instants and samples were compared, how many values, and the differences.
The trace is read packet by packet. Texts that are cut or escaped for people are compared where they are neither."""
import itertools
import mmap
import re
import shlex
import sqlite3
import struct
import sys

import read

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


def packets(path):
    with open(path, "rb") as f:
        data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        assert key == 1 << 3 | 2
        size, at = varint(data, at)
        assert at + size <= len(data)
        packet = decode(data[at:at + size], PACKET)
        assert packet["sequence"] == 1
        yield packet
        at += size


def events(path, tracks):
    """What happens on a track, (kind, track, begin, end or value, event): a slice without its end has None."""
    begun = None
    for p in packets(path):
        if "descriptor" in p:
            track = p["descriptor"]
            assert track.get("parent") in tracks or "parent" not in track, track
            # The images of a process share its track, which has the name of the latest.
            tracks[track["id"]] = track
        event = p.get("event")
        if not event:
            continue
        assert event["track"] in tracks
        if event["type"] == 2:
            assert begun and begun["event"]["track"] == event["track"], event
            yield "slice", event["track"], begun["timestamp"], p["timestamp"], begun["event"]
            begun = None
            continue
        if begun:
            yield "slice", begun["event"]["track"], begun["timestamp"], None, begun["event"]
        begun = p if event["type"] == 1 else None
        if event["type"] == 3:
            yield "instant", event["track"], p["timestamp"], None, event
        elif event["type"] == 4:
            yield "counter", event["track"], p["timestamp"], event["value"], event
    assert begun is None or begun["timestamp"]
    if begun:
        yield "slice", begun["event"]["track"], begun["timestamp"], None, begun["event"]


def shown(text):
    """A text as people see it, None where that is not the text itself."""
    return text.decode() if text is not None and re.fullmatch(rb"[!-\[\]-~]+( [!-\[\]-~]+)*", text) and len(text) < 190 else None


def field(text):
    return None if text is None else shown(read.unescape(text))


TIME = "BETWEEN 0 AND 9223372036854774"
SLICES = [
    ("process", f"""SELECT p.start_us, p.duration_us, p.host_id, p.pid, p.exename, p.args, p.exitcode, p.exitsignal, p.cpu_time, p.rssmax,
        p.rchar, p.wchar, p.end_reason, p.id AS process_id, p.parent_id FROM process p WHERE p.job_id = ? AND p.start_us {TIME} ORDER BY p.id""", 6),
    ("thread", f"""SELECT t.start_us, t.duration_us, p.host_id, t.tid, coalesce(t.thread_name, 'a thread'), NULL, t.id AS thread_id, t.tid,
        t.thread_name, t.usertime, t.systemtime FROM thread_row t JOIN process p ON p.job_id = t.job_id AND p.id = t.process_id
        WHERE t.job_id = ? AND t.start_us {TIME} ORDER BY t.process_id, t.id""", 7),
    ("phase", f"""SELECT begin_us, duration_us, host_id, NULL, name, NULL, pid, ended FROM phase WHERE job_id = ? AND begin_us {TIME}
        ORDER BY host_id, id""", 6),
]


def wanted(db, job):
    """What the database has, in the order of the trace: (kind, begin, end or value, more)."""
    for category, sql, notes in SLICES:
        cursor = db.execute(sql, (job,))
        names = [d[0] for d in cursor.description][notes:]
        for row in cursor:
            known = {n: v for n, v in zip(names, row[notes:]) if v is not None and not isinstance(v, float)}
            end = None if row[1] is None or not 0 <= row[1] <= (2**63 - 1) // 1000 - row[0] else 1000 * (row[0] + row[1])
            yield "slice", 1000 * row[0], end, (category, *row[2:6], known)
            if category == "process" and end is not None and (known.get("exitsignal") is not None or known.get("exitcode", 0) > 0):
                yield "instant", end, None, ("killed by signal %d" % known["exitsignal"] if "exitsignal" in known else
                                             "exit status %d" % known["exitcode"],)
    for series in db.execute("SELECT id, host_id, source, metric, object, unit FROM series WHERE job_id = ? ORDER BY id", (job,)).fetchall():
        for time, value in db.execute(f"""SELECT time_us, value FROM sample WHERE job_id = ? AND series_id = ? AND value IS NOT NULL
                AND time_us {TIME} ORDER BY block_id, time_us""", (job, series[0])):
            yield "counter", 1000 * time, value, series


class Trace:
    def __init__(self, db, job):
        self.db, self.job, self.tracks, self.c, self.counts = db, job, {}, read.Comparison(), {"slice": 0, "instant": 0, "counter": 0}
        self.hosts = {i: shown(n) for i, n in db.execute("SELECT id, CAST(hostname AS BLOB) FROM host WHERE job_id = ?", (job,))}
        self.series, self.track, self.ends, self.before = None, None, {}, None

    def one(self, what, got, want):
        """Compare a value; a text that is not shown as it is is None."""
        if want is not None:
            self.c.values += 1
            if got != want:
                self.c.tell(f"{what}: {got!r} is not {want!r}")

    def host_of(self, track):
        while "parent" in self.tracks[track]:
            track = self.tracks[track]["parent"]
        return self.tracks[track]["name"]

    def slice(self, track, begin, end, event, category, host, number, name, args, known):
        title = self.tracks[track]["name"]
        self.one("category", event["category"], category)
        self.one("host", self.host_of(track), self.hosts[host])
        label, known_name = event["name"], field(name) if name else None
        if known_name:
            self.one("name", label[:len(known_name)] if category == "process" and label[len(known_name):][:1] in ("", " ") else label, known_name)
        self.one("track", title, f"phase {label}" if category == "phase" else label if number is None else f"{label} [{number}]")
        notes = {n["name"]: n.get("int", n.get("text")) for n in event["notes"]}
        command = notes.pop("command", None)
        if category == "process" and known_name and args is not None:
            words = [shown(w) if w else "" for w in read.words(args)]
            whole = shlex.quote(known_name) == known_name and None not in words and b"\\+" not in args
            if whole and sum(map(len, words)) + 4 * len(words) + len(known_name) < 1000:
                self.one("command", shlex.split(command), [known_name, *words])
        if set(notes) != set(known):
            self.c.tell("notes:", sorted(notes), sorted(known))
        for n, v in known.items():
            self.one(n, notes.get(n), field(v) if isinstance(v, bytes) else v)
        # Slices of a track follow one another.
        if begin < self.ends.get(track, begin) or (end is not None and end < begin):
            self.c.tell("slices of a track overlap:", title, begin, end, self.ends.get(track))
        self.ends[track] = end if end is not None else begin

    def counter(self, track, number, host, source, metric, obj, unit):
        if number == self.series:
            if track != self.track:
                self.c.tell("a sample is on another track:", self.tracks[track])
            return
        self.series, self.track = number, track
        is_of = self.tracks[track]
        texts = [shown(source), shown(metric), shown(obj) if obj else ""]
        if None not in texts and sum(map(len, texts)) < 240:
            self.one("series", is_of["name"], " ".join(t for t in texts if t))
        self.one("unit", is_of["counter"].get("unit", ""), shown(unit) if unit else "")
        self.one("host", self.host_of(track), self.hosts[host])

    def compare(self, path):
        for got, want in itertools.zip_longest(events(path, self.tracks), wanted(self.db, self.job)):
            if not got or not want or got[0] != want[0]:
                self.c.tell("the trace goes on with", got, "and the database with", want)
                return
            kind, track, begin, end, event = got
            self.counts[kind] += 1
            self.c.values += 2
            if (begin, end) != want[1:3]:
                self.c.tell(f"{kind} of {self.tracks[track]['name']}: {(begin, end)} is not {want[1:3]}, {want[3]}")
            if kind == "slice":
                self.slice(track, begin, end, event, *want[3])
                self.before = track
            elif kind == "instant":
                self.one("failure", event["name"], want[3][0])
                self.one("track of the failure", track, self.before)
            else:
                self.counter(track, *want[3])


def compare(database, path, jobid):
    """Compare a trace. Returns the counts of slices, instants and samples, of values and of differences."""
    db = sqlite3.connect(database)
    db.text_factory = bytes
    job, = db.execute("SELECT id FROM job WHERE jobid = ?", (jobid,)).fetchone()
    trace = Trace(db, job)
    trace.compare(path)
    return (*trace.counts.values(), trace.c.values, trace.c.bad)


if __name__ == "__main__":
    print(*compare(*sys.argv[1:]))
