#!/bin/sh
# perfmon sample and perfmon sources: ticks, files, ends, recorded trees, options.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

host=$(uname -n)
page=$(getconf PAGESIZE)
series=$host.series

has_ticks()
{
	[ "$(series_ticks "$1")" -ge "$2" ]
}

# --- ticks ------------------------------------------------------------------------------------

mkdir ticks
"$PERFMON" sample -i 100ms -d ticks --sources sampler >out 2>err &
sampler=$!
wait_for has_ticks "ticks/$series" 12
# Stopped for several intervals: one late tick, then on with the grid.
kill -STOP $sampler
sleep 0.5
kill -CONT $sampler
wait_for has_ticks "ticks/$series" 25
kill -TERM $sampler
wait $sampler
is $? 0 "SIGTERM ends it with status 0"
is "$(cat out err)" "" "nothing on standard output and standard error"
is "$(series_check "ticks/$series")" "" "every line is as documented"
is "$(stat -c %a "ticks/$series")" 600 "the file is its owner's alone"

# Scheduled moment: the tick's time less its lateness. By the monotonic clock it is exact; by the
# wall clock as exact as the two can be read together.
awk -F '\t' '
$1 == "series" && $4 == "late" { late = $2 }
$1 == "series" && $4 == "missed" { missed = $2 }
$1 == "tick" {
	n = split($4, pair, " ")
	for (i = 1; i <= n; i++) { split(pair[i], v, "="); value[v[1]] = v[2] }
	if (value[late] ~ /^\\N/) { unscheduled++; next }
	scheduled++
	at = $3 - value[late]
	if (last && (at - last) % 100000) drift++
	if (last) steps += (at - last) / 100000
	last = at
	off = ($2 - value[late]) % 100000
	if (off > 50000) off -= 100000
	if (off > 2000 || off < -2000) beside++
	# A tick counts those that passed while it was late; behind the last one there is no other.
	count = value[missed] - int(value[late] / 100000)
}
END { print unscheduled, drift + 0, beside + 0, (steps == scheduled - 1 + count ? "complete" : "gaps"),
	(scheduled >= 20 ? "many" : "few"), (count >= 3 ? "missed" : "none") }' "ticks/$series" >grid
is "$(cat grid)" "2 0 0 complete many missed" \
	"ticks stand on multiples of the interval, without drift, each taken or counted as missed"

# Two samplers tick together.
mkdir one two
"$PERFMON" sample -i 50ms -d one --sources sampler &
first=$!
"$PERFMON" sample -i 50ms -d two --sources sampler &
second=$!
wait_for has_ticks "one/$series" 4
wait_for has_ticks "two/$series" 4
kill -INT $first
kill -TERM $second
wait $first
is $? 0 "SIGINT ends it with status 0"
wait $second
is $? 0 "SIGTERM ends the other"
for name in one two; do
	awk -F '\t' '
	$1 == "series" && $4 == "late" { late = $2 }
	$1 == "tick" {
		n = split($4, pair, " ")
		for (i = 1; i <= n; i++) { split(pair[i], v, "="); value[v[1]] = v[2] }
		if (value[late] ~ /^[0-9]/) { print ($3 - value[late]) % 50000; exit }
	}' "$name/$series" >"$name/phase"
done
# Each laid its grid by its own reading of the two clocks.
ok "$(awk 'NR == 1 { a = $1 } NR == 2 { d = a - $1; if (d < 0) d = -d; if (d > 25000) d = 50000 - d }
	END { print !(NR == 2 && d <= 1000) }' one/phase two/phase)" "two samplers tick together"

# --- ends that nobody can choose --------------------------------------------------------------

mkdir killed
kills=0
while [ $kills -lt 20 ]; do
	before=$(series_ticks "killed/$series" || true)
	"$PERFMON" sample -i 10ms -d killed --sources cpu,sampler &
	sampler=$!
	wait_for has_ticks "killed/$series" $((${before:-0} + 1 + kills % 4))
	kill -KILL $sampler
	wait $sampler 2>/dev/null
	kills=$((kills + 1))
	[ "$(series_check "killed/$series")" = "" ] || break
done
is "$(series_check "killed/$series")" "" "after each of 20 kills the file is right up to its end"
is "$kills $(grep -c ^perfmon-series-1 "killed/$series")" "20 20" "each sampler began where the other ended"
ok $(($(series_ticks "killed/$series") < 50)) "no tick that was written is lost"

"$PERFMON" sample -i 10ms -d killed --sources sampler &
sampler=$!
wait_for has_ticks "killed/$series" $(($(series_ticks "killed/$series") + 2))
"$PERFMON" sample -i 10ms -d killed --sources sampler 2>err
is "$? $(grep -c 'another sampler' err)" "1 1" "two samplers never write to one file"
kill $sampler
wait $sampler

if [ -w /dev/full ]; then
	"$PERFMON" sample -i 10ms --sources sampler >/dev/full 2>err &
	sampler=$!
	sleep 0.3
	kill $sampler
	wait $sampler
	is "$? $(cat err)" "0 " "a full disk does not end it"
else
	skip "a full disk does not end it" "no /dev/full"
fi

# Nor does a limit on the size of files, which is lifted again while it runs.
if need prlimit; then
	mkdir full
	prlimit --fsize=4096: "$PERFMON" sample -i 10ms -d full --sources sampler &
	sampler=$!
	file_full()
	{
		[ "$(stat -c %s "full/$series")" -eq 4096 ]
	}
	wait_for file_full
	full=$(series_ticks "full/$series")
	prlimit --pid $sampler --fsize=unlimited
	wait_for has_ticks "full/$series" $((full + 3))
	kill $sampler
	wait $sampler
	is $? 0 "when the disk has room again it goes on"
	lost=$(series_values "full/$series" sampler lost | tail -n 1)
	ok $((lost <= 0)) "and says how many samples are lost"
	ok $(($(awk -F '\t' '$0 != "" && $NF != "."' "full/$series" | wc -l) > 1)) "no more than one line is cut"
	is "$(awk -F '\t' '$NF != "." { next } NF > 1' "full/$series" >full/whole; series_check full/whole)" "" \
		"all others are right"
else
	skip "when the disk has room again it goes on" "no prlimit"
fi

# A reader that goes away.
"$PERFMON" sample -i 10ms --sources sampler 2>err | head -n 1 >first
is "$(cut -f 1 first) $(cat err)" "perfmon-series-1 " "it ends when nobody reads it any more"

# --- a recorded tree --------------------------------------------------------------------------

mkdir -p tree/proc/42 tree/proc/43 tree/proc/sys/kernel/random
echo 0f0f >tree/proc/sys/kernel/random/boot_id
# Everything has ended but is not waited for: one sample, exactly known.
tail='18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0'
echo "42 (a b) c) Z 1 42 42 0 -1 4194304 0 0 0 0 150 50 25 5 20 0 1 0 77 0 0 $tail" >tree/proc/42/stat
echo "43 (x) Z 42 42 42 0 -1 4194304 0 0 0 0 3 4 0 0 20 0 1 0 78 0 0 $tail" >tree/proc/43/stat
echo '100 25 3 4 0 5 0' >tree/proc/42/statm
echo '0 0 0 0 0 0 0' >tree/proc/43/statm
printf 'rchar: 10\nwchar: 20\nsyscr: 1\nsyscw: 2\nread_bytes: 4096\nwrite_bytes: 0\n' >tree/proc/42/io
printf 'rchar: 1\nwchar: x\nsyscr: 1\nsyscw: 2\nread_bytes: 0\nwrite_bytes: 512\n' >tree/proc/43/io
echo '0.21 0.37 12 1/719 19737' >tree/proc/loadavg
PERFMON_ROOT=$work/tree "$PERFMON" sample --pid 42 --sources process,memory,load >got
is $? 0 "a recorded tree can be sampled"
{
	printf 'perfmon-series-1\t%s\t0f0f\t1000000\t.\n' "$host"
	id=0
	while read -r source metric kind unit; do
		id=$((id + 1))
		printf 'series\t%s\t%s\t%s\t\t%s\t%s\t.\n' $id "$source" "$metric" "$unit" "$kind"
	done <<-END
		process usertime counter us
		process systemtime counter us
		process rss gauge B
		process vms gauge B
		process shared gauge B
		process processes gauge n
		process threads gauge n
		process rchar counter B
		process wchar counter B
		process syscr counter n
		process syscw counter n
		process read_bytes counter B
		process write_bytes counter B
		process cancelled_write_bytes counter B
		$("$PERFMON" sources memory | sed -n 's/^  \([a-z_]*\) *\(gauge\) *\([a-zA-Z]*\) .*/memory \1 \2 \3/p')
		load load1 gauge 0.01
		load load5 gauge 0.01
		load load15 gauge 0.01
		load runnable gauge n
		load tasks gauge n
		load uptime gauge us
	END
	a='\N:absent' id=0
	# A source that is not there has all its series in the first tick.
	printf 'tick\tREAL\tMONO\t'
	for value in 1780000 590000 $((25 * page)) $((100 * page)) $((3 * page)) 0 0 11 '\N:parse' 2 4 4096 512 $a \
		$("$PERFMON" sources memory | sed -n 's/^  .* gauge .*/\\N:absent/p') 21 37 1200 1 719 $a; do
		id=$((id + 1))
		[ $id -eq 1 ] || printf ' '
		printf '%s' "$id=$value"
	done
	printf '\t.\n'
} >want
sed "s/^tick\t[0-9]*\t[0-9]*\t/tick\tREAL\tMONO\t/" got >got.steady
if ! cmp -s want got.steady; then
	diag "$(diff want got.steady)"
fi
cmp -s want got.steady
ok $? "exact series of a recorded tree"

# --- sources ----------------------------------------------------------------------------------

"$PERFMON" sources >text
is $? 0 "sources lists them"
"$PERFMON" sources --json >json
is $? 0 "sources --json lists them"
for source in process cpu memory vmstat load sampler; do
	"$PERFMON" sources $source >this
	is "$(sed -n '1s/:.*//p; 2p' this | tr '\n' '|')" "$source|  available|" "$source is available here"
done
is "$("$PERFMON" sources memory load | grep -c '^[a-z]')" 2 "operands name the sources to list"
"$PERFMON" sources nothing 2>err
is "$? $(grep -c "unknown source 'nothing'" err)" "2 1" "sources of another name are refused"
PERFMON_ROOT=$work/tree "$PERFMON" sources | grep -A 1 '^memory:' >text.tree
is "$(tail -n 1 text.tree)" "  not available (absent): /proc/meminfo: No such file or directory" \
	"what is not available says why"

# The manual has exactly the metrics that there are, with their kinds and units.
awk '/^\.SH METRICS/ { on = 1 } /^\.SH EXAMPLE/ { on = 0 } on && /^\.SS/ { source = $2 }
	on && /^[a-z_0-9]+[|](gauge|counter)[|]/ { split($0, f, "|"); print source, f[1], f[2], f[3] }' \
	"$abs_top_srcdir/man/perfmon-series.5" >manual
awk '/^[a-z]/ { sub(":", "", $1); source = $1; next } $2 ~ /^(gauge|counter)$/ { print source, $1, $2, $3 }' \
	text >listed
is "$(diff manual listed)" "" "perfmon-series(5) lists the same metrics"
if need python3; then
	python3 -c '
import json
for s in json.load(open("json")):
    for m in s["metrics"]:
        print(s["name"], m["name"], m["kind"], m["unit"])' >listed.json
	is "$(diff listed listed.json)" "" "the JSON has the same"
	python3 -c '
import json, re
said = [re.sub(".*; per ", "per ", l.rstrip()) for l in open("text")
    if re.match("  (read every|uses) |.*; per ", l)]
want = []
for s in json.load(open("json")):
    if s["period_us"]:
        want.append("  read every %g s, beside the others" % (s["period_us"] / 1e6))
    if s["budget_ppm"]:
        want.append("  uses at most %g %% of a CPU" % (s["budget_ppm"] / 1e4))
    for m in s["metrics"]:
        if m["object"]:
            want.append("per " + m["object"] + (" and in all" if m["whole"] else ""))
print(said == want and len(want) > 30 or (said, want))' >same
	is "$(cat same)" "True" "with the same periods, budgets and objects"
else
	skip "the JSON has the same" "no python3"
	skip "with the same periods, budgets and objects" "no python3"
fi

# --- mistakes ---------------------------------------------------------------------------------

mkdir mistakes
while read -r status want options; do
	# shellcheck disable=SC2086
	"$PERFMON" sample -d mistakes $options >out 2>err
	is "$? $(grep -c -e "$want" err)" "$status 1" "sample $options"
	is "$(cat out)" "" "sample $options: nothing on standard output"
done <<'END'
2 interval -i 0
2 interval -i 1us
2 interval -i soon
2 checkpoint -c soon
2 checkpoint -c 1ms
2 stream --stream file
2 not.a.process.id --pid 0
2 not.a.process.id --pid -1
2 not.a.process.id --pid 99999999999
2 not.a.process.id --pid 1x
2 unknown.source --sources gpu
2 no.operands extra
1 Not.a.directory -d /dev/null/none
END
is "$(ls mistakes)" "" "no file is made for a mistake"

done_testing
