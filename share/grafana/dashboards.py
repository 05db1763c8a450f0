#!/usr/bin/python3
"""Write the dashboards for Grafana, for each engine, from the one description below: dashboards.py COOKBOOK DIRECTORY

`make regenerate` runs it. SQL is written once: it is the same for both engines, and that of tables comes by name from
sql/cookbook.sql where it is there, with its question as the panel's description. A panel of the grid is W by H, and
panels follow each other from left to right, as words do.

Fields are those of the schema of Grafana 10.4 (schemaVersion 39) and of the query models of its PostgreSQL data source
and of the plugin frser-sqlite-datasource."""
import json
import os
import re
import sys

ENGINES = {"postgresql": "grafana-postgresql-datasource", "sqlite": "frser-sqlite-datasource"}

# --- SQL -----------------------------------------------------------------------------------------
FROM, TO = "$__from * 1000", "$__to * 1000"
JOB, HOST = "CAST(${job:sqlstring} AS bigint)", "${host:sqlstring}"
STARTED = "j.start_us >= %s AND j.start_us < %s" % (FROM, TO)
# Seconds of a point, at least one.
STEP = "(1 + $__interval_ms / 1000)"
HOUR = "(3600 + $__interval_ms / 1000)"

OF_JOB = "e.job_id = %s" % JOB
OF_HOST = """substr(h.hostname, 1, 100) = substr(%s, 1, 100)
        AND h.hostname || '' = %s AND j.start_us < %s
        AND (j.end_us >= %s OR j.end_us IS NULL)""" % (HOST, HOST, TO, FROM)


def series(which, wanted, by="h.hostname", rate=False, scale=""):
    """The samples of some series as points, in lines by `by`. A line is the sum of its series, each at a point the mean of its
    values; those of a counter are rates, in its unit per microsecond. `scale` is a factor, such as "/ 1e6"."""
    value, known = "s.value * 1.0", "value IS NOT NULL"
    if rate:
        value = """(s.value - lag(s.value) OVER w) * 1.0
            / nullif(s.monotonic_us - lag(s.monotonic_us) OVER w, 0)"""
        known = "value >= 0"
    return """SELECT time, metric, sum(value) %s AS value FROM (
    SELECT time, metric, part, avg(value) AS value FROM (
        SELECT s.time_us / 1000000 / %s * %s AS time,
            %s AS metric, e.metric || ' ' || h.hostname || ' ' || e.object AS part,
            %s AS value
        FROM host h
        JOIN job j ON j.id = h.job_id
        JOIN series e ON e.job_id = h.job_id AND e.host_id = h.id
        JOIN sample s ON s.job_id = e.job_id AND s.series_id = e.id
        WHERE %s
        AND %s
        AND s.time_us >= %s AND s.block_end_us >= %s
        AND s.time_us < %s AND s.block_begin_us < %s%s
    ) r WHERE %s GROUP BY time, metric, part
) p GROUP BY time, metric ORDER BY time, metric""" % (
        scale, STEP, STEP, by, value, which, wanted, FROM, FROM, TO, TO,
        "\n        WINDOW w AS (PARTITION BY e.job_id, e.id ORDER BY s.time_us)" if rate else "", known)


def started(value, by):
    """Sums over the jobs that started in each hour, or more where the picture is small."""
    return """SELECT time, metric, sum(value) * 1.0 AS value FROM (
    SELECT j.start_us / 1000000 / %s * %s AS time,
        coalesce(%s, '-') AS metric, %s AS value
    FROM job j WHERE %s
) r WHERE value IS NOT NULL GROUP BY time, metric ORDER BY time, metric""" % (HOUR, HOUR, by, value, STARTED)


def total(value):
    return "SELECT %s AS value FROM job j WHERE %s" % (value, STARTED)


def totals(metric):
    """What a counter of the sampler grew by, over all jobs of a host."""
    return "coalesce(sum(CASE WHEN e.metric = '%s' AND e.object = '' THEN t.maximum - t.minimum END), 0) AS %s" % (metric, metric)


CPU = "e.source = 'cpu' AND e.object = '' AND e.metric IN ('user', 'nice', 'system', 'irq', 'softirq', 'steal')"
POWER = "e.source = 'rapl' AND e.object = '' AND e.metric IN ('package_energy', 'dram_energy')"


def of(source, *metrics, obj="AND e.object = ''"):
    return "e.source = '%s' AND e.metric IN (%s) %s" % (source, ", ".join("'%s'" % m for m in metrics), obj)


# --- panels: (title, W, H, what, unit) ----------------------------------------------------------
def graph(title, unit, sql, bars=False, width=12, note=None):
    return {"kind": "bars" if bars else "lines", "title": title, "unit": unit, "sql": sql, "w": width, "h": 8, "note": note}


def table(title, sql, width=12, height=8, note=None):
    return {"kind": "table", "title": title, "sql": sql, "w": width, "h": height, "note": note}


def stat(title, unit, sql):
    return {"kind": "stat", "title": title, "unit": unit, "sql": sql, "w": 6, "h": 4, "note": None}


def question(title, name, width=12, height=8):
    return {"kind": "table", "title": title, "question": name, "w": width, "h": height}


JOBS = """SELECT j.id, j.jobid, j."user", j.name, j.queue,
    j.start_us / 1000 AS begin_ms, coalesce(j.end_us / 1000, $__to) AS end_ms,
    round(j.duration_us / 1e6, 1) AS wall_s, round(j.cpu_time / 1e6, 1) AS cpu_s,
    round(CAST(100 * j.efficiency AS numeric), 1) AS efficiency_pct, j.rssmax AS peak_kb,
    j.exit_status, j.exit_signal
FROM %s
ORDER BY j.start_us DESC NULLS LAST, j.id DESC LIMIT 200"""

VARIABLES = {
    # The latest jobs by their ids in the batch system; the value is their number in the database.
    "job": ("Job", """SELECT id || ' ' || jobid ||
    CASE array_task WHEN '' THEN '' ELSE '_' || array_task END ||
    ' ' || "user" || ' ' || coalesce(name, '') AS job
FROM job WHERE start_us IS NOT NULL ORDER BY start_us DESC NULLS LAST, id DESC LIMIT 500""", r"/(?<value>\d+) (?<text>.*)/"),
    "host": ("Node", """SELECT DISTINCT h.hostname FROM (
    SELECT id FROM job WHERE start_us IS NOT NULL
    ORDER BY start_us DESC NULLS LAST, id DESC LIMIT 5000
) j JOIN host h ON h.job_id = j.id ORDER BY h.hostname""", ""),
}

DASHBOARDS = {
    "job": ("perfmon: job", ["job"], [
        table("Job", JOBS % ("job j WHERE j.id = %s" % JOB), 24, 4, "Click on the number to show the time of the job."),
        graph("CPUs busy on each host", "short", series(OF_JOB, CPU, rate=True)),
        graph("Memory in use on each host", "decbytes", series(OF_JOB, of("memory", "used"))),
        graph("CPUs used by the processes of the job", "short", series(OF_JOB, of("process", "usertime", "systemtime"), rate=True)),
        graph("Resident memory of the processes of the job", "decbytes", series(OF_JOB, of("process", "rss")),
              note="Pages that processes share count in each."),
        graph("Power of processors and memory", "watt", series(OF_JOB, POWER, rate=True), note="By RAPL, where the node has it."),
        graph("GPUs in use", "percent", series(OF_JOB, of("nvidia", "utilization", obj=""), "h.hostname || ' ' || e.object", scale="/ 1e2"),
              note="Share of the time in which a kernel ran."),
        graph("Disks of the hosts", "Bps", series(OF_JOB, of("disk", "read_bytes", "write_bytes"),
              "h.hostname || CASE e.metric WHEN 'read_bytes' THEN ' read' ELSE ' written' END", True, "* 1e6")),
        graph("Network of the hosts", "Bps", series(OF_JOB, of("network", "rx_bytes", "tx_bytes"),
              "h.hostname || CASE e.metric WHEN 'rx_bytes' THEN ' received' ELSE ' sent' END", True, "* 1e6")),
        question("Programs", "programs-cpu"),
        question("Memory of programs", "programs-memory"),
        question("Failed processes", "processes-failed"),
        question("Longest processes", "processes-longest"),
        question("Phases", "phases", 8),
        question("MPI ranks", "rank-imbalance", 8),
        question("Hosts", "host-imbalance", 8),
    ]),
    "node": ("perfmon: node", ["host"], [
        table("Jobs on the node", JOBS % ("host h JOIN job j ON j.id = h.job_id WHERE " + OF_HOST), 24, 8,
              "Of two jobs at a time on a node, both have its samples: the lines below show them once."),
        graph("CPUs busy", "short", series(OF_HOST, CPU, "e.metric", True)),
        graph("Memory", "decbytes", series(OF_HOST, of("memory", "total", "used", "available"), "e.metric")),
        graph("Load", "short", series(OF_HOST, of("load", "load1"), "e.metric", scale="/ 1e2")),
        graph("Power of processors and memory", "watt", series(OF_HOST, POWER, "e.metric", True)),
        graph("Disks", "Bps", series(OF_HOST, of("disk", "read_bytes", "write_bytes"), "e.metric", True, "* 1e6")),
        graph("Network", "Bps", series(OF_HOST, of("network", "rx_bytes", "tx_bytes"), "e.metric", True, "* 1e6")),
    ]),
    "site": ("perfmon: site", [], [
        stat("Jobs", "short", total("count(*)")),
        stat("Failed jobs", "short", total("count(CASE WHEN j.exit_status <> 0 OR j.exit_signal IS NOT NULL THEN 1 END)")),
        stat("CPU time", "h", total("sum(j.cpu_time) / 3.6e9")),
        stat("Energy", "kwatth", total("sum(j.energy_uj) / 3.6e12")),
        graph("Jobs started, by queue", "short", started("1", "j.queue"), True),
        graph("CPU hours of jobs started, by account", "h", started("j.cpu_time / 3.6e9", "j.account"), True),
        table("Latest jobs", JOBS % ("job j WHERE " + STARTED), 24, 8),
        question("Users who leave CPUs idle", "users-waste"),
        question("Jobs that are too wide", "jobs-oversized"),
        question("Accounts", "accounts-energy"),
        question("Queues", "queue-wait"),
        question("Storage", "users-io"),
        question("Programs", "site-programs"),
        question("Hosts by failures", "hosts-failures"),
        question("Reasons of failures", "failures-reasons"),
    ]),
    "sampler": ("perfmon: sampler", ["host"], [
        table("Samplers by host", """SELECT h.hostname, count(DISTINCT e.job_id) AS jobs,
    %s,
    %s,
    %s,
    %s,
    max(CASE WHEN e.metric = 'late' THEN t.maximum END) / 1e6 AS latest_s
FROM job j
JOIN series e ON e.job_id = j.id AND e.source = 'sampler'
JOIN series_summary t ON t.job_id = e.job_id AND t.series_id = e.id
JOIN host h ON h.job_id = e.job_id AND h.id = e.host_id
WHERE %s
GROUP BY h.hostname ORDER BY missed DESC, lost DESC, latest_s DESC, h.hostname LIMIT 100""" % (
            totals("missed"), totals("lost"), totals("late_readings"), totals("failures"), STARTED), 12, 8,
              "Samples missed, not written, late and failed readings, and the latest sample, of jobs that started in this time."),
        table("Values that are unknown, by source", """SELECT e.source, sum(t.samples) AS samples,
    sum(t.samples - t.known) AS unknown,
    round(100.0 * sum(t.samples - t.known) / sum(t.samples), 2) AS unknown_pct
FROM job j
JOIN series e ON e.job_id = j.id
JOIN series_summary t ON t.job_id = e.job_id AND t.series_id = e.id
WHERE %s
GROUP BY e.source ORDER BY unknown DESC, e.source""" % STARTED),
        graph("Lateness of samples", "\u00b5s", series(OF_HOST, of("sampler", "late"))),
        graph("CPU time of sources", "percentunit", series(OF_HOST, of("sampler", "cost", obj=""), "e.object", True, "/ 1e3"),
              note="Share of one CPU."),
        graph("CPU time of the sampler", "percentunit", series(OF_HOST, of("sampler", "usertime", "systemtime"), "e.metric", True),
              note="Share of one CPU."),
        graph("Series written", "Bps", series(OF_HOST, of("sampler", "written"), rate=True, scale="* 1e6")),
        question("Jobs with incomplete records", "records-missing", 24),
    ]),
}

# Units of columns of tables, by the ends of their names.
UNITS = [("_s", "s"), ("_h", "h"), ("_pct", "percent"), ("_kb", "kbytes"), ("_mb", "decmbytes"), ("_gb", "decgbytes"),
         ("_kwh", "kwatth"), ("begin_ms", "dateTimeAsIso"), ("end_ms", "dateTimeAsIso")]


# --- JSON ----------------------------------------------------------------------------------------
def cookbook(path):
    """The questions and statements of the cookbook, by name."""
    found = {}
    for name, about, sql in re.findall(r"^-- ([a-z-]+): ((?:.*\n-- )*.*)\n((?:(?!--).+\n)+)", open(path, encoding="utf-8").read(), re.M):
        parameters = {"from": FROM, "to": TO, "job": JOB, "host": HOST}
        found[name] = (about.replace("\n-- ", " "),
                       re.sub(r"(?<!:):([a-z]+)", lambda m: parameters[m.group(1)] if m.group(1) in parameters else m.group(0),
                              sql.strip().rstrip(";")))
    return found


def target(engine, sql, points):
    if engine == "postgresql":
        return {"datasource": source(engine), "editorMode": "code", "format": "time_series" if points else "table", "rawQuery": True,
                "rawSql": sql, "refId": "A"}
    return {"datasource": source(engine), "queryText": sql, "queryType": "time series" if points else "table", "rawQueryText": sql,
            "refId": "A", "timeColumns": ["time"] if points else []}


def source(engine):
    return {"type": ENGINES[engine], "uid": "${datasource}"}


def uid(engine, name):
    return "perfmon-%s-%s" % (engine, name)


def panel(engine, number, p, x, y, questions):
    about, sql = questions[p["question"]] if "question" in p else (p["note"], p["sql"])
    points = p["kind"] in ("lines", "bars")
    made = {"id": number, "title": p["title"], "datasource": source(engine), "gridPos": {"x": x, "y": y, "w": p["w"], "h": p["h"]},
            "type": "timeseries" if points else p["kind"], "targets": [target(engine, sql, points)],
            "fieldConfig": {"defaults": {}, "overrides": []}}
    defaults, overrides = made["fieldConfig"]["defaults"], made["fieldConfig"]["overrides"]
    if about:
        made["description"] = about
    if points:
        bars = p["kind"] == "bars"
        defaults.update(unit=p["unit"], min=0, custom={
            "drawStyle": "bars" if bars else "line", "fillOpacity": 60 if bars else 10, "lineWidth": 1, "spanNulls": False,
            "stacking": {"group": "A", "mode": "normal" if bars else "none"}})
        if engine == "sqlite":  # the other one names lines by the column itself
            defaults["displayName"] = "${__field.labels.metric}"
        made["options"] = {"legend": {"calcs": [], "displayMode": "list", "placement": "bottom", "showLegend": True},
                           "tooltip": {"mode": "multi", "sort": "desc"}}
    elif p["kind"] == "stat":
        defaults.update(unit=p["unit"], noValue="unknown")
        made["options"] = {"colorMode": "none", "graphMode": "none", "justifyMode": "auto", "orientation": "auto",
                           "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
                           "showPercentChange": False, "textMode": "auto", "wideLayout": True}
    else:
        defaults["custom"] = {"align": "auto", "cellOptions": {"type": "auto"}, "inspect": False}
        made["options"] = {"cellHeight": "sm", "frameIndex": 0, "showHeader": True}
        for end, unit in UNITS:
            if re.search(r"\b\w*%s\b" % end, sql.split("\nFROM")[0]):
                overrides.append({"matcher": {"id": "byRegexp", "options": "/%s$/" % end}, "properties": [{"id": "unit", "value": unit}]})
        if re.match(r"SELECT (?:j\.)?id,", sql) and re.search(r"FROM (job|host)\b", sql):
            time = "&from=${__data.fields.begin_ms}&to=${__data.fields.end_ms}" if "begin_ms" in sql else "&${__url_time_range}"
            overrides.append({"matcher": {"id": "byName", "options": "id"}, "properties": [{"id": "links", "value": [{
                "title": "This job", "url": "/d/%s?var-datasource=${datasource}&var-job=${__value.raw}%s" % (uid(engine, "job"), time)}]}]})
        if "hostname" in sql.split("\nFROM")[0]:
            overrides.append({"matcher": {"id": "byName", "options": "hostname"}, "properties": [{"id": "links", "value": [{
                "title": "This node", "url": "/d/%s?var-datasource=${datasource}&var-host=${__value.raw}&${__url_time_range}" % uid(engine, "node")}]}]})
    return made


def dashboard(engine, name, questions):
    title, variables, panels = DASHBOARDS[name]
    made = {"uid": uid(engine, name), "title": title, "schemaVersion": 39, "version": 1, "editable": True, "tags": ["perfmon", engine],
            "timezone": "browser", "graphTooltip": 1, "refresh": "", "time": {"from": "now-7d", "to": "now"},
            "links": [{"asDropdown": False, "icon": "external link", "includeVars": True, "keepTime": True, "tags": ["perfmon", engine],
                       "targetBlank": False, "title": "", "tooltip": "", "type": "dashboards", "url": ""}],
            "annotations": {"list": []}, "templating": {"list": [
                {"name": "datasource", "label": "Database", "type": "datasource", "query": ENGINES[engine], "regex": "", "refresh": 1,
                 "hide": 0, "includeAll": False, "multi": False, "options": [], "skipUrlSync": False}]}, "panels": []}
    for variable in variables:
        label, sql, regex = VARIABLES[variable]
        made["templating"]["list"].append(
            {"name": variable, "label": label, "type": "query", "datasource": source(engine), "query": sql, "regex": regex, "refresh": 1,
             "sort": 0, "hide": 0, "includeAll": False, "multi": False, "options": [], "skipUrlSync": False})
    x = y = height = 0
    for number, p in enumerate(panels, 1):
        if x + p["w"] > 24:
            x, y, height = 0, y + height, 0
        made["panels"].append(panel(engine, number, p, x, y, questions))
        x, height = x + p["w"], max(height, p["h"])
    return made


def main():
    questions = cookbook(sys.argv[1])
    for engine in ENGINES:
        os.makedirs(os.path.join(sys.argv[2], engine), exist_ok=True)
        for name in DASHBOARDS:
            with open(os.path.join(sys.argv[2], engine, name + ".json"), "w", encoding="utf-8") as f:
                json.dump(dashboard(engine, name, questions), f, indent=1, sort_keys=True)
                f.write("\n")


if __name__ == "__main__":
    main()
