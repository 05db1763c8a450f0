#!/bin/sh
# The page's script: complete, valid, and its functions that need no document.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

page=$abs_top_srcdir/report/web/page
web=$abs_top_srcdir/tests/web

(cd "$page" && ls ./*.js | sed 's,./,,' | sort) >files
sort "$page/order" | diff - files >difference
ok $? "order names each file of the script"
diag "$(cat difference)"
is "$(sed -n '1p;$p' "$page/order" | tr '\n' ' ')" "open.js close.js " "the first file opens the function, the last closes it"
grep -n -E '\.(innerHTML|outerHTML|insertAdjacentHTML)|document\.write|\beval\(|new Function|https?://' "$page"/*.js "$page/page.css" |
	grep -v -F 'const SVG = "http://www.w3.org/2000/svg"' >found
test ! -s found
ok $? "nothing makes markup or code of texts, nothing names an address"
diag "$(cat found)"

if ! need node; then
	skip "the script is valid" "no $missing"
	skip "its functions" "no $missing"
	done_testing
fi
# shellcheck disable=SC2046 # file names without spaces
(cd "$page" && cat $(cat order)) >page.js
node --check page.js 2>errors
ok $? "the script is valid"
diag "$(cat errors)"
(cat page.js; echo '}') >broken.js
node --check broken.js 2>/dev/null
is $? 1 "noticed: a brace too many"

node --test "$web/data.test.mjs" "$web/views.test.mjs" >tap 2>&1
ok $? "functions that need no document: $(grep -c '^ *ok ' tap) tests"
grep -q 'not ok' tap && diag "$(grep -A 40 'not ok' tap | head -n 80)"
grep -E -q '^# pass [1-9]' tap
ok $? "and there were some"
# A page whose sums forget unknown values would show NaN.
mkdir -p tree/report/web tree/tests
cp -r "$page" tree/report/web/page
cp -r "$web" tree/tests/web
sed 's/if (value !== value)/if (false)/' "$page/decode.js" >tree/report/web/page/decode.js
node --test tree/tests/web/data.test.mjs >tap 2>&1
is $? 1 "noticed: sums that forget unknown values"
done_testing
