/* Settings that depend on where perfmon runs: rules EXPRESSION=VALUE; EXPRESSION=VALUE. */
#ifndef PM_COMMON_SETTINGS_RULES_H
#define PM_COMMON_SETTINGS_RULES_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/* One rule; both texts point into the setting and are without blanks around them. */
struct pm_rule {
	const char *expression, *value;
	size_t expression_len, value_len;
};

/*
 * Find the next rule of a text, at *rest, which moves behind it. The first = that is neither inside
 * [...] nor behind a backslash ends the expression, the next ; the rule. Returns 1, 0 at the end,
 * or -1 with e filled: the text is no list of rules.
 */
int pm_rules_next(const char **rest, struct pm_rule *rule, struct pm_err *e);

/* Whether the expression, a POSIX extended regular expression (regex(7)), matches a part of one of
 * the texts. Returns 1, 0, or -1 with e filled: it is no expression; the message has it. */
int pm_rules_match(const struct pm_rule *rule, const char *const *text, size_t n, struct pm_err *e);

/* Check all rules of a text. Returns 0 or -1 with e filled. */
int pm_rules_check(const char *text, struct pm_err *e);

#endif
