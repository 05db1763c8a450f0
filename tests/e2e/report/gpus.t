#!/bin/sh
# What a report says of GPUs that a job asked for and did not use, and of devices that were slow: by samples alone, of which
# one that is unknown is no idleness.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need python3; then
	skip "GPUs" "no $missing"
	done_testing
fi
cat >make.py <<'EOT'
import json, os, sys
out, asked, variable, gpus = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
os.makedirs(out)
start, mono, ticks = 1700000000000000, 5000000, 120
meta = {"format": "perfmon-job-1", "version": "0.1.0",
        "job": {"cluster": "c", "user": "tester", "jobid": "9", "array_task": "", "restart_count": 0, "epoch_us": start, "uid": 1000,
                "gid": 1000, "scheduler": "slurm", "name": "gpus", "facts": {"gpus": asked} if asked else {}},
        "host": {"hostname": "n0", "boot_id": "b0", "cpus_online": 8, "cpus_allowed": 8},
        "start": {"time_us": start, "monotonic_us": mono, "environment": {"CUDA_VISIBLE_DEVICES": variable} if variable else {}},
        "stop": {"time_us": start + ticks * 1000000, "monotonic_us": mono + ticks * 1000000, "exit_status": 0}}
json.dump(meta, open(os.path.join(out, "job-n0.json"), "w"))
lines = ["perfmon-series-1\tn0\tb0\t1000000\t."]
for i, g in enumerate(gpus):
    lines.append("series\t%d\tnvidia\tutilization\tGPU-%d\t0.01%%\tgauge\t." % (3 * i + 1, i))
    lines.append("series\t%d\tnvidia_counters\tthrottle_power\tGPU-%d\tns\tcounter\t." % (3 * i + 2, i))
    lines.append("series\t%d\tnvidia_counters\tthrottle_thermal\tGPU-%d\tns\tcounter\t." % (3 * i + 3, i))
for t in range(ticks):
    pairs = []
    for i, g in enumerate(gpus):
        use = {"idle": 0, "busy": 9000, "once": 1 if t == 60 else 0, "unknown": "\\N:late" if t % 5 == 0 else 0, "hot": 5000, "capped": 5000}[g]
        pairs.append("%d=%s" % (3 * i + 1, use))
        pairs.append("%d=%d" % (3 * i + 2, 7000 + t * (300000000 if g == "capped" else 0)))
        pairs.append("%d=%d" % (3 * i + 3, 7000 + t * (20000000 if g == "hot" else 0)))
    lines.append("tick\t%d\t%d\t%s\t." % (start + t * 1000000, mono + t * 1000000, " ".join(pairs)))
open(os.path.join(out, "n0.series"), "w").write("\n".join(lines) + "\n")
EOT

# advice ASKED VARIABLE GPU...: what the report of such a job says of GPUs, of id and text.
advice()
{
	rm -rf job a.db*
	python3 make.py job "$@" || exit 99
	PERFMON_DB=$work/a.db "$PERFMON" -q submit job >out 2>err || diag "$(cat err)"
	PERFMON_DB=$work/a.db "$PERFMON" report '#1' --json >out 2>err || diag "$(cat err)"
	python3 -c 'import json, sys
d = json.load(sys.stdin)
print("|".join(a["id"] + ": " + a["text"] for a in d["advice"] if a["id"] in ("idle-gpus", "slowed")))' <out
}
none="idle-gpus: The job had GPUs and used none: no sample of 2 GPUs ever saw a kernel run."
starts() { case $1 in "$2"*) echo yes ;; *) echo "$1" ;; esac; }
is "$(starts "$(advice 0,1 '' idle idle)" "$none")" yes "GPUs that Slurm gave and nobody used"
is "$(advice '' '' idle idle)" "" "noticed: nobody asked for them"
is "$(starts "$(advice '' 0,1 idle idle)" "$none")" yes "asked for by a variable"
is "$(advice '' NoDevFiles idle idle)" "" "which names none"
is "$(starts "$(advice '' '' idle idle)$(advice '' GPU-0 idle idle)" "$none")" yes "by name"
is "$(advice 0,1 '' busy busy)" "" "those that were busy"
is "$(starts "$(advice 0,1 '' busy idle)" "idle-gpus: 1 of the job's 2 GPUs was never busy")" yes "one of them that was not"
is "$(advice 0 '' busy idle)" "" "noticed: one that may be another job's"
is "$(starts "$(advice 0-1 '' busy idle)" "idle-gpus: 1 of the job's 2 GPUs")" yes "a range"
is "$(advice 0,1 '' once once)" "" "noticed: one busy sample"
is "$(advice 0,1 '' unknown unknown)" "" "noticed: samples that are unknown"
is "$(starts "$(advice 0,1 '' unknown idle)" "idle-gpus: 1 of the job's 2 GPUs was never busy")" yes "beside which another is known to be idle"
is "$(advice 0 '' unknown idle)" "" "noticed: and the unknown one may be the job's"
is "$(advice 0,1 '' hot busy)" "slowed: For 2.0 % of the time heat kept the clocks of GPU GPU-0 on n0 low." "heat"
is "$(advice 0,1 '' busy capped)" "slowed: For 30 % of the time the power limit kept the clocks of GPU GPU-1 on n0 low." "a power limit"
is "$(python3 -c 'import json, sys; d = json.load(sys.stdin)["gpus"]; print(d["asked_per_host"], d["sampled"], d["never_busy"], round(d["slowed_by_power"]["share"], 6), d["slowed_by_power"]["device"])' <out)" \
	"2 2 0 0.3 GPU-1" "JSON"
done_testing
