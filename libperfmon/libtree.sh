#!/bin/sh
# libtree.sh DIRECTORY NATIVE EMPTY: beside DIRECTORY/libperfmon.so, create the paths that ld.so
# makes of DIRECTORY/$LIB/libperfmon.so: the collector, or for 32-bit programs the empty library.
# NATIVE is what this system's 64-bit ld.so puts for $LIB.
#
# libtree.sh --remove DIRECTORY: remove these paths.
#
# The names of other systems are included: job scripts start containers. If this system's 64-bit
# libraries are in lib64, lib is for 32-bit libraries; else lib may be a container's name for 64-bit
# libraries.
set -eu

names64="lib64 lib/x86_64-linux-gnu"
names32="lib32 lib/i386-linux-gnu"

if [ "$1" = --remove ]; then
	for name in $names64 $names32 lib; do
		rm -f "$2/$name/libperfmon.so"
	done
	for name in lib/x86_64-linux-gnu lib/i386-linux-gnu lib64 lib32 lib; do
		rmdir "$2/$name" 2>/dev/null || :
	done
	exit 0
fi

directory=$1 native=$2 empty=$3
case $native in
lib64) names32="$names32 lib" ;;
*) names64="$names64 lib $native" ;;
esac
for name in $names64; do
	mkdir -p "$directory/$name"
	case $name in
	*/*) up=../.. ;;
	*) up=.. ;;
	esac
	ln -sf $up/libperfmon.so "$directory/$name/libperfmon.so"
done
for name in $names32; do
	mkdir -p "$directory/$name"
	cp "$empty" "$directory/$name/libperfmon.so"
	chmod 644 "$directory/$name/libperfmon.so"
done
