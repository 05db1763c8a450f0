/* The reader of archives behind common/archive.h. */
#ifndef PM_SUBMIT_ARCHIVE_H
#define PM_SUBMIT_ARCHIVE_H

#include "common/archive.h"

#endif
