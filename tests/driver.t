#!/bin/sh
# The driver of the tests: it stops a test that hangs, with all that it started, and says what repeats a failed one.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

# drive NAME SECONDS: run the script NAME.t as a test; its results are in $out, NAME.trs and NAME.log.
drive()
{
	out=$(PM_TEST_SECONDS=$2 PM_SIZE=7 "$abs_top_srcdir/tests/driver.sh" "$abs_top_srcdir/build-aux/tap-driver.sh" \
		--test-name "$1.t" --log-file "$1.log" --trs-file "$1.trs" --color-tests no --enable-hard-errors yes \
		--expect-failure no -- "./$1.t" 2>&1)
	status=$?
}
# planted NAME: a script from standard input.
planted()
{
	{ echo '#!/bin/sh' && cat; } >"$1.t" && chmod +x "$1.t"
}
# living FILE: how many of the processes that are listed there are neither dead nor die yet.
living()
{
	tenths=100
	while [ $tenths -gt 0 ]; do
		left=$(while read -r pid; do
			sed -n '/^State:.[^XZ]/p' "/proc/$pid/status" 2>/dev/null
		done <"$1" | wc -l)
		[ "$left" -gt 0 ] || break
		tenths=$((tenths - 1))
		sleep 0.1
	done
	echo "$left"
}
# The limit of 77 seconds is over when the file "ready" is there.
mkdir bin
cat >bin/sleep <<END
#!/bin/sh
[ "\$1" = 77 ] || exec $(command -v sleep) "\$@"
while [ ! -e ready ]; do
	$(command -v sleep) 0.1
done
END
chmod +x bin/sleep
PATH=$work/bin:$PATH

planted passes <<'END'
echo "ok 1 - one"
echo 1..1
END
drive passes 60
is "$status $out" "0 PASS: passes.t 1 - one" "the driver adds nothing where a test passes"
is "$(sed -n 's/^:global-test-result: //p' passes.trs)" PASS "and the result is automake's"

planted where <<'END'
echo "ok 1 - ${TMPDIR-none}"
echo 1..1
END
unset TMPDIR
drive where 60
is "$out" "PASS: where.t 1 - none" "a test of check-NAME works on the disk"
TMPDIR=$work
export TMPDIR
drive where ""
is "$out" "PASS: where.t 1 - $work" "and one of make check where its user wants"

# A child, one in a session of its own, and a third that nothing tells of but its parent.
planted sleeps <<'END'
trap 'echo >tidied; exit 143' TERM
echo "ok 1 - begun"
sleep 1000 & echo $! >>started
setsid sh -c 'echo $$ >>started; exec sleep 1000' &
setsid sh -c 'echo $$ >>started; trap "" TERM; env -i sh -c "echo \$\$ >>started; sleep 1000; :"; :' &
echo $$ >>started
while :; do
	[ "$(wc -l <started)" -lt 5 ] || : >ready
	sleep 0.2
done
END
drive sleeps 77
rm -f ready
echo "$out" >sleeps.out
grep -q -x 'FAIL: sleeps.t - stopped after 77 s' sleeps.out && grep -q -x 'PASS: sleeps.t 1 - begun' sleeps.out &&
	grep -q 'stopped after 77 s' sleeps.log
ok $? "a test that hangs fails with the limit it reached"
is "$status $(grep -c '^:test-result: FAIL stopped after 77 s$' sleeps.trs) $(
	sed -n 's/^:global-test-result: //p' sleeps.trs)" "0 1 FAIL" "and counts as failed"
is "$(wc -l <started) $(living started)" "5 0" "all its processes are stopped, in whatever session or environment"
test -e tidied
ok $? "after it was asked to end"

# The test is gone; what it left holds its output and cannot be found.
planted leaves <<'END'
echo "ok 1 - one"
echo 1..1
env -i setsid sh -c 'echo $$ >left; exec sleep 1000' &
while [ ! -s left ]; do
	sleep 0.1
done
: >ready
END
drive leaves 77
read -r pid <left && kill "$pid"
echo "$out" | grep -q -x 'FAIL: leaves.t - stopped after 77 s'
ok $? "a test that leaves its output open fails as well"
is "$status $(sed -n 's/^:global-test-result: //p' leaves.trs)" "0 FAIL" "and counts as failed"

planted fails <<'END'
echo "ok 1 - one"
echo "not ok 2 - two"
echo 1..2
END
drive fails 60
is "$out" "PASS: fails.t 1 - one
FAIL: fails.t 2 - two
  repeat: cd $work && PM_SIZE=7 PM_TEST_SECONDS=60 make check TESTS=fails.t
  log: $work/fails.log" "a failed test says what repeats it, with what it was given"

planted cases <<'END'
echo 1..2
echo "not ok 1 - tests/unit/x.c:some words:test_it: Assertion failed"
echo "not ok 2 - tests/unit/x.c:some words:test_more: Assertion failed"
END
drive cases 60
is "$(echo "$out" | grep -c -x -F "  or its case alone: CK_RUN_CASE='some words' make check TESTS=cases.t")" 1 \
	"one of libcheck says how its case runs alone"

drive passes 1h
is "$status $out" "1 PM_TEST_SECONDS=1h is no number of seconds" "a limit is a number"

# libcheck takes the name, so that the line is true.
if [ -x "$abs_top_builddir/tests/unit/common/tsv.t" ]; then
	all=$("$abs_top_builddir/tests/unit/common/tsv.t")
	case=$(echo "$all" | sed -n 's/^ok [0-9]* - [^: ]*[.]c:\([^:]*\):.*/\1/p' | head -n 1)
	is "$(CK_RUN_CASE=$case "$abs_top_builddir/tests/unit/common/tsv.t" | grep -c '^ok ')" \
		"$(echo "$all" | grep -c -F ".c:$case:")" "a case of libcheck runs alone by its name"
else
	skip "a case of libcheck runs alone by its name" "built without libcheck"
fi

done_testing
