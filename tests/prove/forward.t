#!/bin/sh
# A forwarder to a directory, a command and a database: it, its deliveries and processes of the server are killed at system calls
# chosen by the seed, up to four times a round, while archives come. In the end each job is there once, with the rows that it has
# without faults, and nothing is dropped, set aside or left. Then the server is away while jobs that are sampled at 10 Hz end on
# the node, for ten minutes, a part of the proof for seconds (PM_FORWARD_SECONDS): no row is missing. Then 500 forwarders, a part of
# the proof 25 (PM_FORWARD_SENDERS), send to one server that has connections for ten.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"

if ! need python3 strace tar gzip || ! grep -q 'define HAVE_ZLIB' "$abs_top_builddir/config.h"; then
	skip "forwarders that are killed" "${missing:+no $missing}${missing:-built without zlib}"
	done_testing
fi
if [ "${PM_SANITIZED:-no}" = yes ] || ! strace -o "$work/trace" true 2>/dev/null; then
	skip "forwarders that are killed" "nothing can be traced here"
	done_testing
fi
export PM_FORWARD="$work/forward" PERFMON PYTHONDONTWRITEBYTECODE=1
export PM_FORWARD_KILLS="${prove_file:-$work/forward}.kills"
proof=$abs_top_srcdir/tests/prove/forward.py
if postgres_start; then
	export PM_FORWARD_SERVER="$postgres_host"
else
	diag "SQLite alone: $postgres_missing"
fi
python3 "$proof" stock || exit 99
mkdir calls && (cd calls && python3 "$proof" calls) || exit 99
rm -rf calls

killed() { python3 "$proof" round "$1"; }

# away SEED: jobs end while the server is away.
away()
{
	seconds=${PM_FORWARD_SECONDS:-$([ "$PM_PROVE_PART" -eq 1 ] && echo 600 || echo 6)}
	mkdir -m 1733 spool && mkdir kept || return 1
	for name in away whole; do
		postgres_sql postgres -c "DROP DATABASE IF EXISTS $name$1" -c "CREATE DATABASE $name$1" || return 1
	done
	postgres_stop immediate
	"$PERFMON" -q forward --spool spool --spool-age 0 --spool-pause 1s --forward-jitter 0 \
		--forward-to "$(postgres_url "away$1")" 2>err &
	forwarder=$!
	long=$((seconds / 3))
	for job in 1 2 3; do
		"$PERFMON" -q -a run -j "away$job" --sample 100ms sleep "$long" || return 1
		# As Epilog does, with a copy for the load to compare with.
		"$PERFMON" -q stage --all --stage-to kept && cp kept/away"$job".*.tgz spool/.part && mv spool/.part "spool/$job.tgz" || return 1
	done
	"$PERFMON" forward status --json --spool spool >status && cat status && grep -q '"waiting": 3,' status &&
		! grep -q '"failures": 0,' status && postgres_again || return 1
	for _ in $(seq 600); do
		[ -n "$(find spool -maxdepth 1 -name '*.tgz')" ] || break
		sleep 0.1
	done
	kill -TERM $forwarder
	wait $forwarder || return 1
	PERFMON_DB=$(postgres_url "whole$1") "$PERFMON" -q submit kept/*.tgz || return 1
	python3 "$proof" compare "away$1" "whole$1"
}

# many SEED: jobs end on many nodes at once; the server has connections for a few.
many()
{
	senders=${PM_FORWARD_SENDERS:-$([ "$PM_PROVE_PART" -eq 1 ] && echo 500 || echo 25)}
	postgres_stop
	postgres_again -c max_connections=10 || return 1
	postgres_sql postgres -c "DROP DATABASE IF EXISTS many$1" -c "CREATE DATABASE many$1" &&
		python3 "$proof" many "$senders" "many$1" >told
	status=$?
	cat told
	finding "many senders" "$(cat told)"
	postgres_stop
	postgres_again && return $status
}

# What the rounds would not notice is no proof: their own faults, planted.
for fault in lost row dropped; do
	mkdir planted && cd planted || exit 99
	python3 "$proof" round 3 $fault >told 2>&1
	is "$?|$(grep -q -e ': lost' -e 'rows, such as' -e "'dropped': [1-9]" told; echo $?)" "1|0" "noticed: $fault"
	cd .. && rm -rf planted
done
# Those of rounds that passed before stay.
[ -n "$prove_file" ] && [ -s "$prove_file.passed" ] || rm -f "$PM_FORWARD_KILLS"
rounds 500 killed "rows are those of a run without faults"
finding "forwarders, deliveries and processes of the server killed" \
	"$(awk '{ f += $2; d += $3; s += $4 } END { printf "%d, %d, %d in %d rounds", f, d, s, NR }' "$PM_FORWARD_KILLS")"
if [ -n "${postgres_missing:-}" ]; then
	skip "a server that is away, and many senders" "$postgres_missing"
else
	rounds 1 away "the server is away while jobs end"
	rounds 1 many "many senders to one server"
fi
done_testing
