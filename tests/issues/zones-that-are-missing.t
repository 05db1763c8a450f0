#!/bin/sh
# Clocks of EPMT's jobs in a zone that this system lacks: the C library took such a zone for UTC, and said nothing.
# Debian 13 has US/Eastern in a package of its own, bare systems have no zones at all.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need python3; then
	skip "zones" "no $missing"
	done_testing
fi
# pickled NAME ZONE: a job of EPMT's without processes, from noon to one o'clock there.
pickled()
{
	mkdir -p "$1" && python3 - "$1" "$2" <<'END'
import datetime, pickle, sys
day = datetime.datetime(2023, 7, 14, 12)
data = {"job_pl_id": sys.argv[1], "job_pl_username": "alice", "job_pl_start_ts": day, "job_el_stop_ts": day.replace(hour=13),
        "job_pl_env": {"TZ": sys.argv[2]}, "job_el_env": {}}
pickle.dump(data, open(sys.argv[1] + "/job_metadata", "wb"), protocol=2)
END
}
mkdir none
TZDIR=$work/none
export TZDIR
pickled east US/Eastern
pickled west America/Los_Angeles
pickled rule EST5EDT
pickled mars Mars/Olympus
pickled utc UTC
noon=$(python3 -c 'import calendar; print(calendar.timegm((2023, 7, 14, 12, 0, 0)) * 1000000)')
for zone in east:4 west:7 rule:4 utc:0 mars:0; do
	name=${zone%:*}
	PERFMON_DB=$work/$name.db "$PERFMON" submit "$name" >out 2>err
	is "$(PERFMON_DB=$work/$name.db "$PERFMON" list jobs --json 2>/dev/null |
		sed -n 's/.*"start_us": *\([0-9]*\).*/\1/p' | head -n 1)" $((noon + ${zone#*:} * 3600000000)) "$name" ||
		diag "$(cat err)"
	case $name in
	mars) is "$(grep -c 'the time zone Mars/Olympus is unknown on this host' err)" 1 "$name: that is said" ;;
	*) is "$(grep -c 'time zone' err)" 0 "$name: there is nothing to say" ;;
	esac
done
done_testing
