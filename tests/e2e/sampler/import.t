#!/bin/sh
# perfmon sample and sources with values of commands and files: what hangs delays nothing, is killed and late.
# tests/unit/sampler/import.c has the forms and values.
# shellcheck disable=SC2154 # set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

series=$(uname -n).series
cd "$work" || exit 1
chmod 755 "$work"
cat >agent <<END
#!/bin/sh
echo 'rack_power 1500 W'
[ ! -e $work/hang ] || { echo x >>$work/hung; sleep 100; }
END
chmod 755 agent
echo 'room_temperature 21.5 degC' >room

known()
{
	series_known "$@" | wc -l
}

# shellcheck disable=SC2317 # by wait_for
at_least()
{
	want=$1
	shift
	[ "$("$@")" -ge "$want" ]
}

PERFMON_IMPORT_COMMAND="$work/agent" PERFMON_IMPORT_FILE=$work/room PERFMON_IMPORT_PERIOD=1s PERFMON_IMPORT_LIMIT=700ms
export PERFMON_IMPORT_COMMAND PERFMON_IMPORT_FILE PERFMON_IMPORT_PERIOD PERFMON_IMPORT_LIMIT
"$PERFMON" sources import >out
is "$(sed -n 2p out) $(grep -c "^  import_command: $work/agent" out) $(grep -c 'read every 1 s' out)" "  available 1 1" \
	"perfmon sources tells of the command"
mkdir import
"$PERFMON" sample -i 100ms -d import --sources cpu,disk,filesystem,import,sampler >log 2>&1 &
sampler=$!
wait_for at_least 2 known "import/$series" import power rack_power
: >hang
# shellcheck disable=SC2317 # by wait_for
hung()
{
	cat hung 2>/dev/null | wc -l
}
wait_for at_least 4 hung
kill $sampler
wait $sampler
is "$? $(series_check "import/$series")" "0 " "values of commands can be sampled"
is "$(series_known "import/$series" import power rack_power | sort -u) $(series_known "import/$series" import temperature room_temperature | sort -u)" \
	"1500000000 21500" "in their units"
ok $(($(series_values "import/$series" import power rack_power | grep -c late) < 2)) "a command that hangs is late"
# The last reading may be given up as the sampler ends.
ok $(($(series_values "import/$series" import temperature room_temperature | grep -c late) > 1)) "the file beside it is not"
is "$(pgrep -f "^/bin/sh $work/agent" | wc -l)" 0 "it is killed"

# --- what hangs delays nothing ----------------------------------------------------------------

rm -f hung
mkdir long
PERFMON_IMPORT_LIMIT=20s "$PERFMON" sample -i 100ms -d long --sources cpu,disk,import >log 2>&1 &
sampler=$!
wait_for at_least 1 hung
begun=$(known "long/$series" cpu user)
wait_for at_least $((begun + 20)) known "long/$series" cpu user
ok $(($(hung) > 1)) "other series go on while a command hangs"
kill $sampler
wait $sampler

# --- trust ------------------------------------------------------------------------------------

chmod 777 agent
"$PERFMON" sources import >out
is "$(grep -c "not available (permission): import_command: .*chmod go-w $work/agent" out)" 1 \
	"a command that others can write to is refused, with what to do"
chmod 755 agent
"$PERFMON" sources import >out
is "$(sed -n 2p out)" "  available" "after which it is taken"

# --- messages ---------------------------------------------------------------------------------

# The process that reads it has descriptors of its own: a warning goes to the file, and not among values.
printf 'abc\nroom_temperature 21.5 degC\n' >odd
mkdir logged
PERFMON_IMPORT_FILE=$work/odd "$PERFMON" sample -i 100ms -d logged --sources import,memory --log logged/log 2>err &
sampler=$!
wait_for at_least 2 known "logged/$series" import temperature room_temperature
is $? 0 "a file of messages does not end the process that reads"
kill $sampler
wait $sampler
is "$(grep -c "| WARNING | .* | import_file: not NAME VALUE UNIT: abc" logged/log) $(grep -c '^perfmon: warning: import_file: not NAME' err)" "1 1" \
	"and has its warning, as standard error has"

# --- limits -----------------------------------------------------------------------------------

PERFMON_IMPORT_COMMAND="$work/agent $(seq -s ' ' 64)" "$PERFMON" sources import >out
is "$(grep -c 'more than 64 words' out)" 1 "a command of 65 words is refused"
PERFMON_IMPORT_COMMAND="$work/agent $(seq -s ' ' 63)" "$PERFMON" sources import >out
is "$(sed -n 2p out)" "  available" "one of 64 is taken"

# few N: what sampling a directory of N files says of left files.
few()
{
	rm -rf texts few
	mkdir texts few
	for i in $(seq -w "$1"); do echo "a$i 1" >"texts/$i.prom"; done
	PERFMON_IMPORT_FILE=$work/texts "$PERFMON" sample -i 100ms -d few --sources import >few.log 2>&1 &
	sampler=$!
	wait_for at_least 1 known "few/$series" import level a01
	kill $sampler
	wait $sampler
	grep -c 'import: .*\.prom: not taken: more than 64 files' few.log
}

is "$(few 64) $(few 65)" "0 1" "the 65th file of a directory is left out, and is said once"

# --- none -------------------------------------------------------------------------------------

unset PERFMON_IMPORT_COMMAND PERFMON_IMPORT_FILE
"$PERFMON" sources import >out
is "$(grep -c 'not available (absent)' out)" 1 "without a setting there is none"

done_testing
