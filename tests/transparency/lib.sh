# shellcheck shell=sh
# Sourced by every suite of this folder, whose first argument then names one of these functions:
#
#   needs           prints what this machine lacks, nothing when the suite can run
#   fetch           gets what has to be downloaded into $cache
#   prepare         unpacks and builds in the current directory, as the user that runs the suite
#   version         what is tested, in a few words
#   run all|short|GROUP...
#                   runs the suite in the current directory; one line per test case on standard
#                   output: PASS, FAIL or SKIP, a group that can be run alone, a name
#
# Set here: $cache. A case's group ends at the first space behind it.

cache=${PM_TRANSPARENCY_CACHE:?set by tests/transparency/run}

# lacks PROGRAM...: prints the first one that is missing.
lacks()
{
	for program in "$@"; do
		command -v "$program" >/dev/null 2>&1 || { echo "no $program"; return; }
	done
}

# apt-get with lists and downloads of its own, of the sources that this system uses: source
# packages are seldom among them. Nothing of the system's is touched.
apt()
{
	command=$1
	shift
	"$command" -q -o Dir::Etc::sourcelist="$cache/apt/sources.list" \
		-o Dir::Etc::sourceparts="$cache/apt/sources.list.d" \
		-o Dir::State::lists="$cache/apt/lists" -o Dir::Cache="$cache/apt/cache" \
		-o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=2 \
		-o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 "$@"
}

apt_update()
{
	command -v apt-get >/dev/null 2>&1 || return 1
	# What is listed is there for a while.
	[ -z "$(find "$cache/apt/fresh" -mmin -120 2>/dev/null)" ] || return 0
	rm -rf "$cache/apt"
	mkdir -p "$cache/apt/sources.list.d" "$cache/apt/lists/partial" \
		"$cache/apt/cache/archives/partial" || return 1
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
		sed -n 's/^deb\([[:space:]].*\)/&\ndeb-src\1/p' >"$cache/apt/sources.list"
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -e "$file" ] || sed 's/^Types:.*/Types: deb deb-src/' "$file" \
			>"$cache/apt/sources.list.d/${file##*/}"
	done
	# A repository without sources is none of our business: what counts is whether they come.
	apt apt-get update >&2
	: >"$cache/apt/fresh"
}

# fetch_source PACKAGE: its source into $cache/PACKAGE, of the installed version where it can be had,
# else upstream's alone.
fetch_source()
{
	[ ! -e "$cache/$1/done" ] || return 0
	apt_update || return 1
	rm -rf "${cache:?}/$1"
	mkdir -p "$cache/$1" && cd "$cache/$1" || return 1
	for version in $(dpkg-query -W -f '${source:Version}\n' "$1" 2>/dev/null) \
		$(apt apt-cache showsrc "$1" | sed -n 's/^Version: //p'); do
		for part in --download-only --tar-only; do
			apt apt-get source --download-only $part "$1=$version" >&2 &&
				: >"$cache/$1/done" && return 0
			rm -f "$cache/$1"/*
		done
	done
	echo "no source of the package $1 to be had"
	return 1
}

# fetch_package PACKAGE VERSION: the binary package into $cache/PACKAGE, to be unpacked, not installed.
fetch_package()
{
	[ ! -e "$cache/$1/done" ] || return 0
	apt_update || return 1
	rm -rf "${cache:?}/$1"
	mkdir -p "$cache/$1" && cd "$cache/$1" || return 1
	apt apt-get download "$1=$2" >&2 && : >"$cache/$1/done" && return 0
	echo "no package $1 $2 to be had"
	return 1
}

# unpack_source PACKAGE [PATTERN...]: into the current directory, which is empty: with Debian's patches
# where the package has them, or the members of upstream's that match.
unpack_source()
{
	package=$1
	shift
	if [ $# -eq 0 ] && command -v dpkg-source >/dev/null 2>&1; then
		for control in "$cache/$package"/*.dsc; do
			[ -e "$control" ] || continue
			dpkg-source --no-check -x "$control" source && mv source/* . &&
				rm -rf source
			return
		done
	fi
	[ $# -eq 0 ] || set -- --wildcards "$@"
	for tarball in "$cache/$package"/*.orig.tar.*; do
		tar -xf "$tarball" --strip-components=1 --no-same-owner "$@"
		return
	done
}
