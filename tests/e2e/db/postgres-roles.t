#!/bin/sh
# What each role may do in a PostgreSQL database: every statement that reads or changes something, on every table,
# view, partition, sequence and function that there is. A new one without a line here fails.
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

postgres_needed "PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE jobs' || exit 99
PGOPTIONS='-c perfmon.today=2030_11_20'
PERFMON_DB=$(postgres_url jobs)
export PERFMON_DB PGOPTIONS
sql() { postgres_sql jobs "$@"; }
as()
{
	who=$1
	shift
	psql -X -q -A -t -h "$postgres_host" -U "$who" -d jobs "$@" 2>&1
}

# Of each table something of anna's and something of another user.
"$abs_top_builddir/tests/progs/generate" --events 3 job 40 2 >/dev/null || exit 99
sed -i 's/"tester"/"anna"/g' job/*.json
printf 'no record\n' >>job/n0-1000.tsv
cp -R job other && sed -i 's/"anna"/"bob"/g; s/"4711"/"4712"/g' other/*.json && sed -i 's/	4711	/	4712	/g' other/*.tsv || exit 99
"$PERFMON" submit job other >out 2>err
sql -c "CREATE ROLE nobody LOGIN; CREATE ROLE anna LOGIN; CREATE ROLE chief LOGIN; CREATE ROLE loads LOGIN;
	GRANT perfmon_reader TO anna; GRANT perfmon_admin TO chief; GRANT perfmon_loader TO loads;
	INSERT INTO host (job_id, id, hostname) SELECT id, 9, 'n9' FROM job" || exit 99
for table in excluded_program folded_program folded_wait lost annotation series tick_block sample_block series_summary tag_summary node_summary energy phase \
	model model_job model_feature model_component analysis; do
	sql -c "DO \$\$
DECLARE
	columns text;
	row_of text;
BEGIN
	SELECT string_agg(quote_ident(column_name), ', '), string_agg(CASE WHEN column_name = 'job_id' THEN 'j.id'
		WHEN column_name = 'host_id' THEN '9' WHEN column_name = 'tick' THEN '0' WHEN column_name = 'unknown' AND data_type = 'text' THEN 'NULL'
		WHEN column_name IN ('times', 'monotonics') THEN '''0''' WHEN data_type = 'bytea' THEN '''''::bytea'
		WHEN data_type = 'text' THEN '''x''' ELSE '1' END, ', ')
		INTO columns, row_of FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '$table';
	EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM job j ON CONFLICT DO NOTHING', '$table', columns, row_of);
END \$\$" || exit 99
done

# --- tables, views, partitions, sequences ---------------------------------------------------------
# Each statement is run, and undone. One letter for each that the server does not refuse: s SELECT, i INSERT, u UPDATE
# of any column (u:COLUMNS_ where not all), d DELETE, t TRUNCATE, l LOCK in the strongest mode, g CREATE
# TRIGGER, a ALTER, x DROP; * is all; n of a sequence nextval, v setval.
# A reader's note about no job is refused as one about another's; of the own jobs there is more below.
matrix()
{
	as "$1" <<'SQL'
SET client_min_messages = error;
DO $$
DECLARE
	r record;
	way text;
	of text;
	did text;
	columns text[];
	said text;
	statement text;
BEGIN
	FOR r IN SELECT c.oid, c.relname, c.relkind, CASE WHEN c.relkind = 'S' THEN 'job_id_RANGE'
		ELSE regexp_replace(c.relname, '_20\d\d_\d\d_\d\d$', '_DAY') END AS name
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') LOOP
		said := '';
		columns := '{}';
		FOREACH statement IN ARRAY CASE WHEN r.relkind = 'S' THEN
			ARRAY['s SELECT last_value FROM %I', 'n SELECT nextval(%L)', 'v SELECT setval(%L, 7)', 'a ALTER SEQUENCE %I CYCLE',
				'x DROP SEQUENCE %I']
		WHEN r.relkind = 'v' THEN
			ARRAY['s SELECT FROM %I', 'l LOCK TABLE %I', 'a ALTER VIEW %I RENAME TO zzz', 'x DROP VIEW %I']
		ELSE
			ARRAY['s SELECT FROM %I', 'i INSERT INTO %I DEFAULT VALUES', 'u', 'd DELETE FROM %I', 't TRUNCATE %I',
				'l LOCK TABLE %I', 'g CREATE TRIGGER zzz BEFORE UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION '
				|| 'suppress_redundant_updates_trigger()', 'a ALTER TABLE %I ADD COLUMN zzz int', 'x DROP TABLE %I CASCADE']
		END LOOP
			FOR of IN SELECT a.attname FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attnum > 0 AND statement = 'u'
				UNION ALL SELECT NULL WHERE statement <> 'u' LOOP
				BEGIN
					IF of IS NULL THEN
						EXECUTE format(substr(statement, 3), r.relname);
					ELSE
						EXECUTE format('UPDATE %I SET %I = DEFAULT', r.relname, of);
					END IF;
					RAISE EXCEPTION USING ERRCODE = 'XX999';
				EXCEPTION
					WHEN insufficient_privilege THEN did := NULL;
					WHEN OTHERS THEN did := SQLSTATE;
				END;
				IF did IS NOT NULL AND of IS NULL THEN
					said := said || substr(statement, 1, 1);
				ELSIF did IS NOT NULL THEN
					columns := columns || of;
				END IF;
			END LOOP;
			IF statement = 'u' AND columns <> '{}' THEN
				said := said || 'u' || CASE WHEN (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = r.oid AND a.attnum > 0)
					= cardinality(columns) THEN '' ELSE ':' || array_to_string(columns, ',') || '_' END;
			END IF;
		END LOOP;
		RAISE INFO '% %', r.name, CASE WHEN said IN ('siudtlgax', 'slax', 'snvax') THEN '*' WHEN said = '' THEN '-'
			ELSE said END;
	END LOOP;
END $$;
SQL
}
cat >want <<'END'
relation                 nobody reader                 admin loader
analysis                 -      s                      s     *
annotation               -      su:name,value_dl       s     *
content                  -      s                      s     *
content_DAY              -      -                      -     *
counter                  -      s                      s     *
counter_DAY              -      -                      -     *
counter_summary          -      s                      s     *
energy                   -      s                      s     *
excluded_program         -      s                      s     *
folded_program           -      s                      s     *
folded_wait              -      s                      s     *
host                     -      s                      s     *
job                      -      su:annotations         s     *
job_id_RANGE             -      -                      -     *
job_range                -      s                      s     *
job_summary              -      s                      s     *
load                     -      s                      s     *
lost                     -      s                      s     *
metric                   -      s                      s     *
model                    -      s                      s     *
model_component          -      s                      s     *
model_feature            -      s                      s     *
model_job                -      s                      s     *
node_summary             -      s                      s     *
operation                -      s                      s     *
phase                    -      s                      s     *
process                  -      s                      s     *
process_DAY              -      -                      -     *
process_tree             -      s                      s     *
program_summary          -      s                      s     *
program_summary_DAY      -      -                      -     *
reject                   -      s                      s     *
sample                   -      s                      s     *
sample_block             -      s                      s     *
sample_block_DAY         -      -                      -     *
schema_version           -      s                      s     *
series                   -      s                      s     *
series_DAY               -      -                      -     *
series_summary           -      s                      s     *
series_summary_DAY       -      -                      -     *
tag                      -      s                      s     *
tag_set                  -      s                      s     *
tag_set_DAY              -      -                      -     *
tag_summary              -      s                      s     *
tag_summary_DAY          -      -                      -     *
thread                   -      s                      s     *
thread_row               -      s                      s     *
thread_row_DAY           -      -                      -     *
tick_block               -      s                      s     *
tick_block_DAY           -      -                      -     *
user_day                 -      s                      s     *
END
# Views show rows as their reader's own only since PostgreSQL 15: before, readers have none.
views=
if [ "$(sql -c 'SHOW server_version_num')" -lt 150000 ]; then
	views=$(sql -c "SELECT string_agg(viewname, ' ') FROM pg_views WHERE schemaname = 'public'")
	for view in $views; do
		sed -i "/^$view /s/ s   / -   /" want
	done
fi
echo relation nobody reader admin loader >got
for role in nobody anna chief loads; do
	matrix $role >"$role.said"
	sed -n 's/^.*INFO:  //p' "$role.said" | sed 's/_$//' | sort -u >"$role.may"
done
join nobody.may anna.may | join - chief.may | join - loads.may >>got
sed 's/  */ /g' want >wanted
cmp -s wanted got
ok $? "on each relation each role may do what it is to do, and no more"
diff wanted got | sed 's/^/# /' | head -n 20
cat nobody.may anna.may chief.may loads.may | grep -c . >count
is "$(cat count)|$(cat ./*.said | grep -v -c INFO)" "$((4 * $(tail -n +2 want | wc -l)))|0" "each was tried, as each role"

# --- rows -----------------------------------------------------------------------------------------
# What a reader sees is of the own jobs, what an administrator and a loader see is all.
seen=
for relation in $(sql -c "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition ORDER BY 1"); do
	case $relation in
	job | job_summary) key=id ;;
	job_range | metric | schema_version | model | model_feature | model_component) key= ;;
	user_day) key=user ;;
	*) key=job_id ;;
	esac
	for role in anna chief loads; do
		if [ "$key" = user ]; then
			rows=$(as $role -c "SELECT string_agg(DISTINCT r.\"user\", '+' ORDER BY r.\"user\") FROM $relation r")
		elif [ -n "$key" ]; then
			rows=$(as $role -c "SELECT string_agg(DISTINCT j.\"user\", '+' ORDER BY j.\"user\") FROM $relation r
				LEFT JOIN job j ON j.id = r.$key")
		else
			rows=$(as $role -c "SELECT CASE WHEN count(*) > 0 THEN 'some' END FROM $relation")
		fi
		case $key,$role,$rows in
		*,anna,*"permission denied for view $relation")
			case " $views " in *" $relation "*) ;; *) seen="$seen $relation is not for $role" ;; esac
			;;
		,*,some | *,anna,anna | *,chief,anna+bob | *,loads,anna+bob) ;;
		*) seen="$seen $relation as $role: $rows" ;;
		esac
	done
done
is "$seen" "" "of every table and view a reader sees the rows of the own jobs, the others all"
# Through a join nothing is seen either that was not there to be seen alone.
is "$(as anna -c "SELECT count(*) FROM process WHERE job_id IN (SELECT 1 UNION SELECT 2) AND job_id NOT IN (SELECT id FROM job)")" 0 \
	"not by number either"
other=$(sql -c "SELECT id FROM job WHERE \"user\" = 'bob'")
own=$(sql -c "SELECT id FROM job WHERE \"user\" = 'anna'")
said=
for statement in "INSERT INTO annotation VALUES ($own, 'a', 'b')" "INSERT INTO annotation VALUES ($other, 'a', 'b')" \
	"UPDATE annotation SET job_id = $other" "UPDATE annotation SET value = 'z' WHERE job_id = $other" \
	"DELETE FROM annotation WHERE job_id = $other" "UPDATE job SET annotations = 'z' WHERE id = $other" \
	"INSERT INTO annotation VALUES ($other, 'x', 'y') ON CONFLICT (job_id, name) DO UPDATE SET value = 'z'"; do
	said="$said$(as anna -c "$statement" | grep -c 'violates row-level security')"
done
is "$said|$(sql -c "SELECT value FROM annotation WHERE job_id = $other" -c "SELECT annotations FROM job WHERE id = $other")" "0110001|x" \
	"notes of the own jobs, and no others"

# --- functions ------------------------------------------------------------------------------------
# Called; a trigger's attached to a table of one's own, and that written to.
functions()
{
	as "$1" <<'SQL'
SET client_min_messages = error;
DO $$
DECLARE
	f record;
	did text;
BEGIN
	FOR f IN SELECT p.oid, p.proname, p.prorettype = 'trigger'::regtype AS fires, p.prosecdef,
		coalesce((SELECT string_agg('NULL::' || format_type(t, NULL), ', ') FROM unnest(p.proargtypes) t), '') AS args,
		coalesce(array_to_string(p.proconfig, ','), 'no search_path') AS config
		FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'public' ORDER BY p.proname COLLATE "C" LOOP
		BEGIN
			IF f.fires THEN
				CREATE TEMPORARY TABLE job (id bigint);
				EXECUTE format('CREATE TRIGGER t BEFORE INSERT ON pg_temp.job FOR EACH ROW EXECUTE FUNCTION %s', f.oid::regprocedure);
				INSERT INTO pg_temp.job VALUES (10000000), (19999999), (NULL);
			ELSE
				EXECUTE format('SELECT %I(%s)', f.proname, f.args);
			END IF;
			RAISE EXCEPTION USING ERRCODE = 'XX999';
		EXCEPTION
			WHEN insufficient_privilege THEN did := '-';
			WHEN OTHERS THEN did := '*';
		END;
		RAISE INFO '% % %', f.proname, replace(f.config, ' ', ''), did;
	END LOOP;
END $$;
SQL
}
cat >want <<'END'
perfmon_gone_host plan_cache_mode=force_custom_plan,search_path=public,pg_temp - - - *
perfmon_gone_job plan_cache_mode=force_custom_plan,search_path=public,pg_temp - - - *
perfmon_gone_load plan_cache_mode=force_custom_plan,search_path=public,pg_temp - - - *
perfmon_make_range search_path=public,pg_temp - - - *
perfmon_new_job search_path=public,pg_temp - - - -
perfmon_range_of search_path=public,pg_temp - - - *
perfmon_range_on search_path=public,pg_temp - - - *
perfmon_renew_job search_path=public,pg_temp - - - -
perfmon_sample_reasons search_path=public,pg_temp * * * *
perfmon_sample_values search_path=public,pg_temp * * * *
perfmon_secure search_path=public,pg_temp - - - *
perfmon_tick_times search_path=public,pg_temp * * * *
END
for role in nobody anna chief loads; do
	functions $role | sed -n 's/^.*INFO:  //p' | grep '^perfmon_\|zzz' >"$role.may"
done
join nobody.may anna.may | awk '{ print $1, $2, $3, $5 }' | join - chief.may | awk '{ print $1, $2, $3, $4, $6 }' |
	join - loads.may | awk '{ print $1, $2, $3, $4, $5, $7 }' >got
cmp -s want got
ok $? "functions but those of the view sample are the loaders', look for what they name in one schema, and number jobs for one table alone"
diff want got | sed 's/^/# /'

# --- the schema itself ------------------------------------------------------------------------------
said=
for role in nobody anna chief loads; do
	for statement in "CREATE TABLE public.zzz (a int)" "CREATE FUNCTION public.max(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1'" \
		"CREATE VIEW public.zzz AS SELECT 1" "ALTER SCHEMA public RENAME TO zzz" "CREATE SCHEMA zzz" \
		"SET ROLE perfmon_loader; SELECT setval('job_id_1', 7)" "GRANT perfmon_loader TO nobody" \
		"ALTER TABLE job DISABLE ROW LEVEL SECURITY" "ALTER POLICY perfmon_reader ON job USING (true)" \
		"SET row_security = off; SELECT FROM job" "COPY job TO '/tmp/zzz'" "CREATE EXTENSION file_fdw"; do
		case $(printf 'BEGIN;\n%s;\nROLLBACK;\n' "$statement" | as $role) in
		*"permission denied"* | *"must be "* | *"must have admin"* | *"would be affected by row-level security"*) said="$said-" ;;
		*) said="$said*" ;;
		esac
	done
	said="$said "
done
is "$said" "------------ ------------ ------------ ***--*-***-- " \
	"nobody but loaders makes anything in the schema, becomes a loader or sees past the policies"
left=$(sql -c "SELECT count(*) FROM job_range" -c "SELECT max(id), count(*) FROM job")
"$PERFMON" submit --replace job >out 2>err
is "$?|$left" "1|1
2|2" "and nothing of all this stayed"
grep -q 'job 4711' out
ok $? "jobs load as before"

# --- a schema that everybody may write to, as before version 15 --------------------------------------
sql -c 'GRANT CREATE ON SCHEMA public TO PUBLIC' && sql -c 'SELECT perfmon_secure()' >out || exit 99
is "$(sql -c "SELECT has_schema_privilege('nobody', 'public', 'CREATE'), has_schema_privilege('loads', 'public', 'CREATE')")" "f|t" \
	"perfmon_secure() closes it"
done_testing
