# shellcheck shell=sh
# Sourced by the collector's tests, behind lib.sh: recording without the wrapper.
#
#   collect LAYOUT COMMAND...   run the command recorded, into the fresh directory $records; LAYOUT
#                               is COLLATED_TSV or PER_PROCESS; returns the command's status
#   table                       every record line of $records as "column=value" words, tab-separated,
#                               without the unknown ones
#   field COLUMN [PATTERN...]   the column of every line of `table` that holds all patterns
#                               ("record=end", "pid=12", ...)
#
#   counted EVENTS COMMAND...   collect with these events, in $layout or COLLATED_TSV
#   value NAME [PATTERN...]     what the event of that name counted in these lines
#   system_calls COMMAND...     how many the command makes, as strace counts them; without those about its control
#                               group, which is looked up for programs of more than a millisecond
#   overdrawn                   figures of the collector itself in end records that exceed those of the
#                               image, which hold them: none, as it should be
#
# $layouts names both layouts: every collector test runs in both. Sanitizers watch the programs and not
# the collector: with them one is enough.

layouts="COLLATED_TSV PER_PROCESS"
[ "${PM_SANITIZED:-no}" = no ] || layouts=COLLATED_TSV
records=$work/records

system_calls()
{
	strace -o "$work/strace" "$@" &&
		awk '/\/proc\/self\/cgroup/ { skip = 3 } skip { skip--; next } { n++ } END { print n }' "$work/strace"
}

collect()
{
	layout=$1
	shift
	rm -rf "$records"
	mkdir -m 700 "$records" || return 99
	PERFMON_OUTPUT=$records PERFMON_OPTIONS=$layout LD_PRELOAD=$PERFMON_LIBRARY "$@"
}

table()
{
	cat "$records"/*.tsv | awk -F '\t' '
		/^perfmon-tsv-2\t/ { n = NF; for (i = 1; i <= NF; i++) name[i] = $i; next }
		NF == 0 { next }
		NF != n || $NF != "." { print "DAMAGED=" $0; next }
		{
			line = ""
			for (i = 2; i < NF; i++)
				if ($i != "\\N")
					line = line "\t" name[i] "=" $i
			print line "\t"
		}'
}

field()
{
	column=$1
	shift
	table | awk -v column="$column" -v patterns="$*" '
		BEGIN { n = split(patterns, want, " ") }
		{
			for (i = 1; i <= n; i++)
				if (!index($0, "\t" want[i] "\t"))
					next
			at = index($0, "\t" column "=")
			if (!at) { print "unknown"; next }
			rest = substr($0, at + length(column) + 2)
			print substr(rest, 1, index(rest, "\t") - 1)
		}'
}

# counted EVENTS COMMAND...: collect with these events, in $layout.
counted()
{
	PERFMON_EVENTS=$1
	export PERFMON_EVENTS
	shift
	collect "${layout:-COLLATED_TSV}" "$@"
	status=$?
	unset PERFMON_EVENTS
	return $status
}

# value NAME PATTERN...: what the event counted in the lines with these patterns.
value()
{
	name=$1
	shift
	field counters "$@" | tr ' ' '\n' | sed -n "s/^$name=//p"
}

overdrawn()
{
	table | awk -F '\t' '
		!/\trecord=end\t/ { next }
		{
			split("", v)
			for (i = 2; i < NF; i++)
				v[substr($i, 1, index($i, "=") - 1)] = substr($i, index($i, "=") + 1)
			v["cpu_us"] = v["usertime"] + v["systemtime"]
			n = split("rchar wchar syscr syscw minflt cpu_us outblock", name, " ")
			for (i = 1; i <= n; i++)
				if (("own_" name[i]) in v && name[i] in v && v["own_" name[i]] + 0 > v[name[i]] + 0)
					print v["exename"], name[i], v[name[i]], "own", v["own_" name[i]]
			if (!("own_cpu_us" in v) || v["own_cpu_us"] + 0 <= 0)
				print v["exename"], "cost nothing"
		}'
}
