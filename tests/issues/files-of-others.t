#!/bin/sh
# What a user puts into a directory of its own does not lead root's perfmon to files elsewhere: second names of
# files of root's, links, pipes and other users' files are neither written nor read.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if [ "$(id -u)" -ne 0 ] || ! need setpriv timeout; then
	skip "root in a user's directory" "not root, or no $missing"
	done_testing
fi
host=$(uname -n)
chmod 755 "$work"
mkdir -m 700 job && chown 65534 job
as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
PERFMON_OUTPUT=$work/job as_user "$PERFMON" start || exit 99
PERFMON_OUTPUT=$work/job
export PERFMON_OUTPUT

# victim NAME KIND: what the user puts there.
put()
{
	rm -rf "${PERFMON_OUTPUT:?}/$1" victim
	echo precious >victim
	case $2 in
	name) ln victim "$PERFMON_OUTPUT/$1" ;;
	link) ln -s "$work/victim" "$PERFMON_OUTPUT/$1" ;;
	pipe) mkfifo "$PERFMON_OUTPUT/$1" ;;
	other) cp victim "$PERFMON_OUTPUT/$1" && chown 1 "$PERFMON_OUTPUT/$1" ;;
	esac
}
intact()
{
	[ "$(cat victim)" = precious ] || return 1
	[ "$2" != other ] || [ "$(cat "$PERFMON_OUTPUT/$1")" = precious ]
}
# A program that is not recorded itself: the line is perfmon's own.
for kind in name link pipe other; do
	put "$host-0.tsv" $kind
	PERFMON_LIBRARY=/nowhere timeout 20 "$PERFMON" run true >out 2>&1
	is $? 0 "$kind: run runs the command"
	intact "$host-0.tsv" $kind
	ok $? "$kind: and writes nothing there"
	rm -f "$PERFMON_OUTPUT/$host-0.tsv"
	put "$host.series" $kind
	timeout 20 "$PERFMON" sample --pid $$ -d "$PERFMON_OUTPUT" -i 1s >out 2>&1 &
	sampler=$!
	sleep 0.3
	kill $sampler 2>/dev/null
	wait $sampler
	intact "$host.series" $kind
	ok $? "$kind: nor does a sampler"
	rm -f "$PERFMON_OUTPUT/$host.series"
	for name in "$PERFMON_OUTPUT"/*.marks "$PERFMON_OUTPUT"/*.phases; do
		rm -f "$name"
	done
	timeout 20 "$PERFMON" mark begin x >out 2>&1 && timeout 20 "$PERFMON" mark end x >out 2>&1
	marks=$(find "$PERFMON_OUTPUT" -newer victim -user 0 -type f ! -name '*.json' ! -name '*.tally' -printf '%f\n' | head -n 1)
	if [ -n "$marks" ]; then
		put "$marks" $kind
		timeout 20 "$PERFMON" mark begin x >out 2>&1
		intact "$marks" $kind
		ok $? "$kind: nor does a mark ($marks)"
		rm -f "$PERFMON_OUTPUT/$marks"
	fi
done
# Root reads nothing there either that the user could not have: the job's metadata under another name.
mv "$PERFMON_OUTPUT/job-$host.json" metadata && chown 0 metadata && chmod 600 metadata
ln metadata "$PERFMON_OUTPUT/job-$host.json"
timeout 20 "$PERFMON" dump "$PERFMON_OUTPUT" >out 2>err
is "$(grep -c '^jobid' out)|$(grep -c 'has a second hard link' err)" "0|1" "root's file under a second name is not read"
rm "$PERFMON_OUTPUT/job-$host.json" && cp metadata "$PERFMON_OUTPUT/job-$host.json"
is "$("$PERFMON" dump "$PERFMON_OUTPUT" | sed -n 's/^jobid //p')" job "one of root's own making is"
chown 65534 "$PERFMON_OUTPUT/job-$host.json"
is "$("$PERFMON" dump "$PERFMON_OUTPUT" | sed -n 's/^jobid //p')" job "and the user's"
"$PERFMON" run true && "$PERFMON" stop
is $? 0 "root records and closes a user's job"
done_testing
