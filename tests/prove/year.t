#!/bin/sh
# A year of a site, of which each night retires what it keeps no longer: samples go after two weeks, processes after a
# month, the totals of programs after four, summaries stay. What is there at the end of each month is what those ages
# say, the database is sound, and it grows by no more than the summaries. A round is a year; times are moved, not the
# clock. Settings: PM_YEAR_STEP, the days from night to night (1; in a part of the proof 12).
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"

if ! need python3 sqlite3; then
	skip "a year of a site" "no $missing"
	done_testing
fi
if ! grep -q '^#define HAVE_ZLIB' "$abs_top_builddir/config.h"; then
	skip "a year of a site" "built without zlib"
	done_testing
fi
step=${PM_YEAR_STEP:-$([ "$PM_PROVE_PART" -eq 1 ] && echo 1 || echo 12)}
golden=$abs_top_srcdir/tests/golden/schema/job
"$abs_top_builddir/tests/progs/generate" "$work/plain" 30 >/dev/null || exit 99

# night DAY SEED: archives of the jobs that ended in the days before, day 365 being today: a few, one of them with samples.
cat >"$work/night.py" <<'EOF'
import io, os, random, re, sys, tarfile, time
day, step, seed, spool, sampled, plain = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:7]
rng = random.Random(seed * 1000 + day)
today = int(time.time()) // 86400 * 86400
for n in range(rng.randrange(2, 5) if day % (7 * step) else 1):
    source = sampled if n == 0 else plain
    files = {f: open(os.path.join(source, f), "rb").read() for f in sorted(os.listdir(source))}
    old = min(int(m) for data in files.values() for m in re.findall(rb"\b1[0-9]{15}\b", data))
    new = (today - (365 - day) * 86400 - rng.randrange(3600, 80000)) * 1000000
    jobid = str(100000 + day * 10 + n)
    with tarfile.open(os.path.join(spool, jobid + ".tgz"), "w:gz", compresslevel=1) as archive:
        for name, data in files.items():
            data = re.sub(rb"\b1[0-9]{15}\b", lambda m: b"%d" % (int(m.group()) - old + new), data)
            if name.startswith("job-"):
                data = re.sub(rb'"jobid": *"[^"]*"', b'"jobid":"%s"' % jobid.encode(), data)
                data = re.sub(rb'"user": *"[^"]*"', b'"user":"user%d"' % n, data)
            else:
                data = data.replace(b"\t4711\t", b"\t%s\t" % jobid.encode()).replace(b"\t11174-1\t", b"\t%s\t" % jobid.encode())
            member = tarfile.TarInfo("%s/%s" % (jobid, name))
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
EOF

# left DAY: the jobs of which something is there that should not be, or the reverse, as of that night.
left()
{
	today=$(($(date +%s) / 86400 * 86400 - (365 - $1) * 86400))
	sqlite3 year.db "SELECT what, count(*) FROM (
		SELECT 'samples' AS what, id, end_us, 14 AS days, EXISTS (SELECT 1 FROM sample_block WHERE job_id = j.id) AS there FROM job j
			WHERE \"user\" = 'user0'
		UNION ALL SELECT 'processes', id, end_us, 30, EXISTS (SELECT 1 FROM process WHERE job_id = j.id) FROM job j
		UNION ALL SELECT 'programs', id, end_us, 120, EXISTS (SELECT 1 FROM program_summary WHERE job_id = j.id) FROM job j)
		WHERE there <> (end_us >= ($today - days * 86400) * 1000000) GROUP BY what"
}

year()
{
	rm -rf spool year.db* sizes && mkdir spool
	PERFMON_DB=$PWD/year.db PERFMON_SPOOL_AGE=0
	export PERFMON_DB PERFMON_SPOOL_AGE
	day=0 jobs=0
	while [ $day -le 365 ]; do
		python3 "$work/night.py" $day "$step" "$1" spool "$golden" "$work/plain" || return 1
		jobs=$((jobs + $(find spool -maxdepth 1 -name '*.tgz' | wc -l)))
		"$PERFMON" -q submit --spool spool --remove || return 1
		# Ages count from the night, midnight.
		age=$(($(date +%s) - ($(date +%s) / 86400 * 86400 - (365 - day) * 86400)))
		"$PERFMON" -q retire --samples-older-than $((age + 14 * 86400))s --keep all &&
			"$PERFMON" -q retire --keep programs --older-than $((age + 30 * 86400))s &&
			"$PERFMON" -q retire --keep summary --older-than $((age + 120 * 86400))s || return 1
		if [ $((day / step % (30 / step + 1))) -eq 0 ]; then
			wrong=$(left $day)
			[ -z "$wrong" ] || { echo "day $day: $wrong"; return 1; }
			echo "$day $(sqlite3 year.db "SELECT count(*), (SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()) FROM job" | tr '|' ' ')" >>sizes
		fi
		day=$((day + step))
	done
	"$PERFMON" verify >verify.out 2>&1 || { tail -n 3 verify.out; return 1; }
	[ "$(sqlite3 year.db 'SELECT count(*) FROM job')" -eq $jobs ] || { echo "$jobs jobs, not all are there"; return 1; }
	# From the fifth month on only summaries are added.
	awk '$1 >= 150 && !began { began = 1; jobs = $2; bytes = $3 } { last_jobs = $2; last_bytes = $3 }
		END { printf "%d %d %d", last_jobs - jobs, last_bytes - bytes, last_bytes }' sizes >growth
	read -r more bytes all <growth
	finding "year $1" "$jobs jobs, $all bytes; $more summaries later $bytes more, $((bytes / (more > 0 ? more : 1))) each"
	[ $((bytes / (more > 0 ? more : 1))) -le 8192 ] || { echo "it grew by $bytes bytes for $more summaries"; return 1; }
}
rounds 1 year "a year in tiers"
done_testing
