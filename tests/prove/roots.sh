# shellcheck shell=sh disable=SC2154
# Bare roots of Debian's releases, for proofs: nothing but what debootstrap puts there. Sourced after lib.sh. As root, with
# the network; roots stay in PM_RELEASES_DIR, where that is set, for the next run.

# need_roots WHAT: end the test where there can be none, or only a fiftieth is to run.
need_roots()
{
	if [ "$PM_PROVE_PART" -ne 1 ] && [ -z "$PM_PROVE_ROUND" ]; then
		skip "$1" "one alone takes longer than a part of a proof may"
		done_testing
	fi
	if [ "$(id -u)" -ne 0 ] || ! need debootstrap unshare git; then
		skip "$1" "${missing:+no $missing}${missing:-only root makes roots}"
		done_testing
	fi
	roots=${PM_RELEASES_DIR:-$work/roots}
	mkdir -p "$roots/archives/partial" || exit 99
}

# make_root RELEASE: where it is not there yet.
make_root()
{
	[ ! -e "$roots/$1.made" ] || return 0
	rm -rf "${roots:?}/$1"
	debootstrap --variant=minbase --include=ca-certificates --cache-dir="$roots/archives" "$1" "$roots/$1" &&
		: >"$roots/$1.made"
}

# inside ROOT COMMAND: run a shell command in its copy of the tree. The root becomes that of a mount namespace: tests make
# others below it, which a chroot does not allow.
inside()
{
	# The inner shell expands.
	# shellcheck disable=SC2016
	env --default-signal unshare --mount --pid --fork --kill-child --propagation private sh -ec '
		mount --bind "$1" "$1"
		cd "$1"
		mount -t proc proc proc
		mount --rbind /sys sys
		mount --rbind /dev dev
		mount -t tmpfs tmpfs run
		mkdir -p .old var/cache/apt/archives
		mount --bind "$2" var/cache/apt/archives
		cp /etc/resolv.conf /etc/hosts etc
		pivot_root . .old
		umount -l /.old
		cd /srv/perfmon
		exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			${http_proxy:+http_proxy="$http_proxy"} sh -c "$3"' inside "$1" "$roots/archives" "$2"
}
