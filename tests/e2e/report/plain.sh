# shellcheck shell=sh
# Pages without script, for tests of the verbs that write them; sourced after lib.sh.

# plain ARGUMENT...: plain.py.
plain()
{
	python3 "${abs_top_srcdir:?}/tests/e2e/report/plain.py" "$@"
}

# plain_page NAME WORD...: `perfmon WORD... --html page.html` is a page as it has to be, in a file and on standard output;
# and the file is complete or not there.
plain_page()
{
	name=$1
	shift
	"$PERFMON" "$@" --html page.html >out 2>err
	is "$?|$(cat out err)|$(plain check page.html)" "0||" "$name: a page is written"
	sed 's/<body>/<body onload="x()"><p>/; s/<footer>/<b id="top">/' page.html >faulty.html
	is "$(plain check faulty.html | grep -c -e onload -e '<b>' -e 'id top twice' -e '</body> within')" 4 "$name: noticed: markup that is none of ours"
	"$PERFMON" "$@" --html - >piped.html
	cmp -s page.html piped.html
	ok $? "$name: - is standard output"
	echo before >kept.html
	mkdir -p dir
	is "$("$PERFMON" "$@" --html dir 2>&1 >/dev/null; echo $?)" "perfmon: write dir: Is a directory
1" "$name: a directory is no file"
	if [ -c /dev/full ]; then
		is "$("$PERFMON" "$@" --html /dev/full 2>err; echo "$? $(grep -c 'No space left' err)")" "1 1" "$name: a full disk is noticed"
	fi
	"$PERFMON" "$@" --html kept.html --json >out 2>err
	is "$? $(cat kept.html) $(wc -c <out) $(grep -c -e 'one of --html.* at a time' err)" "2 before 0 1" "$name: one form at a time"
	is "$(find . -name '*.html.*')" "" "$name: nothing is left beside the files"
}
