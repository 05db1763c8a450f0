#!/bin/sh
# Two users on one host: neither reads, blocks or redirects the other, whatever either puts where
# perfmon looks.
# shellcheck disable=SC2154,SC2016,SC2012 # set by lib.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if [ "$(id -u)" != 0 ] || ! need setpriv; then
	skip "two users share the prefix" "only root can be two users"
	done_testing
fi

victim=65534 # nobody, who has a name
squatter=4711 # who has none
chmod 755 "$work"
prefix=$work/shared
unset XDG_CONFIG_HOME XDG_DATA_HOME

# as UID COMMAND...: as this user, with copies of perfmon that everybody can reach.
cp "$PERFMON" "$PERFMON_LIBRARY" "$work"
chmod 755 "$work/perfmon" "$work/libperfmon.so"
as()
{
	uid=$1
	shift
	(cd "$work" && HOME=/nonexistent PERFMON_OUTPUT_PREFIX=$prefix \
		PERFMON_LIBRARY=$work/libperfmon.so \
		setpriv --reuid="$uid" --regid="$uid" --clear-groups "$@")
}
if ! as $victim "$work/perfmon" --version >/dev/null 2>&1; then
	skip "two users share the prefix" "another user cannot run the built program"
	done_testing
fi
name=$(id -un $victim)
host=$(uname -n)
jobs_of() { find "$work" -path "$prefix*" -name "job-$host.json" -user "$1" | sort; }
fresh() { rm -rf "$prefix" "$prefix"-*; }

said() { sed "s|$prefix: [^;]*;|$prefix: REASON;|" out err; }
# record WHAT [WARNED]: the victim records a job, and finds it again; WARNED: told that it is elsewhere.
record()
{
	warned=${2:+"perfmon: warning: $prefix: REASON; the job's directory is created below $prefix-$victim/$name instead"}
	before=$(jobs_of $victim | wc -l)
	as $victim "$work/perfmon" -a run sh -c 'exit 3' >out 2>err
	is "$?:$(said):$(($(jobs_of $victim | wc -l) - before))" "3:$warned:1" "$1: a job is recorded"
	as $victim sh -c '"$0" start && "$0" run true && eval "$("$0" source)" && "$0" stop' \
		"$work/perfmon" >out 2>err
	is "$?:$(said):$(($(jobs_of $victim | wc -l) - before))" "0:$warned:2" \
		"$1: start, run, source, stop work"
	dir=$(dirname "$(jobs_of $victim | tail -n 1)")
	is "$(stat -c '%a %u' "$dir" "$(dirname "$dir")" | sort -u)" "700 $victim" \
		"$1: its directories are the user's alone"
	as $squatter cat "$dir/job-$host.json" >out 2>&1
	is "$?:$(grep -c format out)" "1:0" "$1: the other user cannot read it"
}

# --- the shared directory --------------------------------------------------------------------------
"$work/perfmon" --output-prefix "$prefix" -a run true
is "$(stat -c '%a %u' "$prefix")" "1777 0" "root makes the prefix for all users"
record "shared prefix"
as $squatter "$work/perfmon" -a run true
is "$?:$(ls "$prefix" | sort | tr '\n' ' ')" "0:$squatter $name root " "each user has a directory"
as $squatter sh -c 'mv "$1" "$1.moved" 2>/dev/null || rm -rf "$1" 2>/dev/null
	test -d "$1"' sh "$prefix/$name"
ok $? "which the others cannot move or remove"

# --- names taken before the victim comes ------------------------------------------------------------
for what in directory file link fifo dangling; do
	fresh
	mkdir -m 1777 "$prefix"
	case $what in
	directory) as $squatter mkdir -m 777 "$prefix/$name" ;;
	file) as $squatter touch "$prefix/$name" ;;
	link)
		as $squatter mkdir -m 777 "$prefix/trap"
		as $squatter ln -s trap "$prefix/$name"
		;;
	fifo) as $squatter mkfifo -m 666 "$prefix/$name" ;;
	dangling) as $squatter ln -s "$work/made-by-victim" "$prefix/$name" ;;
	esac
	record "user name taken by a $what"
	is "$(find "$prefix/$name" "$prefix/trap" -mindepth 1 2>/dev/null)$(ls "$work/made-by-victim" 2>&-)" \
		"" "user name taken by a $what: nothing is written there"
	is "$(find "$prefix" -maxdepth 1 -user $victim | wc -l)" 1 \
		"user name taken by a $what: one directory serves every job"
done

# --- the prefix itself ------------------------------------------------------------------------------
for what in directory sticky link file missing; do
	fresh
	case $what in
	directory) mkdir -m 777 "$prefix" && chown $squatter "$prefix" ;;
	sticky) mkdir -m 1777 "$prefix" && chown $squatter "$prefix" ;;
	link) mkdir -m 1777 "$work/else" && ln -s else "$prefix" && chown -h $squatter "$prefix" ;;
	file) touch "$prefix" && chown $squatter "$prefix" ;;
	missing) ;;
	esac
	chmod 1777 "$work" # as /tmp is
	record "prefix is $what" "$([ $what = missing ] || echo warned)"
	is "$(find "$prefix" "$work/else" -mindepth 1 2>/dev/null)" "" "prefix is $what: nothing is in it"
	is "$(stat -c '%a %u' "$prefix-$victim")" "700 $victim" \
		"prefix is $what: the user has a place of their own beside it"
	chmod 755 "$work"
done
fresh
chmod 1777 "$work"
as $squatter mkdir -m 777 "$prefix-$victim"
record "both prefixes are others'"
is "$(ls -d "$prefix-$victim".??????/"$name" | wc -l)" 1 "both prefixes are others': one of a random name serves every job"
is "$(find "$prefix-$victim" -mindepth 1)" "" "and nothing is written into their directory"
chmod 755 "$work"

# --- inside the job directory -----------------------------------------------------------------------
# Root runs something in the user's job: what the user put there must not lead root astray.
fresh
mkdir -m 1777 "$prefix"
as $victim "$work/perfmon" start -j planted
dir=$prefix/$name/planted
echo precious >"$work/precious"
chmod 600 "$work/precious"
as $victim ln -s "$work/precious" "$dir/$host-0.tsv"
PERFMON_OUTPUT=$dir PERFMON_LIBRARY=$work/libperfmon.so "$work/perfmon" run true 2>err
is "$?:$(cat "$work/precious")" "0:precious" "root's record does not follow a planted link"
as $victim sh -c 'rm "$1" && mkfifo "$1"' sh "$dir/$host-0.tsv"
timeout 20 env PERFMON_OUTPUT="$dir" "$work/perfmon" run true 2>err
is $? 0 "and does not wait at a planted FIFO"
as $squatter env PERFMON_OUTPUT="$dir" "$work/perfmon" run sh -c 'exit 4' 2>err
is "$?" 4 "another user's job directory in the environment is not used"
as $squatter "$work/perfmon" dump "$dir" >out 2>&1
is "$?:$(grep -c jobid out)" "1:0" "nor dumped"

done_testing
