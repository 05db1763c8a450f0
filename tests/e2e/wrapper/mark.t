#!/bin/sh
# perfmon mark: phases from a job script to the report. Bad marks, lost ones, and what stands in the way.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need sqlite3 python3; then
	skip "marks" "no $missing"
	done_testing
fi
export PERFMON_DB="$work/db"
host=$(uname -n)
sql()
{
	sqlite3 "$PERFMON_DB" "$1"
}

# --- a job marks its phases -------------------------------------------------------------------

odd=$(printf 'a\033[31m\tb \\ \377\nc')
cat >job.sh <<EOF
"$PERFMON" mark begin all
"$PERFMON" mark begin burn
"$abs_top_builddir/tests/progs/sampler_burn" 1 300 0 </dev/null >/dev/null
"$PERFMON" mark end burn
for i in 1 2 3; do
	"$PERFMON" mark begin step
	/bin/true
	"$PERFMON" mark begin overlap\$i
	"$PERFMON" mark end step
	"$PERFMON" mark end overlap\$i
done
"$PERFMON" mark end never
"$PERFMON" mark begin "\$1"
EOF
PERFMON_SAMPLE=20ms "$PERFMON" -a run sh job.sh "$odd" >out 2>err
is "$?|$(cat out err)" "0|" "marks say nothing"
dir=$(echo "$PERFMON_OUTPUT_PREFIX"/*/*)
is "$(stat -c %a "$dir/$host.phases")|$(wc -l <"$dir/$host.phases")" "600|17" "one line each, of the owner alone"
"$PERFMON" submit "$dir" >out 2>err
is $? 0 "load"
is "$(sql "SELECT name, count(*), sum(begin_us IS NULL), sum(ended), sum(duration_us IS NULL) FROM phase
	GROUP BY 1 ORDER BY min(id)" | head -n 6 | tr '\n' ' ')" \
	"all|1|0|0|0 burn|1|0|1|0 step|3|0|3|0 overlap1|1|0|1|0 overlap2|1|0|1|0 overlap3|1|0|1|0 " \
	"nested, overlapping and repeated phases"
is "$(sql "SELECT begin_us IS NULL, end_us IS NULL, ended FROM phase WHERE name = 'never'")" "1|0|1" \
	"an end without a beginning"
is "$(sql "SELECT p.end_us = h.stop_time_us, p.duration_us > 0 FROM phase p JOIN host h ON h.job_id = p.job_id
	AND h.id = p.host_id WHERE p.name = 'all'")" "1|1" "what is not ended ends with the job"
is "$(sql "SELECT min(a.begin_us <= b.begin_us AND a.end_us >= b.end_us) FROM phase a, phase b WHERE a.name = 'all'
	AND b.name IN ('burn', 'step')")" 1 "times are nested as the phases are"
"$PERFMON" list phases --json >list.json && "$PERFMON" report --json >report.json
# What the kernel charged to the child says that the sampled CPU time is right.
odd=$odd burnt=$(sql "SELECT max(cpu_time) FROM process WHERE exename = 'sampler_burn'") python3 - <<'EOF' >got
import json, os
p = {x["name"]: x for x in json.load(open("report.json"))["phases"]}
rows = json.load(open("list.json"))
b, s = p["burn"], p["step"]
print("names", len(rows), len(p))
print("steps", s["times"], s["unended"], s["wall_us"] >= s["longest_us"] > 0)
print("cpu", 0.7 * float(os.environ["burnt"]) < b["cpu_us"] < b["wall_us"] * 2,
      abs(b["cpus_busy"] - b["cpu_us"] / b["wall_us"]) < 1e-9)
print("all", p["all"]["cpu_us"] >= b["cpu_us"], p["all"]["memory_peak_bytes"] >= b["memory_peak_bytes"] > 0)
print("started", b["processes"] >= 1, s["processes"] >= 3, p["all"]["processes"] > s["processes"])
print("unknown", p["never"]["wall_us"], p["never"]["cpu_us"], p["never"]["processes"])
raw = os.environb[b"odd"]
print("odd", any(isinstance(r["name"], dict) and bytes.fromhex(r["name"]["hex"]) == raw for r in rows))
EOF
is "$(tr '\n' ' ' <got)" "names 10 8 steps 3 0 True cpu True True all True True started True True True \
unknown None None None odd True " "each has its time, CPU, processes and memory; any bytes are a name"
"$PERFMON" report --width 100 >out
is "$(grep -c 'Phases marked by the job' out)|$(grep -c "$(printf '\033')" out)" "1|0" \
	"the report shows them, and nothing that steers a terminal"
"$PERFMON" submit "$dir" >out 2>err
is "$?|$(grep -c 'nothing new' out)" "0|1" "again: nothing new"

# --- late, twice, damaged ---------------------------------------------------------------------

mkdir late && cp "$dir"/job-*.json late
head -n 5 "$dir/$host.phases" >"late/$host.phases"
PERFMON_DB=$work/late.db "$PERFMON" submit late >out 2>err
cp "$dir/$host.phases" late
{
	printf 'perfmon-phase-1\t%s\tb\tbegin\t\t1\t1\t1\t.\n' "$host"
	printf 'garbage\n\n'
	head -n 1 "$dir/$host.phases"
	printf 'perfmon-phase-1\th\tb\tbeg'
} >>"late/$host.phases"
PERFMON_DB=$work/late.db "$PERFMON" submit late >out 2>err
is "$?|$(sqlite3 late.db "SELECT count(*) FROM phase; SELECT count(*) FROM load WHERE file LIKE '%.phases'" | tr '\n' ' ')" \
	"1|10 1 " "a longer file of the same name takes the place of the shorter one"
is "$(sqlite3 late.db "SELECT group_concat(reason, '; ') FROM (SELECT reason FROM reject ORDER BY line)")" \
	"phase name is missing or too long; not a phase mark; duplicate: this mark has been read before; cut or too long: its terminator is missing" \
	"lines that cannot be loaded say why"
cat "$dir/$host.phases" "$dir/$host.phases" >"late/$host.phases"
PERFMON_DB=$work/twice.db "$PERFMON" submit late >out 2>err
is "$(sqlite3 twice.db "SELECT count(*) FROM phase; SELECT count(*), min(reason LIKE 'duplicate: %') FROM reject" | tr '\n' ' ')" \
	"10 17|1 " "a mark that is there twice counts once"

# --- archives ---------------------------------------------------------------------------------

"$PERFMON" stage "$dir" >out 2>err
PERFMON_DB=$work/staged.db "$PERFMON" submit ./*.tgz >out 2>err
is "$?|$(sqlite3 staged.db 'SELECT count(*) FROM phase')" "0|10" "stage packs them"

# --- what stands in the way -------------------------------------------------------------------

marked()
{
	timeout 60 "$PERFMON" mark "$@" >out 2>err
	echo "$?|$(cat out)|$(wc -l <err)"
}
is "$(marked begin x)" "1||1" "no job is open"
"$PERFMON" start -j 7 >out 2>err
marks=$(echo "$PERFMON_OUTPUT_PREFIX"/*/7)/$host.phases
is "$(marked -j 7 begin x)|$(marked begin x -j 7)|$(wc -l <"$marks")" "0||0|0||0|2" "-j before and behind"
is "$(marked)$(marked begin)$(marked start x)$(marked begin x y)$(marked end '')" "2||12||12||12||12||1" "operands"
long=$(printf %0255d 0)
is "$(marked -j 7 begin "$long")|$(marked -j 7 begin "0$long")" "0||0|2||1" "a name has 255 bytes at most"
printf 'perfmon-phase-1\tcut' >>"$marks"
marked -j 7 end "$long" >got
is "$(cat got)|$(tail -n 1 "$marks" | cut -f 1,4)" "0||0|$(printf 'perfmon-phase-1\tend')" "a cut line costs itself alone"
# No room: below a limit of the file's size the line is not written, or not whole.
size=$(stat -c %s "$marks")
(
	ulimit -f $(((size + 511) / 512)) && while "$PERFMON" mark -j 7 begin full 2>err; do :; done
	"$PERFMON" mark -j 7 begin full 2>/dev/null
	echo $? >&3
) 3>status
is "$(cat status)|$(wc -l <err)" "1|1" "no room for it is an error that says so"
is "$(marked -j 7 end full)" "0||0" "and costs no later mark"
mv "$marks" kept && mkfifo "$marks"
is "$(marked -j 7 begin x)" "1||1" "a pipe in its place is none of ours"
rm "$marks" && ln -s "$work/elsewhere" "$marks"
is "$(marked -j 7 begin x)|$(ls elsewhere 2>/dev/null)" "1||1|" "nor is a symbolic link"
rm "$marks" && mkdir "$marks"
is "$(marked -j 7 begin x)" "1||1" "nor a directory"
rmdir "$marks"
is "$(PERFMON_RECORDING=off marked -j 7 begin x)|$(ls "$marks" 2>/dev/null)" "0||0|" \
	"where recording is switched off nothing is marked"

# Many at once, some killed.
pids=
for i in 1 2 3 4 5 6 7 8; do
	(
		for k in 1 2 3 4 5 6; do
			"$PERFMON" mark -j 7 begin "many $i $k"
		done
	) &
	pids="$pids $!"
done
for i in 1 2 3 4 5; do
	"$PERFMON" mark -j 7 begin killed &
	sleep "0.00$i"
	kill -9 $! 2>/dev/null
done
# shellcheck disable=SC2086 # words
wait $pids
# A signal that kills may cut a line where it crosses a page; the next one begins with a newline.
is "$(awk -F '\t' '$1 == "perfmon-phase-1" && NF == 9 && $9 == "." { n += /many/; next } { cut++ } END { print n, cut + 0 <= 5 }' "$marks")" \
	"48 1" "eight processes at once, each line whole, but for those of the killed"
wait
"$PERFMON" stop -j 7 >out 2>err
is "$(marked -j 7 begin x)" "1||1" "a job that is closed takes no marks"
done_testing
