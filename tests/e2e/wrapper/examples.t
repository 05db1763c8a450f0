#!/bin/sh
# The examples of perfmon.conf: every line of each is taken, those behind # too, and what each is for works with it.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

conf=$XDG_CONFIG_HOME/perfmon/perfmon.conf
mkdir -p "${conf%/*}"

# settings FILE: the names of the settings that it sets.
settings()
{
	sed -n 's/^\([a-z_]*\) *=.*/\1/p' "$1"
}

# refused: what perfmon says of the file, and settings in it that are not in effect.
refused()
{
	"$PERFMON" config >effect 2>warnings
	cat warnings
	for name in $(settings "$conf"); do
		grep -q "^$name = .*  # $conf:" effect || echo "$name is not in effect"
	done
}

# The test's own environment would win.
unset PERFMON_DB PERFMON_OUTPUT_PREFIX
count=0
for example in "$abs_top_srcdir"/share/examples/perfmon-*.conf; do
	name=${example##*/}
	count=$((count + 1))
	cp "$example" "$conf"
	[ "$(settings "$conf" | wc -l)" -ge 2 ]
	ok $? "$name sets something"
	is "$(refused)" "" "$name: every line is taken"
	is "$(grep -v -c -E '^(#|$|[a-z_]+ = )' "$conf"):$(settings "$conf" | sort | uniq -d)" "0:" "$name: lines of one form, each setting once"
	"$PERFMON" check config.files config.names >checked 2>&1
	ok $? "$name: perfmon check is content" || diag "$(cat checked)"
	# What stands behind # without a blank is a setting to take.
	sed 's/^#\([a-z_]*  *= \)/\1/' "$example" >"$conf"
	is "$(refused)" "" "$name: so are the lines that are switched off"
	cp "$example" "$conf"
	echo 'off_partition = debug' >>"$conf"
	is "$(refused | grep -c "$conf:$(wc -l <"$conf"): ")" 1 "noticed: a setting that there is not, in $name"
done
is $count 3 "there are three"

# --- what they are for ---------------------------------------------------------------------------
if "$PERFMON" --version -v | grep -q -E '^  (SQLite|zlib)  *not in this build$'; then
	skip "jobs with the examples" "built without SQLite or zlib"
	done_testing
fi
PERFMON_DB=$work/perfmon.db PERFMON_OUTPUT_PREFIX=$work/prefix
export PERFMON_DB PERFMON_OUTPUT_PREFIX
cp "$abs_top_srcdir/share/examples/perfmon-laptop.conf" "$conf"
"$PERFMON" -a -j 1 run sleep 1.5 && "$PERFMON" submit && "$PERFMON" report 1 >report
is "$?:$("$PERFMON" list series 1 --csv | grep -c .)" "0:$("$PERFMON" list series 1 --csv | wc -l)" "a job on a laptop"
[ "$("$PERFMON" list series 1 --csv | wc -l)" -gt 10 ]
ok $? "is sampled"

# With its places below this folder.
sed "s|/tmp/perfmon|$work/local|; s|/shared/perfmon|$work/shared|; s|/var/lib/perfmon|$work/lib|" \
	"$abs_top_srcdir/share/examples/perfmon-slurm-sqlite.conf" >"$conf"
unset PERFMON_DB PERFMON_OUTPUT_PREFIX
mkdir -p shared/spool lib/failed spool local
chmod 1777 local
"$PERFMON" -a -j 2 run sh -c '/bin/true; exit 3'
"$PERFMON" stage -q -j 2 --stage-to "$work/spool"
"$PERFMON" forward --spool "$work/spool" --once --spool-age 0 --forward-jitter 0
is "$?:$(find shared/spool -name '2.*.tgz' | wc -l)" "0:1" "a job of a node is brought to the shared spool"
PERFMON_SPOOL_AGE=0 "$PERFMON" submit --spool "$work/shared/spool"
is "$?:$("$PERFMON" list jobs --csv 2>/dev/null | grep -c '^"*2\b\|,"*2"*,')" "0:1" "and loaded where the database is"
done_testing
