#!/bin/sh
# Settings name commands to run and libraries to load, and switch recording off: who may say so.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

conf=$XDG_CONFIG_HOME/perfmon/perfmon.conf
mkdir -p "${conf%/*}"
echo 'stage_command = touch /nowhere' >"$conf"
value() { "$PERFMON" config 2>err | sed -n "s/^$1 = //p"; }

case $(value stage_command) in *touch*) ok 0 "a file of one's own is read" ;; *) ok 1 "a file of one's own is read" ;; esac
for mode in 660 606; do
	chmod $mode "$conf"
	case $(value stage_command) in *touch*) ok 1 "mode $mode: not read" ;; *) ok 0 "mode $mode: not read" ;; esac
	is "$(grep -c "$conf: another user owns or can write to this file" err)" 1 "mode $mode: it says why"
done
chmod 644 "$conf"
if [ "$(id -u)" -eq 0 ]; then
	chown 65534 "$conf"
	case $(value stage_command) in *touch*) ok 1 "root does not read another's" ;; *) ok 0 "root does not read another's" ;; esac
else
	skip "root does not read another's" "not root"
fi
rm -f "$conf"

# The administrator's switch, in a mount namespace of the test's own.
off=$("$PERFMON" config | sed -n 's/^off_file = \([^ ]*\) .*/\1/p')
if ! need unshare || ! unshare -m true 2>/dev/null || [ -z "$off" ]; then
	skip "the site's switch holds whatever the user names" "no mount namespace"
else
	mkdir -p "$work/site"
	: >"$work/site/off"
	cat >inside <<'END'
directory=$1
while [ ! -d "$directory" ]; do directory=${directory%/*}; done
[ "$directory" = "$1" ] || exit 77
mount --bind "$2" "$directory" || exit 77
shift 2
exec "$@"
END
	made=no
	[ -d "${off%/*}" ] || { mkdir -p "${off%/*}" 2>/dev/null && made=yes; }
	PERFMON_OFF_FILE=/nonexistent unshare -m sh inside "${off%/*}" "$work/site" \
		"$PERFMON" -v -a run true >out 2>&1
	status=$?
	[ $made = no ] || rmdir "${off%/*}"
	if [ $status -eq 77 ]; then
		skip "the site's switch holds whatever the user names" "cannot bind over ${off%/*}"
	else
		is "$status:$(grep -c "$off exists" out):$(find "$PERFMON_OUTPUT_PREFIX" -name 'job-*' | wc -l)" 0:1:0 \
			"the site's switch holds whatever the user names"
	fi
fi
PERFMON_OFF_FILE=$work/own
export PERFMON_OFF_FILE
: >own
"$PERFMON" -v -a run true >out 2>&1
is "$(grep -c "$work/own exists" out)" 1 "and the user's own counts as well"

done_testing
