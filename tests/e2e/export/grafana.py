"""Look at dashboards for Grafana as it would: grafana.py MODE ...

shape DIRECTORY ENGINE              prints what is wrong with the dashboards, then how many panels they have
run DIRECTORY sqlite FILE | psql URL ROWS
                                    asks every query of them, with variables in place: prints what is wrong with the
                                    answers, then how many there were; their rows go to the file ROWS
plans DIRECTORY                     the queries, one a line
peaks ROWS                          the highest value of each line of the job's dashboard
"""
import json
import os
import re
import sqlite3
import subprocess
import sys

DAY = 1764201600000
NAMES = ["job", "node", "sampler", "site"]
# The time that is looked at and the width of a point, in milliseconds, by dashboard; n1 and job 1 are chosen.
RANGE = {"job": (DAY + 3600000, DAY + 4601000, 10000), "node": (DAY, DAY + 2 * 86400000, 10000),
         "sampler": (DAY, DAY + 2 * 86400000, 10000), "site": (DAY, DAY + 2 * 86400000, 60000)}
CHOSEN = {"job": "1", "host": "n1"}
PLUGINS = {"postgresql": "grafana-postgresql-datasource", "sqlite": "frser-sqlite-datasource"}
# Fields of Grafana's schema of dashboards, version 39, and of the query models of the two data sources.
DASHBOARD = set("""annotations description editable fiscalYearStartMonth graphTooltip id links liveNow panels refresh revision
    schemaVersion tags templating time timepicker timezone title uid version weekStart""".split())
PANEL = set("""datasource description fieldConfig gridPos id interval links maxDataPoints options pluginVersion targets timeFrom
    timeShift title transformations transparent type""".split())
DEFAULTS = set("color custom decimals description displayName links mappings max min noValue thresholds unit".split())
VARIABLE = set("""allValue current datasource description hide includeAll label multi name options query refresh regex
    skipUrlSync sort type""".split())
LINK = {"asDropdown", "icon", "includeVars", "keepTime", "tags", "targetBlank", "title", "tooltip", "type", "url"}
TARGET = {"postgresql": {"datasource", "editorMode", "format", "rawQuery", "rawSql", "refId"},
          "sqlite": {"datasource", "queryText", "queryType", "rawQueryText", "refId", "timeColumns"}}
OPTIONS = {"timeseries": {"legend", "tooltip"}, "table": {"cellHeight", "footer", "frameIndex", "showHeader", "sortBy"},
           "stat": {"colorMode", "graphMode", "justifyMode", "orientation", "reduceOptions", "showPercentChange", "textMode", "wideLayout"}}
CUSTOM = {"timeseries": {"drawStyle", "fillOpacity", "lineWidth", "spanNulls", "stacking"}, "table": {"align", "cellOptions", "inspect"},
          "stat": set()}
# Of the ids that Grafana gives to units.
UNITS = set("""none string short percent percentunit flops bytes decbytes kbytes deckbytes mbytes decmbytes gbytes decgbytes binBps Bps
    watt kwatt joule watth kwatth celsius hertz ns \u00b5s ms s m h d dtdurations ops iops dateTimeAsIso bool""".split())
BUILTIN = {"__from", "__to", "__interval_ms"}
# Variables of links alone.
OF_LINKS = {"__value.raw", "__url_time_range", "__data.fields.begin_ms", "__data.fields.end_ms", "datasource"}


def load(directory, name):
    with open(os.path.join(directory, name + ".json"), encoding="utf-8") as f:
        return json.load(f)


def text(target):
    return target["rawSql"] if "rawSql" in target else target["rawQueryText"]


def variables(sql):
    return re.findall(r"\$\{?([A-Za-z_.]+)", sql)


def overlap(a, b):
    return a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"] and a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"]


def look(name, d, engine):
    """What is wrong with a dashboard."""
    def unknown(what, got, allowed):
        if set(got) - allowed:
            yield "%s: fields that there are not: %s" % (what, " ".join(sorted(set(got) - allowed)))

    yield from unknown("dashboard", d, DASHBOARD)
    if d["schemaVersion"] != 39 or d["uid"] != "perfmon-%s-%s" % (engine, name) or len(d["uid"]) > 40 or d.get("id") is not None:
        yield "schemaVersion, uid or id"
    for link in d["links"]:
        yield from unknown("link", link, LINK)
    listed = d["templating"]["list"]
    names = {v["name"] for v in listed}
    if listed[0]["type"] != "datasource" or listed[0]["query"] != PLUGINS[engine] or listed[0]["name"] != "datasource":
        yield "the first variable is not the data source"
    here = {"type": PLUGINS[engine], "uid": "${datasource}"}
    for v in listed:
        yield from unknown("variable " + v["name"], v, VARIABLE)
        if v["type"] == "query" and (v["datasource"] != here or set(variables(v["query"])) - names):
            yield "variable %s: data source or variables of the query" % v["name"]
    ids = [p["id"] for p in d["panels"]]
    if len(set(ids)) != len(ids) or min(ids) < 1:
        yield "ids of panels"
    for i, p in enumerate(d["panels"]):
        title, kind = p["title"], p["type"]
        yield from unknown(title, p, PANEL)
        if kind not in OPTIONS:
            yield "%s: type %s" % (title, kind)
            continue
        g = p["gridPos"]
        if set(g) != {"x", "y", "w", "h"} or g["x"] < 0 or g["w"] < 1 or g["x"] + g["w"] > 24 or g["h"] < 2:
            yield "%s: place" % title
        yield from ("%s: lies over %s" % (title, q["title"]) for q in d["panels"][:i] if overlap(g, q["gridPos"]))
        if p["datasource"] != here or any(t["datasource"] != here for t in p["targets"]):
            yield "%s: data source" % title
        yield from unknown(title, p["options"], OPTIONS[kind])
        defaults = p["fieldConfig"]["defaults"]
        yield from unknown(title, defaults, DEFAULTS)
        yield from unknown(title, defaults.get("custom", {}), CUSTOM[kind])
        units = [defaults["unit"]] if kind != "table" else []
        for o in p["fieldConfig"]["overrides"]:
            if set(o) != {"matcher", "properties"} or o["matcher"]["id"] not in ("byName", "byRegexp"):
                yield "%s: override" % title
            for q in o["properties"]:
                units += [q["value"]] if q["id"] == "unit" else []
                if q["id"] == "links" and any(set(variables(x["url"])) - OF_LINKS for x in q["value"]):
                    yield "%s: variables of a link" % title
        yield from ("%s: unit %s" % (title, u) for u in units if u not in UNITS)
        if len(p["targets"]) != 1:
            yield "%s: queries" % title
        for t in p["targets"]:
            if set(t) != TARGET[engine] or t["refId"] != "A" or not text(t):
                yield "%s: query" % title
            if (t.get("format", t.get("queryType", "")).replace("_", " ") == "time series") != (kind == "timeseries"):
                yield "%s: format of the query" % title
            if set(variables(text(t))) - names - BUILTIN or re.search(r"(?<!:):[a-z]", re.sub(r"\$\{[^}]*\}|'[^']*'", "", text(t))):
                yield "%s: variables of the query" % title


def shape(directory, engine):
    panels, uids = 0, set()
    if sorted(f[:-5] for f in os.listdir(directory) if f.endswith(".json")) != NAMES:
        print("not the dashboards that are known")
    for name in NAMES:
        d = load(directory, name)
        for why in look(name, d, engine):
            print("%s: %s" % (name, why))
        panels += len(d["panels"])
        uids.add(d["uid"])
    print(panels if len(uids) == len(NAMES) else "two of a uid")


def replaced(sql, name):
    begin, end, step = RANGE[name]
    values = dict(CHOSEN, __from=str(begin), __to=str(end), __interval_ms=str(step))

    def value(m):
        v = values[m.group(1) or m.group(3)]
        return "'%s'" % v.replace("'", "''") if m.group(2) == ":sqlstring" else v
    return re.sub(r"\$\{(\w+)(:\w+)?\}|\$(\w+)", value, sql)


def ask(engine, database, sql):
    """Names of columns, and rows."""
    if engine == "sqlite":
        cursor = sqlite3.connect("file:%s?mode=ro" % database, uri=True).execute(sql)
        return [c[0] for c in cursor.description], [["" if v is None else str(v) for v in row] for row in cursor]
    out = subprocess.run(["psql", "-X", "-q", "-A", "-v", "ON_ERROR_STOP=1", "-F", "\x1f", "-P", "footer=off", database, "-c", sql],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if out.returncode:
        raise ValueError(out.stdout)
    lines = out.stdout.split("\n")[:-1]
    return lines[0].split("\x1f"), [line.split("\x1f") for line in lines[1:]]


def number(v):
    try:
        return repr(round(float(v), 4))
    except ValueError:
        return v


def run(directory, engine, database, rows):
    asked = 0
    with open(rows, "w", encoding="utf-8") as out:
        for name in NAMES:
            d = load(directory, name)
            queries = [(v["name"], "variable", v["query"], v["regex"]) for v in d["templating"]["list"] if v["type"] == "query"]
            queries += [(p["title"], p["type"], text(t), None) for p in d["panels"] for t in p["targets"]]
            for title, kind, sql, regex in queries:
                try:
                    columns, found = ask(engine, database, replaced(sql, name))
                except (sqlite3.Error, ValueError) as e:
                    print("%s: %s: %s" % (name, title, e))
                    continue
                asked += 1
                if not found:
                    print("%s: %s: no rows" % (name, title))
                    continue
                if kind == "timeseries":
                    times = [int(row[0]) * 1000 for row in found]
                    begin, end, step = RANGE[name]
                    if columns != ["time", "metric", "value"] or times != sorted(times) or times[0] < begin - 7200000 or times[-1] >= end:
                        print("%s: %s: columns %s, or times in disorder" % (name, title, columns))
                    if len({tuple(row[:2]) for row in found}) != len(found):
                        print("%s: %s: two values at a time" % (name, title))
                    # The plugin for SQLite takes a column as whole numbers where the first one is.
                    if engine == "sqlite" and "." not in found[0][2]:
                        print("%s: %s: values would be taken as whole numbers" % (name, title))
                if kind == "variable":
                    pattern = re.compile(regex.strip("/").replace("(?<", "(?P<")) if regex else None
                    values = [pattern.search(row[0]).group("value") if pattern else row[0] for row in found]
                    if len(columns) != 1 or CHOSEN[title] not in values:
                        print("%s: %s: values %s" % (name, title, values))
                for row in found:
                    out.write("\t".join([name, title] + [number(v) for v in row]) + "\n")
    print(asked)


def peaks(rows):
    most = {}
    for line in open(rows, encoding="utf-8"):
        name, title, *row = line.rstrip("\n").split("\t")
        if name == "job" and len(row) == 3 and row[0].startswith(str(DAY)[:4]):
            key = "%s, %s" % (title, row[1])
            most[key] = max(most.get(key, 0), float(row[2]))
    for key in sorted(most):
        print("%s: %g" % (key, most[key]))


def plans(directory):
    for name in NAMES:
        d = load(directory, name)
        for sql in [v["query"] for v in d["templating"]["list"][1:]] + [text(t) for p in d["panels"] for t in p["targets"]]:
            print(re.sub(r"\s+", " ", replaced(sql, name)))


{"shape": shape, "run": run, "peaks": peaks, "plans": plans}[sys.argv[1]](*sys.argv[2:])
