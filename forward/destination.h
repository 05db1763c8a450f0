/* Where archives are sent to: the setting forward_to. */
#ifndef PM_FORWARD_DESTINATION_H
#define PM_FORWARD_DESTINATION_H

#include "common/err.h"

enum pm_destination_kind {
	PM_DESTINATION_DIRECTORY, /* /PATH */
	PM_DESTINATION_COMMAND,   /* |COMMAND */
	PM_DESTINATION_DATABASE,  /* a URL, or sqlite:PATH */
	PM_DESTINATION_KINDS
};

struct pm_destination {
	enum pm_destination_kind kind;
	char text[4096];  /* path, command, or the value of the setting db */
	char shown[1024]; /* for people, without a password, maybe cut */
};

/* The word for a kind. */
extern const char *const pm_destination_word[PM_DESTINATION_KINDS];

/* Read a value of the setting. Returns 0 or -1 with e filled, which has no password. */
int pm_destination_parse(const char *value, struct pm_destination *d, struct pm_err *e);

#endif
