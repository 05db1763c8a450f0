#!/bin/sh
# report --pdf: every number of the text report, SKA's pages, outline, links, fonts, size; what was not sampled and why.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

golden=$abs_top_srcdir/tests/golden/report
cp -R "$golden/busy" "$golden/counted" "$golden/killed" "$golden/empty" . && chmod -R u+w busy counted killed empty
if ! grep -q 'define HAVE_CAIRO 1' "$abs_top_builddir/config.h"; then
	"$PERFMON" report --pdf a.pdf busy >out 2>err
	is "$? $(grep -c 'plots need cairo and pango, without which this perfmon was built' err) $(ls ./*.pdf 2>/dev/null)" "1 1 " \
		"a build without cairo says what is missing"
	done_testing
fi
if ! need python3 qpdf pdftotext pdfinfo pdffonts; then
	skip "the PDF" "no $missing"
	done_testing
fi
look="$abs_top_srcdir/tests/e2e/report/plotjob.py"
python3 "$look" make two 2 60

# titles FILE: the title of each page, below the job's line.
titles()
{
	page=1
	while [ $page -le "$(pdfinfo "$1" | awk '$1 == "Pages:" { print $2 }')" ]; do
		pdftotext -f $page -l $page -layout "$1" - | grep -o -E '^ *(CPU, memory, bandwidth|Network|Interconnect|Power|Processes of the job|Storage|GPUs): [a-z ]*$' |
			tail -n 1 | sed 's/^ *//; s/ *$//'
		page=$((page + 1))
	done
}

# --- numbers ------------------------------------------------------------------------------------------
for job in busy counted killed empty two; do
	"$PERFMON" report --pdf $job.pdf $job >out 2>err
	status=$?
	pdftotext -layout $job.pdf $job.txt
	"$PERFMON" report --width 80 $job >$job.report
	LC_ALL=C.UTF-8 "$PERFMON" report --width 200 $job >$job.wide
	is "$status $(cat out err)|$(python3 "$look" numbers $job.report $job.txt | tr '\n' ' ')|$(python3 "$look" numbers $job.wide $job.txt | tr '\n' ' ')" "0 ||" "$job: the PDF has every number of the report"
	is "$(qpdf --check $job.pdf 2>&1 | grep -c 'No syntax or stream encoding errors')" 1 "and qpdf finds no fault"
done
"$PERFMON" report --all --pdf all.pdf two && "$PERFMON" report --all two >all.report && pdftotext -layout all.pdf all.txt
is "$(python3 "$look" numbers all.report all.txt | tr '\n' ' ')" "" "--all"
test "$(python3 "$look" numbers busy.report killed.txt | wc -l)" -gt 20
ok $? "noticed: numbers of another job are missing"
sed 's/[0-9][0-9]* kB/9 kB/' busy.txt >changed.txt
test -n "$(python3 "$look" numbers busy.report changed.txt)"
ok $? "noticed: changed numbers"
is "$(grep -c -e '^ *Advice$' -e '^ *Summary$' -e '^ *Programs by CPU time$' busy.txt)" 3 "and its sections"

# --- pages --------------------------------------------------------------------------------------------
is "$(titles two.pdf)" "CPU, memory, bandwidth: all nodes
Network: all nodes
Interconnect: all nodes
Power: all nodes
Processes of the job: all nodes
CPU, memory, bandwidth: per node
Network: per node
Interconnect: per node
Power: per node
Processes of the job: per node" "SKA's pages in their order"
for name in "Average CPU Load, 2 nodes" "Average Memory, 2 nodes" "Average Memory Bandwidth (Read)" "Total Output Traffic, 2 nodes" \
	"Total Input Traffic, 2 nodes" "Total Packets Output, 2 nodes" "Total Packets Input, 2 nodes" "Total Interconnect Output Traffic, 2 nodes" \
	"Total Interconnect Input Traffic, 2 nodes" "Total Interconnect Packets Output, 2 nodes" "Total Interconnect Packets Input, 2 nodes" \
	"Total RAPL Package Power, 2 nodes" "Total RAPL DRAM Power" "Total RAPL Core Power" "Total RAPL Uncore Power" "CPU Load per node" "Memory per node" \
	"Memory Bandwidth (Read) per node" "Output Traffic per node" "Input Traffic per node" "Packets Output per node" "Packets Input per node" \
	"Interconnect Output Traffic per node" "Interconnect Input Traffic per node" "Interconnect Packets Output per node" \
	"Interconnect Packets Input per node" "RAPL Package Power per node" "RAPL DRAM Power per node" "RAPL Core Power per node" "RAPL Uncore Power per node"; do
	grep -q -F "$name" two.txt || echo "$name"
done >missing
is "$(cat missing)" "" "with every plot of it"
is "$(grep -c -E 'mean [^,]*, max ' two.txt) $(grep -c 'mean 75.0 %, max 75.0 %' two.txt)" "26 1" "their titles have mean and maximum"
pages=$(pdfinfo two.pdf | awk '$1 == "Pages:" { print $2 }')
is "$(grep -c "page [0-9]* of $pages" two.txt) $(grep -o "page [0-9]* of $pages" two.txt | sort -u | wc -l)" "$pages $pages" "page numbers"
is "$(grep -c -E 'Job ID: 9 .*User: tester .*Nodes: 2 .*Date: 2023-11-14 22:13:20 UTC' two.txt)" "$pages" "a header on each page"
qpdf --json --json-key=outlines two.pdf | python3 -c '
import json, sys
def titles(l, depth=0):
    for x in l:
        print("%s%s" % ("." * depth, x["title"]), x["destpageposfrom1"] > 0)
        titles(x["kids"], depth + 1)
titles(json.load(sys.stdin)["outlines"])' >outline
is "$(sed -n '1p; $p' outline | tr '\n' '|') $(grep -c '^[.]Summary True' outline) $(grep -c -v True outline)" \
	"Report True|.Processes of the job: per node True| 1 0" "the outline leads to sections and pages"
qpdf --qdf --object-streams=disable two.pdf - | grep -c -a '/Subtype /Link' >links
is "$(cat links)" $((11 + pages - 1)) "links: the contents to each page, and each page to the contents"
is "$(pdffonts two.pdf | awk 'NR > 2 { print $(NF - 4) }' | sort -u)" yes "all fonts are in it"
is "$(pdfinfo two.pdf | grep -e '^Title' -e '^Page size' | tr -s ' ' | tr '\n' '|')" "Title: Job 9|Page size: 595.276 x 841.89 pts (A4)|" "it is called by its job, on A4"
"$PERFMON" report --paper letter --pdf letter.pdf two && qpdf --check letter.pdf >qpdf.out 2>&1
is "$? $(pdfinfo letter.pdf | grep '^Page size' | tr -s ' ')" "0 Page size: 612 x 792 pts (letter)" "or Letter"
"$PERFMON" report --pdf - two >stdout.pdf && qpdf --check stdout.pdf >qpdf.out 2>&1
ok $? "or standard output"

# --- not sampled --------------------------------------------------------------------------------------
is "$(grep -c 'Not sampled: rapl dram_energy: the kernel does not let this user read it (permission)' two.txt)" 2 "what was not sampled and why"
is "$(titles empty.pdf)" "CPU, memory, bandwidth: not sampled
Network: not sampled
Interconnect: not sampled
Power: not sampled" "a job without samples has a page in place of two"
is "$(grep -c 'no sampler ran beside the job' empty.txt)" 15 "which says of each plot why"

# --- size, names, words -------------------------------------------------------------------------------
python3 "$look" make long 12 3000
"$PERFMON" report --pdf long.pdf long && test "$(wc -c <long.pdf)" -le 2000000
ok $? "3000 samples of twelve nodes take less than 2 MB: $(wc -c <long.pdf)"
is "$(pdftotext long.pdf - | grep -c 'the highest and the lowest of 12 nodes')" 13 "of many nodes some have lines, which is told"
for name in '<b>&"quot' "$(printf '\377\300z')" "$(printf '\342\200\256rtl\342\200\250')" "$(printf 'a\tb\033[31m')" "$(printf '%0300d' 1)"; do
	rm -rf hostile && python3 "$look" make hostile 2 20 "$name"
	"$PERFMON" report --pdf h.pdf hostile >out 2>err
	is "$? $(cat out err) $(qpdf --check h.pdf 2>&1 | grep -c 'No syntax')" "0  1" "names with $(printf '%s' "$name" | cut -c 1-20 | tr -c ' -~\n' '?')"
done
while read -r words; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" report $words >out 2>err
	is "$? $(wc -c <out)" "2 0" "a usage error: report $words"
done <<'END'
--pdf a.pdf --json two
--pdf a.pdf --paper A0 two
--paper A4 two
--pdf a.pdf --user nobody
END
"$PERFMON" report --pdf nowhere/a.pdf two >out 2>err
is "$? $(grep -c 'nowhere/a.pdf: No such file' err) $(find . -name '*.svg.??????' -o -name '*.pdf.??????')" "1 1 " "a directory that is not there"

done_testing
