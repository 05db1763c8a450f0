#!/bin/sh
# 32-bit programs in a recorded job: ld.so finds an empty library for them, and has nothing to say.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; other shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

interpreter=/lib/ld-linux.so.2
empty=$abs_top_builddir/libperfmon32.so
native=$(sed -n 's/^PM_LIB = //p' "$abs_top_builddir/Makefile")
if [ ! -e "$empty" ]; then
	skip "32-bit programs" "configure found no tools for them"
	done_testing
fi

# The layout of an installation, its removal last.
mkdir perfmon && cp "$abs_top_builddir/libperfmon.so" perfmon
sh "$abs_top_srcdir/libperfmon/libtree.sh" "$work/perfmon" "$native" "$empty"
ok $? "the libraries are laid out"
PERFMON_LIBRARY=$work/perfmon/libperfmon.so
export PERFMON_LIBRARY PERFMON_DB="$work/perfmon.db"

"$PERFMON" -a run sh -c 'echo "$LD_PRELOAD"; exit 4' >out 2>err
is "$?:$(cat out err)" "4:$work/perfmon/\$LIB/libperfmon.so" "ld.so is to choose"
"$PERFMON" submit >/dev/null && is "$(cd "$work/prefix" && cat ./*/*/*.tsv | grep -c '	reaped	')" 1 "and found the collector"

if [ ! -e $interpreter ]; then
	skip "a 32-bit program" "no 32-bit ld.so"
else
	cat >program.s <<'END'
	.globl _start
_start:	movl $1, %eax
	movl $6, %ebx
	int $0x80
END
	as --32 -o program.o program.s &&
		ld -m elf_i386 -pie -dynamic-linker $interpreter -o program program.o
	ok $? "a 32-bit program"
	./program 2>err
	if [ $? -ne 6 ]; then
		skip "a 32-bit program in a job" "the kernel runs none: $(cat err)"
	else
		LD_PRELOAD=$abs_top_builddir/libperfmon.so ./program >out 2>err
		is "$?:$(grep -c ELFCLASS64 err)" "6:1" "complains of the collector itself"
		"$PERFMON" -a run ./program >out 2>err
		is "$?:$(cat out err)" "6:" "runs in a recorded job without a word"
	fi
fi

# A shell that is instrumented and taken out of it again.
cat >script <<'END'
	eval $("$PERFMON" source)
	echo "$LD_PRELOAD"
	eval $("$PERFMON" source)
	echo "$LD_PRELOAD"
	perfmon_uninstrument
	echo "${LD_PRELOAD-none}"
END
export PERFMON
"$PERFMON" start && sh ./script >out 2>err
is "$?:$(cat out err)" "0:$work/perfmon/\$LIB/libperfmon.so
$work/perfmon/\$LIB/libperfmon.so
none" "source writes it and takes it back"
"$PERFMON" stop >/dev/null

rm perfmon/lib*/libperfmon.so perfmon/lib/*/libperfmon.so
"$PERFMON" -a run sh -c 'echo "$LD_PRELOAD"' >out 2>err
is "$?:$(cat out err)" "0:$work/perfmon/libperfmon.so" "without that layout the path is the library's"
sh "$abs_top_srcdir/libperfmon/libtree.sh" "$work/perfmon" "$native" "$empty" &&
	sh "$abs_top_srcdir/libperfmon/libtree.sh" --remove "$work/perfmon"
is "$?:$(ls perfmon)" "0:libperfmon.so" "removing leaves nothing behind"
done_testing
