#!/bin/sh
# A process that a signal kills as its wait returns has not written what it waited for: the child's CPU time
# counts once. What was never waited for is not taken away from it.
# shellcheck disable=SC2016 # inner shells expand
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need sqlite3; then
	skip "a wait without a line" "no $missing"
	done_testing
fi
# Processes one after the other, each of so many milliseconds of CPU time.
burn=$abs_top_builddir/tests/progs/sampler_burn
children=$abs_top_builddir/tests/progs/children
export burn children
export PERFMON_DB=$work/whole.db

# of COLUMN: of the killed shell.
of()
{
	query "SELECT $1 FROM process WHERE exitsignal = 9" "${2:-}"
}

"$PERFMON" -a -j waited run sh -c 'sh -c "\"$burn\" 4 60; kill -9 \$\$"; :' >out 2>&1
cp -R "$PERFMON_OUTPUT_PREFIX"/*/waited cut
"$PERFMON" -q submit "$PERFMON_OUTPUT_PREFIX"/*/waited
cpu=$(query 'SELECT cpu_time FROM job') own=$(of cpu_time)
[ "$cpu" -gt 240000 ] && [ "$own" -lt 60000 ]
ok $? "the line says what the child used: $own us of $cpu are the shell's"

# change PROGRAM FROM TO: copy the records of job FROM to directory TO, changed by an awk program, which knows
# the columns as $at["name"], and the pids of the killed shell and of the child that it waited for.
change()
{
	mkdir "$3" && awk -v shell="$shell" -v child="$child" -v CONVFMT=%.0f -F '\t' '$1 == "perfmon-tsv-2" {
		for (i = 1; i <= NF; i++)
			at[$i] = i
	} '"$1" OFS='\t' "$(echo "$2"/*.tsv)" >"$3/records.tsv" && (cd "$2" && ls) | grep -v 'tsv$' |
		while read -r other; do cp -R "$2/$other" "$3/"; done
}

# load NAME: load the records in a directory into a database of its own.
load()
{
	PERFMON_DB=$work/$1.db "$PERFMON" -q submit "$1"
}

# counted NAME WHAT: with these records the shell has all that its wait reports, known in full.
counted()
{
	load "$1"
	own_here=$(of cpu_time "$1.db")
	[ "$own_here" -gt 240000 ]
	ok $? "$2: the shell has all $own_here us"
	is "$(of 'vol_ctxsw IS NULL' "$1.db")" 0 "and nothing of it becomes unknown"
}

shell=$(of pid)
child=$(query "SELECT pid FROM process WHERE ppid = $shell AND exename = 'sampler_burn'")
# The shell's own waits, not that for the shell.
without='!($at["record"] == "reaped" && $at["ppid"] == shell)'
change "$without" cut less
is "$(($(wc -l <"$(echo cut/*.tsv)") - $(wc -l <less/records.tsv)))" 1 "without that line"
load less
less=$(query 'SELECT cpu_time FROM job' less.db)
[ "$less" -gt $((cpu * 9 / 10)) ] && [ "$less" -le $((cpu + 10000)) ]
ok $? "it counts once: $less us"

# The same with something that shows the child was not waited for.
change '$at["record"] == "end" && $at["pid"] == child { $at["end_us"] -= 200000 } 1' less earlier
counted earlier "a child that ended long before"
# The CPU times fit as a sum, but not one by one.
for kind in usertime systemtime; do
	change '$at["record"] == "reaped" && $at["pid"] == shell { $at["usertime"] = $at["systemtime"] = 150000 }
	$at["record"] == "end" && $at["pid"] == child {
		$at["usertime"] = $at["systemtime"] = $at["cutime"] = $at["cstime"] = 0
		$at["'$kind'"] = 200000
	} 1' less $kind
	counted $kind "a child whose $kind is more than the whole"
done
change '$at["record"] == "end" && $at["pid"] == child { $at["minflt"] = 1000000 } 1' less faults
counted faults "a child with more page faults than the whole"
change '$at["record"] == "start" && $at["pid"] == shell { $at["usertime"] = 100000 } 1' less began
counted began "a shell that had used too much itself when it began"
change '$at["record"] == "reaped" && $at["pid"] == shell { line = $0; end = $at["end_us"] } 1
	END { $0 = line; $at["pid"] = child + 100000; $at["ppid"] = shell; $at["end_us"] = end - 1; $at["start_us"] = "\\N"
		$at["exitsignal"] = $at["exitcode"] = 0
		for (i = 1; i <= split("usertime systemtime minflt majflt inblock outblock vol_ctxsw invol_ctxsw", name, " "); i++)
			$at[name[i]] = 0
		print }' less later
counted later "a child that ended before a wait which the shell wrote of"

# Of two children whose waits left no line, the last is it.
"$PERFMON" -a -j both run sh -c 'sh -c "\"$burn\" 4 60; \"$burn\" 1 30; kill -9 \$\$"; :' >out 2>&1
cp -R "$PERFMON_OUTPUT_PREFIX"/*/both two
PERFMON_DB=$work/two.db "$PERFMON" -q submit two
shell=$(of pid two.db)
change "$without" two last
load last
own=$(of cpu_time last.db)
[ "$own" -gt 240000 ] && [ "$own" -lt $(($(query 'SELECT cpu_time FROM job' two.db) - 20000)) ]
ok $? "of two children one is subtracted, the last: the shell keeps $own us"

# Children that were not waited for, of programs that used more than these.
for how in zombie ignoring; do
	"$PERFMON" -a -j $how run sh -c "\"\$children\" $how 100; :" >out 2>&1
	PERFMON_DB=$work/$how.db "$PERFMON" -q submit "$PERFMON_OUTPUT_PREFIX"/*/$how
	own=$(of cpu_time $how.db)
	[ "$own" -ge 199000 ]
	ok $? "a program with a child that it never waits for ($how) keeps its own $own us"
	is "$(of 'vol_ctxsw IS NULL' $how.db)" 0 "and nothing of it becomes unknown"
done
done_testing
