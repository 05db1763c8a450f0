#!/bin/sh
# Series files that come late: their samples are merged with those that the database has, whose files it does not store,
# and the rows are those of all files at once, whatever the split, the order and the versions; each is removed only once
# its samples are there.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need python3 sqlite3; then
	skip "late samples" "no $missing"
	done_testing
fi
"$abs_top_builddir/tests/progs/generate" meta 5 >/dev/null || exit 99

# A job of two hosts, a few files each, which overlap, grow, begin anew, have lines that are rejected, and samples of one
# time that differ. make.py SEED OUT: folders OUT/all and OUT/0, OUT/1, ..., whose files together are those of OUT/all; where a
# file is there in two versions, all has the longer one.
cat >make.py <<'EOT'
import os, random, shutil, sys
seed, out = int(sys.argv[1]), sys.argv[2]
rng = random.Random(seed)
kinds = [("counter", "cpu", "user", "cpu"), ("gauge", "memory", "used", ""), ("gauge", "test", "sparse", "o"), ("gauge", "test", "guest", ""),
    ("counter", "rapl", "package_energy", "package-0"), ("counter", "rapl", "dram_energy", "package-0/dram"), ("gauge", "nvidia", "power", "GPU-a")]
units = {"rapl": "uJ", "nvidia": "uW"}
files = {}
for host in ("n0", "n1"):
    parts = rng.randrange(1, 4)
    for part in range(parts):
        begin = rng.randrange(0, 1500)
        end = begin + rng.randrange(1, 2500)
        ids = list(range(len(kinds)))
        rng.shuffle(ids)
        text = ["perfmon-series-1\t%s\tboot-%s\t1000000\t.\n" % (host, host)]
        declare = ["series\t%d\t%s\t%s\t%s\t%s\t%s\t.\n" % (ids[i], k[1], k[2], k[3], units.get(k[1], "x"), k[0]) for i, k in enumerate(kinds)]
        text += declare
        same = rng.random() < .7  # times are those of the other files of the host
        for t in range(begin, end):
            wall = 1700000000000000 + t * 1000000 + (0 if same else rng.randrange(1, 900))
            mono = 5000000 + t * 1000000 + (0 if same else rng.randrange(1, 900))
            if rng.random() < .002:  # the sampler began anew
                text += ["perfmon-series-1\t%s\tboot-%s\t1000000\t.\n" % (host, host)] + declare
            pairs = []
            for i, k in enumerate(kinds):
                if k[2] == "sparse" and t % 37 or k[2] == "guest" and not 400 <= t < 900:
                    continue
                value = t * 1000 if k[0] == "counter" else 4096 * (t % 50)
                if rng.random() < .02:
                    value += rng.randrange(-3, 4)  # differs from the other files
                if rng.random() < .05:
                    pairs.append("%d=\\N%s" % (ids[i], rng.choice(("", ":late", ":absent", ":wrapped"))))
                else:
                    pairs.append("%d=%d" % (ids[i], value))
            text.append("tick\t%d\t%d\t%s\t.\n" % (wall, mono, " ".join(pairs)))
        if rng.random() < .2:
            text.insert(rng.randrange(6, len(text) + 1), "tick\tx%d\t.\n" % part)
        files["%s.%d.series" % (host, part)] = text
os.makedirs(out)
loads = rng.randrange(2, 5)
for name in ["all"] + [str(i) for i in range(loads)]:
    shutil.copytree("meta", os.path.join(out, name))
for name, text in files.items():
    versions = [text]
    if rng.random() < .4:
        versions.append(text[:rng.randrange(6, len(text) + 1)])
    open(os.path.join(out, "all", name), "w").writelines(text)
    for v in versions:
        at = os.path.join(out, str(rng.randrange(loads)), name)
        if not os.path.exists(at) or v is text:
            open(at, "w").writelines(v)
order = list(range(loads))
rng.shuffle(order)
open(os.path.join(out, "order"), "w").write(" ".join(map(str, order)) + "\n")
EOT

# What is compared: samples with all that is known of them, summaries, files; of their content what is stored.
cat >rows.sql <<'EOT'
SELECT h.hostname, s.source, s.metric, s.object, s.unit, s.kind, x.time_us, x.value, x.reason FROM sample x
	JOIN series s ON s.job_id = x.job_id AND s.id = x.series_id JOIN host h ON h.job_id = s.job_id AND h.id = s.host_id
	ORDER BY 1, 2, 3, 4, 5, 6, 7;
SELECT h.hostname, n.* FROM node_summary n JOIN host h ON h.job_id = n.job_id AND h.id = n.host_id ORDER BY 1;
SELECT h.hostname, n.* FROM energy n JOIN host h ON h.job_id = n.job_id AND h.id = n.host_id ORDER BY 1, 4;
SELECT energy_uj, energy_mean_uw, energy_peak_uw, energy_method, energy_hosts, energy_coverage FROM job;
SELECT h.hostname, s.source, s.metric, s.object, s.unit, s.kind FROM series s JOIN host h ON h.job_id = s.job_id AND
	h.id = s.host_id ORDER BY 1, 2, 3, 4, 5, 6;
SELECT h.hostname, l.file, l.digest, l.bytes, l.lines, l.rejected, (SELECT count(*) > 0 FROM content c WHERE
	c.job_id = l.job_id AND c.load_id = l.id) FROM load l LEFT JOIN host h ON h.job_id = l.job_id AND h.id = l.host_id
	ORDER BY 2, 3;
SELECT file, line, reason FROM reject ORDER BY 1, 2, 3;
EOT
# The numbers of hosts depend on the order.
rows() { sqlite3 "$1" <rows.sql | sed 's/^\(n[0-9]\)|\([0-9]*\)|\([0-9]*\)|/\1|/'; }

# round SEED: 0 if loading its parts one after the other, and removing each, gives the rows of all.
round()
{
	rm -rf made a.db* b.db*
	python3 make.py "$1" made || return
	PERFMON_DB=$work/a.db "$PERFMON" -q submit made/all >log 2>&1
	rows a.db >a.rows
	for n in $(cat made/order); do
		PERFMON_DB=$work/b.db "$PERFMON" -q submit --remove "made/$n" >>log 2>&1
		# What has rejected lines stays.
		if [ -e "made/$n" ] && ! grep -q "tick	x" "made/$n"/*.series 2>/dev/null &&
			grep -q '"stop"' "made/$n"/job-*.json; then
			echo "load $n was not removed"
			cat log
			return 1
		fi
	done
	rows b.db >b.rows
	cmp a.rows b.rows && PERFMON_DB=$work/b.db "$PERFMON" verify
}
bad=
for seed in ${PM_LATE_SEEDS:-1 2 3 4 5 6 7 8}; do
	round "$seed" >round.log 2>&1 || { bad="$bad $seed"; diag "seed $seed: $(head -n 5 round.log; diff a.rows b.rows | head -n 10)"; }
done
is "$bad" "" "eight jobs in parts, in some order: the rows of all files at once"
is "$(($(wc -l <a.rows) > 1000))" 1 "which are many"

# The content of a series file is not stored; that of others is.
is "$(sqlite3 a.db "SELECT count(*) FROM content c JOIN load l ON l.job_id = c.job_id AND l.id = c.load_id WHERE
	l.file LIKE '%.series' AND l.rejected = 0")" 0 "the database has the samples of a series file, not its text"
is "$(sqlite3 a.db "SELECT count(DISTINCT load_id) FROM content c JOIN load l ON l.job_id = c.job_id AND l.id = c.load_id WHERE
	l.file NOT LIKE '%.series'")" 2 "it has the text of the others"

# A longer file of the same name that does not begin with what is loaded is no later version of it.
file=$(find made/all -name '*.series' | sort | head -n 1)
for part in first second; do
	cp -r meta $part
	sed -n '1,8p' "$file" >"$part/n0.0.series"
done
sed -n '9,43p' "$file" >>first/n0.0.series
sed -n '60,160p' "$file" >>second/n0.0.series
rm -f e.db*
PERFMON_DB=$work/e.db "$PERFMON" -q submit first && PERFMON_DB=$work/e.db "$PERFMON" -q submit second
is "$(sqlite3 e.db "SELECT count(*), sum(lines) FROM load WHERE file = 'n0.0.series'; SELECT count(DISTINCT time_us) FROM sample" |
	tr '\n' ' ')" "2|152 $(cat first/n0.0.series second/n0.0.series | grep -c '^tick') " "files of one name with other content both count"

# A copy that was made while the sampler wrote, with its last line cut: the whole file has all of it, whichever comes
# first, and however often.
cp -r meta whole && cp "$file" whole/n0.0.series
cp -r meta cut && head -c "$(($(wc -c <"$file") - 30))" "$file" >cut/n0.0.series
for order in "whole cut" "cut whole" "whole cut cut" "cut whole cut"; do
	rm -f f.db*
	for part in $order; do
		PERFMON_DB=$work/f.db "$PERFMON" -q submit $part >out 2>&1 || :
	done
	echo "$(sqlite3 f.db "SELECT count(*), sum(lines), sum(rejected) FROM load WHERE file = 'n0.0.series'; SELECT count(*) FROM reject;
		SELECT count(DISTINCT time_us) FROM sample; SELECT rejected FROM job" | tr '\n' ' ')"
done | sort | uniq -c | tr -s ' ' >orders
is "$(cat orders)" " 4 1|$(grep -c . "$file")|0 0 $(grep -c '^tick' "$file") 0 " "a last line that was cut, of a file that is there whole"

# A sample that is not there keeps its source.
python3 make.py 1 lost
dir=lost/$(cut -d' ' -f1 lost/order)
rm -f c.db*
PERFMON_DB=$work/c.db "$PERFMON" -q submit "$dir" >out 2>&1
sqlite3 c.db "UPDATE sample_block SET first = first - step - 1 WHERE rowid = (SELECT min(rowid) FROM sample_block)"
PERFMON_DB=$work/c.db "$PERFMON" submit --remove "$dir" >out 2>err
is "$([ -e "$dir" ] && grep -c 'samples missing from the database: [0-9]' err)" 1 "a sample that differs keeps its source"
sqlite3 c.db "DELETE FROM sample_block WHERE rowid = (SELECT max(rowid) FROM sample_block)"
PERFMON_DB=$work/c.db "$PERFMON" submit --remove "$dir" >out 2>err
is "$([ -e "$dir" ] && grep -c 'samples missing from the database: [0-9]' err)" 1 "and so does one that is gone"

# Once the samples are deleted, a late file of the host says so.
cp -r meta retired && cp made/all/n0.0.series retired/
rm -f d.db*
PERFMON_DB=$work/d.db "$PERFMON" -q submit retired >out 2>&1
sqlite3 d.db 'DELETE FROM sample_block; DELETE FROM series; DELETE FROM tick_block'
sed 's/^tick\t17000\([0-9]*\)/tick\t17001\1/' made/all/n0.0.series >retired/n0.9.series
PERFMON_DB=$work/d.db "$PERFMON" submit retired >out 2>err
is "$?|$(grep -c 'n0.0.series, loaded from .*, is not stored any more' err)" "1|1" "what is deleted cannot be merged"

done_testing
