#!/bin/sh
# plot: series of a job as SVG, PDF and PNG, by SKA's names, on both engines; names that nobody chose kindly; what is missing.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

cp -R "$abs_top_srcdir/tests/golden/report/busy" busy && chmod -R u+w busy
if ! grep -q 'define HAVE_CAIRO 1' "$abs_top_builddir/config.h"; then
	"$PERFMON" plot memory -o a.svg busy >out 2>err
	is "$? $(grep -c 'plots need cairo and pango, without which this perfmon was built' err)" "1 1" "a build without cairo says what is missing"
	is "$("$PERFMON" plot --list busy 2>&1 | grep -c '^process.rss ')" 1 "and lists what there is"
	done_testing
fi
if ! need python3 qpdf; then
	skip "plots" "no $missing"
	done_testing
fi
look="$abs_top_srcdir/tests/e2e/report/plotjob.py"
python3 "$look" make two 2 60

# --- many CPUs ----------------------------------------------------------------------------------------
if need sqlite3 && PERFMON_DB=many.db "$PERFMON" -q submit two; then
	sqlite3 many.db "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 200)
		INSERT INTO series SELECT job_id, id + 1000 * n, host_id, source, metric, 'cpu' || (1000 + n), unit, kind
		FROM series, n WHERE source = 'cpu' AND object = ''"
	test "$(sqlite3 many.db "SELECT count(*) FROM series WHERE source = 'cpu' AND host_id = 1")" -gt 1024
	ok $? "a host of 200 CPUs"
	is "$(PERFMON_DB=many.db "$PERFMON" plot cpu_load -o many.svg '#1' 2>&1; echo $?; python3 "$look" svg many.svg | cut -c1-3)" "0
svg" "its CPUs together are plotted"
fi

# --- formats ------------------------------------------------------------------------------------------
"$PERFMON" plot cpu_load memory -o a.svg two >out 2>err
is "$? $(cat out err)" "0 " "two plots of a directory, without a database"
is "$(python3 "$look" svg a.svg)" "svg 510.23622pt 453.543307pt True" "a well-formed SVG of two charts"
# The first node is blue and solid, the second one vermilion and dashed, so that they differ in grey, too.
is "$(grep -c 'stroke:rgb(0%,44[.0-9]*%,69[.0-9]*%)' a.svg) $(grep 'stroke:rgb(83[.0-9]*%,36[.0-9]*%,0%)' a.svg | grep -c stroke-dasharray)" "4 4" \
	"lines by colours for the colour-blind, and by dashes"
"$PERFMON" plot memory -o b.PNG two && is "$(python3 "$look" png b.PNG)" "PNG 1417 630" "a PNG of 180 x 80 mm and 200 dpi"
"$PERFMON" plot memory cpu_load network.rx_bytes --combined --format png -o c two
is "$(python3 "$look" png c)" "PNG 1417 1890" "--format says what a name does not, three charts are three times as high"
"$PERFMON" plot memory -o a.pdf two && qpdf --check a.pdf >qpdf.out 2>&1
is "$? $(grep -c 'No syntax or stream encoding errors' qpdf.out)" "0 1" "a PDF that qpdf finds no fault with"
sed 's/endobj/endjob/' a.pdf >bad.pdf && ! qpdf --check bad.pdf >qpdf.out 2>&1
ok $? "noticed: one with a fault"
"$PERFMON" plot memory --format svg -o - two >d.svg
"$PERFMON" plot memory -o e.svg two
cmp -s d.svg e.svg && test -s d.svg
ok $? "- is standard output"
mkfifo pipe && { cat pipe >f.svg & "$PERFMON" plot memory -o pipe --format svg two; wait; } && cmp -s f.svg e.svg && test -p pipe
ok $? "a pipe is written to and stays one"
if need pdftotext; then
	pdftotext a.pdf a.txt
	is "$(grep -c -e 'Memory per node' -e 'mean 1.50 GB per node, max 2.00 GB' a.txt)" 2 "its title has mean and maximum"
	is "$(grep -c 'gaps, .* in all' a.txt)" 1 "gaps are told"
	"$PERFMON" plot cpu_load output_traffic package_power --combined -o b.pdf two && pdftotext b.pdf b.txt
	is "$(grep -o 'mean [0-9.]* [%A-Za-z/]*, max [0-9.]* [%A-Za-z/]*' b.txt | tr '\n' '|')" \
		"mean 75.0 %, max 75.0 %|mean 3.00 kB/s, max 3.00 kB/s|mean 200 W, max 200 W|" "combined: averages and totals"
	"$PERFMON" plot memory.used --binary -o b.pdf two && pdftotext b.pdf b.txt
	is "$(grep -o 'max [0-9.]* [A-Za-z]*' b.txt)" "max 1.86 GiB" "--binary"
	"$PERFMON" plot 'rapl.package_energy:*' rapl.package_energy:package-1 -o b.pdf two && pdftotext b.pdf b.txt
	is "$(grep -c -e '^rapl.package_energy:[*] per object' -e 'mean 50.0 W per object' b.txt)" 2 "objects are told from nodes"
	is "$(grep -o 'n[01] package-[01]' b.txt | sort | tr '\n' '|')$(grep -c 'max 50.0 W' b.txt)" "n0 package-0|n0 package-1|n1 package-0|n1 package-1|2" \
		"a line for each object, or one of them"
	"$PERFMON" plot network.tx_bytes --scale linear -o b.pdf two && pdftotext b.pdf b.txt
	"$PERFMON" plot network.tx_bytes -o c.pdf two && pdftotext c.pdf c.txt
	is "$(grep -c '^1.5 kB/s' b.txt) $(grep -c '^1.5 kB/s' c.txt) $(grep -c '^10 kB/s' c.txt)" "1 0 1" "scales: linear, and by itself logarithmic for bytes that move"
else
	skip "texts" "no $missing"
fi

# --- SKA's files --------------------------------------------------------------------------------------
"$PERFMON" plot --all -d plots two >out 2>err
is "$? $(cat err)" "0 " "all plots"
(cd plots && find . -type f | sed 's|./||' | sort) >files
is "$(cat files)" "$(sed 's|plots/||' out | sort)" "their files are told"
LC_ALL=C sort >want <<'END'
Average_CPU_Load_all_nodes.png
CPU_Load_per_node.png
Average_Memory_all_nodes.png
Memory_per_node.png
Total_Output_Traffic_all_nodes.png
Output_Traffic_per_node.png
Total_Input_Traffic_all_nodes.png
Input_Traffic_per_node.png
Total_Packets_Output_all_nodes.png
Packets_Output_per_node.png
Total_Packets_Input_all_nodes.png
Packets_Input_per_node.png
Total_Interconnect_Output_Traffic_all_nodes.png
Interconnect_Output_Traffic_per_node.png
Total_Interconnect_Input_Traffic_all_nodes.png
Interconnect_Input_Traffic_per_node.png
Total_Interconnect_Packets_Output_all_nodes.png
Interconnect_Packets_Output_per_node.png
Total_Interconnect_Packets_Input_all_nodes.png
Interconnect_Packets_Input_per_node.png
Total_RAPL_Package_Power_all_nodes.png
RAPL_Package_Power_per_node.png
END
is "$(grep -v -e with_the_Job -e of_the_Job files)" "$(cat want)" "by the names that SKA's sampler gives them"
is "$(grep -c -e with_the_Job -e of_the_Job files)" 4 "and two of the job's own processes"
"$PERFMON" -v plot --all --format svg -d vectors two 2>err >out
is "$(find vectors -name '*.svg' | wc -l) $(grep -c 'RAPL DRAM Power: Not sampled: rapl dram_energy: the kernel does not let this user read it (permission)' err)" "26 1" \
	"as SVG; -v tells of each that is missing"

# --- list ---------------------------------------------------------------------------------------------
"$PERFMON" plot --list two >out 2>err
is "$(awk '$1 == "cpu_load" || $1 == "dram_power" { print $1, $NF }' out | tr '\n' '|')$(awk '$1 == "rapl.package_energy"' out | tr -s ' ')" \
	"cpu_load 104|dram_power 0|rapl.package_energy uJ counter 2 2 208 208" "what can be plotted"
"$PERFMON" plot --list --json two | python3 -c '
import json, sys
x = json.load(sys.stdin)
print({p["plot"]: p["known"] for p in x["plots"]}["memory"], [s for s in x["series"] if s["metric"] == "dram_energy"])' >out
is "$(cat out)" "104 [{'source': 'rapl', 'metric': 'dram_energy', 'unit': 'uJ', 'kind': 'counter', 'nodes': 2, 'objects': 1, 'values': 2, 'known': 0}]" "as JSON"
# The manual page has every plot.
sed -n 's/^PM_PLOT(\([a-z_]*\),.*/\1/p' "$abs_top_srcdir/report/plot/plots.def" >plots.all
is "$(while read -r plot; do grep -q -w "$plot" "$abs_top_srcdir/man/perfmon-plot.1" || echo "$plot"; done <plots.all)" "" "the manual page has every plot"

# --- what cannot be drawn -----------------------------------------------------------------------------
while read -r words; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" plot $words >out 2>err
	is "$? $(wc -c <out) $(wc -l <err)" "2 0 1" "a usage error: plot $words"
done <<'END'
two
memory two
memory -o a.gif two
memory --format gif -o a two
memory --scale cubic -o a.svg two
nothing memory -o a.svg two
--all two
--all memory -d plots two
--all -d plots -o a.svg two
--list -o a.svg two
--list memory two
memory -d plots -o a.svg two
memory --json -o a.svg two
END
rm -rf out.svg
"$PERFMON" plot dram_power edac.corrected -o out.svg two >out 2>err
is "$? $(grep -c 'Not sampled' err) $(grep -c 'nothing to plot' err)" "1 2 1" "what was not sampled, and why"
test ! -e out.svg
ok $? "no file is made of it"
"$PERFMON" plot dram_power memory -o out.svg two >out 2>err
is "$? $(grep -c '1 of 2 metrics were not sampled' err) $(python3 "$look" svg out.svg | cut -d ' ' -f 1)" "1 1 svg" "one of two"
"$PERFMON" plot memory -o missing/a.svg two >out 2>err
is "$? $(grep -c 'missing/a.svg: No such file' err)" "1 1" "a directory that is not there"
"$PERFMON" plot memory -o /dev/full --format svg two >out 2>err
is "$? $(grep -c 'No space left' err)" "1 1" "a disk that is full"
"$PERFMON" plot memory -o . --format svg two >out 2>err
is "$? $(grep -c 'Is a directory' err)" "1 1" "a directory in the place of a file"
is "$(find . -name '*.svg.??????' -o -name '*.pdf.??????')" "" "nothing is left of them"
echo '<fontconfig></fontconfig>' >fonts.conf
FONTCONFIG_FILE=$work/fonts.conf "$PERFMON" plot memory -o out.svg two >out 2>err
is "$? $(grep -c 'plots need fonts' err)" "1 1" "a host without fonts"
"$PERFMON" plot memory -o out.svg "$abs_top_srcdir/tests/golden/report/empty" >out 2>err
is "$? $(grep -c 'no sampler ran beside the job' err)" "1 1" "a job without samples"

# --- names --------------------------------------------------------------------------------------------
for name in '<b>&"quot' '</text><script>' "$(printf '\377\300z')" "$(printf '\342\200\256rtl\342\200\250')" '%s%n$(x)' "$(printf 'a\tb\033[31m')" "$(printf '%0300d' 1)"; do
	rm -rf hostile && python3 "$look" make hostile 2 20 "$name"
	"$PERFMON" plot memory 'rapl.package_energy:*' -o h.svg hostile >out 2>err
	status=$?
	"$PERFMON" plot memory 'rapl.package_energy:*' -o h.pdf hostile >>out 2>>err
	is "$status $? $(cat out err) $(python3 "$look" svg h.svg | cut -d ' ' -f 1) $(qpdf --check h.pdf 2>&1 | grep -c 'No syntax')" "0 0  svg 1" \
		"names with $(printf '%s' "$name" | cut -c 1-20 | tr -c ' -~\n' '?')"
done

# --- engines ------------------------------------------------------------------------------------------
PERFMON_DB=$work/a.db
export PERFMON_DB
"$PERFMON" -q submit two && "$PERFMON" plot memory cpu_load package_power -o db.svg 9 && "$PERFMON" plot memory cpu_load package_power -o dir.svg two
cmp -s db.svg dir.svg
ok $? "of a database and of a directory: the same"
"$PERFMON" plot memory -o 9.svg 9 && "$PERFMON" plot memory -j 9 -o j.svg && cmp -s 9.svg j.svg
ok $? "a job by its name"
postgres_needed "plots from PostgreSQL"
postgres_sql postgres -c "CREATE DATABASE plots" && "$PERFMON" -q copy "$work/a.db" "$(postgres_url plots)"
PERFMON_DB=$(postgres_url plots) "$PERFMON" plot memory cpu_load package_power -o pg.svg 9
cmp -s pg.svg db.svg
ok $? "of PostgreSQL: the same"
PERFMON_DB=$(postgres_url plots) "$PERFMON" plot --list 9 >pg.list
"$PERFMON" plot --list 9 | cmp -s - pg.list
ok $? "and the same list"
done_testing
