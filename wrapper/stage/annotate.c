/* Add annotations to the metadata of a job directory. */
#include "config.h"

#include "wrapper/stage/annotate.h"

#include "wrapper/metadata/metadata.h"
#include "wrapper/stage/repack.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Add the annotations to one host's metadata. Returns 0 or -1 with e filled. */
static int annotate_host(const struct pm_jobdir *d, const char *host, const struct pm_annotate *a,
			 struct pm_err *e)
{
	json_t *doc = pm_metadata_read(d->fd, host, e), *map;
	int rc;

	if (!doc)
		return -1;
	map = json_deep_copy(pm_metadata_get(doc, PM_JOB_job_annotations));
	if (a->replace || !json_is_object(map)) {
		json_decref(map);
		map = json_object();
	}
	for (size_t i = 0; i < a->n; i++) {
		json_t *name = pm_metadata_string(a->list[i].name);

		json_object_set_new(map, json_string_value(name),
				    pm_metadata_string(a->list[i].value));
		json_decref(name);
		if (strcmp(a->list[i].name, PM_ANNOTATION_TAGS) == 0) {
			pm_metadata_json(doc, PM_JOB_job_tags, json_object());
			pm_metadata_add_tags(doc, a->list[i].value);
		}
	}
	pm_metadata_json(doc, PM_JOB_job_annotations, map);
	rc = pm_metadata_write(d->fd, host, doc, e);
	json_decref(doc);
	return rc;
}

int pm_annotate_directory(const struct pm_jobdir *d, const struct pm_annotate *a, struct pm_err *e)
{
	struct dirent **entry = NULL;
	int n = scandirat(d->fd, ".", &entry, NULL, alphasort), rc = 0, found = 0;

	for (int i = 0; i < n; i++) {
		size_t len = strlen(entry[i]->d_name);
		char host[NAME_MAX + 1];

		if (rc == 0 && len > 9 && fnmatch("job-*.json", entry[i]->d_name, 0) == 0) {
			snprintf(host, sizeof host, "%.*s", (int)len - 9, entry[i]->d_name + 4);
			rc = annotate_host(d, host, a, e);
			found++;
		}
		free(entry[i]);
	}
	free(entry);
	if (n < 0 || !found)
		return pm_err(e, "%s: no job metadata", d->path);
	return rc;
}

static int annotate_unpacked(void *ctx, const struct pm_jobdir *d, struct pm_err *e)
{
	return pm_annotate_directory(d, ctx, e) < 0 ? -1 : 1;
}

int pm_annotate_archive(const char *path, const struct pm_annotate *a, struct pm_err *e)
{
	struct pm_annotate copy = *a;

	return pm_repack(path, annotate_unpacked, &copy, e);
}
