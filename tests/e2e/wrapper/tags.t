#!/bin/sh
# Tags of a job, from its start, its stop and its name; single values of the metadata by two names.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

job=0
# tagged NAME PATTERNS: the tags that a job of this name gets.
tagged()
{
	job=$((job + 1))
	SLURM_JOB_ID=$job SLURM_JOB_NAME=$1 PERFMON_NAME_TAGS=$2 "$PERFMON" start 2>err
	SLURM_JOB_ID=$job "$PERFMON" dump $job | sed -n 's/^tags\.//p' | tr '\n' ';'
	rm -rf "$PERFMON_OUTPUT_PREFIX"
}

three='{exp_name}_{exp_component}_{exp_time}'
is "$(tagged CM4_piControl_C_atmos_00050101 $three)" \
	"exp_component atmos;exp_name CM4_piControl_C;exp_time 00050101;" \
	"a name of three parts, the first with what else there is"
is "$(tagged a_b_c "$three")" "exp_component b;exp_name a;exp_time c;" "the shortest"
is "$(tagged a_b "$three")" "" "one that has too little"
is "$(tagged a_b_c '')" "" "no pattern"
is "$(tagged ocean.day-12 '{model:[a-z]+}.{unit:day|month}-{number:[0-9]{1,3}}')" \
	"model ocean;number 12;unit day;" "expressions of one's own, braces in them"
is "$(tagged oceanxday-12 '{model:[a-z]+}.{unit:day|month}-{number:[0-9]{1,3}}')" "" \
	"what is no field is itself"
is "$(tagged 'run (2)' '{x:[0-9]+} {what}_{n} {first}(2)')" "first run ;" "the first that matches decides"
is "$(tagged '$a*[b]^\|+?.' '$a*[b]^\|+?{end}')" "end .;" "no character but braces is special"
is "$(tagged "$(printf 'n\303\266_\377')" '{a}_{b}')" "a nö;b \\\\xff;" "bytes of any kind"
for bad in '{a' '{}' '{a:[}' '{a:(b)}'; do
	is "$(tagged x_y "$bad {l}_{r}"):$(grep -c '^perfmon: warning: name_tags: ' err)" "l x;r y;:1" \
		"$bad is told, and passed over"
done

# Tags that are given win, and stop's are added.
PERFMON_NAME_TAGS='{a}_{b}' PERFMON_JOB_TAGS='b:given;c:x:y=z' "$PERFMON" start -j start_stop
"$PERFMON" dump start_stop | grep -q '^tags.a'
is $? 1 "a job without a name has no tags of it"
PERFMON_JOB_TAGS='c:again;d' "$PERFMON" stop -j start_stop
is "$("$PERFMON" dump start_stop -k tags | tr '\n' ';')" "b given;c again;d 1;" \
	"tags of start and stop are merged, the later ones win"
printf 'exit 3\n' >exp_late_7
chmod +x exp_late_7
PERFMON_NAME_TAGS='{a}_{b}_{c}' PERFMON_JOB_TAGS='b:given' OMP_NUM_THREADS=2 "$PERFMON" -a -j named run ./exp_late_7
is "$("$PERFMON" dump named -k tags | sort | tr '\n' ';')" "a exp;b given;c 7;" \
	"the name is that of the command; a tag that is given wins"
"$PERFMON" -q submit -j named
is "$("$PERFMON" list tags named --csv | tr -d '\r' | cut -d, -f2- | tail -n +2 | sort | tr '\n' ';')" \
	"0,a,exp;0,b,given;0,c,7;" "the database has them"

# --- dump -k ------------------------------------------------------------------------------------------
# same OUR EPMT: both names give the value of dump's line.
same()
{
	want=$("$PERFMON" dump named | sed -n "s/^$1 //p")
	is "$("$PERFMON" dump named -k "$1"):$("$PERFMON" dump -k "$2" named)" "$want:$want" "$1 is $2"
}
same jobid job_pl_id
same name job_pl_jobname
same user job_pl_username
same hostname job_pl_hostname
same start_time_us job_pl_start
same stop_time_us job_el_stop
same stop_exit_status job_el_status
same tags.a tags.a
same start_command.0 start_command.0
is "$("$PERFMON" dump named -k job_el_status)" 3 "and it is right"
is "$("$PERFMON" dump named -k job_pl_env_len)" \
	"$("$PERFMON" dump named -k job_pl_env | wc -l)" "job_pl_env_len counts job_pl_env"
is "$("$PERFMON" dump named -k job_pl_env | grep '^OMP')" "OMP_NUM_THREADS 2" "a map is printed a line each"
is "$("$PERFMON" --json dump named -k groups | tr -d ' \n')" \
	"[$("$PERFMON" dump named -k groups | sed 's/.*/"&"/' | paste -sd, -)]" "with --json as JSON"
for key in nonesuch tags.nonesuch job start_time_us.x groups.99 ''; do
	"$PERFMON" dump named -k "$key" >out 2>err
	is "$?:$(cat out):$(cat err)" "1::perfmon: the metadata has no $key" "-k '$key' is an error"
done

done_testing
