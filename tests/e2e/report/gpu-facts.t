#!/bin/sh
# The GPUs of a host, from the files of a recorded tree as a job begins to the report: what start cannot know is what the
# sampler saw.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3; then
	skip "GPUs of a host" "no $missing"
	done_testing
fi
one=GPU-6f2a4b5c-0000-1111-2222-333344445507 two=GPU-6f2a4b5c-0000-1111-2222-3333444455c1

# put FILE TEXT
put()
{
	mkdir -p "tree/${1%/*}" && printf '%b' "$2" >"tree/$1"
}
put proc/driver/nvidia/version 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n'
put proc/driver/nvidia/gpus/0000:c1:00.0/information "Model: \t\t NVIDIA A100\nGPU UUID: \t $two\n"
put proc/driver/nvidia/gpus/0000:07:00.0/information "Model: \t\t NVIDIA A100\nGPU UUID: \t $one\n"
put sys/class/drm/card3/device/uevent 'DRIVER=amdgpu\nPCI_SLOT_NAME=0000:c9:00.0\n'
put sys/class/drm/card3/device/drm/renderD131/dev '226:131\n'
put sys/class/drm/card3/device/product_name 'MI250\n'
put sys/class/drm/card3/device/unique_id '6a1b\n'
put sys/class/drm/card3/device/mem_info_vram_total '64000000000\n'
put sys/class/drm/card3/device/hwmon/hwmon0/power1_cap '560000000\n'

"$PERFMON" -j facts -a run --root "$work/tree" true >out 2>err
is "$?|$(cat err)" "0|" "a job begins beside a recorded tree"
is "$("$PERFMON" dump -j facts | grep '^gpus.2')" "gpus.2.address 0000:c9:00.0
gpus.2.driver amdgpu
gpus.2.memory_bytes 64000000000
gpus.2.name MI250
gpus.2.power_limit_uw 560000000
gpus.2.uuid 6a1b" "its metadata has what the files tell"
is "$("$PERFMON" dump -j facts | grep -c '^gpus\..*\.name NVIDIA A100$')" 2 "of NVIDIA's, too"
put sys/class/drm/card3/device/power/runtime_status 'suspended\n'
"$PERFMON" -j asleep -a run --root "$work/tree" true
is "$("$PERFMON" dump -j asleep | grep '^gpus.2')" "gpus.2.address 0000:c9:00.0
gpus.2.driver amdgpu
gpus.2.state suspended" "noticed: one that sleeps is not asked"

# The same host, sampled: memory and limits of NVIDIA's, and a value that start knew better.
directory=$(echo "$PERFMON_OUTPUT_PREFIX"*/*facts*)
[ -d "$directory" ] || directory=$(dirname "$(find "$PERFMON_OUTPUT_PREFIX" -name 'job-*.json' | grep facts)")
cp -r "$directory" sampled
cat >sample.py <<'EOT'
import glob, json, sys
path = glob.glob("sampled/job-*.json")[0]
doc = json.load(open(path))
host, start = doc["host"], doc["start"]
what = [("nvidia", "memory_total", sys.argv[1], "B", 42949672960), ("nvidia_counters", "power_limit", sys.argv[1], "uW", 400000000),
        ("nvidia", "memory_total", "GPU-another", "B", 5), ("amdgpu", "memory_total", "6a1b", "B", 7)]
out = ["perfmon-series-1\t%s\t%s\t1000000\t." % (host["hostname"], host["boot_id"])]
out += ["series\t%d\t%s\t%s\t%s\t%s\tgauge\t." % (i + 1, *w[:4]) for i, w in enumerate(what)]
out += ["tick\t%d\t%d\t%s\t." % (start["time_us"] + t * 1000, start["monotonic_us"] + t * 1000,
                                 " ".join("%d=%d" % (i + 1, w[4]) for i, w in enumerate(what))) for t in range(3)]
open("sampled/%s.series" % host["hostname"], "w").write("\n".join(out) + "\n")
if len(sys.argv) > 2:  # hostile
    host["gpus"][0] = {"name": "\033[31mred\n", "uuid": "x" * 5000, "address": 5, "memory_bytes": -7, "other": "\033c"}
    json.dump(doc, open(path, "w"))
EOT
python3 sample.py "$one" || exit 99

# facts DATABASE: of each GPU in the report
facts()
{
	PERFMON_DB=$1 "$PERFMON" report '#1' --json | python3 -c 'import json, sys
for g in json.load(sys.stdin)["hosts"][0]["gpus"]:
    print(g["name"], g["uuid"][-4:] if g["uuid"] else None, g["address"], g["driver"], g["driver_version"], g["memory_bytes"], g["power_limit_uw"], g["state"])'
}
want="NVIDIA A100 5507 0000:07:00.0 nvidia 535.104.05 42949672960 400000000 None
NVIDIA A100 55c1 0000:c1:00.0 nvidia 535.104.05 None None None
MI250 6a1b 0000:c9:00.0 amdgpu None 64000000000 560000000 None"
# check DATABASE NAME
check()
{
	PERFMON_DB=$1 "$PERFMON" -q submit sampled >out 2>err
	is "$?|$(cat err)" "0|" "$2: loaded"
	is "$(facts "$1")" "$want" "$2: the report has each GPU, with what the sampler saw of it and no other"
	PERFMON_DB=$1 "$PERFMON" list hosts '#1' --width 160 >out 2>err
	is "$(sed -n '/GPU /,$p' out | awk '{ $1 = ""; print }')" " GPU Address Memory Power limit Driver UUID
 NVIDIA A100 0000:07:00.0 42.9 GB 400 W nvidia 535.104.05 $one
 NVIDIA A100 0000:c1:00.0 nvidia 535.104.05 $two
 MI250 0000:c9:00.0 64.0 GB 560 W amdgpu 6a1b" "$2: and so has list hosts"
	is "$(PERFMON_DB=$1 "$PERFMON" list hosts '#1' --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)[0]["gpus"]))')" 3 "$2: its JSON"
	is "$(PERFMON_DB=$1 "$PERFMON" show --json '#1' | python3 -c 'import json, sys; print(json.load(sys.stdin)["hosts"][0]["gpus"][2]["name"])')" MI250 "$2: show --json"
	PERFMON_DB=$1 "$PERFMON" report '#1' --width 120 >out
	is "$(sed -n '/^  GPUs/,/^  Time/p' out | sed '$d; s/^ *//; s/^GPUs *//')" \
		"1 NVIDIA A100, memory 42.9 GB, power limit 400 W, driver nvidia 535.104.05
1 NVIDIA A100, memory unknown, power limit unknown, driver nvidia 535.104.05
1 MI250, memory 64.0 GB, power limit 560 W, driver amdgpu" "$2: the report for people"
	is "$(PERFMON_DB=$1 "$PERFMON" verify >out 2>&1; echo $?)" 0 "$2: verify"
}
check "$work/a.db" SQLite
if postgres_start; then
	postgres_sql postgres -c 'CREATE DATABASE gpus' || exit 99
	check "$(postgres_url gpus)" PostgreSQL
else
	skip "PostgreSQL" "$postgres_missing"
fi

python3 sample.py "$two" hostile || exit 99
PERFMON_DB=$work/b.db "$PERFMON" -q submit sampled >out 2>err
is "$?|$(cat err)" "0|" "hostile facts load"
want="\\n None None None None None None None
NVIDIA A100 55c1 0000:c1:00.0 nvidia 535.104.05 42949672960 400000000 None
MI250 6a1b 0000:c9:00.0 amdgpu None 64000000000 560000000 None"
is "$(facts "$work/b.db" | sed 's/^.*red//')" "$want" "what is none of a GPU's facts is unknown"
PERFMON_DB=$work/b.db "$PERFMON" list hosts '#1' >out
PERFMON_DB=$work/b.db "$PERFMON" report '#1' >>out
"$PERFMON" dump sampled >>out
is "$(grep -c "$(printf '\033')" out)|$(grep -c 31mred out)" "0|3" "and no escape reaches a terminal"
done_testing
