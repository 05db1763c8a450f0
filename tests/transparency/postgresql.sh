#!/bin/sh
# PostgreSQL: the regression tests of its source, run against the installed server, which they set
# up themselves. A database: a process per connection and for each duty, up to twenty connections at
# once, parallel workers, shared memory, signals between processes, fast shutdowns.
# shellcheck disable=SC2154 # set by lib.sh
. "$(dirname "$0")/lib.sh"

# The newest one; Debian keeps the server's programs out of PATH.
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t / -k 5n | tail -n 1)
major=${bin#/usr/lib/postgresql/}
major=${major%/bin}
regress=/usr/lib/postgresql/$major/lib/pgxs/src/test/regress/pg_regress

needs()
{
	lacks cc dpkg-deb
	[ -x "${bin:-/nonexistent}/initdb" ] || echo "no PostgreSQL server"
	[ ! -x "${bin:-/nonexistent}/initdb" ] || [ -x "$regress" ] || echo "no pg_regress"
}

fetch()
{
	fetch_source "postgresql-$major" &&
		fetch_package "postgresql-server-dev-$major" \
			"$(dpkg-query -W -f '${Version}' "postgresql-$major")"
}

version() { echo "PostgreSQL $("$bin/postgres" --version | sed 's/^[^0-9]*\([0-9.]*\).*/\1/')"; }

prepare()
{
	unpack_source "postgresql-$major" '*/src/test/regress' || return
	dpkg-deb -x "$cache/postgresql-server-dev-$major"/*.deb dev || return
	cd src/test/regress &&
		cc -w -shared -fPIC -O1 -I"../../../dev/usr/include/postgresql/$major/server" \
			-DDLSUFFIX='".so"' -o regress.so regress.c &&
		ln -s "${bin%/bin}/lib/autoinc.so" "${bin%/bin}/lib/refint.so" .
}

# The tests build on each other: a group is the whole schedule, or for the short form its front.
run()
{
	cd src/test/regress || return
	rm -rf instance results
	case $1 in
	short) awk '/^test:/ && ++n > 4 { exit } { print }' parallel_schedule >schedule ;;
	*) cp parallel_schedule schedule ;;
	esac
	"$regress" --bindir="$bin" --temp-instance="$PWD/instance" --inputdir=. --outputdir=. \
		--dlpath="$PWD" --max-concurrent-tests=20 --no-locale --encoding=UTF8 \
		--schedule=schedule </dev/null 2>&1 | tee driver.log | awk '
		$1 == "test" && $3 == "..." { print ($4 == "ok" ? "PASS" : "FAIL"), "all", $2 }
		$2 == "..." { print ($3 == "ok" ? "PASS" : "FAIL"), "all", $1 }
		# TAP, from PostgreSQL 16 on: + is of a parallel group.
		$1 == "ok" && $3 ~ /^[-+]$/ { print "PASS all", $4 }
		$1 == "not" && $2 == "ok" && $4 ~ /^[-+]$/ { print "FAIL all", $5 }'
	# What was asked of the server last; in TAP the plan comes after it.
	if grep -q -E 'shutting down postmaster|^1\.\.[0-9]' driver.log &&
		[ ! -e instance/data/postmaster.pid ]; then
		echo "PASS all shutdown"
	else
		echo "FAIL all shutdown"
	fi
}

"$@"
