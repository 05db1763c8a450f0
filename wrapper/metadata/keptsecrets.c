/* Redact users' texts for metadata and marks. */
#include "config.h"

#include "wrapper/metadata/keptsecrets.h"

#include "common/log.h"
#include "common/secrets/redact.h"
#include "common/settings/readconfig.h"
#include "wrapper/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

bool pm_keptsecrets_whole(void)
{
	return strcmp(pm_config_get(PM_SET_args), "full") == 0;
}

char *pm_keptsecrets_text(const char *text)
{
	return pm_keptsecrets_whole() ? strdup(text) : pm_redact_value(text);
}

void pm_keptsecrets_job_tags(json_t *doc)
{
	const char *tags = pm_config_get(PM_SET_job_tags);
	size_t count = 0;
	char *kept = pm_keptsecrets_whole() ? strdup(tags) : pm_redact_tags(tags, &count);

	if (kept)
		pm_metadata_add_tags(doc, kept);
	if (count > 0)
		pm_info("the job's tags are stored with [redacted] in place of secrets");
	free(kept);
}
