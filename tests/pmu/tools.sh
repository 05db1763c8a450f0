# shellcheck shell=sh
# Sourced behind $packages, the folder of `packages`: its tools can be called by name.
#
# Their libraries are those that the system has not; it hides none of its own.

if [ -d "${packages:?}/tools/usr" ]; then
	PATH=$PATH:$packages/tools/usr/bin
	for directory in "$packages"/tools/usr/lib/*-linux-gnu; do
		LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$directory
	done
	export PATH LD_LIBRARY_PATH
	unset directory
fi
