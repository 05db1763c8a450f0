#!/bin/sh
# Events: words of the setting options resolved once per job, handed to the collector ready to open,
# and what cannot be had said once and for all with its reason.
# shellcheck disable=SC2016 # texts for other shells
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

refuse=$abs_top_builddir/tests/progs/refuse

if ! "$refuse" 95 true; then
	skip "events" "no seccomp filters here"
	done_testing
fi

# exported COMMAND...: what a recorded command has in PERFMON_EVENTS, one entry per line.
exported()
{
	"$@" sh -c 'printf "%s\n" "$PERFMON_EVENTS"' 2>err | tr ' ' '\n'
}
# held [OPTION...]: how many events perfmon run holds open.
held() { "$PERFMON" "$@" -a run sh -c 'ls -l /proc/$PPID/fd' 2>&1 | grep -c perf_event; }

# about JOB NAME KEY: of an event in a job's metadata.
about()
{
	"$PERFMON" dump -j "$1" --json | python3 -c '
import json, sys
for e in json.load(sys.stdin).get("events", []):
	if e["name"] == sys.argv[1]:
		v = e.get(sys.argv[2], "(none)")
		print(v if isinstance(v, str) else " ".join(v))' "$2" "$3"
}

# Whether this machine lets us count in user mode at all.
case $("$PERFMON" events page-faults 2>/dev/null) in
page-faults*) can_count=1 ;;
*) can_count=0 ;;
esac
need prlimit || can_count=0

# --- nothing asked for -----------------------------------------------------------------------------
is "$("$PERFMON" -a run sh -c 'echo "${PERFMON_EVENTS-unset}"' 2>err):$(cat err)" "unset:" \
	"without events there is no variable and no warning"
is "$(PERFMON_EVENTS=old "$PERFMON" -a run sh -c 'echo "${PERFMON_EVENTS-unset}"')" "" \
	"and one from elsewhere does not stay"
is "$(PERFMON_OPTIONS=PER_PROCESS exported "$PERFMON" -a run)" "" "flags are not events"

# --- what works, what does not ----------------------------------------------------------------------
if [ $can_count = 1 ]; then
	export PERFMON_OPTIONS="PER_PROCESS,PERF_COUNT_SW_CPU_CLOCK, perf::PAGE-FAULTS,nosuchthing"
	is "$(exported "$PERFMON" -a -j one run | tr '\n' ' ')" \
		"1:0:0:0:0:6:PERF_COUNT_SW_CPU_CLOCK 1:2:0:0:0:6:perf::PAGE-FAULTS ?unknown:nosuchthing " \
		"a bogus event among three costs nothing but itself"
	is "$(cat err)" "perfmon: warning: 'nosuchthing' is neither a flag of options nor a known event; see perfmon events" \
		"it is warned about once"
	if need python3; then
		is "$(about one nosuchthing state):$(about one nosuchthing reason)" "unknown:unknown" \
			"and is in the job's metadata"
		is "$(about one perf::PAGE-FAULTS state):$(about one perf::PAGE-FAULTS domain):$(about one perf::PAGE-FAULTS how):$(about one perf::PAGE-FAULTS description)" \
			"ok:user:direct:page faults" "as are the others, described"
		is "$(about one PERF_COUNT_SW_CPU_CLOCK state):$(about one PERF_COUNT_SW_CPU_CLOCK how)" "ok:clock" \
			"and how each is counted"
	else
		skip "events in the metadata" "no $missing"
	fi
	is "$("$PERFMON" dump -j one | grep '^events\.')" "events.PERF_COUNT_SW_CPU_CLOCK ok (all)
events.perf::PAGE-FAULTS ok (user)
events.nosuchthing unknown (unknown): no source of events knows this name" "dump shows them"

	"$PERFMON" -j two start 2>err
	is "$(grep -c nosuchthing err)" 1 "start resolves and warns"
	exported "$PERFMON" -j two run >got
	is "$(grep -c nosuchthing got):$(cat err)" "1:" "run takes over what start found, without a word"
	"$PERFMON" -j two source >sourced 2>err
	is "$(sh -c '. ./sourced; printf "%s\n" "$PERFMON_EVENTS"' | tr ' ' '\n' | cmp - got; cat err)" "" "so does source"
	PERFMON_OPTIONS=cylces,task-clock exported "$PERFMON" -j two run >got
	is "$(tr '\n' ' ' <got):$(cat err)" \
		"1:1:0:0:0:6:task-clock ?unknown:cylces :perfmon: warning: 'cylces' is neither a flag of options nor a known event; did you mean cycles?" \
		"other options are resolved anew, with a hint"
	is "$("$PERFMON" dump -j two | sed -n 's/^events\.\([^ ]*\) .*/\1/p' | tr '\n' ' ')" \
		"PERF_COUNT_SW_CPU_CLOCK perf::PAGE-FAULTS nosuchthing cylces task-clock " \
		"and join the others in the metadata"
	"$PERFMON" -j two stop
	unset PERFMON_OPTIONS
	is "$(PAPIEX_OPTIONS=page-faults exported "$PERFMON" -a run)" "1:2:0:0:0:6:page-faults" \
		"PAPIEX_OPTIONS names events, too"
	is "$(exported "$PERFMON" --options page-faults,page-faults,minor-faults -a run | tr '\n' ' ')" \
		"1:2:0:0:0:6:page-faults 1:5:0:0:0:6:minor-faults " "repeated words count once"
	is "$(exported "$PERFMON" --options 'mem:0x601000/8:w' -a run)" "5:0:601000:8:2:6:mem:0x601000/8:w" \
		"breakpoints"

	# Few descriptors: the programs may have more.
	is "$(exported prlimit --nofile=8:8 "$PERFMON" --options page-faults,minor-faults,cpu-clock,task-clock,bogus -a run |
		grep -c '^1:')" 4 "RLIMIT_NOFILE of 8"

	# Held open by run, which has no descriptor of theirs in the command; beside what it measures the
	# job's CPU time by.
	held=$(held)
	is "$(($(held --options page-faults) - held))" 2 "run holds each class of software events open"
else
	skip "events that can be counted" "perf_event_open does not work here"
fi

# --- denied, not there --------------------------------------------------------------------------------
is "$(exported "$refuse" 13 "$PERFMON" --options page-faults,minor-faults,bogus -a -j denied run | tr '\n' ' '):$(
	cut -d: -f3-4 err | tr '\n' '|')" \
	"?EACCES:page-faults ?EACCES:minor-faults ?unknown:bogus : page-faults, minor-faults: not counted| 'bogus' is neither a flag of options nor a known event; see perfmon events|" \
	"where counting is denied, all are unknown and the command runs"
grep -q 'EACCES' err
ok $? "and the warning says by what"
is "$("$PERFMON" dump -j denied | sed -n 's/^events\.\([a-z-]* [a-z]* ([A-Za-z]*)\).*/\1/p')" \
	"page-faults denied (EACCES)
minor-faults denied (EACCES)
bogus unknown (unknown)" "so does the metadata"
for case in "1 EPERM denied" "38 ENOSYS denied" "2 ENOENT unsupported" "95 EOPNOTSUPP unsupported" "28 ENOSPC limited" \
	"16 EBUSY limited"; do
	# shellcheck disable=SC2086 # words
	set -- $case
	exported "$refuse" "$1" "$PERFMON" --options page-faults -a -j "case$1" run >got
	is "$("$PERFMON" dump -j "case$1" | sed -n 's/^events\.\([a-z-]* [a-z]* ([A-Za-z]*)\).*/\1/p')" \
		"page-faults $3 ($2)" "$2 is $3"
	is "$(sed 's/:page-faults$//' got)" "$([ "$3" = limited ] && echo 1:2:0:0:0:6 || echo "?$2")" \
		"and handed on as such"
done

# What the kernel keeps for every thread is there for everybody, and held open by nobody.
is "$(exported "$refuse" 13 "$PERFMON" --options cpu-clock,task-clock:k,cs -a -j kept run | tr '\n' ' ')$(cat err)" \
	"1:0:0:0:0:6:cpu-clock 1:1:0:0:0:5:task-clock:k 1:3:0:0:0:0:cs " "clocks and context switches need no permission"
is "$("$refuse" 13 "$PERFMON" events '*-clock' | awk '{ print $1, $NF }' | tr '\n' ' ')$("$refuse" 13 "$PERFMON" events cs | sed 's/.*  //')" \
	"cpu-clock (clock) task-clock (clock) context switches (rusage)" "events says how they are counted"
is "$(held --options cs,cpu-clock)" "$(held)" "nothing is held open for them"
is "$(exported "$refuse" 13 "$PERFMON" --options cs:u -a run)" "?EACCES:cs:u" "but what only perf_event_open can tell"

# A name that is not one word of a list stays one.
is "$(exported "$PERFMON" --options "a b$(printf '\001%s' "\\")c" -a run)" '?unknown:a\x20b\x01\\c' "odd names are escaped"

# --- the domain --------------------------------------------------------------------------------------
if [ $can_count = 1 ] && [ "$(id -u)" -eq 0 ]; then
	is "$(exported "$PERFMON" --counter-domain all --options page-faults,page-faults:u,cs -a run | tr '\n' ' ')" \
		"1:2:0:0:0:0:page-faults 1:2:0:0:0:6:page-faults:u 1:3:0:0:0:0:cs " "domain all, and a name that says user"
	is "$(exported "$PERFMON" --counter-domain kernel --options page-faults -a run)" "1:2:0:0:0:5:page-faults" \
		"domain kernel"
	is "$(exported "$PERFMON" --options cs,page-faults -a run | tr '\n' ' ')" \
		"1:3:0:0:0:0:cs 1:2:0:0:0:6:page-faults " \
		"what happens in the kernel is counted there, also by default"
else
	skip "domains" "needs root and perf_event_open"
fi
if [ $can_count = 1 ] && [ "$(id -u)" -eq 0 ] && need setpriv &&
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
	mkdir plain && chown 65534:65534 plain && chmod 755 .
	user()
	{
		exported setpriv --reuid=65534 --regid=65534 --clear-groups env \
			PERFMON_OUTPUT_PREFIX="$work/plain" HOME="$work/plain" XDG_CONFIG_HOME="$work/plain" "$PERFMON" "$@"
	}
	is "$(user --options page-faults,migrations -a run | tr '\n' ' ')" "1:2:0:0:0:6:page-faults ?EACCES:migrations " \
		"at perf_event_paranoid 2 a user gets user mode, and what happens in the kernel is unknown, not 0"
	is "$(user --counter-domain all --options page-faults -a run):$(cat err)" \
		"1:2:0:0:0:6:page-faults:perfmon: warning: page-faults: counted in user mode only: perf_event_paranoid is 2, which permits user mode only" \
		"domain all falls back to user, and says so"
else
	skip "perf_event_paranoid 2" "needs root and that level"
fi

# --- PAPI's derived presets ---------------------------------------------------------------------------
# libpfm4 may name units beside the processor's own, such as amd64_rapl.
"$PERFMON" check 2>/dev/null | sed -n 's/.*libpfm [0-9.]*, //p' | tr ',' '\n' | sed 's/^ */CPU,/' >pmus
if [ $can_count = 1 ] && [ -s pmus ] && need python3; then
	cat pmus - >presets.csv <<-EOF
	PRESET,PAPI_BR_PRC,DERIVED_SUB,perf::PAGE-FAULTS,perf::MINOR-FAULTS
	PRESET,PAPI_L1_DCM,NOT_DERIVED,perf::PAGE-FAULTS
	PRESET,PAPI_L2_DCM,DERIVED_POSTFIX,N0|N1|2|*|+|,perf::PAGE-FAULTS,perf::MINOR-FAULTS
	PRESET,PAPI_L3_DCM,DERIVED_ADD,perf::PAGE-FAULTS,perf::L1-DCACHE-LOADS
	EOF
	PAPI_CSV_EVENT_FILE=$work/presets.csv
	export PAPI_CSV_EVENT_FILE
	exported "$PERFMON" --options PAPI_L1_DCM,PAPI_BR_PRC,PAPI_L2_DCM -a -j papi run >got
	is "$(tr '\n' ' ' <got)" "1:2:0:0:0:6:PAPI_L1_DCM 1:2:0:0:0:6:perf::PAGE-FAULTS 1:5:0:0:0:6:perf::MINOR-FAULTS " \
		"presets are opened as their native terms, each once"
	is "$(about papi PAPI_L2_DCM terms):$(about papi PAPI_L2_DCM formula):$(about papi PAPI_BR_PRC formula):$(about papi PAPI_L1_DCM formula)" \
		"perf::PAGE-FAULTS perf::MINOR-FAULTS:N0 N1 2 * +:N0 N1 -:(none)" "with their formula in the metadata"
	exported "$refuse" 2 "$PERFMON" --options PAPI_L2_DCM -a -j papi2 run >got
	is "$(cat got):$(about papi2 PAPI_L2_DCM state)" "?ENOENT:PAPI_L2_DCM:unsupported" \
		"a preset without one of its terms is unknown itself"
	unset PAPI_CSV_EVENT_FILE
else
	skip "derived presets" "no PAPI or libpfm4 that knows this processor"
fi

# --- perfmon events ------------------------------------------------------------------------------------
if [ $can_count = 1 ]; then
	is "$("$PERFMON" events page-faults)" "page-faults                                kernel  page faults" \
		"events lists what works, with a description"
	"$PERFMON" events >all
	is "$(awk '{ print $1 }' all | grep -c -x -e cpu-clock -e task-clock -e page-faults -e minor-faults -e major-faults)" 5 \
		"all of the kernel's"
	is "$("$PERFMON" events '*-clock' | awk '{ print $1 }' | tr '\n' ' ')" "cpu-clock task-clock " "a pattern is a glob"
	is "$("$PERFMON" events CLOCK | awk '{ print $1 }' | tr '\n' ' ')" "cpu-clock task-clock " "or a part of the name"
	is "$("$PERFMON" events perf_count_sw_page_faults_min | awk '{ print $1 }')" minor-faults "or of another name"
	is "$("$PERFMON" events mem:0x1000:w | awk '{ print $1 }')" mem:0x1000:w "also what is not on any list"
	if need python3; then
		is "$("$PERFMON" events --json page-faults | python3 -c '
import json, sys
e, = json.load(sys.stdin)
print(e["name"], e["state"], e["source"], *e["names"])')" "page-faults ok kernel page-faults PERF_COUNT_SW_PAGE_FAULTS faults" "--json"
	else
		skip "--json" "no $missing"
	fi
else
	skip "perfmon events" "perf_event_open does not work here"
fi
"$PERFMON" events cylces >out 2>err
is "$?:$(cat out err)" "1:perfmon: no known event matches 'cylces'; did you mean cycles?" \
	"an unknown name is an error, with a hint"
"$refuse" 13 "$PERFMON" events page-faults >out 2>err
is "$?:$(cat out err)" "1:perfmon: 1 known event, and none can be counted here; perfmon events --all page-faults says why" \
	"so is one that cannot be counted"
"$refuse" 13 "$PERFMON" events --all page-faults >out 2>err
is "$?:$(sed 's/.* -- .*(/(/' out)" "0:(EACCES)" "--all says why"
"$refuse" 2 "$PERFMON" events -v 'branch*' >out 2>err
is "$?:$(awk '{ print $1, $NF }' out | tr '\n' ' ')" \
	"0:branch-instructions (ENOENT) branch-misses (ENOENT) branch-loads (ENOENT) branch-load-misses (ENOENT) " "so does -v"
is "$("$refuse" 2 "$PERFMON" events --json '*-faults' 2>err):$(sed 's/[0-9][0-9]* known/N known/' err)" \
	"[]:perfmon: N known events, and none can be counted here; perfmon events --all *-faults says why" \
	"an empty list is JSON, too"
"$PERFMON" events a b 2>err
is $? 2 "one pattern"

# --- perfmon check ---------------------------------------------------------------------------------------
if [ $can_count = 1 ]; then
	is "$("$PERFMON" check counters.user; echo $?)" "pass  counters.user         events in user mode can be counted
0" "check says what works"
	is "$("$PERFMON" --options page-faults,bogus check counters.options; echo $?)" \
		"pass  counters.options      page-faults: user mode
fail  counters.options      bogus: no source of events knows this name (unknown)
1" "of what is asked for, each"
else
	skip "check of what works" "perf_event_open does not work here"
fi
is "$("$refuse" 13 "$PERFMON" check counters.user counters.breakpoint | awk '{ print $1, $2 }'; "$refuse" 13 "$PERFMON" check counters.user | grep -c '(EACCES); [a-z]')" \
	"fail counters.user
fail counters.breakpoint
1" "and what is denied, with what to do"
"$refuse" 13 "$PERFMON" check >out
is "$?:$(awk '{ print $2 }' out | uniq | tr '\n' ' ')" \
	"1:$(sed -n 's/^PM_CHECK([^,]*, "\([^"]*\)".*/\1/p' "$abs_top_srcdir/common/cli/checks.def" | tr '\n' ' ')" \
	"every check of the table reports, and one that fails makes the status"
is "$("$PERFMON" check counters | wc -l):$("$PERFMON" check '*.user' | wc -l)" "$(grep -c ' counters[.]' out):1" \
	"areas and patterns select checks"
is "$(awk '{ print $2 }' out | sort -u | while read -r name; do
	grep -q "^\.B $name\$" "$abs_top_srcdir/man/perfmon-check.1" || echo "$name"
done)" "" "the manual page explains every check"
"$PERFMON" check nosuch 2>err
is "$?:$(cat err)" "2:perfmon: there is no check 'nosuch'; perfmon check shows all" "not what does not exist"
"$refuse" 38 "$PERFMON" check counters.user | grep -q ENOSYS
ok $? "a kernel that has no perf events"
mkdir -p root/proc/sys/kernel && echo 3 >root/proc/sys/kernel/perf_event_paranoid
if [ "$(id -u)" -ne 0 ]; then
	set -- "$refuse"
elif need setpriv; then
	set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$refuse"
else
	set --
fi
if [ $# -gt 0 ]; then
	chmod 755 . && mkdir -p plain && chown "$("$@" 13 id -u)" plain
	is "$(XDG_CONFIG_HOME=$work/plain HOME=$work/plain "$@" 13 "$PERFMON" --root "$work/root" check counters.user)" \
		"fail  counters.user         perf_event_paranoid is 3 (EACCES); an administrator may set kernel.perf_event_paranoid to 2 (sysctl), or to 1 to count in the kernel, too" \
		"perf_event_paranoid 3"
	is "$(XDG_CONFIG_HOME=$work/plain HOME=$work/plain PERFMON_OUTPUT_PREFIX=$work/plain exported "$@" 13 "$PERFMON" \
		--root "$work/root" --options page-faults -a run):$(cat err)" \
		"?EACCES:page-faults:perfmon: warning: page-faults: not counted: perf_event_paranoid is 3 (EACCES)" \
		"and run at that level"
else
	skip "perf_event_paranoid 3" "no $missing"
fi
if need python3; then
	is "$("$refuse" 13 "$PERFMON" check --json counters.user | python3 -c '
import json, sys
c, = json.load(sys.stdin)
print(c["check"], c["passed"], "EACCES" in c["found"], bool(c["remedy"]))')" "counters.user False True True" "check --json"
else
	skip "check --json" "no $missing"
fi

is "$(ldd "$PERFMON" | grep -c -e papi -e pfm)" 0 "no library of event names is linked"

done_testing
