/* Verdicts, requests and advice of a report as JSON. */
#include "config.h"

#include "report/job/report_json_judged.h"

#include "report/advice/advice.h"
#include "report/advice/request.h"
#include "report/advice/verdict.h"

json_t *pm_report_json_verdicts(const struct pm_facts *f)
{
	static const char *const level[] = { "none", "good", "fair", "bad" };
	struct pm_verdict v[PM_VERDICTS];
	json_t *list = json_array();

	pm_verdicts(f, v);
	for (int i = 0; i < PM_VERDICTS; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "name", json_string(v[i].name));
		json_object_set_new(o, "number", json_string(v[i].number));
		json_object_set_new(o, "word", pm_json_text(v[i].word));
		json_object_set_new(o, "level", json_string(level[v[i].level]));
		json_object_set_new(o, "share", pm_json_real(v[i].share));
		json_object_set_new(o, "detail", pm_json_text(v[i].detail));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *pm_report_json_requests(const struct pm_facts *f)
{
	struct pm_request list[PM_REQUESTS];
	size_t n = pm_requests(f, list);
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "name", json_string(list[i].name));
		json_object_set_new(o, "asked", pm_json_int(list[i].asked_n));
		json_object_set_new(o, "used", pm_json_int(list[i].used_n));
		json_object_set_new(o, "share", pm_json_real(list[i].share));
		json_object_set_new(o, "next", pm_json_int(list[i].next_n));
		json_object_set_new(o, "next_text", pm_json_text(list[i].next));
		json_array_append_new(array, o);
	}
	return array;
}

json_t *pm_report_json_advice(const struct pm_facts *f)
{
	struct pm_advice list[PM_ADVICE_RULES];
	size_t n = pm_advice_list(f, list);
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct pm_advice *a = &list[i];
		json_t *o = json_object();

		json_object_set_new(o, "id", json_string(a->id));
		json_object_set_new(o, "text", pm_json_text(a->text));
		json_object_set_new(o, "severity", json_string(pm_advice_severity(a->severity)));
		json_object_set_new(o, "effect", json_boolean(a->effect));
		json_object_set_new(o, "section", json_string(pm_advice_section(a->section)));
		json_object_set_new(o, "cost_us", pm_json_int(a->cost_us));
		json_object_set_new(o, "cost_bytes", pm_json_int(a->cost_bytes));
		json_object_set_new(o, "program", pm_json_text(a->program));
		json_object_set_new(o, "host", pm_json_text(a->host));
		json_object_set_new(o, "pid", pm_json_int(a->pid));
		json_object_set_new(o, "start_us", pm_json_int(a->start_us));
		json_object_set_new(o, "end_us", pm_json_int(a->end_us));
		json_array_append_new(array, o);
	}
	return array;
}
