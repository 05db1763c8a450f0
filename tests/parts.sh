# shellcheck shell=sh disable=SC2154
# The parts of `./bootstrap check`, each of which runs alone, too. Sourced by bootstrap, which sets top, jobs, tests and
# scratch and has configure_in and say.

# Each part and its title, in the order in which they run. Those with a command of make behind them run beside each
# other in build/gcc: each takes about one processor, or waits most of the time.
parts()
{
	cat <<END
gcc: gcc builds without warnings
check: make check
long: a share of the tests that make check leaves out
pmu check-pmu: counters of an emulated processor
transparency check-transparency TRANSPARENCY=--short: other projects' test suites pass recorded as they do bare
fuzz fuzz PM_FUZZ_SECONDS=10 PM_FUZZ_JOBS=$(((jobs + 1) / 2)): fuzz targets, ten seconds each
prove check-prove: a fiftieth of every proof
memory check-memory: the collector under memory checkers
slurm check-slurm SLURM=--short: jobs of a real Slurm
coexistence check-coexistence: debuggers, sanitizers, other preloads and libraries beside the collector
source check-source: the release archive, man pages and scripts
destdir: installs below DESTDIR and uninstalls
distcheck: distcheck with sanitizers
clang: clang builds without warnings
minimal: builds with the minimum and installs into a home directory
installed: the installed program records, submits and reports
tree: the source tree is as before
END
}

# Parts of which a check runs some, so that it ends in less than half an hour: a line a lot. A commit has one, by its hash. A part
# that is named runs always, and all do where PM_TURN is all.
turns()
{
	cat <<END
0 pmu source clang
1 long transparency fuzz
2 destdir distcheck
3 prove memory slurm coexistence
END
}

# The turn of this commit.
turn_now()
{
	turn=${PM_TURN:-$(($(commit_number) % $(turns | wc -l)))}
	[ "$turn" = all ] || turns | grep -q "^$turn " || die "PM_TURN=$turn is none: $(turns | cut -d' ' -f1 | tr '\n' ' ')or all"
	echo "$turn"
}

# result STATUS NAME [LOG]: count one of the run's own checks; of a failed one show the log's end.
result()
{
	if [ "$1" -eq 0 ]; then
		echo "PASS: bootstrap - $2" | tee -a "$results"
	else
		echo "FAIL: bootstrap - $2" | tee -a "$results"
		[ -z "${3-}" ] || tail -n 60 "$3"
	fi
}

# take_results LOG: count the test cases that automake's TAP driver printed into a make log.
# Of those that failed, show what repeats them.
take_results()
{
	grep -E '^(PASS|FAIL|XFAIL|XPASS|SKIP|ERROR): ' "$1" >>"$results"
	grep -E '^(FAIL|XPASS|ERROR): |^  (repeat|or its case alone|log): ' "$1"
}

# part NAME COMMAND...: run it with its output in build/log/NAME.log, count it as one check, and note its seconds.
part()
{
	part=$1 title=$(parts | sed -n "s/^$1\( [^:]*\)*: //p")
	shift
	began=$(date +%s)
	"$@" >"build/log/$part.log" 2>&1
	part_status=$?
	seconds=$(($(date +%s) - began))
	result $part_status "$title" "build/log/$part.log"
	take_results "build/log/$part.log"
	echo "$seconds $part" >>"$results.seconds"
	say "$title: $seconds s"
	return $part_status
}

tree_state()
{
	git status --porcelain 2>/dev/null
}

# tree_unchanged BEFORE: whether the tree is as it was; its state is printed.
tree_unchanged()
{
	tree_state
	[ "$1" = "$(tree_state)" ]
}

build_gcc()
{
	configure_in gcc CC=gcc --enable-werror && make -C build/gcc -j"$jobs" all
}

# The test programs as well, without running them: for its warnings, which need no optimizer.
build_clang()
{
	configure_in clang CC=clang CFLAGS=-O0 --enable-werror &&
		make -C build/clang -j"$jobs" all && make -C build/clang -j"$jobs" check TESTS=
}

# What a plain user has: a compiler, make, SQLite and jansson.
build_minimal()
{
	configure_in minimal --enable-werror --prefix="$scratch/home" --without-zlib \
		--without-zstd --without-lzma --without-bzip2 --without-libtar --without-papi --without-pfm \
		--without-pq --without-cairo --without-hdf5 --without-curl --without-check \
		--without-bpf --without-spank &&
		make -C build/minimal -j"$jobs" all && make -C build/minimal install
}

run_installed()
{
	rm -rf "$scratch/out"
	# The inner shell expands.
	# shellcheck disable=SC2016
	env -u PERFMON_LIBRARY PERFMON_OUTPUT_PREFIX="$scratch/out" PERFMON_DB="$scratch/min.db" \
		XDG_CONFIG_HOME="$scratch/config" sh -ec '
		"$0" -a run sh -c "/bin/true; exit 3" || test $? -eq 3
		"$0" submit
		"$0" report
		tar -C "$PERFMON_OUTPUT_PREFIX" -cf "$PERFMON_OUTPUT_PREFIX.tar" .
		PERFMON_DB=$PERFMON_OUTPUT_PREFIX.db "$0" submit "$PERFMON_OUTPUT_PREFIX.tar"' \
		"$scratch/home/bin/perfmon"
}

install_destdir()
{
	make -C build/gcc install DESTDIR="$scratch/dest" &&
		test -x "$scratch/dest/usr/local/bin/perfmon" &&
		make -C build/gcc uninstall DESTDIR="$scratch/dest" &&
		test -z "$(find "$scratch/dest" -type f)"
}

# commit_number [NAME]: a number that the commit, and the name, decide.
commit_number()
{
	echo "$(git rev-parse HEAD 2>/dev/null || echo release) ${1-}" | cksum | sed 's/ .*//'
}

# one_in N: of the names on standard input one in N, others for each commit.
one_in()
{
	while read -r name; do
		[ $(($(commit_number "$name") % $1)) -ne 0 ] || echo "$name"
	done
}

list_long_tests()
{
	make -s --no-print-directory -C build/gcc print-long-tests
}

# The long tests: all where this part is named or PM_LONG_SHARE is 1, else one in so many and those that the last ten
# commits touched; those that take longest begin first.
long_tests()
{
	[ -z "$chosen" ] || : "${PM_LONG_SHARE:=1}"
	list_long_tests >"$scratch/long"
	{
		one_in "${PM_LONG_SHARE:-6}" <"$scratch/long"
		git diff --name-only HEAD~10 2>/dev/null
	} >"$scratch/picked"
	make -C build/gcc -j"$tests" check TEST_SUITE_LOG=check-long.log \
		TESTS="$(grep -xF -f "$scratch/picked" "$scratch/long" | tr '\n' ' ')"
}

# With sanitizers: make check, and one in PM_DISTCHECK_SHARE of the long tests that they have something to say about.
# Its prefix is in the build folder, which other users cannot look into where it is root's: tests that become another
# user would see a warning about the system's settings there.
distcheck()
{
	make -C build/gcc -j"$tests" distcheck PM_MORE_TESTS="$(list_long_tests | grep -v -e /collector/ -e transparency |
			one_in "${PM_DISTCHECK_SHARE:-12}" | tr '\n' ' ')" \
		DISTCHECK_CONFIGURE_FLAGS="--enable-sanitizers CFLAGS='-O1 -g1' --sysconfdir=/usr/local/etc"
}

# make_part NAME: run one of the parts that stand beside others; its results are in $PM_RESULTS.NAME.
make_part()
{
	results=$PM_RESULTS.$1
	: >"$results"
	line=$(parts | sed -n "s/^$1 \([^:]*\): .*/\1/p")
	# Words.
	# shellcheck disable=SC2086
	part "$1" make -C build/gcc $line
}

# Whether a part is wanted: where none is named, all are whose turn it is. The build is wanted by what runs in it.
wanted()
{
	if [ -z "$chosen" ]; then
		turn=$(turns | sed -n "/ $1\( \|\$\)/s/ .*//p")
		[ -z "$turn" ] || [ "$(turn_now)" = all ] || [ "$turn" = "$(turn_now)" ]
		return
	fi
	case " $chosen " in *" $1 "*) return 0 ;; esac
	[ "$1" = minimal ] && wanted installed
}

# Parts of make beside each other, each in a process of its own: a shell lets its background ignore signals that
# tests send.
run_beside()
{
	names=$(parts | sed -n 's/^\([a-z]*\) .*:.*/\1/p;' | while read -r name; do ! wanted "$name" || echo "$name"; done)
	[ -n "$names" ] || return 0
	echo "$names" | PM_RESULTS=$results xargs -P $((jobs + 1)) -n 1 "$top/bootstrap" part
	for name in $names; do
		# Whatever became of it: one that says nothing did not pass.
		if [ -s "$results.$name" ]; then
			cat "$results.$name" >>"$results"
			cat "$results.$name.seconds" >>"$results.seconds"
		else
			result 1 "part $name"
		fi
	done
}

# The ten tests of `make check` and `make check-long` that took longest: from the birth of a test's log to the end of
# its results, where the file system knows of births. Called before other parts run some of the tests again.
note_slowest()
{
	find build/gcc/tests -name '*.trs' 2>/dev/null | while read -r trs; do
		stat -c '%.W %n' "${trs%.trs}.log" && stat -c '%.Y' "$trs"
	done 2>/dev/null | awk 'NF == 2 { began = $1; name = $2; next } began > 0 { printf "%7.1f  %s\n", $1 - began, name }' |
		sed 's|build/gcc/||; s|[.]log$|.t|' | sort -rn | head -n 10 >"$results.slowest"
}

print_times()
{
	echo "seconds  part"
	awk '{ printf "%7d  %s\n", $1, $2 }' "$results.seconds"
	[ ! -s "$results.slowest" ] || { echo "seconds  the slowest tests"; cat "$results.slowest"; }
}

# check PART...: run these parts, or all.
check()
{
	chosen=$*
	for name in $chosen; do
		parts | grep -q "^${name}[ :]" || die "no part is named $name; there are: $(parts | sed 's/[ :].*//' | tr '\n' ' ')"
	done
	results=$scratch/results
	: >"$results"
	: >"$results.seconds"
	mkdir -p build/log
	before=$(tree_state)
	# Not in a subshell, where it could not end the check.
	turn_now >/dev/null
	[ -n "$chosen" ] || say "lot $(turn_now) of $(turns | wc -l), without: $(parts | sed 's/[ :].*//' |
		while read -r name; do wanted "$name" || echo "$name"; done | tr '\n' ' ')"

	in_gcc=no
	for name in $(parts | sed '/^clang:/,$d; s/[ :].*//'); do
		! wanted "$name" || in_gcc=yes
	done
	if [ $in_gcc = yes ] && part gcc build_gcc; then
		if wanted check; then
			part check make -C build/gcc -j"$tests" check
		fi
		! wanted long || part long long_tests
		note_slowest
		run_beside
		! wanted destdir || part destdir install_destdir
		! wanted distcheck || part distcheck distcheck
	fi
	! wanted clang || part clang build_clang
	if wanted minimal && part minimal build_minimal && wanted installed; then
		part installed run_installed
	fi
	if [ -e .git ] && command -v git >/dev/null 2>&1; then
		! wanted tree || part tree tree_unchanged "$before"
	else
		echo "SKIP: bootstrap - the source tree is as before # SKIP not a git checkout" >>"$results"
	fi

	grep '^SKIP: ' "$results"
	print_times
	passed=$(grep -c -E '^(PASS|XFAIL): ' "$results")
	failed=$(grep -c -E '^(FAIL|XPASS|ERROR): ' "$results")
	skipped=$(grep -c '^SKIP: ' "$results")
	[ "$failed" -eq 0 ] || grep -E '^(FAIL|XPASS|ERROR): ' "$results"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}
