#!/bin/sh
# GNU make: the tests of its source, run by the installed make. A build tool: recipes, parallel
# jobs, signals, what it says of failing children.
# shellcheck disable=SC2154 # set by lib.sh
. "$(dirname "$0")/lib.sh"

needs() { lacks make perl cc; }
fetch() { fetch_source make-dfsg; }
version() { make --version | sed -n '1s/^GNU Make/make/p'; }

prepare()
{
	unpack_source make-dfsg &&
		sed "s/'@AR@'/'ar'/; s/'@CC@'/'cc'/; s/'@CPP@'/'cc -E'/; s/'@[A-Z_]*@'/''/" \
			tests/config-flags.pm.in >tests/config-flags.pm
}

# The driver says of each script how many of its tests passed, not which: they are numbered, those
# that passed first.
run()
{
	cd tests || return
	unjudged=
	case $1 in
	all) set -- ;;
	# What it expects depends on sleeps of a second, which a busy machine makes longer: it fails now and then, bare
	# as well, and many repeats are needed to tell.
	short)
		unjudged=features/output-sync
		set -- ;;
	esac
	perl ./run_make_tests.pl -make "$(command -v make)" -srcdir .. "$@" </dev/null 2>&1 |
		tee driver.log | awk -v unjudged="$unjudged" '
		/^[a-z]+\/[^ ]+ \.\.\.\./ { name = $1 == unjudged ? "" : $1 }
		name != "" && match($0, /\([0-9]+ passed\)/) {
			n = substr($0, RSTART + 1) + 0
			for (i = 1; i <= n; i++) print "PASS " name " " i
			name = ""
		}
		name != "" && match($0, /\([0-9]+\/[0-9]+ passed\)/) {
			n = substr($0, RSTART + 1) + 0
			split(substr($0, RSTART + 1), part, "[/ ]")
			for (i = 1; i <= part[2]; i++)
				print (i <= n ? "PASS " : "FAIL ") name " " i
			name = ""
		}'
}

"$@"
