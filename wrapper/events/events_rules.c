/* The events of this host: the setting options and what events_by_host and events_by_cpu add. */
#include "config.h"

#include "wrapper/events/events.h"

#include "common/memtext.h"
#include "common/job/jobdir.h"
#include "common/nomem.h"
#include "common/settings/readconfig.h"
#include "common/settings/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known of the first processor. */
struct cpu {
	char model[256];                           /* name of its model; "": unknown */
	char family[16], number[16], stepping[16]; /* on x86 */
	char id[64];                               /* FAMILY/MODEL/STEPPING, as EPMT has it */
};

/* Copy the value of a line `NAME : VALUE` of /proc/cpuinfo unless there is one already. */
static void take_line(const char *line, const char *name, char *value, size_t size)
{
	size_t n = strlen(name),
	       blanks = strspn(line + (strncmp(line, name, n) == 0 ? n : 0), " \t");
	const char *p = line + n + blanks;

	if (*value || strncmp(line, name, n) != 0 || *p != ':')
		return;
	p += 1 + strspn(p + 1, " \t");
	snprintf(value, size, "%.*s", (int)strcspn(p, "\n"), p);
}

/* Read the lines of the first processor, proc_cpuinfo(5). The name of the model's line depends on
 * the architecture, as in the metadata. */
static void read_cpu(struct cpu *cpu)
{
	char path[PATH_MAX], line[1024];
	FILE *f;

	memset(cpu, 0, sizeof *cpu);
	snprintf(path, sizeof path, "%s/proc/cpuinfo", pm_config_get(PM_SET_root));
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof line, f) && line[0] != '\n') {
		take_line(line, "model name", cpu->model, sizeof cpu->model);
		take_line(line, "cpu model", cpu->model, sizeof cpu->model);
		take_line(line, "cpu family", cpu->family, sizeof cpu->family);
		take_line(line, "model", cpu->number, sizeof cpu->number);
		take_line(line, "stepping", cpu->stepping, sizeof cpu->stepping);
	}
	fclose(f);
	if (*cpu->family)
		snprintf(cpu->id, sizeof cpu->id, "%s/%s/%s", cpu->family, cpu->number,
			 cpu->stepping);
}

/* Add the values of the rules that match. */
static void add_matching(FILE *out, enum pm_setting s, const char *const *text, size_t n,
			 pm_events_rule_fn *each, void *ctx)
{
	const char *rest = pm_config_get(s);
	struct pm_rule rule;

	/* The setting was checked when it was read. */
	while (pm_rules_next(&rest, &rule, NULL) > 0) {
		if (pm_rules_match(&rule, text, n, NULL) <= 0)
			continue;
		fprintf(out, ",%.*s", (int)rule.value_len, rule.value);
		if (each)
			each(ctx, s, &rule);
	}
}

char *pm_events_options(pm_events_rule_fn *each, void *ctx)
{
	const char *options = pm_config_get(PM_SET_options);
	char host[256], *text = NULL;
	struct cpu cpu = { .model = "" };
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		pm_nomem();
	pm_jobdir_host(host, sizeof host);
	if (*pm_config_get(PM_SET_events_by_cpu))
		read_cpu(&cpu);
	fputs(options, out);
	add_matching(out, PM_SET_events_by_host, (const char *const[]){ host }, 1, each, ctx);
	add_matching(out, PM_SET_events_by_cpu, (const char *const[]){ cpu.id, cpu.model }, 2, each,
		     ctx);
	if (!pm_memtext_end(out, &text))
		pm_nomem();
	/* Without options, the first event needs no comma before it. */
	if (!*options && *text == ',')
		memmove(text, text + 1, strlen(text));
	return text;
}
