#!/bin/sh
# Programs that cannot be recorded, and such as there are none of, are told by the name that was asked for
# and why; they are no runs of "static or set-uid programs".
# shellcheck disable=SC2154,SC2016 # set by lib.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need sqlite3; then
	skip "programs that are not seen" "no $missing"
	done_testing
fi
cc=$(command -v cc || command -v gcc)
echo 'int main(void) { return 0; }' >gon.c
"${cc:-false}" -static -o gon gon.c 2>cc.err || rm -f gon
head -c 4096 /dev/zero >noformat && chmod +x noformat

# run SCRIPT: a job of its own, its report in text.
run()
{
	rm -rf "$work"/prefix/* db
	"$PERFMON" -a run sh -c "$1" >out 2>err
	PERFMON_DB=$work/db "$PERFMON" -q submit "$work"/prefix/*/*
	PERFMON_DB=$work/db "$PERFMON" report | tr -s ' \n' ' ' >text
}
says() { grep -q -F -e "$1" text; }

run 'i=0; while [ $i -lt 50 ]; do ./missing; i=$((i + 1)); done; ./noformat; true'
says "Processes 1 program run, 1 different;"
ok $? "what could not be started is no program that ran"
says "51 could not be started: missing (ENOENT, 50 times), noformat (ENOEXEC)"
ok $? "but is named, and why"
says "static or set-uid"
is $? 1 "and is no static or set-uid program"
is "$(sqlite3 db "SELECT count(*), exename, last_call FROM process WHERE last_call IS NOT NULL GROUP BY 2, 3" | tr '\n' ' ')" \
	"50|missing|execve ENOENT 1|noformat|execve ENOEXEC " "so does the database"
PERFMON_DB=$work/db "$PERFMON" report --json | grep -q '"refused": 51'
ok $? "and the report in JSON"

if [ -x gon ]; then
	run './gon; (exec ./gon); bash -c "./gon; true"; true'
	says "3 cannot be recorded (known only from their parents, descendants included): gon (static, 3 times)"
	ok $? "a static program by vfork, exec and fork is named"
	is "$(sqlite3 db "SELECT count(*) FROM process WHERE exename = 'gon' AND end_reason = 'exit'")" 3 "in its rows, too"
else
	skip "a static program" "no static C library"
	skip "in its rows, too" "no static C library"
fi
run '/usr/bin/env -i /bin/true; true'
says "1 known only from their parents, started without perfmon's environment or as another user: true"
ok $? "so is one without perfmon's environment"

# One that left the reach of its record file: a su of before, or a server. Root of another root directory can be
# any user where there are user namespaces.
mkdir elsewhere
depart=$abs_top_builddir/tests/progs/depart
if "$depart" unshare=user chroot="$work/elsewhere" exit=0 2>/dev/null; then
	run "$depart unshare=user chroot=$work/elsewhere work=1000 exit=0; true"
	says "1 continued where nothing is recorded; their figures include the processes that they started there: depart ("
	ok $? "a row that holds what nobody saw says so"
else
	skip "a row that holds what nobody saw says so" "no way to leave"
fi

# Killed before anything of it ran: a limit that no program starts with. With a little more the loader starts, and
# exits with a message.
for limit in 400 300 200 100; do
	(ulimit -v $limit; exec /bin/true) 2>/dev/null
	[ $? -le 128 ] || break
done
run "(ulimit -v $limit; exec /bin/true); (ulimit -v $limit; /bin/true; true); true"
says "killed before they could record anything"
ok $? "those killed at birth are apart"
done_testing
