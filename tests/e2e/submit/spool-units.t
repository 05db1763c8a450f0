#!/bin/sh
# The examples of a spool from systemd and cron: what lints them, and that their commands do what they should.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/spool.sh
. "$abs_top_srcdir/tests/e2e/spool.sh"

units=$abs_top_builddir/submit
ok "$(grep -l '@[a-z]*@' "$units"/perfmon-submit*.service "$units"/perfmon-submit.* | grep -cv '\.in$')" "every name is filled in"

# The same units with the program that was built: what they start must be there.
mkdir linted
for unit in perfmon-submit.service perfmon-submit.timer perfmon-submit-watch.service \
	../sampler/perfmon-sample.service ../forward/perfmon-forward.service ../forward/perfmon-node.service; do
	sed "s|^\(Exec[A-Za-z]*=-*\)[^ ]*/perfmon|\1$PERFMON|; /^Documentation=/d" "$units/$unit" \
		>"linted/${unit##*/}"
done
if need systemd-analyze; then
	for unit in perfmon-submit.service perfmon-submit.timer perfmon-submit-watch.service \
		perfmon-sample.service perfmon-forward.service perfmon-node.service; do
		systemd-analyze verify --man=no "linted/$unit" >out 2>&1
		status=$?
		# What it says of the system's own units is not ours.
		is "$status|$(grep -c 'perfmon-[sfn]' out)" "0|0" "systemd-analyze verify $unit"
		[ $status -eq 0 ] || diag "$(cat out)"
	done
	for unit in perfmon-submit.service perfmon-submit-watch.service perfmon-forward.service; do
		if ! systemd-analyze --help | grep -q -e --offline; then
			skip "systemd-analyze security $unit" "before version 250 it looks at running units alone"
			continue
		fi
		systemd-analyze security --offline=yes --threshold=20 "$PWD/linted/$unit" >out 2>&1
		status=$?
		is $status 0 "systemd-analyze security $unit: an exposure of at most 2.0"
		[ $status -eq 0 ] || diag "$(tail -n 40 out)"
	done
else
	skip "units" "no $missing"
fi

is "$(sed '/^#/d; /^$/d; /^[A-Z_]*=/d' "$units/perfmon-submit.cron" | grep -cvE '^([0-9*/,-]+ ){5}[a-z]+ /[^ ]+/perfmon submit ')" 0 \
	"lines of the crontab: five times, a user, a command"
is "$(awk '!/^#/ && ($1 != "d" || $2 !~ /\/spool\/perfmon/ || $3 !~ /^[01]?[0-7][0-7][0-7]$/)' "$units/perfmon-submit.tmpfiles")" "" \
	"lines of the tmpfiles"

skip_without_archives
# Their commands as written, but for where things are.
mkdir spool && chmod 1733 spool
PERFMON_SPOOL_AGE=0
export PERFMON_SPOOL_AGE
here()
{
	sed -n "$1" "$2" | sed "s|[^ ]*/perfmon submit|\"$PERFMON\" submit|; s|[^ ]*/spool/perfmon|$work/spool|"
}
archive spool/a.tgz 1
command=$(here 's/^ExecStart=//p' "$units/perfmon-submit.service")
PERFMON_DB=$work/x.db sh -c "$command" >out 2>err
is "$?|$(cat err)|$(jobs x.db)" "0||1|$made" "what the service does"
archive spool/b.tgz 2
command=$(here 's/^[0-9*].* root //p' "$units/perfmon-submit.cron")
PERFMON_DB=$work/x.db sh -c "$command" >out 2>&1
is "$?|$(cat out)|$(jobs x.db)" "0||1|$made 2|$made" "what cron does, and that it says nothing"
echo broken >spool/c.tgz
PERFMON_DB=$work/x.db sh -c "$command" >out 2>&1
is "$?|$(grep -c 'c.tgz is set aside' out)" "1|1" "but for what needs somebody"
done_testing
