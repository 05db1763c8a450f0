"""An account of damaged record files that is independent of the loader: which lines can be taken, which
must be rejected, and what rows that makes; by perfmon-tsv(5) and the table of columns alone.

    import: read(directory, columns, bounds) -> Account      columns, bounds(path of common/safe/columns.def)

A line is taken when it has the fields its header says, is well-formed in each of them, has the keys of
its kind and says nothing that a line before it said. A value that cannot be is as if it were not there. Each line taken is in a row: start, end and last
in that of the image they name, thread in one of its own, reaped in that of the process that was waited
for or in one of its own."""
import os
import re

MAX, KEEP = 4 << 20, 64 << 10
FORMAT = 2  # the version that perfmon writes
KINDS = {b"start", b"end", b"thread", b"reaped", b"resumed", b"excluded", b"last"}
ESCAPE = re.compile(rb"\\(?:[\\tnre]|x[0-9a-f]{2})")
CUT = re.compile(rb"\\\+[0-9]+:[0-9a-f]{16}\Z")
NUMBER = re.compile(rb"-?[0-9]+\Z")


def columns(path):
    """Name -> kind, in the order of the table."""
    text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
    return {m[0].encode(): m[1] for m in re.findall(r"PM_COLUMN\((\w+), (\w+),", text)}


# The most that a column can hold, by its unit, and what a few can hold.
MOST = {"us": 4 * 10**15, "ns": 4 * 10**18, "ticks": 4 * 10**12, "kB": 2**47, "n": 10**16, "512 B": 10**15,
        "B": 512 * 10**15, "cycles": 4 * 10**18}
SOME = {b"starttime": (0, 4 * 10**12), b"tid": (1 - 2**31, 2**31 - 1), b"ppid": (0, 2**31 - 1), b"exitcode": (0, 255),
        b"exitsignal": (1, 127), b"numtids": (0, 2**22), b"num_threads": (0, 2**22)}


def bounds(path):
    """Name -> lowest and highest value, of numbers that are no keys."""
    text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
    found = {}
    for name, kind, unit in re.findall(r'PM_COLUMN\((\w+), (\w+), "([^"]*)"', text):
        if kind not in ("TEXT", "LIST", "KEY"):
            found[name.encode()] = (-1, 2**32 - 1) if kind == "GAUGE" else \
                                   (1, 4102444800000000) if kind == "TIME" else (0, MOST[unit])
    found.update(SOME)
    return found


def number(s):
    if not NUMBER.match(s):
        return None
    v = int(s)
    return v if -2**63 <= v < 2**63 else None


def is_text(s):
    s = ESCAPE.sub(b"", s)
    if b"\\" in s or any(c < 32 or c == 127 for c in s):
        return False
    try:
        s.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_list(s):
    head, _, last = s.rpartition(b" ")
    return is_text(head) if CUT.match(last) else is_text(s)


class Account:
    def __init__(self):
        self.lines, self.rejects = {}, {}  # per file: how many; number of the line -> bytes kept
        self.images, self.excluded = set(), set()
        self.taken = dict.fromkeys(KINDS, 0)
        self.said = set()
        self.ends = {}  # image -> its end says exec
        self.resumed = {}

    def line(self, r):
        """Take what a well-formed record says, or not."""
        kind = r.get(b"record")
        if kind not in KINDS:
            return False
        for c, (low, high) in self.bounds.items():
            if c in r and not low <= r[c] <= high:
                del r[c]
        reaped = kind == b"reaped"
        pid, ppid = r.get(b"pid"), r.get(b"ppid")
        if pid is None and not reaped or pid is not None and not 1 <= pid < 2**31:
            return False
        if b"boot_id" not in r and b"hostname" not in r or r.get(b"pid_ns", 0) < 0:
            return False
        if not 1 <= r.get(b"image_us", 1 if reaped else 0) <= 4102444800000000:
            return False
        code, sig = r.get(b"exitcode"), r.get(b"exitsignal")
        boot = r.get(b"boot_id", b"")
        space = (boot or (boot, r.get(b"hostname", b"")), r.get(b"pid_ns", -1))
        if reaped:
            if r.get(b"end_us", 0) <= 0 or None not in (code, sig):
                return False
            if pid is not None and code is None and sig is None:
                return False
            if pid is None and ((ppid or 0) < 1 or r.get(b"start_us", 0) <= 0):
                return False
            return self.new((kind, space, pid or 0, ppid or 0, r[b"end_us"], r.get(b"start_us")))
        image = (space, pid, r[b"image_us"])
        if kind == b"end" and r.get(b"end_reason") not in (b"exit", b"exec", b"signal"):
            return False
        if kind == b"last" and b"last_call" not in r:
            return False
        if kind == b"thread" and not r.get(b"tid"):
            return False
        if kind == b"resumed":
            if not self.ends.pop(image, False):
                return False
            self.resumed[image] = self.resumed.get(image, 0) + 1
            return True
        if kind in (b"start", b"excluded"):
            if not self.new((b"start", image)):
                return False
            if kind == b"excluded":
                self.excluded.add(image)
        elif kind == b"end":
            if image in self.ends:
                return False
            self.ends[image] = r[b"end_reason"] == b"exec"
        elif kind == b"thread":
            if not self.new((kind, image, self.resumed.get(image, 0), r[b"tid"], r.get(b"start_us", 0))):
                return False
        self.images.add(image)
        return True

    def new(self, key):
        if key in self.said:
            return False
        self.said.add(key)
        return True


def header(line, known):
    """(version, names) of a header line, or None for a damaged one."""
    f = line.split(b"\t")
    version = number(f[0][len("perfmon-tsv-"):])
    names = f[1:-1]
    mine = [n for n in names if n in known]
    if len(f) < 3 or len(f) > 2 * len(known) or f[-1] != b"." or version is None or \
       not 1 <= version <= 9999 or len(set(mine)) < len(mine) or version <= FORMAT and len(mine) < len(names):
        return None
    return version, names


def record(line, names, known):
    """The values of a line, or None."""
    f = line.split(b"\t")
    if len(f) != len(names) + 2 or f[-1] != b".":
        return None
    r = {}
    for c, s in zip(names, f[1:]):
        if c not in known or s == b"\\N":
            continue
        if known[c] in ("TEXT", "LIST"):
            if not (is_list(s) if known[c] == "LIST" else is_text(s)):
                return None
            r[c] = s
        else:
            r[c] = number(s)
            if r[c] is None:
                return None
    return r


def read(directory, known, limits):
    a = Account()
    a.bounds = limits
    for name in sorted(os.listdir(directory)):
        if not name.endswith(".tsv"):
            continue
        own = last = (FORMAT, list(known))
        lines, rejects = 0, {}
        for i, line in enumerate(open(os.path.join(directory, name), "rb").read().split(b"\n"), 1):
            if not line:
                continue
            ok = False
            if len(line) <= MAX and line.startswith(b"perfmon-tsv-"):
                h = header(line, known)
                if h:
                    last = h
                    own = h if h[0] == FORMAT else own
                    continue
            elif len(line) <= MAX and b"\0" not in line:
                version = number(line.split(b"\t", 1)[0])
                mapped = own if version == FORMAT else last
                r = record(line, mapped[1], known) if version == mapped[0] else None
                ok = r is not None and a.line(r)
                if ok:
                    a.taken[r[b"record"]] += 1
            lines += 1
            if not ok:
                rejects[i] = line[:KEEP]
        a.lines[name], a.rejects[name] = lines, rejects
    return a
