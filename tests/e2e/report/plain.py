#!/usr/bin/env python3
"""A page without script: whether it is well-formed and refers to nothing, and what its tables have.

  plain.py check PAGE              prints what is wrong, nothing if all is well
  plain.py print PAGE EXPRESSION   arguments of print(), of `tables` (each a list of rows, these lists of cells), `value(cell)` its number to sort by,
                                   `headings`, `text` (of the body), `html`, `labels` (of pictures), `paths` (class, d), `links`, `ids`
"""
import base64, hashlib, re, sys
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Cell(str):
    value = None
    href = None


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.raw = open(path, "rb").read()
        self.wrong, self.open, self.ids, self.links, self.labels, self.paths = [], [], [], [], [], []
        self.tables, self.headings, self.text, self.names, self.csp, self.style = [], [], "", set(), None, ""
        try:
            self.html = self.raw.decode("utf-8")
        except UnicodeDecodeError as e:
            self.wrong.append(str(e))
            self.html = self.raw.decode("utf-8", "replace")
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if len(a) != len(attributes):
            self.wrong.append("an attribute twice in <%s>" % tag)
        self.names.add(tag)
        for name, value in a.items():
            if name.startswith("on") or name in ("style", "src", "srcdoc", "action", "xlink:href", "formaction"):
                self.wrong.append("attribute %s of <%s>" % (name, tag))
        if "id" in a:
            self.ids.append(a["id"])
        if "href" in a:
            self.links.append(a["href"])
        if "aria-label" in a:
            self.labels.append(a["aria-label"])
        if tag == "path":
            self.paths.append((a.get("class"), a.get("d")))
        if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy":
            self.csp = a["content"]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append(Cell())
            self.tables[-1][-1][-1].value = float(a["data-value"]) if "data-value" in a else None
        elif tag == "a" and {"td", "th"} & set(self.open):
            self.tables[-1][-1][-1].href = a.get("href")
        elif re.match("h[1-6]$", tag):
            self.headings.append((int(tag[1]), ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append("</%s> within %s" % (tag, self.open[-1:]))
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        if self.open[-1:] == ["style"]:
            self.style += data
            return
        if "body" in self.open:
            self.text += data
        if {"td", "th"} & set(self.open):
            old = self.tables[-1][-1][-1]
            new = self.tables[-1][-1][-1] = Cell(old + data)
            new.value, new.href = old.value, old.href
        if self.open and re.match("h[1-6]$", self.open[-1]):
            self.headings[-1] = (self.headings[-1][0], self.headings[-1][1] + data)

    def check(self):
        wrong = self.wrong + ["<%s> is open at the end" % t for t in self.open]
        digest = base64.b64encode(hashlib.sha256(self.style.encode()).digest()).decode()
        if self.csp != "default-src 'none'; style-src 'sha256-%s'" % digest:
            wrong.append("policy: %s" % self.csp)
        allowed = set("html head meta title style body header main footer section nav h1 h2 h3 h4 p div span ul ol li dl dt dd table thead "
            "tbody tr th td a strong em small code figure figcaption svg path text details summary".split())
        wrong += ["element <%s>" % n for n in sorted(self.names - allowed)]
        wrong += ["id %s twice" % i for i in sorted({i for i in self.ids if self.ids.count(i) > 1})] if len(self.ids) != len(set(self.ids)) else []
        wrong += ["link to %s" % h for h in self.links if not (h.startswith("#") and h[1:] in self.ids)]
        wrong += ["headings from %d to %d" % (a, b) for (a, _), (b, _) in zip(self.headings, self.headings[1:]) if b > a + 1]
        if [level for level, _ in self.headings].count(1) != 1:
            wrong.append("not one h1")
        for table in self.tables:
            if len({len(row) for row in table}) > 1:
                wrong.append("rows of different lengths")
        wrong += ["character %r" % c for c in sorted(set(re.findall("[\0-\10\13-\37\177-\237\u202a-\u202e\u2066-\u2069]", self.html)))]
        if not self.html.startswith("<!doctype html>\n<html lang=\"en\">"):
            wrong.append("no doctype, or no language")
        if 'name="viewport"' not in self.html or "<title></title>" in self.html:
            wrong.append("no viewport, or no title")
        return wrong


page = Page(sys.argv[2])
if sys.argv[1] == "check":
    for line in page.check()[:20]:
        print(line)
else:
    exec("print(%s)" % sys.argv[3], dict(vars(page), value=lambda c: c.value, re=re))
