# shellcheck shell=sh
# shellcheck disable=SC2154 # set by lib.sh
# Sourced behind lib.sh by the proofs with two processes (two.py): their jobs, and what they share.

# two_needed LARGE OTHER: where all is there that they need; processes of two jobs.
two_needed()
{
	export PM_TWO_LARGE="$1" PM_TWO_OTHER="$2"
	two_missing=
	need python3 gzip || two_missing="no $missing"
	[ -e "$abs_top_builddir/tests/progs/sites.so" ] || two_missing="built without SQLite"
	[ "${PM_SANITIZED:-no}" = no ] || two_missing="sanitizers allocate themselves"
	if [ -n "$two_missing" ]; then
		skip "two processes on one database" "$two_missing"
		done_testing
	fi
	export PM_SITES="$abs_top_builddir/tests/progs/sites.so" PM_TWO="$work/two" PERFMON
	export PM_TWO_FAILURES="${prove_file:-$work/two}.failures"
	mkdir "$PM_TWO" && cd "$PM_TWO" || exit 99
	while read -r name processes; do
		"$abs_top_builddir/tests/progs/generate" --jobid "$name" "$name" "$processes" >/dev/null || exit 99
	done <<END
base 20
old 30
large $PM_TWO_LARGE
other $PM_TWO_OTHER
one 25
more 40
input 35
copied 15
small 45
late 10
END
	tar -czf one.tgz one && tar -czf more.tgz more && tar -cf input.tar input &&
		PERFMON_DB=copied.db "$PERFMON" -q submit copied || exit 99
	cd "$work" || exit 99
}

# Which calls there are: a folder of its own, as a round has.
two_sites()
{
	mkdir sites && (cd sites && python3 "$abs_top_srcdir/tests/prove/two.py" sites) || exit 99
	rm -rf sites
}

two_round() { python3 "$abs_top_srcdir/tests/prove/two.py" round "$1"; }

# two_done ROUNDS: how often each call failed, of that many rounds.
two_done()
{
	[ -e "$PM_TWO_FAILURES" ] || : >"$PM_TWO_FAILURES"
	# shellcheck disable=SC2046 # words
	set -- "$1" $(python3 "$abs_top_srcdir/tests/prove/two.py" fewest "$PM_TWO_FAILURES")
	finding "calls that failed" "$(wc -l <"$PM_TWO_FAILURES") times, at $2 places, the rarest $3 times"
}
