#!/bin/sh
# What cannot be meant ends with status 2, in whatever verb: a table that list does not know, a URL of no
# database, a job id that no directory can have. What may be meant and is not there ends with 1.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

# status WANT TEXT ARG...: this status, with this text in the message.
status()
{
	want=$1 text=$2
	shift 2
	"$PERFMON" "$@" >out 2>err </dev/null
	is "$?:$(grep -c -e "$text" err)" "$want:1" "perfmon $*: $want"
}

# --- without a database, and with one ------------------------------------------------------------------
for made in no a; do
	status 2 '^perfmon: list takes jobs, processes' list foo
	status 2 '^perfmon: list takes jobs, processes' list proceses --json
	status 1 '^perfmon: ' list 4999
	status 1 '^perfmon: ' list jobs foo
	status 1 '^perfmon: ' report foo
	[ $made = a ] || "$abs_top_builddir/tests/progs/generate" job 3 >/dev/null
	"$PERFMON" -q submit job
done
is "$("$PERFMON" list jobs | wc -l | tr -d ' ')" 2 "there was a database the second time"

# --- databases -----------------------------------------------------------------------------------------
for url in foo://x mysql://me:secret@h/d file:x.db; do
	status 2 "^perfmon: --db: database ${url%%:*}:...: give a path, sqlite:PATH or postgresql://...\$" --db=$url list
done
for verb in "submit job" "list" "show 4711" "status" "report 4711" "annotate 4711 a=b" "delete -f 4711" \
	"redact 4711" "dbsize" "verify" "retire --older-than 1d" "drop -f" "migrate" "check" "config"; do
	# shellcheck disable=SC2086 # words
	status 2 "give a path" $verb --db=foo://x
done
status 2 "give a path" copy foo://x y.db
status 2 "give a path" copy y.db foo://x
is "$(ls -d -- foo:* mysql:* file:* y.db 2>/dev/null)" "" "no file is made of any"
PERFMON_DB=mysql://me:secret@h/d "$PERFMON" list >out 2>err
is "$?:$(cat err)" "1:perfmon: database mysql:...: give a path, sqlite:PATH or postgresql://..." \
	"in the environment it is no part of the command line, and not replaced by the default"

# --- job ids -------------------------------------------------------------------------------------------
for verb in start stop source "mark begin x"; do
	# shellcheck disable=SC2086 # words
	status 2 "'a/b' cannot be a job id" $verb -j a/b
done
"$PERFMON" run -a -j a/b sh -c 'exit 7' 2>err
is "$?:$(grep -c "not recorded: 'a/b' cannot be a job id" err)" 7:1 "but run runs its command"

# --- abbreviations -------------------------------------------------------------------------------------
"$PERFMON" --vers >out 2>&1
is "$?:$(grep -c '^perfmon [0-9]' out)" 0:1 "a long option may be abbreviated"
status 2 '^perfmon: --ver is short for several options' --ver list
grep -q 'may be abbreviated' "$abs_top_srcdir/man/perfmon.1"
ok $? "perfmon(1) says so"
done_testing
