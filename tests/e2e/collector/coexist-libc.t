#!/bin/sh
# Programs of another libc, and what libc does behind the program's back: unwinding.
# shellcheck disable=SC2154 # set by lib.sh, collector.sh and coexist.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/coexist.sh
. "$abs_top_srcdir/tests/e2e/coexist.sh"

for layout in $layouts; do
	alike "cancelled waits unwind the stack" "$everything" cancel
	is "$bare:$(grep -c left bare.out)" "5:2" "and there is something to unwind"
	ended "cancelled waits unwind the stack" everything 5
done

if need musl-gcc && musl-gcc -o musl "$abs_top_srcdir/tests/progs/everything.c" 2>log &&
	musl-gcc -static -o static "$abs_top_srcdir/tests/progs/everything.c" 2>>log; then
	for layout in $layouts; do
		for kind in musl static; do
			alike "a $kind program of musl" ./$kind
			is "$bare:$(grep -c . bare.out)" "5:6" "that works alone"
			# Its own children are glibc's: the shells of system() and exec.
			is "$(field exename record=start | sort | uniq -c | tr -s ' ')" \
				" 2 $(basename "$(readlink -f /bin/sh)")" \
				"$layout: a $kind program of musl is not recorded, its children are"
		done
		# Known by the wait of its parent, and so are its children's times.
		collect $layout sh -c './musl; exit $(($? + 1))' >with.out
		is "$?" 6 "$layout: a shell that waits for it"
		is "$(field exitcode record=reaped | sort -n | tail -n 1)" 5 \
			"$layout: which tells how it ended"
	done
else
	skip "programs of musl" "no ${missing:-usable musl-gcc}"
fi
done_testing
