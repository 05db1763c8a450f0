#!/bin/sh
# An exec from where the collector's library cannot be opened: ld.so has nothing to complain of, and
# everything else in the environment stays as it was.
# shellcheck disable=SC2154 # set by lib.sh and collector.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

depart=$abs_top_builddir/tests/progs/depart
calls="execve execv execvp execvpe execl execlp execle fexecve execveat spawn spawnp vfork"
# glibc has execveat since 2.34; the kernel's own call is nobody's to see.
case $(getconf GNU_LIBC_VERSION 2>/dev/null) in
"glibc 2.2"[0-9]* | "glibc 2.3"[0-3]*) calls=${calls%% execveat*}" ${calls##* execveat }" ;;
esac

# A root directory with the program and what it needs, at the same paths.
root=$work/root
mkdir "$root"
cp "$depart" "$root/depart"
ldd "$depart" | sed -n 's/^[^/]*\(\/[^ ]*\) (0x.*/\1/p' >libraries
while read -r file; do
	mkdir -p "$root/${file%/*}" && cp -L "$file" "$root/$file"
done <libraries
# Somebody else's entry, which must not hide what the collector interposes.
other=$(grep 'libc\.' libraries)
other=${other%/*}/libm.so.6
cp -L "$other" "$root/$other"

# As root chroot is allowed; others need a user namespace.
if "$depart" chroot="$root" show >/dev/null 2>&1; then
	into="chroot=$root"
elif "$depart" unshare=user chroot="$root" show >/dev/null 2>&1; then
	into="unshare=user chroot=$root"
else
	skip "execs inside a new root directory" "chroot is not allowed"
	done_testing
fi

# inside PRELOAD CALL: what a program sees that is started by CALL in the new root.
inside()
{
	# shellcheck disable=SC2086
	PERFMON_OUTPUT=$work LD_PRELOAD=$1 "$depart" $into "$2" 2>&1
}

for call in $calls; do
	# shellcheck disable=SC2086
	PERFMON_OUTPUT=$work "$depart" $into "$call" 2>&1 | sort >want
	inside "$PERFMON_LIBRARY" "$call" | sort >got
	grep -q '^PERFMON_OUTPUT=' want && cmp -s want got
	ok $? "$call: without LD_PRELOAD, which held the collector alone"

	# shellcheck disable=SC2086
	LD_PRELOAD=$other PERFMON_OUTPUT=$work "$depart" $into "$call" 2>&1 | sort >want
	for list in "$other:$PERFMON_LIBRARY" "$PERFMON_LIBRARY:$other" "$other $PERFMON_LIBRARY"; do
		inside "$list" "$call" | sort >got
		grep -q '^PERFMON_OUTPUT=' want && cmp -s want got
		ok $? "$call: with the user's entry alone of '$(echo "$list" | sed 's/[^ :]*\///g')'"
	done
done

# Entries by a bare name, found along LD_LIBRARY_PATH.
(
	LD_LIBRARY_PATH=${PERFMON_LIBRARY%/*}
	export LD_LIBRARY_PATH
	inside "${PERFMON_LIBRARY##*/}" execve
) | grep -E '^LD_PRELOAD=|ERROR' >got
is "$(cat got)" "" "an entry by a bare name is dropped, too"

# Where the library can be opened, the vector goes on as it is.
mkdir -p "$root/${PERFMON_LIBRARY%/*}"
cp "$PERFMON_LIBRARY" "$root/$PERFMON_LIBRARY"
for call in $calls; do
	is "$(inside "$other:$PERFMON_LIBRARY" "$call" | grep '^LD_PRELOAD=')" \
		"LD_PRELOAD=$other:$PERFMON_LIBRARY" "$call: a library that is there stays"
done

# Without the right to open it.
if [ "$(id -u)" -eq 0 ]; then
	chmod 600 "$root/$PERFMON_LIBRARY"
	for call in $calls; do
		is "$(PERFMON_OUTPUT=$work LD_PRELOAD=$PERFMON_LIBRARY "$depart" chroot="$root" \
			setuid=65534 "$call" 2>&1 | grep -E '^LD_PRELOAD=|ERROR')" "" \
			"$call: a library that may not be opened is dropped"
	done
else
	skip "a library that may not be opened is dropped" "not root"
fi
# --- where records go ------------------------------------------------------------------------------
# A relative name would be another place in each working directory.
mkdir -p near/near
(cd near && PERFMON_OUTPUT=near LD_PRELOAD=$PERFMON_LIBRARY sh -c 'cd near; exec /bin/true')
is "$?$(find near -type f)" 0 "nothing is recorded where PERFMON_OUTPUT is no absolute path"
done_testing
