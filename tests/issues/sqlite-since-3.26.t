#!/bin/sh
# One database file works with every SQLite since 3.26, that of RHEL 8: no table is STRICT, which older ones call
# malformed, and neither a statement nor a call of perfmon's is younger.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need sqlite3 python3 nm; then
	skip "SQLite since 3.26" "no $missing"
	done_testing
fi
PERFMON_DB=$work/x.db
export PERFMON_DB
"$PERFMON" -a -j one run true >out 2>err && "$PERFMON" submit >out 2>err || exit 99
is "$(sqlite3 x.db "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%STRICT%'")" 0 "no table is STRICT"

# Literals of the sources as the compiler joins them, but for PostgreSQL's own.
python3 - "$abs_top_srcdir" >younger <<'END'
import pathlib, re, sys
top = pathlib.Path(sys.argv[1])
# When each came: sqlite.org/changes.html.
younger = {
    r"\)\s*STRICT\b": "3.37",
    r"\bRETURNING\b": "3.35",
    r"\bGENERATED\s+ALWAYS\b": "3.31",
    r"(?<!DESC )\bNULLS\s+(FIRST|LAST)\b": "3.30",
    r"\bFILTER\s*\(\s*WHERE\b": "3.30, but in windows",
    r"\b(NOT\s+)?MATERIALIZED\b": "3.35",
    r"\bUPDATE\s+\w+\s+SET\b(?:(?!\bWHERE\b|\().)*\bFROM\b": "3.33",
    r"\b(RIGHT|FULL)\s+(OUTER\s+)?JOIN\b": "3.39",
    r"\bDROP\s+COLUMN\b": "3.35",
    r"\bIS\s+(NOT\s+)?DISTINCT\s+FROM\b": "3.39",
    r"\b(VACUUM\s+INTO|EXCLUDE\s+TIES|EXCLUDE\s+CURRENT)\b": "3.27, 3.28",
    r"\bsqlite_schema\b": "3.33",
    r"\bpragma_table_list\b|\bPRAGMA\s+table_list\b": "3.37",
    r"\b(iif|substring|sign|unixepoch|timediff|concat|concat_ws|string_agg|octet_length|unhex|median)\s*\(": "3.32 to 3.50",
    r"\b(ceil|ceiling|floor|ln|log10|log2|pow|power|sqrt|trunc|exp|mod|radians)\s*\(": "3.35",
    r"\bformat\s*\(": "3.38",
    r"\bjsonb\w*\s*\(|->>": "3.38, 3.45",
    r"\.aggregate\b|\bdbstat\s*\(": "3.31",
    r"\bquick_check\s*\(\s*\w": "3.33",
}
literal = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
verb = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|PRAGMA|FROM|WHERE|VALUES|ORDER BY)\b")
statements = 0
for folder in ("db", "sql", "submit", "report", "manage", "common", "wrapper"):
    for path in sorted((top / folder).rglob("*.[ch]")):
        # Dialects of PostgreSQL alone, and steps from versions that younger ones wrote.
        if "postgres" in path.parts or path.name.startswith("postgres") or path.name == "migrate.c":
            continue
        text = re.sub(r"/\*.*?\*/", " ", path.read_text(), flags=re.S)
        # Neighbours become one text; macros between them stand for a word.
        for run in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*(?:[A-Za-z_0-9]+\s*(?="))?)+', text):
            sql = "".join(literal.findall(run.group(0))).replace("\\n", " ").replace("\\t", " ")
            if not verb.search(sql) and not re.search(r"RETURNING|STRICT", sql):
                continue
            statements += 1
            for pattern, since in younger.items():
                if re.search(pattern, sql):
                    print(f"{path.relative_to(top)}: {re.search(pattern, sql).group(0)!r} is of SQLite {since}")
schema = (top / "sql/schema-sqlite.sql").read_text()
schema = re.sub(r"--[^\n]*", "", schema)
for pattern, since in younger.items():
    if re.search(pattern, schema):
        print(f"schema-sqlite.sql: {re.search(pattern, schema).group(0)!r} is of SQLite {since}")
if statements < 200:
    print(f"only {statements} statements were found")
END
is "$(cat younger)" "" "no statement uses what is younger"

cat >calls <<'END'
sqlite3_autovacuum_pages
sqlite3_carray_bind
sqlite3_changes64
sqlite3_create_filename
sqlite3_database_file_object
sqlite3_db_name
sqlite3_deserialize
sqlite3_drop_modules
sqlite3_error_offset
sqlite3_filename_database
sqlite3_filename_journal
sqlite3_filename_wal
sqlite3_free_filename
sqlite3_get_clientdata
sqlite3_hard_heap_limit64
sqlite3_is_interrupted
sqlite3_serialize
sqlite3_set_clientdata
sqlite3_set_errmsg
sqlite3_setlk_timeout
sqlite3_stmt_explain
sqlite3_stmt_isexplain
sqlite3_total_changes64
sqlite3_txn_state
sqlite3_uri_key
sqlite3_value_encoding
sqlite3_value_frombind
sqlite3_vtab_distinct
sqlite3_vtab_in
sqlite3_vtab_in_first
sqlite3_vtab_in_next
sqlite3_vtab_rhs_value
END
program=$PERFMON
nm -D "$program" >symbols 2>/dev/null
is "$(grep -o 'sqlite3_[a-z0-9_]*' symbols | grep -x -F -f calls)" "" "no call is younger"

# A database of version 1, whose tables are STRICT.
version=$(sqlite3 :memory: 'SELECT sqlite_version()')
case $version in
3.[0-9].* | 3.[12][0-9].* | 3.3[0-6].*) skip "STRICT tables of version 1" "SQLite $version cannot read them" ;;
*)
	sqlite3 one.db <"$abs_top_srcdir/tests/golden/schema/1.sql" || exit 99
	before=$(sqlite3 one.db 'SELECT count(*), sum(usertime), max(exename) FROM process')
	PERFMON_DB=$work/one.db "$PERFMON" migrate >out 2>err
	is "$?|$(sqlite3 one.db "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%STRICT%'; PRAGMA integrity_check")" "0|0
ok" "migrate makes plain tables of them" || diag "$(cat err)"
	is "$(sqlite3 one.db 'SELECT count(*), sum(usertime), max(exename) FROM process')" "$before" "whose rows stay"
	is "$(sqlite3 one.db "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND sql LIKE '%WITHOUT ROWID'")" \
		"$(sqlite3 x.db "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND sql LIKE '%WITHOUT ROWID'")" \
		"and which are kept by their key"
	PERFMON_DB=$work/one.db "$PERFMON" submit >out 2>err
	is "$?|$(PERFMON_DB=$work/one.db "$PERFMON" verify >out 2>&1; echo $?)" "0|0" "a job can be loaded into them" ||
		diag "$(cat err out)"
	;;
esac
done_testing
