#!/bin/sh
# Programs that jump out of calls, wait in handlers, confine themselves, and hostile surroundings.
# shellcheck disable=SC2154 # set by lib.sh and collector.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

hostile=$abs_top_builddir/tests/progs/hostile

long()
{
	head -c "$1" /dev/zero | tr '\0' x
}

for layout in $layouts; do
	collect "$layout" "$hostile" waits 500 >out
	is "$?:$(cat out)" "0:500" "$layout: every child of a program that waits in a handler is seen"
	is "$(field pid record=reaped | sort -u | grep -c .)" 500 "$layout: and recorded as reaped"

	collect "$layout" "$hostile" jumps 500 >out
	is "$?" 7 "$layout: a handler jumps out of waits"
	test "$(field pid record=reaped | grep -c .)" -ge "$(cat out)"
	ok $? "$layout: what its waits returned is recorded"
	is "$(field end_reason record=end exitcode=7)" exit "$layout: and so is its end"

	for how in prctl syscall; do
		for end in return _exit; do
			"$hostile" $how $end >want
			status=$?
			if [ $status -eq 77 ]; then
				skip "$layout: a program confined by $how ends by $end" "no seccomp here"
				continue
			fi
			collect "$layout" "$hostile" $how $end >out 2>&1
			is "$?:$(cat out)" "$status:$(cat want)" \
				"$layout: a program confined by $how ends by $end"
		done
	done
	collect "$layout" "$hostile" >out 2>&1
	is "$?:$(cat out)" "0:" "$layout: refused filters and other calls arrive as they are"
	is "$(field exitcode record=end)" 0 "$layout: and the program stays recorded"

	tags=$(long 97000)
	PERFMON_TAGS=$tags PERFMON_ARGS=full PERFMON_ARGS_MAX=49152 collect "$layout" /bin/echo "$(long 45000)" >out
	is "$?:$(wc -c <out)" "0:45001" "$layout: tags and arguments longer than the room for them"
	is "$(table | grep -c DAMAGED)" 0 "$layout: make whole lines"
	is "$(field exitcode record=end)" 0 "$layout: and the program is recorded"
	case $(field args record=start) in
	unknown | \\+45001:*) ok 0 "$layout: with the arguments cut or unknown" ;;
	*) ok 1 "$layout: with the arguments cut or unknown" ;;
	esac

	# A limit that the records reach while it runs.
	collect "$layout" sh -c 'ulimit -f 8; i=0
		while [ $i -lt 100 ]; do (exit 3) || i=$((i + 1)); done; exit 9' 2>err
	is "$?:$(cat err)" "9:" "$layout: a program whose records reach its file size limit goes on"
done

if [ "$(id -u)" -eq 0 ] && need setpriv; then
	# Root may write what its mask forbids; others may not.
	rm -rf "$records"
	mkdir -m 777 "$records"
	chmod 755 "$work"
	mkdir -m 755 "$work/bin" && cp "$PERFMON_LIBRARY" "$work/bin/libperfmon.so"
	PERFMON_OUTPUT=$records setpriv --reuid=65534 --regid=65534 --clear-groups \
		sh -c 'umask 777; LD_PRELOAD=$1 sh -c "exit 4"' x "$work/bin/libperfmon.so"
	is "$?:$(field exitcode record=end)" "4:4" "a file made under umask 777 can be written again"
else
	skip "a file made under umask 777 can be written again" "not root"
fi
done_testing
