#!/bin/sh
# perfmon schema: both dialects load in their engines, and views say the same in both.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

"$PERFMON" schema >sqlite.sql 2>err
is "$?|$(cat err)" "0|" "perfmon schema"
cmp -s sqlite.sql "$abs_top_srcdir/sql/schema-sqlite.sql"
ok $? "is the committed one"
"$PERFMON" schema --dialect=postgresql >postgres.sql
cmp -s postgres.sql "$abs_top_srcdir/sql/schema-postgres.sql"
ok $? "and for PostgreSQL"
"$PERFMON" schema --dialect=oracle >out 2>err
is "$?|$(cat out)" "2|" "a dialect that is none"
"$PERFMON" schema more >out 2>err
is $? 2 "operands"

if ! need python3; then
	skip "views" "no $missing"
	done_testing
fi
"$abs_top_builddir/tests/progs/generate" job 300 2 >/dev/null || exit 99
PERFMON_DB=$work/x.db "$PERFMON" submit job >/dev/null 2>err || exit 99

python3 -c '
import sqlite3
db = sqlite3.connect("new.db")
db.executescript(open("sqlite.sql").read())
loaded = sqlite3.connect("x.db")
q = "select name, sql from sqlite_master order by name"
assert db.execute(q).fetchall() == loaded.execute(q).fetchall()
assert db.execute("select * from metric").fetchall() == loaded.execute("select * from metric").fetchall()
'
ok $? "a database has the schema printed"
is "$(python3 -c '
import sqlite3
db = sqlite3.connect("x.db")
print(db.execute("select count(*) from thread").fetchone()[0], db.execute("select threads from job").fetchone()[0])')" \
	"$(python3 -c '
import sqlite3
n = sqlite3.connect("x.db").execute("select (select count(*) from process p where not exists (select 1 from thread_row t where t.process_id = p.id)) + (select count(*) from thread_row)").fetchone()[0]
print(n, n)')" "the view thread shows every thread once"

# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
postgres_needed "PostgreSQL"
postgres_sql postgres -f postgres.sql >out 2>&1
ok $? "PostgreSQL takes the schema"
diag "$(head -n 5 out)"

# The same rows in both: every view and table reads alike.
python3 - >rows.sql <<'EOF'
import sqlite3
db = sqlite3.connect("x.db")
tables = ["job", "host", "process", "thread_row", "counter", "tag_set", "annotation", "series", "tick_block", "sample_block",
          "load", "reject"]
for t in tables:
    cursor = db.execute("select * from %s" % t)
    names = ", ".join('"%s"' % c[0] for c in cursor.description)
    for row in cursor:
        values = ("NULL" if v is None else repr(v) if isinstance(v, (int, float)) else
                  "'\\x%s'" % v.hex() if isinstance(v, bytes) else "'%s'" % v.replace("'", "''")
                  for v in row)
        print("INSERT INTO %s (%s) VALUES (%s);" % (t, names, ", ".join(values)))
EOF
postgres_sql postgres -1 -f rows.sql >out 2>&1
ok $? "it takes the rows"
diag "$(head -n 5 out)"
for view in job_summary process_tree thread counter_summary operation tag; do
	case $view in
	thread) order="process_id, id" ;;
	counter_summary) order="job_id, name" ;;
	operation) order="job_id, name, value" ;;
	tag) order="job_id, process_id, name" ;;
	*) order=id ;;
	esac
	postgres_sql postgres -F '|' -c "SELECT * FROM $view ORDER BY $order" >pg.out 2>err
	python3 - "SELECT * FROM $view ORDER BY $order" >lite.out <<-'EOF'
	import sqlite3, sys
	def text(v):
	    return "" if v is None else str(v)
	for row in sqlite3.connect("x.db").execute(sys.argv[1]):
	    print("|".join(map(text, row)))
	EOF
	# Decimals are printed with and without zeros at their end.
	python3 - <<-'EOF'
	import sys
	def norm(name):
	    rows = []
	    for line in open(name):
	        row = []
	        for f in line.rstrip("\n").split("|"):
	            try:
	                row.append(float(f))
	            except ValueError:
	                row.append(f)
	        rows.append(row)
	    return rows
	a, b = norm("pg.out"), norm("lite.out")
	if a != b or not a:
	    print("#", len(a), len(b), [(x, y) for x, y in zip(a, b) if x != y][:1])
	    sys.exit(1)
	EOF
	ok $? "the view $view says the same in both"
done
done_testing
