#!/bin/sh
# notebook: the shipped notebook is put into a private directory, Jupyter is started on it on loopback with a token, and
# all of its cells run, on both engines.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/e2e/site.sh
. "$abs_top_srcdir/tests/e2e/site.sh"

if ! need python3 sqlite3; then
	skip "the notebook" "no $missing"
	done_testing
fi
export PYTHONDONTWRITEBYTECODE=1
look=$abs_top_srcdir/tests/e2e/report/notebook.py
site_load "$work/site.db"
is $? 0 "a site of nine jobs"

# As it is installed, elsewhere.
data=$work/usr/share/perfmon
mkdir -p usr/bin bin "$data/notebook" "$data/examples" && cp "$PERFMON" usr/bin && cp "$abs_top_srcdir"/share/notebook/* "$data/notebook" &&
	cp "$abs_top_srcdir"/share/examples/* "$abs_top_srcdir/sql/cookbook.sql" "$data/examples" || exit 99
perfmon=$work/usr/bin/perfmon
shipped=$data/notebook/perfmon.ipynb
private=$XDG_DATA_HOME/perfmon/notebook

is "$(python3 "$look" check "$shipped" 2>&1)" "" "the shipped notebook has not been run"
sed 's/"outputs": \[\]/"outputs": [1]/; s/"cell-3"/"cell-2"/' "$shipped" >planted.ipynb
test "$(python3 "$look" check planted.ipynb 2>&1 | grep -c 'ids of cells\|has been run')" -ge 2
ok $? "noticed: one that has been, and two cells of an id"

# --- what is handed on to Jupyter ----------------------------------------------------------------
cat >bin/jupyter-notebook <<'END'
#!/bin/sh
echo "$PWD|$*|$PERFMON_DB|$PYTHONPATH|$(umask)"
exit 7
END
chmod +x bin/jupyter-notebook
is "$(PATH=$work/bin:$PATH "$perfmon" notebook --db site.db -- --no-browser --x='a b'; echo $?)" \
	"$private|perfmon.ipynb --ip=127.0.0.1 --no-browser --x=a b|$work/site.db|$data/examples|0077
7" "Jupyter gets the notebook, loopback, arguments, database and module, and its status is perfmon's"
is "$(stat -c %a "$private" "$private/perfmon.ipynb" | tr '\n' ' ')" "700 600 " "in a private directory"
cmp -s "$private/perfmon.ipynb" "$shipped"
ok $? "the notebook is the one shipped"
echo changed >>"$private/perfmon.ipynb"
PATH=$work/bin:$PATH PYTHONPATH=/mine "$perfmon" notebook --db "$work/site.db" >out 2>&1
is "$(tail -n 1 "$private/perfmon.ipynb") $(cut -d '|' -f 4 out)" "changed $data/examples:/mine" "one that its user has changed is kept"
rm "$private/perfmon.ipynb"
mv bin/jupyter-notebook bin/jupyter-lab
is "$(PATH=$work/bin "$perfmon" notebook --db site.db 2>&1 | sed 's/|.*//')" "$private" "without it, jupyter-lab is taken"
rm bin/jupyter-lab

# refused NAME WORDS [ARG...]: status 1, and these words on standard error.
refused()
{
	PATH=$work/bin "$perfmon" notebook --db "${3:-site.db}" >out 2>err
	is "$? $(grep -c "$2" err) $(cat out)" "1 1 " "refused: $1"
}
refused "where Jupyter is not installed" "Jupyter is not installed"
refused "a database that is not there" none.db none.db
echo text >text.db
refused "a file that is no database" text.db text.db
chmod 755 "$private"
refused "a directory that others may enter" "chmod 700"
chmod 700 "$private"
mv "$data/notebook" kept
if [ ! -e "$(sed -n 's/^pkgdatadir = //p' "$abs_top_builddir/Makefile" | sed "s|\${datarootdir}|/usr/local/share|")/notebook" ]; then
	refused "an installation without the notebook" "installed as a whole"
else
	skip "refused: an installation without the notebook" "perfmon is installed here"
fi
mv kept "$data/notebook"

# --- all cells -----------------------------------------------------------------------------------
# Jupyter as the test has it: every cell is run, without a browser.
if ! need jupyter-nbconvert || ! /usr/bin/python3 -c 'import ipykernel, pandas, matplotlib' 2>/dev/null; then
	skip "every cell" "no jupyter-nbconvert, ipykernel, pandas and matplotlib"
	done_testing
fi
cat >bin/jupyter-notebook <<'END'
#!/bin/sh
exec timeout 250 jupyter-nbconvert --to notebook --execute --output "$DONE" "$1"
END
chmod +x bin/jupyter-notebook
# executed DATABASE: the outputs of a run, or what was wrong.
executed()
{
	rm -f "$private/perfmon.ipynb" done.ipynb
	DONE=$work/done.ipynb PATH=$work/bin:$PATH "$perfmon" notebook --db "$1" >log 2>&1 || { tail -n 5 log && return; }
	python3 "$look" outputs done.ipynb
}
executed site.db >sqlite
is "$(head -n 1 sqlite)" "7 pictures" "SQLite: all cells run, with their plots"
is "$(grep -c 'not sampled' sqlite) $(grep -x '9 jobs\|job 2' sqlite | tr '\n' ' ')" "0 9 jobs job 2 " "SQLite: of the jobs, and of the latest with samples"
is "$(sed -n 's/  */ /g; /bert 2 8.03/p; /model 4 2000 95.6/p; /n1 5 1292000000/p' sqlite | tr '\n' ';')" \
	"0 bert 2 8.03 0.12 7.91;0 model 4 2000 95.6;0 n1 5 1292000000;" "SQLite: tables have the database's figures"
cp site.db other.db && sqlite3 other.db "UPDATE program_summary SET cpu_time = 1 WHERE program = 'model'; DELETE FROM series WHERE source = 'rapl'"
executed other.db >out
is "$(head -n 1 out) $(grep -c 'not sampled' out) $(grep -c 'model  *4  *2000' out)" "6 pictures 1 0" "noticed: another figure, a series that is missing"
cp site.db bare.db && sqlite3 bare.db "PRAGMA foreign_keys = ON; DELETE FROM job; DELETE FROM user_day"
executed bare.db >out
is "$(sed -n '1p; /^0 jobs/p' out | tr '\n' ' ')" "0 pictures 0 jobs " "a database without jobs: no cell fails"
sqlite3 other.db 'DROP TABLE phase; DROP TABLE node_summary; ALTER TABLE reject RENAME TO gone; DROP VIEW job_summary'
executed other.db >out
grep -q 'no such table: job_summary\|OperationalError' out log
ok $? "noticed: a cell that fails"

if [ ! -x "$work/bin/jupyter-notebook" ] || ! /usr/bin/python3 -c 'import psycopg2' 2>/dev/null; then
	skip "PostgreSQL: all cells" "no python3-psycopg2"
elif postgres_start; then
	postgres_sql postgres -c 'CREATE DATABASE site' || exit 99
	site_load "$(postgres_url site)"
	executed "$(postgres_url site)" >postgres
	is "$(diff sqlite postgres | head -n 5)" "" "PostgreSQL: all cells say the same"
else
	skip "PostgreSQL: all cells" "$postgres_missing"
fi

# --- the real server -----------------------------------------------------------------------------
rm bin/jupyter-notebook "$private/perfmon.ipynb"
if ! need jupyter-notebook ss timeout || ! /usr/bin/python3 -c 'import notebook' 2>/dev/null; then
	skip "Jupyter listens on loopback" "no jupyter-notebook"
	done_testing
fi
root=
[ "$(id -u)" -ne 0 ] || root=--allow-root
# It goes on to the next ones where this one has been taken since.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
# shellcheck disable=SC2086 # no word where it is empty
timeout 120 "$perfmon" notebook --db site.db -- --no-browser --port=$port $root >log 2>&1 &
server=$!
url=
tries=600
while [ -z "$url" ] && [ $tries -gt 0 ] && kill -0 $server 2>/dev/null; do
	url=$(sed -n 's/.*\(http:\/\/127\.0\.0\.1:[0-9]*\/[^ ]*token=[0-9a-f]*\).*/\1/p' log | head -n 1)
	tries=$((tries - 1))
	sleep 0.1
done
port=$(printf '%s\n' "$url" | sed 's|^http://127.0.0.1:\([0-9]*\)/.*|\1|')
token=${url##*token=}
is "$(ss -Hltn "sport = :${port:-1}" | awk '{ print $4 }')" "127.0.0.1:$port" "Jupyter listens on loopback alone"
# answer PATH: the status of a request.
answer()
{
	python3 - "http://127.0.0.1:$port$1" <<-'END'
	import sys, urllib.error, urllib.request
	try:
	    print(urllib.request.urlopen(sys.argv[1], timeout=60).status)
	except urllib.error.HTTPError as e:
	    print(e.code)
	except urllib.error.URLError as e:
	    print(e.reason)
	END
}
is "$(answer '/api/contents/perfmon.ipynb') $(answer '/api/contents/perfmon.ipynb?token=0') $(answer "/api/contents/perfmon.ipynb?token=$token")" \
	"403 403 200" "who has no token gets nothing"
kill -TERM $server 2>/dev/null
wait $server 2>/dev/null
done_testing
