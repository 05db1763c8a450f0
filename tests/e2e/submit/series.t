#!/bin/sh
# Series and records of a job of many nodes: what a load costs grows with them, and finding nodes and series costs
# little of it. `make check-submit` loads 1 000 nodes with 400 series each, and counts the instructions of more.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need python3 sqlite3; then
	skip "series of many nodes" "no $missing"
	done_testing
fi

# make DIR NODES SERIES TICKS: metadata of the first node, series of each, and records of all in one file by turns.
make()
{
	python3 - "$abs_top_srcdir/tests/golden/report/killed" "$@" <<'END' || exit 99
import glob, json, os, sys
golden, to, nodes, series, ticks = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
os.mkdir(to)
boot = "00000000-0000-4000-8000-%012d"
for h in range(nodes):
    with open("%s/n%05d.series" % (to, h), "w") as f:
        f.write("perfmon-series-1\tn%05d\t%s\t1000000\t.\n" % (h, boot % h))
        for i in range(series):
            f.write("series\t%d\tcpu\tm%d\tcpu%d\tpercent\tgauge\t.\n" % (i, i % 20, i // 20))
        for k in range(1, ticks + 1):
            f.write("tick\t%d\t%d\t%s\t.\n" % (1763690000000000 + k * 1000000, k * 1000000,
                    " ".join("%d=%d" % (i, (h * k + i) % 100) for i in range(series))))
meta = json.load(open(glob.glob(golden + "/job-*.json")[0]))
meta["host"].update(hostname="n00000", boot_id=boot % 0)
meta["job"].update(jobid="9")
json.dump(meta, open(to + "/job-n00000.json", "w"))
lines = open(glob.glob(golden + "/*.tsv")[0]).read().split("\n")
head = lines[0].split("\t")
with open(to + "/all.tsv", "w") as f:
    f.write(lines[0] + "\n")
    for line in lines[1:]:
        field = line.split("\t")
        if len(field) != len(head) or field[1] not in ("start", "end"):
            continue
        for h in range(nodes):
            field[head.index("boot_id")], field[head.index("hostname")] = boot % h, "n%05d" % h
            f.write("\t".join(field) + "\n")
END
}

nodes=${PM_SERIES_NODES:-12} series=${PM_SERIES:-50}
make job "$nodes" "$series" 10
PERFMON_DB=$work/job.db "$PERFMON" submit job >out 2>err
is "$?|$(grep -c ' 0 rejected' out)" "0|1" "a job of $nodes nodes with $series series"
images=$(sqlite3 job.db 'SELECT count(*) / (SELECT count(DISTINCT host_id) FROM process) FROM process')
is "$(sqlite3 job.db 'SELECT count(*), count(DISTINCT hostname), count(DISTINCT boot_id) FROM host;
	SELECT count(*), count(DISTINCT host_id), max(id) FROM series;
	SELECT count(*), count(DISTINCT series_id), sum(value) FROM sample;
	SELECT count(DISTINCT host_id), count(*) FROM process')" \
	"$nodes|$nodes|$nodes
$((nodes * series))|$nodes|$((nodes * series))
$((nodes * series * 10))|$((nodes * series))|$(python3 -c "
print(sum((h * k + i) % 100 for h in range($nodes) for k in range(1, 11) for i in range($series)))")
$nodes|$((nodes * images))" "each value is that of its series, each series of its node"
[ "$images" -gt 1 ]
ok $? "and so is each process"

# --- samples that are given back as they are written ----------------------------------------------
# load NAME [WORD...]: prints how often space was given back, where that can be traced.
load()
{
	name=$1
	shift
	cp -R hours "$name" && rm -f trace
	set -- "$PERFMON" -q submit --db "$name.db" "$@" "$name"
	[ "$traced" = no ] || set -- strace -f -qq -e trace=fallocate -o trace "$@"
	"$@" >out 2>err || cat err
	[ "$traced" = no ] || grep -c PUNCH_HOLE trace
}
traced=no
[ "${PM_SANITIZED:-no}" = no ] && need strace && strace -qq true 2>/dev/null && traced=yes
"$abs_top_builddir/tests/progs/generate" --jobid 9 hours 40 2 >/dev/null || exit 99
sleep 2 &
mkdir recorded && "$PERFMON" sample -d recorded -i 250ms --pid $! &&
	"$abs_top_builddir/tests/progs/replay" recorded/*.series 2 1 9 hours 2>made || exit 99
given=$(load given) kept=$(load kept --remove)
if [ "$traced" = yes ]; then
	# Content that is not stored goes back in either case.
	ok $((given <= kept)) "the space of a large job's samples is given back as they are written, unless they are needed again"
	diag "$given parts given back, $kept with --remove, of $(sed 's/ .*//' made) samples"
else
	skip "the space of a large job's samples is given back as they are written" "nothing can be traced"
fi
is "$(python3 - <<'END'
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["abs_top_srcdir"] + "/tests/e2e")
from database_content import content
given, kept = content("given.db"), content("kept.db")
print(len(given["sample_block"]) > 1000, [t for t in given if t != "load" and given[t] != kept[t]])
END
)" "True []" "and each sample is what it is where the space is kept"
is "$(find kept -name '*.series') $("$PERFMON" verify --db given.db 2>&1 | tail -n 1)" " given.db: 1 job checked, 0 faults" \
	"and compared with the files before they are removed"

if [ "${PM_SANITIZED:-no}" = yes ] || ! need valgrind callgrind_annotate; then
	skip "instructions" "${missing:+no $missing}${missing:-sanitizers}"
	done_testing
fi
# cost DIR: the instructions of its load, and those of functions that look for nodes and series.
cost()
{
	PERFMON_DB=$work/$1.db valgrind -q --tool=callgrind --callgrind-out-file="$1.cg" "$PERFMON" -q submit "$1" || return
	callgrind_annotate --threshold=100 --auto=no "$1.cg" >"$1.by"
	awk '{ gsub(",", "") } / PROGRAM TOTALS/ { all = $1 }
		/:(pm_set_|pm_index_|find_series|series_hash|id_hash|host_at|host_hash|is_host|space_at|find_space|pm_images_host)/ { finding += $1 }
		END { print all, finding }' "$1.by"
}
counted=${PM_SERIES_COUNTED:-20}
make once "$counted" "${PM_SERIES:-100}" 10
make twice $((2 * counted)) "${PM_SERIES:-100}" 10
# shellcheck disable=SC2046 # words
set -- $(cost once) $(cost twice)
[ $# -eq 4 ] && [ "$1" -gt 0 ] && [ "$4" -gt 0 ] || exit 99
[ $((10 * $3)) -le $((21 * $1)) ]
ok $? "twice the nodes cost at most 2.1 times as much"
diag "$1 and $3 instructions"
[ $((20 * $4)) -le "$3" ]
ok $? "of which finding nodes and series is at most a twentieth"
diag "$4 of $3"
done_testing
