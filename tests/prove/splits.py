"""A job's files and a split of them, made up from a seed: splits.py SEED

Writes `whole/`, the sources of a split below `parts/`, and `plan`: a line per call of submit, its
sources. Seeds take turns in what the job was recorded by: perfmon, papiex (a file per process or
collated, with metadata or without) and EPMT. Jobs of perfmon are a user's or root's, some of whose
processes became other users."""
import datetime
import io
import json
import os
import pickle
import random
import shutil
import subprocess
import sys
import tarfile

seed = int(sys.argv[1])
rng = random.Random(seed)
METRICS = ["usertime", "systemtime", "rssmax", "minflt", "majflt", "rchar", "wchar", "time_oncpu", "rdtsc_duration"]
FIXED = "tags hostname exename path exitcode exitsignal pid generation ppid pgid sid numtids start end args".split()
CSV = ("tags hostname exename path args exitcode exitsignal pid generation ppid pgid sid numtids mpinumranks tid "
       "mpirank start end").split()
T0 = 1700000000000000
# Names of files of the job's user: HOST-UID.tsv, a process' own, any; the last may be of several hosts.
OWN = [("%s-0.tsv", "%s-1000.tsv", "%s-7.tsv"), ("%s-0.tsv", "%s-4711-1000.tsv", "all.tsv")]


class Unit:
    """Lines that go together: a record, or the rows of a process, of which only the first names it."""

    def __init__(self, host, lines, form, user=None):
        self.host, self.lines, self.form = host, lines, form
        self.user = user  # whose processes these are in root's job, if they are not root's


def metric():
    return str(rng.choice((0, 1, rng.randrange(10**6), rng.randrange(10**9))))


def process(form, host, pid, start, columns):
    threads = rng.choice((1, 1, 1, 2, 5))
    end = start + rng.randrange(1, 10**6)
    program = rng.choice(("cat", "sh", "ncks", "fre"))
    about = {"tags": rng.choice(("", "op:%s;op_instance:%d" % (program, pid % 7))), "hostname": host,
             "exename": program, "path": "/usr/bin/" + program, "exitcode": str(rng.choice((0, 0, 0, 1, 7))),
             "exitsignal": str(int(rng.random() < .05)), "pid": str(pid), "generation": "0",
             "ppid": str(rng.randrange(99, pid)), "pgid": "99", "sid": "99", "numtids": str(threads),
             "mpinumranks": rng.choice(("0", "8")), "mpirank": str(rng.randrange(8)), "start": str(start),
             "end": str(end), "args": rng.choice(("", "-c true", "a b  c"))}
    if form == "tsv":
        values = ",".join(metric() for _ in range(threads * len(columns)))
        return Unit(host, ["{%s}\t%s" % (values, "\t".join(about[c] for c in FIXED))], form)
    lines = []
    for k in range(threads):
        row = {c: about.get(c, "") if k == 0 else "" for c in CSV}
        row.update(tid=str(pid + k), mpirank=about["mpirank"], start=str(start + k), end=str(end - k))
        lines.append(",".join([row[c] for c in CSV] + [metric() for _ in columns]))
    return Unit(host, lines, form)


def foreign(form, most_hosts):
    """Hosts, units, the line of names."""
    columns = METRICS[:rng.randrange(3, len(METRICS) + 1)] + rng.choice(([], ["PAPI_TOT_INS", "PERF_COUNT_SW_CPU_CLOCK"]))
    hosts = ["n%d" % i for i in range(rng.choice((1, most_hosts)))]
    units = [process(form, host, 100 + i, T0 + i * 1000 + rng.randrange(1000), columns)
             for host in hosts for i in range(rng.randrange(8, 60))]
    names = ",".join(CSV + columns) if form == "csv" else "{%s}\t%s" % (",".join(columns), "\t".join(FIXED))
    return hosts, units, names


def metadata(host):
    utc = datetime.timezone.utc
    start = datetime.datetime.fromtimestamp(T0 / 1e6 - 1, utc)
    return pickle.dumps({"job_pl_id": "4711", "job_pl_hostname": host, "job_pl_username": "alice",
                         "job_pl_start_ts": start, "job_pl_submit_ts": start, "job_pl_env": {"SLURM_JOB_ID": "4711"},
                         "job_el_env": {"SLURM_JOB_ID": "4711"}, "job_el_exitcode": 0,
                         "job_el_stop_ts": start + datetime.timedelta(seconds=100)}, 3)


def own():
    """The job of a made-up build, its lines apart."""
    subprocess.run([os.environ["abs_top_builddir"] + "/tests/progs/generate", "--seed=%d" % seed, "made",
                    str(rng.randrange(20, 80)), str(rng.choice((1, 1, 2)))], check=True, stdout=subprocess.DEVNULL)
    units, names, meta = [], None, {}
    root, users = rng.random() < .5, {}
    if root:
        OWN[:] = OWN[1:]
    for name in sorted(os.listdir("made")):
        data = open("made/" + name).read()
        if name.endswith(".json"):
            about = json.loads(data)
            if root:
                about["job"].update(uid=0, user="root")
            meta[name] = json.dumps(about).encode()
            continue
        lines = [line for line in data.split("\n") if line]
        names = lines[0]
        at = {column: i for i, column in enumerate(names.split("\t"))}
        for line in lines[1:]:
            row, host = line.split("\t"), name.split("-")[0]
            pid = row[at["ppid" if row[at["record"]] == "reaped" else "pid"]]
            if root and (host, pid) not in users:
                users[host, pid] = rng.choice((None, None, 2000, 3000))
            if root and row[at["uid"]] != "\\N":
                row[at["uid"]] = str(users[host, pid] or 0)
            units.append(Unit(host, ["\t".join(row)], "own", users.get((host, pid))))
    return meta, units, names


def put(files, units, names, one_file):
    """Units into files of a source: by host and, unless one_file, by more names."""
    for u in units:
        n = 0 if one_file else rng.randrange(3)
        if u.form == "own":
            name = rng.choice(OWN)[n] if u.user is None else "%s-" + str(u.user) + ("", ".2", ".3")[n] + ".tsv"
            name = name.replace("%s", u.host)
        elif u.form == "tsv":
            name = u.host + "-papiex.tsv"
            files[u.host + "-papiex-header.tsv"] = (names + "\n").encode()
        else:
            name = "%s-papiex-%d-0.csv" % (u.host, n)
        head = b"" if u.form == "tsv" else (names + "\n").encode()
        files.setdefault(name, head)
        files[name] += ("\n".join(u.lines) + "\n").encode()


def write(path, files, archive):
    if not archive:
        os.makedirs(path + "/4711")
        for name, data in files.items():
            open(path + "/4711/" + name, "wb").write(data)
        return path + "/4711"
    order = list(files)
    rng.shuffle(order)
    with tarfile.open(path + ".tgz", "w:gz", compresslevel=1) as tar:
        for name in order:
            info = tarfile.TarInfo("4711/" + name)
            info.size = len(files[name])
            tar.addfile(info, io.BytesIO(files[name]))
    return path + ".tgz"


kind = ("own", "papiex", "epmt")[seed % 3]
if kind == "own":
    meta, units, names = own()
else:
    form = "tsv" if kind == "epmt" else rng.choice(("csv", "tsv"))
    # Without metadata, what is of another host is of another job.
    bare = kind == "papiex" and rng.random() < .5
    hosts, units, names = foreign(form, 1 if bare else 2)
    meta = {} if bare else {"job_metadata": metadata(hosts[0])}
shutil.rmtree("parts", ignore_errors=True)
os.mkdir("parts")
whole = dict(meta)
put(whole, units, names, True)
write("whole", whole, False)

# Every unit is in one part or, now and then, in several; some parts are an earlier state of another.
count = rng.randrange(2, 7)
parts = [[] for _ in range(count)]
ordered = rng.random() < .3
for i, u in enumerate(units):
    first = i * count // len(units) if ordered else rng.randrange(count)
    chosen = {first} | ({rng.randrange(count)} if rng.random() < .1 else set())
    for k in chosen:
        parts[k].append(u)
if rng.random() < .4:
    source = rng.choice(parts)
    parts.append(source[:rng.randrange(len(source) + 1)])
archives = rng.random() < .7
sources = []
for k, part in enumerate(parts):
    about = dict(meta)
    if kind == "own" and sources and rng.random() < .5:
        about = dict([rng.choice(list(meta.items()))])
    files = dict(about)
    put(files, part, names, rng.random() < .5)
    if len(files) > len(about):
        sources.append(write("parts/%d" % k, files, archives))
rng.shuffle(sources)
if archives and rng.random() < .5:
    plan = ["spool" + (" --remove" if rng.random() < .5 else "")]
else:
    plan, remove = [], rng.random() < .5
    while sources:
        n = rng.choice((1, 1, 2, 3))
        plan.append(("remove " if remove else "submit ") + " ".join(sources[:n]))
        del sources[:n]
open("plan", "w").write("\n".join(plan) + "\n")
