/* Forwards to common/archive.h, which declares the archive reader. */
#ifndef PM_SUBMIT_INPUT_ARCHIVE_H
#define PM_SUBMIT_INPUT_ARCHIVE_H

#include "common/archive.h"

#endif
