/* perfmon dump -k: print one value of the metadata, by our name or EPMT's. */
#include "config.h"

#include "common/safe/tsv.h"
#include "wrapper/dump/dump.h"
#include "wrapper/metadata/metadata.h"

#include <stdio.h>
#include <string.h>

/* EPMT's names and ours for the same values. #NAME stands for the number of members of NAME. */
static const struct {
	const char *epmt, *ours;
} epmt_names[] = {
	{ "job_pl_id", "jobid" },
	{ "job_pl_jobname", "name" },
	{ "job_pl_scriptname", "script" },
	{ "job_pl_username", "user" },
	{ "job_pl_groupnames", "groups" },
	{ "job_pl_hostname", "hostname" },
	{ "job_pl_start", "start_time_us" },
	{ "job_pl_submit", "submit_us" },
	{ "job_pl_env", "start_environment" },
	{ "job_pl_env_len", "#start_environment" },
	{ "job_pl_from_batch", "facts" },
	{ "job_el_stop", "stop_time_us" },
	{ "job_el_status", "stop_exit_status" },
	{ "job_el_exitcode", "stop_exit_status" },
	{ "job_el_reason", "stop_exit_reason" },
	{ "job_el_env_changes", "stop_environment_changes" },
	{ "job_el_env_changes_len", "#stop_environment_changes" },
	{ "job_el_from_batch", "facts" },
	{ "job_jobid", "jobid" },
	{ "job_username", "user" },
	{ "job_tags", "tags" },
	{ "exp_jobname", "name" },
	{ "exp_name", "tags.exp_name" },
	{ "exp_component", "tags.exp_component" },
	{ "exp_time", "tags.exp_time" },
	{ "exp_oname", "tags.exp_time" },
	{ "annotations", "annotations" },
};

static const char *our_name(const char *key)
{
	for (size_t i = 0; i < sizeof epmt_names / sizeof epmt_names[0]; i++)
		if (strcmp(epmt_names[i].epmt, key) == 0)
			return epmt_names[i].ours;
	return key;
}

/* Find the value of KEY, MAP.NAME or LIST.NUMBER; NULL: the document lacks it. Sets *type to the
 * value's type. */
static const json_t *find_value(const json_t *doc, const char *key, enum pm_job_type *type)
{
	for (int k = 0; k < PM_JOB_KEYS; k++) {
		const char *column = pm_job_info[k].column;
		const json_t *value = pm_metadata_get(doc, (enum pm_job_key)k);
		size_t n = strlen(column);
		int64_t i;

		if (strncmp(key, column, n) != 0 || (key[n] && key[n] != '.'))
			continue;
		*type = pm_job_info[k].type;
		if (!key[n])
			return value;
		*type = PM_JOB_TYPE_TEXT;
		if (json_is_object(value))
			return json_object_get(value, key + n + 1);
		if (json_is_array(value) &&
		    pm_tsv_number(key + n + 1, strlen(key + n + 1), &i) == 0 && i >= 0)
			return json_array_get(value, (size_t)i);
	}
	return NULL;
}

static size_t count_of(const json_t *value)
{
	return json_is_object(value) ? json_object_size(value) : json_array_size(value);
}

int pm_dump_key(const json_t *all, const char *key, bool json, struct pm_err *e)
{
	const char *name = our_name(key);
	bool count = *name == '#';
	int found = 0;
	json_t *doc;
	size_t i;

	name += count;
	json_array_foreach ((json_t *)(uintptr_t)all, i, doc) {
		enum pm_job_type type = PM_JOB_TYPE_TEXT;
		const json_t *value = find_value(doc, name, &type);
		json_t *number = NULL;

		if (!value)
			continue;
		if (count) {
			type = PM_JOB_TYPE_INT;
			value = number = json_integer((json_int_t)count_of(value));
		}
		if (json) {
			json_dumpf(value, stdout,
				   JSON_ENSURE_ASCII | JSON_ENCODE_ANY | JSON_INDENT(1));
			putchar('\n');
		} else {
			pm_dump_value(json_array_size(all) > 1
					      ? pm_metadata_get_text(doc, PM_JOB_host_hostname)
					      : NULL,
				      type, value);
		}
		json_decref(number);
		found++;
	}
	return found ? 0 : pm_err(e, "the metadata has no %s", key);
}
