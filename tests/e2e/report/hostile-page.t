#!/bin/sh
# The page, the PDF and the plots of a recorded job whose programs, arguments, tags and phases are texts that mean something
# elsewhere. Screenshots of the page are kept in artefacts/page.
# shellcheck disable=SC2154 # set by lib.sh and hostile.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/hostile.sh
. "$abs_top_srcdir/tests/e2e/hostile.sh"

"$PERFMON" report --html page.html hostile 2>err
is "$?|$(cat err)" "0|" "a page"
python3 "$abs_top_srcdir/tests/e2e/report/page.py" check page.html "$db" 1 >out 2>err
is "$?|$(cut -d ' ' -f 2 out)" "0|0" "whose data equal the database: $(cut -d ' ' -f 1 out) values"
if [ "${PM_SANITIZED:-no}" = no ] && need node chromium; then
	artefacts=$abs_top_builddir/artefacts/page
	TMPDIR=$work node "$abs_top_srcdir/tests/web/browser.mjs" --only quiet,policy,sums,drawn,names,contrast,focus,narrow,tables --shots "$artefacts" page.html >tap 2>&1
	is "$?|$(grep -c '^not ok' tap)" "0|0" "asks for nothing, runs nothing, says no error in a browser: $(grep -c '^ok' tap) checks"
	grep -v -e '^ok' -e '^1\.\.' tap | sed 's/^/# /'
	is "$(ls "$artefacts" | wc -l)" 6 "its pictures at three widths, light and dark, are kept"
else
	skip "the page in a browser" "${missing:+no }${missing:-the same with sanitizers}"
fi
for output in "report --pdf a.pdf hostile" "plot --all --format svg -d plots hostile" "plot memory -o a.svg hostile"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" $output >out 2>err
	is "$?" 0 "perfmon $output"
done
if need qpdf; then
	is "$(qpdf --check a.pdf 2>&1 | grep -c 'No syntax')" 1 "the PDF is one"
else
	skip "the PDF is one" "no $missing"
fi
is "$(python3 -c 'import sys, xml.dom.minidom as m
for f in sys.argv[1:]: m.parse(f)' a.svg plots/*.svg 2>&1)" "" "the pictures are XML"

done_testing
