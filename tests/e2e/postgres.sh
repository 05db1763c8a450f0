# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # used by tests; set by lib.sh
# Sourced behind lib.sh: a PostgreSQL server of one's own, on a socket alone, gone with the test.
#
#   postgres_start [OPTION...]    0, or 1 with the reason in $postgres_missing; OPTIONs are the server's
#   postgres_needed WHAT [OPTION...]  the same, or skips WHAT and ends the test
#   postgres_stop [MODE]          fast, immediate, ...; postgres_again starts it once more
#   postgres_sql DATABASE ARG...  psql as the superuser postgres, quiet, stopping at errors
#   $postgres_host                the folder of its socket
#   postgres_url DATABASE [USER]  prints the URL of a database, of user postgres
#   postgres_older FROM TO VERSION  makes a database of an earlier schema version with the rows of another

postgres_host=$work/pg
postgres_as=

postgres_start()
{
	postgres_bin=$(ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin 2>/dev/null | tail -n 1)
	[ -n "$postgres_bin" ] || postgres_bin=$(dirname "$(command -v initdb 2>/dev/null || echo /none)")
	if [ ! -x "$postgres_bin/initdb" ] || ! need psql; then
		postgres_missing="no server here"
		return 1
	fi
	# That in Debian's PATH is a script, which takes three times as long to start.
	[ ! -x "$postgres_bin/psql" ] || PATH=$postgres_bin:$PATH
	if ! grep -q 'define HAVE_PQ 1' "$abs_top_builddir/config.h"; then
		postgres_missing="built without libpq"
		return 1
	fi
	if [ "$(id -u)" -eq 0 ]; then
		if ! id postgres >/dev/null 2>&1 || ! need setpriv; then
			postgres_missing="no user postgres to run it as"
			return 1
		fi
		postgres_as="setpriv --reuid=postgres --regid=postgres --clear-groups"
		chmod 711 "$work"
	fi
	mkdir "$postgres_host" && chmod 777 "$postgres_host" || exit 99
	if ! postgres_cluster >"$work/pg.log" 2>&1 || ! postgres_again "$@"; then
		diag "$(tail -n 5 "$work/pg.log" "$postgres_host/data/log" 2>/dev/null)"
		postgres_missing="the server does not start"
		return 1
	fi
	trap 'status=$?; postgres_stop immediate; cd /; chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"; exit $status' EXIT
}

# The data of a server that has none yet: the first test of a build folder keeps them for the others.
postgres_cluster()
{
	kept=$abs_top_builddir/tests/initdb-$("$postgres_bin/initdb" --version | tr -c 'A-Za-z0-9.\n' -).tar
	# shellcheck disable=SC2086 # words
	[ ! -s "$kept" ] || ! (cd "$postgres_host" && $postgres_as tar -xpf - <"$kept") || return 0
	# shellcheck disable=SC2086 # words
	(cd "$postgres_host" && rm -rf data && $postgres_as "$postgres_bin/initdb" -U postgres -A trust --no-sync -E UTF8 \
		--locale=C -D "$postgres_host/data") || return 1
	# Others may do the same now.
	if tar -C "$postgres_host" -cf "$kept.$$" data; then
		mv "$kept.$$" "$kept"
	else
		rm -f "$kept.$$"
	fi
}

postgres_needed()
{
	postgres_what=$1
	shift
	postgres_start "$@" && return
	skip "$postgres_what" "$postgres_missing"
	done_testing
}

postgres_again()
{
	# shellcheck disable=SC2086 # words
	(cd "$postgres_host" && $postgres_as "$postgres_bin/pg_ctl" -D "$postgres_host/data" -l "$postgres_host/data/log" -w \
		-o "-k $postgres_host -c listen_addresses='' -c fsync=off $*" start) >>"$work/pg.log" 2>&1
}

postgres_stop()
{
	# shellcheck disable=SC2086 # words
	(cd "$postgres_host" && $postgres_as "$postgres_bin/pg_ctl" -D "$postgres_host/data" -m "${1:-fast}" -w stop) \
		>>"$work/pg.log" 2>&1
}

postgres_sql()
{
	postgres_database=$1
	shift
	psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$postgres_host" -U postgres -d "$postgres_database" "$@"
}

postgres_url()
{
	echo "postgresql://${2:-postgres}@/$1?host=$postgres_host"
}

postgres_older()
{
	postgres_sql postgres -c "CREATE DATABASE $2" &&
		postgres_sql "$2" -1 -f "$abs_top_srcdir/tests/golden/schema/$3.postgres" >/dev/null 2>&1 || return
	for postgres_table in $(postgres_sql "$2" -c "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
		AND c.relname NOT IN ('schema_version', 'metric', 'job_month', 'job_range') ORDER BY c.oid"); do
		postgres_columns=$(postgres_sql "$2" -c "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
			WHERE attrelid = '$postgres_table'::regclass AND attnum > 0 AND NOT attisdropped")
		postgres_sql "$1" -c "COPY (SELECT $postgres_columns FROM $postgres_table) TO STDOUT" >"$work/rows.copy" &&
			postgres_sql "$2" -c "COPY $postgres_table ($postgres_columns) FROM STDIN" <"$work/rows.copy" || return
	done
}
