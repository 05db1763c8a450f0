#!/bin/sh
# Advice in reports of jobs: each piece where its cause is in the job's records, metadata and samples, and none
# where it is not; on both engines.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3; then
	skip "advice" "no $missing"
	done_testing
fi

# A job of 60 s on hosts of 4 CPUs each, with samples at its begin, middle and end, made by a recipe.
cat >make.py <<'EOT'
import json, os, sys
start, S = 1763690000000000, 1000000

def line(row, columns):
    return "1\t" + "\t".join("\\N" if row.get(c) is None else str(row[c]) for c in columns) + "\t."

def job(name, hosts=1, processes=(), samples=(), memory_kb=16000000, stop=(), host=(), job=(), own="name"):
    os.mkdir(name)
    for h in range(hosts):
        node, boot = "n%d" % h, "%08d-0000-0000-0000-000000000000" % h
        doc = {"format": "perfmon-job-1", "version": "0.2.0",
               "job": dict({"cluster": "", "user": "u", "uid": 1, "gid": 1, "jobid": name, "array_task": "", "restart_count": 0,
                            "scheduler": "slurm", "name": name, "epoch_us": start}, **dict(job)),
               "host": dict({"hostname": node, "boot_id": boot, "cpus_online": 4, "cpus_allowed": 4, "memory_kb": memory_kb,
                             "page_size": 4096, "clock_ticks": 100}, **dict(host)),
               "start": {"time_us": start, "monotonic_us": 5 * S, "command": ["sh", "job.sh"]},
               "stop": dict({"time_us": start + 60 * S, "monotonic_us": 65 * S, "exit_status": 0}, **dict(stop))}
        if own:
            doc["start"]["cgroup_own"] = own
            doc["start"]["cgroup_oom_kills"] = 1
        json.dump(doc, open("%s/job-%s.json" % (name, node), "w"))
        columns = ("record boot_id pid_ns pid starttime image_us tid hostname exename path start_us end_us duration_us end_reason exitcode exitsignal"
                   " ppid numtids usertime systemtime rssmax rchar wchar syscr syscw time_oncpu time_waiting mpirank vol_ctxsw majflt read_bytes").split()
        lines, n = ["perfmon-tsv-1\t" + "\t".join(columns) + "\t."], 0
        for p in processes:
            if p.get("host", 0) != h:
                continue
            for _ in range(p.get("times", 1)):
                n += 1
                b = start + p.get("start", 0) * S
                e = b + int(p.get("life", 60) * S)
                cpu = int(p.get("cpu", 0) * S)
                row = {"record": "start", "boot_id": boot, "pid_ns": 1, "pid": 100 + n, "starttime": n, "image_us": b, "hostname": node,
                       "exename": p["name"], "path": "/bin/" + p["name"], "tid": 100 + n, "start_us": b, "ppid": 1, "usertime": 0, "systemtime": 0, "mpirank": p.get("rank")}
                lines.append(line(row, columns))
                row.update({"record": "end", "end_us": e, "duration_us": e - b, "end_reason": "exit", "exitcode": 0,
                            "numtids": p.get("threads", 1), "usertime": cpu, "systemtime": 0, "rssmax": p.get("rss", 1000),
                            "rchar": p.get("rchar", 0), "wchar": p.get("wchar", 0), "syscr": p.get("syscr", 0), "syscw": p.get("syscw", 0),
                            "time_oncpu": cpu * 1000, "time_waiting": int(p.get("waiting", 0) * S) * 1000, "read_bytes": p.get("stored", 0),
                            "vol_ctxsw": p.get("switches", 0), "majflt": p.get("majflt", 0)})
                if p.get("signal"):
                    # The collector of a killed process writes no end: its parent reaps it.
                    row.update({"record": "reaped", "exitcode": None, "exitsignal": p["signal"]})
                lines.append(line(row, columns))
        open("%s/%s-1.tsv" % (name, node), "w").write("\n\n".join(lines) + "\n")
        series = [x for x in samples if x[0] in (None, h)]
        if series:
            out = ["perfmon-series-1\t%s\t%s\t30000000\t." % (node, boot)]
            out += ["series\t%d\t%s\t%s\t%s\t\t%s\t." % (i + 1, x[1], x[2], x[3], x[4]) for i, x in enumerate(series)]
            out += ["tick\t%d\t%d\t%s\t." % (start + t * 30 * S, (5 + t * 30) * S, " ".join("%d=%d" % (i + 1, x[5][t]) for i, x in enumerate(series)))
                    for t in range(3)]
            open("%s/%s.series" % (name, node), "w").write("\n".join(out) + "\n")

app = dict(name="app", threads=4, cpu=230, life=60)
def group(metric, values, kind="counter", object="", host=None):
    return (host, "cgroup", metric, object, kind, values)

job("healthy", processes=[app], samples=[group("quota_periods", (0, 300, 600)), group("throttled", (0, 1, 2)), group("throttled_time", (0, 1, 2)),
    group("anonymous", (0, 10**9, 10**9), "gauge"), (None, "tcp", "retransmits", "", "counter", (0, 10, 20)),
    (None, "tcp", "tx_segments", "", "counter", (0, 10**6, 2 * 10**6)), (None, "vmstat", "pswpin", "", "counter", (5, 5, 6))])
job("quota", processes=[app], samples=[group("quota_periods", (100, 400, 700)), group("throttled", (10, 250, 490)),
    group("throttled_time", (0, 30 * S, 60 * S))])
job("swap", processes=[app], samples=[(None, "vmstat", "pswpin", "", "counter", (0, 10000, 50000)), (None, "vmstat", "pswpout", "", "counter", (7, 7, 7))])
job("memory", processes=[app], samples=[group("anonymous", (0, 3 * 10**9, 35 * 10**8), "gauge"), group("memory_limit", (4 * 10**9,) * 3, "gauge")],
    host={"memory_limit_kb": 3906250})
job("shared", own=None, processes=[app], samples=[group("anonymous", (0, 3 * 10**9, 35 * 10**8), "gauge"), group("memory_limit", (4 * 10**9,) * 3, "gauge")],
    host={"memory_limit_kb": 3906250})
job("oom", processes=[dict(app, life=30, cpu=110), dict(name="hog", signal=9, life=29, cpu=1, rss=900000)],
    stop={"exit_signal": 9, "exit_status": None, "exit_reason": "memory", "cgroup_oom_kills": 2}, host={"memory_limit_kb": 1000000})
job("locks", processes=[dict(app, cpu=60, switches=600000)])
job("pipes", processes=[dict(app, cpu=60, switches=600000, syscr=595000, rchar=595000 * 4096)])
job("smallio", processes=[dict(app), dict(name="dd", life=20, cpu=3, syscw=3000000, wchar=3000000), dict(name="dd", life=1, cpu=1, syscw=3000, wchar=3 * 10**9)])
job("largeio", processes=[dict(app), dict(name="dd", life=20, cpu=3, syscw=300000, wchar=300000 * 4096)])
job("ranks", processes=[dict(name="solver", rank=r, cpu=(55 if r == 3 else 20)) for r in range(4)])
job("even", processes=[dict(name="solver", rank=r, cpu=55) for r in range(4)])
job("nodes", hosts=2, processes=[dict(app), dict(app, host=1, cpu=1)])
job("slow", hosts=3, processes=[dict(app, host=h, cpu=200) for h in range(3)],
    samples=[(h, "frequency", "frequency", "", "gauge", (10**9 * (15 if h == 1 else 30) // 10,) * 3) for h in range(3)])
job("network", processes=[app], samples=[(None, "tcp", "retransmits", "", "counter", (0, 10000, 50000)), (None, "tcp", "tx_segments", "", "counter", (0, 10**6, 2 * 10**6))])
job("threads", processes=[dict(app, threads=16, waiting=300)])
job("burst", processes=[dict(name="worker", times=100, start=20, life=30, cpu=1.5, waiting=25), dict(app, cpu=50)])
job("serial", processes=[dict(name="reader", life=20, cpu=20), dict(name="solver", threads=4, start=20, life=40, cpu=155)])
job("asked", processes=[dict(app, cpu=60, threads=1), dict(name="other", cpu=2, life=2)], host={"memory_limit_kb": 7812500, "cpus_allocated": 4},
    samples=[(None, "process", "usertime", "", "counter", (0, 31 * S, 62 * S)), (None, "process", "systemtime", "", "counter", (0, 0, 0)),
             (None, "process", "rss", "", "gauge", (10**9, 2 * 10**9, 10**9))],
    job={"tasks": 1, "facts": {"memory_per_node_mb": "8000", "walltime_s": "7200"}})
job("crowded", host={"cpus_online": 2, "cpus_allowed": 2}, processes=[dict(app, threads=48, cpu=70, waiting=1100)])
job("tiny-quota", host={"cpus_online": 2, "cpus_allowed": 1}, processes=[dict(app, threads=2, cpu=24)],
    samples=[group("quota_periods", (0, 300, 600)), group("throttled", (0, 300, 600)), group("throttled_time", (0, 40 * S, 80 * S))])
job("late-node", hosts=2, processes=[dict(app, cpu=40, threads=1, waiting=20), dict(app, host=1, cpu=40, threads=1, waiting=70)])
job("copy", processes=[dict(app), dict(name="dd", life=20, cpu=5, syscr=2000000, rchar=48000000, syscw=3000000, wchar=96000000)])
job("thrash", processes=[dict(app, cpu=40, threads=1, majflt=100000)], host={"memory_limit_kb": 400000},
    samples=[group("memory_limit", (409600000,) * 3, "gauge"), group("limit_hits", (0, 5000, 9000)), group("anonymous", (0, 10**8, 10**8), "gauge")])
job("full", processes=[dict(app, cpu=40, threads=1, majflt=100000)], host={"memory_limit_kb": 400000},
    samples=[group("memory_limit", (409600000,) * 3, "gauge"), group("limit_hits", (0, 5000, 9000)), group("anonymous", (0, 10**8, 398 * 10**6), "gauge")])
job("storage", processes=[dict(app, cpu=60, syscr=300000, rchar=6 * 10**9, stored=5 * 10**9)],
    samples=[(None, "cpu", "iowait", "", "counter", (0, 20 * S, 50 * S)), (None, "vmstat", "refault_file", "", "counter", (7, 500000, 1000007))])
job("gpu", processes=[app], job={"facts": {"gpus": "1"}},
    samples=[(0, "nvidia", "utilization", "GPU-0", "gauge", (0, 2500, 2500))])
job("closed", processes=[dict(app, signal=15, times=40, life=1, cpu=1), dict(app)])
EOT
python3 make.py || exit 99
set -- healthy quota swap memory shared oom locks pipes smallio largeio ranks even nodes slow network threads burst serial asked closed crowded tiny-quota late-node copy thrash full storage gpu

cat >ids.py <<'EOT'
import json, sys
print(" ".join(a["id"] for a in json.load(sys.stdin)["advice"]))
EOT

# advice JOB WANT NAME: the rules that speak, the worst first
advice()
{
	is "$("$PERFMON" report --json "$1" | python3 ids.py)" "$2" "$engine: $3"
}
# says JOB PATTERN NAME
says()
{
	"$PERFMON" report --section advice --width 1000 "$1" >out
	grep -q -e "$2" out
	ok $? "$engine: $3"
	grep -q -e "$2" out || diag "$(cat out)"
}
check()
{
	engine=$1
	advice healthy "" "a job without faults gets none"
	advice quota cpu-quota "a CPU quota"
	says quota 'stopped it in 80 % of the quota.s periods; its threads stood still for 1 min 00 s in all' "in which share of its periods"
	advice swap swapping "swapping"
	says swap '205 MB went to and from swap on n0, 3.41 MB a second' "how much, where"
	advice memory memory-limit "memory close to the limit of the control group"
	says memory 'held 3.50 GB at its peak, 88 % of what its control group may use, 4.00 GB' "of what the group allows"
	advice shared "" "not of a group that others are in"
	advice oom "out-of-memory job-failed idle-cpus" "a kill for lack of memory is told as one"
	says oom 'killed 1 process of the job for lack of memory (SIGKILL: hog): its control group may use 1.02 GB' "with its program and limit"
	advice locks "lock-contention idle-cpus" "threads that sleep all the time"
	says locks 'The 4 threads of app (pid 101) went to sleep 10 000 times a second' "how often"
	advice pipes single-threaded "not those that read and write"
	advice smallio tiny-io "one run of a program with small calls among two"
	says smallio 'dd made 3 000 000 write calls of 1 bytes each on average' "its calls, not the average of both"
	advice largeio "" "not large ones"
	advice ranks "uneven-ranks idle-cpus" "uneven ranks, before the idle CPUs that they explain"
	says ranks 'rank 3 on n0 used 55.0 s of CPU time, the mean is 28.8 s, the least 20.0 s (rank 0)' "which"
	advice even "" "not even ones"
	advice nodes "uneven-nodes idle-cpus" "hosts that did next to nothing"
	says nodes '1 of 2 hosts did next to nothing: n0 used 3 min 50 s of CPU time' "how many"
	advice slow slow-node "a slow node"
	says slow 'n1 was slow: its clocks ran at 1.5 GHz on average, those of the other hosts at 3 GHz' "which"
	advice network network "a network that loses segments"
	says network 'TCP sent 50 000 segments again on n0, 2.5 % of all' "how many"
	advice threads waiting-for-cpu "more threads than CPUs"
	says threads 'on average 8.8 threads shared 4 CPUs. A process of app had 16 threads. Start fewer' "of which program"
	says burst '100 processes started in one second, 20.0 s into the job, and waited 41 min 40 s' "a burst of starts"
	advice serial serial-phase "a serial phase"
	says serial 'from 0 s after its start on, the job used one CPU, else 3.9 on average; reader ran then' "which, and when"
	is "$("$PERFMON" report --section requested --width 100 asked | sed -n '6,$s/  */ /gp')" " CPUs 4 1.0 on average 26 % 1
 Memory 8.39 GB 2.00 GB 24 % 2.41 GB, 2300 MiB
 Time 2 h 00 min 1 min 00 s 0.8 % 2 min 00 s" "$engine: what was asked for, used, and is to be asked for"
	is "$("$PERFMON" report --section failures,threads closed | grep -c SIGTERM)|$("$PERFMON" report closed | grep -c '40 ended by a signal that requests')" "0|1" \
		"$engine: workers that were asked to end did not fail"
	advice closed "" "nor do they crash"
	says crowded 'on average 20 threads shared 2 CPUs. A process of app had 48 threads. Start fewer.*At stake: up to 25.0 s' \
		"threads of its own are told where other work took CPUs, too"
	advice tiny-quota cpu-quota "a quota alone, where it stops all threads"
	says tiny-quota 'they got 0.40 CPUs on average. Ask for more CPUs.*At stake: up to 40.0 s' "a quota below one CPU, and what it costs on each of two"
	says late-node 'n1 was slow: threads there waited 1 min 10 s for a free CPU, 64 % of the time they wanted to run, on the other hosts 20.0 s' \
		"a node that waited three times as long, though the others waited, too"
	says copy 'dd made 2 000 000 read calls of 24 bytes each and 3 000 000 write calls of 32 bytes each on average' "reads and writes of one program"
	advice thrash "single-threaded major-faults" "faults by a limit of memory"
	says thrash 'read from storage 100 000 times (1667 a second): the job reached the memory limit of its control group 9 000 times' "which is named"
	says full 'held 398 MB at its peak, 97 % of what its control group may use, 410 MB, and reached the limit 9 000 times. What did not fit was swapped, or dropped and read again: ask for more memory' \
		"a limit that was reached, and what came of it"
	advice storage "storage single-threaded" "a job that reads from storage"
	says storage 'app read 5.00 GB from storage, 83.3 MB a second, in calls of 20.0 kB on average; CPUs of n0 stood idle for storage for 50.0 s in all. 4.10 GB of what n0 read had been in memory' \
		"how much, how, and what of it again"
	says gpu '1 GPU was used, and busy 1[0-9] % of the time on average' "a GPU that waits"
}
PERFMON_DB=$work/a.db
export PERFMON_DB
"$PERFMON" -q submit "$@" >out 2>&1
is "$?|$(cat out)" "0|" "the jobs load"
check SQLite
if postgres_start; then
	postgres_sql postgres -c 'CREATE DATABASE advice' || exit 99
	PERFMON_DB=$(postgres_url advice)
	"$PERFMON" -q submit "$@" >out 2>&1
	is "$?|$(cat out)" "0|" "the jobs load"
	check PostgreSQL
else
	skip "PostgreSQL" "$postgres_missing"
fi

# Noticed: the same jobs without what causes the advice.
for name in quota:throttled swap:pswpin network:retransmits slow:frequency; do
	job=${name%:*}
	cp -R "$job" "$job-twin" && sed -i "s/	${name#*:}	/	other	/" "$job-twin"/*.series
	is "$("$PERFMON" report --json "$work/$job-twin" | python3 ids.py)" "" "noticed: $job without ${name#*:}"
done
cp -R storage storage-twin && sed -i "s/	iowait	/	other	/" storage-twin/*.series
is "$("$PERFMON" report --json "$work/storage-twin" | python3 ids.py)" "single-threaded" "noticed: storage without iowait"

done_testing
