# shellcheck shell=sh
# Sourced by tests of the sampler: read series files, perfmon-series(5), without perfmon.
#
#   series_check FILE                           prints what is wrong with it, nothing when all is right
#   series_values FILE SOURCE METRIC [OBJECT]   one value (or \N:reason) per tick that has it
#                                               of kind $series_kind, a gauge or counter by default
#   series_known FILE SOURCE METRIC [OBJECT]    the same without unknown ones: on a busy machine some are late
#   series_last FILE SOURCE METRIC [OBJECT]     the last known one; where none is, the last reason but late
#   series_ticks FILE                           how many complete ticks it has
#   wait_for COMMAND...                         runs it until it succeeds, for up to two minutes

series_check()
{
	awk -F '\t' '
	function bad(why) { print FILENAME ": " FNR ": " why ": " substr($0, 1, 80) }
	$0 == "" { next }
	# A line without its terminator was cut: that may be before a new beginning, or the last one.
	torn { if ($1 != "perfmon-series-1") print FILENAME ": " FNR - 1 ": torn in the middle"; torn = 0 }
	$NF != "." { torn = 1; next }
	$1 == "perfmon-series-1" {
		if (NF != 5 || $2 == "" || $3 == "" || $4 !~ /^[0-9]+$/) bad("header")
		delete declared; headers++; next
	}
	!headers { bad("before any header") }
	$1 == "series" {
		if (NF != 8 || $2 !~ /^[0-9]+$/ || $3 == "" || $4 == "" || $6 == "" || $7 !~ /^(gauge|counter|min|max|sum|count)$/)
			bad("declaration")
		if ($2 in declared) bad("declared twice")
		declared[$2] = 1; next
	}
	$1 == "thinned" { if (NF != 4 || $2 == "" || $3 !~ /^[0-9]+$/) bad("thinned"); next }
	$1 == "tick" {
		if (NF != 5 || $2 !~ /^[0-9]+$/ || $3 !~ /^[0-9]+$/) bad("tick")
		n = split($4, pair, " ")
		for (i = 1; i <= n; i++) {
			at = index(pair[i], "=")
			if (!(substr(pair[i], 1, at - 1) in declared)) bad("not declared " pair[i])
			if (substr(pair[i], at + 1) !~ \
			    /^(-?[0-9]+|\\N:(absent|permission|unsupported|wrapped|multiplexed|parse|late|budget|failed))$/)
				bad("value " pair[i])
		}
		next
	}
	{ bad("unknown line") }' "$1"
}

series_values()
{
	awk -F '\t' -v kind="${series_kind:-^(gauge|counter)$}" -v source="$2" -v metric="$3" -v object="${4:-}" '
	$NF != "." { next }
	$1 == "perfmon-series-1" { id = "" }
	$1 == "series" && $3 == source && $4 == metric && $5 == object && $7 ~ kind { id = $2 }
	$1 == "tick" && id != "" {
		n = split($4, pair, " ")
		for (i = 1; i <= n; i++)
			if (index(pair[i], id "=") == 1) print substr(pair[i], length(id) + 2)
	}' "$1"
}

series_known()
{
	series_values "$@" | grep -v '^.N'
}

series_last()
{
	series_values "$@" | awk '/^[0-9-]/ { known = $0 } !/:late$/ { last = $0 } END { print known == "" ? last : known }'
}

series_ticks()
{
	grep -c "$(printf '^tick\t.*\t[.]$')" "$1" 2>/dev/null
}

wait_for()
{
	wait_tries=1200
	until "$@" >/dev/null 2>&1; do
		wait_tries=$((wait_tries - 1))
		[ "$wait_tries" -gt 0 ] || return 1
		sleep 0.1
	done
}

# series_calls NAME SOURCES: system calls of all processes of a sampler of these sources, cpu among them, in its ticks
# from the sixth to the 26th, every 50 ms; below $PERFMON_ROOT where that is set. Tried again, at most five times, where
# a reader was late and was replaced among them: the work of others. Needs strace and ps.
series_calls()
{
	for calls_try in 1 2 3 4 5; do
		calls_dir=$1.$calls_try
		mkdir "$calls_dir"
		calls_file=$calls_dir/$(uname -n).series
		strace -f -qq -e signal=none -o "$calls_dir/trace" "$PERFMON" sample -i 50ms -d "$calls_dir" --sources "$2" \
			>"$calls_dir/log" 2>&1 &
		tracer=$!
		wait_for eval "[ \"\$(series_known '$calls_file' cpu user | wc -l)\" -ge 28 ]"
		kill -TERM "$(ps -o pid= --ppid $tracer | head -n 1)"
		wait $tracer
		grep -v 'resumed>' "$calls_dir/trace" |
			awk '/write.*tick\\t/ { ticks++ } ticks >= 6 && ticks < 26 { n++; late += / kill\(/ } END { print n; exit late > 0 }' \
			>"$calls_dir/calls" && break
	done
	cat "$calls_dir/calls"
}
