#!/bin/sh
# Databases of every earlier schema version, and of each engine, whose upgrade is killed at any instant, up to three times:
# they are of their version or of the present one, and the upgrade that ends leaves the same rows as one that was never
# killed.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"

if ! need python3 sqlite3; then
	skip "upgrades that are killed" "no $missing"
	done_testing
fi
case $(sqlite3 :memory: 'SELECT sqlite_version()') in
3.[0-9].* | 3.[12][0-9].* | 3.3[0-6].*)
	skip "upgrades that are killed" "SQLite here cannot read the STRICT tables of version 1"
	done_testing
	;;
esac
present=$(sed -n 's/^#define PM_SCHEMA_VERSION //p' "$abs_top_srcdir/sql/schema.h")
copies=${PM_MIGRATE_COPIES:-60}
server=no
if postgres_start; then server=yes; else diag "SQLite alone: $postgres_missing"; fi

# --- an engine: a database of a version, its version now, its rows -----------------------------------
# of_version ENGINE NAME VERSION: the database of that name becomes one of a version.
of_version()
{
	case $1 in
	sqlite) rm -f "$2.db" "$2.db"-* && cp "$work/$3.sqlite" "$2.db" ;;
	postgres)
		# The server may still end what the client that was killed has begun.
		for _ in $(seq 100); do
			PGOPTIONS='-c client_min_messages=warning' postgres_sql postgres -c "DROP DATABASE IF EXISTS $2" && break
			sleep 0.1
		done
		postgres_sql postgres -c "CREATE DATABASE $2 TEMPLATE base$3"
		;;
	esac
}

url()
{
	case $1 in
	sqlite) echo "$PWD/$2.db" ;;
	postgres) postgres_url "$2" ;;
	esac
}

version()
{
	case $1 in
	sqlite) sqlite3 "$2.db" 'SELECT max(version) FROM schema_version; PRAGMA integrity_check' | tr '\n' ' ' ;;
	postgres) echo "$(postgres_sql "$2" -A -t -c 'SELECT max(version) FROM schema_version') ok " ;;
	esac
}

rows()
{
	case $1 in
	sqlite) python3 "$abs_top_srcdir/tests/e2e/db-rows.py" "$2.db" ;;
	postgres) "$abs_top_builddir/tests/progs/dumpdb" "$(postgres_url "$2")" | grep -v '^schema_version' | LC_ALL=C sort ;;
	esac
}

upgrade() { PERFMON_DB=$(url "$1" "$2") "$PERFMON" -q migrate; }

# --- the databases ------------------------------------------------------------------------------------
for n in $(seq $((present - 1))); do
	sqlite3 "$n.sqlite" <"$abs_top_srcdir/tests/golden/schema/$n.sql" &&
		python3 "$abs_top_srcdir/tests/prove/multiply.py" "$n.sqlite" "$copies" || exit 99
done
# Rows of the present version fit into those since 4.
if [ $server = yes ]; then
	mkdir jobs
	for n in $(seq "$copies"); do
		"$abs_top_builddir/tests/progs/generate" --jobid "$n" "jobs/$n" 20 >/dev/null || exit 99
	done
	cp -r "$abs_top_srcdir/tests/golden/schema/job" jobs/real
	postgres_sql postgres -c 'CREATE DATABASE fresh' || exit 99
	# Behind the day of loading: numbers from 1 on, as those of earlier versions.
	PGOPTIONS='-c perfmon.today=2001_01_01 -c perfmon.month=2020_11' PERFMON_DB=$(postgres_url fresh) "$PERFMON" -q submit jobs/* || exit 99
	for n in $(seq 4 $((present - 1))); do
		postgres_older fresh "base$n" "$n" || exit 99
	done
fi
# What an upgrade without interruption makes, and its time in milliseconds.
for base in $(seq -f sqlite.%g $((present - 1))) $([ $server = no ] || seq -f postgres.%g 4 $((present - 1))); do
	engine=${base%.*}
	of_version "$engine" whole "${base#*.}" || exit 99
	began=$(date +%s%N)
	upgrade "$engine" whole || exit 99
	echo $((($(date +%s%N) - began) / 1000000)) >"$base.ms"
	rows "$engine" whole >"$base.rows"
	is "$(($(wc -l <"$base.rows") > copies * 30))" 1 "$base: an upgrade that ends"
	diag "in $(cat "$base.ms") ms, of $(wc -l <"$base.rows") rows"
done

killed() # SEED
{
	engine=sqlite from=$((1 + $1 / 2 % (present - 1)))
	if [ $server = yes ] && [ $(($1 % 2)) -eq 0 ]; then
		engine=postgres from=$((4 + $1 / 2 % (present - 4)))
	fi
	of_version $engine killed $from || return 1
	for again in 1 2 3; do
		# Somewhere in its time; the third of them may come later.
		after=$((($1 * 7919 + again * 104729) % 997 * $(cat "$work/$engine.$from.ms") / (997 - 200 * (again / 3))))
		PERFMON_DB=$(url $engine killed) "$PERFMON" -q migrate &
		pid=$!
		sleep "$(printf '%d.%03d' $((after / 1000)) $((after % 1000)))"
		kill -KILL $pid 2>/dev/null
		wait $pid
		echo "killed after $after ms of $(cat "$work/$engine.$from.ms"): status $?" >>kills
		case $(version $engine killed) in
		"$from ok " | "$present ok ") ;;
		*) echo "from $from: $(version $engine killed)" && return 1 ;;
		esac
	done
	upgrade $engine killed || return 1
	rows $engine killed >rows
	cmp -s "$work/$engine.$from.rows" rows && return 0
	cat kills
	diff "$work/$engine.$from.rows" rows | cut -c1-300 | head -n 12
	return 1
}

rounds 100 killed "an upgrade that is killed can be run again"
done_testing
