/* Columns of the tables that are written out. */
#ifndef PM_SQL_COLUMN_H
#define PM_SQL_COLUMN_H

#include "sql/schema.h"

#define INT(name, help)                                                                            \
	{                                                                                          \
		name, PM_SCHEMA_INTEGER, false, "", "", help                                       \
	}
#define KEY(name, help)                                                                            \
	{                                                                                          \
		name, PM_SCHEMA_INTEGER, true, "", "", help                                        \
	}
#define USEC(name, help)                                                                           \
	{                                                                                          \
		name, PM_SCHEMA_INTEGER, false, "us", "", help                                     \
	}
#define REAL(name, help)                                                                           \
	{                                                                                          \
		name, PM_SCHEMA_REAL, false, "", "", help                                          \
	}
#define TEXT(name, help)                                                                           \
	{                                                                                          \
		name, PM_SCHEMA_TEXT, false, "", "", help                                          \
	}
#define NAME(name, help)                                                                           \
	{                                                                                          \
		name, PM_SCHEMA_TEXT, true, "", "", help                                           \
	}

#endif
