#!/usr/bin/env python3
"""Sums of jobs against an account of its own, in Python's integers and fractions.

  summary.py make FILE JOBS              jobs beside the only one of an SQLite database
  summary.py check FILE URL BY [FILTER...]  asks $PERFMON about URL and adds up the rows of FILE; prints values compared and wrong ones
"""
import calendar, collections, datetime, json, os, random, sqlite3, subprocess, sys


def make(path, jobs):
    r = random.Random(3)
    db = sqlite3.connect(path)
    db.execute("PRAGMA synchronous = OFF")
    names = {t: [c[1] for c in db.execute("PRAGMA table_info(%s)" % t)] for t in ("job", "host", "program_summary")}
    first = {t: dict(zip(names[t], db.execute("SELECT * FROM " + t).fetchone())) for t in names}
    def insert(table, **values):
        row = dict(first[table], **values)
        db.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(names[table]))), [row[n] for n in names[table]])
    begin = calendar.timegm((2026, 1, 30, 0, 0, 0)) * 10 ** 6
    for id in range(2, int(jobs) + 2):
        start = begin + r.randrange(60 * 86400) * 10 ** 6
        wall, cpus = r.randrange(1, 10 ** 9), r.choice([1, 4, 16, None])
        unknown = r.random()
        insert("job", id=id, jobid=str(5000 + id), user=r.choice(["u1", "u2", "u3", "u\x1b[31m"]), account=r.choice(["a", "b,c", 'd"', "e", "f", None]),
               queue=r.choice(["main", "", "gpu"]), name=r.choice(["build", "ocean", None]), start_us=start if r.random() < 0.95 else None, epoch_us=start,
               duration_us=wall if unknown > 0.05 else None, cpus=cpus, cpu_time=int(wall * r.uniform(0, 5)) if unknown < 0.9 else None,
               excluded_cpu_us=r.choice([None, 1000]), folded_cpu_us=r.choice([0, None, 500]), running=r.choice([0] * 9 + [1]),
               exit_status=r.choice([0, 0, 0, 1, None]), exit_signal=r.choice([None] * 9 + [9]), rssmax=r.choice([None, r.randrange(10 ** 7)]),
               energy_uj=r.choice([None, r.randrange(10 ** 12)]))
        for host in range(1, r.choice([2, 2, 3])):
            insert("host", job_id=id, id=host, memory_limit_kb=r.choice([None, r.randrange(10 ** 8)]))
        for program in r.sample(["cc1", "ld", "sh -c 'a\"b'", "x\\n"], 2):
            insert("program_summary", job_id=id, program=program, runs=r.choice([0, 1, 5]), failed=r.choice([0, 0, 2]),
                   cpu_time=r.choice([None, r.randrange(10 ** 9)]), rssmax=r.choice([None, r.randrange(10 ** 6)]))
        if r.random() < 0.8:
            db.execute("INSERT INTO tag_set VALUES (?, 0, 'project', ?)", (id, r.choice(["p1", "p2", "p3"])))
    db.commit()


def check(path, url, by, *options):
    fault = os.environ.get("FAULT", "")
    said = json.loads(subprocess.run([os.environ["PERFMON"], "--db", url, "summary", "--json", "--by", by, *options], stdout=subprocess.PIPE, check=True).stdout)
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    def taken(j):
        for name, value in zip(options[::2], options[1::2]):
            day = lambda: datetime.datetime.strptime(value, "%Y-%m-%d").astimezone().timestamp() * 1e6
            if name == "--user" and j["user"] not in value.split(",") or name == "--status" and not failed(j) or \
               name == "--after" and not (j["start_us"] is not None and j["start_us"] >= day()) or \
               name == "--before" and not (j["start_us"] is not None and j["start_us"] < day()) or \
               name == "--tag" and tag(j, "project") != "p1" or name == "--where" and not (j["duration_us"] or 0) > 10 ** 8:
                return False
        return True
    def failed(j):
        return j["exit_status"] not in (0, None) or j["exit_signal"] is not None
    def tag(j, name):
        row = db.execute("SELECT value FROM tag_set WHERE job_id = ? AND id = 0 AND name = ?", (j["id"], name)).fetchone()
        return row[0] if row else None
    groups = collections.defaultdict(list)
    every = [j for j in db.execute("SELECT * FROM job") if taken(j)]
    for j in every:
        date = datetime.datetime.utcfromtimestamp((j["epoch_us"] if j["start_us"] is None else j["start_us"]) // 10 ** 6)
        key = {"month": date.strftime("%Y-%m"), "day": date.strftime("%Y-%m-%d"), "partition": j["queue"]}.get(by)
        if by == "program":
            for p in db.execute("SELECT * FROM program_summary WHERE job_id = ? AND runs > 0", (j["id"],)):
                groups[p["program"]].append((j, p))
            continue
        if key is None and by != "partition":
            key = tag(j, by[4:]) if by.startswith("tag:") else j[by]
        groups[key or None].append((j, None))
    def sums(rows):
        s = collections.Counter()
        for j, p in rows:
            s["jobs"] += 1
            if p:
                s["failed"] += p["failed"] > 0
                s["cpu"] += p["cpu_time"] or 0
                s["cpus"] += p["cpu_time"] is not None
                s["peak"] = max(s["peak"], p["rssmax"] or 0)
                s["peaks"] += p["rssmax"] is not None
                continue
            s["failed"] += failed(j)
            s["running"] += bool(j["running"])
            used = None if j["cpu_time"] is None else j["cpu_time"] + (j["excluded_cpu_us"] or 0) + (j["folded_cpu_us"] or 0)
            over = not j["running"] or fault == "running"
            allocated = j["duration_us"] * j["cpus"] if over and j["duration_us"] is not None and j["cpus"] is not None else None
            s["cpu"] += used or 0
            s["cpus"] += used is not None
            if allocated is not None:
                s["allocated"] += allocated
                s["allocateds"] += 1
                if used is not None or fault == "known":
                    s["known"] += allocated
                    s["used"] += used or 0
                    s["useds"] += 1
                    s["wasted"] += allocated - (used or 0) if fault == "wasted" else max(0, allocated - (used or 0))
            limits = [h[0] for h in db.execute("SELECT memory_limit_kb FROM host WHERE job_id = ?", (j["id"],)) if h[0] is not None]
            if limits and j["rssmax"] is not None:
                s["asked"] += min(limits)
                s["askeds"] += 1
            if j["rssmax"] is not None:
                s["rss"] += j["rssmax"]
                s["peak"] = max(s["peak"], j["rssmax"])
                s["peaks"] += 1
            if j["energy_uj"] is not None:
                s["energy"] += j["energy_uj"]
                s["energies"] += 1
        hours = lambda v, n: s[v] / 3600e6 if s[n] else None
        want = {"jobs": s["jobs"], "failed": s["failed"], "running": s["running"], "cpu_hours": hours("cpu", "cpus"),
                "memory_peak_kb": s["peak"] if s["peaks"] else None}
        if by != "program":
            want.update({"core_hours": hours("allocated", "allocateds"), "core_hours_used": hours("used", "useds"),
                         "core_hours_wasted": hours("wasted", "useds"), "efficiency": s["used"] / s["known"] if s["known"] else None,
                         "jobs_known": s["useds"], "memory_asked_kb": s["asked"] / s["askeds"] if s["askeds"] else None,
                         "jobs_memory_asked": s["askeds"], "memory_used_kb": s["rss"] / s["peaks"] if s["peaks"] else None,
                         "energy_kwh": s["energy"] / 3.6e12 if s["energies"] else None, "jobs_energy": s["energies"]})
        return want
    compared = wrong = 0
    got = {g["key"]: g for g in said["groups"]}
    wrong += len(got) != len(said["groups"]) or set(got) != set(groups)
    if by != "program":
        got["\0all"] = said["all"]
        groups["\0all"] = [(j, None) for j in every]
        worst = sorted((-(j["duration_us"] * j["cpus"] - j["cpu_time"] - (j["excluded_cpu_us"] or 0) - (j["folded_cpu_us"] or 0)), j["id"]) for j in every
                       if not j["running"] and None not in (j["duration_us"], j["cpus"], j["cpu_time"]))
        jobids = [str(5000 + id) for waste, id in worst if waste < 0 and id > 1][:5]
        wrong += [j["jobid"] for j in said["worst"] if j["jobid"] != "4711"] != jobids[:len(said["worst"])]
        compared += 1
    for key in set(got) & set(groups):
        for name, value in sums(groups[key]).items():
            compared += 1
            same = value == got[key][name] or value is not None and got[key][name] is not None and abs(value - got[key][name]) <= 1e-9 * abs(value)
            wrong += not same
    print(compared, wrong)


{"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
