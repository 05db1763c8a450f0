#!/bin/sh
# What perfmon compare says of real builds: RUNS with cc1 made slower by a tenth, RUNS with as, and RUNS as they are, which take turns;
# then of pairs of five drawn from those of one kind.
# A run compiles files of perfmon four times with make -j2.
#   bench/compare.sh BUILD-DIRECTORY [RUNS [PAIRS]]
# Needs gcc, make and python3 with sqlite3.
build=$(cd "${1:?usage: bench/compare.sh BUILD-DIRECTORY [RUNS [PAIRS]]}" && pwd) || exit 1
runs=${2:-10}
pairs=${3:-200}
source=$(cd "$(dirname "$0")/.." && pwd) || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/perfmon-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
PERFMON_OUTPUT_PREFIX=$work PERFMON_LIBRARY=$build/libperfmon.so PERFMON_DB=$work/compare.db PERFMON=$build/perfmon
export PERFMON_OUTPUT_PREFIX PERFMON_LIBRARY PERFMON_DB PERFMON
${CC:-cc} -O2 -shared -fPIC -o "$work/slower.so" "$source/bench/slower.c" || exit 1
mkdir "$work/objects" && cat >"$work/makefile" <<-END_OF_MAKEFILE
	sources := \$(wildcard $source/analysis/numbers/*.c $source/analysis/select/*.c $source/common/record/*.c)
	vpath %.c $source/analysis/numbers $source/analysis/select $source/common/record
	all: \$(notdir \$(sources:.c=.o)); ar rc all.a \$^
	%.o: %.c; gcc -O2 -std=gnu11 -D_GNU_SOURCE -DHAVE_CONFIG_H -I$source -I$build -c \$< -o \$@
END_OF_MAKEFILE
echo 'for n in 1 2 3 4; do make -s -B -j2 -f ../makefile all; done' >"$work/four.sh"

# run NAME VARIABLE...
run()
{
	name=$1
	shift
	(cd "$work/objects" && env "$@" "$PERFMON" -q -a -j "$name" run sh ../four.sh) >/dev/null 2>&1 || exit 1
	"$PERFMON" -q submit "$name" || exit 1
}

n=1
while [ "$n" -le "$runs" ]; do
	run "plain$n" SLOW_PART=0
	run "cc1_$n" LD_PRELOAD="$work/slower.so" SLOW_PROGRAM=cc1 SLOW_PART=0.1
	run "as_$n" LD_PRELOAD="$work/slower.so" SLOW_PROGRAM=as SLOW_PART=0.1
	n=$((n + 1))
done
python3 - "$pairs" <<'END_OF_PYTHON'
import json, os, random, sqlite3, subprocess, sys
db = sqlite3.connect(os.environ["PERFMON_DB"])
kinds = {k: [i for i, in db.execute("SELECT id FROM job WHERE jobid LIKE ? ORDER BY id", (k + "%",))] for k in ("plain", "cc1", "as")}
db.execute("UPDATE job SET name = name || id")  # no job is an earlier one of another
db.commit()
def differences(a, b):
    word = lambda ids: ",".join("#%d" % i for i in ids)
    x = json.loads(subprocess.run([os.environ["PERFMON"], "compare", "--json", word(a), word(b)], stdout=subprocess.PIPE, check=True).stdout)
    return x["figures"]
r = random.Random(1)
for kind, program in ("cc1", "cc1"), ("as", "as"):
    for n in sorted({min(5, len(kinds[kind])), len(kinds[kind])}):
        figures = differences(kinds["plain"][:n], kinds[kind][:n])
        noise = [(f["noise"] or 0) / f["a"] for f in figures if (f["name"] or "").endswith(program) and f["figure"] == "cpu_time"][0]
        print("%s, %d against %d, noise %.1f %%:" % (kind, n, n, 100 * noise),
              ", ".join("%s%s %+.1f %%" % (f["name"] + " " if f["name"] else "", f["figure"], 100 * f["change"]) for f in figures if f["differs"]) or "none")
if len(kinds["plain"]) < 10:
    sys.exit("pairs of five plain ones need ten of them")
called = 0
for _ in range(int(sys.argv[1])):
    chosen = r.sample(kinds["plain"], 10)
    called += any(f["differs"] for f in differences(chosen[:5], chosen[5:]))
print("of", sys.argv[1], "pairs of five plain ones a difference is called in", called)
END_OF_PYTHON
