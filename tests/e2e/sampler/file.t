#!/bin/sh
# The file of perfmon sample: new settings and files, a stream beside it, checkpoints, kills at any
# instant, a full disk, a clock that is set, bounded series; and what submit loads of all that.
#   PM_SAMPLER_KILLS, PM_SAMPLER_TICKS   how often it is killed, how many ticks are looked at
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

host=$(uname -n)
series=$host.series
kills=${PM_SAMPLER_KILLS:-12}
ticks=${PM_SAMPLER_TICKS:-40}

has_ticks()
{
	[ "$(series_ticks "$1")" -ge "$2" ]
}

# --- new settings, a new file -----------------------------------------------------------------

mkdir -p hup "$XDG_CONFIG_HOME/perfmon"
conf=$XDG_CONFIG_HOME/perfmon/perfmon.conf
printf 'sample = 1h\nsources = memory,sampler\n' >"$conf"
"$PERFMON" sample -d hup >log 2>&1 &
sampler=$!
wait_for has_ticks "hup/$series" 1
printf 'sample = 20ms\nsources = cpu,sampler\n' >"$conf"
kill -HUP $sampler
wait_for has_ticks "hup/$host.1.series" 5
ok $? "SIGHUP: new settings, and a new file"
is "$(head -n 1 "hup/$host.1.series" | cut -f 4)" 20000 "with the new interval"
is "$(series_values "hup/$host.1.series" memory total | wc -l) $(($(series_values "hup/$host.1.series" cpu user | wc -l) >= 5))" \
	"0 1" "and the new sources"
printf 'sample = 1us\n' >"$conf"
kill -HUP $sampler
wait_for has_ticks "hup/$host.2.series" 5
is "$? $(grep -c 'remain unchanged' log)" "0 1" "settings that make no sense change nothing"
: >"$conf"
# What is in the way is not written to.
ln -s /nowhere "hup/$host.3.series"
echo precious >"hup/$host.4.series"
kill -HUP $sampler
wait_for has_ticks "hup/$host.5.series" 2
is "$? $(cat "hup/$host.4.series")" "0 precious" "no file that is there is touched"
rm -f "hup/$host.3.series" "hup/$host.4.series"
kill -TERM $sampler
wait $sampler
is $? 0 "and SIGTERM ends it"
for file in hup/*.series; do
	is "$(series_check "$file")" "" "$file: every line is as documented"
done
rm -f "$conf"

# --- a stream ---------------------------------------------------------------------------------

mkdir stream
"$PERFMON" sample -i 20ms -d stream --stream - --sources memory,sampler >streamed 2>log &
sampler=$!
wait_for has_ticks "stream/$series" 5
kill -TERM $sampler
wait $sampler
is "$? $(cmp streamed "stream/$series" 2>&1)" "0 " "--stream: standard output has what the file has"

# Readers that go, or do not read: the file is complete.
mkdir gone
"$PERFMON" sample -i 20ms -d gone --stream - --sources memory,sampler 2>log | head -n 1 >first &
wait_for has_ticks "gone/$series" 15
ok $? "a reader that goes away does not end the file"
sampler=$(ps -o pid=,args= -e | awk -v d="-d gone " 'index($0, "sample") && index($0, d) && !/awk/ { print $1; exit }')
kill -TERM "$sampler"
wait
is "$(cat log)" "" "without a word"
mkdir stuck
mkfifo pipe
sh -c 'exec sleep 1000' <pipe &
reader=$!
"$PERFMON" sample -i 10ms -d stuck --stream - >pipe 2>log &
sampler=$!
wait_for has_ticks "stuck/$series" 100
ok $? "a reader that does not read keeps nobody waiting"
kill $sampler $reader
wait $sampler
is "$? $(series_check "stuck/$series")" "0 " "every line is as documented"

# --- checkpoints ------------------------------------------------------------------------------

mkdir check
"$PERFMON" sample -i 20ms -c 50ms -d check --sources sampler >log 2>&1 &
sampler=$!
synced()
{
	[ "$(series_values "check/$series" sampler checkpoints | tail -n 1)" -ge 3 ]
}
wait_for synced
ok $? "checkpoints are made and counted"
kill -TERM $sampler
wait $sampler

# --- kills at any instant ---------------------------------------------------------------------

mkdir killed
i=0
complete=0
while [ $i -lt "$kills" ]; do
	"$PERFMON" sample -i 10ms -d killed --sources memory,sampler &
	sampler=$!
	sleep "0.0$((i * 37 % 90 + 10))"
	kill -KILL $sampler
	wait $sampler 2>/dev/null
	i=$((i + 1))
done
is "$(series_check "killed/$series")" "" "killed $kills times: the file is right up to its end"

# At an exact call of write: before it is made, or after a part of it.
if [ "${PM_SANITIZED:-no}" = no ] && need strace && strace -o /dev/null true 2>/dev/null; then
	i=1
	while [ $i -le 4 ]; do
		strace -o /dev/null -e trace=write -e inject=write:signal=KILL:when=$i \
			"$PERFMON" sample -i 10ms -d killed --sources memory,sampler >/dev/null 2>&1
		i=$((i + 1))
	done
	is "$(series_check "killed/$series")" "" "killed at its first writes: the file is right up to its end"
	# A part of a tick, then the end.
	prlimit --fsize=$(($(stat -c %s "killed/$series") + 700)): strace -o /dev/null -e trace=write \
		-e inject=write:signal=KILL:when=3+ "$PERFMON" sample -i 10ms -d killed --sources memory,sampler >/dev/null 2>&1
	"$PERFMON" sample -i 10ms -d killed --sources memory,sampler &
	sampler=$!
	sleep 0.2
	kill $sampler
	wait $sampler
	is "$(series_check "killed/$series")" "" "a torn line is followed by a new beginning"
else
	skip "killed at its first writes: the file is right up to its end" "no strace that can be trusted here"
	skip "a torn line is followed by a new beginning" "no strace that can be trusted here"
fi
complete=$(series_ticks "killed/$series")

# --- a full disk ------------------------------------------------------------------------------

mkdir full
if [ "$(id -u)" = 0 ] && need unshare mount && unshare --mount mount -t tmpfs tmpfs full 2>/dev/null; then
	# What stands for the disk is in a namespace of the test's own; so is the sampler.
	cat >full.sh <<-'EOF'
		mount -t tmpfs -o size=64k tmpfs full && dd if=/dev/zero of=full/ballast bs=4k count=12 2>/dev/null || exit 99
		"$PERFMON" sample -i 10ms -d full --sources memory,sampler --stream - >all 2>log &
		sampler=$!
		i=0
		until [ "$(df --output=avail full | tail -n 1)" -eq 0 ] || [ $((i += 1)) -gt 1200 ]; do sleep 0.1; done
		sleep 0.3
		rm full/ballast
		old=$(grep -c ^tick all)
		until [ "$(grep -c ^tick all)" -gt $((old + 20)) ] || [ $((i += 1)) -gt 1200 ]; do sleep 0.1; done
		kill $sampler
		wait $sampler
		echo $? >status
		cp full/*.series after.series
	EOF
	export PERFMON
	unshare --mount sh full.sh
	is "$(cat status)" 0 "a full disk does not end it"
	lost=$(series_values after.series sampler lost | tail -n 1)
	ok $((lost <= 0)) "what is lost is counted"
	awk -F '\t' '$NF == "."' after.series >whole.series
is "$(series_check whole.series)" "" "the file goes on"
	is "$(($(series_ticks after.series) + lost))" "$(series_ticks all)" "ticks written and lost are all of them"
else
	for name in "a full disk does not end it" "what is lost is counted" "the file goes on" \
		"ticks written and lost are all of them"; do
		skip "$name" "cannot mount"
	done
fi

# --- a clock that is set ----------------------------------------------------------------------

if [ "${PM_SANITIZED:-no}" = no ]; then
	mkdir clock
	echo 0 >offset
	LD_PRELOAD=$abs_top_builddir/tests/progs/clock_offset.so CLOCK_OFFSET=$work/offset \
		"$PERFMON" sample -i 50ms -d clock --sources memory,sampler >log 2>&1 &
	sampler=$!
	for offset in 600 0 -600; do
		before=$(series_ticks "clock/$series")
		wait_for has_ticks "clock/$series" $((${before:-0} + 8))
		echo "$offset" >offset.new && mv offset.new offset
	done
	wait_for has_ticks "clock/$series" $(($(series_ticks "clock/$series") + 8))
	kill $sampler
	wait $sampler
	is "$? $(cat log)" "0 " "a clock that is set does not end it"
	awk -F '\t' '
	$1 == "series" && $4 == "late" { late = $2 }
	$1 == "series" && $4 == "missed" { missed = $2 }
	$1 == "tick" {
		split("", value)
		n = split($4, pair, " ")
		for (i = 1; i <= n; i++) { split(pair[i], v, "="); value[v[1]] = v[2] }
		# What came late has a line of its own.
		if (!(late in value)) next
		# A tick whose lateness is not known is one, too.
		if (value[late] ~ /^\\N/) { there++; next }
		at = $3 - value[late]
		# Each tick in its time by the monotonic clock, those in between counted as missed: a tick that
		# comes late counts those that have passed by then, which are behind it. Of one whose lateness
		# is not known that is in the next figure.
		passed = (there ? value[missed] : before) - earlier
		if (last && at - last > 50000 * (1 + there + passed) + 1000) gaps++
		there = 0
		earlier = before
		if (last && $2 - real > 500000000) forward++
		if (last && real - $2 > 500000000) back++
		last = at; real = $2; before = value[missed]
	}
	END { print gaps + 0, forward + 0, back + 0 }' "clock/$series" >steps
	is "$(cat steps)" "0 1 2" "forward once, back twice, by ten minutes: no tick is missing"
else
	skip "a clock that is set does not end it" "a preload in front of a sanitizer"
	skip "forward once, back twice, by ten minutes: no tick is missing" "a preload in front of a sanitizer"
fi

# --- many ticks -------------------------------------------------------------------------------

mkdir many
"$PERFMON" sample -i 100ms -d many --sources sampler &
sampler=$!
wait_for has_ticks "many/$series" "$ticks" || wait_for has_ticks "many/$series" "$ticks"
kill $sampler
wait $sampler
awk -F '\t' '
$1 == "series" && $4 == "late" { late = $2 }
$1 == "tick" {
	n = split($4, pair, " ")
	for (i = 1; i <= n; i++) { split(pair[i], v, "="); value[v[1]] = v[2] }
	if (value[late] ~ /^\\N/) next
	at = $3 - value[late]
	if (!first) first = at
	drift = (at - first) % 100000
}
END { print drift + 0 }' "many/$series" >drift
is "$(cat drift)" 0 "$ticks ticks do not drift"

# --- bounded ----------------------------------------------------------------------------------

mkdir -p tree/proc bounded
cp /proc/meminfo tree/proc/meminfo
PERFMON_ROOT=$work/tree "$PERFMON" sample -i 10ms --max-samples 8 -d bounded --stream - \
	--sources memory,sampler >log 2>&1 &
sampler=$!
twice_thinned()
{
	[ "$(grep -c '^thinned.memory' "bounded/$series")" -ge 4 ]
}
wait_for twice_thinned
kill $sampler
wait $sampler
is "$? $(series_check "bounded/$series")" "0 " "--max-samples: every line is as documented"
# The recorded tree does not change: what each reading has is known, and how many there were, too.
awk -F '\t' '
$1 == "perfmon-series-1" { interval = $4 }
$1 == "series" && $3 == "memory" && $4 == "total" { id[$7] = $2 }
$1 == "series" && $4 == "late" && $7 == "gauge" { late = $2 }
$1 == "series" && $4 == "missed" { missed = $2 }
$1 == "tick" {
	split("", value)
	n = split($4, pair, " ")
	for (i = 1; i <= n; i++) { split(pair[i], v, "="); value[v[1]] = v[2] }
	if (!(id["gauge"] in value)) next
	total = value[id["gauge"]]
	if ("count" in id && id["count"] in value) {
		count += value[id["count"]]; sum += value[id["sum"]]
		if (value[id["min"]] != total || value[id["max"]] != total) wrong++
	} else { count++; sum += total }
	if (value[late] ~ /^\\N/) next
	# A tick counts as missed those, too, that passed while it was late itself.
	passed = value[missed] - int(value[late] / interval)
	if (!first) { first = $3 - value[late]; first_count = count; first_passed = passed }
	readings = ($3 - value[late] - first) / interval - passed + first_passed
	extra = count - first_count - readings
}
END { printf "%d %d %d\n", wrong, sum / total - count, extra }' "bounded/$series" >sums
is "$(cat sums)" "0 0 0" "sums, extremes and number of samples are those of all readings"

# --- a large node, a large file ---------------------------------------------------------------

# A node of 70 CPUs, each as busy as its number says. Where a file grows, what fills it is read less often.
i=0
{
	echo "cpu  2415 0 0 4585"
	while [ $i -lt 70 ]; do
		mkdir -p tree/sys/devices/system/cpu/cpu$i
		echo "cpu$i $i 0 0 $((100 - i)) 0 0 0 0 0 0"
		i=$((i + 1))
	done
	printf 'intr 1\nctxt 1\nprocesses 1\nprocs_running 1\nprocs_blocked 0\nsoftirq 0 0\n'
} >tree/proc/stat
# large NAME OPTION...: sample that node until memory has been read often enough for three halvings.
large()
{
	name=$1
	shift
	mkdir -p "$name"
	PERFMON_ROOT=$work/tree "$PERFMON" -v sample -i 10ms -d "$name" --sources memory,cpu,load "$@" >"$name.log" 2>&1 &
	sampler=$!
	wait_for has_bytes "$name/$series" 60000
}
has_bytes()
{
	[ "$(cat "$1" 2>/dev/null | wc -c)" -ge "$2" ]
}
# shares NAME: for every ten readings of the load, which is never the largest, those of memory at the end of the file.
shares()
{
	awk -F '\t' '
	$1 == "series" && $3 == "memory" && $4 == "total" { memory = $2 }
	$1 == "series" && $3 == "load" && $4 == "uptime" { load = $2 }
	$1 == "tick" { line[++n] = " " $4 }
	END { for (i = n - 60; i <= n; i++) { m += line[i] ~ " " memory "="; l += line[i] ~ " " load "=" } print int(10 * m / l) }' "$1/$series"
}
printf '1.00 2.00 3.00 1/2 3\n' >tree/proc/loadavg
printf '12345.00 1.00\n' >tree/proc/uptime
large plain --max-series 0
kill $sampler
wait $sampler
is "$(series_check "plain/$series") $(grep -c 'half as often' plain.log) $(shares plain)" " 0 10" "--max-series 0: everything is read at each tick"
large small --max-series 20k
kill -HUP $sampler
wait_for has_ticks "small/$host.1.series" 20
kill $sampler
wait $sampler
is "$(series_check "small/$series")" "" "--max-series: every line is as documented"
memory=$(grep -c 'source memory is read half as often' small.log)
is "$((memory >= 3)) $(($(grep -c 'source load is' small.log) < memory)) $(($(shares small) <= 5))" \
	"1 1 1" "what fills the file is read half as often, again and again; what does not, later"
head -c 6000 "small/$host.1.series" | awk -F '\t' '
	$1 == "series" && $3 == "memory" && $4 == "total" { memory = $2 }
	$1 == "tick" && $NF == "." { n++; m += (" " $4) ~ " " memory "=" } END { print (n > 2 && n == m) }' >out
is "$(cat out)" 1 "a new file begins with all of it"
is "$(cut -f 3,5 "small/$series" | grep -c '^cpu.cpu') $(series_known "small/$series" cpu cpus | sort -u)" "0 70" \
	"more CPUs than --cpu-series have none of their own"
large each --cpu-series 70
kill $sampler
wait $sampler
is "$(cut -f 3,5 "each/$series" | grep -c '^cpu.cpu69')" 10 "as many have"

# --- loading ----------------------------------------------------------------------------------

# What was sampled is loaded as a part of a job.
"$PERFMON" -q -j sampled start && "$PERFMON" -q -j sampled stop
for directory in killed hup bounded; do
	cp "$work"/prefix/*/sampled/job-*.json "$directory"
done

if need sqlite3; then
	"$PERFMON" --db "$work/killed.db" submit killed >log 2>&1
	torn=$(awk -F '\t' '$0 != "" && $NF != "."' "killed/$series" | wc -l)
	is "$(query "SELECT count(*) FROM sample x JOIN series s ON s.job_id = x.job_id AND s.id = x.series_id
		WHERE s.source = 'memory' AND s.metric = 'total'" killed.db) $(query 'SELECT count(*) FROM reject' killed.db)" \
		"$complete $torn" "what killed samplers left is loaded: every complete tick; torn lines are rejected"
	"$PERFMON" --db "$work/hup.db" submit hup >log 2>&1
	is "$(query 'SELECT count(*) FROM reject' hup.db) $(query "SELECT count(*) FROM series WHERE source = 'sampler' AND metric = 'late'" hup.db)" "0 1" \
		"several files of a node are one series"
	"$PERFMON" --db "$work/bounded.db" submit bounded >log 2>&1
	is "$(query 'SELECT count(*) FROM reject' bounded.db) $(query "SELECT group_concat(kind, ' ') FROM (SELECT kind FROM series WHERE metric = 'total' ORDER BY id)" bounded.db)" \
		"0 gauge min max sum count" "what is thinned is loaded with its sums and extremes"
else
	for name in "what killed samplers left is loaded: every complete tick; torn lines are rejected" \
		"several files of a node are one series" "what is thinned is loaded with its sums and extremes"; do
		skip "$name" "no sqlite3"
	done
fi

done_testing
