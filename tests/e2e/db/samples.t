#!/bin/sh
# Samples: each value, time, monotonic time and reason of a series file is in the view sample, in both
# engines, and C reads the same; files that overlap count once; damage is a fault of verify.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need python3 sqlite3; then
	skip "samples" "no $missing"
	done_testing
fi
mkdir job && cp "$abs_top_srcdir"/tests/golden/v1/job/job-*.json "$abs_top_srcdir"/tests/golden/v1/job/*.tsv job || exit 99
# Levels, counters, constants, leaps, numbers at the ends, unknown values for several reasons, sources
# with ticks of their own, a clock that is set back, an object that comes and goes; 2600 ticks.
cat >make.py <<'EOF'
import random
random.seed(5)
kinds = ["level", "counter", "constant", "leap", "end", "unknown", "half", "slow", "guest"]
value = {k: 0 for k in kinds}
want = []
def write(name, begin, end, out):
    f = open(name, "w")
    f.write("perfmon-series-1\tn0\tboot-s\t1000000\t.\n")
    for i, k in enumerate(kinds):
        f.write("series\t%d\ttest\t%s\t\tx\t%s\t.\n" % (i + 1, k, "counter" if k == "counter" else "gauge"))
    for t in range(begin, end):
        f.write(line[t])
    f.close()
line = []
for t in range(2600):
    wall = 1700000000000000 + t * 1000000 + random.randrange(500) - (7000000 if t > 2000 else 0)
    mono = 5000000 + t * 1000000 + random.randrange(500)
    pairs = []
    for i, k in enumerate(kinds):
        reason = None
        if k == "level":
            value[k] += 4096 * random.choice((0, 0, 0, 1, -1, 50))
        elif k == "counter":
            value[k] += 1000000 + random.randrange(1000)
        elif k == "leap":
            value[k] = random.randrange(-2**63 + 1, 2**63)
        elif k == "end":
            value[k] = random.choice((1 - 2**63, 2**63 - 1, 0, 1))
        elif k == "unknown":
            value[k] += 1
            reason = random.choice((None, None, "late", "say \"no\" \\\\", "")) if t % 100 < 60 else "absent"
        elif k == "half":
            value[k] += 1
            reason = "budget" if t % 2 else None
        elif k == "slow" and t % 60:
            continue
        elif k == "guest" and not 700 <= t < 1500:
            continue
        pairs.append("%d=%s" % (i + 1, value[k] if reason is None else "\\N:" + reason if reason else "\\N"))
        want.append((k, wall, value[k] if reason is None else None, reason, mono))
    line.append("tick\t%d\t%d\t%s\t.\n" % (wall, mono, " ".join(p.replace(" ", "\\x20") for p in pairs)))
write("job/n0.series", 0, 1800, want)
write("job/n0.1.series", 1700, 2600, want)  # a hundred ticks are in both
rows = sorted((k, w, v, None if r is None else r.replace(" ", "\\x20"), m) for k, w, v, r, m in want)
with open("want", "w") as f:
    for k, w, v, r, m in sorted(rows, key=lambda r: (r[0], r[1], r[4])):
        f.write("%s|%d|%s|%s|%d\n" % (k, w, "" if v is None else v, "-" if r is None else r, m))
EOF
python3 make.py || exit 99
query="SELECT s.metric, x.time_us, x.value, coalesce(x.reason, '-'), x.monotonic_us FROM sample x
	JOIN series s ON s.job_id = x.job_id AND s.id = x.series_id WHERE s.source = 'test'
	ORDER BY s.metric, x.time_us, x.monotonic_us"
PERFMON_DB=$work/x.db "$PERFMON" submit job >out 2>err
is "$(cat err)|$(sqlite3 x.db 'SELECT count(DISTINCT series_id), sum(samples) FROM sample_block')" "|9|$(wc -l <want)" \
	"series of two files that overlap"
sqlite3 x.db "PRAGMA trusted_schema = OFF; $query" >got
cmp -s want got
ok $? "every sample is in the view"
diag "$(diff want got | head -n 5)"
is "$(sqlite3 x.db "SELECT count(*) FROM sample_block WHERE series_id = (SELECT id FROM series WHERE metric = 'level')")" 3 \
	"a block per 1024 ticks of a file, and where files overlap"
is "$(sqlite3 x.db "SELECT count(*) FROM sample_block b WHERE samples <> (SELECT count(*) FROM sample x WHERE x.series_id
	= b.series_id AND x.block_id = b.id) OR known <> (SELECT count(value) FROM sample x WHERE x.series_id = b.series_id AND
	x.block_id = b.id) OR minimum <> (SELECT min(value) FROM sample x WHERE x.series_id = b.series_id AND x.block_id = b.id)
	OR maximum <> (SELECT max(value) FROM sample x WHERE x.series_id = b.series_id AND x.block_id = b.id)
	OR begin_us <> (SELECT min(time_us) FROM sample x WHERE x.series_id = b.series_id AND x.block_id = b.id)
	OR end_us <> (SELECT max(time_us) FROM sample x WHERE x.series_id = b.series_id AND x.block_id = b.id)")" 0 \
	"counts, ends and extremes of every block are those of its samples"
# One block of ticks per window: series share it, those that begin in it, those of files that overlap.
is "$(sqlite3 x.db "SELECT count(DISTINCT tick_block_id) FROM sample_block WHERE series_id IN (SELECT id FROM series
	WHERE metric IN ('level', 'counter', 'constant', 'unknown', 'half', 'guest'))")" 4 "series share their ticks"
# The work of the view rises with the samples alone, not with the runs of unknown values among them.
steps()
{
	sqlite3 x.db ".stats on" "SELECT count(*) FROM (SELECT value, reason FROM sample WHERE series_id = (SELECT id FROM series
		WHERE metric = '$1'))" | sed -n 's/^Virtual Machine Steps: *//p'
}
half=$(steps half) level=$(steps level)
[ "${half:-0}" -gt 0 ] && [ "$half" -lt $((3 * ${level:-0})) ]
ok $? "unknown every other time: $half steps, known: $level"
# Twins: what blocks tell of their samples, their ticks, a byte of a block.
PERFMON_DB=$work/x.db "$PERFMON" verify >out 2>&1
is $? 0 "verify: no fault"
diag "$(head -n 5 out)"
# spoil SQL FAULTS NAME - verify a database after SQL: its faults are the lines FAULTS, and there are no others
spoil()
{
	cp x.db bad.db
	sqlite3 bad.db "$1" || exit 99
	PERFMON_DB=$work/bad.db "$PERFMON" verify --limit 0 >out 2>err
	# Totals of a series follow from its blocks.
	is "$?|$(cat err)|$(sed -n "s/^job #1 [^ ]*: //p" out | grep -v '^series [0-9]*: [a-z_]* [-0-9.]*; expected: [a-z_]* ')" "1||$2" "verify: $3"
}
# A block of a series that has three, and the next series.
level=$(sqlite3 x.db "SELECT id FROM series WHERE metric = 'level'")
after=$(sqlite3 x.db "SELECT min(series_id) FROM sample_block WHERE series_id > $level AND id > 1")
block()
{
	sqlite3 x.db "SELECT $1 FROM sample_block WHERE series_id = $level AND id = ${2:-2}"
}
for column in begin_us end_us known minimum maximum; do
	spoil "UPDATE sample_block SET $column = $column + 1 WHERE series_id = $level AND id = 2" \
		"series $level, block 2: $column $(block "$column + 1"); expected: $column $(block $column)" "$column"
done
spoil "UPDATE sample_block SET minimum = NULL WHERE series_id = $level AND id = 2" \
	"series $level, block 2: no minimum; expected: minimum $(block minimum)" "no minimum"
spoil "UPDATE sample_block SET mean = mean * 1.001 WHERE series_id = $level AND id = 2" \
	"series $level, block 2: mean $(block "printf('%.9g', mean * 1.001)"); expected: mean $(block "printf('%.9g', mean)")" "mean"
spoil "UPDATE sample_block SET mean = NULL WHERE series_id = $level AND id = 2" \
	"series $level, block 2: no mean; expected: mean $(block "printf('%.9g', mean)")" "no mean"
samples=$(block samples)
spoil "UPDATE sample_block SET known = 0, minimum = NULL, maximum = NULL, mean = 0, unknown = '[[0,$samples,\"late\"]]'
	WHERE series_id = $level AND id = 2" "series $level, block 2: mean 0; expected: no mean" "a mean of unknown values"
# Blocks that are missing, in their order or of others' times.
spoil "DELETE FROM sample_block WHERE series_id = $level AND id = 2" "series $level: block 3 behind block 1; expected: block 2" \
	"a block is missing"
spoil "DELETE FROM sample_block WHERE series_id = $after AND id = 1" "series $after: block 2 as the first; expected: block 1" \
	"the first block is missing, behind another series"
spoil "UPDATE sample_block SET id = -id WHERE series_id = $level AND id < 3; UPDATE sample_block SET id = 3 + id
	WHERE series_id = $level AND id < 0" "series $level, block 2: earliest sample at $(block begin_us 1); expected: later than \
$(block end_us) in block 1" "two blocks are exchanged"
spoil "DELETE FROM sample_block WHERE series_id = $level AND id = 3; INSERT INTO sample_block SELECT job_id, series_id, 3,
	tick_block_id, tick, begin_us, end_us, samples, known, first, step, base, deviations, unknown, minimum, maximum, mean
	FROM sample_block WHERE series_id = $level AND id = 2" "series $level, block 3: earliest sample at $(block begin_us); \
expected: later than $(block end_us) in block 2" "a block is there twice"
# Ticks.
ticks=$(block tick_block_id)
tick()
{
	sqlite3 x.db "SELECT $1 FROM tick_block WHERE id = $ticks"
}
digits=$(tick monotonic_digits) monotonics=$(tick monotonics)
spoil "UPDATE tick_block SET monotonics = monotonics || '0' WHERE id = $ticks" "ticks $ticks: $((${#monotonics} + 1)) characters \
in column monotonics; expected: ${#monotonics}, $digits for each of $(tick ticks) ticks" "monotonic times that are too long"
spoil "UPDATE tick_block SET monotonics = substr(monotonics, 1, 20) || 'x' || substr(monotonics, 22) WHERE id = $ticks" \
	"ticks $ticks: 'x' as character 21 of column monotonics; expected: a digit" "a letter among monotonic times"
spoil "UPDATE tick_block SET monotonics = substr(monotonics, 2) || char(10) WHERE id = $ticks" \
	"ticks $ticks: byte 10 as character ${#monotonics} of column monotonics; expected: a digit" "a line feed among monotonic times"
spoil "UPDATE tick_block SET monotonic_digits = 16 WHERE id = $ticks" \
	"ticks $ticks: monotonic_digits 16; expected: monotonic_digits 1 to 15" "too many digits"
spoil "UPDATE tick_block SET ticks = 1025 WHERE id = $ticks" "ticks $ticks: ticks 1025; expected: ticks 1 to 1024" "too many ticks"
spoil "UPDATE tick_block SET monotonics = NULL WHERE id = $ticks" \
	"ticks $ticks: no monotonics; expected: monotonic_us, monotonic_digits and monotonics, or none" "no monotonics"
spoil "UPDATE tick_block SET monotonic_us = NULL, monotonic_digits = NULL WHERE id = $ticks" "ticks $ticks: no monotonic_us, \
no monotonic_digits; expected: monotonic_us, monotonic_digits and monotonics, or none" "monotonics alone"
cp x.db bad.db
sqlite3 bad.db "UPDATE tick_block SET monotonic_us = NULL, monotonic_digits = NULL, monotonics = NULL WHERE id = $ticks"
PERFMON_DB=$work/bad.db "$PERFMON" verify >out 2>&1
is $? 0 "verify: unknown monotonic times are no fault"
cp x.db bad.db
sqlite3 bad.db "UPDATE tick_block SET times = 'x' || substr(times, 2) WHERE id = $ticks"
PERFMON_DB=$work/bad.db "$PERFMON" verify >out 2>&1
is "$?|$(sed -n "s/^job #1 [^ ]*: \(ticks .*\)/\1/p; s/^job #1 [^ ]*: \(series $level,.*\)/\1/p" out)" \
	"1|ticks $ticks: 'x' as character 1 of column times; expected: a digit
series $level, block 2: ticks whose times cannot be read; expected: samples that can be read" \
	"verify: a letter among times, and the blocks that have them"
# A damaged block hides no other.
expected="expected: samples that can be read"
spoil "UPDATE sample_block SET deviations = x'03' WHERE series_id = $level AND id = 1; UPDATE sample_block SET samples = 0
	WHERE series_id = $level AND id = 2; UPDATE sample_block SET maximum = maximum + 1 WHERE series_id = $level AND id = 3" \
	"series $level, block 1: deviations of another number of samples; $expected
series $level, block 2: a number of samples out of range; $expected
series $level, block 3: maximum $(block "maximum + 1" 3); expected: maximum $(block maximum 3)" "damaged blocks"
spoil "UPDATE sample_block SET unknown = '[[0,2000,\"late\"]]' WHERE series_id = $level AND id = 2" \
	"series $level, block 2: runs of unknown values that cannot be read; $expected" "runs of unknown values"
spoil "UPDATE sample_block SET tick_block_id = 0 WHERE series_id = $level AND id = 2" \
	"series $level, block 2: no ticks; $expected" "a block without its ticks"
# Totals of a series, of which samples are missing at the end, or all.
n=$(sqlite3 x.db "SELECT samples FROM series_summary WHERE series_id = $level")
last=$(block samples 3)
cp x.db bad.db
sqlite3 bad.db "DELETE FROM sample_block WHERE series_id = $level AND id = 3; DELETE FROM sample_block WHERE series_id = $after"
PERFMON_DB=$work/bad.db "$PERFMON" verify >out 2>&1
is "$?|$(grep -c "series $level: samples $n; expected: samples $((n - last))\$" out)|$(grep -c "series $after: totals; expected: none: it has no samples\$" out)" \
	"1|1|1" "verify: the last block is missing, and all of the next series"
for column in samples known begin_us end_us minimum maximum; do
	cp x.db bad.db
	sqlite3 bad.db "UPDATE series_summary SET $column = $column + 1 WHERE series_id = $level"
	of=$(sqlite3 x.db "SELECT $column FROM series_summary WHERE series_id = $level")
	PERFMON_DB=$work/bad.db "$PERFMON" verify >out 2>&1
	is "$?|$(sed -n 's/^job #1 [^ ]*: //p' out)" "1|series $level: $column $((of + 1)); expected: $column $of" "verify: total of $column"
done
for change in "SET mean = mean * 1.0001" "SET mean = NULL" "SET minimum = NULL"; do
	cp x.db bad.db
	sqlite3 bad.db "UPDATE series_summary $change WHERE series_id = $level"
	PERFMON_DB=$work/bad.db "$PERFMON" verify >out 2>&1
	is "$?|$(grep -c "^job #1 [^ ]*: series $level: " out)" "1|1" "verify: $change"
done
cp x.db bad.db
sqlite3 bad.db "DELETE FROM series_summary WHERE series_id = $level"
PERFMON_DB=$work/bad.db "$PERFMON" verify >out 2>&1
is "$?|$(sed -n 's/^job #1 [^ ]*: //p' out)" "1|series $level: no totals; expected: totals of its samples" "verify: no totals"
# What a member of the database's group puts into a row is no danger for who loads a late file.
mkdir early && cp job/job-*.json job/*.tsv job/n0.series early
PERFMON_DB=$work/early.db "$PERFMON" submit early >out 2>err || :
gaps=$(sqlite3 early.db "SELECT series_id FROM sample_block WHERE unknown IS NOT NULL LIMIT 1")
for change in "unknown = '[[0,3000000,\"x\"]]'" "unknown = '[[0'" "unknown = '[[0,1,\"x'" "unknown = '[[0,1,\"x\"]'" "unknown = 'x'" \
	"unknown = '[[0,0,\"x\"]]'" "unknown = '[[5,1,\"x\"],[5,1,\"x\"]]'" "unknown = '[[99999999999999999999,1,\"x\"]]'" "unknown = NULL" \
	"tick = 9223372036854775807" "tick = -1" "samples = 9223372036854775807" "samples = 0" "samples = 1025" "known = -1" \
	"known = 9223372036854775807" "deviations = x'ffffffffffffffffffff'" "step = 9223372036854775807, base = 9223372036854775807"; do
	cp early.db bad.db
	sqlite3 bad.db "UPDATE sample_block SET $change WHERE series_id = $gaps AND id = 1"
	PERFMON_DB=$work/bad.db "$PERFMON" submit job >out 2>err
	status=$?
	case $change in
	step*) [ $status -le 1 ] ;; # differences wrap
	*) [ $status -eq 1 ] && grep -q 'of the database is damaged: perfmon verify tells more' err ;;
	esac
	ok $? "a late file beside a row with $change"
	diag "$status $(head -n 2 err)"
done
# Loaded in two parts, in either order: the same.
for order in "n0.series n0.1.series" "n0.1.series n0.series"; do
	rm -rf part part.db
	mkdir part && cp job/job-*.json job/*.tsv part
	for file in $order; do
		cp "job/$file" part
		PERFMON_DB=$work/part.db "$PERFMON" submit part >out 2>err || :
	done
	sqlite3 part.db "$query" >got
	cmp -s want got
	ok $? "loaded one after the other: $order"
	diag "$(diff want got | head -n 5)"
done

# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
postgres_needed "PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE samples' || exit 99
PERFMON_DB=$(postgres_url samples) "$PERFMON" submit job >out 2>err
is "$(cat err)" "" "PostgreSQL: it loads"
postgres_sql samples -F '|' -c "$query" >got 2>&1
cmp -s want got
ok $? "PostgreSQL: every sample is in the view"
diag "$(diff want got | head -n 5)"
done_testing
