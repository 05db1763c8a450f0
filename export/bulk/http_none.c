/* Without libcurl nothing is sent: why. The other functions are never called. */
#include "config.h"

#include "export/bulk/http.h"

#include "common/version.h"

struct pm_http *pm_http_new(const struct pm_http_ask *ask, struct pm_err *e)
{
	(void)ask;
	pm_err(e, "sending needs libcurl, without which this perfmon was built (Debian: "
		  "libcurl4-openssl-dev, Fedora: libcurl-devel): write a file with -o and let "
		  "curl --data-binary @FILE send it");
	return NULL;
}

void pm_http_free(struct pm_http *h)
{
	(void)h;
}

int pm_http_post(struct pm_http *h, const void *p, size_t n, struct pm_http_answer *a,
		 struct pm_err *e)
{
	(void)h, (void)p, (void)n;
	*a = (struct pm_http_answer){ .status = 0 };
	return pm_err(e, "sending needs libcurl");
}

void pm_version_curl(struct pm_version *v)
{
	(void)v;
}
