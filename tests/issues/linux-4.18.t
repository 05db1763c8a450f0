#!/bin/sh
# RHEL 8 has Linux 4.18 and glibc 2.28: headers of both are enough to build, no younger function of libc is called, and
# where younger system calls are missing jobs are recorded, sampled, packed, loaded and reported all the same.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

# --- headers ----------------------------------------------------------------------------------

# hide HEADER WORD...: that header, without these names.
hide()
{
	header=$1
	shift
	mkdir -p "old/$(dirname "$header")"
	{
		echo '#pragma GCC system_header'
		[ "$header" != linux/sched.h ] || echo '#define clone_args hidden_clone_args'
		echo "#include_next <$header>"
		printf '#undef %s\n' "$@"
		[ "$header" != linux/sched.h ] || echo '#undef clone_args'
	} >"old/$header"
}
if need cc; then
	# Since 4.18, by number: rseq is the last.
	# shellcheck disable=SC2046 # words
	hide sys/syscall.h $(echo '#include <sys/syscall.h>' | cc -E -dM - |
		awk '$2 ~ /^__NR_/ && $3 ~ /^[0-9]+$/ && $3 >= 424 { sub(/__NR_/, "", $2); print "SYS_" $2; print "__NR_" $2 }')
	hide linux/sched.h CLONE_ARGS_SIZE_VER0 CLONE_ARGS_SIZE_VER1 CLONE_ARGS_SIZE_VER2 CLONE_PIDFD CLONE_CLEAR_SIGHAND \
		CLONE_INTO_CGROUP CLONE_NEWTIME
	hide linux/memfd.h MFD_NOEXEC_SEAL MFD_EXEC
	hide linux/magic.h PID_FS_MAGIC SECRETMEM_MAGIC DMA_BUF_MAGIC DEVMEM_MAGIC Z3FOLD_MAGIC PPC_CMM_MAGIC EROFS_SUPER_MAGIC_V1 \
		EXFAT_SUPER_MAGIC CEPH_SUPER_MAGIC CIFS_SUPER_MAGIC SMB2_SUPER_MAGIC FUSE_SUPER_MAGIC NULL_FS_MAGIC BCACHEFS_SUPER_MAGIC
	hide linux/prctl.h PR_SET_VMA PR_SET_VMA_ANON_NAME PR_SET_MDWE PR_GET_AUXV PR_SET_MEMORY_MERGE PR_SCHED_CORE \
		PR_SET_SYSCALL_USER_DISPATCH PR_SET_IO_FLUSHER PR_GET_IO_FLUSHER PR_SET_TAGGED_ADDR_CTRL
	hide linux/seccomp.h SECCOMP_GET_NOTIF_SIZES SECCOMP_FILTER_FLAG_NEW_LISTENER SECCOMP_FILTER_FLAG_TSYNC_ESRCH \
		SECCOMP_RET_USER_NOTIF SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	# Of glibc since 2.29.
	hide sys/mman.h MAP_FIXED_NOREPLACE_ MREMAP_DONTUNMAP MFD_EXEC MFD_NOEXEC_SEAL MADV_COLD MADV_PAGEOUT
	hide sys/wait.h P_PIDFD
	: >out
	(
		cd "$abs_top_srcdir" || exit 99
		# shellcheck disable=SC2046 # words
		grep -l -E '\b(SYS_[a-z]|__NR_)|include <(linux/|sys/(mman|wait)[.]h)' -r common libperfmon wrapper sampler db submit \
			--include='*.c' | grep -v '[.]bpf[.]c$' |
			xargs -P 2 -n 8 cc -std=gnu11 -fsyntax-only -Werror=implicit-function-declaration -I"$work/old" -I. \
				-I"$abs_top_builddir" '-DPM_LIB=""' '-DPM_DEFAULT_LIBRARY=""' '-DPM_SYSCONFDIR=""' '-DPM_DATADIR=""' \
				$(pkg-config --cflags jansson 2>/dev/null)
	) >out 2>&1
	is "$(grep -E 'error|fatal' out)" "" "headers of Linux 4.18 are enough"
	# The test itself.
	printf '#include <sys/syscall.h>\n#include <linux/sched.h>\nstruct clone_args a; int n = SYS_pidfd_open;\n' >own.c
	! cc -fsyntax-only -I"$work/old" own.c 2>/dev/null
	ok $? "they hide what is younger"
else
	skip "headers of Linux 4.18 are enough" "no $missing"
fi

# --- functions of libc ------------------------------------------------------------------------

# What libc has of 2.29 and later alone: of others an older version stays for old programs. Those of
# stat's kind were in the part of libc that is linked statically.
libc=$(ldd "$PERFMON" 2>/dev/null | sed -n 's/.*=> \(.*libc[.]so[.]6\) .*/\1/p')
if need nm && [ -n "$libc" ]; then
	nm -D "$libc" >symbols
	awk '$3 ~ /@@?GLIBC_/ { name = $3; sub(/@.*/, "", name); version = $3; sub(/.*_2[.]/, "", version)
		split(version, part, "."); if (version ~ /^[0-9]/ && (!(name in first) || part[1] + 0 < first[name])) first[name] = part[1] + 0 }
		END { for (name in first) if (first[name] > 28) print name }' symbols | grep -v -x -E 'l?stat(64)?|fstat(at)?(64)?|mknod(at)?|__libc_start_main|__isoc23_.*' |
		sort >younger
	for file in "$PERFMON" "$PERFMON_LIBRARY"; do
		nm -D --undefined-only "$file" | awk '{ sub(/@.*/, "", $2); print $2 }' | sort -u | comm -12 - younger
	done >out
	is "$(grep -c GLIBC_ symbols | awk '{ print ($1 > 1000) }')|$(cat out)" "1|" "no function of libc is younger than 2.28"
else
	skip "no function of libc is younger than 2.28" "no ${missing:-libc}"
fi

# --- system calls -----------------------------------------------------------------------------

old=$abs_top_builddir/tests/progs/oldkernel
"$old" true 2>err
if [ $? -eq 77 ]; then
	skip "a kernel without younger calls" "$(cat err)"
	done_testing
fi
PERFMON_DB=$work/x.db
export PERFMON_DB
"$old" "$PERFMON" -a -j one run --sample 100ms sh -c '(sleep 0.3 &); python3 -c pass 2>/dev/null; exec sh -c "sleep 0.3; exit 5"' 2>err
is "$?|$(cat err)" "5|" "run, sampled"
"$old" "$PERFMON" -q submit 2>err
is "$?|$(cat err)" "0|" "submit"
"$old" "$PERFMON" report >out 2>err
is "$?|$(cat err)|$(grep -c 'exit' out | awk '{ print ($1 > 0) }')" "0||1" "report"
"$PERFMON" list processes --json >list 2>&1
is "$(grep -o '"exename": *"sleep"' list | grep -c .)|$("$PERFMON" list jobs --json | grep -c '"exit_status": *5')" "2|1" "every process is there"
export PERFMON
# shellcheck disable=SC2016 # the inner shell expands
"$old" sh -c '"$PERFMON" -j two start && eval "$("$PERFMON" -j two source)" && sh -c "sleep 0.01 & wait; true" && perfmon_uninstrument &&
	"$PERFMON" -j two stop && "$PERFMON" -q stage "$PERFMON_OUTPUT_PREFIX"/*/two && "$PERFMON" -q submit two.*.tgz' 2>err
is "$?|$(cat err)" "0|" "start, source, stop, stage, submit"
"$old" "$PERFMON" verify >out 2>err
is "$?|$(cat err)" "0|" "verify"
"$old" "$PERFMON" check >out 2>err
is "$(grep -E '^fail' out | grep -v -E 'library.privilege')" "" "check finds no fault"
done_testing
