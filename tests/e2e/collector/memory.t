#!/bin/sh
# The collector's own use of memory, and of what threads share: its hooks under valgrind's tools, in
# programs of every kind, and a build of it with ThreadSanitizer and with AddressSanitizer.
# Run by `make check-memory`, which names the sources.
# shellcheck disable=SC2154 # set by lib.sh, collector.sh and coexist.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/coexist.sh
. "$abs_top_srcdir/tests/e2e/coexist.sh"

layout=COLLATED_TSV
progs=$abs_top_builddir/tests/progs

# cases TOOL: what is run under it, a program of tests/progs and its arguments. Helgrind and DRD are
# for what has threads; DRD calls flags of the test programs, and libc's of cancellation, races.
# ThreadSanitizer wants no threads in the child of a process that has some. AddressSanitizer knows
# nothing of cancellation, which leaves frames of the collector it is built into.
cases()
{
	sed -n "/ $1\\b/s/ *:.*//p" <<-'END'
		family : memcheck address
		calls : memcheck thread address
		hostile waits 20 : memcheck thread address
		hostile jumps 10 : memcheck thread address
		semantics : memcheck helgrind thread
		everything : memcheck helgrind drd thread address
		everything cancel : memcheck helgrind thread
		everything alarm : memcheck thread address
		itself scratch 8 3 : memcheck helgrind drd thread address
		peers_threads short 100 : memcheck helgrind drd thread address
		peers_threads sixteen 10 : memcheck helgrind thread address
		peers_threads failed /nonexistent : memcheck helgrind thread address
	END
}

# --- valgrind ---------------------------------------------------------------------------------

# errors TOOL COMMAND...: how often each kind of error was found, in the program and its children.
errors()
{
	tool=$1
	shift
	rm -f vg.*
	valgrind -q --tool="$tool" --trace-children=yes --log-file=vg.%p "$@" >/dev/null 2>&1
	echo "status $?"
	# Headlines: the first line behind an empty one. Of calls that valgrind does not know it warns;
	# it looks into a wait's bad pointer, which semantics passes, only where libc does not make it.
	cat vg.* | sed '/^--/d; s/^==[0-9]*== *//; s/0x[0-9A-Fa-f]*/ADDRESS/g; s/#[0-9]*/N/g' |
		awk 'BEGIN { first = 1 } first && NF { print } { first = NF == 0 }' |
		grep -v -E '^(Address|---|Thread|by|at) |^Syscall param wait4.status. points to unadd' | sort | uniq -c
}

if need valgrind; then
	for tool in memcheck helgrind drd; do
		while read -r program arguments; do
			# Arguments are words.
			# shellcheck disable=SC2086
			errors $tool "$progs/$program" $arguments >bare.errors
			# shellcheck disable=SC2086
			collect $layout errors $tool "$progs/$program" $arguments >with.errors
			if cmp -s bare.errors with.errors; then
				ok 0 "$tool: $program $arguments"
			else
				ok 1 "$tool: $program $arguments"
				diag "$(diff bare.errors with.errors; grep -l libperfmon vg.* | head -n 1 |
					xargs -r head -n 30)"
			fi
		done <<-END
			$(cases $tool)
		END
	done
else
	skip "valgrind" "no $missing"
fi

# --- sanitizers -------------------------------------------------------------------------------

# build SANITIZER: a collector that is checked itself, linked as libraries are.
build()
{
	# Words of the compiler's command line.
	# shellcheck disable=SC2086
	(cd "$abs_top_srcdir" && gcc -std=gnu11 -g -O1 -fPIC -fvisibility=hidden -I. \
		-I"$abs_top_builddir" -D_GNU_SOURCE -DHAVE_CONFIG_H -DPM_THREAD_ROUND=2 \
		-ftls-model=initial-exec -fno-delete-null-pointer-checks -fsanitize="$1" \
		-shared -Wl,-Bsymbolic -Wl,--version-script=libperfmon/libperfmon.map \
		-o "$work/collector-$1.so" $PM_COLLECTOR_SOURCES)
}

ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
export ASAN_OPTIONS
plain=$PERFMON_LIBRARY
for sanitizer in thread address; do
	if [ -z "${PM_COLLECTOR_SOURCES-}" ] || ! need gcc || ! build $sanitizer >log 2>&1; then
		skip "a collector with the $sanitizer sanitizer" "it cannot be built here"
		[ ! -s log ] || diag "$(head -n 20 log)"
		continue
	fi
	while read -r program arguments; do
		[ -x "$program-$sanitizer" ] ||
			gcc -std=gnu11 -g -O1 -fexceptions -fsanitize=$sanitizer -I"$abs_top_srcdir" \
				-o "$program-$sanitizer" "$abs_top_srcdir/tests/progs/$program.c" \
				-lpthread -lutil -ldl 2>>log
		# shellcheck disable=SC2086
		"./$program-$sanitizer" $arguments >bare.out 2>bare.err
		bare=$?
		PERFMON_LIBRARY=$work/collector-$sanitizer.so
		# shellcheck disable=SC2086
		collect $layout "./$program-$sanitizer" $arguments >with.out 2>with.err
		is "$?" $bare "$sanitizer: $program $arguments: status"
		PERFMON_LIBRARY=$plain
		# What a program does wrong itself, and is meant to, is its own.
		if grep -q 'SUMMARY.*libperfmon/' with.err; then
			ok 1 "$sanitizer: $program $arguments: nothing is found in the collector"
			diag "$(head -n 40 with.err)"
		else
			ok 0 "$sanitizer: $program $arguments: nothing is found in the collector"
		fi
		field record record=end | grep -q end
		ok $? "$sanitizer: $program $arguments: and it was there"
	done <<-END
		$(cases $sanitizer)
	END
done
done_testing
