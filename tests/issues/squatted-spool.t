#!/bin/sh
# In a spool that all may write to, anybody can make the folders `loaded` and `failed` first: the spool's
# owner puts them aside and loads.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if [ "$(id -u)" -ne 0 ] || ! need setpriv; then
	skip "folders of a spool that others made" "needs root and setpriv"
	done_testing
fi
export PERFMON_DB="$work/x.db" PERFMON_SPOOL_AGE=0
"$PERFMON" -a run true && "$PERFMON" stage --stage-to "$work" 2>err
archive=$(find "$work" -maxdepth 1 -name '*.t*gz*' -o -maxdepth 1 -name '*.tar*')
chmod 755 "$work"
mkdir -m 1777 spool
setpriv --reuid=65534 --clear-groups mkdir -m 777 spool/loaded
setpriv --reuid=65534 --clear-groups ln -s /etc spool/failed
cp "$archive" spool
"$PERFMON" submit --spool spool >out 2>err
is "$?:$(grep -c 'was made by uid 65534; it is' err)" 0:2 "the folders are put aside, and that is said"
is "$("$PERFMON" list jobs --csv | wc -l):$(find spool/loaded -type f ! -name '.lock' | wc -l)" 2:1 "the archive is loaded"
is "$(stat -c '%a %u' spool/loaded spool/failed | sort -u)" "700 0" "the folders are the owner's"
is "$(find spool -mindepth 1 -maxdepth 1 -uid 65534 | wc -l)" 2 "what others made stays beside them"
"$PERFMON" submit --spool spool >out 2>err
is "$?:$(cat err)" 0: "once"
# In another's sticky spool that cannot be.
mkdir -m 1777 other
setpriv --reuid=65534 --clear-groups mkdir -m 777 other/loaded
chmod 755 "$work" "$work/home" && mkdir -m 777 "$work/data"
cp "$PERFMON" perfmon
PERFMON_DB=$work/data/x.db setpriv --reuid=65533 --clear-groups ./perfmon submit --spool other >out 2>err
is "$?:$(grep -c 'other/loaded was made by uid 65534 and cannot be moved' err)" 1:1 "where it cannot be moved, it is named"

done_testing
