#!/bin/sh
# The page in a browser: made-up jobs of several shapes hold what tests/web/checks.mjs says, and each of
# its checks notices a planted fault.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

web=$abs_top_srcdir/tests/web
if [ "${PM_SANITIZED:-no}" != no ] || ! need node chromium pdftotext; then
	skip "the page in a browser" "${missing:+no }${missing:-the same with sanitizers}"
	done_testing
fi
TMPDIR=$work
export TMPDIR

# passes NAME OPTIONS...: all lines of the checks' TAP are ok.
passes()
{
	name=$1
	shift
	node "$@" >tap 2>&1
	status=$?
	grep -q '^1\.\.[1-9]' tap || status=1
	ok $status "$name: $(grep -c '^ok ' tap) checks"
	[ $status -eq 0 ] || diag "$(cat tap)"
}

node "$web/makepage.mjs" --rows 1500 --hosts 2 --slots 6 --hostile page.html
passes "a build of hostile names" "$web/browser.mjs" page.html
node "$web/makepage.mjs" --rows 300 --hosts 20 --slots 2 --open open.html
passes "an open job of many nodes" "$web/browser.mjs" --only quiet,sums,drawn,names,narrow open.html
node "$web/makepage.mjs" --damaged --rows 100 damaged.html
passes "damaged data are told" "$web/browser.mjs" --only damaged damaged.html
passes "each check notices a fault" "$web/faults.mjs"
done_testing
