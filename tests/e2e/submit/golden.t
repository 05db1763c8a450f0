#!/bin/sh
# Files of every format version load to the same rows for ever: tests/golden/v*/.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

if ! need python3; then
	skip "golden files" "no $missing to look into the database with"
	done_testing
fi

cat >dump.py <<'EOF'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
skip = {("load", "loaded_us"), ("load", "source"), ("process", "tag_set"), ("sample", "block_id"),
        ("sample", "block_begin_us"), ("sample", "block_end_us"), ("sample", "monotonic_us")}
for table, order in (("job", "id"), ("host", "id"), ("process", "id"), ("thread_row", "process_id, id"),
                     ("counter", "process_id, thread_id, name"), ("tag", "process_id, name"),
                     ("series", "id"), ("sample", "series_id, time_us"), ("phase", "host_id, id"), ("lost", "host_id, reason"),
                     ("folded_program", "host_id, exename"), ("folded_wait", "host_id, key"),
                     ("excluded_program", "host_id, exename"), ("load", "id"), ("reject", "id")):
    cursor = db.execute("select * from %s order by %s" % (table, order))
    names = [c[0] for c in cursor.description]
    for row in cursor:
        print(table, " ".join("%s=%r" % (n, round(v, 9) if isinstance(v, float) else v)
                              for n, v in zip(names, row) if v is not None and (table, n) not in skip))
EOF
found=0
for golden in "$abs_top_srcdir"/tests/golden/v*; do
	version=${golden##*/}
	found=$((found + 1))
	mkdir "$version" && cp "$golden"/job/* "$version" || exit 99
	PERFMON_DB=$work/$version.db "$PERFMON" submit "$version" >out 2>err
	is "$?|$(cat err)" "1|" "$version loads; its cut line is rejected"
	python3 dump.py "$version.db" >got
	cmp -s got "$golden/expected"
	ok $? "$version gives the rows it always gave"
	diag "$(diff "$golden/expected" got | head -n 10)"
	PERFMON_DB=$work/$version.db "$PERFMON" submit "$version" >out 2>err
	is "$?|$(cat out)" "0|job 77_3: already loaded, nothing new" "$version again: nothing to do"
done
[ $found -gt 0 ]
ok $? "there are golden files"
done_testing
