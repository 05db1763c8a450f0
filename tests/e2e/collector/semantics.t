#!/bin/sh
# Programs behave with the collector as without it.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

progs=$abs_top_builddir/tests/progs

# same NAME COMMAND...: output, messages and status are equal with and without the collector.
same()
{
	name=$1
	shift
	"$@" >"$work/bare.out" 2>"$work/bare.err"
	bare=$?
	collect "$layout" "$@" >"$work/with.out" 2>"$work/with.err"
	is "$?" "$bare" "$layout: $name: status"
	if ! cmp -s "$work/bare.out" "$work/with.out" || ! cmp -s "$work/bare.err" "$work/with.err"; then
		diag "$(diff "$work/bare.out" "$work/with.out"; diff "$work/bare.err" "$work/with.err")"
		ok 1 "$layout: $name: output"
	else
		ok 0 "$layout: $name: output"
	fi
	is "$(table | grep -c DAMAGED)" 0 "$layout: $name: records are whole"
}

for layout in $layouts; do
	"$progs/semantics" >"$work/all"
	is "$(grep -c . "$work/all")" 75 "the program makes its observations"
	same "waits, execs, descriptors, signals" "$progs/semantics"
	same "exit status" sh -c 'exit 3'
	same "killed by SIGTERM" sh -c 'kill -TERM $$'
	same "missing command" sh -c 'exec /nonexistent/program'
	same "closed standard streams" sh -c 'exec /bin/echo x 0<&- 1>&- 2>&-'
	same "small stack" sh -c 'ulimit -s 128; exec /bin/true a b'
	same "one descriptor left" sh -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 4; exec /bin/true'
	same "file size limit 0" sh -c 'ulimit -f 0; /bin/true; echo $?'
	same "pipeline cut short" sh -c 'seq 100000 | head -1'
	same "background children" sh -c '(sleep 0.05; exit 4) & wait $!; echo $?'
	same "changed directory and umask" sh -c 'cd /; umask 777; /bin/true; echo $?'
	same "cleared environment" env -i /bin/sh -c 'echo ok; exit 5'
	same "secure-execution program" sh -c 'su --version >/dev/null; echo $?'
done

collect COLLATED_TSV sh -c 'ulimit -f 0; /bin/true; exit 6'
is $? 6 "a file size limit ends neither the program nor its children"

mkdir "$work/gone"
PERFMON_OUTPUT=$work/gone LD_PRELOAD=$PERFMON_LIBRARY sh -c 'rm -r "$1"; /bin/true; exit 7' x "$work/gone"
is $? 7 "the output directory removed midway"
is "$(PERFMON_OUTPUT=$work/never LD_PRELOAD=$PERFMON_LIBRARY /bin/echo fine 2>&1)" fine "no output directory"
is "$(PERFMON_OUTPUT=relative LD_PRELOAD=$PERFMON_LIBRARY /bin/echo fine 2>&1)" fine "a relative output directory is not used"
is "$(find "$work" -name '*.tsv' -path '*relative*')" "" "and nothing is written there"
mkdir "$work/full" && ln -s /dev/full "$work/full/$(uname -n)-$(id -u).tsv"
is "$(PERFMON_OUTPUT=$work/full LD_PRELOAD=$PERFMON_LIBRARY /bin/echo fine 2>&1)" fine "a symbolic link is not followed"
collect COLLATED_TSV sh -c 'kill -9 $$'
is "$? $(field exename record=start)" "137 $(basename "$(readlink -f /bin/sh)")" "a program killed by SIGKILL has its start record"
done_testing
