#!/bin/sh
# Programs that confine themselves and others: a login by sshd with its sandbox, bubblewrap.
# shellcheck disable=SC2154 # set by lib.sh, collector.sh and coexist.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/coexist.sh
. "$abs_top_srcdir/tests/e2e/coexist.sh"

# What is recorded may be another user's, who must find the library and may write records.
collect()
{
	layout=$1
	shift
	rm -rf "$records"
	mkdir -m 777 "$records" && chmod 1777 "$records" || return 99
	PERFMON_OUTPUT=$records PERFMON_OPTIONS=$layout LD_PRELOAD=$PERFMON_LIBRARY "$@"
}
chmod 755 "$work"
cp "$PERFMON_LIBRARY" "$work/libperfmon.so" && chmod 755 "$work/libperfmon.so"
PERFMON_LIBRARY=$work/libperfmon.so

# --- sshd -------------------------------------------------------------------------------------

cat >login.sh <<'END'
# login.sh USER COMMAND: one login at a server of its own, whose log goes to standard error.
port=$((20000 + $$ % 20000))
# Somebody else's port: the next one.
while :; do
	: >sshd.log
	"$(command -v sshd)" -D -e -f sshd.conf -p $port 2>>sshd.log &
	server=$!
	until grep -q 'Server listening\|Address already in use' sshd.log; do
		kill -0 $server 2>/dev/null || break
		sleep 0.05
	done
	grep -q 'Server listening' sshd.log && break
	kill $server 2>/dev/null
	wait $server
	grep -q 'Address already in use' sshd.log || { cat sshd.log >&2; exit 99; }
	port=$((port + 1))
done
ssh -F none -p $port -i key -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no \
	-o BatchMode=yes -o LogLevel=ERROR -o IdentitiesOnly=yes "$1@127.0.0.1" "$2" 2>ssh.log
status=$?
# The server's child says goodbye when the client is gone, unless it never came.
until [ $status -eq 255 ] || grep -q 'Disconnected from user\|Connection closed' sshd.log; do
	kill -0 $server 2>/dev/null || break
	sleep 0.05
done
kill $server
wait $server
sed 's/port [0-9]*/port PORT/' sshd.log ssh.log | sort >&2
exit $status
END

# config SETTING...: the server's configuration.
config()
{
	cat >sshd.conf <<-END
		ListenAddress 127.0.0.1
		HostKey $(pwd)/host
		PidFile none
		AuthorizedKeysFile $(pwd)/key.pub
		StrictModes no
		UsePAM no
		PermitRootLogin yes
		PrintMotd no
		PrintLastLog no
		$*
	END
}

# login USER [COMMAND...]: logins of the user at a server that the command starts.
login()
{
	who=$1
	shift
	for layout in $layouts; do
		config
		alike "login of $who" "$@" sh "$work/login.sh" "$who" 'echo "I am $(id -un)"; exit 7'
		is "$bare:$(cat bare.out)" "7:I am $who" "which works bare"
		# The session's environment is clean: the wait of its parent tells how it ended.
		is "$(field exitcode record=reaped | grep -c -x 7)" 2 \
			"$layout: login of $who: the session and the client end as they should"
		test "$(field exename record=start | grep -c -x -E 'sshd(-session|-auth)?')" -ge 3
		ok $? "$layout: login of $who: the server's processes are recorded"
		is "$(table | grep -c DAMAGED)" 0 "$layout: login of $who: records are whole"
	done
	# With the collector named for sessions, their commands are recorded, too.
	layout=COLLATED_TSV
	mkdir -m 777 "$work/sessions"
	config "SetEnv LD_PRELOAD=$PERFMON_LIBRARY PERFMON_OUTPUT=$work/sessions"
	collect $layout "$@" sh "$work/login.sh" "$who" 'id -un; exit 7' >with.out 2>with.err
	is "$?:$(cat with.out)" "7:$who" "login of $who into a recorded session"
	records=$work/sessions
	is "$(field exitcode record=end end_reason=exit | grep -c -x 7)" 1 \
		"login of $who: what the session ran is recorded"
	records=$work/records
	rm -rf "$work/sessions"
}

PATH=$PATH:/usr/sbin:/sbin
if ! need sshd ssh ssh-keygen; then
	skip "a login" "no $missing"
else
	ssh-keygen -q -t ed25519 -N '' -f host
	ssh-keygen -q -t ed25519 -N '' -f key
	# Users whose shell runs commands.
	getent passwd | awk -F: '$3 > 0 && $7 ~ /\/(ba|da|z|k)?sh$/ { print $1 }' >users
	if [ "$(id -u)" -ne 0 ]; then
		if grep -q -x "$(id -un)" users; then
			login "$(id -un)"
		else
			skip "a login" "$(id -un) has no shell"
		fi
	else
		# Where a server that changes its user and confines itself has its root.
		made=
		[ -d /run/sshd ] || { mkdir -m 755 /run/sshd && made=yes; }
		login root
		[ -z "$made" ] || rmdir /run/sshd 2>/dev/null
		# And all of it as another user.
		user=$(head -n 1 users)
		if [ -n "$user" ] && need setpriv; then
			mkdir plain && cp host key key.pub plain/ && chown -R "$user" plain
			cd plain || exit 99
			login "$user" setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups
			cd "$work" || exit 99
		else
			skip "login of a plain user" "nobody here has a shell, or no setpriv"
		fi
	fi
fi

# --- bubblewrap -------------------------------------------------------------------------------

if need bwrap && missing="right to use bwrap" && bwrap --bind / / --unshare-pid true 2>/dev/null; then
	for layout in $layouts; do
		alike "bubblewrap" bwrap --bind / / --proc /proc --dev /dev --unshare-all \
			"$everything"
		is "$bare" 5 "which works bare"
		ended "bubblewrap" everything 5
		is "$(field pid_ns record=start exename=everything | sort -u | grep -c .)" 1 \
			"$layout: bubblewrap: it is in one pid namespace"
		# Nothing of the record, nor of the collector, can be reached from inside.
		alike "bubblewrap without a way out" bwrap --ro-bind /usr /usr --symlink usr/bin /bin \
			--symlink usr/lib /lib --symlink usr/lib64 /lib64 --unshare-all \
			sh -c 'echo inside; exit 6'
		is "$bare" 6 "which works bare, too"
		is "$(field exename record=start | sort -u | tr '\n' ' ')" "bwrap " \
			"$layout: bubblewrap without a way out: it alone is recorded"
	done
else
	skip "bubblewrap" "no $missing"
fi
done_testing
