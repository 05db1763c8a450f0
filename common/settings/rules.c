/* Rules EXPRESSION=VALUE; EXPRESSION=VALUE of settings. */
#include "config.h"

#include "common/settings/rules.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* Length of an expression: up to the first = outside of [...] and not behind a backslash. */
static size_t expression_length(const char *text)
{
	const char *p = text;

	while (*p && *p != '=' && *p != ';') {
		if (*p == '\\' && p[1]) {
			p += 2;
		} else if (*p == '[') {
			/* The first character is never the end: []a] and [^]a]. */
			p += p[1] == '^' ? 2 : 1;
			p += *p == ']';
			p += strcspn(p, "]");
			p += *p == ']';
		} else {
			p++;
		}
	}
	return (size_t)(p - text);
}

static void trim(const char **text, size_t *n)
{
	while (*n > 0 && (**text == ' ' || **text == '\t')) {
		++*text;
		--*n;
	}
	while (*n > 0 && ((*text)[*n - 1] == ' ' || (*text)[*n - 1] == '\t'))
		--*n;
}

int pm_rules_next(const char **rest, struct pm_rule *rule, struct pm_err *e)
{
	const char *p = *rest + strspn(*rest, "; \t");

	*rest = p;
	if (!*p)
		return 0;
	rule->expression = p;
	rule->expression_len = expression_length(p);
	p += rule->expression_len;
	if (*p != '=')
		return pm_err(e, "'%.*s' is not EXPRESSION=VALUE", (int)rule->expression_len,
			      rule->expression);
	rule->value = p + 1;
	rule->value_len = strcspn(rule->value, ";");
	*rest = rule->value + rule->value_len;
	trim(&rule->expression, &rule->expression_len);
	trim(&rule->value, &rule->value_len);
	if (rule->expression_len == 0 || rule->value_len == 0)
		return pm_err(e, "'%.*s=%.*s': an expression and a value are needed",
			      (int)rule->expression_len, rule->expression, (int)rule->value_len,
			      rule->value);
	return 1;
}

int pm_rules_match(const struct pm_rule *rule, const char *const *text, size_t n, struct pm_err *e)
{
	char *expression = strndup(rule->expression, rule->expression_len), why[256];
	regex_t regex;
	int rc, is = 0;

	if (!expression)
		return pm_err(e, "out of memory");
	rc = regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB);
	if (rc != 0) {
		regerror(rc, &regex, why, sizeof why);
		pm_err(e, "'%s' is no regular expression: %s", expression, why);
		free(expression);
		return -1;
	}
	for (size_t i = 0; i < n && !is; i++)
		is = regexec(&regex, text[i], 0, NULL, 0) == 0;
	regfree(&regex);
	free(expression);
	return is;
}

int pm_rules_check(const char *text, struct pm_err *e)
{
	struct pm_rule rule;
	int rc;

	while ((rc = pm_rules_next(&text, &rule, e)) > 0)
		if (pm_rules_match(&rule, NULL, 0, e) < 0)
			return -1;
	return rc;
}
