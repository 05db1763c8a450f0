#!/bin/sh
# report --html: the data of a page against the database, names that are markup, folding, files.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "report --html" "no python3 with sqlite3"
	done_testing
fi
PERFMON_DB=$work/jobs.db
export PERFMON_DB

# page ARGUMENT...: page.py; what is wrong goes to the log.
page()
{
	python3 "$abs_top_srcdir/tests/e2e/report/page.py" "$@" 2>wrong
	cat wrong >&2
}

cp -R "$abs_top_srcdir/tests/golden/report/busy" busy && chmod -R u+w busy
# A program whose name is markup; a tag; and an argument that ends no element.
evil='</script><img src=x onerror=alert(1)>'
sed -i "s/\\\\x1b\\[31mevil/${evil%%/*}\\/script><img src=x onerror=alert(1)>/g" busy/*.tsv
"$PERFMON" -q submit busy 2>err
"$PERFMON" report --html page.html '#1' >out 2>err
is "$?|$(cat out err)" "0|" "a page is written"
is "$(page check page.html jobs.db 1 | sed 's/^[1-9][0-9][0-9][0-9]* /many /')" "many 0" "its data are those of the database"
is "$(page check page.html jobs.db 1 fault | cut -d ' ' -f 2)" 1 "noticed: a sum that is wrong"
is "$(page print page.html '"<img" in html, any("<img" in p for p in index["programs"])')" "False True" \
	"a program's name is text, never markup"
is "$(page print page.html 'len(re.findall("(?i)https?:|//[a-z]|src=.?[a-z]+:|@import|url\(", re.sub("<script.*?</script>|sha256-[^ ]*", "", html, flags=re.S)))')" 0 \
	"nothing refers to other files"
"$PERFMON" report --html - '#1' >piped.html
cmp -s page.html piped.html
ok $? "- is standard output"
"$PERFMON" report --html page2.html busy
is "$(page print page2.html 'index["processes"]["rows"]')" "$(page print page.html 'index["processes"]["rows"]')" \
	"a directory has a page without a database"

# Every figure of the text report stands in the page.
"$PERFMON" report --width 200 '#1' | grep -v -e '|' -e 'are not shown' >text
page print page.html 'html' | sed 's/<[^>]*>/ /g; s/&#39;/'\''/g; s/&#34;/"/g; s/&#38;/\&/g; s/&#60;/</g; s/&#62;/>/g' | tr -s ' \n' '  ' >html.txt
grep -o -E '[0-9]+([.][0-9]+)? (%|[kMGT]?B|s|ms|min|processes|calls|CPUs|J|kJ|W)\b' text | sort -u >figures
is "$(wc -l <figures | awk '{ print ($1 > 20) }')|$(while read -r figure; do
	grep -q -F -e "$figure" html.txt || echo "$figure"
done <figures)" "1|" "every figure of the text report is in the page"

for most in 5 20; do
	"$PERFMON" report --html folded.html --page-rows $most '#1'
	is "$(page check folded.html jobs.db 1 | cut -d ' ' -f 2)" 0 "processes beyond $most are folded with exact sums"
	is "$(page print folded.html "index['processes']['folded'] is not None, index['processes']['rows'] - index['processes']['folded']['rows'] <= $most")" \
		"True True" "and no more than $most stay"
done

# Files: complete or not there.
echo before >kept.html
mkdir dir
is "$("$PERFMON" report --html dir '#1' 2>&1 >/dev/null; echo $?)" "perfmon: write dir: Is a directory
1" "a directory is no file"
is "$("$PERFMON" report --html missing/x.html '#1' 2>err; echo "$? $(grep -c 'No such file' err)")" "1 1" "nor is one in a directory that is not there"
is "$("$PERFMON" report --html kept.html nosuchjob 2>/dev/null; echo "$? $(cat kept.html)")" "1 before" "a job that is not there leaves the file as it was"
if [ -c /dev/full ]; then
	is "$("$PERFMON" report --html /dev/full '#1' 2>err; echo "$? $(grep -c 'No space left' err)")" "1 1" "a full disk is noticed"
fi
ln -s kept.html link.html
"$PERFMON" report --html link.html '#1' && [ -L link.html ] && grep -q '<!doctype html>' kept.html
ok $? "a link stays one"
is "$(find . -name '*.html.*')" "" "nothing is left beside the files"
while IFS='|' read -r words why; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" report $words >out 2>err
	is "$? $(grep -c -e "$why" err)" "2 1" "report $words: $why"
done <<'END'
--html x.html --page-rows 0|a number of rows
--html x.html --page-rows many|a number of rows
--html x.html --user anna|name it
END

if postgres_start; then
	postgres_sql postgres -c "CREATE DATABASE pages" >/dev/null
	url=$(postgres_url pages)
	"$PERFMON" -q copy "$work/jobs.db" "$url"
	PERFMON_DB=$url "$PERFMON" report --html server.html '#1'
	is "$(page check server.html "$url" 1 | cut -d ' ' -f 2)" 0 "a page of PostgreSQL has its data"
	page print page.html 'html' >a
	page print server.html 'html' >b
	cmp -s a b
	ok $? "and is the same page"
else
	skip "a page of PostgreSQL" "$postgres_missing"
fi
done_testing
