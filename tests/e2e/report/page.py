#!/usr/bin/env python3
"""The data of a page against the database that it was made of, read by a decoder of its own.

  page.py check PAGE URL JOB [FAULT]   prints values compared and wrong ones, and what is wrong to standard error; with FAULT one
                                       value is wrong on purpose
  page.py print PAGE EXPRESSION        a value of the page: `index` is its index, `column(name)` a column, `html` what is no data
"""
import base64, hashlib, json, re, sqlite3, subprocess, sys, zlib

BLOCK = re.compile(r'<script type="application/octet-stream" id="([^"]*)">([^<]*)</script>\n')


class Page:
    def __init__(self, path):
        text = open(path, encoding="utf-8").read()
        self.blocks = dict(BLOCK.findall(text))
        self.html = BLOCK.sub("", text)
        found = re.search(r'<script type="application/json" id="pm-index">([^<]*)</script>', self.html)
        self.index = json.loads(found.group(1))
        self.columns = {c["name"]: c for c in self.index["processes"]["columns"]}

    def bytes(self, block):
        data = base64.b64decode(self.blocks[block], validate=True)
        return zlib.decompress(data) if self.index["coding"] == "deflate" else data

    def codes(self, block, code):
        data, value, shift, at = self.bytes(block), 0, 0, 0
        if code.endswith("p"):
            rows = self.index["processes"]["rows"]
            for first in range(0, rows, 16384):
                n, planes = min(16384, rows - first), data[at]
                at += 1
                for i in range(n):
                    yield sum(data[at + k * n + i] << 8 * k for k in range(planes))
                at += n * planes
            assert at == len(data)
            return
        for byte in data:
            value |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                yield value
                value = shift = 0
        assert shift == 0

    def numbers(self, block, code):
        out, last = [], 0
        for value in self.codes(block, code):
            if value == 0:
                out.append(None)
            elif code.startswith("u"):
                out.append(value - 1)
            else:
                value -= 1
                last += -(value >> 1) - 1 if value & 1 else value >> 1
                out.append(last)
        return out

    def column(self, name):
        c = self.columns[name]
        if c["enc"] == "t":
            texts = self.bytes(c["id"]).decode("utf-8").split("\0")
            assert texts.pop() == ""
            return [None if t == "\1" else t for t in texts]
        return self.numbers(c["id"], c["enc"])


def ask(url, sql):
    """Rows of a query as lists of texts, None for NULL."""
    if not url.startswith("postgresql:"):
        return [[None if v is None else str(v) for v in row] for row in sqlite3.connect(url).execute(sql)]
    command = ["psql", "-X", "-A", "-t", "-F", "\t", "-P", "null=\\N", url, "-c", sql]
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8")
    return [[None if v == "\\N" else v for v in line.split("\t")] for line in out.splitlines()]


def check(path, url, job, fault):
    page = Page(path)
    compared = 0
    wrong = []
    def same(got, want, what):
        nonlocal compared
        compared += 1
        if got != want:
            wrong.append("%s: %r in the page, %r in the database" % (what, got, want))
    where = " FROM process WHERE job_id = %s" % job
    rows = page.index["processes"]["rows"]
    same(page.index["processes"]["processes"], int(ask(url, "SELECT count(*)" + where)[0][0]), "processes")
    folded = page.index["processes"]["folded"]
    plain = {n: c for n, c in page.columns.items() if c["sum"] is not None and n != "count"}
    kinds = {"rssmax": "max", "vmpeak": "max", "gpu_memory": "max", "numtids": "max"}
    for name in plain:
        values = [v for v in page.column(name) if v is not None]
        same(len(page.column(name)), rows, name + ": rows")
        if fault and name == "cpu_time":
            values.append(1)
        kind = kinds.get(name, "sum") if folded else "sum"
        sql = name + " / 1000" if name in ("time_waiting", "gpu_time") else name
        total = ask(url, "SELECT %s(%s)" % (kind, sql) + where)[0][0]
        same((max if kind == "max" else sum)(values or [0]), int(total or 0), name)
        if kind == "sum":
            same(int(page.columns[name]["sum"]), int(total or 0), name + " in the index")
    if not folded:
        numbers = {int(r[0]): i for i, r in enumerate(ask(url, "SELECT id" + where + " ORDER BY id"))}
        origin = page.index["origin_us"]
        names = page.index["programs"]
        columns = [page.column(c) for c in ("parent", "start_us", "duration_us", "cpu_time", "host", "pid", "exitcode")]
        hosts = [h["name"] for h in page.index["hosts"]]
        got = [[c[i] for c in columns] for i in range(rows)]
        want = ask(url, "SELECT parent_id, start_us, duration_us, cpu_time, (SELECT hostname FROM host h WHERE h.job_id = process.job_id"
            " AND h.id = host_id), pid, exitcode" + where + " ORDER BY id")
        for i, (g, w) in enumerate(zip(got, want)):
            same(g[0], None if w[0] is None else numbers[int(w[0])], "parent of row %d" % i)
            same(g[1], None if w[1] is None else int(w[1]) - origin, "start of row %d" % i)
            same(hosts[g[4]], w[4], "host of row %d" % i)
            for k in (2, 3, 5, 6):
                same(g[k], None if w[k] is None else int(w[k]), "column %d of row %d" % (k, i))
        same(len(got), len(want), "rows")
        same(max(page.column("program")) < len(names), True, "programs")
    else:
        counts = page.column("count")
        same(sum(counts), page.index["processes"]["processes"], "processes that rows stand for")
        same(sum(1 for c in counts if c > 1) <= folded["rows"], True, "rows that are folded")
    # A parent stands before its children, in depth-first order.
    parents, way = page.column("parent"), []
    for i, parent in enumerate(parents):
        while way and way[-1] != parent:
            way.pop()
        same(parent is None or (way[-1:] == [parent]), True, "row %d is below its parent" % i)
        way.append(i)
    for s in page.index["series"]["list"]:
        if s["id"] is None:
            continue
        n, steps = page.numbers(s["id"], "d"), page.index["series"]["steps"]
        same(len(n), steps * (3 if s["band"] else 1), "steps of " + s["title"])
        gaps = sum(g[1] for g in s["gaps"])
        same(sum(v is None for v in n[:steps]), gaps, "gaps of " + s["title"])
        if s["band"]:
            same(all(v is None or n[steps + i] <= v <= n[2 * steps + i] for i, v in enumerate(n[:steps])), True, "means of " + s["title"])
        most = max(v for v in (n[2 * steps:] if s["band"] else n) if v is not None) * s["scale"]
        same(abs(most - s["max"]) <= s["scale"] * (1 + 1e-5), True, "the most of " + s["title"])
    # The policy allows the one script and the one style.
    script = re.search(r"<script>(.*)</script>", page.html, re.S).group(1)
    style = re.search(r"<style>(.*?)</style>", page.html, re.S).group(1)
    for text, kind in (script, "script-src"), (style, "style-src"):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        same("%s 'sha256-%s'" % (kind, digest) in page.html, True, kind)
    print(compared, len(wrong))
    for text in wrong[:20]:
        print(text, file=sys.stderr)


if sys.argv[1] == "check":
    check(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
else:
    page = Page(sys.argv[2])
    value = eval(sys.argv[3], {"page": page, "index": page.index, "column": page.column, "html": page.html, "re": re})
    print(*value if isinstance(value, tuple) else [value])
