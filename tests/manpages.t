#!/bin/sh
# Manual pages: each verb has one with examples, pages fit a terminal, are clean for two formatters, and speak to
# users. Each rule is a function that prints what breaks it in the current directory; faults are planted into a
# copy of the pages, to see that it notices them.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

cd "$abs_top_srcdir" || exit 99

# section PAGE TITLE: the lines of a section.
section()
{
	awk -v title="$2" '/^\.SH / { inside = $0 == ".SH " title; next } inside' "$1"
}

# Verbs without a page, pages that lack a section or examples of the verb, verbs that perfmon(1) does not list.
rule_verbs()
{
	verbs=$(sed -n 's/^PM_VERB(\([a-z_]*\),.*/\1/p' common/cli/verbs.def)
	for verb in $verbs; do
		page=man/perfmon-$verb.1
		if [ ! -e "$page" ]; then
			echo "there is no $page"
			continue
		fi
		grep -q -w -F "$page" man/Makefile.inc || echo "$page is not installed"
		grep -q -x -F ".\\\" BEGIN man-options-$verb" "$page" || echo "$page: its options are not the table's"
		for title in NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS" EXAMPLES "SEE ALSO"; do
			[ -n "$(section "$page" "$title")" ] || echo "$page: no $title"
		done
		[ "$(section "$page" EXAMPLES | grep -c -x '\.nf')" -ge 2 ] || echo "$page: fewer than two examples"
		section "$page" EXAMPLES | sed 's/\\-/-/g' | grep -q "perfmon.*[^-]\<$verb\>" || echo "$page: no example of $verb"
	done
	# shellcheck disable=SC2046,SC2086 # words
	printf '%s\n' $verbs $(sed -n '/BEGIN man-verbs/,/END man-verbs/s/^\.BR perfmon\\-\([a-z]*\) (1)$/\1/p' man/perfmon.1) |
		sort | uniq -c | awk '$1 != 2 { print "perfmon(1) does not list " $2 " once" }'
}

# Lines that are wider than a terminal of 80 columns, in characters: bytes but those that go on with one.
rule_width()
{
	for page in man/*.[1-9]; do
		groff -t -man -Tutf8 -rLL=78n -P-cbou "$page" 2>/dev/null | LC_ALL=C tr -d '\200-\277' |
			awk -v page="$page" 'length > 80 { print page ": " $0 }'
	done
}

# What groff says of a page. Names of events are longer than a line has room beside its indent.
rule_groff()
{
	for page in man/*.[1-9]; do
		groff -t -man -ww -W break -z -Tutf8 "$page" 2>&1
	done
}

# What mandoc says but matters of style.
rule_mandoc()
{
	mandoc -T lint -W warning man/*.[1-9] 2>&1
}

# Users have no tests: pages but those for developers (3, 9) name no file of them.
rule_users()
{
	grep -n '\<tests/' man/*.[157]
}

# References to pages of ours that do not exist, and to verbs as if their pages had a blank in their names.
rule_references()
{
	grep -n '"perfmon [a-z]*" ([1-9])' man/*.[1-9]
	for page in man/*.[1-9]; do
		sed 's/\\-/-/g; s/\\f[BIRP]//g' "$page" | grep -o -E '\b(lib)?perfmon[a-z.-]* \([1-9]\)' | tr -d ' ()' |
			sed 's/\([1-9]\)$/.\1/' | sort -u | while read -r other; do
			[ -e "man/$other" ] || echo "$page refers to $other"
		done
	done
}

# check RULE NAME [PROGRAM]: the rule finds nothing.
check()
{
	if ! need ${3:+"$3"}; then
		skip "$2" "no $missing"
		return
	fi
	"rule_$1" >"$work/out"
	test ! -s "$work/out"
	ok $? "$2"
	test ! -s "$work/out" || diag "$(head -n 40 "$work/out")"
}

# planted RULE NAME FILE SCRIPT [PROGRAM]: the rule finds more in a copy in which sed changed the file.
planted()
{
	if ! need ${5:+"$5"}; then
		skip "noticed: $2" "no $missing"
		return
	fi
	rm -rf "$work/copy" && mkdir -p "$work/copy/common/cli" "$work/copy/man"
	cp common/cli/verbs.def "$work/copy/common/cli"
	# Rules of one page at a time need no others.
	case $1 in
	width | groff | mandoc) ;;
	*) cp man/* "$work/copy/man" ;;
	esac
	sed "$4" "$3" >"$work/copy/$3"
	(cd "$work/copy" && "rule_$1") | grep -q -v -x -F -f "$work/out"
	ok $? "noticed: $2"
}

check verbs "every verb has a page with its sections and examples, and perfmon(1) lists it"
planted verbs "a verb without a page" common/cli/verbs.def '$a\
PM_VERB(fly, CARE, 0, "", "leave the ground")'
planted verbs "a page without EXAMPLES" man/perfmon-stop.1 's/^\.SH EXAMPLES$/.SH NOTES/'
planted verbs "a page with one example" man/perfmon-schema.1 '0,/^\.nf$/s///'
planted verbs "examples of something else" man/perfmon-drop.1 '/^\.SH EXAMPLES$/,$s/drop/delete/'
planted verbs "options that are written by hand" man/perfmon-drop.1 '/BEGIN man-options/d'
planted verbs "a page that is not installed" man/Makefile.inc 's|man/perfmon-drop.1||'
planted verbs "a verb that perfmon(1) does not list" man/perfmon.1 '/^\.BR perfmon\\-drop (1)$/d'

check width "no line of a page is wider than 80 columns" groff
planted width "an example that is too wide" man/perfmon-run.1 '0,/^perfmon \\-a run/s//perfmon \\-q \\-a run \\-\\-sample 1s \\-\\-reap\\-orphans \\-\\-args none \\-\\-tags op:remap/' groff
check groff "groff has no warnings of pages" groff
planted groff "a macro that does not exist" man/perfmon-run.1 's/^\.PP$/.PQ/' groff
check mandoc "mandoc has no warnings of pages" mandoc
planted mandoc "an empty paragraph" man/perfmon-run.1 '/^\.SH EXIT STATUS/a\
.PP' mandoc
check users "pages for users name no tests"
planted users "a page that cites a test" man/perfmon-run.1 '$a\
See tests/e2e/wrapper/run.t.'
check references "pages refer to pages that exist"
planted references "a reference to a page that does not exist" man/perfmon-run.1 's/perfmon\\-report (1)/perfmon\\-fly (1)/'
planted references "a reference with a blank" man/perfmon-run.1 's/perfmon\\-report (1)/"perfmon report" (1)/'

done_testing
